//! Copies of files and folders, and whether one holds all that another does.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::folder::{new_file, sync_folder};
use super::steps::Steps;
use super::temporary::staged;
use super::{WriteError, create_folder};
use crate::busy::FileStamp;
use crate::digest::hex;
use crate::platform::symlink;

/// How much is compared at a time.
const BLOCK: usize = 64 * 1024;

/// Whether something is there, even a link that leads nowhere.
pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Removes a file, a link or a whole folder; something that is gone already is fine.
pub(crate) fn remove(path: &Path) -> Result<(), WriteError> {
    let gone = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match gone {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(WriteError::new(path, error)),
        _ => Ok(()),
    }
}

/// Copies a file, a link as a link, or a whole folder to a path where nothing exists, with modes and times, synced.
pub(crate) fn copy(from: &Path, to: &Path, steps: &mut Steps<'_>) -> Result<(), WriteError> {
    let metadata = fs::symlink_metadata(from).map_err(WriteError::at(from))?;
    if metadata.is_symlink() {
        return copy_link(from, to);
    }
    if metadata.is_file() {
        copy_file(from, to)?;
        return steps.step();
    }
    if !metadata.is_dir() {
        let why = "neither a file, a folder nor a link: it cannot be moved to another file system";
        return Err(WriteError::new(from, io::Error::other(why)));
    }
    create_folder(to)?;
    for entry in fs::read_dir(from).map_err(WriteError::at(from))? {
        let entry = entry.map_err(WriteError::at(from))?;
        copy(&entry.path(), &to.join(entry.file_name()), steps)?;
    }
    sync_folder(to)?;
    keep_mode_and_time(&metadata, to)
}

fn copy_link(from: &Path, to: &Path) -> Result<(), WriteError> {
    let target = fs::read_link(from).map_err(WriteError::at(from))?;
    symlink(&target, to).map_err(WriteError::at(to))
}

/// What a copy was made of.
pub(crate) struct FileCopy {
    /// The sha256 of its bytes.
    pub(crate) digest: [u8; 32],
    /// The file that was copied, still open.
    pub(crate) file: File,
    /// How it was before.
    pub(crate) stamp: Option<FileStamp>,
}

/// Copies a file to a path where nothing exists, with its mode and time, and syncs it.
pub(crate) fn copy_file(from: &Path, to: &Path) -> Result<FileCopy, WriteError> {
    let mut file = File::open(from).map_err(WriteError::at(from))?;
    let metadata = file.metadata().map_err(WriteError::at(from))?;
    let copied = new_file(to).and_then(|mut new| {
        let mut hashing = HashingReader { from: &mut file, hasher: Sha256::new() };
        io::copy(&mut hashing, &mut new)?;
        let digest = hashing.hasher.finalize().into();
        new.set_permissions(metadata.permissions())?;
        keep_time_of(&metadata, &new);
        new.sync_all()?;
        Ok(digest)
    });
    match copied {
        Ok(digest) => Ok(FileCopy { digest, file, stamp: FileStamp::of(&metadata) }),
        Err(error) => {
            let _ = fs::remove_file(to);
            Err(WriteError::new(to, error))
        }
    }
}

struct HashingReader<R> {
    from: R,
    hasher: Sha256,
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.from.read(buffer)?;
        self.hasher.update(&buffer[..length]);
        Ok(length)
    }
}

/// Returns the sha256 of the beginning of a file, at most `most` bytes of it.
pub(crate) fn digest_of(path: &Path, most: u64) -> io::Result<String> {
    let beginning = File::open(path)?.take(most);
    let mut hashing = HashingReader { from: beginning, hasher: Sha256::new() };
    io::copy(&mut hashing, &mut io::sink())?;
    let digest: [u8; 32] = hashing.hasher.finalize().into();
    Ok(hex(&digest))
}

fn keep_mode_and_time(metadata: &Metadata, to: &Path) -> Result<(), WriteError> {
    if let Ok(folder) = File::open(to) {
        keep_time_of(metadata, &folder);
    }
    fs::set_permissions(to, metadata.permissions()).map_err(WriteError::at(to))
}

/// The time of the last change orders sessions: worth keeping, not worth failing for.
fn keep_time_of(metadata: &Metadata, to: &File) {
    if let Ok(time) = metadata.modified() {
        let _ = to.set_modified(time);
    }
}

/// Adds to a copy what its original got since: new files, and lines at the end of files.
pub(crate) fn catch_up(original: &Path, copied: &Path) -> Result<(), WriteError> {
    let metadata = fs::symlink_metadata(original).map_err(WriteError::at(original))?;
    if !exists(copied) {
        return copy(original, copied, &mut Steps::unwatched());
    }
    if metadata.is_dir() {
        for entry in fs::read_dir(original).map_err(WriteError::at(original))? {
            let entry = entry.map_err(WriteError::at(original))?;
            catch_up(&entry.path(), &copied.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if !metadata.is_file() || is_unchanged(&metadata, copied) || covers(copied, original) {
        return Ok(());
    }
    let new = staged(copied);
    remove(&new)?;
    copy(original, &new, &mut Steps::unwatched())?;
    fs::rename(&new, copied).map_err(WriteError::at(copied))?;
    sync_folder(copied.parent().unwrap_or(Path::new("")))
}

fn is_unchanged(metadata: &Metadata, copied: &Path) -> bool {
    fs::symlink_metadata(copied).is_ok_and(|copy| {
        copy.is_file() && copy.len() == metadata.len() && copy.modified().ok() == metadata.modified().ok()
    })
}

/// Whether everything in `part` is also in `whole`: the beginning of a file, some files of a folder.
pub(crate) fn covers(whole: &Path, part: &Path) -> bool {
    let (Ok(all), Ok(some)) = (fs::symlink_metadata(whole), fs::symlink_metadata(part)) else { return false };
    if some.is_symlink() || all.is_symlink() {
        return some.is_symlink()
            && all.is_symlink()
            && fs::read_link(whole).ok() == fs::read_link(part).ok();
    }
    if some.is_dir() && all.is_dir() {
        let Ok(entries) = fs::read_dir(part) else { return false };
        let is_there = |entry: fs::DirEntry| covers(&whole.join(entry.file_name()), &entry.path());
        return entries.into_iter().all(|entry| entry.is_ok_and(is_there));
    }
    some.is_file() && all.is_file() && some.len() <= all.len() && begins_with(whole, part).unwrap_or(false)
}

fn begins_with(whole: &Path, part: &Path) -> io::Result<bool> {
    let (mut whole, mut part) = (File::open(whole)?, File::open(part)?);
    let (mut left, mut right) = (vec![0; BLOCK], vec![0; BLOCK]);
    loop {
        let length = part.read(&mut right)?;
        if length == 0 {
            return Ok(true);
        }
        match whole.read_exact(&mut left[..length]) {
            Ok(()) if left[..length] == right[..length] => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}

/// Reads an open file from an offset to its end.
pub(crate) fn read_from(file: &mut File, offset: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
