//! A file name in a folder that is held open. Every folder on the way is opened without following links, so what was checked
//! is what is read and written.
//!
//! `annals_store::files::replace_file` is not used here: it goes by path, makes new files private, and cannot check the old
//! content right before the rename.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags};

use super::super::read_files::Fingerprint;

/// The largest file that is read into memory.
const MAX_BYTES: u64 = 64 << 20;

/// Makes the names of temporary files unique.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("{} is a folder, not a file.", .0.display())]
    Folder(PathBuf),
    #[error("{} is not a regular file.", .0.display())]
    Special(PathBuf),
    #[error("{} has {size} bytes, which is too large to be read at once (the limit is {MAX_BYTES}). Search it with Grep, or take a part of it with Bash.", path.display())]
    TooLarge { path: PathBuf, size: u64 },
    #[error("{} changed in the meantime: nothing was written. Read it again.", .0.display())]
    Changed(PathBuf),
    #[error("{} could not be written: {source}. Its content is unchanged.", path.display())]
    PutBack { path: PathBuf, source: io::Error },
    #[error("{} is damaged: writing it failed ({source}), and so did restoring its old content ({then}).", path.display())]
    Torn { path: PathBuf, source: io::Error, then: io::Error },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// A file name in an open folder. The file need not exist.
pub(crate) struct FileTarget {
    folder: OwnedFd,
    name: OsString,
    path: PathBuf,
}

/// A file that was read.
pub(crate) struct FileContents {
    pub(crate) bytes: Vec<u8>,
    metadata: std::fs::Metadata,
}

/// What to do about missing folders.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingFolders {
    Fail,
    Create,
}

impl FileTarget {
    /// Opens the folder of a real path: one in which no name is a link.
    pub(crate) fn of(real: &Path) -> Result<Self, FileError> {
        Self::at(real, MissingFolders::Fail)
    }

    /// The same, creating missing folders.
    pub(crate) fn made(real: &Path) -> Result<Self, FileError> {
        Self::at(real, MissingFolders::Create)
    }

    fn at(real: &Path, missing: MissingFolders) -> Result<Self, FileError> {
        let failed =
            |source: rustix::io::Errno| FileError::Io { path: real.to_path_buf(), source: source.into() };
        let Some(name) = real.file_name() else { return Err(FileError::Folder(real.to_path_buf())) };
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
        let mut folder = rustix::fs::open("/", flags, Mode::empty()).map_err(failed)?;
        let above = real.parent().unwrap_or(Path::new("/"));
        for part in above.components().filter(|part| !matches!(part, Component::RootDir)) {
            let part = part.as_os_str();
            let mut next = rustix::fs::openat(&folder, part, flags, Mode::empty());
            if next.as_ref().is_err_and(|error| *error == rustix::io::Errno::NOENT)
                && missing == MissingFolders::Create
            {
                // If another process created it in the meantime, that is fine.
                let _ = rustix::fs::mkdirat(&folder, part, Mode::from_raw_mode(0o777));
                next = rustix::fs::openat(&folder, part, flags, Mode::empty());
            }
            folder = next.map_err(failed)?;
        }
        Ok(Self { folder, name: name.to_owned(), path: real.to_path_buf() })
    }

    /// Reads the file; `None` if it does not exist.
    pub(crate) fn read(&self) -> Result<Option<FileContents>, FileError> {
        // Opening a pipe must not block.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let mut file = match rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(self.failed(error.into())),
        };
        let metadata = file.metadata().map_err(|error| self.failed(error))?;
        if metadata.is_dir() {
            return Err(FileError::Folder(self.path.clone()));
        }
        if !metadata.is_file() {
            return Err(FileError::Special(self.path.clone()));
        }
        let too_large = |size| FileError::TooLarge { path: self.path.clone(), size };
        if metadata.len() > MAX_BYTES {
            return Err(too_large(metadata.len()));
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        // It may grow while it is read.
        Read::by_ref(&mut file)
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| self.failed(error))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(too_large(bytes.len() as u64));
        }
        Ok(Some(FileContents { bytes, metadata }))
    }

    /// Writes the file if its content is still `before`.
    ///
    /// The file is replaced atomically and keeps mode and group. A file with several names, attributes or another owner is
    /// overwritten in place instead: a new file would lose them.
    pub(crate) fn write(&self, bytes: &[u8], before: Option<Fingerprint>) -> Result<(), FileError> {
        let found = self.read()?;
        self.check(found.as_ref(), before)?;
        let in_place = found.as_ref().is_some_and(|found| !self.can_be_replaced(found));
        if in_place { self.overwrite(bytes, before) } else { self.replace(bytes, found.as_ref(), before) }
    }

    fn check(&self, found: Option<&FileContents>, before: Option<Fingerprint>) -> Result<(), FileError> {
        if found.map(|found| Fingerprint::of(&found.bytes)) == before {
            return Ok(());
        }
        Err(FileError::Changed(self.path.clone()))
    }

    fn can_be_replaced(&self, found: &FileContents) -> bool {
        let ours = found.metadata.uid() == rustix::process::geteuid().as_raw();
        found.metadata.nlink() == 1 && ours && !self.has_attributes()
    }

    /// Whether the file has attributes that a new one would not get automatically.
    fn has_attributes(&self) -> bool {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut names = vec![0_u8; 4096];
        let listed = rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty())
            .and_then(|file| rustix::fs::flistxattr(&file, &mut names[..]));
        match listed {
            // The system labels new files itself.
            Ok(length) => names[..length].split(|byte| *byte == 0).any(|name| {
                !name.is_empty() && !name.starts_with(b"security.") && !name.starts_with(b"com.apple.")
            }),
            // `RANGE` means that some exist; other errors mean that attributes are not supported.
            Err(error) => error == rustix::io::Errno::RANGE,
        }
    }

    fn overwrite(&self, bytes: &[u8], before: Option<Fingerprint>) -> Result<(), FileError> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty());
        let file = File::from(file.map_err(|error| self.failed(error.into()))?);
        let found = self.read()?;
        self.check(found.as_ref(), before)?;
        let old = found.map(|found| found.bytes).unwrap_or_default();
        let mut changed = 0;
        let Err(source) = fill(&file, bytes, old.len(), &mut changed) else { return Ok(()) };
        let path = self.path.clone();
        let put_back = put(&file, &old[..changed], 0, &mut 0).and_then(|()| file.set_len(old.len() as u64));
        match put_back {
            Ok(()) => Err(FileError::PutBack { path, source }),
            Err(then) => Err(FileError::Torn { path, source, then }),
        }
    }

    fn replace(
        &self,
        bytes: &[u8],
        old: Option<&FileContents>,
        before: Option<Fingerprint>,
    ) -> Result<(), FileError> {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mut waiting = OsString::from(".");
        waiting.push(&self.name);
        waiting.push(format!(".{}-{number}.annals-new", std::process::id()));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // A new file gets what the user's mask leaves; an old one keeps its mode.
        let mode = if old.is_some() { 0o600 } else { 0o666 };
        let made = rustix::fs::openat(&self.folder, &waiting, flags, Mode::from_raw_mode(mode));
        let mut file = File::from(made.map_err(|error| self.failed(error.into()))?);
        if old.is_some_and(|old| !set_group(&file, old)) {
            let _ = rustix::fs::unlinkat(&self.folder, &waiting, AtFlags::empty());
            return self.overwrite(bytes, before);
        }
        let fill = || -> io::Result<()> {
            file.write_all(bytes)?;
            if let Some(old) = old {
                file.set_permissions(old.metadata.permissions())?;
            }
            file.sync_all()
        };
        let filled = { fill }().map_err(|error| self.failed(error));
        let done = filled.and_then(|()| self.check(self.read()?.as_ref(), before)).and_then(|()| {
            let renamed = rustix::fs::renameat(&self.folder, &waiting, &self.folder, &self.name);
            renamed.map_err(|error| self.failed(error.into()))
        });
        if done.is_err() {
            let _ = rustix::fs::unlinkat(&self.folder, &waiting, AtFlags::empty());
            return done;
        }
        // The file is replaced; a failed sync of the folder does not undo that.
        let _ = rustix::fs::fsync(&self.folder);
        Ok(())
    }

    fn failed(&self, source: io::Error) -> FileError {
        FileError::Io { path: self.path.clone(), source }
    }
}

/// Overwrites a file of `had` bytes, and counts the overwritten old bytes. The part after the old end is written first: if
/// the disk is full, the old bytes are intact, and overwriting them needs no more space.
fn fill(file: &File, bytes: &[u8], had: usize, changed: &mut usize) -> io::Result<()> {
    let (over, more) = bytes.split_at(had.min(bytes.len()));
    put(file, more, over.len(), &mut 0)?;
    put(file, over, 0, changed)?;
    file.sync_all()?;
    // Last: bytes that are cut off could not be restored.
    file.set_len(bytes.len() as u64)?;
    // The bytes are written; a failed sync of the length does not undo that.
    let _ = file.sync_all();
    Ok(())
}

/// Writes bytes at an offset, and counts them.
fn put(file: &File, bytes: &[u8], at: usize, done: &mut usize) -> io::Result<()> {
    while *done < bytes.len() {
        match file.write_at(&bytes[*done..], (at + *done) as u64) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => *done += written,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Gives a new file the group of the old one; false if that is not permitted.
fn set_group(file: &File, old: &FileContents) -> bool {
    let group = old.metadata.gid();
    let has = file.metadata().is_ok_and(|metadata| metadata.gid() == group);
    has || std::os::unix::fs::fchown(file, None, Some(group)).is_ok()
}
