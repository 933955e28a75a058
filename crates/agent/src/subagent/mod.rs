//! Sub-agents: a call of the tool `Agent` runs a separate conversation, with its own file, context, tools and instructions.
//! Its parent gets one text as the result.
//!
//! | module | owns |
//! |---|---|
//! | `background_turns` | the turns of one in the background, and of one that gets messages |
//! | `definition` | definitions of sub-agents, and the built-in ones |
//! | `files` | definitions in `agents/*.md` |
//! | `spawn` | runs a sub-agent, from its prompt to its answer |
//!
//! A sub-agent is an [`Agent`](crate::turn::Agent) like its parent. Its policy, mode and approver are those of its parent at
//! that moment. Its events are reported through its parent, and commands to its parent reach it through the
//! [relay](crate::protocol::Relay).

mod background_turns;
mod definition;
mod files;
mod spawn;

pub use definition::{AgentDefinition, Toolset, built_in_agents};
pub use files::{AgentFileError, read_agent_files};
pub use spawn::{SubagentConfig, SubagentSpawner};
