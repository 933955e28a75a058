//! Why something is no message, or cannot become its records again.

use std::fmt;

use super::{Part, Role};
use annals_json::edit::EditError;

/// What is wrong with a message, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageFault {
    /// `role` is missing or none of the three words.
    Role {
        /// The beginning of what stands there, where it is a string.
        found: Option<String>,
    },
    /// A field is not what it has to be.
    Field {
        /// The key.
        field: &'static str,
        /// What it has to be.
        expected: &'static str,
    },
    /// An item of `content` is no object with a `type`.
    Block {
        /// Its place, from 0.
        at: usize,
    },
    /// A field of an item of `records` is not what it has to be.
    Record {
        /// The place of the item, from 0.
        at: usize,
        /// The key.
        field: &'static str,
        /// What it has to be.
        expected: &'static str,
    },
    /// The message did not come from records, so there are none to restore.
    NoRecords,
    /// A record speaks in another name than the message.
    OtherRole {
        /// The place of the record, from 0.
        at: usize,
        /// The role of the message.
        role: Role,
    },
    /// The content has another number of blocks than its records had.
    BlockCount {
        /// How many the records had.
        records: usize,
        /// How many the content has.
        content: usize,
    },
    /// A record left a value to the message, and the message does not have it any more.
    Missing {
        /// The place of the record, from 0.
        at: usize,
        /// The value.
        part: Part,
    },
    /// A value cannot be put back into a record.
    Edit {
        /// The place of the record, from 0.
        at: usize,
        /// Why.
        error: EditError,
    },
}

impl MessageFault {
    /// The field that is meant, as a path: `content.2`, `records.0.blocks`.
    pub fn field(&self) -> String {
        match self {
            Self::Role { .. } => "role".to_owned(),
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

impl fmt::Display for MessageFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.field())?;
        match self {
            Self::Role { found } => {
                formatter.write_str("must be \"user\", \"assistant\" or \"system\"")?;
                found.iter().try_for_each(|found| write!(formatter, ", not {found:?}"))
            }
            Self::Field { expected, .. } | Self::Record { expected, .. } => {
                write!(formatter, "must be {expected}")
            }
            Self::Block { .. } => formatter.write_str("must be an object with a type"),
            Self::NoRecords => formatter.write_str("the message did not come from records"),
            Self::OtherRole { role, .. } => {
                write!(formatter, "is no record of a message whose role is {}", role.name())
            }
            Self::BlockCount { records, content } => {
                write!(formatter, "has {content} blocks, and the records that it came from have {records}")
            }
            Self::Missing { at, .. } => {
                write!(formatter, "is gone, and record {at} leaves it to the message")
            }
            Self::Edit { error, .. } => error.fmt(formatter),
        }
    }
}

impl std::error::Error for MessageFault {}
