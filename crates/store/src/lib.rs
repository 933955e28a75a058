//! The directories and files of a session store: the only crate that opens, locks and renames.
//!
//! It knows where things are, finds them, reads them and ties side files to sessions. What the bytes of a session mean is
//! told by `annals-transcript`. It never prints, exits or reads the environment: the config dir is handed in.

pub mod agents;
pub mod busy;
pub mod changes;
pub mod data_dir;
pub mod digest;
pub mod durable;
pub mod file_history;
pub mod files;
pub mod find;
pub mod follow;
pub mod git;
pub mod history;
pub mod identity;
mod indent;
pub mod journal;
pub mod json_file;
pub mod key;
pub mod layout;
mod lexical;
pub mod lock;
pub mod orphans;
pub mod overflow;
pub mod parallel;
pub mod plans;
pub mod problem;
pub mod project_path;
pub mod provider;
pub mod read;
pub mod readable_name;
pub mod reset;
pub mod running;
pub mod scan;
pub mod session;
pub mod session_env;
pub mod sessions_index;
pub mod slug;
pub mod source;
pub mod stats_cache;
pub mod summary;
pub mod todos;
pub mod trash;
pub mod usage;
pub mod watch;
pub mod write_tree;
mod written;

pub use data_dir::DataDir;
pub use json_file::JsonFile;
pub use key::{AgentKey, SessionKey, Slug};
pub use layout::{ConfigDir, FileRole, Place};
pub use orphans::orphans;
pub use problem::FileProblem;
pub use scan::{AgentEntry, Changes, Discovery, Project, Seen, SessionEntry, SideFile, Sighting, Store};
pub use session::SessionWriter;
pub use slug::project_slug;
pub use source::Source;
pub use summary::{FullSummary, Summary};
pub use written::Written;
