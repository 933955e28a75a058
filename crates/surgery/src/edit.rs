//! Edits of a file of lines; every other byte stays as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use annals_store::FileBytes;
use annals_transcript::line::lines;

/// What happens to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineEdit {
    /// It stays, byte for byte.
    Kept,
    Removed {
        /// The reason, for the preview.
        why: String,
    },
    /// It is replaced.
    Changed {
        /// The new line, without line break.
        bytes: Vec<u8>,
        /// The reason, for the preview.
        why: String,
    },
}

/// A new line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// The line, without line break.
    pub bytes: Vec<u8>,
    /// The reason, for the preview.
    pub why: String,
}

/// The modification time of a file after its edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mtime {
    /// The time of the edit.
    #[default]
    New,
    /// Unchanged: the conversation is the same, and sessions are ordered by time.
    Kept,
}

/// The edits of one file. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    path: PathBuf,
    before: FileBytes,
    line_edits: BTreeMap<usize, LineEdit>,
    insertions: BTreeMap<usize, Vec<Insertion>>,
    brought: Vec<FileBytes>,
    mtime: Mtime,
}

impl FileEdit {
    /// A file without edits.
    pub fn new(path: &Path, bytes: impl Into<FileBytes>) -> Self {
        Self {
            path: path.to_path_buf(),
            before: bytes.into(),
            line_edits: BTreeMap::new(),
            insertions: BTreeMap::new(),
            brought: Vec::new(),
            mtime: Mtime::New,
        }
    }

    /// Keeps the modification time of the file.
    #[must_use]
    pub fn keeping_mtime(mut self) -> Self {
        self.mtime = Mtime::Kept;
        self
    }

    /// Which modification time the file will have.
    pub fn mtime(&self) -> Mtime {
        self.mtime
    }

    /// Adds a file that new lines come from: its problems may occur in the result, too.
    pub fn add_source(&mut self, bytes: impl Into<FileBytes>) {
        self.brought.push(bytes.into());
    }

    /// The files that the result is made of, its own first.
    pub fn sources(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(&self.before).chain(&self.brought).map(|bytes| &**bytes)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes before the edits.
    pub fn before(&self) -> &FileBytes {
        &self.before
    }

    /// Removes a line. If it was changed before, the first reason stays.
    pub fn remove(&mut self, line: usize, why: impl Into<String>) {
        self.line_edits.entry(line).and_modify(|line_edit| {
            if let LineEdit::Changed { why, .. } = line_edit {
                *line_edit = LineEdit::Removed { why: std::mem::take(why) };
            }
        });
        self.line_edits.entry(line).or_insert_with(|| LineEdit::Removed { why: why.into() });
    }

    /// Replaces a line. A removed line stays removed; if it was changed before, the first reason stays.
    pub fn change(&mut self, line: usize, bytes: Vec<u8>, why: impl Into<String>) {
        match self.line_edits.get_mut(&line) {
            Some(LineEdit::Removed { .. }) => {}
            Some(LineEdit::Changed { bytes: old, .. }) => *old = bytes,
            _ => drop(self.line_edits.insert(line, LineEdit::Changed { bytes, why: why.into() })),
        }
    }

    /// Inserts a line after a line (0: at the start), after earlier insertions there.
    pub fn insert_after(&mut self, line: usize, bytes: Vec<u8>, why: impl Into<String>) {
        self.insertions.entry(line).or_default().push(Insertion { bytes, why: why.into() });
    }

    /// What happens to a line.
    pub fn line_edit(&self, line: usize) -> &LineEdit {
        self.line_edits.get(&line).unwrap_or(&LineEdit::Kept)
    }

    /// The line as edited so far; `None` if it is removed.
    pub fn line_now<'a>(&'a self, line: usize, original: &'a [u8]) -> Option<&'a [u8]> {
        match self.line_edit(line) {
            LineEdit::Kept => Some(original),
            LineEdit::Removed { .. } => None,
            LineEdit::Changed { bytes, .. } => Some(bytes),
        }
    }

    /// The lines that are removed or changed, in order.
    pub fn line_edits(&self) -> impl Iterator<Item = (usize, &LineEdit)> {
        self.line_edits
            .iter()
            .map(|(line, line_edit)| (*line, line_edit))
            .filter(|(_, line_edit)| **line_edit != LineEdit::Kept)
    }

    /// The new lines, each with the line that it follows.
    pub fn insertions(&self) -> impl Iterator<Item = (usize, &Insertion)> {
        self.insertions.iter().flat_map(|(line, list)| list.iter().map(|insertion| (*line, insertion)))
    }

    /// Whether there are no edits.
    pub fn is_empty(&self) -> bool {
        self.line_edits().next().is_none() && self.insertions.is_empty()
    }

    /// The file after the edits. A changed line keeps its line break; a missing one is added if another line follows.
    pub fn result(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.before.len());
        self.write_insertions(0, &mut out);
        for line in lines(&self.before) {
            match self.line_edit(line.number) {
                LineEdit::Kept => end_line(&mut out).extend_from_slice(line.raw()),
                LineEdit::Removed { .. } => {}
                LineEdit::Changed { bytes, .. } => {
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

/// Adds a missing line break before the next line.
fn end_line(out: &mut Vec<u8>) -> &mut Vec<u8> {
    if out.last().is_some_and(|&byte| byte != b'\n') {
        out.push(b'\n');
    }
    out
}
