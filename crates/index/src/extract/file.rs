//! Reads one file from its cursor on and makes batches of bounded size.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::PathBuf;

use annals_json::Value;
use annals_store::read::{ReadError, open_file};
use annals_transcript::line::{Line, LineEnding};
use annals_transcript::objects::read_objects;
use annals_transcript::record::Record;
use annals_transcript::record_lines::RecordSplitter;
use annals_transcript::usage::UsageCollector;

use super::kinds::{FactKind, IndexedFileRole};
use super::record::{LineSpan, RecordExtractor};
use super::rows::{Batch, BatchMode, IndexedFile};
use super::texts::TextCollector;
use super::words::searchable;
use crate::cursor::{Cursor, EndBytes, FINGERPRINT_BYTES, FileChange, FileStamp, detect_change};

const READ_BYTES: usize = 256 * 1024;
/// A batch ends with the line that makes it this large: it is held in memory, and a crash loses it.
const BATCH_BYTES: u64 = 2 * 1024 * 1024;

/// The size up to which a file of one JSON value is read.
const MAX_DOCUMENT_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Clone, Debug)]
pub(crate) struct FileToRead {
    pub(crate) path: PathBuf,
    pub(crate) indexed_file: IndexedFile,
    /// `None` for a new file.
    pub(crate) cursor: Option<Cursor>,
}

/// Reads what is new and passes batches to `each` until it breaks. An unchanged file gives no batch; for a rewritten one
/// the first batch replaces what is known.
pub(crate) fn extract(
    to_read: &FileToRead,
    mut each: impl FnMut(Batch) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, ReadError> {
    let fail = |error| ReadError::new(&to_read.path, error);
    let mut file = open_file(&to_read.path).map_err(fail)?;
    let stamp = FileStamp::at(&file.metadata().map_err(fail)?);
    let file_change = match &to_read.cursor {
        Some(cursor) => detect_change(cursor, &stamp, &mut file).map_err(fail)?,
        None => FileChange::Rewritten,
    };
    let (cursor, mode) = match (file_change, &to_read.cursor) {
        (FileChange::Unchanged, _) => return Ok(ControlFlow::Continue(())),
        (FileChange::Grown, Some(cursor)) => (Cursor { stamp, ..cursor.clone() }, BatchMode::Append),
        _ => (Cursor::start(stamp), BatchMode::Replace),
    };
    let end_bytes = EndBytes::of(&cursor, &mut file).map_err(fail)?;
    let mut batch = Batch::new(&to_read.indexed_file, mode, cursor);
    batch.is_restarted = mode == BatchMode::Replace && to_read.cursor.is_some() && has_lines(to_read);
    let reading = FileReader { to_read, batch, end_bytes, usage: UsageCollector::new(), active: None };
    match to_read.indexed_file.role {
        IndexedFileRole::Session | IndexedFileRole::Agent | IndexedFileRole::History => {
            reading.lines(file, &mut each)
        }
        IndexedFileRole::Output
        | IndexedFileRole::Plan
        | IndexedFileRole::Memory
        | IndexedFileRole::Paste => reading.text_file(file, &mut each),
        IndexedFileRole::Todos
        | IndexedFileRole::Task
        | IndexedFileRole::AgentMeta
        | IndexedFileRole::CustomTitle => reading.document(file, &mut each),
    }
    .map_err(fail)
}

/// Whether lines are appended to the file; others are rewritten each time.
fn has_lines(to_read: &FileToRead) -> bool {
    let role = to_read.indexed_file.role;
    matches!(role, IndexedFileRole::Session | IndexedFileRole::Agent | IndexedFileRole::History)
}

struct FileReader<'w> {
    to_read: &'w FileToRead,
    batch: Batch,
    end_bytes: EndBytes,
    usage: UsageCollector,
    /// The newest time, and the first line that has it.
    active: Option<(i64, u64)>,
}

impl FileReader<'_> {
    fn lines(
        mut self,
        mut file: File,
        each: &mut impl FnMut(Batch) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<()>> {
        let start = self.batch.cursor.offset;
        file.seek(SeekFrom::Start(start))?;
        // What is appended meanwhile is left for the next time: the cursor has the size that the file had.
        let mut file = file.take(self.batch.cursor.stamp.bytes.saturating_sub(start));
        if self.batch.cursor.is_open && !self.close_line(&mut file)? {
            // The last line continued: it was not complete.
            return self.restart(file.into_inner(), each);
        }
        let mut splitter =
            RecordSplitter::after(self.batch.cursor.lines as usize, self.batch.cursor.offset as usize);
        let mut chunk = vec![0; READ_BYTES];
        loop {
            let length = match file.read(&mut chunk) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let pushed = splitter.push(&chunk[..length], |line| {
                self.line(&line);
                match self.is_full() && self.finish_batch(each).is_break() {
                    true => Err(()),
                    false => Ok(()),
                }
            });
            if pushed.is_err() {
                return Ok(ControlFlow::Break(()));
            }
        }
        let _: Result<(), ()> = splitter.finish_settled(|line| {
            // A last line without a line break counts if it is complete; else it is still being written.
            if line.ending() != LineEnding::EndOfFile
                || Value::parse(line.body()).is_ok_and(|value| value.fields().is_some())
            {
                self.line(&line);
            }
            Ok(())
        });
        Ok(self.finish_batch(each))
    }

    /// Reads the line break that the last line lacked; returns whether that is what follows.
    fn close_line(&mut self, file: &mut io::Take<File>) -> io::Result<bool> {
        let mut at = [0; 1];
        let mut taken = Vec::new();
        while file.read(&mut at)? == 1 {
            taken.push(at[0]);
            match at[0] {
                b'\r' if taken.len() == 1 => {}
                b'\n' => {
                    self.end_bytes.advance(&taken);
                    self.batch.cursor.offset += taken.len() as u64;
                    self.batch.cursor.is_open = false;
                    return Ok(true);
                }
                _ => return Ok(false),
            }
        }
        Ok(taken.is_empty())
    }

    fn restart(
        self,
        file: File,
        each: &mut impl FnMut(Batch) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<()>> {
        let cursor = Cursor::start(self.batch.cursor.stamp);
        let batch = Batch::new(&self.to_read.indexed_file, BatchMode::Replace, cursor);
        FileReader {
            batch,
            end_bytes: EndBytes::default(),
            usage: UsageCollector::new(),
            active: None,
            ..self
        }
        .lines(file, each)
    }

    fn line(&mut self, line: &Line<'_>) {
        let span = LineSpan {
            line: line.number as u64,
            offset: line.offset as u64,
            length: line.body().len() as u64,
        };
        let mut problems = Vec::new();
        match self.to_read.indexed_file.role {
            IndexedFileRole::History => self.batch.history_line(line, span),
            _ => {
                let found = |fields, _| {
                    let record = Record::new(fields);
                    let node = self.batch.cursor.records as usize;
                    let known = self.usage.responses().len();
                    self.usage.feed(node, record.fields());
                    if self.usage.responses().len() > known {
                        self.batch.responses.push((span.line, self.usage.responses()[known].clone()));
                    }
                    self.batch.cursor.records += 1;
                    let millis = RecordExtractor::take(&mut self.batch, span, &record);
                    if millis > self.active.map(|(newest, _)| newest) {
                        self.active = millis.map(|millis| (millis, span.line));
                    }
                };
                read_objects(line, found, |problem| problems.push(problem));
            }
        }
        // Whether the file ends with a line break changes from moment to moment.
        problems.retain(|problem| problem.kind != annals_transcript::problem::ProblemKind::NoFinalNewline);
        self.batch.problems.extend(problems.iter().map(|problem| {
            (problem.line as u64, problem.span.offset as u64, problem.span.length as u64, problem.kind)
        }));
        self.end_bytes.advance(line.raw());
        self.batch.cursor.offset = line.offset as u64 + line.raw().len() as u64;
        self.batch.cursor.lines = line.last_number() as u64;
        self.batch.cursor.is_open = line.ending() == LineEnding::EndOfFile;
    }

    /// Reads a file that is one text as a whole, since nothing is appended to it.
    fn text_file(
        mut self,
        mut file: File,
        each: &mut impl FnMut(Batch) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<()>> {
        // One byte more than can be searched, so that a cut is noticed.
        let head = self.read_from_start(&mut file, super::MAX_INDEXED_BYTES as u64 + 1)?;
        let stamp = self.batch.cursor.stamp;
        let mut texts = TextCollector::default();
        texts.push(&String::from_utf8_lossy(&head));
        texts.bytes = stamp.bytes;
        let (role, kind) = self.to_read.indexed_file.role.message();
        let span = LineSpan { line: 1, offset: 0, length: stamp.bytes };
        self.batch.text(span, role, kind, texts, Some((stamp.modified / 1_000_000) as f64));
        Ok(self.finish_batch(each))
    }

    /// Reads the first bytes of a file that is always read from the start.
    fn read_from_start(&mut self, file: &mut File, max_bytes: u64) -> io::Result<Vec<u8>> {
        let stamp = self.batch.cursor.stamp;
        self.batch = Batch::new(&self.to_read.indexed_file, BatchMode::Replace, Cursor::start(stamp));
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        file.take(max_bytes).read_to_end(&mut bytes)?;
        let first = &bytes[..bytes.len().min(FINGERPRINT_BYTES)];
        self.end_bytes = EndBytes::default();
        self.end_bytes.advance(first);
        self.batch.cursor.offset = first.len() as u64;
        Ok(bytes)
    }

    /// Reads a file that is one JSON value: small, and rewritten each time.
    fn document(
        mut self,
        mut file: File,
        each: &mut impl FnMut(Batch) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<()>> {
        let bytes = self.read_from_start(&mut file, MAX_DOCUMENT_BYTES)?;
        let millis = self.batch.cursor.stamp.modified / 1_000_000;
        self.batch.document(&bytes, millis);
        Ok(self.finish_batch(each))
    }

    fn is_full(&self) -> bool {
        self.batch.cursor.offset - self.batch.from >= BATCH_BYTES
    }

    /// Ends a batch and starts the next one.
    fn finish_batch(&mut self, each: &mut impl FnMut(Batch) -> ControlFlow<()>) -> ControlFlow<()> {
        (self.batch.cursor.prefix, self.batch.cursor.tail) = self.end_bytes.fingerprints();
        let responses = std::mem::take(&mut self.usage).finish();
        for ((_, kept), now) in self.batch.responses.iter_mut().zip(responses) {
            *kept = now;
        }
        if let Some((active, line)) = self.active.take() {
            self.batch.fact(FactKind::Active, &format!("{active:020}"), line);
        }
        for message in &mut self.batch.messages {
            let text = std::mem::take(&mut message.text);
            (message.words, message.indexed) = (searchable(&text), text.len() as u64);
        }
        let next = Batch::new(&self.to_read.indexed_file, BatchMode::Append, self.batch.cursor.clone());
        each(std::mem::replace(&mut self.batch, next))
    }
}
