//! A version brought back to where it was, through the journal: `annals undo` takes it away again.

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::changes::{self, Change, ChangesError};
use annals_store::files::create_folder;
use annals_store::journal::Entry;
use annals_store::session::{InUse, lock_alone};
use annals_store::source::Source;
use sha2::{Digest, Sha256};

use crate::error::VaultError;
use crate::id::ContentId;
use crate::reader::Reader;
use crate::unpack::Care;
use crate::vault::Vault;
use crate::version::{CopyKind, FileCopy, Version};

/// What to do where other files are in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Nothing is touched.
    Refuse,
    /// They go to the trash.
    Replace,
}

/// What came back.
#[derive(Debug)]
pub struct Restored {
    /// The journal's entry; none where all of it was there.
    pub entry: Option<Entry>,
    /// The files that came back.
    pub files: Vec<PathBuf>,
    /// How many were there already, byte for byte.
    pub same: usize,
}

/// Why nothing came back.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// Other files are in the way.
    #[error("{} differ{} from what would be brought back", listed(paths), if paths.len() == 1 { "s" } else { "" })]
    Differ {
        /// The files.
        paths: Vec<PathBuf>,
    },
    /// Somebody is writing to the session.
    #[error(transparent)]
    InUse(#[from] InUse),
    /// The vault.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The disk.
    #[error(transparent)]
    Changes(#[from] ChangesError),
}

fn listed(paths: &[PathBuf]) -> String {
    match paths {
        [] => String::new(),
        [one] => one.display().to_string(),
        [first, rest @ ..] => format!("{} and {} more", first.display(), rest.len()),
    }
}

/// How a file of a version stands in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Same,
    Other,
}

/// What is needed to bring something back.
#[derive(Debug)]
pub struct Restoration<'r> {
    /// The vault.
    pub vault: &'r Vault,
    /// The version.
    pub version: &'r Version,
    /// The config dir that it comes back to.
    pub root: &'r Path,
    /// What to do where other files are in the way.
    pub existing: Existing,
}

impl Restoration<'_> {
    /// Brings the version back: bytes, modes and times. Everything is read and compared with its sha256 before the first file
    /// takes its place. `watch` is told before each step of the change, and may stop it, as a crash would.
    pub fn carry_out(
        &self,
        reader: &mut Reader<'_>,
        source: &dyn Source,
        watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Restored, RestoreError> {
        let mut found = Vec::new();
        for copy in &self.version.files {
            let path = copy.below(self.root)?;
            found.push((copy, stands(copy, &path), path));
        }
        let others: Vec<PathBuf> = found
            .iter()
            .filter(|(_, found, _)| *found == Found::Other)
            .map(|(.., path)| path.clone())
            .collect();
        if self.existing == Existing::Refuse && !others.is_empty() {
            return Err(RestoreError::Differ { paths: others });
        }
        let same = found.iter().filter(|(_, found, _)| *found == Found::Same).count();
        let data = self.vault.data();
        let _lock = match others.iter().find(|path| **path == self.root.join(&self.version.file)) {
            Some(path) => Some(lock_alone(path, data, source)?),
            None => None,
        };
        let bench = self.vault.workbench(source)?;
        let mut changes: Vec<Change> =
            others.iter().map(|path| Change::Discard { path: path.clone() }).collect();
        let mut files = Vec::new();
        for (copy, _, path) in found.iter().filter(|(_, found, _)| *found != Found::Same) {
            if copy.kind == CopyKind::Folder {
                create_folder(path).map_err(VaultError::from)?;
                continue;
            }
            let ready = copy.below(bench.path())?;
            reader.write(copy, &ready, Care::Synced)?;
            changes.push(Change::Place { from: ready, path: path.clone() });
            files.push(path.clone());
        }
        if changes.is_empty() {
            return Ok(Restored { entry: None, files, same });
        }
        let what = format!("restore of {} from the vault", self.version.session);
        let entry = changes::apply(&changes, &what, self.root, data, source, watch)?;
        Ok(Restored { entry: Some(entry), files, same })
    }
}

impl Vault {
    /// Does something with a reader. Reading takes no lock, so another process may merge packs meanwhile: where one is gone, it
    /// is all done once more, with the lists as they are then.
    pub fn reading<T>(
        &self,
        mut work: impl FnMut(&mut Reader<'_>) -> Result<T, RestoreError>,
    ) -> Result<T, RestoreError> {
        let mut once = || {
            let shelves = self.shelves(&self.catalogue()?)?;
            work(&mut Reader::new(self, &shelves))
        };
        match once() {
            Err(RestoreError::Vault(VaultError::PackGone { .. } | VaultError::LostPiece { .. })) => once(),
            done => done,
        }
    }
}

fn stands(copy: &FileCopy, path: &Path) -> Found {
    let Ok(metadata) = std::fs::metadata(path) else {
        // A link that leads nowhere is something, too.
        return if path.is_symlink() { Found::Other } else { Found::Nothing };
    };
    let is_same = match copy.kind {
        CopyKind::Folder => metadata.is_dir(),
        CopyKind::File { content, bytes } => {
            metadata.is_file() && metadata.len() == bytes && digest(path).is_ok_and(|found| found == content)
        }
    };
    if is_same { Found::Same } else { Found::Other }
}

fn digest(path: &Path) -> std::io::Result<ContentId> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            length => hasher.update(&buffer[..length]),
        }
    }
    let digest: [u8; 32] = hasher.finalize().into();
    Ok(ContentId::of_digest(&digest))
}
