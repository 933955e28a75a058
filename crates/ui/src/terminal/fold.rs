//! Long things folded: the head, how much is missing, the tail.

use crate::figures::counted;

use std::collections::VecDeque;

use super::options::RenderOptions;
use super::style::{Span, StyledLine};
use super::wrap::LineSink;

/// Which lines of a long text are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    Open,
    /// Only the start and the end.
    Closed {
        /// At the start.
        head: usize,
        /// At the end.
        tail: usize,
    },
}

impl Fold {
    /// Folds more than `max` lines. A single line is never hidden: the note would take as much space.
    pub(super) fn new(count: usize, max: usize, options: &RenderOptions<'_>) -> Self {
        let max = max.max(1);
        if options.full || count <= max + 1 {
            return Self::Open;
        }
        let tail = max / 3;
        Self::Closed { head: max - tail, tail }
    }

    /// Passes the lines on, folded; `draw` draws one of `count` lines.
    pub(super) fn apply<T>(
        self,
        all: impl DoubleEndedIterator<Item = T> + Clone,
        count: usize,
        options: &RenderOptions<'_>,
        each: &mut LineSink<'_>,
        mut draw: impl FnMut(usize, T, &mut LineSink<'_>),
    ) {
        match self {
            Self::Open => all.enumerate().for_each(|(at, line)| draw(at, line, each)),
            Self::Closed { head, tail } => {
                all.clone().take(head).enumerate().for_each(|(at, line)| draw(at, line, each));
                each(vec![Span::dim(more(count - head - tail, options))]);
                let mut last: Vec<T> = all.rev().take(tail).collect();
                last.reverse();
                last.into_iter().zip(count - tail..).for_each(|(line, at)| draw(at, line, each));
            }
        }
    }
}

/// Folds lines whose number is not known before the last one: only those that may be shown are held.
pub(super) struct FoldedLines<'o, 'z, 'e, 's> {
    options: &'o RenderOptions<'z>,
    each: &'e mut LineSink<'s>,
    head: usize,
    tail: usize,
    /// Columns before the note of how much is missing.
    indent: usize,
    /// How many lines came.
    count: usize,
    /// The last lines, one more than the tail: a single line is never hidden.
    last: VecDeque<StyledLine>,
}

impl<'o, 'z, 'e, 's> FoldedLines<'o, 'z, 'e, 's> {
    pub(super) fn new(max: usize, options: &'o RenderOptions<'z>, each: &'e mut LineSink<'s>) -> Self {
        let max = max.max(1);
        let tail = max / 3;
        Self { options, each, head: max - tail, tail, indent: 0, count: 0, last: VecDeque::new() }
    }

    /// Begins the note of how much is missing where the lines begin.
    pub(super) fn indented(self, indent: usize) -> Self {
        Self { indent, ..self }
    }

    pub(super) fn push(&mut self, line: StyledLine) {
        self.count += 1;
        if self.options.full || self.count <= self.head {
            return (self.each)(line);
        }
        self.last.push_back(line);
        if self.last.len() > self.tail + 1 {
            self.last.pop_front();
        }
    }

    /// Passes on what was held back.
    pub(super) fn finish(mut self) {
        if !self.last.is_empty() && self.count > self.head + self.tail + 1 {
            self.last.pop_front();
            let note = more(self.count - self.head - self.tail, self.options);
            (self.each)(vec![Span::dim(format!("{}{note}", " ".repeat(self.indent)))]);
        }
        self.last.into_iter().for_each(self.each);
    }
}

/// A longer text is cut before it is wrapped: nobody reads on, and wrapping hundreds of megabytes takes minutes.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// The start of a very long text, and how much is missing.
pub(super) fn shorten<'t>(text: &'t str, options: &RenderOptions<'_>) -> (&'t str, Option<StyledLine>) {
    if options.full || text.len() <= MAX_TEXT_BYTES {
        return (text, None);
    }
    let end = text.floor_char_boundary(MAX_TEXT_BYTES);
    let missing = format!("{} {} bytes more{}", options.glyphs().more, text.len() - end, options.unfold_hint);
    (&text[..end], Some(vec![Span::dim(missing)]))
}

/// How much is missing, and how to see it.
pub(super) fn more(count: usize, options: &RenderOptions<'_>) -> String {
    format!("{} {} more{}", options.glyphs().more, counted(count, "line"), options.unfold_hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways to fold show the same, whatever the number of lines and the limit.
    #[test]
    fn lines_are_folded_alike_whether_they_are_counted_before_or_not() {
        for (count, max, full) in
            (0..12).flat_map(|n| (0..8).flat_map(move |m| [(n, m, false), (n, m, true)]))
        {
            let options = RenderOptions { full, ..RenderOptions::plain(80) };
            let line = |at: usize| vec![Span::plain(at.to_string())];
            let (mut counted, mut streamed) = (Vec::new(), Vec::new());
            let mut each = |line| counted.push(line);
            let fold = Fold::new(count, max, &options);
            fold.apply(0..count, count, &options, &mut each, |at, item, each| {
                assert_eq!(at, item);
                each(line(item));
            });
            let mut each = |line| streamed.push(line);
            let mut folded = FoldedLines::new(max, &options, &mut each);
            (0..count).for_each(|at| folded.push(line(at)));
            folded.finish();
            assert_eq!(counted, streamed, "{count} lines, at most {max}");
            assert!(full || counted.len() <= max.max(1) + 1);
        }
    }
}
