//! Copies of the user's files, made before they are edited: by content, numbered, never overwritten.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use annals_json::Fields;
use annals_transcript::draft::FileBackupDraft;
use annals_transcript::record::FileBackup;
use annals_transcript::time::{Timestamp, format_millis};

use super::path_hash;
use crate::files::{PlainName, WriteError, create_file, set_mode};
use crate::key::SessionKey;
use crate::layout::ConfigDir;
use crate::lexical::resolve;
use crate::platform;
use crate::read::{ReadError, read_below, read_file_if_there};
use crate::scan::modified_millis;

/// One saved version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupVersion {
    /// The copy's name; `None` if the file did not exist.
    pub name: Option<String>,
    /// Which state of the file it is, from 1.
    pub version: u32,
    /// When it was kept, in milliseconds since 1970.
    pub time: i64,
}

impl BackupVersion {
    /// The entry of a snapshot record; `key` is the file's [key](Backups::key).
    pub fn in_record(&self, key: String) -> FileBackupDraft {
        let version = u64::from(self.version);
        FileBackupDraft { path: key, name: self.name.clone(), version, time: format_millis(self.time) }
    }
}

/// Why a file could not be backed up. It must then not be edited.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// The file, or its newest copy, could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The copy could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The copies of one session.
///
/// A file that did not exist has no copy, so versions are known from the copies on disk *and* from earlier backups or those
/// [remembered](Self::remember): a program that resumes a session passes in the versions in its records.
#[derive(Clone, Debug)]
pub struct Backups {
    folder: PathBuf,
    working_dir: PathBuf,
    newest: HashMap<PathBuf, BackupVersion>,
}

impl Backups {
    /// The copies of a session that works in this folder, which must be absolute.
    pub fn of_session(
        config: &ConfigDir,
        session: &SessionKey,
        working_dir: &Path,
    ) -> Result<Self, WriteError> {
        PlainName::new(session.as_str(), "a session id")?;
        let folder = config.file_history_of(session);
        Ok(Self { folder, working_dir: resolve(Path::new(""), working_dir), newest: HashMap::new() })
    }

    /// The path under which records name a file: relative under the working directory, absolute elsewhere.
    pub fn key(&self, path: &Path) -> String {
        let path = resolve(&self.working_dir, path);
        let inside =
            path.strip_prefix(&self.working_dir).ok().filter(|inside| !inside.as_os_str().is_empty());
        inside.unwrap_or(&path).to_string_lossy().into_owned()
    }

    /// Adds a version named by a record; the highest version counts.
    pub fn remember(&mut self, path: &Path, kept: BackupVersion) {
        let path = resolve(&self.working_dir, path);
        let is_newer = self.newest.get(&path).is_none_or(|known| kept.version >= known.version);
        if is_newer {
            self.newest.insert(path, kept);
        }
    }

    /// The same for every file of a record's `trackedFileBackups`; what has no version is passed over.
    pub fn remember_all(&mut self, tracked: &Fields<'_>) {
        for field in tracked.iter() {
            if let Some(backup) = field.value.fields().map(FileBackup::new) {
                self.remember_backup(Path::new(&*field.key.decode()), &backup);
            }
        }
    }

    /// The same for one file and its `backup`.
    pub fn remember_backup(&mut self, path: &Path, backup: &FileBackup<'_>) {
        let version = backup.version().and_then(|version| u32::try_from(version).ok());
        let Some(version) = version else { return };
        let name = backup.backup_file_name().map(|name| name.to_string());
        let time = backup.backup_time().and_then(Timestamp::millis).unwrap_or(0);
        self.remember(path, BackupVersion { name, version, time });
    }

    /// Keeps a file as it is now, before it is edited. The copy is on the disk when this returns, 0600, or 0700 if
    /// the file can be run.
    ///
    /// A file that is as it was when it was last kept gets no new copy, and the answer is the one from then.
    pub fn keep(&mut self, path: &Path, now: i64) -> Result<BackupVersion, BackupError> {
        let path = resolve(&self.working_dir, path);
        let hash = path_hash(&path.to_string_lossy());
        let newest = self.newest_of(&path, &hash, now)?;
        let content = read_file_if_there(&path)?;
        if let Some(newest) = &newest
            && self.holds(newest, content.as_deref())?
        {
            self.newest.insert(path, newest.clone());
            return Ok(newest.clone());
        }
        let mut version = newest.map_or(1, |newest| newest.version.saturating_add(1));
        let mut name = None;
        let is_executable = fs::metadata(&path).is_ok_and(|metadata| platform::mode(&metadata) & 0o100 != 0);
        if let Some(bytes) = content {
            name = Some(loop {
                let name = format!("{hash}@v{version}");
                match (create_file(&self.folder.join(&name), &bytes), version.checked_add(1)) {
                    // Another program of the same session may have been quicker: its copy stays, ours is the next.
                    (Err(WriteError::Exists { .. }), Some(next)) => version = next,
                    (made, _) => break made.map(|()| name)?,
                }
            });
        }
        if let Some(name) = name.as_ref().filter(|_| is_executable) {
            set_mode(&self.folder.join(name), 0o700)?;
        }
        let kept = BackupVersion { name, version, time: now };
        self.newest.insert(path, kept.clone());
        Ok(kept)
    }

    /// The newest state that was kept: as remembered, or as the disk has it.
    fn newest_of(&self, path: &Path, hash: &str, now: i64) -> Result<Option<BackupVersion>, BackupError> {
        let known = self.newest.get(path).cloned();
        let Some(version) = self.newest_on_disk(hash)? else { return Ok(known) };
        if let Some(known) = known.filter(|known| known.version >= version) {
            return Ok(Some(known));
        }
        let name = format!("{hash}@v{version}");
        let made = fs::metadata(self.folder.join(&name)).ok().as_ref().and_then(modified_millis);
        Ok(Some(BackupVersion { name: Some(name), version, time: made.unwrap_or(now) }))
    }

    fn newest_on_disk(&self, hash: &str) -> Result<Option<u32>, ReadError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ReadError::new(&self.folder, error)),
        };
        let version = |name: &str| name.strip_prefix(hash)?.strip_prefix("@v")?.parse::<u32>().ok();
        let names = entries.flatten().map(|entry| entry.file_name());
        Ok(names.filter_map(|name| version(&name.to_string_lossy())).max())
    }

    /// Whether the backup has this content.
    fn holds(&self, kept: &BackupVersion, content: Option<&[u8]>) -> Result<bool, ReadError> {
        match (&kept.name, content) {
            (None, None) => Ok(true),
            (Some(name), Some(bytes)) => match PlainName::new(name, "the name of a copy") {
                // A copy that was removed holds nothing.
                Ok(name) => match read_below(&self.folder, &self.folder.join(name.as_str())) {
                    Err(ReadError::NotFound { .. }) => Ok(false),
                    read => Ok(read? == bytes),
                },
                Err(_) => Ok(false),
            },
            _ => Ok(false),
        }
    }
}
