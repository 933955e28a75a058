//! Plain chat messages, for programs that do not care about the record format.
//!
//! Holds the message, its JSON form, and the conversion back to the records that it came from. Which records belong to a
//! conversation is decided in [`query`](crate::query); new records of plain messages are made in [`draft`](crate::draft).

mod content;
mod error;
mod field;
mod from_records;
mod parse;
mod restore;
mod template;
mod write;

pub use content::MessageContent;
pub use error::MessageError;
pub use field::MessageField;
pub use from_records::{groups, messages};
pub use template::RecordTemplate;

use crate::record::RecordKind;
use annals_json::{Fields, RawJson, Text};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MessageRole {
    /// The user, a tool, or the client in the user's name.
    User,
    /// A model.
    Assistant,
    /// The client: its notices, and what it shows the model beside the prompt.
    System,
}

impl MessageRole {
    /// All roles.
    pub const ALL: [Self; 3] = [Self::User, Self::Assistant, Self::System];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        }
    }

    /// Returns the role with this name.
    pub fn named(word: Text<'_>) -> Option<Self> {
        Self::ALL.into_iter().find(|role| word.is(role.name()))
    }

    /// Returns the role of records of a kind; `None` if they are not messages.
    pub fn of(kind: RecordKind) -> Option<Self> {
        match kind {
            RecordKind::User => Some(Self::User),
            RecordKind::Assistant => Some(Self::Assistant),
            RecordKind::System | RecordKind::Attachment => Some(Self::System),
            _ => None,
        }
    }
}

/// A plain message: one record, or all records of one response.
///
/// Values are kept as written. A message that came from records has a [`RecordTemplate`] for each, and [`Message::restore`]
/// returns these records, byte for byte if nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: MessageRole,
    /// A text, or a list of blocks.
    pub content: MessageContent,
    /// The model: a string.
    pub model: Option<RawJson>,
    /// The usage: an object, one for a whole response.
    pub usage: Option<RawJson>,
    /// Why the model stopped: a string.
    pub stop_reason: Option<RawJson>,
    /// The timestamp: a string. For a response, that of its first record.
    pub timestamp: Option<RawJson>,
    /// `message.id` of the API response: a string.
    pub id: Option<RawJson>,
    /// The request id: a string.
    pub request_id: Option<RawJson>,
    /// The uuid of the (last) record, which is the parent of what follows: a string.
    pub uuid: Option<RawJson>,
    /// The parent of the (first) record: a string, or `null` at the start of a chain.
    pub parent_uuid: Option<RawJson>,
    /// More top-level record fields (`isMeta`, `toolUseResult`, …): an object. `None` for a message that came from records,
    /// whose templates have them all.
    pub metadata: Option<RawJson>,
    /// The rest of each record; empty if the message did not come from records.
    pub records: Vec<RecordTemplate>,
    /// Unknown keys of the JSON form with their values, in order. They are written back.
    pub other: Vec<(RawJson, RawJson)>,
}

impl Message {
    /// Makes a message with only a role and content.
    pub fn new(role: MessageRole, content: MessageContent) -> Self {
        Self {
            role,
            content,
            model: None,
            usage: None,
            stop_reason: None,
            timestamp: None,
            id: None,
            request_id: None,
            uuid: None,
            parent_uuid: None,
            metadata: None,
            records: Vec::new(),
            other: Vec::new(),
        }
    }

    /// The fields of the metadata, in order.
    pub fn metadata_fields(&self) -> Option<Fields<'_>> {
        self.metadata.as_ref()?.value().fields()
    }

    /// The value of a field that records can omit; `None` for the content, which is not a single value.
    fn part(&self, part: MessageField) -> Option<&RawJson> {
        match part {
            MessageField::Content => None,
            MessageField::Model => self.model.as_ref(),
            MessageField::Usage => self.usage.as_ref(),
            MessageField::StopReason => self.stop_reason.as_ref(),
            MessageField::Timestamp => self.timestamp.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests;
