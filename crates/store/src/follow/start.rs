//! Where following starts: at the first line, after the last, or a few lines before the end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Where following starts, in the file that is there and in any that takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowStart {
    /// At the first line.
    Beginning,
    /// Before the last N whole lines.
    LastLines(usize),
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
        let wanted = match self {
            Self::Beginning => return Ok(LinePosition { lines: 0, offset: 0 }),
            Self::LastLines(lines) => lines,
            Self::End => 0,
        };
        loop {
            let end = end_of_lines(file, chunk)?;
            let wanted = wanted.min(end.lines);
            match go_back(file, end.offset, wanted, chunk) {
                Ok(offset) => return Ok(LinePosition { lines: end.lines - wanted, offset }),
                // It was truncated while it was read: the rest is counted again.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The offset after the last newline.
fn end_of_lines(file: &mut File, chunk: &mut [u8]) -> io::Result<LinePosition> {
    let (mut end, mut at) = (LinePosition { lines: 0, offset: 0 }, 0);
    file.seek(SeekFrom::Start(0))?;
    loop {
        let length = match file.read(chunk) {
            Ok(0) => return Ok(end),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let bytes = &chunk[..length];
        end.lines += bytes.iter().filter(|&&byte| byte == b'\n').count();
        if let Some(last) = bytes.iter().rposition(|&byte| byte == b'\n') {
            end.offset = at + last as u64 + 1;
        }
        at += length as u64;
    }
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
        for (at, _) in bytes.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n') {
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
        }
    }
}
