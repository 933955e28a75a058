//! What coding agents ask about their own past, as tools of an MCP server.
//!
//! Results are small: each has a budget of tokens (estimated as bytes divided by four), a cursor to continue, and for every
//! passage the command that shows it. Text of transcripts is hostile input: secrets are replaced, terminal sequences removed,
//! long texts cut, and every line of it stands behind a mark, so that an old instruction is read as a quotation. Nothing is
//! printed and no environment is read; the indexes come through [`MemoryStore`].
//!
//! | module | owns |
//! |---|---|
//! | `server` | messages of MCP: what is asked, what is answered |
//! | `memory` | what all tools share: store, project, session, clock |
//! | `tools` | the tools, one module each, and how they are described |
//! | `words` | the search behind a question in plain words |
//! | `page`, `cleaner` | a result within its budget; quoted text made harmless |
//! | `brief` | recent work in a few lines, for the start of a session |

mod arguments;
mod brief;
mod cleaner;
mod error;
mod memory;
mod page;
mod server;
mod tools;
mod words;

pub use brief::brief;
pub use error::ToolError;
pub use memory::{CopyFinder, IndexQuestion, Memory, MemoryOptions, MemoryStore, SessionEdit};
pub use page::{DEFAULT_TOKENS, MAX_TOKENS, MIN_TOKENS, estimated_tokens};
pub use server::{MemoryServer, PROTOCOL_VERSIONS};
pub use tools::{ToolGroup, tool_names};
