//! The text area: text, cursor, chips, undo and kill ring, and the changes that keys make to them.

use super::buffer::{Buffer, Position};
use super::chips::{Chip, Chips};
use super::kill_ring::{KillRing, KillSide};
use super::prompt::{Image, Prompt};
use super::undo::{ChangeKind, TextChange, UndoStack};

/// A text that is being edited.
#[derive(Clone, Debug, Default)]
pub(super) struct TextArea {
    pub(super) buffer: Buffer,
    pub(super) cursor: Position,
    pub(super) chips: Chips,
    pub(super) undo: UndoStack,
    pub(super) kills: KillRing,
    /// What the last yank has inserted.
    yanked: Option<(Position, Position)>,
    /// The column that moves up and down try to keep.
    pub(super) goal: Option<usize>,
    /// The highest number of an image so far.
    images: u32,
}

impl TextArea {
    /// Replaces what is between two places, and moves the cursor behind the new text.
    pub(super) fn replace(&mut self, from: Position, to: Position, text: &str, kind: ChangeKind) -> String {
        if from == to && text.is_empty() {
            return String::new();
        }
        let cursor = self.cursor;
        let (removed, end) = self.buffer.replace(from, to, text);
        self.cursor = self.buffer.snap(end);
        let (inserted, at) = (text.to_owned(), from);
        self.undo.push(TextChange { kind, at, removed: removed.clone(), inserted, cursor });
        self.settle();
        removed
    }

    /// Ends what continues from key to key: the goal column, a yank.
    pub(super) fn settle(&mut self) {
        self.goal = None;
        self.yanked = None;
    }

    pub(super) fn insert(&mut self, text: &str, kind: ChangeKind) {
        self.replace(self.cursor, self.cursor, text, kind);
    }

    /// Deletes from a place to the cursor, or the other way round.
    pub(super) fn erase_to(&mut self, other: Position, kind: ChangeKind) -> String {
        let (from, to) = (other.min(self.cursor), other.max(self.cursor));
        self.replace(from, to, "", kind)
    }

    /// Cuts from a place to the cursor, or the other way round.
    pub(super) fn kill_to(&mut self, other: Position) {
        let side = if other < self.cursor { KillSide::Before } else { KillSide::After };
        let text = self.erase_to(other, ChangeKind::Whole);
        self.kills.push(&text, side);
    }

    /// Inserts the text that was cut last.
    pub(super) fn yank(&mut self) -> bool {
        let Some(text) = self.kills.yank().map(str::to_owned) else { return false };
        let from = self.cursor;
        self.insert(&text, ChangeKind::Whole);
        self.yanked = Some((from, self.cursor));
        true
    }

    /// Replaces the text that was just yanked by an older one.
    pub(super) fn yank_older(&mut self) -> bool {
        let Some((from, to)) = self.yanked else { return false };
        let Some(text) = self.kills.yank_older().map(str::to_owned) else { return false };
        self.replace(from, to, &text, ChangeKind::Whole);
        self.yanked = Some((from, self.cursor));
        true
    }

    pub(super) fn undo(&mut self) -> bool {
        let cursor = self.undo.undo(&mut self.buffer);
        self.restore_cursor(cursor)
    }

    pub(super) fn redo(&mut self) -> bool {
        let cursor = self.undo.redo(&mut self.buffer);
        self.restore_cursor(cursor)
    }

    fn restore_cursor(&mut self, cursor: Option<Position>) -> bool {
        self.settle();
        let Some(cursor) = cursor else { return false };
        self.cursor = self.buffer.snap(cursor);
        true
    }

    /// Replaces the whole text; that can be undone.
    pub(super) fn set_text(&mut self, text: &str) {
        let text = with_plain_breaks(text);
        self.undo.seal();
        self.replace(Position::START, self.buffer.end(), &text, ChangeKind::Whole);
        self.cursor = self.buffer.end();
    }

    /// Empties the area, with everything that belongs to its text.
    pub(super) fn reset(&mut self) {
        let (kills, images) = (std::mem::take(&mut self.kills), self.images);
        *self = Self { kills, images, ..Self::default() };
    }

    /// Inserts a pasted text: a long one as a chip. The same one again takes the place of its chip.
    pub(super) fn paste(&mut self, text: &str) {
        let text = with_plain_breaks(text);
        self.undo.seal();
        if !Chips::is_long(&text) {
            return self.insert(&text, ChangeKind::Whole);
        }
        let place = self.chips.mark_of_text(&text).and_then(|mark| self.find(&mark));
        match place {
            Some((from, to)) => drop(self.replace(from, to, &text, ChangeKind::Whole)),
            None => {
                let mark = self.chips.add(Chip::Text(text.into_owned()));
                self.insert(&mark, ChangeKind::Whole);
            }
        }
    }

    /// Inserts the chips of images.
    pub(super) fn attach(&mut self, images: Vec<Image>) {
        let marks: Vec<String> = images.into_iter().map(|image| self.add_image(image)).collect();
        self.undo.seal();
        self.insert(&marks.join(" "), ChangeKind::Whole);
    }

    /// Adds an image under a number that no image of an earlier prompt has: the model has those before it, too.
    fn add_image(&mut self, image: Image) -> String {
        let (number, mark) = self.chips.add_from(self.images + 1, Chip::Image(image));
        self.images = number;
        mark
    }

    /// Adds the chips of prompts that were sent, and returns the prompts with the new marks.
    pub(super) fn take_back(&mut self, prompts: &[Prompt]) -> String {
        let mut text = Vec::new();
        for prompt in prompts {
            let mut sent = Chips::default();
            let pastes = prompt.pastes.iter().map(|(number, text)| (*number, Chip::Text(text.clone())));
            let images = prompt.images.iter().map(|(number, image)| (*number, Chip::Image(image.clone())));
            pastes.chain(images).for_each(|(number, chip)| sent.restore(number, chip, &prompt.display));
            let mut line = String::new();
            let mut done = 0;
            for (mark, chip) in sent.marks(&prompt.display) {
                line.push_str(&prompt.display[done..mark.start]);
                line.push_str(&match chip {
                    Chip::Text(_) => self.chips.add(chip.clone()),
                    Chip::Image(image) => self.add_image(image.clone()),
                });
                done = mark.end;
            }
            line.push_str(&prompt.display[done..]);
            text.push(line);
        }
        text.join("\n")
    }

    /// Returns where a text of one line stands.
    fn find(&self, text: &str) -> Option<(Position, Position)> {
        (0..=self.buffer.last_line()).find_map(|line| {
            let at = self.buffer.line(line).find(text)?;
            Some((Position::new(line, at), Position::new(line, at + text.len())))
        })
    }
}

/// Returns a text whose lines end in `\n` alone.
fn with_plain_breaks(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n").into(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(area: &mut TextArea, text: &str) {
        text.chars().for_each(|letter| area.insert(&letter.to_string(), ChangeKind::Typing));
    }

    #[test]
    fn words_are_undone_one_by_one_and_redone() {
        let mut area = TextArea::default();
        typed(&mut area, "one two  three");
        let mut seen = Vec::new();
        while area.undo() {
            seen.push(area.buffer.text());
        }
        assert_eq!(seen, ["one two  ", "one ", ""]);
        while area.redo() {}
        assert_eq!((area.buffer.text().as_str(), area.cursor), ("one two  three", Position::new(0, 14)));
        area.undo();
        typed(&mut area, "x");
        assert!(!area.redo(), "a new change forgets what was undone");
    }

    #[test]
    fn pastes_become_chips_and_the_same_again_expands() {
        let mut area = TextArea::default();
        area.paste("short\r\nlines");
        assert_eq!(area.buffer.text(), "short\nlines");
        area.paste("a\nb\nc");
        assert_eq!(area.buffer.text(), "short\nlines[Pasted text #1 +2 lines]");
        typed(&mut area, "!");
        area.paste("a\nb\nc");
        assert_eq!(area.buffer.text(), "short\nlinesa\nb\nc!");
        area.undo();
        assert_eq!(area.chips.expand(&area.buffer.text()), "short\nlinesa\nb\nc!");
    }

    #[test]
    fn what_was_cut_is_yanked_and_older_cuts_take_its_place() {
        let mut area = TextArea::default();
        typed(&mut area, "one two");
        area.kill_to(Position::new(0, 4));
        area.kills.seal();
        area.kill_to(Position::START);
        assert!(area.buffer.is_empty());
        assert!(!area.yank_older(), "nothing was yanked");
        assert!(area.yank() && area.yank_older());
        assert_eq!(area.buffer.text(), "two");
        assert!(area.yank_older());
        assert_eq!(area.buffer.text(), "one ");
    }
}
