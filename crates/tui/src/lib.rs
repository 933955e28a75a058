//! The full-screen terminal viewer: an [`App`] holds everything that is shown, [`App::update`] turns an event into changes and
//! [`Effect`]s, and [`draw`] puts the app into a buffer of cells. All three are free of files, clocks and terminals.
//!
//! Effects are carried out by a [`Host`], which the command line implements, on threads of the runner; their [`Answer`]s come
//! back as events. Keys are data: a [`Keymap`] says what a key means where.
#![cfg_attr(
    not(unix),
    allow(
        dead_code,
        unused_imports,
        reason = "the terminal and the runner, which use them, are only for Unix"
    )
)]

mod app;
mod cells;
pub mod chat;
mod clipboard;
mod draw;
pub mod editor;
mod event;
mod geometry;
mod host;
mod input;
mod key;
mod keymap;
mod list;
mod named_commands;
mod paged;
pub mod picture;
mod reader;
mod refresh;
#[cfg(unix)]
mod runner;
#[cfg(unix)]
mod terminal;
mod update;
mod usage;

pub use app::{App, AppOptions};
pub use draw::draw;
pub use event::{Answer, Effect, Event};
pub use host::{
    Change, Client, Host, OpenSession, SearchHit, SessionNumbers, SessionRow, UsageLine, UsageReport,
};
pub use key::{Key, Mouse};
pub use keymap::{Binding, Command, Keymap, KeymapError, Scope};
pub use paged::{NestedConversation, PageSource, PagedConversation, branch_name};
pub use reader::Document;
#[cfg(unix)]
pub use runner::{ExitReason, run};
