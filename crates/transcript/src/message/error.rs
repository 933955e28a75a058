//! Errors of parsing a message and of restoring its records.

use std::fmt;

use super::{MessageField, MessageRole};
use annals_json::edit::EditError;

/// Why JSON is not a message, or why the records of a message cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// `role` is missing or unknown.
    MessageRole {
        /// The start of the value, if it is a string.
        found: Option<String>,
    },
    /// A field has the wrong type.
    Field {
        /// The key.
        field: &'static str,
        /// The expected type.
        expected: &'static str,
    },
    /// An item of `content` is not an object with a `type`.
    Block {
        /// Its index.
        at: usize,
    },
    /// A field of an item of `records` has the wrong type.
    Record {
        /// The index of the item.
        at: usize,
        /// The key.
        field: &'static str,
        /// The expected type.
        expected: &'static str,
    },
    /// The message did not come from records, so there are none to restore.
    NoRecords,
    /// A record has another role than the message.
    OtherRole {
        /// The index of the record.
        at: usize,
        /// The role of the message.
        role: MessageRole,
    },
    /// The content has another number of blocks than its records had.
    BlockCount {
        /// The number of blocks of the records.
        records: usize,
        /// The number of blocks of the content.
        content: usize,
    },
    /// A record omits a value that the message no longer has.
    Missing {
        /// The index of the record.
        at: usize,
        /// The value.
        part: MessageField,
    },
    /// A value cannot be written back into a record.
    Edit {
        /// The index of the record.
        at: usize,
        /// The cause.
        error: EditError,
    },
}

impl MessageError {
    /// The path of the field: `content.2`, `records.0.blocks`.
    pub fn field(&self) -> String {
        match self {
            Self::MessageRole { .. } => "role".to_owned(),
            Self::Field { field, .. } => (*field).to_owned(),
            Self::Block { at } => format!("content.{at}"),
            Self::Record { at, field, .. } => format!("records.{at}.{field}"),
            Self::NoRecords => "records".to_owned(),
            Self::OtherRole { at, .. } | Self::Edit { at, .. } => format!("records.{at}.record"),
            Self::BlockCount { .. } => "content".to_owned(),
            Self::Missing { part, .. } => part.name().to_owned(),
        }
    }
}

impl fmt::Display for MessageError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.field())?;
        match self {
            Self::MessageRole { found } => {
                formatter.write_str("must be \"user\", \"assistant\" or \"system\"")?;
                found.iter().try_for_each(|found| write!(formatter, ", not {found:?}"))
            }
            Self::Field { expected, .. } | Self::Record { expected, .. } => {
                write!(formatter, "must be {expected}")
            }
            Self::Block { .. } => formatter.write_str("must be an object with a type"),
            Self::NoRecords => formatter.write_str("the message did not come from records"),
            Self::OtherRole { role, .. } => {
                write!(formatter, "is not a record of a message with the role {}", role.name())
            }
            Self::BlockCount { records, content } => {
                write!(formatter, "has {content} blocks, and the records that it came from have {records}")
            }
            Self::Missing { at, .. } => {
                write!(formatter, "is missing, and record {at} omits it")
            }
            Self::Edit { error, .. } => error.fmt(formatter),
        }
    }
}

impl std::error::Error for MessageError {}
