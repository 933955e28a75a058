//! Where following starts: at the first line, after the last, or a few lines before the end or another place. A record that spans several
//! lines counts as one.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use annals_transcript::record_lines::RecordSplitter;

/// Where following starts, in the file that is there and in any that takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowStart {
    /// At the first line.
    Beginning,
    /// Before the last N whole lines.
    LastLines(usize),
    /// Before the last N whole lines that end before a byte: for somebody who has read that far.
    LinesBefore {
        /// How many lines.
        lines: usize,
        /// The byte.
        offset: u64,
    },
    /// After the last complete line.
    End,
}

/// A line's beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinePosition {
    /// The number of lines before it.
    pub(super) lines: usize,
    /// The number of bytes before it.
    pub(super) offset: u64,
}

impl FollowStart {
    /// Finds the place. The end is counted once, forwards, so that lines have their numbers; the last lines are looked for
    /// backwards from there, so that nothing has to be remembered of the others.
    pub(super) fn find(self, file: &mut File, chunk: &mut [u8]) -> io::Result<LinePosition> {
        let (wanted, limit) = match self {
            Self::Beginning => return Ok(LinePosition { lines: 0, offset: 0 }),
            Self::LastLines(lines) => (lines, u64::MAX),
            Self::LinesBefore { lines, offset } => (lines, offset),
            Self::End => (0, u64::MAX),
        };
        loop {
            let end = end_of_lines(file, limit, chunk)?;
            let wanted = wanted.min(end.lines);
            match go_back(file, end.offset, wanted, chunk) {
                Ok(offset) if wanted == 0 || has_plain_lines(file, offset, end.offset, chunk)? => {
                    return Ok(LinePosition { lines: end.lines - wanted, offset });
                }
                Ok(_) => return last_records(file, limit, wanted, chunk),
                // It was truncated while it was read: the rest is counted again.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The offset after the last newline within a limit.
fn end_of_lines(file: &mut File, limit: u64, chunk: &mut [u8]) -> io::Result<LinePosition> {
    let (mut end, mut at) = (LinePosition { lines: 0, offset: 0 }, 0);
    file.seek(SeekFrom::Start(0))?;
    let mut file = file.take(limit);
    loop {
        let length = match file.read(chunk) {
            Ok(0) => return Ok(end),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let bytes = &chunk[..length];
        end.lines += memchr::memchr_iter(b'\n', bytes).count();
        if let Some(last) = memchr::memrchr(b'\n', bytes) {
            end.offset = at + last as u64 + 1;
        }
        at += length as u64;
    }
}

/// Whether between line starts there are only lines with one object each, by the bytes around line breaks.
fn has_plain_lines(file: &mut File, start: u64, end: u64, chunk: &mut [u8]) -> io::Result<bool> {
    let mut before = vec![0; start.min(MAX_SPACE) as usize];
    file.seek(SeekFrom::Start(start - before.len() as u64))?;
    file.read_exact(&mut before)?;
    // More space than that tells nothing.
    let unknown = if start == 0 { b'}' } else { 0 };
    let (mut last, mut is_line_start) = (last_byte(&before).unwrap_or(unknown), true);
    let mut rest = file.take(end - start);
    loop {
        let mut bytes = match rest.read(chunk)? {
            // What the last line leaves open may go on.
            0 => return Ok(last == b'}'),
            length => &chunk[..length],
        };
        while !bytes.is_empty() {
            if is_line_start {
                bytes = bytes.trim_ascii_start();
                let Some(&first) = bytes.first() else { break };
                if first != b'{' || last != b'}' {
                    return Ok(false);
                }
            }
            let newline = memchr::memchr(b'\n', bytes);
            let (line, behind) = bytes.split_at(newline.map_or(bytes.len(), |at| at + 1));
            last = last_byte(line).unwrap_or(last);
            is_line_start = newline.is_some();
            bytes = behind;
        }
    }
}

/// The last byte that is no white space.
fn last_byte(bytes: &[u8]) -> Option<u8> {
    bytes.trim_ascii_end().last().copied()
}

/// How far back the end of the line before is looked for.
const MAX_SPACE: u64 = 16;

/// Reads all that is within a limit for its last records.
fn last_records(file: &mut File, limit: u64, wanted: usize, chunk: &mut [u8]) -> io::Result<LinePosition> {
    let mut starts = VecDeque::from([LinePosition { lines: 0, offset: 0 }]);
    let mut splitter = RecordSplitter::new();
    file.seek(SeekFrom::Start(0))?;
    let mut file = file.take(limit);
    loop {
        let length = match file.read(chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let Ok(()) = splitter.push(&chunk[..length], |line| -> Result<(), Infallible> {
            let offset = (line.offset + line.raw().len()) as u64;
            starts.push_back(LinePosition { lines: line.last_number(), offset });
            if starts.len() > wanted + 1 {
                starts.pop_front();
            }
            Ok(())
        });
    }
    Ok(starts[0])
}

/// Returns the start of the line that is `lines` lines before `end`, itself the end of a line.
fn go_back(file: &mut File, end: u64, lines: usize, chunk: &mut [u8]) -> io::Result<u64> {
    if lines == 0 {
        return Ok(end);
    }
    // The newline that ends the last line is passed too.
    let mut newlines = lines + 1;
    let mut to = end;
    while to > 0 {
        let length = to.min(chunk.len() as u64);
        let bytes = &mut chunk[..length as usize];
        file.seek(SeekFrom::Start(to - length))?;
        file.read_exact(bytes)?;
        for at in memchr::memrchr_iter(b'\n', bytes) {
            newlines -= 1;
            if newlines == 0 {
                return Ok(to - length + at as u64 + 1);
            }
        }
        to -= length;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_testkit::temp::TempDir;

    #[test]
    fn the_last_lines_are_found_in_chunks_of_any_size() {
        let folder = TempDir::new("start");
        for text in ["", "\n", "torn", "one\n", "one\n\ntwo, longer\nthree\n", "one\ntwo\ntorn"] {
            let mut file = File::open(folder.write("file", text)).unwrap();
            let whole = &text[..text.rfind('\n').map_or(0, |at| at + 1)];
            let lines: Vec<&str> = whole.split_inclusive('\n').collect();
            for (size, wanted) in (1..10).flat_map(|size| (0..6).map(move |wanted| (size, wanted))) {
                let place = FollowStart::LastLines(wanted).find(&mut file, &mut vec![0; size]).unwrap();
                let skipped = lines.len().saturating_sub(wanted);
                let offset = lines[..skipped].iter().map(|line| line.len() as u64).sum();
                assert_eq!(
                    place,
                    LinePosition { lines: skipped, offset },
                    "{text:?}, {wanted} lines by {size}"
                );
            }
            let mut find = |start: FollowStart| start.find(&mut file, &mut [0; 3]).unwrap();
            assert_eq!(
                find(FollowStart::End),
                LinePosition { lines: lines.len(), offset: whole.len() as u64 }
            );
            assert_eq!(find(FollowStart::Beginning), LinePosition { lines: 0, offset: 0 });
            for (offset, wanted) in
                (0..=text.len()).flat_map(|offset| (0..4).map(move |wanted| (offset, wanted)))
            {
                let mut shorter = File::open(folder.write("shorter", &text[..offset])).unwrap();
                let expected = FollowStart::LastLines(wanted).find(&mut shorter, &mut [0; 3]).unwrap();
                let start = FollowStart::LinesBefore { lines: wanted, offset: offset as u64 };
                assert_eq!(find(start), expected, "{text:?}, {wanted} lines before {offset}");
            }
        }
    }
}
