//! A folder that is held open: what is done in it is done there, whatever becomes of its path.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt, fchown};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Mode, OFlags};

/// A folder, and names in it. No name is followed if it is a link.
#[derive(Debug)]
pub(crate) struct HeldFolder(OwnedFd);

impl HeldFolder {
    const FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    /// The first folder of an absolute path, and the names below it.
    pub(crate) fn top(path: &Path) -> io::Result<(Self, impl Iterator<Item = &OsStr>)> {
        let top = rustix::fs::open("/", Self::FLAGS, Mode::empty())?;
        let parts = path.components().filter(|part| !matches!(part, Component::RootDir));
        Ok((Self(top), parts.map(Component::as_os_str)))
    }

    pub(crate) fn open_folder(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(rustix::fs::openat(&self.0, name, Self::FLAGS, Mode::empty())?))
    }

    pub(crate) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.0, name, Mode::from_raw_mode(0o777))?)
    }

    /// Opens for reading, without waiting for a pipe.
    pub(crate) fn open(&self, name: &OsStr) -> io::Result<File> {
        self.open_as(name, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY, 0)
    }

    /// Opens a file that is there for reading and writing.
    pub(crate) fn open_to_change(&self, name: &OsStr) -> io::Result<File> {
        self.open_as(name, OFlags::RDWR, 0)
    }

    /// Makes a file that was not there.
    pub(crate) fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        self.open_as(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL, mode)
    }

    fn open_as(&self, name: &OsStr, flags: OFlags, mode: u32) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        #[allow(clippy::useless_conversion, reason = "a mode has another type on other systems")]
        let mode = Mode::from_raw_mode(mode.try_into().unwrap_or(0o600));
        Ok(File::from(rustix::fs::openat(&self.0, name, flags, mode)?))
    }

    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Brings the names in it to the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// Whether a file has attributes that a new one would not get automatically.
    pub(crate) fn has_attributes(&self, name: &OsStr) -> bool {
        let Ok(file) = self.open_as(name, OFlags::RDONLY, 0) else { return false };
        let mut names = vec![0_u8; 4096];
        match rustix::fs::flistxattr(&file, &mut names[..]) {
            // The system labels new files itself.
            Ok(length) => names[..length].split(|byte| *byte == 0).any(|name| {
                !name.is_empty() && !name.starts_with(b"security.") && !name.starts_with(b"com.apple.")
            }),
            // `RANGE` means that some exist; other errors mean that attributes are not supported.
            Err(error) => error == rustix::io::Errno::RANGE,
        }
    }
}

/// Whether a file belongs to the user who runs this.
pub(crate) fn is_own_file(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Gives a new file the group of an old one; false if that is not permitted.
pub(crate) fn keep_group(file: &File, old: &Metadata) -> bool {
    let group = old.gid();
    let has = file.metadata().is_ok_and(|metadata| metadata.gid() == group);
    has || fchown(file, None, Some(group)).is_ok()
}

/// Writes some bytes at an offset; how many the system took.
pub(crate) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    file.write_at(bytes, offset)
}
