//! A file as a stream of JSON values, each of which may take several lines.
//!
//! Newer clients read files like this: a value, then the next line; after an error, the line after the one where the value
//! began. A value that the file ends in takes all lines after it with it.

use annals_json::{ParseErrorKind, scan_open};

/// Follows the stream line by line. Every byte is scanned a bounded number of times, whatever the file holds.
#[derive(Debug, Default)]
pub(crate) struct StreamReader {
    /// Lines that begin before this offset are inside a value.
    end: usize,
    /// What was open at the last error. A value that begins at one of these fails at the same place.
    open: Vec<usize>,
}

/// A value that goes on after its first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LongValue {
    /// It ends at this offset.
    Whole(usize),
    /// The file ends first.
    Unfinished,
}

impl StreamReader {
    /// Whether the line at this offset is inside a value that began on an earlier line.
    pub(crate) fn is_inside(&self, offset: usize) -> bool {
        offset < self.end
    }

    /// Reads a value that its line breaks off; `None` if it is invalid, so that the stream continues with the next line.
    pub(crate) fn read_long(&mut self, bytes: &[u8], start: usize) -> Option<LongValue> {
        if self.open.binary_search(&start).is_ok() {
            return None;
        }
        match scan_open(bytes, start, &mut self.open) {
            Ok(end) => {
                self.end =
                    memchr::memchr(b'\n', &bytes[end..]).map_or(bytes.len(), |newline| end + newline + 1);
                Some(LongValue::Whole(end))
            }
            Err(fault) if fault.kind == ParseErrorKind::Unfinished => {
                self.end = usize::MAX;
                Some(LongValue::Unfinished)
            }
            Err(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_once_is_not_scanned_again() {
        let file = b"[\n[\n{\"a\":\n[1]\n!\n";
        let mut stream = StreamReader::default();
        assert_eq!(stream.read_long(file, 0), None);
        assert_eq!(stream.open, [0, 2, 4]);
        assert_eq!((stream.read_long(file, 2), stream.read_long(file, 4)), (None, None));
        assert_eq!(stream.open, [0, 2, 4]);
    }

    #[test]
    fn a_value_ends_with_its_line_or_with_the_file() {
        let file = b"{\"a\":\n1} x\n{}\n[\n{}\n";
        let mut stream = StreamReader::default();
        assert_eq!(stream.read_long(file, 0), Some(LongValue::Whole(8)));
        assert!(stream.is_inside(6) && !stream.is_inside(11));
        assert_eq!(stream.read_long(file, 14), Some(LongValue::Unfinished));
        assert!(stream.is_inside(16));
    }
}
