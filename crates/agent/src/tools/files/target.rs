//! A file name in a folder that is held open. Every folder on the way is opened without following links, so what was checked
//! is what is read and written.
//!
//! `annals_store::files::replace_file` is not used here: it goes by path, makes new files private, and cannot check the old
//! content right before the rename.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use annals_store::platform::link_count;

use super::super::read_files::Fingerprint;
use crate::platform::{HeldFolder, is_own_file, keep_group, write_at};

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
    #[error("{} is {size} bytes, too large to read at once (the limit is {MAX_BYTES}). Search it with Grep, or read part of it with Bash.", path.display())]
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
    folder: HeldFolder,
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
        let failed = |source: io::Error| FileError::Io { path: real.to_path_buf(), source };
        let Some(name) = real.file_name() else { return Err(FileError::Folder(real.to_path_buf())) };
        let (mut folder, parts) = HeldFolder::top(real.parent().unwrap_or(Path::new("/"))).map_err(failed)?;
        for part in parts {
            let mut next = folder.open_folder(part);
            if next.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
                && missing == MissingFolders::Create
            {
                // If another process created it in the meantime, that is fine.
                let _ = folder.make_folder(part);
                next = folder.open_folder(part);
            }
            folder = next.map_err(failed)?;
        }
        Ok(Self { folder, name: name.to_owned(), path: real.to_path_buf() })
    }

    /// Reads the file; `None` if it does not exist.
    pub(crate) fn read(&self) -> Result<Option<FileContents>, FileError> {
        let mut file = match self.folder.open(&self.name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failed(error)),
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
        link_count(&found.metadata) == 1
            && is_own_file(&found.metadata)
            && !self.folder.has_attributes(&self.name)
    }

    fn overwrite(&self, bytes: &[u8], before: Option<Fingerprint>) -> Result<(), FileError> {
        let file = self.folder.open_to_change(&self.name).map_err(|error| self.failed(error))?;
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
        // A new file gets what the user's mask leaves; an old one keeps its mode.
        let mode = if old.is_some() { 0o600 } else { 0o666 };
        let mut file = self.folder.create_new(&waiting, mode).map_err(|error| self.failed(error))?;
        if old.is_some_and(|old| !keep_group(&file, &old.metadata)) {
            let _ = self.folder.remove_file(&waiting);
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
        let done = filled
            .and_then(|()| self.check(self.read()?.as_ref(), before))
            .and_then(|()| self.folder.rename(&waiting, &self.name).map_err(|error| self.failed(error)));
        if done.is_err() {
            let _ = self.folder.remove_file(&waiting);
            return done;
        }
        // The file is replaced; a failed sync of the folder does not undo that.
        let _ = self.folder.sync();
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
        match write_at(file, &bytes[*done..], (at + *done) as u64) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => *done += written,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
