//! Where lines go: behind their gutters, in their styles, with blank lines only where somebody asked for one.

use super::look::{Color, Look};
use super::style::{Line, Span, line_width};
use crate::clean::is_hostile;

/// The narrowest page: below this nothing could be read.
const NARROWEST: usize = 20;

/// A page being written.
pub(super) struct Canvas<'o, 'l, 'z> {
    pub(super) look: &'l Look<'z>,
    out: &'o mut String,
    gutters: Line,
    is_gap_due: bool,
    pub(super) is_started: bool,
}

impl<'o, 'l, 'z> Canvas<'o, 'l, 'z> {
    pub(super) fn new(look: &'l Look<'z>, out: &'o mut String) -> Self {
        Self { look, out, gutters: Line::new(), is_gap_due: false, is_started: false }
    }

    /// Columns that are left behind the gutters.
    pub(super) fn width(&self) -> usize {
        self.look.width.saturating_sub(line_width(&self.gutters)).max(NARROWEST)
    }

    /// Asks for a blank line before the next one.
    pub(super) fn gap(&mut self) {
        self.is_gap_due = self.is_started;
    }

    /// Takes the request for a blank line back.
    pub(super) fn no_gap(&mut self) {
        self.is_gap_due = false;
    }

    /// Sets one more gutter before the lines that come. A blank line that is due stands before it.
    pub(super) fn push(&mut self, gutter: Span) {
        self.flush_gap();
        self.gutters.push(gutter);
    }

    /// Takes the last gutter away.
    pub(super) fn pop(&mut self) {
        self.gutters.pop();
    }

    /// Writes a line.
    pub(super) fn line(&mut self, line: &[Span]) {
        self.flush_gap();
        self.is_started = true;
        self.write(line);
    }

    /// Writes lines.
    pub(super) fn lines(&mut self, lines: &[Line]) {
        lines.iter().for_each(|line| self.line(line));
    }

    fn flush_gap(&mut self) {
        if std::mem::take(&mut self.is_gap_due) {
            self.write(&[]);
        }
    }

    fn write(&mut self, line: &[Span]) {
        let gutters = std::mem::take(&mut self.gutters);
        let spans: Vec<&Span> = gutters.iter().chain(line).collect();
        // No space at the end of a line, in whatever style.
        let end = spans.iter().rposition(|span| !span.text.trim_end().is_empty()).map_or(0, |last| last + 1);
        for (at, span) in spans[..end].iter().enumerate() {
            let text = if at + 1 == end { span.text.trim_end() } else { span.text.as_str() };
            self.span(text, span);
        }
        self.out.push('\n');
        self.gutters = gutters;
    }

    fn span(&mut self, text: &str, span: &Span) {
        let is_styled = self.look.color == Color::Ansi && !text.is_empty();
        if is_styled {
            span.style.switch_on(self.out);
        }
        // Content was cleaned where it came in; this is the lock behind it.
        if text.chars().any(is_hostile) {
            self.out
                .extend(text.chars().map(|character| if is_hostile(character) { '?' } else { character }));
        } else {
            self.out.push_str(text);
        }
        if is_styled {
            span.style.switch_off(self.out);
        }
    }
}
