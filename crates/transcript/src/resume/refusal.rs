//! Why a client refuses a whole file.

use std::fmt;

/// Why a client does not resume a file at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// The file has no message.
    NoMessages,
    /// All lines belong to sub-agents.
    OnlySidechains,
    /// No record has a timestamp.
    NoTimestamp,
    /// The last record of the conversation has no timestamp.
    LeafWithoutTimestamp,
    /// The last record of the conversation belongs to a sub-agent.
    LeafIsSidechain,
    /// The parents form a cycle, so that no record is the last.
    Cycle,
    /// A message on the chain has no content, or content of a kind that the client cannot read.
    UnreadableContent,
}

impl Refusal {
    /// The reason as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NoMessages => "the file has no message to resume from",
            Self::OnlySidechains => "every line belongs to a sub-agent",
            Self::NoTimestamp => "no line has a timestamp",
            Self::LeafWithoutTimestamp => "the last line has no readable timestamp",
            Self::LeafIsSidechain => "the conversation ends in a line of a sub-agent",
            Self::Cycle => "the parents of the lines form a cycle, so no line is the last",
            Self::UnreadableContent => "a message has no content, or content that this client cannot read",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.sentence())
    }
}

impl std::error::Error for Refusal {}
