//! Finds, reads and writes the session store of Claude Code on disk; never prints, exits or reads the environment.
//!
#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! | to | see |
//! |---|---|
//! | open, append to, fork and edit sessions | [`Session`], [`session`] |
//! | find sessions and side files | [`Store`], [`Discovery`], [`find`], [`layout`] |
//! | list sessions | [`Summary`], [`FullSummary`] |
//! | count tokens and cost over a store | [`usage`] |
//! | wait for changes, and follow a file | [`watch`], [`follow`] |
//! | change files with undo | [`changes`], [`journal`], [`trash`], [`reset`] |
//! | read and write side files | [`todos`], [`plans`], [`history`], [`file_history`], [`overflow`], [`sessions_index`] |

#![warn(missing_docs)]

pub mod agents;
#[doc(hidden)]
pub mod busy;
pub mod changes;
#[doc(hidden)]
pub mod command_changes;
mod data_dir;
#[doc(hidden)]
pub mod digest;
#[doc(hidden)]
pub mod durable;
mod file_bytes;
pub mod file_history;
#[doc(hidden)]
pub mod files;
pub mod find;
pub mod follow;
#[doc(hidden)]
pub mod git;
mod git_pipes;
pub mod history;
#[doc(hidden)]
pub mod identity;
mod indent;
pub mod journal;
mod json_file;
mod key;
pub mod layout;
mod lexical;
#[doc(hidden)]
pub mod lock;
#[doc(hidden)]
pub mod mcp_servers;
pub mod memory;
mod orphans;
pub mod overflow;
#[doc(hidden)]
pub mod parallel;
#[doc(hidden)]
pub mod partial_read;
pub mod plans;
#[doc(hidden)]
pub mod platform;
mod problem;
pub mod project_path;
#[doc(hidden)]
pub mod protected;
pub mod read;
mod readable_name;
mod replaced_file;
pub mod reset;
pub mod running;
mod scan;
pub mod session;
#[doc(hidden)]
pub mod session_env;
#[doc(hidden)]
pub mod session_file;
pub mod sessions_index;
mod shortened_file;
mod slug;
pub mod source;
pub mod stats_cache;
pub mod summary;
#[cfg(feature = "system")]
mod system_source;
pub mod todos;
pub mod trash;
pub mod usage;
pub mod watch;
#[doc(hidden)]
pub mod write_tree;

#[cfg(feature = "system")]
#[doc = include_str!("../library.md")]
pub mod guide {}

pub use busy::Busy;
pub use data_dir::DataDir;
pub use file_bytes::FileBytes;
pub use files::WriteError;
pub use git_pipes::special_file;
pub use json_file::JsonFile;
pub use key::{AgentKey, SessionKey, Slug};
pub use layout::{AgentLocation, ConfigDir, FileRole};
pub use orphans::orphans;
pub use problem::FileProblem;
pub use read::ReadError;
pub use replaced_file::ReplacedFile;
pub use scan::{
    AgentEntry, Discovery, Project, Scan, ScanDiff, SessionEntry, SideFile, Store, StoreChanges,
    StoreSnapshot,
};
pub use session::{AppendError, NewSession, OnBusy, Receipt, Session, SessionView, SessionWriter};
pub use shortened_file::ShortenedFile;
pub use slug::project_slug;
pub use source::{Clock, Source};
pub use summary::{FullSummary, SUMMARY_REACH, Summary, SummaryListing};
#[cfg(feature = "system")]
pub use system_source::SystemSource;
