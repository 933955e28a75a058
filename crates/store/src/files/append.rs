//! Appending lines to a file that others may read, and even append to, at the same time.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::WriteError;
use super::folder::{create_folder, new_file, sync_folder};
use super::line_repair::{TAIL_BYTES, line_repair};
use crate::identity::FileIdentity;

/// A file of lines that grows at its end.
///
/// # The crash promise
///
/// After `kill -9` or a loss of power at any instant:
///
/// - every line that [`append`](Self::append) wrote before a [`sync`](Self::sync) that returned `Ok` is complete in the
///   file;
/// - a line that was being written may be torn; it is the last one and has no line break, so readers ignore it, and `annals
///   check` reports it with line and byte;
/// - no earlier byte is changed: nothing here truncates, overwrites or renames;
/// - the next append repairs the tail: it first ends the torn line, and a cut UTF-8 character, so that the new line and the
///   file as text stay readable.
///
/// A line is written with its line break in one `write` on a descriptor opened for append: other processes never see half
/// of it, unless the system writes only a part (on a full disk). Then the error says how much was written, and the next
/// append repairs it as after a crash.
#[derive(Debug)]
pub struct AppendFile {
    path: PathBuf,
    /// Open from the first append after a sync to the next sync: a late write error is reported to the descriptor that
    /// wrote, and reopening detects changed permissions and removed folders.
    open: Option<OpenFile>,
}

#[derive(Debug)]
struct OpenFile {
    file: File,
    id: FileIdentity,
    /// Its length when last checked.
    length: u64,
    /// The end of the last line that we appended: if the file still has this length, no one else has written.
    ended_at: Option<u64>,
}

/// The position of an appended line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppendedLine {
    /// Where the line begins.
    pub offset: u64,
    /// Where the next one will.
    pub end: u64,
    /// Whether a torn line before it was ended first.
    pub healed: bool,
}

impl AppendFile {
    /// A file that is there. It is not touched before the first append.
    pub fn existing(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), open: None }
    }

    /// An empty file that was not there, 0600, its folders 0700; on the disk when this returns.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, WriteError> {
        let path = path.into();
        let folder = path.parent().unwrap_or(Path::new(""));
        create_folder(folder)?;
        new_file(&path).map_err(WriteError::at(&path))?;
        sync_folder(folder)?;
        Ok(Self::existing(path))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How long the file is now.
    pub fn length(&self) -> Result<u64, WriteError> {
        std::fs::metadata(&self.path).map(|metadata| metadata.len()).map_err(WriteError::at(&self.path))
    }

    /// Appends one line; the line break is added. Not synced: see the promise.
    pub fn append(&mut self, line: &[u8]) -> Result<AppendedLine, WriteError> {
        if line.contains(&b'\n') {
            return Err(WriteError::NotOneLine { path: self.path.clone() });
        }
        let (open, path) = self.open()?;
        let (file, length) = (&mut open.file, open.length);
        let is_as_we_left_it = open.ended_at.take() == Some(length);
        let heal = if is_as_we_left_it {
            Vec::new()
        } else {
            line_repair_at(file, length).map_err(WriteError::at(path))?
        };
        let mut placed = put(file, path, line, &heal)?;
        // Another program may have torn a line between our look and our write: then ours went into its ruin.
        let came_between = heal.is_empty() && placed.offset != length && placed.offset > 0;
        if came_between
            && line_repair_at(file, placed.offset).is_ok_and(|line_repair| !line_repair.is_empty())
        {
            placed = put(file, path, line, b"\n")?;
        }
        open.ended_at = Some(placed.end);
        Ok(placed)
    }

    /// Syncs everything that was appended to the disk.
    pub fn sync(&mut self) -> Result<(), WriteError> {
        match self.open.take() {
            Some(open) => open.file.sync_all().map_err(WriteError::at(&self.path)),
            None => Ok(()),
        }
    }

    /// Returns the open file that the path names now, and its length. If it cannot be opened, the previous file stays open:
    /// its writes still need a sync.
    fn open(&mut self) -> Result<(&mut OpenFile, &Path), WriteError> {
        let named = std::fs::metadata(&self.path).ok();
        let open = match (self.open.take(), named) {
            (Some(open), Some(named)) if open.id == FileIdentity::of(&named) => {
                OpenFile { length: named.len(), ..open }
            }
            (before, _) => match self.reopen() {
                Ok(open) => open,
                Err(error) => {
                    self.open = before;
                    return Err(WriteError::new(&self.path, error));
                }
            },
        };
        Ok((self.open.insert(open), &self.path))
    }

    fn reopen(&self) -> io::Result<OpenFile> {
        let file = OpenOptions::new().read(true).append(true).open(&self.path)?;
        let metadata = file.metadata()?;
        Ok(OpenFile { file, id: FileIdentity::of(&metadata), length: metadata.len(), ended_at: None })
    }
}

/// Returns the bytes that end a torn line at this place; empty if there is none.
fn line_repair_at(file: &mut File, length: u64) -> io::Result<Vec<u8>> {
    let mut end = vec![0; usize::try_from(length.min(TAIL_BYTES)).unwrap_or_default()];
    file.seek(SeekFrom::Start(length - end.len() as u64))?;
    file.read_exact(&mut end)?;
    Ok(line_repair(&end))
}

fn put(file: &mut File, path: &Path, line: &[u8], heal: &[u8]) -> Result<AppendedLine, WriteError> {
    let mut bytes = Vec::with_capacity(heal.len() + line.len() + 1);
    bytes.extend_from_slice(heal);
    bytes.extend_from_slice(line);
    bytes.push(b'\n');
    let mut written = write_once(file, &bytes).map_err(WriteError::at(path))?;
    while written < bytes.len() {
        // A partial write. The next one fails with the reason or, rarely, succeeds.
        match write_once(file, &bytes[written..]) {
            Ok(more) if more > 0 => written += more,
            refused => {
                let source = refused.err().unwrap_or_else(|| io::ErrorKind::WriteZero.into());
                let offset = file.stream_position().map_err(WriteError::at(path))? - written as u64;
                let path = path.to_path_buf();
                return Err(WriteError::Torn { path, offset, written, length: bytes.len(), source });
            }
        }
    }
    // A descriptor opened for append is positioned after its last write, regardless of the earlier end of the file.
    let end = file.stream_position().map_err(WriteError::at(path))?;
    Ok(AppendedLine { offset: end - (line.len() + 1) as u64, end, healed: !heal.is_empty() })
}

/// One write of all the bytes; how many the system took.
fn write_once(file: &mut File, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match file.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
