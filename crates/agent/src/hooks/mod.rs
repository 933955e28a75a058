//! Hooks: handlers that are told of an event and may answer. They can stop a call, change its input or its result, and tell
//! the model more.
//!
//! | module | owns |
//! |---|---|
//! | `event` | the events, and what each tells its handlers |
//! | `matcher` | which values of an event a handler wants |
//! | `answer` | what a handler answers, and the answers of all handlers together |
//! | `run` | the handlers of a conversation, and how they are run |
//!
//! How a handler is reached is its own affair ([`HookHandler`]): a program that drives this one, a command, an address. A
//! handler that cannot be reached is never taken for one that agrees: for a tool call it means no.

mod answer;
mod event;
mod matcher;
mod run;

pub use answer::{HookAnswer, HookDecision, HookOutcome, PermissionAnswer};
pub use event::{HookEvent, HookScope};
pub use matcher::HookMatcher;
pub(crate) use run::hook_name;
pub use run::{FailurePolicy, HookCall, HookFailure, HookFuture, HookHandler, Hooks, RegisteredHook};
