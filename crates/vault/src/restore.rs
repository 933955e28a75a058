//! Restores a version to its place in the store, through the journal, so that `annals undo` reverts it.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::changes::{self, Change, ChangesError};
use annals_store::journal::JournalEntry;
use annals_store::read::open_file;
use annals_store::session::{InUse, lock_exclusive};
use annals_store::source::Source;
use sha2::{Digest, Sha256};

use crate::error::VaultError;
use crate::id::ContentId;
use crate::reader::VaultReader;
use crate::unpack::Durability;
use crate::vault::Vault;
use crate::version::{FileCopy, FileKind, Version};

/// What to do if other files are in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnConflict {
    /// Fail and change nothing.
    Refuse,
    /// Move them to the trash.
    Replace,
}

/// What a restore did.
#[derive(Debug)]
pub struct RestoreReport {
    /// The journal entry; `None` if everything was there already.
    pub entry: Option<JournalEntry>,
    /// The files that were restored.
    pub files: Vec<PathBuf>,
    /// How many files were there already, byte for byte.
    pub same: usize,
}

/// Why nothing was restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// Files in the store differ from the version.
    #[error("{} differ{} from what would be restored", listed(paths), if paths.len() == 1 { "s" } else { "" })]
    Differ { paths: Vec<PathBuf> },
    /// Another process is using the session.
    #[error(transparent)]
    InUse(#[from] InUse),
    /// Reading from the vault failed.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// Writing to the store failed.
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

/// What the store has at the path of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    Missing,
    Same,
    Different,
}

/// A version to restore, and where to.
#[derive(Debug)]
pub struct RestoreRequest<'r> {
    /// The vault to read from.
    pub vault: &'r Vault,
    pub version: &'r Version,
    /// The config dir to restore into.
    pub root: &'r Path,
    /// What to do if other files are in the way.
    pub on_conflict: OnConflict,
}

impl RestoreRequest<'_> {
    /// Restores bytes, modes and times. Everything is read and verified before the first file is put in place. `watch` is
    /// called before each step of the change and may stop it, as a crash would.
    pub fn run(
        &self,
        reader: &mut VaultReader<'_>,
        source: &dyn Source,
        watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<RestoreReport, RestoreError> {
        let mut found = Vec::new();
        for copy in &self.version.files {
            let path = copy.path_in(self.root)?;
            found.push((copy, state_of(copy, &path), path));
        }
        let others: Vec<PathBuf> = found
            .iter()
            .filter(|(_, found, _)| *found == FileState::Different)
            .map(|(.., path)| path.clone())
            .collect();
        if self.on_conflict == OnConflict::Refuse && !others.is_empty() {
            return Err(RestoreError::Differ { paths: others });
        }
        let same = found.iter().filter(|(_, found, _)| *found == FileState::Same).count();
        let data = self.vault.data();
        let _lock = match others.iter().find(|path| **path == self.root.join(&self.version.file)) {
            Some(path) => Some(lock_exclusive(path, data, source)?),
            None => None,
        };
        let dir = self.vault.unpack_dir(source)?;
        let mut changes: Vec<Change> =
            others.iter().map(|path| Change::Discard { path: path.clone() }).collect();
        for folder in &self.version.folders {
            let path = folder.path_in(self.root)?;
            // A folder that is there is not ours to change.
            if !path.exists() && is_needed(&path, &found) {
                changes.push(Change::Folder { path, mode: Some(folder.mode) });
            }
        }
        let mut files = Vec::new();
        for (copy, _, path) in found.iter().filter(|(_, found, _)| *found != FileState::Same) {
            if copy.kind == FileKind::Folder {
                changes.push(Change::Folder { path: path.clone(), mode: Some(copy.mode) });
                continue;
            }
            let ready = copy.path_in(dir.path())?;
            reader.write(copy, &ready, Durability::Synced)?;
            changes.push(Change::Place { from: ready, path: path.clone() });
            files.push(path.clone());
        }
        if changes.is_empty() {
            return Ok(RestoreReport { entry: None, files, same });
        }
        changes.push(Change::RefreshIndex { session: self.root.join(&self.version.file) });
        let what = format!("restore of {} from the vault", self.version.session);
        let entry = changes::apply(&changes, &what, self.root, data, source, watch)?;
        Ok(RestoreReport { entry: Some(entry), files, same })
    }
}

impl Vault {
    /// Runs `work` with a reader. Reading takes no lock, so another process may merge packs meanwhile: if a pack is gone,
    /// the indexes are read again and `work` runs once more.
    pub fn with_reader<T>(
        &self,
        mut work: impl FnMut(&mut VaultReader<'_>) -> Result<T, RestoreError>,
    ) -> Result<T, RestoreError> {
        let mut once = || {
            let chunk_index = self.chunk_index(&self.catalogue()?)?;
            work(&mut VaultReader::new(self, &chunk_index))
        };
        match once() {
            Err(RestoreError::Vault(VaultError::PackMissing { .. } | VaultError::LostChunk { .. })) => once(),
            done => done,
        }
    }
}

/// Whether a folder holds something that is restored.
fn is_needed(folder: &Path, found: &[(&FileCopy, FileState, PathBuf)]) -> bool {
    found.iter().any(|(_, state, path)| *state != FileState::Same && path.starts_with(folder))
}

fn state_of(copy: &FileCopy, path: &Path) -> FileState {
    let Ok(metadata) = std::fs::metadata(path) else {
        // A dangling link is in the way, too.
        return if path.is_symlink() { FileState::Different } else { FileState::Missing };
    };
    let is_same = match copy.kind {
        FileKind::Folder => metadata.is_dir(),
        FileKind::File { content, bytes } => {
            metadata.is_file() && metadata.len() == bytes && digest(path).is_ok_and(|found| found == content)
        }
    };
    if is_same { FileState::Same } else { FileState::Different }
}

fn digest(path: &Path) -> std::io::Result<ContentId> {
    let mut file = open_file(path)?;
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
