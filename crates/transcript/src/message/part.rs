//! The parts of a record that a message says in its stead, and where they stand in each kind of record.

use crate::record::RecordKind;
use annals_json::edit::Step;
use annals_json::{Fields, Text, Value};

/// A value that a record can leave to its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The string or the blocks.
    Content,
    /// The model.
    Model,
    /// What was used.
    Usage,
    /// Why the model stopped.
    StopReason,
    /// When.
    Timestamp,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Content, Self::Model, Self::Usage, Self::StopReason, Self::Timestamp];

    /// Its name, which is its key in the JSON form of a message.
    pub fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Model => "model",
            Self::Usage => "usage",
            Self::StopReason => "stop_reason",
            Self::Timestamp => "timestamp",
        }
    }

    /// The part that a word names.
    pub fn named(word: Text<'_>) -> Option<Self> {
        Self::ALL.into_iter().find(|part| word.is(part.name()))
    }

    /// The keys that lead to it in records of a kind; none where such records do not have it.
    fn keys(self, kind: RecordKind) -> Option<&'static [&'static str]> {
        use RecordKind::{Assistant, Attachment, System, User};
        match (self, kind) {
            (Self::Timestamp, _) => Some(&["timestamp"]),
            (Self::Content, User | Assistant) => Some(&["message", "content"]),
            (Self::Content, System) => Some(&["content"]),
            // What the model was shown, word for word.
            (Self::Content, Attachment) => Some(&["rendered"]),
            (Self::Model, User | Assistant) => Some(&["message", "model"]),
            (Self::Usage, User | Assistant) => Some(&["message", "usage"]),
            (Self::StopReason, User | Assistant) => Some(&["message", "stop_reason"]),
            _ => None,
        }
    }

    /// The way to it, for an editor.
    pub(super) fn path(self, kind: RecordKind) -> Option<Vec<Step<'static>>> {
        Some(self.keys(kind)?.iter().map(|key| Step::Key(key)).collect())
    }

    /// Its value in a record.
    pub(super) fn find<'a>(self, kind: RecordKind, record: &Fields<'a>) -> Option<Value<'a>> {
        match self.keys(kind)? {
            [key] => record.get(key),
            [outer, key] => record.object(outer)?.get(key),
            _ => None,
        }
    }
}
