//! `file-history/<session>/<hash>@v<N>`: copies of files from before they were edited, and the records that name them.

mod write;

use std::path::{Path, PathBuf};

use annals_json::{Fields, Text, Value};
use annals_transcript::record::{FileBackup, FileHistoryDelta, FileHistorySnapshot};

use crate::digest::short;
use crate::key::SessionKey;
use crate::layout::{ConfigDir, FileRole};
use crate::scan::Discovery;

pub use write::{BackupError, BackupVersion, Backups};

/// A copy on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backup {
    /// The start of the sha256 of the file's path.
    pub hash: String,
    /// Which copy.
    pub version: u32,
    /// The copy.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was made, in milliseconds since 1970.
    pub modified: Option<i64>,
}

/// The copies of a session, by file and version.
pub fn backups(discovery: &Discovery, session: &SessionKey) -> Vec<Backup> {
    let mut found = Vec::new();
    for file in discovery.file_history() {
        if let FileRole::FileHistory { session: owner, hash, version } = &file.role
            && owner == session
        {
            found.push(Backup {
                hash: hash.clone(),
                version: *version,
                path: file.path.clone(),
                bytes: file.bytes,
                modified: file.modified,
            });
        }
    }
    found.sort_by(|left, right| (&left.hash, left.version).cmp(&(&right.hash, right.version)));
    found
}

/// The hash that names the copies of a file: of its absolute path.
pub fn path_hash(absolute_path: &str) -> String {
    short(absolute_path.as_bytes())
}

/// The backup of one file that a record names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrackedFile<'a> {
    /// The file: relative to the working directory under it, absolute elsewhere.
    pub path: Text<'a>,
    /// The stored copy, if any.
    pub kept: BackupState<'a>,
    /// When it was made, as written.
    pub time: Option<Text<'a>>,
}

/// The state of a file that a record keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackupState<'a> {
    /// A copy under `file-history/`.
    Copy {
        /// The copy's name.
        name: Text<'a>,
        /// Which copy.
        version: Option<u64>,
    },
    /// Nothing: the file did not exist.
    DidNotExist {
        /// Which state of it this is.
        version: Option<u64>,
    },
    /// The content itself, in a form that is old or mistaken.
    Content(Text<'a>),
    /// Something that no known version writes.
    Unknown(Value<'a>),
}

/// The files of a snapshot.
pub fn tracked_by_snapshot<'a>(record: &FileHistorySnapshot<'a>) -> Vec<TrackedFile<'a>> {
    record
        .snapshot()
        .and_then(|snapshot| snapshot.tracked_file_backups())
        .map(|fields| tracked(&fields))
        .unwrap_or_default()
}

/// The files of a difference between snapshots.
pub fn tracked_by_delta<'a>(record: &FileHistoryDelta<'a>) -> Vec<TrackedFile<'a>> {
    let mut files = record.tracked_file_backups().map(|fields| tracked(&fields)).unwrap_or_default();
    if let (Some(path), Some(backup)) = (record.tracking_path(), record.backup()) {
        files.push(TrackedFile { path, kept: kept(backup), time: time(backup) });
    }
    files
}

fn kept(value: Value<'_>) -> BackupState<'_> {
    if let Some(content) = value.text() {
        return BackupState::Content(content);
    }
    let Some(fields) = value.fields() else { return BackupState::Unknown(value) };
    let backup = FileBackup::new(fields);
    match (backup.backup_file_name(), backup.fields().get("backupFileName")) {
        (Some(name), _) => BackupState::Copy { name, version: backup.version() },
        (None, Some(name)) if name.is_null() => BackupState::DidNotExist { version: backup.version() },
        _ => BackupState::Unknown(value),
    }
}

fn time(value: Value<'_>) -> Option<Text<'_>> {
    FileBackup::new(value.fields()?).backup_time().map(|time| time.text())
}

fn tracked<'a>(fields: &Fields<'a>) -> Vec<TrackedFile<'a>> {
    let of_field = |field: annals_json::Field<'a>| TrackedFile {
        path: field.key,
        kept: kept(field.value),
        time: time(field.value),
    };
    fields.iter().map(of_field).collect()
}

impl BackupState<'_> {
    /// Returns the copy's path in the store; `None` if there is no copy or its name leads outside the folder.
    pub fn path(&self, config: &ConfigDir, session: &SessionKey) -> Option<PathBuf> {
        let Self::Copy { name, .. } = self else { return None };
        let name = name.decode();
        let is_plain = Path::new(&*name).file_name().is_some_and(|last| last == &*name);
        is_plain.then(|| config.file_history_of(session).join(&*name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_names_copies_absences_and_contents() {
        let line = br#"{"type":"file-history-snapshot","snapshot":{"trackedFileBackups":{
            "src/a.rs":{"backupFileName":"00ff@v2","version":2},"new.rs":{"backupFileName":null,"version":1},
            "old.rs":"fn main() {}","odd.rs":7,"up.rs":{"backupFileName":"../../x"}}}}"#;
        let (fields, _) = Fields::scan(line).unwrap();
        let files = tracked_by_snapshot(&FileHistorySnapshot::new(fields));
        let (config, session) = (ConfigDir::new("/c"), SessionKey::from("s"));
        let paths: Vec<_> = files.iter().map(|file| file.kept.path(&config, &session)).collect();
        assert_eq!(paths, [Some("/c/file-history/s/00ff@v2".into()), None, None, None, None]);
        assert_eq!(files[1].kept, BackupState::DidNotExist { version: Some(1) });
        assert!(matches!(files[2].kept, BackupState::Content(text) if text.is("fn main() {}")));
        assert!(matches!(files[3].kept, BackupState::Unknown(_)));
    }

    #[test]
    fn a_delta_names_one_file_or_several() {
        let line =
            br#"{"type":"file-history-delta","messageId":"m","snapshotMessageId":"s","trackingPath":"a.rs",
            "backup":{"backupFileName":"00ff@v1","version":1}}"#;
        let (fields, _) = Fields::scan(line).unwrap();
        let files = tracked_by_delta(&FileHistoryDelta::new(fields));
        assert!(
            matches!(files[..], [TrackedFile { path, kept: BackupState::Copy { name, version: Some(1) }, .. }]
            if path.is("a.rs") && name.is("00ff@v1"))
        );
        let line = br#"{"trackedFileBackups":{"b.rs":{"backupFileName":null}},"trackingPath":"c.rs"}"#;
        let (fields, _) = Fields::scan(line).unwrap();
        let files = tracked_by_delta(&FileHistoryDelta::new(fields));
        assert!(matches!(files[..], [TrackedFile { kept: BackupState::DidNotExist { version: None }, .. }]));
    }

    #[test]
    fn copies_are_named_after_the_path() {
        assert_eq!(path_hash(""), "e3b0c44298fc1c14");
        assert_eq!(path_hash("abc"), "ba7816bf8f01cfea");
    }
}
