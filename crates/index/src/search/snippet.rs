//! Snippets of text around matches, read from the files.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use annals_store::read::open_file;

use super::highlight::{HighlightedText, Highlighter};
use crate::extract::{IndexedFileRole, text_of_block};

/// The approximate length of a snippet in bytes.
const WIDTH: usize = 160;
/// How many words are highlighted in one text at most.
const MAX_MARKS: usize = 64;

/// Where to read a text.
#[derive(Clone, Debug)]
pub(super) struct TextSource {
    pub(super) file: PathBuf,
    pub(super) role: IndexedFileRole,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) block: u32,
}

impl TextSource {
    /// Reads the text from its file; `None` if the file is gone or has changed.
    pub(super) fn text(&self) -> Option<String> {
        let bytes = read_part(&self.file, self.offset, self.length.min(64 * 1024 * 1024))?;
        text_of_block(self.role, &bytes, self.block)
    }
}

/// Reads a part of a file; less if the file ends before, `None` if it cannot be read.
pub(crate) fn read_part(path: &Path, offset: u64, length: u64) -> Option<Vec<u8>> {
    let mut file = open_file(path).ok()?;
    let rest = file.metadata().ok()?.len().saturating_sub(offset);
    file.seek(SeekFrom::Start(offset)).ok()?;
    // With room for one byte more, the end of the part is found without another buffer.
    let mut bytes = Vec::with_capacity(length.min(rest) as usize + 1);
    file.take(length).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The snippet with the most matches, and how many words of the query it covers.
pub(super) fn snippet(text: &str, highlighter: &Highlighter) -> (HighlightedText, usize) {
    let marks = highlighter.find(text, MAX_MARKS);
    let coverage = highlighter.coverage(text, &marks);
    let window = densest(text, &marks);
    (one_line_snippet(text, window, &marks), coverage)
}

/// The window with the most marks; of equals, the first.
fn densest(text: &str, marks: &[Range<usize>]) -> Range<usize> {
    let Some(first) = marks.first() else { return window(text, 0) };
    let within =
        |from: usize| marks.iter().filter(|mark| mark.start >= from && mark.end <= from + WIDTH).count();
    let best = marks.iter().rev().max_by_key(|mark| within(mark.start)).unwrap_or(first);
    window(text, best.start)
}

/// The window around a match.
pub(super) fn window(text: &str, place: usize) -> Range<usize> {
    let start = place.saturating_sub(WIDTH / 4);
    text.floor_char_boundary(start)..text.ceil_char_boundary((start + WIDTH).min(text.len()))
}

/// A window of text as one line, with the marks in it.
pub(super) fn one_line_snippet(text: &str, stretch: Range<usize>, marks: &[Range<usize>]) -> HighlightedText {
    let mut out = HighlightedText::default();
    if stretch.start > 0 {
        out.text.push('…');
    }
    let mut was_space = true;
    let mut open: Option<usize> = None;
    for (at, letter) in text[stretch.clone()].char_indices() {
        let at = stretch.start + at;
        let is_marked = marks.iter().any(|mark| mark.contains(&at));
        match (is_marked, open) {
            (true, None) => open = Some(out.text.len()),
            (false, Some(from)) => {
                out.marks.push(from..out.text.len());
                open = None;
            }
            _ => {}
        }
        let is_space = letter.is_whitespace() || letter.is_control();
        match (is_space, was_space) {
            (true, true) => {}
            (true, false) => out.text.push(' '),
            (false, _) => out.text.push(letter),
        }
        was_space = is_space;
    }
    if let Some(from) = open {
        out.marks.push(from..out.text.len());
    }
    if stretch.end < text.len() {
        out.text.push('…');
    }
    out
}
