//! Long things folded: the head, how much is missing, the tail.

use crate::figures::counted;

use super::options::RenderOptions;
use super::style::{Span, StyledLine};

/// Which lines of a long text are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// All.
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

    /// The lines, folded; `line` draws one of them.
    pub(super) fn apply<T>(
        self,
        all: &[T],
        options: &RenderOptions<'_>,
        mut line: impl FnMut(&T) -> Vec<StyledLine>,
    ) -> Vec<StyledLine> {
        match self {
            Self::Open => all.iter().flat_map(line).collect(),
            Self::Closed { head, tail } => {
                let mut lines: Vec<StyledLine> = all[..head].iter().flat_map(&mut line).collect();
                lines.push(vec![Span::dim(more(all.len() - head - tail, options))]);
                lines.extend(all[all.len() - tail..].iter().flat_map(&mut line));
                lines
            }
        }
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
