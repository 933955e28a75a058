//! Windows: no permission bits and no owners; a file's numbers are the time when it was made.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt, MetadataExt, symlink_dir, symlink_file};
use std::path::{Path, PathBuf};

use super::{FileState, LinkRule};

/// Files in a user's folder are private.
pub fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Folders in a user's folder are private.
pub fn private_folder() -> DirBuilder {
    DirBuilder::new()
}

/// The bits that other systems give to what only its owner may use.
pub fn mode(metadata: &Metadata) -> u32 {
    if metadata.is_dir() { 0o700 } else { 0o600 }
}

/// There is nothing to set.
pub fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// There is nothing to set.
pub fn set_file_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// Not known without opening the file.
pub fn link_count(_: &Metadata) -> u64 {
    1
}

/// The best available without opening the file.
pub fn file_numbers(metadata: &Metadata) -> (u64, u64) {
    (0, metadata.creation_time())
}

/// Not known without opening the file.
pub fn change_time(_: &Metadata) -> i64 {
    0
}

/// Not known.
pub fn has_one_owner(_: &[&Metadata]) -> bool {
    false
}

/// Makes a symbolic link, which needs the developer mode.
pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    let resolved = link.parent().map_or_else(|| target.to_path_buf(), |folder| folder.join(target));
    if resolved.is_dir() { symlink_dir(target, link) } else { symlink_file(target, link) }
}

/// The path of these bytes; `None` if they are not UTF-8.
pub fn path_of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Opens for reading; no pipe has a path in a folder.
pub fn open_at_once(path: &Path, links: LinkRule) -> io::Result<File> {
    if links == LinkRule::Refuse && fs::symlink_metadata(path)?.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "is a symbolic link"));
    }
    File::open(path)
}

/// Fills a buffer from this offset on.
pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match file.seek_read(buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => {
                buffer = &mut buffer[length..];
                offset += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes all of it at this offset.
pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(length) => {
                bytes = &bytes[length..];
                offset += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A folder cannot be opened for this; the file system keeps the names in its own journal.
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// There is no such limit.
pub(crate) fn raise_open_file_limit(_: &File) {}

/// The path of a folder.
pub(crate) struct FolderHandle(PathBuf);

impl FolderHandle {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(path.to_path_buf()))
    }

    pub(crate) fn open_below(&self, path: &str) -> io::Result<Self> {
        Ok(Self(self.0.join(path)))
    }

    /// What [`FileState::of`] gives for a path below the folder.
    pub(crate) fn state(&self, path: &str) -> io::Result<FileState> {
        fs::metadata(self.0.join(path)).map(|metadata| FileState::of(&metadata))
    }
}
