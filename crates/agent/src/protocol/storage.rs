//! Storage of sub-agents.

use annals_store::session::AgentFolder;
use annals_transcript::draft::Origin;

/// Where the sub-agents of a conversation are written.
#[derive(Clone, Debug)]
pub enum SubagentStorage {
    Files(AgentFolder),
    /// In memory, like their parent.
    Memory(Box<Origin>),
}

impl SubagentStorage {
    /// Returns the fields that all lines of the parent share.
    pub(crate) fn origin(&self) -> &Origin {
        match self {
            Self::Files(folder) => folder.origin(),
            Self::Memory(origin) => origin,
        }
    }
}
