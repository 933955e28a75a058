//! Splits bytes into lines. The lines, concatenated, are the file: nothing is trimmed, joined or dropped.

use annals_json::BYTE_ORDER_MARK;

/// How much memory is kept for the next line: that of a very long one is released.
pub(crate) const MAX_SPARE_BYTES: usize = 1024 * 1024;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnding {
    /// The file ends here, without a newline.
    EndOfFile,
    /// `\n`
    Newline,
    /// `\r\n`
    CarriageReturnNewline,
}

/// One line with its position in the file, or the lines of a record that spans several, as [`record_lines`] joins them.
///
/// [`record_lines`]: crate::record_lines::record_lines
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The line number, counted from 1; of several, the first.
    pub number: usize,
    /// The offset of the first byte in the file.
    pub offset: usize,
    raw: &'a [u8],
    count: usize,
}

impl<'a> Line<'a> {
    /// A line found by a search, without counting the lines before it: its number is 1 at the start of the file and 0
    /// elsewhere.
    pub fn uncounted(offset: usize, raw: &'a [u8]) -> Self {
        Self { number: usize::from(offset == 0), offset, raw, count: 1 }
    }

    /// Several lines as one.
    pub(crate) fn joined(number: usize, offset: usize, raw: &'a [u8], count: usize) -> Self {
        Self { number, offset, raw, count }
    }

    /// Whether it is several lines.
    pub fn is_joined(&self) -> bool {
        self.count > 1
    }

    /// The number of the last line.
    pub fn last_number(&self) -> usize {
        self.number + self.count - 1
    }

    /// Each of its lines.
    pub fn parts(&self) -> Lines<'a> {
        Lines { rest: self.raw, number: self.number - 1, offset: self.offset }
    }

    /// All bytes of the line, with its ending.
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// The line ending.
    pub fn ending(&self) -> LineEnding {
        match self.raw {
            [.., b'\r', b'\n'] => LineEnding::CarriageReturnNewline,
            [.., b'\n'] => LineEnding::Newline,
            _ => LineEnding::EndOfFile,
        }
    }

    /// Whether it starts with a byte order mark; only the first line of a file can.
    pub fn has_byte_order_mark(&self) -> bool {
        self.number == 1 && self.raw.starts_with(BYTE_ORDER_MARK)
    }

    /// The offset of the body within the line: after the byte order mark.
    pub fn body_start(&self) -> usize {
        if self.has_byte_order_mark() { BYTE_ORDER_MARK.len() } else { 0 }
    }

    /// The line without its ending and byte order mark.
    pub fn body(&self) -> &'a [u8] {
        let end = match self.ending() {
            LineEnding::EndOfFile => 0,
            LineEnding::Newline => 1,
            LineEnding::CarriageReturnNewline => 2,
        };
        &self.raw[self.body_start()..self.raw.len() - end]
    }
}

/// Iterates over the lines of a whole file.
pub fn lines(bytes: &[u8]) -> Lines<'_> {
    Lines { rest: bytes, number: 0, offset: 0 }
}

/// Iterator over the lines of a whole file.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
    offset: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let length = memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |at| at + 1);
        let (raw, rest) = self.rest.split_at(length);
        let line = Line { number: self.number + 1, offset: self.offset, raw, count: 1 };
        self.rest = rest;
        self.number += 1;
        self.offset += length;
        Some(line)
    }
}

/// Splits a file that is read in chunks into lines; holds one unfinished line in memory.
#[derive(Debug, Default)]
pub struct LineSplitter {
    carry: Vec<u8>,
    number: usize,
    offset: usize,
}

impl LineSplitter {
    /// Starts at the beginning of a file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts after this many lines and bytes of a file.
    pub fn after(lines: usize, offset: usize) -> Self {
        Self { carry: Vec::new(), number: lines, offset }
    }

    /// Calls `each` for every line that the next bytes complete; stops at its first error.
    pub fn push<E>(
        &mut self,
        chunk: &[u8],
        mut each: impl FnMut(Line<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = chunk;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (head, tail) = rest.split_at(end + 1);
            rest = tail;
            if self.carry.is_empty() {
                let line = self.place(head.len(), head);
                each(line)?;
            } else {
                let mut whole = std::mem::take(&mut self.carry);
                whole.extend_from_slice(head);
                let line = self.place(whole.len(), &whole);
                each(line)?;
                whole.clear();
                whole.shrink_to(MAX_SPARE_BYTES);
                self.carry = whole;
            }
        }
        self.carry.extend_from_slice(rest);
        Ok(())
    }

    /// Calls `each` for the last line if the file does not end in a newline.
    pub fn finish<E>(mut self, mut each: impl FnMut(Line<'_>) -> Result<(), E>) -> Result<(), E> {
        let last = std::mem::take(&mut self.carry);
        if last.is_empty() { Ok(()) } else { each(self.place(last.len(), &last)) }
    }

    fn place<'l>(&mut self, length: usize, raw: &'l [u8]) -> Line<'l> {
        let line = Line { number: self.number + 1, offset: self.offset, raw, count: 1 };
        self.number += 1;
        self.offset += length;
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_every_byte_and_knows_the_endings() {
        let file = b"\xef\xbb\xbf{}\r\n\n{\"a\":1}\n\0\0\ntail";
        let all: Vec<_> = lines(file).collect();
        assert_eq!(all.iter().flat_map(|line| line.raw().to_vec()).collect::<Vec<_>>(), file);
        assert_eq!(all.iter().map(|line| line.offset).collect::<Vec<_>>(), [0, 7, 8, 16, 19]);
        assert_eq!(all[0].body(), b"{}");
        assert_eq!(all[0].ending(), LineEnding::CarriageReturnNewline);
        assert_eq!(all[1].body(), b"");
        assert_eq!(all[4].ending(), LineEnding::EndOfFile);
    }

    #[test]
    fn chunks_of_any_size_give_the_same_lines() {
        let file = b"one\ntwo\r\n\nlonger line\nend";
        let whole: Vec<_> = lines(file).map(|line| (line.number, line.offset, line.raw().to_vec())).collect();
        for size in 1..file.len() {
            let mut pieces = Vec::new();
            let mut splitter = LineSplitter::new();
            let mut keep = |line: Line<'_>| -> Result<(), ()> {
                pieces.push((line.number, line.offset, line.raw().to_vec()));
                Ok(())
            };
            for chunk in file.chunks(size) {
                splitter.push(chunk, &mut keep).unwrap();
            }
            splitter.finish(&mut keep).unwrap();
            assert_eq!(pieces, whole, "chunks of {size}");
        }
    }

    #[test]
    fn a_splitter_goes_on_where_another_stopped() {
        let file = b"one\ntwo\nthree\n";
        let mut seen = Vec::new();
        let pushed: Result<(), ()> = LineSplitter::after(1, 4).push(&file[4..], |line| {
            seen.push((line.number, line.offset, line.body().to_vec()));
            Ok(())
        });
        assert_eq!(pushed, Ok(()));
        assert_eq!(seen, [(2, 4, b"two".to_vec()), (3, 8, b"three".to_vec())]);
    }
}
