//! How far a file was read, and how it has changed since.
//!
//! Clients only append to transcripts. Any other writer (an editor, surgery, a restored backup) changes the file's
//! identity, its first bytes, its size or its time; then the whole file is read again.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use annals_store::digest::sha256_bytes;
use annals_store::identity::FileIdentity;

/// How many bytes at the start and before the offset are remembered as fingerprints.
pub const FINGERPRINT_BYTES: usize = 4096;

/// A hash of bytes that fits a database integer.
pub fn fingerprint(bytes: &[u8]) -> i64 {
    let digest = sha256_bytes(bytes);
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_le_bytes(first)
}

/// Metadata of a file, known without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// Device and inode, hashed into one number.
    pub identity: i64,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub modified: i64,
}

impl FileStamp {
    /// Takes the stamp from a file's metadata.
    pub fn at(metadata: &std::fs::Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Self {
            identity: FileIdentity::of(metadata).as_number(),
            bytes: metadata.len(),
            modified: since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)),
        }
    }
}

/// How far a file was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The file's metadata when it was read.
    pub stamp: FileStamp,
    /// Where reading continues.
    pub offset: u64,
    /// How many lines come before the offset.
    pub lines: u64,
    /// How many records come before the offset.
    pub records: u64,
    /// Whether the last line was complete but had no line break yet.
    pub is_open: bool,
    /// Fingerprint of the first bytes: as many as were read, at most [`FINGERPRINT_BYTES`].
    pub prefix: i64,
    /// Fingerprint of as many bytes before the offset.
    pub tail: i64,
}

impl Cursor {
    /// The cursor of a file of which nothing was read.
    pub fn start(stamp: FileStamp) -> Self {
        let empty = fingerprint(b"");
        Self { stamp, offset: 0, lines: 0, records: 0, is_open: false, prefix: empty, tail: empty }
    }
}

/// How a file has changed since it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// It has not changed.
    Unchanged,
    /// It may have grown; what was read is still the same.
    Grown,
    /// It was replaced, truncated or rewritten: what was read of it is void.
    Rewritten,
}

/// Detects a change by metadata alone; `None` if the file must be opened.
pub fn change_by_stamp(cursor: &Cursor, now: &FileStamp) -> Option<FileChange> {
    if cursor.stamp == *now {
        return Some(FileChange::Unchanged);
    }
    let is_other = cursor.stamp.identity != now.identity || now.bytes < cursor.offset;
    // Another time with the same size: an append would have made it larger.
    let is_touched = cursor.stamp.bytes == now.bytes && cursor.stamp.modified != now.modified;
    (is_other || is_touched).then_some(FileChange::Rewritten)
}

/// Detects a change of an open file.
pub fn detect_change(cursor: &Cursor, now: &FileStamp, file: &mut File) -> io::Result<FileChange> {
    if let Some(file_change) = change_by_stamp(cursor, now) {
        return Ok(file_change);
    }
    Ok(if has_same_bytes(cursor, file)? { FileChange::Grown } else { FileChange::Rewritten })
}

/// Whether a file still starts with, and has before the offset, the bytes that were read.
pub fn has_same_bytes(cursor: &Cursor, file: &mut File) -> io::Result<bool> {
    let length = cursor.offset.min(FINGERPRINT_BYTES as u64);
    for (from, expected) in [(0, cursor.prefix), (cursor.offset - length, cursor.tail)] {
        let mut bytes = Vec::with_capacity(FINGERPRINT_BYTES);
        file.seek(SeekFrom::Start(from))?;
        file.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length || fingerprint(&bytes) != expected {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The first and last bytes of what was read, from which fingerprints are made.
#[derive(Clone, Debug, Default)]
pub struct EndBytes {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl EndBytes {
    /// Reads the bytes that a cursor covers from the file again.
    pub fn of(cursor: &Cursor, file: &mut File) -> io::Result<Self> {
        let length = cursor.offset.min(FINGERPRINT_BYTES as u64);
        let mut end_bytes = Self::default();
        for (from, bytes) in [(0, &mut end_bytes.first), (cursor.offset - length, &mut end_bytes.last)] {
            file.seek(SeekFrom::Start(from))?;
            file.by_ref().take(length).read_to_end(bytes)?;
        }
        Ok(end_bytes)
    }

    /// Adds the bytes that were read next.
    pub fn advance(&mut self, bytes: &[u8]) {
        let missing = FINGERPRINT_BYTES.saturating_sub(self.first.len());
        self.first.extend_from_slice(&bytes[..bytes.len().min(missing)]);
        if bytes.len() >= FINGERPRINT_BYTES {
            self.last.clear();
        }
        self.last.extend_from_slice(&bytes[bytes.len().saturating_sub(FINGERPRINT_BYTES)..]);
        // Only when there are twice as many: moving bytes for every short line would cost more than hashing them.
        if self.last.len() > 2 * FINGERPRINT_BYTES {
            self.last.drain(..self.last.len() - FINGERPRINT_BYTES);
        }
    }

    /// The fingerprints of start and end.
    pub fn fingerprints(&self) -> (i64, i64) {
        let tail = &self.last[self.last.len().saturating_sub(FINGERPRINT_BYTES)..];
        (fingerprint(&self.first), fingerprint(tail))
    }
}
