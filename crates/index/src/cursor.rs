//! What was read of a file, and what has happened to it since.
//!
//! A file of lines only grows, as long as nobody but the client touches it. Whoever else does (an editor, surgery, a backup
//! that comes back) changes its identity, its beginning, its size or its time; then all of it is read again.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use annals_store::digest::sha256_bytes;
use annals_store::identity::FileIdentity;

/// So many bytes at the beginning and before the offset are remembered, by their fingerprint.
pub const FINGERPRINTED: usize = 4096;

/// A number that stands for bytes.
pub fn fingerprint(bytes: &[u8]) -> i64 {
    let digest = sha256_bytes(bytes);
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_le_bytes(first)
}

/// What a look at a file's name tells, without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Device and inode, mixed to one number.
    pub identity: i64,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub modified: i64,
}

impl Look {
    /// Looks at a file.
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
    /// The file as it was then.
    pub look: Look,
    /// Behind the last byte that was read.
    pub offset: u64,
    /// How many lines lie before that.
    pub lines: u64,
    /// How many records.
    pub records: u64,
    /// Whether the last line had no line break yet, though it was whole.
    pub is_open: bool,
    /// Fingerprint of the first bytes: as many as were read, at most [`FINGERPRINTED`].
    pub prefix: i64,
    /// Fingerprint of as many bytes before the offset.
    pub tail: i64,
}

impl Cursor {
    /// Nothing was read yet.
    pub fn start(look: Look) -> Self {
        let empty = fingerprint(b"");
        Self { look, offset: 0, lines: 0, records: 0, is_open: false, prefix: empty, tail: empty }
    }
}

/// What happened to a file since it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Unchanged,
    /// It may have grown; what was read is as it was.
    Grown,
    /// It is another file, was cut or written anew: what was read of it is void.
    Rewritten,
}

/// Judges by what a look tells alone; `None` where the file must be opened for that.
pub fn at_a_glance(cursor: &Cursor, now: &Look) -> Option<Verdict> {
    if cursor.look == *now {
        return Some(Verdict::Unchanged);
    }
    let is_other = cursor.look.identity != now.identity || now.bytes < cursor.offset;
    // Another time and the same size: an append would have made it larger.
    let is_touched = cursor.look.bytes == now.bytes && cursor.look.modified != now.modified;
    (is_other || is_touched).then_some(Verdict::Rewritten)
}

/// Judges a file that was opened.
pub fn judge(cursor: &Cursor, now: &Look, file: &mut File) -> io::Result<Verdict> {
    if let Some(verdict) = at_a_glance(cursor, now) {
        return Ok(verdict);
    }
    Ok(if holds(cursor, file)? { Verdict::Grown } else { Verdict::Rewritten })
}

/// Whether a file begins with, and has before the offset, what was read.
pub fn holds(cursor: &Cursor, file: &mut File) -> io::Result<bool> {
    let length = cursor.offset.min(FINGERPRINTED as u64);
    for (from, expected) in [(0, cursor.prefix), (cursor.offset - length, cursor.tail)] {
        let mut bytes = Vec::with_capacity(FINGERPRINTED);
        file.seek(SeekFrom::Start(from))?;
        file.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length || fingerprint(&bytes) != expected {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The first and the last bytes of what is read, from which a cursor gets its fingerprints.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Ends {
    /// Of what a cursor has behind it, read again from the file.
    pub fn of(cursor: &Cursor, file: &mut File) -> io::Result<Self> {
        let length = cursor.offset.min(FINGERPRINTED as u64);
        let mut ends = Self::default();
        for (from, bytes) in [(0, &mut ends.first), (cursor.offset - length, &mut ends.last)] {
            file.seek(SeekFrom::Start(from))?;
            file.by_ref().take(length).read_to_end(bytes)?;
        }
        Ok(ends)
    }

    /// Goes on over these bytes.
    pub fn advance(&mut self, bytes: &[u8]) {
        let missing = FINGERPRINTED.saturating_sub(self.first.len());
        self.first.extend_from_slice(&bytes[..bytes.len().min(missing)]);
        if bytes.len() >= FINGERPRINTED {
            self.last.clear();
        }
        self.last.extend_from_slice(&bytes[bytes.len().saturating_sub(FINGERPRINTED)..]);
        // Only when twice as many are there: moving bytes for every short line would cost more than hashing them.
        if self.last.len() > 2 * FINGERPRINTED {
            self.last.drain(..self.last.len() - FINGERPRINTED);
        }
    }

    /// The fingerprints of beginning and end.
    pub fn fingerprints(&self) -> (i64, i64) {
        let tail = &self.last[self.last.len().saturating_sub(FINGERPRINTED)..];
        (fingerprint(&self.first), fingerprint(tail))
    }
}
