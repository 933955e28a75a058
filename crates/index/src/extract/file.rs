//! One file, from where it was left: line by line to batches of bounded size.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::PathBuf;

use annals_json::Value;
use annals_store::read::ReadError;
use annals_transcript::line::{Ending, Line, LineSplitter};
use annals_transcript::objects::read_objects;
use annals_transcript::record::Record;
use annals_transcript::usage::UsageCollector;

use super::kinds::{FactKind, FileRole, Kind, Role};
use super::meaning::{Meaning, Place};
use super::rows::{Batch, Change, MessageRow, Subject};
use super::texts::Texts;
use super::words::searchable;
use crate::cursor::{Cursor, Ends, FINGERPRINTED, Look, Verdict, judge};

/// How much is read at a time.
const CHUNK: usize = 256 * 1024;
/// A batch ends with the line that makes it this large: it is held in memory, and is what a crash can lose.
const BATCH: u64 = 2 * 1024 * 1024;

/// More of a file that is one JSON value is not read: nobody has that much to do.
const DOCUMENT: u64 = 4 * 1024 * 1024;

/// A file that is to be read.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) path: PathBuf,
    pub(crate) subject: Subject,
    /// How far it was read; none where it is new.
    pub(crate) cursor: Option<Cursor>,
}

/// Reads what is new, and hands out batches until `each` breaks. A file that is unchanged gives none; one that was rewritten
/// gives a first batch that begins anew.
pub(crate) fn extract(
    wanted: &Wanted,
    mut each: impl FnMut(Batch) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, ReadError> {
    let fail = |error| ReadError::new(&wanted.path, error);
    let mut file = File::open(&wanted.path).map_err(fail)?;
    let look = Look::at(&file.metadata().map_err(fail)?);
    let verdict = match &wanted.cursor {
        Some(cursor) => judge(cursor, &look, &mut file).map_err(fail)?,
        None => Verdict::Rewritten,
    };
    let (cursor, change) = match (verdict, &wanted.cursor) {
        (Verdict::Unchanged, _) => return Ok(ControlFlow::Continue(())),
        (Verdict::Grown, Some(cursor)) => (Cursor { look, ..cursor.clone() }, Change::Continues),
        _ => (Cursor::start(look), Change::Begins),
    };
    let ends = Ends::of(&cursor, &mut file).map_err(fail)?;
    let reading = Reading {
        wanted,
        batch: Batch::new(&wanted.subject, change, cursor),
        ends,
        usage: UsageCollector::new(),
        active: None,
    };
    match wanted.subject.role {
        FileRole::Session | FileRole::Agent | FileRole::History => reading.lines(file, &mut each),
        FileRole::Output | FileRole::Plan => reading.whole(file, &mut each),
        FileRole::Todos | FileRole::Task | FileRole::AgentMeta => reading.document(file, &mut each),
    }
    .map_err(fail)
}

struct Reading<'w> {
    wanted: &'w Wanted,
    batch: Batch,
    ends: Ends,
    usage: UsageCollector,
    /// The newest time, and the first line that has it.
    active: Option<(i64, u64)>,
}

impl Reading<'_> {
    fn lines(
        mut self,
        mut file: File,
        each: &mut impl FnMut(Batch) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<()>> {
        let start = self.batch.cursor.offset;
        file.seek(SeekFrom::Start(start))?;
        // What is written while we read is left for the next time: the cursor says how large the file was.
        let mut file = file.take(self.batch.cursor.look.bytes.saturating_sub(start));
        if self.batch.cursor.is_open && !self.close_line(&mut file)? {
            // The last line went on after all: what was taken for a whole one was not.
            return self.begin_anew(file.into_inner(), each);
        }
        let mut splitter =
            LineSplitter::after(self.batch.cursor.lines as usize, self.batch.cursor.offset as usize);
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = match file.read(&mut chunk) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let pushed = splitter.push(&chunk[..length], |line| {
                self.line(&line);
                match self.is_full() && self.hand_over(each).is_break() {
                    true => Err(()),
                    false => Ok(()),
                }
            });
            if pushed.is_err() {
                return Ok(ControlFlow::Break(()));
            }
        }
        let _: Result<(), ()> = splitter.finish(|line| {
            // A last line without a line break counts if it is whole; else it is still being written.
            if Value::parse(line.body()).is_ok_and(|value| value.fields().is_some()) {
                self.line(&line);
                self.batch.cursor.is_open = true;
            }
            Ok(())
        });
        Ok(self.hand_over(each))
    }

    /// Takes the line break that a line lacked when it was read; tells whether that is what stands there.
    fn close_line(&mut self, file: &mut io::Take<File>) -> io::Result<bool> {
        let mut at = [0; 1];
        let mut taken = Vec::new();
        while file.read(&mut at)? == 1 {
            taken.push(at[0]);
            match at[0] {
                b'\r' if taken.len() == 1 => {}
                b'\n' => {
                    self.ends.advance(&taken);
                    self.batch.cursor.offset += taken.len() as u64;
                    self.batch.cursor.is_open = false;
                    return Ok(true);
                }
                _ => return Ok(false),
            }
        }
        Ok(taken.is_empty())
    }

    fn begin_anew(
        self,
        file: File,
        each: &mut impl FnMut(Batch) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<()>> {
        let cursor = Cursor::start(self.batch.cursor.look);
        let batch = Batch::new(&self.wanted.subject, Change::Begins, cursor);
        Reading { batch, ends: Ends::default(), usage: UsageCollector::new(), active: None, ..self }
            .lines(file, each)
    }

    fn line(&mut self, line: &Line<'_>) {
        let place =
            Place { line: line.number as u64, offset: line.offset as u64, length: line.body().len() as u64 };
        let mut problems = Vec::new();
        match self.wanted.subject.role {
            FileRole::History => self.prompt(line, place),
            _ => {
                let found = |fields, _| {
                    let record = Record::new(fields);
                    let node = self.batch.cursor.records as usize;
                    let known = self.usage.responses().len();
                    self.usage.feed(node, record.fields());
                    if self.usage.responses().len() > known {
                        self.batch.responses.push((place.line, self.usage.responses()[known].clone()));
                    }
                    self.batch.cursor.records += 1;
                    let millis = Meaning::take(&mut self.batch, place, &record);
                    if millis > self.active.map(|(newest, _)| newest) {
                        self.active = millis.map(|millis| (millis, place.line));
                    }
                };
                read_objects(line, found, |problem| problems.push(problem));
            }
        }
        // Whether the file ends well is a matter of the moment.
        problems.retain(|problem| problem.kind != annals_transcript::problem::ProblemKind::NoFinalNewline);
        self.batch.problems.extend(problems.iter().map(|problem| {
            (problem.line as u64, problem.span.offset as u64, problem.span.length as u64, problem.kind)
        }));
        self.ends.advance(line.raw());
        self.batch.cursor.offset = line.offset as u64 + line.raw().len() as u64;
        self.batch.cursor.lines = line.number as u64;
        self.batch.cursor.is_open = line.ending() == Ending::EndOfFile;
    }

    /// A line of the history of prompts.
    fn prompt(&mut self, line: &Line<'_>, place: Place) {
        let Ok(value) = Value::parse(line.body()) else { return };
        let Some(display) = value.get("display").and_then(Value::text) else { return };
        let mut texts = Texts::default();
        texts.push(&display.decode());
        self.batch.asked(value, display, place);
        self.batch.cursor.records += 1;
        self.text(place, Role::Human, Kind::Prompt, texts, value.get("timestamp").and_then(Value::number));
    }

    fn text(&mut self, place: Place, role: Role, kind: Kind, texts: Texts, millis: Option<f64>) {
        if texts.bytes > 0 {
            self.batch.messages.push(MessageRow {
                line: place.line,
                offset: place.offset,
                length: place.length,
                block: 0,
                role,
                kind,
                millis: millis.map(|millis| millis as i64),
                uuid: None,
                tool: None,
                call: None,
                is_error: false,
                bytes: texts.bytes,
                text: texts.text,
                words: String::new(),
                indexed: 0,
            });
        }
    }

    /// A file that is one text: always read as a whole, since nobody appends to it.
    fn whole(
        mut self,
        mut file: File,
        each: &mut impl FnMut(Batch) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<()>> {
        // As much as can be searched for, and a little more, so that a cut is seen as one.
        let head = self.read_anew(&mut file, super::INDEXED_BYTES as u64 + 1)?;
        let look = self.batch.cursor.look;
        let mut texts = Texts::default();
        texts.push(&String::from_utf8_lossy(&head));
        texts.bytes = look.bytes;
        let (role, kind) = match self.wanted.subject.role {
            FileRole::Plan => (Role::Assistant, Kind::Plan),
            _ => (Role::Tool, Kind::ToolResult),
        };
        let place = Place { line: 1, offset: 0, length: look.bytes };
        self.text(place, role, kind, texts, Some((look.modified / 1_000_000) as f64));
        Ok(self.hand_over(each))
    }

    /// The first bytes of a file that is taken as one thing, whatever was known of it before.
    fn read_anew(&mut self, file: &mut File, most: u64) -> io::Result<Vec<u8>> {
        let look = self.batch.cursor.look;
        self.batch = Batch::new(&self.wanted.subject, Change::Begins, Cursor::start(look));
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        let first = &bytes[..bytes.len().min(FINGERPRINTED)];
        self.ends = Ends::default();
        self.ends.advance(first);
        self.batch.cursor.offset = first.len() as u64;
        Ok(bytes)
    }

    /// A file that is one JSON value: small, and written anew each time.
    fn document(
        mut self,
        mut file: File,
        each: &mut impl FnMut(Batch) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<()>> {
        let bytes = self.read_anew(&mut file, DOCUMENT)?;
        self.batch.document(&bytes);
        Ok(self.hand_over(each))
    }

    fn is_full(&self) -> bool {
        self.batch.cursor.offset - self.batch.from >= BATCH
    }

    /// Ends a batch and starts the next one behind it.
    fn hand_over(&mut self, each: &mut impl FnMut(Batch) -> ControlFlow<()>) -> ControlFlow<()> {
        (self.batch.cursor.prefix, self.batch.cursor.tail) = self.ends.fingerprints();
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
        let next = Batch::new(&self.wanted.subject, Change::Continues, self.batch.cursor.clone());
        each(std::mem::replace(&mut self.batch, next))
    }
}
