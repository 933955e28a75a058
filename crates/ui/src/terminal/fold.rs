//! Long things folded: the head, how much is missing, the tail.

use crate::figures::counted;

use super::look::Look;
use super::style::{Line, Span};

/// Which of so many lines are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// All.
    Open,
    /// So many at the start and at the end.
    Closed {
        /// At the start.
        head: usize,
        /// At the end.
        tail: usize,
    },
}

impl Fold {
    /// Folds what is longer than so many lines. A single line is never hidden: saying so would take as much room.
    pub(super) fn new(count: usize, most: usize, look: &Look<'_>) -> Self {
        let most = most.max(1);
        if look.full || count <= most + 1 {
            return Self::Open;
        }
        let tail = most / 3;
        Self::Closed { head: most - tail, tail }
    }

    /// The lines, folded; `line` draws one of them.
    pub(super) fn apply<T>(
        self,
        all: &[T],
        look: &Look<'_>,
        mut line: impl FnMut(&T) -> Vec<Line>,
    ) -> Vec<Line> {
        match self {
            Self::Open => all.iter().flat_map(line).collect(),
            Self::Closed { head, tail } => {
                let mut lines: Vec<Line> = all[..head].iter().flat_map(&mut line).collect();
                lines.push(vec![Span::dim(more(all.len() - head - tail, look))]);
                lines.extend(all[all.len() - tail..].iter().flat_map(&mut line));
                lines
            }
        }
    }
}

/// How much is missing, and how to see it.
pub(super) fn more(count: usize, look: &Look<'_>) -> String {
    format!("{} {} more (--full)", look.ornaments().more, counted(count, "line"))
}
