//! Hooks: handlers that are told of an event and may answer. They can stop a call, change its input or its result, and tell
//! the model more.
//!
//! | module | owns |
//! |---|---|
//! | `event` | the events, and what each tells its handlers |
//! | `matcher` | which values of an event a handler wants |
//! | `answer`, `reply`, `outcome` | what a handler answers, what it did, and the answers of all handlers together |
//! | `late` | what handlers say that run in the background |
//! | `settings` | the handlers that settings name |
//! | `run` | the handlers of a conversation, and how they are run |
//!
//! How a handler is reached is its own affair ([`HookHandler`]): a program that drives this one, a command, an address. A
//! handler that cannot be reached is never taken for one that agrees.

mod answer;
mod event;
mod late;
mod matcher;
mod outcome;
mod reply;
mod run;
mod settings;

pub use answer::{HookAnswer, HookDecision, PermissionAnswer};
pub use event::{HookEvent, HookScope};
pub use late::{LateReplies, LateReply};
pub use matcher::HookMatcher;
pub use outcome::HookOutcome;
pub use reply::{HandlerReport, HookFault, HookOutput, HookReply, OutputKind};
pub use run::{
    FailurePolicy, HookCall, HookFailure, HookFuture, HookHandler, HookOrigin, HookOwner, Hooks,
    RegisteredHook,
};
pub(crate) use run::{hook_name, run};
pub use settings::{CommandMode, HandlerConfig, HookDefinition, HookDefinitions};
