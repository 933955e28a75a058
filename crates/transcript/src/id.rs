//! Newtypes for the ids that tie records together, so that a session's id is never taken for a message's.
//!
//! An id is opaque text. It borrows from the file, is compared as it is written, and need not look like a UUID.

use std::borrow::Cow;
use std::fmt;

use annals_json::Text;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name<'a>(Text<'a>);

        impl<'a> $name<'a> {
            /// Takes the text of an id field.
            pub fn new(text: Text<'a>) -> Self {
                Self(text)
            }

            /// The id as text.
            pub fn text(self) -> Text<'a> {
                self.0
            }

            /// The id as a person reads it.
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
    /// The `uuid` of a line of the chain.
    RecordId,
    /// A session: the stem of its file's name.
    SessionId,
    /// A sub-agent.
    AgentId,
    /// One API response: `message.id`, shared by all its lines.
    MessageId,
    /// One API request.
    RequestId,
    /// A tool call.
    ToolUseId,
}
