//! `commands/<session>` in our own folder: which files of a workspace commands changed, and copies of their contents, so that
//! a rewind can revert it. The session's file has nothing of it.
//!
//! A copy is a file named after the sha256 of its content. It is not synced, so a loss of power may tear it; a copy that does
//! not have its digest counts as missing.

mod copies;
mod log;

use std::fs;
use std::path::{Path, PathBuf};

pub use copies::CopyFolder;
pub use log::{ChangeOrigin, CommandChange, FileVersion, HistoryGap, NoCopyReason};

use crate::data_dir::DataDir;
use crate::digest::sha256;
use crate::files::{AppendFile, NameError, PlainName, WriteError};
use crate::key::SessionKey;
use crate::read::{ReadError, read_below, read_file_if_there};
use crate::scan::modified_millis;

/// A larger file is not copied.
pub const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// The most that the copies of a session take together.
pub const MAX_COPIED_BYTES: u64 = 64 * 1024 * 1024;
/// A longer log gets no more lines.
pub const MAX_LOG_BYTES: u64 = 16 * 1024 * 1024;
/// How long a session's copies are kept after its last command, in milliseconds.
const MAX_AGE: i64 = 30 * 24 * 60 * 60 * 1000;

/// What commands of a session changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandChanges {
    folder: PathBuf,
}

/// The changes that were recorded, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandHistory {
    /// What each command created, changed or removed.
    pub changes: Vec<CommandChange>,
    /// What was not recorded.
    pub gaps: Vec<HistoryGap>,
    /// How many lines cannot be read.
    pub damaged: usize,
    store: CommandChanges,
}

impl CommandHistory {
    /// Returns the content of a copy; `None` if it was removed for lack of room, or is damaged.
    pub fn copy(&self, digest: &str) -> Option<Vec<u8>> {
        self.store.copy(digest)
    }
}

impl CommandChanges {
    /// The changes of a session; there need not be any.
    pub fn of_session(data: &DataDir, session: &SessionKey) -> Result<Self, NameError> {
        let name = PlainName::new(session.as_str(), "a session id")?;
        Ok(Self { folder: data.commands().join(name.as_str()) })
    }

    /// Returns the folder of the log and of the copies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of the copies.
    pub fn copies(&self) -> Result<CopyFolder, WriteError> {
        CopyFolder::open(&self.folder.join("copies"))
    }

    /// Appends lines to the log. It is synced when this returns.
    pub fn append(&self, lines: &[Vec<u8>]) -> Result<(), WriteError> {
        let path = self.log();
        let mut file = if path.exists() { AppendFile::existing(&path) } else { AppendFile::create(&path)? };
        for line in lines {
            file.append(line)?;
        }
        file.sync()
    }

    /// Whether the log gets no more lines.
    pub fn is_full(&self) -> bool {
        fs::metadata(self.log()).is_ok_and(|metadata| metadata.len() > MAX_LOG_BYTES)
    }

    /// Reads the log; `None` if no command changed anything.
    pub fn read(&self) -> Result<Option<CommandHistory>, ReadError> {
        let Some(bytes) = read_file_if_there(&self.log())? else { return Ok(None) };
        let mut history =
            CommandHistory { changes: Vec::new(), gaps: Vec::new(), damaged: 0, store: self.clone() };
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match log::parse(line) {
                Some(log::LogLine::Change(change)) => history.changes.push(change),
                Some(log::LogLine::Gap(gap)) => history.gaps.push(gap),
                None => history.damaged += 1,
            }
        }
        history.changes.sort_by_key(|change| change.time);
        Ok(Some(history))
    }

    fn copy(&self, digest: &str) -> Option<Vec<u8>> {
        let folder = self.folder.join("copies");
        let bytes = copies::is_digest(digest).then(|| read_below(&folder, &folder.join(digest)).ok())??;
        (sha256(&bytes) == digest).then_some(bytes)
    }

    fn log(&self) -> PathBuf {
        self.folder.join("changes.jsonl")
    }
}

/// Removes what sessions left whose last command is a month old.
pub fn remove_old(data: &DataDir, now: i64) {
    for entry in fs::read_dir(data.commands()).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && is_old(&entry.path(), now) {
            // Copies of our own; what cannot be removed is tried again the next time.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_old(folder: &Path, now: i64) -> bool {
    let time = |path: &Path| fs::metadata(path).ok().as_ref().and_then(modified_millis);
    let newest = [folder.join("changes.jsonl"), folder.join("copies"), folder.to_path_buf()];
    newest.iter().filter_map(|path| time(path)).max().is_some_and(|time| now.saturating_sub(time) > MAX_AGE)
}

#[cfg(test)]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    fn changes(temp: &TempDir) -> CommandChanges {
        CommandChanges::of_session(&DataDir::new(temp.path()), &SessionKey::new("s")).unwrap()
    }

    #[test]
    fn what_is_recorded_is_read_and_damage_is_counted() {
        let temp = TempDir::new("commands");
        let changes = changes(&temp);
        assert_eq!(changes.read().unwrap(), None);
        let change = CommandChange {
            folder: "/w".into(),
            path: "a \"b\".txt".to_owned(),
            time: 7,
            call: "toolu_1".to_owned(),
            origin: ChangeOrigin::Background,
            before: FileVersion::Absent,
            mode: None,
            after: FileVersion::NotCopied(NoCopyReason::TooLarge),
        };
        let early = CommandChange {
            time: 3,
            origin: ChangeOrigin::Command,
            before: FileVersion::Copy(sha256(b"x")),
            mode: Some(0o755),
            ..change.clone()
        };
        let gap = HistoryGap { time: 5, why: "there are too many files".to_owned() };
        changes.append(&[change.line(), b"{}".to_vec(), gap.line()]).unwrap();
        changes.append(&[early.line()]).unwrap();
        let history = changes.read().unwrap().unwrap();
        assert_eq!(history.changes, [early, change]);
        assert_eq!((history.gaps, history.damaged), (vec![gap], 1));
    }

    #[test]
    fn a_copy_has_its_content_or_is_missing() {
        let temp = TempDir::new("commands");
        let changes = changes(&temp);
        let digest = match changes.copies().unwrap().put(b"one").unwrap() {
            FileVersion::Copy(digest) => digest,
            other => panic!("{other:?}"),
        };
        assert_eq!(changes.copy(&digest).as_deref(), Some(&b"one"[..]));
        assert_eq!(changes.copy("../changes.jsonl"), None);
        temp.write(format!("commands/s/copies/{digest}"), "tor");
        assert_eq!(changes.copy(&digest), None);
    }

    #[test]
    fn only_old_copies_are_removed() {
        let temp = TempDir::new("commands");
        changes(&temp).copies().unwrap().put(b"one").unwrap();
        let (data, folder) = (DataDir::new(temp.path()), temp.path().join("commands/s"));
        let made = modified_millis(&fs::metadata(&folder).unwrap()).unwrap();
        remove_old(&data, made + MAX_AGE / 2);
        assert!(folder.exists());
        remove_old(&data, made + MAX_AGE + 60_000);
        assert!(!folder.exists());
    }
}
