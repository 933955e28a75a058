//! A client: prompts in, events out, and a session in the store that the original resumes.
//!
//! One enum of events leads out of it and one of commands into it; whoever draws or prints stands outside. It knows the
//! store and the transcript, and neither surgery nor the index.

pub mod api;
pub mod command;
pub mod commands;
mod compact;
pub mod context;
pub mod conversation;
pub mod event;
mod head;
pub mod nested;
pub mod relay;
pub mod replay;
pub mod subagent;
pub mod tools;
pub mod turn;
