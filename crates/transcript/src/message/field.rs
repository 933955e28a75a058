//! Message fields that a record can omit, and their paths in each kind of record.

use crate::record::RecordKind;
use annals_json::edit::PathStep;
use annals_json::{Fields, Text, Value};

/// A field of a message that its records can omit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MessageField {
    /// The string or the blocks.
    Content,
    /// `model`: which model answered.
    Model,
    /// `usage`: the tokens of the response.
    Usage,
    /// Why the model stopped.
    StopReason,
    /// `timestamp`: when the record was written.
    Timestamp,
}

impl MessageField {
    /// All fields.
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

    /// Returns the field with this name.
    pub fn named(word: Text<'_>) -> Option<Self> {
        Self::ALL.into_iter().find(|part| word.is(part.name()))
    }

    /// The keys that lead to it in a record of a kind; `None` if such records do not have it.
    fn keys(self, kind: RecordKind, record: &Fields<'_>) -> Option<&'static [&'static str]> {
        use RecordKind::{Assistant, Attachment, System, User};
        match (self, kind) {
            (Self::Timestamp, _) => Some(&["timestamp"]),
            (Self::Content, User | Assistant) => Some(&["message", "content"]),
            // Some programs write events as messages.
            (Self::Content, System)
                if record.get("content").is_none() && record.object("message").is_some() =>
            {
                Some(&["message", "content"])
            }
            (Self::Content, System) => Some(&["content"]),
            // The exact text that the model saw.
            (Self::Content, Attachment) => Some(&["rendered"]),
            (Self::Model, User | Assistant) => Some(&["message", "model"]),
            (Self::Usage, User | Assistant) => Some(&["message", "usage"]),
            (Self::StopReason, User | Assistant) => Some(&["message", "stop_reason"]),
            _ => None,
        }
    }

    /// The path for an editor.
    pub(super) fn path(self, kind: RecordKind, record: &Fields<'_>) -> Option<Vec<PathStep<'static>>> {
        Some(self.keys(kind, record)?.iter().map(|key| PathStep::Key(key)).collect())
    }

    /// Returns its value in a record.
    pub(super) fn find<'a>(self, kind: RecordKind, record: &Fields<'a>) -> Option<Value<'a>> {
        match self.keys(kind, record)? {
            [key] => record.get(key),
            [outer, key] => record.object(outer)?.get(key),
            _ => None,
        }
    }
}
