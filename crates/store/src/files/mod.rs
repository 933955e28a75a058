//! The few ways in which annals changes a disk: make a folder, append a line, replace a file, move one aside, take a lock.
//!
//! Everything that writes goes through here, so that modes (0600 and 0700), syncing and the words for what went wrong are
//! decided once. Nothing here knows what a file means.

mod append;
mod error;
mod folder;
mod lock;
mod mend;
mod moving;
mod name;
mod place;
mod replace;

pub use append::{AppendFile, Placed};
pub use error::WriteError;
pub use folder::{create_folder, new_file, sync_folder};
pub use lock::{FolderLock, LockError};
pub(crate) use mend::{LOOKED_AT, mend};
pub use moving::move_path;
pub use name::{NameError, PlainName};
pub use place::{NotPlain, Standing, plain_place};
pub(crate) use replace::{clear_left_overs, keep_time};
pub use replace::{create_file, is_left_over, replace_file, stage_as_old, stage_file, swap_in, unstage};
