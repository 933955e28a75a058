//! All writes of annals: creates folders, appends lines, replaces and moves files, takes locks.
//!
//! All writing goes through here, so that modes (0600 and 0700), syncing and errors are handled once. Nothing here depends
//! on the content of a file.

mod append;
mod error;
mod folder;
mod line_repair;
mod lock;
mod move_path;
mod name;
mod plain_path;
mod replace;

pub use append::{AppendFile, AppendedLine};
pub use error::WriteError;
pub use folder::{create_folder, new_file, sync_folder};
pub(crate) use line_repair::{TAIL_BYTES, line_repair};
pub use lock::{FolderLock, LockError};
pub use move_path::move_path;
pub use name::{NameError, PlainName};
pub use plain_path::{PathRefusal, PathState, resolve_plain_file};
pub(crate) use replace::{clear_left_overs, keep_time};
pub use replace::{
    create_file, is_left_over, replace_file, stage_file, stage_with_old_time, swap_in, unstage,
};
