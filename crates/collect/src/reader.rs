//! What is new in one file: whole lines and records after what was read before, or the whole file. A last line without a line
//! break is left for later, unless nothing has been written for long.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use annals_index::cursor::{Cursor, EndBytes, FileChange, FileStamp, detect_change, fingerprint};
use annals_json::Value;
use annals_store::read::open_file;
use annals_transcript::line::{Line, LineEnding};
use annals_transcript::record_lines::RecordSplitter;

use crate::item::ItemForm;
use crate::selection::{FileKind, TargetFile};
use crate::state::{FileEntry, OpenLine};

/// Larger files than this are not sent as a whole.
pub(crate) const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// How much is read at a time.
const CHUNK: usize = 64 * 1024;

/// How many bytes before the new lines are looked at for the calls to which they are the results.
const LOOK_BACK: u64 = 1024 * 1024;

/// A line, the lines of one record, or a file, before redaction.
#[derive(Debug)]
pub(crate) struct RawItem {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) number: u64,
    pub(crate) form: ItemForm,
    /// Without the line break.
    pub(crate) text: Vec<u8>,
}

/// Where reading of a file starts.
#[derive(Debug)]
pub(crate) enum ReadStart {
    /// The file holds nothing new.
    Nothing,
    /// Reading resumes after what was read before.
    Resume(FileReader),
    /// The file is new, or what was read of it has changed: reading starts at the beginning, as another generation.
    Restart(FileReader),
    /// It is too large to be sent as a whole.
    TooLarge,
}

/// A file that is being read.
#[derive(Debug)]
pub(crate) struct FileReader {
    file: File,
    /// `None` at the end of the file.
    splitter: Option<RecordSplitter>,
    /// Lines that were read and not taken yet.
    ready: VecDeque<RawItem>,
    end_bytes: EndBytes,
    /// The position after what was read.
    pub(crate) cursor: Cursor,
    /// Whether that ends with a line without its line break.
    pub(crate) open: Option<OpenLine>,
    kind: FileKind,
    last_line: LastLine,
}

/// What becomes of a last line without a line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastLine {
    /// It is left: it may still be written.
    Wait,
    /// It is taken: its writer has ended.
    Take,
}

impl LastLine {
    /// Takes the last line of a file that was not written for `idle` milliseconds.
    fn of(stamp: &FileStamp, now: i64, idle: i64) -> Self {
        match now.saturating_sub(stamp.modified / 1_000_000) >= idle {
            true => Self::Take,
            false => Self::Wait,
        }
    }
}

/// How a line goes on that was taken without its line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenLineEnd {
    Ended,
    /// Nothing follows yet.
    Undecided,
    /// More of it follows, so that what was taken is not the line.
    Continued,
}

/// Opens a file if it holds something new. `time` is the time, and `idle` how long a file must not have been written until its
/// last line is taken without a line break, both in milliseconds.
pub(crate) fn start(
    target: &TargetFile,
    entry: Option<&FileEntry>,
    time: i64,
    idle: i64,
) -> io::Result<ReadStart> {
    let known = entry.map(|entry| &entry.taken);
    if let Some(known) = known {
        let now = FileStamp::at(&std::fs::metadata(&target.path)?);
        if known.stamp == now && known.offset >= now.bytes {
            return Ok(ReadStart::Nothing);
        }
    }
    let mut file = open_file(&target.path)?;
    let now = FileStamp::at(&file.metadata()?);
    let last_line = LastLine::of(&now, time, idle);
    match (target.kind, known) {
        (FileKind::Lines, Some(known)) if detect_change(known, &now, &mut file)? != FileChange::Rewritten => {
            let end_bytes = EndBytes::of(known, &mut file)?;
            file.seek(SeekFrom::Start(known.offset))?;
            let cursor = Cursor { stamp: now, ..known.clone() };
            let mut reading = FileReader::new(file, end_bytes, cursor, target.kind, last_line);
            match reading.end_open_line(entry.and_then(|entry| entry.open))? {
                OpenLineEnd::Ended => Ok(ReadStart::Resume(reading)),
                OpenLineEnd::Undecided => Ok(ReadStart::Nothing),
                OpenLineEnd::Continued => {
                    Ok(ReadStart::Restart(FileReader::fresh(reading.file, now, target.kind, last_line)?))
                }
            }
        }
        (FileKind::Lines, ..) => {
            Ok(ReadStart::Restart(FileReader::fresh(file, now, target.kind, last_line)?))
        }
        _ if now.bytes > MAX_FILE_BYTES => Ok(ReadStart::TooLarge),
        (_, known) => {
            let mut bytes = Vec::new();
            file.by_ref().take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
            let reading = FileReader::fresh(file, now, target.kind, last_line)?;
            let is_known = known.is_some_and(|known| {
                known.offset == bytes.len() as u64 && known.prefix == fingerprint(&bytes) && known.offset > 0
            });
            Ok(if is_known { ReadStart::Nothing } else { ReadStart::Restart(reading) })
        }
    }
}

impl FileReader {
    fn fresh(mut file: File, stamp: FileStamp, kind: FileKind, last_line: LastLine) -> io::Result<Self> {
        file.seek(SeekFrom::Start(0))?;
        Ok(Self::new(file, EndBytes::default(), Cursor::start(stamp), kind, last_line))
    }

    fn new(file: File, end_bytes: EndBytes, cursor: Cursor, kind: FileKind, last_line: LastLine) -> Self {
        let splitter = Some(RecordSplitter::after(cursor.lines as usize, cursor.offset as usize));
        Self { file, splitter, ready: VecDeque::new(), end_bytes, cursor, open: None, kind, last_line }
    }

    /// Skips the line break that has come after a line which was taken without it.
    fn end_open_line(&mut self, open: Option<OpenLine>) -> io::Result<OpenLineEnd> {
        let Some(open) = open else { return Ok(OpenLineEnd::Ended) };
        let mut ahead = Vec::new();
        self.file.by_ref().take(2).read_to_end(&mut ahead)?;
        let ending: &[u8] = match (&ahead[..], open) {
            ([b'\n', ..], _) => b"\n",
            (b"\r\n", _) => b"\r\n",
            ([] | [b'\r'], _) => return Ok(OpenLineEnd::Undecided),
            // Another record in the same line.
            (_, OpenLine::Complete) => b"",
            (_, OpenLine::Torn) => return Ok(OpenLineEnd::Continued),
        };
        self.end_bytes.advance(ending);
        self.cursor.offset += ending.len() as u64;
        self.cursor.lines += u64::from(!ending.is_empty());
        self.file.seek(SeekFrom::Start(self.cursor.offset))?;
        let (lines, offset) = (self.cursor.lines as usize, self.cursor.offset as usize);
        self.splitter = Some(RecordSplitter::after(lines, offset));
        Ok(OpenLineEnd::Ended)
    }

    /// The whole lines before the position, as far back as results are from their calls; nothing if it is at the start.
    pub(crate) fn lines_before(&mut self) -> io::Result<Vec<u8>> {
        let end = self.cursor.offset;
        let start = end.saturating_sub(LOOK_BACK);
        let mut bytes = Vec::new();
        if self.kind == FileKind::Lines && end > 0 {
            self.file.seek(SeekFrom::Start(start))?;
            self.file.by_ref().take(end - start).read_to_end(&mut bytes)?;
            self.file.seek(SeekFrom::Start(end))?;
        }
        if start > 0 {
            let torn = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
            bytes.drain(..torn);
        }
        Ok(bytes)
    }

    /// The next whole line or record, or the file; `None` at the end, before a last line without a line break, and before a
    /// record that is still being written.
    pub(crate) fn next(&mut self) -> io::Result<Option<RawItem>> {
        match self.kind {
            FileKind::Lines => self.next_line(),
            FileKind::Record | FileKind::Output => self.whole(),
        }
    }

    fn next_line(&mut self) -> io::Result<Option<RawItem>> {
        while self.ready.is_empty() && self.splitter.is_some() {
            self.read_chunk()?;
        }
        let Some(mut item) = self.ready.pop_front() else { return Ok(None) };
        self.end_bytes.advance(&item.text);
        self.cursor.offset += item.length;
        self.cursor.lines += item.text.iter().filter(|byte| **byte == b'\n').count() as u64;
        match item.text.last() {
            Some(b'\n') => {
                item.text.pop();
            }
            _ => {
                let is_whole = Value::parse(&item.text).is_ok();
                self.open = Some(if is_whole { OpenLine::Complete } else { OpenLine::Torn });
                item.form = if is_whole { ItemForm::Line } else { ItemForm::Torn };
            }
        }
        Ok(Some(item))
    }

    fn read_chunk(&mut self) -> io::Result<()> {
        let takes_last = self.last_line == LastLine::Take;
        let ready = &mut self.ready;
        let mut take = |line: Line<'_>| -> Result<(), Infallible> {
            if line.ending() != LineEnding::EndOfFile || takes_last {
                let (offset, number) = (line.offset as u64, line.number as u64);
                let text = line.raw().to_vec();
                let length = text.len() as u64;
                ready.push_back(RawItem { offset, length, number, form: ItemForm::Line, text });
            }
            Ok(())
        };
        let mut chunk = Vec::with_capacity(CHUNK);
        let length = self.file.by_ref().take(CHUNK as u64).read_to_end(&mut chunk)?;
        let Some(mut splitter) = self.splitter.take() else { return Ok(()) };
        if length == 0 {
            let Ok(()) = match takes_last {
                true => splitter.finish(take),
                false => splitter.finish_settled(take),
            };
            return Ok(());
        }
        let Ok(()) = splitter.push(&chunk, &mut take);
        self.splitter = Some(splitter);
        Ok(())
    }

    fn whole(&mut self) -> io::Result<Option<RawItem>> {
        let mut text = Vec::new();
        self.file.by_ref().take(MAX_FILE_BYTES).read_to_end(&mut text)?;
        if self.cursor.offset > 0 || text.is_empty() {
            return Ok(None);
        }
        let length = text.len() as u64;
        self.cursor.offset = length;
        self.cursor.prefix = fingerprint(&text);
        Ok(Some(RawItem { offset: 0, length, number: 0, form: ItemForm::File, text }))
    }

    /// The position after what was read, with fingerprints to recognise the file later.
    pub(crate) fn mark(&self) -> Cursor {
        match self.kind {
            FileKind::Lines => {
                let (prefix, tail) = self.end_bytes.fingerprints();
                Cursor { prefix, tail, ..self.cursor.clone() }
            }
            FileKind::Record | FileKind::Output => self.cursor.clone(),
        }
    }
}
