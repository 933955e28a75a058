//! Edits of one file of lines: what becomes of each, and what comes new; every other byte stays as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use annals_transcript::line::lines;

/// What becomes of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineFate {
    /// It stays, byte for byte.
    Kept,
    /// It goes.
    Removed {
        /// Why, for the preview.
        why: String,
    },
    /// It says something else: one line without its break.
    Changed {
        /// What it will say.
        bytes: Vec<u8>,
        /// Why, for the preview.
        why: String,
    },
}

/// A line that comes new: one line without its break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// What it says.
    pub bytes: Vec<u8>,
    /// Why, for the preview.
    pub why: String,
}

/// How old a file is after its edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Age {
    /// It was changed when it was edited.
    #[default]
    New,
    /// As old as before: what was said in it is as it was, and sessions are ordered by their age.
    Kept,
}

/// The edits of one file. Lines are counted from 1, as everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    path: PathBuf,
    before: Vec<u8>,
    fates: BTreeMap<usize, LineFate>,
    insertions: BTreeMap<usize, Vec<Insertion>>,
    brought: Vec<Vec<u8>>,
    age: Age,
}

impl FileEdit {
    /// No edits of this file yet.
    pub fn new(path: &Path, bytes: &[u8]) -> Self {
        Self {
            path: path.to_path_buf(),
            before: bytes.to_vec(),
            fates: BTreeMap::new(),
            insertions: BTreeMap::new(),
            brought: Vec::new(),
            age: Age::New,
        }
    }

    /// The file stays as old as it is.
    #[must_use]
    pub fn keeping_age(mut self) -> Self {
        self.age = Age::Kept;
        self
    }

    /// How old the file will be.
    pub fn age(&self) -> Age {
        self.age
    }

    /// Says that new lines come from this file: what is odd about it may be odd about the result too.
    pub fn bring(&mut self, bytes: &[u8]) {
        self.brought.push(bytes.to_vec());
    }

    /// The files that the result is made of, its own first.
    pub fn sources(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.before.as_slice()).chain(self.brought.iter().map(Vec::as_slice))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its bytes before the edits.
    pub fn before(&self) -> &[u8] {
        &self.before
    }

    /// Removes a line; a reason that was given before stays.
    pub fn remove(&mut self, line: usize, why: impl Into<String>) {
        self.fates.entry(line).and_modify(|fate| {
            if let LineFate::Changed { why, .. } = fate {
                *fate = LineFate::Removed { why: std::mem::take(why) };
            }
        });
        self.fates.entry(line).or_insert_with(|| LineFate::Removed { why: why.into() });
    }

    /// Makes a line say something else; a removed one stays removed, one that was changed before keeps its first reason.
    pub fn change(&mut self, line: usize, bytes: Vec<u8>, why: impl Into<String>) {
        match self.fates.get_mut(&line) {
            Some(LineFate::Removed { .. }) => {}
            Some(LineFate::Changed { bytes: old, .. }) => *old = bytes,
            _ => drop(self.fates.insert(line, LineFate::Changed { bytes, why: why.into() })),
        }
    }

    /// Puts a new line behind a line (0: at the beginning), after those that were put there before.
    pub fn insert_after(&mut self, line: usize, bytes: Vec<u8>, why: impl Into<String>) {
        self.insertions.entry(line).or_default().push(Insertion { bytes, why: why.into() });
    }

    /// What becomes of a line.
    pub fn fate(&self, line: usize) -> &LineFate {
        self.fates.get(&line).unwrap_or(&LineFate::Kept)
    }

    /// What a line says as edited so far; none where it is removed.
    pub fn line_now<'a>(&'a self, line: usize, original: &'a [u8]) -> Option<&'a [u8]> {
        match self.fate(line) {
            LineFate::Kept => Some(original),
            LineFate::Removed { .. } => None,
            LineFate::Changed { bytes, .. } => Some(bytes),
        }
    }

    /// The lines that do not stay as they are, in order.
    pub fn fates(&self) -> impl Iterator<Item = (usize, &LineFate)> {
        self.fates.iter().map(|(line, fate)| (*line, fate)).filter(|(_, fate)| **fate != LineFate::Kept)
    }

    /// The new lines, each with the line that it stands behind.
    pub fn insertions(&self) -> impl Iterator<Item = (usize, &Insertion)> {
        self.insertions.iter().flat_map(|(line, list)| list.iter().map(|insertion| (*line, insertion)))
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.fates().next().is_none() && self.insertions.is_empty()
    }

    /// The file after the edits. A changed line keeps its line break; a line without one that others follow gets one.
    pub fn result(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.before.len());
        self.write_insertions(0, &mut out);
        for line in lines(&self.before) {
            match self.fate(line.number) {
                LineFate::Kept => end_line(&mut out).extend_from_slice(line.raw()),
                LineFate::Removed { .. } => {}
                LineFate::Changed { bytes, .. } => {
                    end_line(&mut out).extend_from_slice(&line.raw()[..line.body_start()]);
                    out.extend_from_slice(bytes);
                    out.extend_from_slice(&line.raw()[line.body_start() + line.body().len()..]);
                }
            }
            self.write_insertions(line.number, &mut out);
        }
        out
    }

    fn write_insertions(&self, line: usize, out: &mut Vec<u8>) {
        for insertion in self.insertions.get(&line).into_iter().flatten() {
            end_line(out).extend_from_slice(&insertion.bytes);
            out.push(b'\n');
        }
    }
}

/// Ends a line that was left open before another one follows.
fn end_line(out: &mut Vec<u8>) -> &mut Vec<u8> {
    if out.last().is_some_and(|&byte| byte != b'\n') {
        out.push(b'\n');
    }
    out
}
