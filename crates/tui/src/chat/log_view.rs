//! A window on a log: which lines are shown. Only blocks that are passed or shown are laid out, each once for a width.

use annals_ui::terminal::{RenderOptions, StyledLine};

use super::block::{BlockForm, ChatBlock};
use super::fold::FoldState;
use super::log::ChatLog;
use crate::picture::VisiblePicture;
use crate::reader::LinePosition;

/// A window on a log.
#[derive(Debug)]
pub(crate) struct LogView {
    pub(super) form: BlockForm,
    pub(super) folds: FoldState,
    /// The first line; `None` follows the end.
    top: Option<LinePosition>,
    height: usize,
    width: usize,
    /// The lines of blocks, and whether nothing of them changes any more.
    cache: Vec<(bool, Vec<StyledLine>)>,
    /// Where the lines are from that were visible last.
    pub(super) rows: Vec<LinePosition>,
    /// The parts of pictures among them.
    pub(super) pictures: Vec<VisiblePicture>,
    /// Whether lines follow those that were visible last.
    has_more: bool,
    /// Blocks that were laid out so far.
    pub(super) layouts: usize,
}

impl LogView {
    pub(crate) fn new(form: BlockForm) -> Self {
        Self {
            form,
            folds: FoldState::default(),
            top: None,
            height: 1,
            width: 0,
            cache: Vec::new(),
            rows: Vec::new(),
            pictures: Vec::new(),
            has_more: false,
            layouts: 0,
        }
    }

    /// Fits it to a place on the screen.
    pub(crate) fn resize(&mut self, width: usize, height: usize) {
        if self.width != width {
            self.cache.clear();
        }
        (self.width, self.height) = (width, height.max(1));
    }

    /// Forgets what was laid out.
    pub(crate) fn reset(&mut self) {
        self.cache.clear();
        self.folds = FoldState::default();
        self.top = None;
    }

    /// Follows blocks that came before all others: what is visible stays.
    pub(crate) fn shift(&mut self, blocks: usize) {
        if let Some(top) = &mut self.top {
            top.entry += blocks;
        }
        self.folds.shift(blocks);
        self.lay_out_again();
    }

    /// Forgets how a block was laid out.
    pub(super) fn forget(&mut self, block: usize) {
        if let Some(known) = self.cache.get_mut(block) {
            *known = (false, Vec::new());
        }
    }

    /// Whether a line that was laid out is blank.
    pub(super) fn is_blank(&self, at: LinePosition) -> bool {
        self.cache.get(at.entry).and_then(|(_, lines)| lines.get(at.line)).is_none_or(Vec::is_empty)
    }

    /// Forgets what was laid out, and stays where it is: blocks have come between others.
    pub(crate) fn lay_out_again(&mut self) {
        self.cache.clear();
    }

    /// Whether nothing follows what was visible last.
    pub(crate) fn is_at_end(&self) -> bool {
        self.top.is_none() || !self.has_more
    }

    /// Whether a line is on the screen.
    pub(crate) fn is_in_sight(
        &mut self,
        log: &ChatLog,
        at: LinePosition,
        options: &RenderOptions<'_>,
    ) -> bool {
        let first = self.first(log, options);
        first <= at && self.back(log, at, self.height.saturating_sub(1), options) <= first
    }

    /// Whether lines that come are shown at once.
    pub(super) fn follows_end(&self) -> bool {
        self.top.is_none()
    }

    /// The first line that is shown at the end.
    pub(super) fn last_first(&mut self, log: &ChatLog, options: &RenderOptions<'_>) -> LinePosition {
        self.back(log, LinePosition { entry: log.len(), line: 0 }, self.height, options)
    }

    /// Goes to the end, and follows it.
    pub(crate) fn go_to_end(&mut self) {
        self.top = None;
    }

    pub(crate) fn go_to(&mut self, at: LinePosition) {
        self.top = Some(at);
    }

    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// The lines of a block.
    pub(crate) fn lines(&mut self, log: &ChatLog, at: usize, options: &RenderOptions<'_>) -> &[StyledLine] {
        if self.cache.len() <= at {
            self.cache.resize(at + 1, (false, Vec::new()));
        }
        if !self.cache[at].0 {
            let options = RenderOptions { width: self.width, ..*options };
            let is_final = log.blocks().get(at).is_some_and(ChatBlock::is_final);
            self.cache[at] = (is_final, log.lines(at, self.form_of(at), &options));
            self.layouts += 1;
        }
        &self.cache[at].1
    }

    /// The position this many lines before another, or the first.
    fn back(
        &mut self,
        log: &ChatLog,
        from: LinePosition,
        lines: usize,
        options: &RenderOptions<'_>,
    ) -> LinePosition {
        let (mut at, mut left) = (from, lines);
        loop {
            if at.line >= left {
                return LinePosition { line: at.line - left, ..at };
            }
            left -= at.line;
            let Some(entry) = at.entry.checked_sub(1) else { return LinePosition::default() };
            at = LinePosition { entry, line: self.lines(log, entry, options).len() };
        }
    }

    /// The first line that is shown.
    pub(crate) fn first(&mut self, log: &ChatLog, options: &RenderOptions<'_>) -> LinePosition {
        match self.top {
            Some(top) => top,
            None => self.last_first(log, options),
        }
    }

    /// Scrolls by lines; past the end it follows the end again.
    pub(crate) fn scroll(&mut self, log: &ChatLog, lines: isize, options: &RenderOptions<'_>) {
        let first = self.first(log, options);
        if lines < 0 {
            self.top = Some(self.back(log, first, lines.unsigned_abs(), options));
            return;
        }
        if self.top.is_none() {
            return;
        }
        let last = self.last_first(log, options);
        let mut at = LinePosition { line: first.line + lines.unsigned_abs(), ..first };
        while at.entry < log.len() {
            let count = self.lines(log, at.entry, options).len();
            if at.line < count {
                break;
            }
            at = LinePosition { entry: at.entry + 1, line: at.line - count };
        }
        self.top = (at < last).then_some(at);
    }

    /// The lines on the screen. At the end they fill it, if there are enough.
    pub(crate) fn visible(&mut self, log: &ChatLog, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        let shown = self.visible_from_top(log, options);
        let is_short = shown.len() < self.height && self.top.is_some_and(|top| top > LinePosition::default());
        if !is_short {
            return shown;
        }
        self.top = Some(self.last_first(log, options));
        self.visible_from_top(log, options)
    }

    fn visible_from_top(&mut self, log: &ChatLog, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        let first = self.first(log, options);
        let (mut out, height) = (Vec::with_capacity(self.height), self.height);
        let mut skipped = first.line;
        self.pictures.clear();
        self.rows.clear();
        self.has_more = false;
        for entry in first.entry..log.len() {
            let (row, lines) = (out.len(), self.lines(log, entry, options));
            if row >= height {
                self.has_more |= !lines.is_empty();
                if self.has_more {
                    break;
                }
                continue;
            }
            out.extend(lines.iter().skip(skipped).take(height - row).cloned());
            let is_cut = lines.len() > skipped + (out.len() - row);
            let (first, count) = (skipped, lines.len());
            self.rows.extend((0..out.len() - row).map(|line| LinePosition { entry, line: first + line }));
            skipped = skipped.saturating_sub(count);
            if let Some(ChatBlock::Picture(picture)) = log.blocks().get(entry)
                && let Some(number) = picture.number
                && out.len() > row
            {
                let rows = out.len() - row;
                let (columns, is_overlay) = (picture.columns, picture.is_overlay);
                self.pictures.push(VisiblePicture { number, row, first, rows, columns, is_overlay });
            }
            if is_cut {
                self.has_more = true;
                break;
            }
        }
        out
    }
}
