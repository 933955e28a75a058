//! Linux, macOS and the BSDs.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{FileState, LinkRule};

/// A file that is made by these options is 0600.
pub fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Makes folders with mode 0700.
pub fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// The permission bits, with those of the kind of file above them.
pub fn mode(metadata: &Metadata) -> u32 {
    metadata.mode()
}

/// Sets permission bits, where there are such.
pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode))
}

/// The same for an open file.
pub fn set_file_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))
}

/// How many names a file has.
pub fn link_count(metadata: &Metadata) -> u64 {
    metadata.nlink()
}

/// Two numbers that no other file has at the same time: device and inode.
pub fn file_numbers(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// When contents or permissions were last changed, in nanoseconds since 1970; nobody can set it.
pub fn change_time(metadata: &Metadata) -> i64 {
    metadata.ctime().wrapping_mul(1_000_000_000).wrapping_add(metadata.ctime_nsec())
}

/// Whether all belong to one user.
pub fn has_one_owner(files: &[&Metadata]) -> bool {
    files.windows(2).all(|pair| pair[0].uid() == pair[1].uid())
}

/// Makes a symbolic link.
pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// The path of these bytes; `None` if the system has no such path.
pub fn path_of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    Some(OsString::from_vec(bytes).into())
}

/// Opens for reading without waiting for a pipe or a device, which the caller still has to refuse.
pub fn open_at_once(path: &Path, links: LinkRule) -> io::Result<File> {
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if links == LinkRule::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    File::options().read(true).custom_flags(flags.bits() as i32).open(path)
}

/// Fills a buffer from this offset on, whatever other threads read.
pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(buffer, offset)
}

/// Writes all of it at this offset.
pub(crate) fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}

/// Brings the names in a folder to the disk.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path).and_then(|folder| folder.sync_all())
}

/// How many more files can be opened while locks are held.
const SPARE_FILES: u64 = 64;

/// Raises the limit of open files if it is nearly reached: changing a project takes a lock for each session, and the
/// default limit is 256 or 1024. If that fails, the next open fails with its own error.
pub(crate) fn raise_open_file_limit(file: &File) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // A file gets the lowest free descriptor, so this approximates how many are open.
    let open = file.as_raw_fd().unsigned_abs().into();
    if let Some(most) = current.filter(|most| u64::saturating_add(open, SPARE_FILES) >= *most) {
        let more = most.saturating_mul(2).min(maximum.unwrap_or(u64::MAX));
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(more), maximum });
    }
}

/// A folder that is open, so that what is in it is found without its path.
pub(crate) struct FolderHandle(OwnedFd);

impl FolderHandle {
    const FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(path, Self::FLAGS, Mode::empty())?))
    }

    pub(crate) fn open_below(&self, path: &str) -> io::Result<Self> {
        Ok(Self(rustix::fs::openat(&self.0, path, Self::FLAGS, Mode::empty())?))
    }

    /// What [`FileState::of`] gives for a path below the folder.
    #[allow(clippy::unnecessary_cast, reason = "the numbers have other types on other systems")]
    pub(crate) fn state(&self, path: &str) -> io::Result<FileState> {
        let found = rustix::fs::statat(&self.0, path, AtFlags::empty())?;
        let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
        let nanos = i128::from(found.st_mtime) * 1_000_000_000 + i128::from(found.st_mtime_nsec);
        Ok(FileState {
            numbers: (found.st_dev as u64, found.st_ino as u64),
            bytes: if is_file { found.st_size as u64 } else { 0 },
            modified: nanos as i64,
        })
    }
}
