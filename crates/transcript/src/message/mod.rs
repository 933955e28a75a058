//! Plain chat messages ⇄ records: what a program wants that does not care for the format.
//!
//! Owns the message, its JSON form and the way back to the very records that it came from. It does not choose which
//! records belong to a conversation (that is [`query`](crate::query)) and makes no new records of plain messages.

mod content;
mod fault;
mod of_records;
mod parse;
mod part;
mod restore;
mod shell;
mod write;

pub use content::MessageContent;
pub use fault::MessageFault;
pub use of_records::{groups, messages};
pub use part::Part;
pub use shell::Shell;

use crate::record::RecordKind;
use annals_json::{Fields, RawJson, Text};

/// In whose name a message speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// A person, a tool, or the client in the user's name.
    User,
    /// A model.
    Assistant,
    /// The client: its notices, and what it shows the model beside the prompt.
    System,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::User, Self::Assistant, Self::System];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        }
    }

    /// The role that a word names.
    pub fn named(word: Text<'_>) -> Option<Self> {
        Self::ALL.into_iter().find(|role| word.is(role.name()))
    }

    /// The role of a kind of records; none where such records are no messages.
    pub fn of(kind: RecordKind) -> Option<Self> {
        match kind {
            RecordKind::User => Some(Self::User),
            RecordKind::Assistant => Some(Self::Assistant),
            RecordKind::System | RecordKind::Attachment => Some(Self::System),
            _ => None,
        }
    }
}

/// A plain message: one record, or all the records of one response.
///
/// Values are kept as they are written, so that nothing is lost on the way back. A message that came from records has a
/// [`Shell`] of each, and [`Message::restore`] gives those records again, byte for byte where nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// In whose name it speaks.
    pub role: Role,
    /// What it says.
    pub content: MessageContent,
    /// The model: a string.
    pub model: Option<RawJson>,
    /// What it used: an object. One for a whole response.
    pub usage: Option<RawJson>,
    /// Why the model stopped: a string.
    pub stop_reason: Option<RawJson>,
    /// When: a string. Of a response, when its first line was written.
    pub timestamp: Option<RawJson>,
    /// `message.id`, which the API gave the response: a string.
    pub id: Option<RawJson>,
    /// The request: a string.
    pub request_id: Option<RawJson>,
    /// The record, of several the last: what follows hangs from it. A string.
    pub uuid: Option<RawJson>,
    /// What the (first) record hangs from: a string, or `null` where a chain starts.
    pub parent_uuid: Option<RawJson>,
    /// Further top-level fields for the record (`isMeta`, `toolUseResult`, …): an object. A message that comes from records
    /// has none, since its shells have them all.
    pub metadata: Option<RawJson>,
    /// What each record says that the message does not; empty where the message did not come from records.
    pub records: Vec<Shell>,
    /// Keys of the JSON form that mean nothing here, with their values, in order. They are written back.
    pub other: Vec<(RawJson, RawJson)>,
}

impl Message {
    /// A message that says this and no more.
    pub fn new(role: Role, content: MessageContent) -> Self {
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

    /// What the message says for a part that records can leave to it; the content is no single value.
    fn part(&self, part: Part) -> Option<&RawJson> {
        match part {
            Part::Content => None,
            Part::Model => self.model.as_ref(),
            Part::Usage => self.usage.as_ref(),
            Part::StopReason => self.stop_reason.as_ref(),
            Part::Timestamp => self.timestamp.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests;
