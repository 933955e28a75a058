//! What the commands of the editor do.

use super::buffer::Position;
use super::chips::Chip;
use super::command::EditorCommand;
use super::history::{HistoryPaste, HistoryPrompt};
use super::menu::MenuItem;
use super::motion::RowDirection;
use super::prompt::{Prompt, PromptKind};
use super::search::HistorySearch;
use super::undo::ChangeKind;
use super::{Editor, EditorAction, Stash};
use crate::key::Key;

/// The sign of a command for the shell, at the start of the text.
pub(super) const SHELL_SIGN: char = '!';

impl Editor {
    /// Inserts a typed character.
    pub(super) fn type_char(&mut self, letter: char) -> EditorAction {
        self.area.kills.seal();
        self.history.rewind();
        self.area.insert(letter.encode_utf8(&mut [0; 4]), ChangeKind::Typing);
        EditorAction::Redraw
    }

    /// Runs a command.
    pub(super) fn run(&mut self, command: EditorCommand, key: Key) -> EditorAction {
        if !is_kill(command) {
            self.area.kills.seal();
        }
        if let Some(to) = self.target(command) {
            return self.move_or_delete(command, to, key);
        }
        if changes_text(command) {
            self.history.rewind();
        }
        match command {
            EditorCommand::Submit => return self.submit(),
            EditorCommand::NewLine => self.area.insert("\n", ChangeKind::Typing),
            EditorCommand::Complete => return EditorAction::Unhandled(key),
            EditorCommand::Up | EditorCommand::Down => return self.move_row(command),
            EditorCommand::Yank => return changed(self.area.yank()),
            EditorCommand::YankOlder => return changed(self.area.yank_older()),
            EditorCommand::Undo => return changed(self.area.undo()),
            EditorCommand::Redo => return changed(self.area.redo()),
            EditorCommand::Search => {
                self.menu = None;
                self.search = Some(HistorySearch::new(&self.history));
            }
            EditorCommand::Stash => return self.stash(),
            EditorCommand::ExternalEditor => return EditorAction::OpenExternalEditor,
            EditorCommand::PasteImage => return EditorAction::PasteImage,
            _ => {}
        }
        EditorAction::Redraw
    }

    /// Returns where a command leads, or up to where it deletes.
    fn target(&self, command: EditorCommand) -> Option<Position> {
        let (area, at) = (&self.area, self.area.cursor);
        let line_end = area.buffer.line_end(at);
        Some(match command {
            EditorCommand::Left | EditorCommand::DeleteLeft => area.left(at),
            EditorCommand::Right | EditorCommand::DeleteRight => area.right(at),
            EditorCommand::WordLeft | EditorCommand::KillWordLeft => area.word_left(at),
            EditorCommand::WordRight | EditorCommand::KillWordRight => area.word_right(at),
            EditorCommand::LineStart | EditorCommand::KillToStart => Position::new(at.line, 0),
            // At the end of a line, its break is cut.
            EditorCommand::KillToEnd if at == line_end => area.right(at),
            EditorCommand::LineEnd | EditorCommand::KillToEnd => line_end,
            EditorCommand::TextStart => Position::START,
            EditorCommand::TextEnd => area.buffer.end(),
            _ => return None,
        })
    }

    fn move_or_delete(&mut self, command: EditorCommand, to: Position, key: Key) -> EditorAction {
        let is_deletion = matches!(command, EditorCommand::DeleteLeft | EditorCommand::DeleteRight);
        if key == Key::Ctrl('d') && is_deletion && self.is_empty() {
            return EditorAction::Unhandled(key);
        }
        if to == self.area.cursor {
            return EditorAction::None;
        }
        if is_deletion {
            self.history.rewind();
            self.area.erase_to(to, ChangeKind::Erasing);
        } else if is_kill(command) {
            self.history.rewind();
            self.area.kill_to(to);
        } else {
            self.area.cursor = to;
            self.area.undo.seal();
            self.area.settle();
        }
        EditorAction::Redraw
    }

    /// Moves within the text first, then through earlier prompts.
    fn move_row(&mut self, command: EditorCommand) -> EditorAction {
        let direction = if command == EditorCommand::Up { RowDirection::Up } else { RowDirection::Down };
        self.area.undo.seal();
        if self.area.move_row(direction, self.row_columns.get()) {
            return EditorAction::Redraw;
        }
        let prompt = match direction {
            RowDirection::Up => self.history.older(&self.area.buffer.text()).cloned(),
            RowDirection::Down => self.history.newer(),
        };
        match prompt {
            Some(prompt) => {
                self.show_prompt(&prompt);
                EditorAction::Redraw
            }
            None => EditorAction::None,
        }
    }

    fn submit(&mut self) -> EditorAction {
        let at = self.area.cursor;
        let is_end = at == self.area.buffer.end();
        // A backslash at the end of the text continues it; what is repeated by `.` is never sent.
        if is_end && self.area.buffer.char_before(at) == Some('\\') {
            let before = Position::new(at.line, at.byte - 1);
            self.area.replace(before, at, "\n", ChangeKind::Whole);
            return EditorAction::Redraw;
        }
        if self.is_repeating {
            self.area.insert("\n", ChangeKind::Typing);
            return EditorAction::Redraw;
        }
        self.send()
    }

    fn send(&mut self) -> EditorAction {
        let text = self.area.buffer.text();
        if text.trim_start_matches(SHELL_SIGN).trim().is_empty() {
            return EditorAction::None;
        }
        let prompt = self.take_prompt();
        self.remember(&prompt);
        if let Some(Stash { text, chips }) = self.stash.take() {
            self.area.chips = chips;
            self.area.set_text(&text);
        }
        EditorAction::Submit(prompt)
    }

    /// Empties the editor, and returns the prompt.
    pub(super) fn take_prompt(&mut self) -> Prompt {
        let display = self.area.buffer.text();
        let mut prompt = Prompt { text: self.area.chips.expand(&display), ..Prompt::default() };
        if let Some(line) = prompt.text.strip_prefix(SHELL_SIGN) {
            (prompt.text, prompt.kind) = (line.trim().to_owned(), PromptKind::Shell);
        }
        for (number, chip) in self.area.chips.used_in(&display) {
            match chip {
                Chip::Text(text) => prompt.pastes.push((number, text)),
                Chip::Image(image) => prompt.images.push((number, image)),
            }
        }
        prompt.display = display;
        self.area.reset();
        self.vim.reset();
        (self.menu, self.dismissed) = (None, None);
        prompt
    }

    /// Adds a prompt to the history of this folder.
    pub fn remember(&mut self, prompt: &Prompt) {
        let pastes = prompt.pastes.iter().map(|(number, text)| (*number, HistoryPaste::Text(text.clone())));
        self.history.push(HistoryPrompt {
            display: prompt.display.clone(),
            pastes: pastes.collect(),
            ..HistoryPrompt::default()
        });
    }

    /// Puts the text aside, or brings it back.
    fn stash(&mut self) -> EditorAction {
        if self.is_empty() {
            let Some(Stash { text, chips }) = self.stash.take() else { return EditorAction::None };
            self.area.chips = chips;
            self.area.set_text(&text);
        } else {
            let text = self.area.buffer.text();
            self.stash = Some(Stash { text, chips: std::mem::take(&mut self.area.chips) });
            self.area.reset();
        }
        EditorAction::Redraw
    }

    /// Puts what the menu offers into the text.
    pub(super) fn accept(&mut self) {
        if let Some(menu) = self.menu.take()
            && let Some(item) = menu.items.get(menu.selected)
        {
            self.area.undo.seal();
            let completion = item.completion();
            self.area.replace(menu.start, self.area.cursor, &completion, ChangeKind::Whole);
            self.history.rewind();
        }
        self.refresh_menu();
    }

    /// Accepts; a command that takes no arguments, and what was typed in full, is sent too.
    pub(super) fn accept_and_submit(&mut self) -> EditorAction {
        let Some(menu) = &self.menu else { return EditorAction::None };
        let word = self.area.buffer.slice(menu.start, self.area.cursor);
        let is_sent = match menu.items.get(menu.selected) {
            Some(MenuItem::Command(entry)) => entry.hint.is_empty() || word[1..] == entry.name,
            _ => false,
        };
        let is_end = self.area.cursor == self.area.buffer.end();
        if let Some(item @ MenuItem::Mention(_)) = menu.items.get(menu.selected)
            && item.completion().trim_end() == word
        {
            // It was typed in full: there is nothing to accept.
            self.menu = None;
            return self.submit();
        }
        self.accept();
        if !(is_sent && is_end) {
            return EditorAction::Redraw;
        }
        // Without the space that waits for arguments.
        let end = self.area.cursor;
        self.area.replace(self.area.left(end), end, "", ChangeKind::Whole);
        self.send()
    }
}

fn is_kill(command: EditorCommand) -> bool {
    matches!(
        command,
        EditorCommand::KillWordLeft
            | EditorCommand::KillWordRight
            | EditorCommand::KillToStart
            | EditorCommand::KillToEnd
    )
}

fn changes_text(command: EditorCommand) -> bool {
    matches!(
        command,
        EditorCommand::NewLine
            | EditorCommand::Yank
            | EditorCommand::YankOlder
            | EditorCommand::Undo
            | EditorCommand::Redo
            | EditorCommand::Stash
    )
}

fn changed(is_changed: bool) -> EditorAction {
    if is_changed { EditorAction::Redraw } else { EditorAction::None }
}
