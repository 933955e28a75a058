//! Splits a file into lines, and joins the lines of records that span several, as clients do that read a file as a stream.
//!
//! A value goes on after its line only if that line has no end, or if the next one begins with what can follow a closed
//! bracket: `,`, `]` or `}`. So an ordinary line is told by its first and last byte and the byte after it, and is not scanned.

use std::ops::Range;

use annals_json::{BYTE_ORDER_MARK, Fields, ParseErrorKind, ValueScanner, skip_space};

use crate::line::{Line, MAX_SPARE_BYTES, lines};
use crate::record::RecordKind;

/// How many lines are searched for the beginning of a record.
const MAX_SEARCHED_LINES: usize = 10_000;

/// Iterates over the lines of a whole file; a record that spans several is one.
///
/// ```
/// use annals_transcript::record_lines::record_lines;
///
/// let file = b"{\"type\":\"tag\"}\n{\n \"type\": \"user\"\n}\n{\"type\":\"mode\"}\n";
/// let numbers: Vec<_> = record_lines(file).map(|line| (line.number, line.last_number())).collect();
/// assert_eq!(numbers, [(1, 1), (2, 4), (5, 5)]);
/// ```
pub fn record_lines(bytes: &[u8]) -> RecordLines<'_> {
    RecordLines { joiner: LineJoiner::default(), rest: bytes }
}

/// The same from `offset` on, which is the start of a line; `lines` lines come before it.
pub(crate) fn record_lines_from(bytes: &[u8], lines: usize, offset: usize) -> RecordLines<'_> {
    let joiner = LineJoiner { lines, offset, ..LineJoiner::default() };
    RecordLines { joiner, rest: bytes.get(offset..).unwrap_or_default() }
}

/// Iterator over the lines of a whole file, see [`record_lines`].
#[derive(Debug)]
pub struct RecordLines<'a> {
    joiner: LineJoiner,
    rest: &'a [u8],
}

impl RecordLines<'_> {
    /// Whether the line at this offset, the next one or the last one given, is inside a value that is no record.
    pub(crate) fn is_inside(&self, offset: usize) -> bool {
        offset < self.joiner.inside
    }
}

impl<'a> Iterator for RecordLines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let run = self.joiner.next(self.rest, b"", Reach::Everything)?;
        let (raw, rest) = self.rest.split_at(run.length);
        self.rest = rest;
        Some(self.joiner.pass(run, raw))
    }
}

/// Splits a file that is read in chunks, like [`record_lines`]; holds one unfinished line or record in memory.
#[derive(Debug, Default)]
pub struct RecordSplitter {
    joiner: LineJoiner,
    carry: Vec<u8>,
}

impl RecordSplitter {
    /// Starts at the beginning of a file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts after this many lines and bytes of a file, between two records.
    pub fn after(lines: usize, offset: usize) -> Self {
        Self { joiner: LineJoiner { lines, offset, ..LineJoiner::default() }, carry: Vec::new() }
    }

    /// Whether nothing is held back.
    pub fn is_between_lines(&self) -> bool {
        self.carry.is_empty()
    }

    /// Calls `each` for every line that the next bytes complete; stops at its first error. A line that a record may begin
    /// on is held back until the record ends, or cannot.
    pub fn push<E>(
        &mut self,
        chunk: &[u8],
        mut each: impl FnMut(Line<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = chunk;
        while !self.carry.is_empty() {
            let Some(newline) = memchr::memchr(b'\n', rest) else {
                self.carry.extend_from_slice(rest);
                return Ok(());
            };
            let (line, behind) = rest.split_at(newline + 1);
            self.carry.extend_from_slice(line);
            rest = behind;
            let mut done = 0;
            while let Some(run) = self.joiner.next(&self.carry[done..], rest, Reach::Part) {
                let raw = &self.carry[done..done + run.length];
                done += run.length;
                each(self.joiner.pass(run, raw))?;
            }
            self.carry.drain(..done);
            if self.carry.is_empty() {
                self.carry.shrink_to(MAX_SPARE_BYTES);
            }
        }
        while let Some(run) = self.joiner.next(rest, b"", Reach::Part) {
            let (raw, behind) = rest.split_at(run.length);
            rest = behind;
            each(self.joiner.pass(run, raw))?;
        }
        self.carry.extend_from_slice(rest);
        Ok(())
    }

    /// Calls `each` for the lines that are left at the end of the file.
    pub fn finish<E>(mut self, mut each: impl FnMut(Line<'_>) -> Result<(), E>) -> Result<(), E> {
        let mut rest = self.carry.as_slice();
        while let Some(run) = self.joiner.next(rest, b"", Reach::Everything) {
            let (raw, behind) = rest.split_at(run.length);
            rest = behind;
            each(self.joiner.pass(run, raw))?;
        }
        Ok(())
    }

    /// The same for a file that may grow: a record that is still being written is left for later, unless lines after its
    /// first are records themselves. Then the first was torn.
    pub fn finish_settled<E>(self, each: impl FnMut(Line<'_>) -> Result<(), E>) -> Result<(), E> {
        let mut joiner = self.joiner.clone();
        let was_open = joiner.value.is_some();
        let _ = joiner.next(&self.carry, b"", Reach::Everything);
        if was_open && joiner.inside == usize::MAX && !has_records(&self.carry) {
            return Ok(());
        }
        self.finish(each)
    }
}

/// Returns where the first record begins in bytes from the middle of a file, of which the first line may be cut: on a line
/// with an opening brace after one with a closing one. Inside a value a comma or a colon would stand there.
pub fn first_record(bytes: &[u8]) -> Option<usize> {
    let after_first = memchr::memchr(b'\n', bytes)? + 1;
    let starts = memchr::memchr_iter(b'\n', bytes).map(|newline| newline + 1);
    let begins = |start: &usize| {
        bytes.get(skip_space(bytes, *start)) == Some(&b'{')
            && bytes[..*start].trim_ascii_end().last() == Some(&b'}')
    };
    Some(starts.take(MAX_SEARCHED_LINES).find(begins).unwrap_or(after_first))
}

/// Whether the bytes reach to the end of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Part,
    Everything,
}

/// The next lines that belong together: usually one.
#[derive(Clone, Copy, Debug)]
struct LineRun {
    length: usize,
    lines: usize,
}

/// A value that goes on after its first line.
#[derive(Clone, Debug)]
struct OpenValue {
    scanner: ValueScanner,
    start: usize,
    /// What was scanned of it: whole lines.
    scanned: LineRun,
}

/// Decides which lines belong together. Every byte is scanned a bounded number of times, whatever the file holds.
#[derive(Clone, Debug, Default)]
struct LineJoiner {
    lines: usize,
    offset: usize,
    value: Option<OpenValue>,
    /// After an error: what begins at one of its open brackets fails at the same place.
    failed: ValueScanner,
    /// Lines that begin before this offset are inside a value that is no record.
    inside: usize,
}

impl LineJoiner {
    /// Finds the next lines in the bytes at the current offset; `ahead` are bytes after them that are known already. `None`
    /// if more bytes are needed, or none are left.
    fn next(&mut self, bytes: &[u8], ahead: &[u8], reach: Reach) -> Option<LineRun> {
        if self.value.is_none() {
            let length = line_length(bytes, reach)?;
            let line = Line::joined(self.lines + 1, self.offset, &bytes[..length], 1);
            let first = LineRun { length, lines: 1 };
            match self.open(&line, &bytes[length..], ahead) {
                Some(value) => self.value = Some(value),
                None => return Some(first),
            }
        }
        self.go_on(bytes, reach)
    }

    /// Moves on past lines that were found.
    fn pass<'a>(&mut self, run: LineRun, raw: &'a [u8]) -> Line<'a> {
        let line = Line::joined(self.lines + 1, self.offset, raw, run.lines);
        self.lines += run.lines;
        self.offset += run.length;
        line
    }

    /// Returns the value that a line begins and does not end.
    fn open(&self, line: &Line<'_>, behind: &[u8], ahead: &[u8]) -> Option<OpenValue> {
        let raw = line.raw();
        let start = skip_space(raw, line.body_start());
        if self.offset < self.inside
            || !matches!(raw.get(start), Some(b'{' | b'['))
            || self.failed.is_open_at(self.offset + start)
            || !can_go_on(raw, behind, ahead)
        {
            return None;
        }
        let mut scanner = ValueScanner::new();
        let is_open = matches!(scanner.feed(raw, start, self.offset), Ok(None));
        is_open.then_some(OpenValue { scanner, start, scanned: LineRun { length: raw.len(), lines: 1 } })
    }

    /// Scans the open value line by line.
    fn go_on(&mut self, bytes: &[u8], reach: Reach) -> Option<LineRun> {
        let mut value = self.value.take()?;
        let first =
            LineRun { length: memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1), lines: 1 };
        loop {
            let from = value.scanned.length;
            let Some(length) = line_length(&bytes[from..], reach) else {
                if reach == Reach::Everything {
                    // The file ends in it: what follows is read line by line.
                    self.inside = usize::MAX;
                    return Some(first);
                }
                self.value = Some(value);
                return None;
            };
            let line = &bytes[from..from + length];
            value.scanned = LineRun { length: from + length, lines: value.scanned.lines + 1 };
            match value.scanner.feed(line, 0, self.offset + from) {
                Ok(None) => {}
                Ok(Some(end)) => {
                    let run = value.scanned;
                    if is_record(&bytes[value.start..from + end], &bytes[..run.length]) {
                        return Some(run);
                    }
                    self.inside = self.offset + run.length;
                    return Some(first);
                }
                // Only the last line can break off inside a token: the file ends in the value.
                Err(fault) if fault.kind == ParseErrorKind::Unfinished => {}
                Err(_) => {
                    self.failed = value.scanner;
                    return Some(first);
                }
            }
        }
    }
}

/// The length of the next line.
fn line_length(bytes: &[u8], reach: Reach) -> Option<usize> {
    match memchr::memchr(b'\n', bytes) {
        Some(newline) => Some(newline + 1),
        None => (reach == Reach::Everything && !bytes.is_empty()).then_some(bytes.len()),
    }
}

/// Whether a value that begins on a line can go on after it, by the byte that ends the line and the one that follows.
fn can_go_on(line: &[u8], behind: &[u8], ahead: &[u8]) -> bool {
    if !matches!(line.trim_ascii_end().last(), Some(b'}' | b']')) {
        return true;
    }
    let first = |bytes: &[u8]| bytes.get(skip_space(bytes, 0)).copied();
    match first(behind).or_else(|| first(ahead)) {
        Some(byte) => matches!(byte, b',' | b'}' | b']'),
        // What comes next is not known yet.
        None => true,
    }
}

/// Finds lines by positions in a file.
#[derive(Debug)]
pub struct LineFinder<'a> {
    bytes: &'a [u8],
    /// The records that span several lines; found when a line may be part of one.
    joined: Option<Vec<Range<usize>>>,
}

impl<'a> LineFinder<'a> {
    /// Searches a whole file.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, joined: None }
    }

    /// Returns the line around a position, or the lines of the record that it is part of, with the line break.
    pub fn around(&mut self, place: usize) -> Range<usize> {
        let bytes = self.bytes;
        let start = memchr::memrchr(b'\n', &bytes[..place]).map_or(0, |newline| newline + 1);
        let end = memchr::memchr(b'\n', &bytes[place..]).map_or(bytes.len(), |newline| place + newline + 1);
        if stands_alone(bytes, start..end, 0) {
            return start..end;
        }
        let joined = self.joined.get_or_insert_with(|| {
            let range = |line: Line<'_>| line.offset..line.offset + line.raw().len();
            record_lines(bytes).filter(Line::is_joined).map(range).collect()
        });
        let next = joined.partition_point(|range| range.end <= place);
        joined.get(next).filter(|range| range.contains(&place)).cloned().unwrap_or(start..end)
    }
}

/// Whether a line of a file is not part of a record that spans several, by the bytes around it. `before` is the last byte
/// before `bytes` that is no white space, or 0. May be false where a damaged line comes before, never true for a part.
pub(crate) fn stands_alone(bytes: &[u8], line: Range<usize>, before: u8) -> bool {
    let raw = &bytes[line.clone()];
    let mark = if line.start == 0 && raw.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let start = skip_space(raw, mark);
    let previous = bytes[..line.start].trim_ascii_end().last().copied().unwrap_or(before);
    raw.get(start) == Some(&b'{')
        && !matches!(previous, b'[' | b',' | b':')
        && (!can_go_on(raw, &bytes[line.end..], b"")
            || !matches!(ValueScanner::new().feed(raw, start, 0), Ok(None)))
}

/// Whether a value over several lines is a record. If lines inside it are, it is the rest of a torn one around them.
fn is_record(value: &[u8], lines: &[u8]) -> bool {
    Fields::scan(value).is_ok_and(|(fields, _)| is_chain(&fields) || !has_records(lines))
}

/// Whether lines after the first are records by themselves.
fn has_records(bytes: &[u8]) -> bool {
    let object = |line: Line<'_>| {
        let body = line.body();
        Fields::scan(&body[skip_space(body, 0)..]).is_ok_and(|(fields, _)| is_chain(&fields))
    };
    lines(bytes).skip(1).any(object)
}

fn is_chain(fields: &Fields<'_>) -> bool {
    RecordKind::of(fields.text("type")).is_chain() && fields.text("uuid").is_some()
}

#[cfg(test)]
mod tests;
