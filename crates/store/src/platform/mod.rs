//! What differs between systems: permission bits, links, the numbers of a file, opening without waiting. No other module of this
//! crate names a system, so each has one file to fill in.

mod cpu;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

pub(crate) use cpu::ParentCpu;
pub(crate) use system::{FolderHandle, raise_open_file_limit, read_exact_at, sync_folder, write_all_at};
pub use system::{
    change_time, file_numbers, has_one_owner, link_count, mode, open_at_once, owner_only, path_of_bytes,
    private_folder, set_file_mode, set_mode, symlink,
};

/// Whether the last name of a path may be a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRule {
    /// It is followed.
    Follow,
    /// It is an error.
    Refuse,
}

/// What tells whether a file or folder was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileState {
    /// As [`file_numbers`] gives them.
    pub(crate) numbers: (u64, u64),
    /// Zero for a folder.
    pub(crate) bytes: u64,
    /// Nanoseconds since 1970, negative before.
    pub(crate) modified: i64,
}

impl FileState {
    pub(crate) fn of(metadata: &std::fs::Metadata) -> Self {
        let modified = match metadata.modified().map(|time| time.duration_since(std::time::UNIX_EPOCH)) {
            Ok(Ok(since)) => since.as_nanos() as i64,
            Ok(Err(before)) => -(before.duration().as_nanos() as i64),
            Err(_) => 0,
        };
        let bytes = if metadata.is_file() { metadata.len() } else { 0 };
        Self { numbers: file_numbers(metadata), bytes, modified }
    }
}
