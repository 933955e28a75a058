//! The state of files at each prompt according to the records, in the formats of all releases.
//!
//! | form | says |
//! |---|---|
//! | a snapshot | the state of every file that was changed so far, when its prompt was sent |
//! | an update of it | the same, with files that its turn is about to change for the first time |
//! | a delta (2.1.22x) | only the files that came |

use std::collections::BTreeMap;

use annals_store::command_changes::FileVersion;
use annals_store::file_history::{BackupState, TrackedFile, tracked_by_delta, tracked_by_snapshot};
use annals_transcript::record::Record;
use annals_transcript::transcript::{NodeIndex, Transcript};

/// The state of a file at a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileState {
    /// In a file copy.
    Copy {
        name: String,
        is_first: bool,
    },
    Absent,
    /// The content itself.
    Content(String),
    /// As it was before a command of annals changed it, and its permission bits.
    Recorded(FileVersion, Option<u32>),
    /// In a format that no known release writes.
    Unknown,
}

/// A snapshot or delta record.
#[derive(Clone, Debug)]
struct FileRecord {
    at: NodeIndex,
    prompt: Option<String>,
    files: BTreeMap<String, FileState>,
}

/// The snapshots and deltas of a session.
#[derive(Clone, Debug)]
pub(super) struct SnapshotHistory {
    records: Vec<FileRecord>,
}

impl SnapshotHistory {
    pub(super) fn of(transcript: &Transcript<'_>) -> Self {
        let mut records = Vec::new();
        for (at, record) in transcript.records() {
            let (prompt, files) = match &record {
                Record::FileHistorySnapshot(snapshot) => {
                    let inside = snapshot.snapshot().and_then(|inside| inside.message());
                    (inside.or_else(|| snapshot.message()), tracked_by_snapshot(snapshot))
                }
                Record::FileHistoryDelta(delta) => {
                    (delta.snapshot_message().or_else(|| delta.message()), tracked_by_delta(delta))
                }
                _ => continue,
            };
            let files = files.iter().map(|file| (file.path.to_string(), state(file))).collect();
            records.push(FileRecord { at, prompt: prompt.map(|id| id.to_string()), files });
        }
        Self { records }
    }

    /// Every known file with its state at a prompt; `None` if no later record mentions it.
    pub(super) fn at(&self, prompt: Option<&str>, node: NodeIndex) -> BTreeMap<&str, Option<&FileState>> {
        let keys = self.records.iter().flat_map(|records| records.files.keys());
        keys.map(|key| (key.as_str(), self.state_of(key, prompt, node))).collect()
    }

    fn state_of(&self, key: &str, prompt: Option<&str>, node: NodeIndex) -> Option<&FileState> {
        let of_prompt = |records: &&FileRecord| prompt.is_some() && records.prompt.as_deref() == prompt;
        let own = self.records.iter().filter(of_prompt).find_map(|records| records.files.get(key));
        // A file that the turn did not know was first changed later, so its first known state is the one it had.
        own.or_else(|| {
            self.records.iter().filter(|records| records.at > node).find_map(|records| records.files.get(key))
        })
    }

    /// Whether a file was copied when a prompt was sent, before its turn changed anything.
    pub(super) fn is_in_snapshot(&self, key: &str, prompt: Option<&str>) -> bool {
        let first = self
            .records
            .iter()
            .find(|records| records.prompt.is_some() && records.prompt.as_deref() == prompt);
        first.is_some_and(|records| records.files.contains_key(key))
    }

    /// The names of all copies of a file.
    pub(super) fn copies_of(&self, key: &str) -> impl Iterator<Item = &str> {
        self.records.iter().filter_map(move |records| match records.files.get(key) {
            Some(FileState::Copy { name, .. }) => Some(name.as_str()),
            _ => None,
        })
    }
}

fn state(file: &TrackedFile<'_>) -> FileState {
    match &file.kept {
        BackupState::Copy { name, version } => {
            FileState::Copy { name: name.to_string(), is_first: *version == Some(1) }
        }
        BackupState::DidNotExist { .. } => FileState::Absent,
        BackupState::Content(content) => FileState::Content(content.to_string()),
        _ => FileState::Unknown,
    }
}
