//! A position in a growing file that can be verified later: an offset and the bytes before it.
//!
//! The offset alone is not enough: a file that was rewritten and is now longer looks as if it had only grown.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// How many bytes are remembered. The end of a record holds its id or its time, which no two share.
const CONTEXT_BYTES: usize = 128;

/// An offset and the bytes before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileBookmark {
    offset: u64,
    before: Vec<u8>,
}

impl FileBookmark {
    /// Makes a bookmark at an offset of a file. If the file is shorter by now, the bookmark fits nowhere.
    pub(crate) fn at(file: &mut File, offset: u64) -> io::Result<Self> {
        let kept = offset.min(CONTEXT_BYTES as u64);
        let mut before = Vec::with_capacity(CONTEXT_BYTES);
        file.seek(SeekFrom::Start(offset - kept))?;
        file.take(kept).read_to_end(&mut before)?;
        Ok(Self { offset, before })
    }

    /// The place.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Moves on over these bytes.
    pub(crate) fn advance(&mut self, bytes: &[u8]) {
        self.offset += bytes.len() as u64;
        let fresh = &bytes[bytes.len().saturating_sub(CONTEXT_BYTES)..];
        let stale = (self.before.len() + fresh.len()).saturating_sub(CONTEXT_BYTES);
        self.before.drain(..stale.min(self.before.len()));
        self.before.extend_from_slice(fresh);
    }

    /// Whether the file holds the same bytes before the place.
    pub(crate) fn fits(&self, file: &mut File) -> io::Result<bool> {
        if self.offset == 0 {
            return Ok(true);
        }
        let now = Self::at(file, self.offset)?;
        let is_whole = now.before.len() as u64 == self.offset.min(CONTEXT_BYTES as u64);
        Ok(is_whole && now == *self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_testkit::temp::TempDir;

    #[test]
    fn a_mark_fits_where_it_was_taken_and_nowhere_else() {
        let folder = TempDir::new("mark");
        let bytes: Vec<u8> = (0..1000_u32).map(|n| (n * n % 251) as u8).collect();
        let path = folder.write("file", &bytes);
        let mut file = File::open(&path).unwrap();
        for steps in [
            vec![1, 2, 3],
            vec![500],
            vec![100, 27, 1, 1, 300],
            vec![CONTEXT_BYTES],
            vec![CONTEXT_BYTES - 1, 1, 1],
        ] {
            let (mut bookmark, mut at) = (FileBookmark::default(), 0);
            for step in steps {
                bookmark.advance(&bytes[at..at + step]);
                at += step;
                assert_eq!(bookmark, FileBookmark::at(&mut file, at as u64).unwrap(), "at {at}");
                assert!(bookmark.fits(&mut file).unwrap());
            }
        }
        let bookmark = FileBookmark::at(&mut file, 900).unwrap();
        let mut other = bytes.clone();
        other[899] ^= 1;
        for changed in [&bytes[..899], &other[..], &bytes[1..], b""] {
            std::fs::write(&path, changed).unwrap();
            assert!(!bookmark.fits(&mut file).unwrap(), "{} bytes", changed.len());
        }
        std::fs::write(&path, &bytes[..900]).unwrap();
        assert!(bookmark.fits(&mut file).unwrap());
    }
}
