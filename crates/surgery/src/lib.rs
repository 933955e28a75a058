//! Edits of sessions: plan, preview, apply, verify; and `annals undo` takes them back.
//!
//! An operation looks at a [`Session`] and makes a [`Plan`], which lists every edit by line and touches nothing. The plan can
//! be [previewed](preview), is [applied](apply) under the session's lock through the journal, and its result is
//! [verified](verify) against what was promised: if that fails, the change is taken back at once. This crate knows no terminal
//! and no database.

pub mod apply;
pub mod belongings;
pub mod clone;
pub mod compress;
mod discards;
pub mod edit;
pub mod fork;
pub mod gc;
mod mentions;
pub mod merge;
pub mod move_project;
pub mod moved;
pub mod plan;
pub mod preview;
mod prompts;
pub mod redact;
pub mod relink;
pub mod repair;
pub mod restore;
pub mod rewind;
pub mod session;
pub mod strip;
pub mod trash;
pub mod verify;

pub use edit::{FileEdit, LineFate};
pub use plan::Plan;
pub use session::Session;
