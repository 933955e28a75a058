//! The log of a conversation: its blocks in order, and how far the terminal's scrollback has them.

use std::ops::Range;

use annals_ui::terminal::{RenderOptions, StyledLine};
use annals_ui::view::Item;

use super::block::{AnswerSignature, BlockForm, ChatBlock, TextBlock};
use super::call::CallBlock;
use crate::picture::{Picture, PictureNumber};

/// How far back the answer is that was given last.
const MAX_SIGNED: usize = 8;

/// Lines for the scrollback, and the pictures that stand in blank ones of them, each with the first of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FinishedLines {
    pub(crate) lines: Vec<StyledLine>,
    pub(crate) pictures: Vec<(usize, Picture)>,
}

impl FinishedLines {
    /// The last of them, and the pictures that are whole there.
    pub(crate) fn last(mut self, max_lines: usize) -> Self {
        let first = self.lines.len().saturating_sub(max_lines);
        let pictures = self.pictures.into_iter();
        let pictures =
            pictures.filter_map(|(row, picture)| Some((row.checked_sub(first)?, picture))).collect();
        Self { lines: self.lines.split_off(first), pictures }
    }
}

/// The blocks of a conversation.
#[derive(Debug, Default)]
pub(crate) struct ChatLog {
    blocks: Vec<ChatBlock>,
    /// Blocks that are in the scrollback, and lines of the next one that are.
    printed: (usize, usize),
    /// Blocks that are left out of the scrollback.
    skipped: Range<usize>,
    /// Grows with every change of a block that was there before.
    pub(super) changes: usize,
}

impl ChatLog {
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    pub(crate) fn blocks(&self) -> &[ChatBlock] {
        &self.blocks
    }

    pub(crate) fn push(&mut self, block: ChatBlock) {
        self.blocks.push(block);
    }

    /// Adds blocks before all others. The scrollback does not get them.
    pub(crate) fn prepend(&mut self, blocks: Vec<ChatBlock>) {
        let count = blocks.len();
        self.blocks.splice(0..0, blocks);
        self.printed.0 += count;
        if !self.skipped.is_empty() {
            self.skipped = self.skipped.start + count..self.skipped.end + count;
        }
        self.changes += 1;
    }

    /// Removes the lines of a message of the program.
    pub(crate) fn clear_notes(&mut self, at: usize) {
        if let Some(ChatBlock::Notes(lines)) = self.blocks.get_mut(at) {
            lines.clear();
            self.changes += 1;
        }
    }

    /// Forgets everything: another session follows.
    pub(crate) fn clear(&mut self) {
        *self = Self { changes: self.changes + 1, ..Self::default() };
    }

    /// Notes the id of a prompt.
    pub(crate) fn set_prompt_id(&mut self, block: usize, prompt: &str) {
        if let Some(ChatBlock::Prompt { id, .. }) = self.blocks.get_mut(block) {
            *id = Some(prompt.to_owned());
        }
    }

    /// Forgets a prompt and what follows it; returns whether it was there.
    pub(crate) fn cut_before(&mut self, prompt: &str) -> bool {
        let is_it =
            |block: &ChatBlock| matches!(block, ChatBlock::Prompt { id: Some(id), .. } if id == prompt);
        let Some(at) = self.blocks.iter().position(is_it) else { return false };
        self.changes += 1;
        self.blocks.truncate(at);
        self.skipped.end = self.skipped.end.min(at);
        if self.printed.0 >= at {
            self.printed = (at, 0);
        }
        true
    }

    /// Forgets a prompt, and nothing else.
    pub(crate) fn remove_prompt(&mut self, at: usize) {
        if !matches!(self.blocks.get(at), Some(ChatBlock::Prompt { .. })) {
            return;
        }
        self.changes += 1;
        self.blocks.remove(at);
        let moved = |place: usize| place - usize::from(place > at);
        self.skipped = moved(self.skipped.start)..moved(self.skipped.end);
        match self.printed.0 {
            printed if printed > at => self.printed.0 -= 1,
            printed if printed == at => self.printed.1 = 0,
            _ => {}
        }
    }

    /// Leaves blocks out of the scrollback.
    pub(crate) fn skip(&mut self, blocks: Range<usize>) {
        self.skipped = blocks;
    }

    /// The text that is arriving. Messages of the program may stand below it, such as what a command reports during a turn.
    pub(crate) fn streaming(&mut self) -> Option<&mut TextBlock> {
        self.changes += 1;
        match self
            .blocks
            .iter_mut()
            .rev()
            .find(|block| !matches!(block, ChatBlock::Notes(_) | ChatBlock::Detail(_)))
        {
            Some(ChatBlock::Text(text)) if text.is_streaming() => Some(text),
            _ => None,
        }
    }

    /// A call that has not ended.
    pub(crate) fn running_call(&mut self, id: &str) -> Option<&mut CallBlock> {
        self.changes += 1;
        self.blocks.iter_mut().rev().find_map(|block| match block {
            ChatBlock::Call(call) if !call.is_finished() && call.id() == id => Some(&mut **call),
            _ => None,
        })
    }

    /// Adds pictures behind a call, which has ended.
    pub(crate) fn add_pictures_of(&mut self, call: &str, pictures: Vec<Picture>) {
        let is_it = |block: &ChatBlock| matches!(block, ChatBlock::Call(found) if found.id() == call);
        let Some(at) = self.blocks.iter().rposition(is_it) else { return };
        if pictures.is_empty() || at < self.printed.0 {
            return;
        }
        self.changes += 1;
        let blocks = pictures.into_iter().map(|picture| ChatBlock::Picture(Box::new(picture)));
        self.blocks.splice(at + 1..at + 1, blocks);
    }

    /// The picture with a number.
    pub(crate) fn picture(&self, number: PictureNumber) -> Option<&Picture> {
        self.blocks.iter().rev().find_map(|block| match block {
            ChatBlock::Picture(picture) if picture.number == Some(number) => Some(&**picture),
            _ => None,
        })
    }

    /// Ends what has not ended.
    pub(crate) fn finish_all(&mut self, options: &RenderOptions<'_>) {
        self.changes += 1;
        for block in &mut self.blocks {
            match block {
                ChatBlock::Text(text) => text.finish(options),
                ChatBlock::Call(call) if !call.is_finished() => call.stop(),
                _ => {}
            }
        }
    }

    /// Says which model gave the answer that arrives or came last, and when.
    pub(crate) fn sign_answer(&mut self, signature: AnswerSignature) {
        let texts = self.blocks.iter_mut().rev().take(MAX_SIGNED);
        if let Some(text) = texts.filter_map(ChatBlock::as_answer).next()
            && text.signature.is_none()
        {
            text.signature = Some(signature);
            self.changes += 1;
        }
    }

    /// Adds an item of a stored session.
    pub(crate) fn add_item(&mut self, item: Item) {
        self.blocks.extend(ChatBlock::of_item(item));
    }

    /// The lines of a block, after the blank line that separates it.
    pub(crate) fn lines(&self, at: usize, form: BlockForm, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        let Some(block) = self.blocks.get(at) else { return Vec::new() };
        let mut lines = block.layout(form, options);
        if self.has_gap(at, form) && !lines.is_empty() {
            lines.insert(0, StyledLine::new());
        }
        lines
    }

    /// Whether a blank line comes before a block, after the last one before it that is shown.
    fn has_gap(&self, at: usize, form: BlockForm) -> bool {
        let before = self.blocks[..at].iter().rev().find(|block| block.is_shown(form));
        before.is_some_and(|before| self.blocks[at].has_gap_after(before))
    }

    /// Takes the lines that are finished and not in the scrollback yet. Pictures of more rows are left out.
    pub(crate) fn take_finished(&mut self, options: &RenderOptions<'_>, max_rows: usize) -> FinishedLines {
        let (mut out, mut pictures) = (Vec::new(), Vec::new());
        loop {
            if self.skipped.contains(&self.printed.0) {
                self.printed = (self.skipped.end, 0);
            }
            let Some(block) = self.blocks.get(self.printed.0) else { break };
            let skipped = self.printed.1;
            if let ChatBlock::Picture(picture) = block {
                let rows = usize::from(picture.rows);
                if picture.number.is_none()
                    && rows <= max_rows
                    && usize::from(picture.columns) <= options.width
                {
                    pictures.push((out.len(), (**picture).clone()));
                    out.resize(out.len() + rows, StyledLine::new());
                }
                self.printed = (self.printed.0 + 1, 0);
                continue;
            }
            if let (ChatBlock::Text(text), true, 1..) = (block, block.is_final(), skipped) {
                // The rest of a text that began to scroll off at another width is not laid out again: no line gets lost.
                out.extend(
                    text.complete_lines(
                        skipped - usize::from(self.has_gap(self.printed.0, BlockForm::Brief)),
                    ),
                );
                self.printed = (self.printed.0 + 1, 0);
                continue;
            }
            if block.is_final() {
                out.extend(self.lines(self.printed.0, BlockForm::Brief, options).into_iter().skip(skipped));
                self.printed = (self.printed.0 + 1, 0);
                continue;
            }
            if let ChatBlock::Text(text) = block {
                let gap = usize::from(self.has_gap(self.printed.0, BlockForm::Brief));
                let lines = text.complete_lines(skipped.saturating_sub(gap));
                if !lines.is_empty() {
                    out.extend((skipped < gap).then(StyledLine::new));
                    self.printed.1 = skipped.max(gap) + lines.len();
                    out.extend(lines);
                }
            }
            break;
        }
        FinishedLines { lines: out, pictures }
    }

    /// The end of what is not in the scrollback, in at most this many lines.
    pub(crate) fn unfinished(&self, options: &RenderOptions<'_>, max_lines: usize) -> Vec<StyledLine> {
        let mut lines = Vec::new();
        for at in self.printed.0..self.blocks.len() {
            let skipped = if at == self.printed.0 { self.printed.1 } else { 0 };
            if let (ChatBlock::Text(text), 1..) = (&self.blocks[at], skipped) {
                let gap = usize::from(self.has_gap(at, BlockForm::Brief));
                lines.extend(text.lines_from(skipped - gap, options));
                continue;
            }
            lines.extend(self.lines(at, BlockForm::Brief, options).into_iter().skip(skipped));
        }
        let start = lines.len().saturating_sub(max_lines);
        lines.split_off(start)
    }
}
