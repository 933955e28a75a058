//! What the records tell of files: the state of each when a prompt was sent, in the forms of all releases.
//!
//! | form | says |
//! |---|---|
//! | a snapshot | the state of every file that was changed so far, when its prompt was sent |
//! | an update of it | the same, with files that its turn is about to change for the first time |
//! | a delta (2.1.22x) | only the files that came |

use std::collections::BTreeMap;

use annals_store::file_history::{Kept, Tracked, tracked_by_delta, tracked_by_snapshot};
use annals_transcript::record::Record;
use annals_transcript::transcript::{NodeIndex, Transcript};

/// The state of a file at some moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// As in a copy of this name.
    Copy {
        /// The name.
        name: String,
        /// Whether it is the first copy of the file.
        is_first: bool,
    },
    /// It did not exist.
    Absent,
    /// This.
    Content(String),
    /// Something that no known release tells.
    Unknown,
}

/// What one record tells.
#[derive(Clone, Debug)]
struct Told {
    at: NodeIndex,
    prompt: Option<String>,
    files: BTreeMap<String, State>,
}

/// What all records tell.
#[derive(Clone, Debug)]
pub(super) struct History {
    told: Vec<Told>,
}

impl History {
    /// Reads it.
    pub(super) fn of(transcript: &Transcript<'_>) -> Self {
        let mut told = Vec::new();
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
            told.push(Told { at, prompt: prompt.map(|id| id.to_string()), files });
        }
        Self { told }
    }

    /// Every file that is told of, with its state when a prompt was sent; none where nothing is told that could have changed
    /// since.
    pub(super) fn at(&self, prompt: Option<&str>, node: NodeIndex) -> BTreeMap<&str, Option<&State>> {
        let keys = self.told.iter().flat_map(|told| told.files.keys());
        keys.map(|key| (key.as_str(), self.state_of(key, prompt, node))).collect()
    }

    fn state_of(&self, key: &str, prompt: Option<&str>, node: NodeIndex) -> Option<&State> {
        let of_prompt = |told: &&Told| prompt.is_some() && told.prompt.as_deref() == prompt;
        let own = self.told.iter().filter(of_prompt).find_map(|told| told.files.get(key));
        // A file that the turn did not know was changed later for the first time: it was then as it was before.
        own.or_else(|| self.told.iter().filter(|told| told.at > node).find_map(|told| told.files.get(key)))
    }

    /// The names of all copies of a file.
    pub(super) fn copies_of(&self, key: &str) -> impl Iterator<Item = &str> {
        self.told.iter().filter_map(move |told| match told.files.get(key) {
            Some(State::Copy { name, .. }) => Some(name.as_str()),
            _ => None,
        })
    }
}

fn state(file: &Tracked<'_>) -> State {
    match &file.kept {
        Kept::Copy { name, version } => State::Copy { name: name.to_string(), is_first: *version == Some(1) },
        Kept::DidNotExist => State::Absent,
        Kept::Content(content) => State::Content(content.to_string()),
        Kept::Unknown(_) => State::Unknown,
    }
}
