//! Folding: where everything is in full, single thoughts and tool calls can be folded; where they are folded, single ones are opened.

use std::collections::BTreeSet;

use annals_ui::terminal::RenderOptions;

use super::block::{BlockForm, ChatBlock};
use super::log::ChatLog;
use super::log_view::LogView;
use crate::reader::{FindDirection, LinePosition};

/// Which blocks differ from the form of a view, and the one that keys fold.
#[derive(Debug, Default)]
pub(super) struct FoldState {
    flipped: BTreeSet<usize>,
    selected: Option<usize>,
}

impl FoldState {
    /// Follows blocks that came before all others.
    pub(super) fn shift(&mut self, blocks: usize) {
        self.flipped = self.flipped.iter().map(|block| block + blocks).collect();
        self.selected = self.selected.map(|block| block + blocks);
    }
}

impl ChatBlock {
    /// Whether less of it is shown where it is folded.
    fn is_foldable(&self) -> bool {
        matches!(self, Self::Thinking(_) | Self::Call(_))
    }
}

impl BlockForm {
    fn other(self) -> Self {
        match self {
            Self::Brief => Self::Full,
            Self::Full => Self::Brief,
        }
    }
}

impl LogView {
    /// The form that a block is shown in.
    pub(super) fn form_of(&self, block: usize) -> BlockForm {
        if self.folds.flipped.contains(&block) { self.form.other() } else { self.form }
    }

    /// Folds a block, or opens it; what is above it stays where it is. The end is followed on, unless it went out of sight.
    fn flip(&mut self, log: &ChatLog, block: usize, options: &RenderOptions<'_>) {
        let followed_end = self.follows_end();
        let mut first = self.first(log, options);
        if !self.folds.flipped.remove(&block) {
            self.folds.flipped.insert(block);
        }
        self.forget(block);
        if first.entry == block {
            first.line = 0;
        }
        self.go_to(first);
        if followed_end && self.last_first(log, options) <= first {
            self.go_to_end();
        }
    }

    /// Folds the selected block, or opens it.
    pub(crate) fn fold_selected(&mut self, log: &ChatLog, options: &RenderOptions<'_>) {
        if let Some(block) = self.folds.selected {
            self.flip(log, block, options);
        }
    }

    /// Folds the block on a row of the view, or opens it.
    pub(crate) fn fold_at_row(&mut self, log: &ChatLog, row: usize, options: &RenderOptions<'_>) {
        let Some(&LinePosition { entry, .. }) = self.rows.get(row) else { return };
        if log.blocks().get(entry).is_some_and(ChatBlock::is_foldable) {
            self.folds.selected = None;
            self.flip(log, entry, options);
        }
    }

    /// Folds all blocks, or opens all.
    pub(crate) fn fold_all(&mut self) {
        self.form = self.form.other();
        self.folds.flipped.clear();
        self.lay_out_again();
    }

    /// Selects the next block that can be folded, or the one before; the first is one in sight.
    pub(crate) fn select(&mut self, log: &ChatLog, direction: FindDirection, options: &RenderOptions<'_>) {
        let first = self.first(log, options).entry;
        let mut blocks: Vec<usize> = (0..log.len()).filter(|&at| log.blocks()[at].is_foldable()).collect();
        if direction == FindDirection::Backward {
            blocks.reverse();
        }
        let is_next = |at: &&usize| match (self.folds.selected, direction) {
            (Some(selected), FindDirection::Forward) => **at > selected,
            (Some(selected), FindDirection::Backward) => **at < selected,
            (None, FindDirection::Forward) => **at >= first,
            (None, FindDirection::Backward) => self.rows.last().is_none_or(|last| **at <= last.entry),
        };
        let Some(&block) = blocks.iter().find(is_next) else { return };
        self.folds.selected = Some(block);
        let start = LinePosition { entry: block, line: 0 };
        if !self.is_in_sight(log, start, options) {
            self.go_to(start);
        }
    }

    /// The row of the view where the selected block starts, as far as it was visible last.
    pub(crate) fn selected_row(&self) -> Option<usize> {
        let selected = self.folds.selected?;
        let is_text = |at: &LinePosition| at.entry == selected && !self.is_blank(*at);
        self.rows.iter().position(is_text)
    }
}
