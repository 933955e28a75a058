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

/// How much is missing, and how to see it.
pub(super) fn more(count: usize, options: &RenderOptions<'_>) -> String {
    format!("{} {} more{}", options.glyphs().more, counted(count, "line"), options.unfold_hint)
}
