//! Turns: a prompt, then responses and tool calls until the model is done or something else ends it.
//!
//! | module | owns |
//! |---|---|
//! | `agent` | the agent: a conversation with its tools, its policy and the API |
//! | `run` | the loop of a turn |
//! | `state` | a turn in progress |
//! | `prompt_start` | turns that a prompt opens: what it mentions, lines for the shell |
//! | `custom_command` | turns that a custom command opens: its text, files, rules and model |
//! | `deferred` | turns without a prompt: calls that were left for later |
//! | `respond` | one response: requested, streamed, written |
//! | `step` | what follows a response, or its failure |
//! | `calls` | the tool calls of a response: approval → attempt → result |
//! | `approve`, `attempt` | the first two of these |
//! | `planning` | plan mode in the session: its record, and the file of an approved plan |
//! | `background` | sub-agents and commands in the background: what is told of them |
//! | `hooks` | what hooks are told, and what follows from their answers |
//! | `servers` | what MCP servers offer |
//! | `memory`, `told` | memory files that apply once a file is used; what the model was told already |
//! | `skill` | skills: the list for the model, and the text of one that it uses |
//! | `queue` | what comes while a turn runs: prompts, settings |
//! | `progress` | what tools report while they run |
//! | `pull_request` | pull requests that commands open |
//! | `compact` | compaction |
//! | `wait` | waiting for several futures |
//!
//! However a turn ends, its session can be resumed: every call has its result, and an interruption is recorded.

mod agent;
mod approve;
mod attempt;
mod background;
mod calls;
mod compact;
mod custom_command;
mod deferred;
mod forked_skill;
mod hooks;
mod memory;
mod nested_skills;
mod pending;
mod planning;
mod progress;
mod prompt_start;
mod pull_request;
mod queue;
mod respond;
mod run;
mod servers;
mod skill;
mod state;
mod step;
mod told;
mod wait;

pub use agent::Agent;
pub use approve::CallDecider;
pub use hooks::{SessionExit, WaitReason};
pub use nested_skills::NestedSkills;
