//! The directories and files of a session store: the only crate that opens, locks and renames.
//!
//! It knows where things are, finds them, reads them and ties side files to sessions. What the bytes of a session mean is
//! told by `annals-transcript`. It never prints, exits or reads the environment: the config dir is handed in.

pub mod agents;
pub mod file_history;
pub mod find;
pub mod follow;
pub mod history;
pub mod identity;
pub mod json_file;
pub mod key;
pub mod layout;
pub mod orphans;
pub mod overflow;
pub mod parallel;
pub mod plans;
pub mod problem;
pub mod project_path;
pub mod read;
pub mod running;
pub mod scan;
pub mod sessions_index;
pub mod slug;
pub mod stats_cache;
pub mod summary;
pub mod todos;
pub mod watch;
pub mod write_tree;

pub use json_file::JsonFile;
pub use key::{AgentKey, SessionKey, Slug};
pub use layout::{ConfigDir, FileRole, Place};
pub use orphans::orphans;
pub use problem::FileProblem;
pub use scan::{AgentEntry, Discovery, Project, SessionEntry, SideFile, Store};
pub use slug::project_slug;
pub use summary::{FullSummary, Summary};
