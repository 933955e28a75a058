//! Reads a bundle, which anybody may have made: nothing in it is believed before it is checked, and nothing is written.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use annals_store::digest::sha256;
use annals_store::files::{NameError, PlainName};
use annals_store::layout::FileRole;
use annals_store::{AgentLocation, SessionKey, Slug};

use super::manifest::{self, MANIFEST, Manifest};
use super::tar::{TarError, TarReader};
use super::{Bundle, BundleFile};

/// The largest manifest: enough for all files.
const MAX_MANIFEST: u64 = 32 * 1024 * 1024;

/// The most files of a session.
const MAX_FILES: usize = 100_000;

/// The most bytes of all files together. They are in memory until they are written.
const MAX_TOTAL: u64 = 2 * 1024 * 1024 * 1024;

/// How far back compressed bytes may refer: memory that a reader needs, by its logarithm.
const MAX_WINDOW_LOG: u32 = 27;

/// The bit of a frame's descriptor that says that a checksum is at its end.
const CHECKSUM_FLAG: u8 = 0b100;

/// Why a bundle is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// It is something else.
    #[error("this is not a bundle")]
    NotABundle,
    /// A newer release wrote it.
    #[error("the bundle has format version {found}; this release reads version 1")]
    Version {
        /// Its version.
        found: u64,
    },
    /// The archive is damaged, or holds what a bundle does not.
    #[error(transparent)]
    Tar(#[from] TarError),
    /// The manifest is wrong.
    #[error("the manifest of the bundle is wrong: {what}")]
    Manifest { what: &'static str },
    /// A name leads elsewhere, or is not one that clients use.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A file does not belong to the session.
    #[error("{path:?} is not a file of this session")]
    Foreign {
        /// Its name in the bundle.
        path: String,
    },
    /// A file is announced twice, or two differ only by case.
    #[error("{path:?} is in the bundle twice")]
    Twice {
        /// Its name in the bundle.
        path: String,
    },
    /// There is more than a session can have.
    #[error("the bundle is too large: {bytes} bytes in {files} files")]
    TooLarge {
        /// How many bytes all files have.
        bytes: u64,
        /// How many files there are.
        files: usize,
    },
    /// A file is not what the manifest announces.
    #[error("{path:?} does not match the manifest of the bundle")]
    Differs {
        /// Its name in the bundle.
        path: String,
    },
    /// The compressed bytes have no checksum, which protects the manifest; files have hashes in it.
    #[error("the bundle has no checksum, so damage cannot be detected")]
    NoChecksum,
    /// The session itself is missing.
    #[error("the bundle has no session")]
    NoSession,
}

impl Bundle {
    /// Reads and checks a bundle.
    pub fn read(mut input: impl Read) -> Result<Self, BundleError> {
        let mut head = [0; 5];
        input.read_exact(&mut head).map_err(|_| BundleError::NotABundle)?;
        let [magic @ .., descriptor] = head;
        if magic != [0x28, 0xb5, 0x2f, 0xfd] {
            return Err(BundleError::NotABundle);
        }
        if descriptor & CHECKSUM_FLAG == 0 {
            return Err(BundleError::NoChecksum);
        }
        let mut unpacked = zstd::stream::read::Decoder::new(head.chain(input)).map_err(TarError::Read)?;
        unpacked.window_log_max(MAX_WINDOW_LOG).map_err(TarError::Read)?;
        Self::read_archive(unpacked)
    }

    fn read_archive(input: impl Read) -> Result<Self, BundleError> {
        let mut archive = TarReader::new(input);
        let first =
            archive.next_file()?.filter(|entry| entry.path == MANIFEST).ok_or(BundleError::NotABundle)?;
        if first.size > MAX_MANIFEST {
            return Err(BundleError::Manifest { what: "it is too large" });
        }
        let manifest = manifest::read(&archive.content(first.size)?)?;
        check(&manifest)?;
        let mut files = Vec::new();
        // Exactly what is announced, in its order: nothing else can be in the archive.
        for announced in manifest.files {
            let differs = || BundleError::Differs { path: announced.path.clone() };
            let entry = archive.next_file()?.ok_or_else(differs)?;
            if entry.path != announced.path || entry.size != announced.size {
                return Err(differs());
            }
            let bytes = archive.content(entry.size)?;
            if sha256(&bytes) != announced.sha256 {
                return Err(differs());
            }
            files.push(BundleFile { path: announced.path, bytes: bytes.into() });
        }
        if let Some(entry) = archive.next_file()? {
            return Err(BundleError::Differs { path: entry.path });
        }
        Ok(Self { session: SessionKey::new(manifest.session), slug: Slug::new(manifest.slug), files })
    }
}

/// Checks names and sizes before anything is unpacked.
fn check(manifest: &Manifest) -> Result<(), BundleError> {
    PlainName::new(&manifest.session, "a session id")?;
    PlainName::new(&manifest.slug, "the folder of a project")?;
    let bytes = manifest.files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
    let files = manifest.files.len();
    if bytes > MAX_TOTAL || files > MAX_FILES {
        return Err(BundleError::TooLarge { bytes, files });
    }
    let mut seen = HashSet::new();
    let mut has_session = false;
    for file in &manifest.files {
        for part in file.path.split('/') {
            PlainName::new(part, "the name of a file")?;
        }
        // Some file systems do not tell case.
        if !seen.insert(file.path.to_lowercase()) {
            return Err(BundleError::Twice { path: file.path.clone() });
        }
        let role = FileRole::of_relative(Path::new(&file.path));
        if !belongs(&role, &manifest.session, &manifest.slug) {
            return Err(BundleError::Foreign { path: file.path.clone() });
        }
        has_session |= matches!(role, FileRole::Session { .. });
    }
    if has_session { Ok(()) } else { Err(BundleError::NoSession) }
}

/// Whether a file of this role belongs to the session. Its `session-env` does not: clients run what is in there.
pub(super) fn belongs(role: &FileRole, session: &str, slug: &str) -> bool {
    let is_known = match role {
        FileRole::Session { folder, .. } => folder.is_empty(),
        FileRole::SubAgent { .. }
        | FileRole::SubAgentMeta { .. }
        | FileRole::ToolResult { .. }
        | FileRole::WorkflowJournal { .. }
        | FileRole::Workflow { .. }
        | FileRole::CustomTitleFile { .. }
        | FileRole::Todos { .. }
        | FileRole::Task { .. }
        | FileRole::FileHistory { .. }
        | FileRole::ImageCache { .. }
        | FileRole::Plan { .. }
        | FileRole::PasteCache { .. }
        | FileRole::History => true,
        _ => false,
    };
    // A sub-agent in a working tree of its own has a project of its own.
    let may_be_elsewhere = matches!(
        role,
        FileRole::SubAgent { place: AgentLocation::Under { .. }, .. }
            | FileRole::SubAgentMeta { place: AgentLocation::Under { .. }, .. }
    );
    is_known
        && role.session().is_none_or(|key| *key == *session)
        && role.slug().is_none_or(|of| *of == *slug || may_be_elsewhere)
}
