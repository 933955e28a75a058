//! What is new in one file: whole lines behind what was taken, or all of a file that is replaced as a whole.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use annals_index::cursor::{Cursor, Ends, Look, Verdict, fingerprint, judge};

use crate::choice::{Kind, Target};
use crate::state::Entry;

/// Larger files than this are not sent as a whole.
const LARGEST_FILE: u64 = 16 * 1024 * 1024;

/// A line or a file, as it stands there.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) number: u64,
    /// Without the line break.
    pub(crate) text: Vec<u8>,
}

/// What a look at a file leads to.
#[derive(Debug)]
pub(crate) enum Start {
    /// There is nothing new.
    Nothing,
    /// Reading goes on behind what was taken.
    Further(Reading),
    /// What was taken of it no longer stands there, or nothing was: reading starts at the beginning, as another generation.
    Anew(Reading),
    /// It is too large to be sent as a whole.
    TooLarge,
}

/// A file that is being read.
#[derive(Debug)]
pub(crate) struct Reading {
    file: BufReader<File>,
    ends: Ends,
    /// Behind what was read.
    pub(crate) cursor: Cursor,
    kind: Kind,
}

/// Opens a file where there is something new in it.
pub(crate) fn start(target: &Target, entry: Option<&Entry>) -> io::Result<Start> {
    let known = entry.map(|entry| &entry.taken);
    if let Some(known) = known {
        let now = Look::at(&std::fs::metadata(&target.path)?);
        if known.look == now && known.offset >= now.bytes {
            return Ok(Start::Nothing);
        }
    }
    let mut file = File::open(&target.path)?;
    let now = Look::at(&file.metadata()?);
    match (target.kind, known) {
        (Kind::Lines, Some(known)) if judge(known, &now, &mut file)? != Verdict::Rewritten => {
            let ends = Ends::of(known, &mut file)?;
            file.seek(SeekFrom::Start(known.offset))?;
            let cursor = Cursor { look: now, ..known.clone() };
            Ok(Start::Further(Reading { file: BufReader::new(file), ends, cursor, kind: target.kind }))
        }
        (Kind::Lines, ..) => Ok(Start::Anew(Reading::fresh(file, now, target.kind)?)),
        _ if now.bytes > LARGEST_FILE => Ok(Start::TooLarge),
        (_, known) => {
            let mut bytes = Vec::new();
            file.by_ref().take(LARGEST_FILE).read_to_end(&mut bytes)?;
            let reading = Reading::fresh(file, now, target.kind)?;
            let is_known = known.is_some_and(|known| {
                known.offset == bytes.len() as u64 && known.prefix == fingerprint(&bytes) && known.offset > 0
            });
            Ok(if is_known { Start::Nothing } else { Start::Anew(reading) })
        }
    }
}

impl Reading {
    fn fresh(mut file: File, look: Look, kind: Kind) -> io::Result<Self> {
        file.seek(SeekFrom::Start(0))?;
        Ok(Self { file: BufReader::new(file), ends: Ends::default(), cursor: Cursor::start(look), kind })
    }

    /// The next whole line, or the file; nothing at the end, and where the last line is not whole yet.
    pub(crate) fn next(&mut self) -> io::Result<Option<Piece>> {
        match self.kind {
            Kind::Lines => self.next_line(),
            Kind::Record | Kind::Output => self.whole(),
        }
    }

    fn next_line(&mut self) -> io::Result<Option<Piece>> {
        let mut text = Vec::new();
        self.file.read_until(b'\n', &mut text)?;
        if text.last() != Some(&b'\n') {
            return Ok(None);
        }
        self.ends.advance(&text);
        let (offset, length) = (self.cursor.offset, text.len() as u64);
        self.cursor.offset += length;
        self.cursor.lines += 1;
        text.pop();
        Ok(Some(Piece { offset, length, number: self.cursor.lines, text }))
    }

    fn whole(&mut self) -> io::Result<Option<Piece>> {
        let mut text = Vec::new();
        self.file.by_ref().take(LARGEST_FILE).read_to_end(&mut text)?;
        if self.cursor.offset > 0 || text.is_empty() {
            return Ok(None);
        }
        let length = text.len() as u64;
        self.cursor.offset = length;
        self.cursor.prefix = fingerprint(&text);
        Ok(Some(Piece { offset: 0, length, number: 0, text }))
    }

    /// Behind what was read, to be recognised later.
    pub(crate) fn mark(&self) -> Cursor {
        match self.kind {
            Kind::Lines => {
                let (prefix, tail) = self.ends.fingerprints();
                Cursor { prefix, tail, ..self.cursor.clone() }
            }
            Kind::Record | Kind::Output => self.cursor.clone(),
        }
    }
}
