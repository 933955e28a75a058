//! The protocol of a conversation: commands in, events out, and the types that both sides share.
//!
//! | module | holds |
//! |---|---|
//! | `command` | what the caller asks for, and the queue that carries it |
//! | `event` | what a conversation reports, and what tools report while they run |
//! | `notification` | the end of a sub-agent in the background |
//! | `permission` | permission requests, their answers, denials |
//! | `grants` | rules that a person grants during a conversation |
//! | `config` | settings of a turn |
//! | `past_call` | calls of the past, as the session records them |
//! | `report` | how a turn ended |
//! | `relay` | commands forwarded to sub-agents |
//! | `storage` | where sub-agents are written |
//!
//! It imports the API's types and no other module of this crate: everything else imports it.

mod command;
mod config;
mod event;
mod grants;
mod notification;
mod past_call;
mod permission;
mod relay;
mod report;
mod storage;

pub(crate) use command::QueueChange;
pub use command::{Command, Commands, PastedImage, Prompt, SummaryDirection, SummaryRange, TypedText};
pub use config::{Approver, TurnConfig};
pub use event::{Event, Notice, PullRequest, ToolProgress, UsageStorage, WrittenLine};
pub use grants::Grants;
pub use notification::{AgentAnswer, TaskNotification};
pub use past_call::PastCall;
pub use permission::{
    AgentLabel, Denial, PermissionFuture, PermissionRequest, PermissionTool, Permit, PermitChanges,
};
pub use relay::Relay;
pub use report::{DeferredCall, TerminalReason, TurnEnd, TurnError, TurnReport, tokens};
pub use storage::SubagentStorage;

/// Receives the events of a conversation.
pub type EventSink<'r> = dyn FnMut(Event) + Send + 'r;

/// What the original writes where a person stopped a response: readers know it.
pub(crate) const INTERRUPTED: &str = "[Request interrupted by user]";
/// What the original writes where a person stopped tool calls.
pub(crate) const INTERRUPTED_CALL: &str = "[Request interrupted by user for tool use]";
