//! Edits sessions: plan, preview, apply, verify; `annals undo` reverts every edit.
//!
//! An operation reads a [`Session`] and makes a [`Plan`], which lists every edit by line and changes nothing. The plan can
//! be [previewed](preview), is [applied](apply) under the session's lock through the journal, and its result is
//! [verified](verify): if it is wrong, the change is reverted at once. This crate knows no terminal and no database.

pub mod apply;
pub mod bundle;
pub mod check;
pub mod clone;
pub mod compress;
mod discards;
pub mod edit;
pub mod file_versions;
pub mod folder_move;
pub mod fork;
pub mod gc;
mod mentions;
pub mod merge;
pub mod move_project;
pub mod plan;
pub mod preview;
mod prompts;
pub mod redact;
pub mod relink;
pub mod repair;
pub mod restore;
pub mod rewind;
pub mod session;
pub mod session_files;
pub mod strip;
pub mod trash;
pub mod verify;

pub use edit::{FileEdit, LineEdit};
pub use plan::Plan;
pub use session::Session;
