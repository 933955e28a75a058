//! What is new in one file: whole lines and records after what was read before, or the whole file.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use annals_index::cursor::{Cursor, EndBytes, FileChange, FileStamp, detect_change, fingerprint};
use annals_store::read::open_file;
use annals_transcript::line::{Line, LineEnding};
use annals_transcript::record_lines::RecordSplitter;

use crate::selection::{FileKind, TargetFile};
use crate::state::FileEntry;

/// Larger files than this are not sent as a whole.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// How much is read at a time.
const CHUNK: usize = 64 * 1024;

/// A line, the lines of one record, or a file, before redaction.
#[derive(Debug)]
pub(crate) struct RawItem {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) number: u64,
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
    kind: FileKind,
}

/// Opens a file if it holds something new.
pub(crate) fn start(target: &TargetFile, entry: Option<&FileEntry>) -> io::Result<ReadStart> {
    let known = entry.map(|entry| &entry.taken);
    if let Some(known) = known {
        let now = FileStamp::at(&std::fs::metadata(&target.path)?);
        if known.stamp == now && known.offset >= now.bytes {
            return Ok(ReadStart::Nothing);
        }
    }
    let mut file = open_file(&target.path)?;
    let now = FileStamp::at(&file.metadata()?);
    match (target.kind, known) {
        (FileKind::Lines, Some(known)) if detect_change(known, &now, &mut file)? != FileChange::Rewritten => {
            let end_bytes = EndBytes::of(known, &mut file)?;
            file.seek(SeekFrom::Start(known.offset))?;
            let cursor = Cursor { stamp: now, ..known.clone() };
            Ok(ReadStart::Resume(FileReader::new(file, end_bytes, cursor, target.kind)))
        }
        (FileKind::Lines, ..) => Ok(ReadStart::Restart(FileReader::fresh(file, now, target.kind)?)),
        _ if now.bytes > MAX_FILE_BYTES => Ok(ReadStart::TooLarge),
        (_, known) => {
            let mut bytes = Vec::new();
            file.by_ref().take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
            let reading = FileReader::fresh(file, now, target.kind)?;
            let is_known = known.is_some_and(|known| {
                known.offset == bytes.len() as u64 && known.prefix == fingerprint(&bytes) && known.offset > 0
            });
            Ok(if is_known { ReadStart::Nothing } else { ReadStart::Restart(reading) })
        }
    }
}

impl FileReader {
    fn fresh(mut file: File, stamp: FileStamp, kind: FileKind) -> io::Result<Self> {
        file.seek(SeekFrom::Start(0))?;
        Ok(Self::new(file, EndBytes::default(), Cursor::start(stamp), kind))
    }

    fn new(file: File, end_bytes: EndBytes, cursor: Cursor, kind: FileKind) -> Self {
        let splitter = Some(RecordSplitter::after(cursor.lines as usize, cursor.offset as usize));
        Self { file, splitter, ready: VecDeque::new(), end_bytes, cursor, kind }
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
        item.text.pop();
        Ok(Some(item))
    }

    fn read_chunk(&mut self) -> io::Result<()> {
        let ready = &mut self.ready;
        let mut take = |line: Line<'_>| -> Result<(), Infallible> {
            if line.ending() != LineEnding::EndOfFile {
                let (offset, number) = (line.offset as u64, line.number as u64);
                let text = line.raw().to_vec();
                ready.push_back(RawItem { offset, length: text.len() as u64, number, text });
            }
            Ok(())
        };
        let mut chunk = Vec::with_capacity(CHUNK);
        let length = self.file.by_ref().take(CHUNK as u64).read_to_end(&mut chunk)?;
        let Some(mut splitter) = self.splitter.take() else { return Ok(()) };
        if length == 0 {
            let Ok(()) = splitter.finish_settled(take);
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
        Ok(Some(RawItem { offset: 0, length, number: 0, text }))
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
