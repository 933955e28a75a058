//! Newtypes for ids, so that a session id is never used as a message id.
//!
//! An id is opaque text that borrows from the file. It is compared as written and need not be a UUID.

use std::borrow::Cow;
use std::fmt;

use annals_json::Text;

/// Whether a text is a UUID in its usual form.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name<'a>(Text<'a>);

        impl<'a> $name<'a> {
            /// Wraps the text of an id field.
            pub fn new(text: Text<'a>) -> Self {
                Self(text)
            }

            /// The id as text.
            pub fn text(self) -> Text<'a> {
                self.0
            }

            /// Decodes the id.
            pub fn decode(self) -> Cow<'a, str> {
                self.0.decode()
            }

            /// Whether it is exactly this id.
            pub fn is(self, other: &str) -> bool {
                self.0.is(other)
            }
        }

        impl fmt::Display for $name<'_> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, formatter)
            }
        }

        impl fmt::Debug for $name<'_> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}({})", stringify!($name), self.0)
            }
        }
    )*};
}

ids! {
    /// The `uuid` of a chain record.
    RecordId,
    /// The id of a session: the name of its file without extension.
    SessionId,
    /// The id of a sub-agent.
    AgentId,
    /// The id of an API response: `message.id`, shared by all its records.
    MessageId,
    /// The id of an API request.
    RequestId,
    /// The id of a tool call.
    ToolUseId,
}
