//! All writes of annals: creates folders, appends lines, replaces and moves files, takes locks.
//!
//! All writing goes through here, so that modes (0600 and 0700), syncing and errors are handled once. Nothing here depends
//! on the content of a file.

mod append;
mod copy;
mod error;
mod folder;
mod line_repair;
mod lock;
mod move_path;
mod name;
mod plain_path;
mod replace;
mod steps;
mod swap;
mod temporary;

pub use append::{AppendFile, AppendedLine};
pub(crate) use copy::{copy_file, covers, digest_of, exists, read_from, remove};
pub use error::WriteError;
pub use folder::{create_folder, new_file, sync_folder};
pub(crate) use folder::{create_folder_like_parent, make_writable, set_mode};
pub(crate) use line_repair::{MAX_REPAIR_BYTES, TAIL_BYTES, line_repair};
pub use lock::{FolderLock, LockError};
pub use move_path::move_path;
pub(crate) use move_path::{MoveState, complete_move, move_in_steps};
pub use name::{NameError, PlainName};
pub use plain_path::{PathRefusal, PathState, resolve_plain_file};
pub(crate) use replace::{
    clear_left_overs, folder_of, place_new, set_staged_mode, set_staged_time, stage, target_of,
};
pub use replace::{create_file, replace_file, stage_file, stage_with_old_time, swap_in, unstage};
pub use steps::Steps;
pub(crate) use swap::{OldFile, forget_old_files, old_file_of, swap_and_carry_over, take_back};
pub use temporary::is_left_over;
