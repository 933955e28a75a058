//! The words around what was found, read from the file itself.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;

use super::highlight::{Highlighter, Marked};
use crate::extract::{FileRole, text_of_block};

/// So much of a text is shown, about.
const WIDTH: usize = 160;
/// So many words are looked for in one text.
const MOST_MARKS: usize = 64;

/// Where a text stands.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) file: PathBuf,
    pub(super) role: FileRole,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) block: u32,
}

impl Source {
    /// The text, from its file; none where the file is not there, or is another by now.
    pub(super) fn text(&self) -> Option<String> {
        let mut file = File::open(&self.file).ok()?;
        file.seek(SeekFrom::Start(self.offset)).ok()?;
        let mut bytes = Vec::new();
        file.take(self.length.min(64 * 1024 * 1024)).read_to_end(&mut bytes).ok()?;
        text_of_block(self.role, &bytes, self.block)
    }
}

/// The part of a text that says most about why it was found.
pub(super) fn snippet(text: &str, highlighter: &Highlighter) -> (Marked, usize) {
    let marks = highlighter.find(text, MOST_MARKS);
    let coverage = highlighter.coverage(text, &marks);
    let window = densest(text, &marks);
    (in_one_line(text, window, &marks), coverage)
}

/// The stretch with the most marks; the first of equals.
fn densest(text: &str, marks: &[Range<usize>]) -> Range<usize> {
    let Some(first) = marks.first() else { return window(text, 0) };
    let within =
        |from: usize| marks.iter().filter(|mark| mark.start >= from && mark.end <= from + WIDTH).count();
    let best = marks.iter().rev().max_by_key(|mark| within(mark.start)).unwrap_or(first);
    window(text, best.start)
}

/// The stretch around a place.
pub(super) fn window(text: &str, place: usize) -> Range<usize> {
    let start = place.saturating_sub(WIDTH / 4);
    text.floor_char_boundary(start)..text.ceil_char_boundary((start + WIDTH).min(text.len()))
}

/// A stretch of text as one line, with the marks that lie in it.
pub(super) fn in_one_line(text: &str, stretch: Range<usize>, marks: &[Range<usize>]) -> Marked {
    let mut out = Marked::default();
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
