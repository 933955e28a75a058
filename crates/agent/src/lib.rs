//! A client for sessions of Claude Code: prompts in, events out, and a session that the original client resumes.
//!
//! Commands lead in and events lead out ([`protocol`]); drawing and printing are the caller's. The crate knows the
//! store and the transcript, and neither surgery nor the index.

pub mod api;
pub mod commands;
pub mod context;
pub mod conversation;
mod definition_file;
mod front_matter;
pub mod hook_handlers;
pub mod hooks;
pub mod mcp;
pub mod one_shot;
mod platform;
pub mod plugin;
pub mod protocol;
pub mod replay;
pub mod subagent;
pub mod tools;
pub mod turn;
