//! A page that is written line by line, with gutters, styles, and blank lines on request.

use super::options::RenderOptions;
use super::style::{Span, StyledLine, line_width, write_line};
use crate::clean::{LineBreaks, clean_as};

/// The narrowest page: below this nothing could be read.
const MIN_WIDTH: usize = 20;

/// What a page is written to.
pub(super) enum Target<'o> {
    /// A text with the escape sequences of its styles.
    Text(&'o mut String),
    /// Lines of spans, one by one.
    Each(&'o mut dyn FnMut(&[Span])),
    /// Lines of spans, for a program that draws cells itself.
    Lines(&'o mut Vec<StyledLine>),
}

impl<'o> From<&'o mut String> for Target<'o> {
    fn from(out: &'o mut String) -> Self {
        Self::Text(out)
    }
}

impl<'o> From<&'o mut Vec<StyledLine>> for Target<'o> {
    fn from(out: &'o mut Vec<StyledLine>) -> Self {
        Self::Lines(out)
    }
}

/// A page being written.
pub(super) struct Canvas<'o, 'l, 'z> {
    pub(super) options: &'l RenderOptions<'z>,
    out: Target<'o>,
    gutters: StyledLine,
    is_gap_due: bool,
    pub(super) is_started: bool,
}

impl<'o, 'l, 'z> Canvas<'o, 'l, 'z> {
    pub(super) fn new(options: &'l RenderOptions<'z>, out: impl Into<Target<'o>>) -> Self {
        Self { options, out: out.into(), gutters: StyledLine::new(), is_gap_due: false, is_started: false }
    }

    /// The columns left after the gutters.
    pub(super) fn width(&self) -> usize {
        self.options.width.saturating_sub(line_width(&self.gutters)).max(MIN_WIDTH)
    }

    /// Requests a blank line before the next one.
    pub(super) fn gap(&mut self) {
        self.is_gap_due = self.is_started;
    }

    /// Takes the request for a blank line back.
    pub(super) fn no_gap(&mut self) {
        self.is_gap_due = false;
    }

    /// Adds a gutter to the following lines. A pending blank line comes before it.
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
    pub(super) fn lines(&mut self, lines: &[StyledLine]) {
        lines.iter().for_each(|line| self.line(line));
    }

    fn flush_gap(&mut self) {
        if std::mem::take(&mut self.is_gap_due) {
            self.write(&[]);
        }
    }

    fn write(&mut self, line: &[Span]) {
        let spans = self.gutters.iter().chain(line).cloned();
        match &mut self.out {
            Target::Text(out) => {
                write_line(&spans.collect::<Vec<_>>(), self.options.color, out);
                out.push('\n');
            }
            Target::Each(each) => each(&spans.collect::<Vec<_>>()),
            // Content is cleaned on entry; this is a second safeguard, as in `write_span`.
            Target::Lines(lines) => {
                let clean = |span: Span| Span::new(clean_as(&span.text, LineBreaks::Line), span.style);
                lines.push(spans.map(clean).collect());
            }
        }
    }
}
