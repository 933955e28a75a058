//! What keys do to the chat screen.

use std::time::Duration;

use super::command::ChatCommand;
use super::effect::{ChatEffect, ChatInput, ScreenLayout};
use super::help::key_lines;
use super::keymap::ChatKeyScope;
use super::page::{ChatPage, PageOutcome};
use super::picker::PickerOutcome;
use super::question::QuestionOutcome;
use super::screen::ChatScreen;
use crate::editor::{EditorAction, Prompt};
use crate::key::{Key, Mouse};
use crate::reader::LinePosition;

/// Two presses of escape or ctrl-d within this time are a double one.
const DOUBLE_PRESS: Duration = Duration::from_millis(800);
/// Two presses of ctrl-c within this time exit.
const DOUBLE_INTERRUPT: Duration = Duration::from_secs(2);
/// Lines that the wheel scrolls.
const WHEEL: isize = 3;

impl ChatScreen {
    /// Applies what the person did, and returns what the program is to do.
    pub fn update(&mut self, input: ChatInput) -> Vec<ChatEffect> {
        match input {
            ChatInput::Key(key) => match self.keymap.command(ChatKeyScope::Prompt, key) {
                Some(ChatCommand::Suspend) => vec![ChatEffect::Suspend],
                Some(ChatCommand::Redraw) => vec![ChatEffect::Redraw],
                _ => self.press(key),
            },
            ChatInput::Focus(_) => Vec::new(),
            ChatInput::Mouse(Mouse::Click { row, .. }) => {
                self.click(usize::from(row));
                Vec::new()
            }
            ChatInput::Mouse(Mouse::ScrollUp) => self.scroll(-WHEEL),
            ChatInput::Mouse(Mouse::ScrollDown) => self.scroll(WHEEL),
            ChatInput::Paste(text) => {
                self.paste(&text);
                Vec::new()
            }
        }
    }

    fn paste(&mut self, text: &str) {
        if let Some(picker) = &mut self.picker {
            picker.paste(text);
        } else if !self.is_covered() && !self.questions.front_mut().is_some_and(|first| first.paste(text)) {
            self.key_focus.note_typing(self.now);
            self.hint = self.editor.paste(text);
        }
    }

    /// Folds the thought or the tool call that was clicked on, or opens it.
    fn click(&mut self, row: usize) {
        let options = self.render_options();
        if let Some(page) = &mut self.page {
            page.click(row, &self.log, &options);
        } else if self.options.layout == ScreenLayout::Full && !self.is_covered() {
            self.view.fold_at_row(&self.log, row, &options);
        }
    }

    /// Scrolls what is in sight.
    fn scroll(&mut self, lines: isize) -> Vec<ChatEffect> {
        let options = self.render_options();
        if let Some(page) = &mut self.page {
            page.scroll(lines, &self.log, &options);
        } else if let Some(picker) = &mut self.picker {
            picker.scroll(lines.signum());
        } else if self.options.layout == ScreenLayout::Full {
            self.view.scroll(&self.log, lines, &options);
        }
        Vec::new()
    }

    fn press(&mut self, key: Key) -> Vec<ChatEffect> {
        self.hint = None;
        let has_question = !self.questions.is_empty();
        let command = self.keymap.command(ChatKeyScope::Prompt, key);
        if self.is_covered() {
            // The question below appears when this is closed: what is typed here is not meant for it.
            self.key_focus.note_typing(self.now);
            return self.press_cover(key);
        }
        if command == Some(ChatCommand::Transcript) {
            self.show_page(ChatPage::transcript());
            return Vec::new();
        }
        if has_question && (key == Key::Ctrl('c') || self.key_focus.take(self.now)) {
            return self.press_question(key);
        }
        self.key_focus.note_typing(self.now);
        if has_question { self.type_beside_question(key) } else { self.edit(key, command) }
    }

    /// Applies a key to the page or the list that covers the screen.
    fn press_cover(&mut self, key: Key) -> Vec<ChatEffect> {
        let options = self.render_options();
        if let Some(page) = &mut self.page {
            let command = self.keymap.command(ChatKeyScope::Page, key);
            match page.press(key, command, &self.log, &options) {
                PageOutcome::LoadEarlier if self.earlier.is_some() => return vec![ChatEffect::LoadEarlier],
                PageOutcome::Open | PageOutcome::LoadEarlier => {}
                PageOutcome::Close => {
                    self.page = None;
                    self.uncover();
                }
            }
            return Vec::new();
        }
        if self.picker.is_none() && self.tasks.is_some() {
            return self.press_tasks(key);
        }
        let command = self.keymap.command(ChatKeyScope::Picker, key);
        let chosen = match self.picker.as_mut().map(|picker| picker.press(key, command)) {
            None | Some(PickerOutcome::Open) => return Vec::new(),
            Some(PickerOutcome::Cancel) => None,
            Some(PickerOutcome::Choose(answer)) => Some(answer),
        };
        self.picker = None;
        self.uncover();
        vec![ChatEffect::Choose(chosen)]
    }

    fn press_question(&mut self, key: Key) -> Vec<ChatEffect> {
        let command = self.keymap.command(ChatKeyScope::Question, key);
        let Some(question) = self.questions.front_mut() else { return Vec::new() };
        let outcome = question.press(key, command);
        self.answer(outcome)
    }

    /// Edits the prompt although there is a question: nothing is answered and nothing is sent.
    fn type_beside_question(&mut self, key: Key) -> Vec<ChatEffect> {
        if self.editor.sends(key) {
            self.hint = Some("the prompt can be sent once the question is answered".to_owned());
            return Vec::new();
        }
        match self.editor.handle(key) {
            EditorAction::Submit(prompt) => self.editor.take_back(&[prompt]),
            EditorAction::PasteImage => return vec![ChatEffect::PasteImage],
            EditorAction::Unhandled(Key::Escape) => return self.press_question(key),
            _ => {}
        }
        Vec::new()
    }

    /// Notes that a question that appeared meanwhile is in sight now: what was pressed before was not meant for it.
    pub(super) fn uncover(&mut self) {
        if !self.questions.is_empty() && !self.is_covered() {
            self.key_focus.appear(self.now);
        }
    }

    fn answer(&mut self, outcome: QuestionOutcome) -> Vec<ChatEffect> {
        let effect = match outcome {
            QuestionOutcome::Open => return Vec::new(),
            QuestionOutcome::Cancel => ChatEffect::Refuse(
                self.questions.front().map(|first| first.id().to_owned()).unwrap_or_default(),
            ),
            QuestionOutcome::Answered(answer) => ChatEffect::Answer(answer),
        };
        self.questions.pop_front();
        self.key_focus.answer(self.now);
        if !self.questions.is_empty() {
            self.key_focus.appear(self.now);
        }
        vec![effect]
    }

    /// Applies a key while a prompt is typed.
    fn edit(&mut self, key: Key, command: Option<ChatCommand>) -> Vec<ChatEffect> {
        let is_empty = self.editor.is_empty();
        if !self.editor.is_searching() {
            match command {
                Some(ChatCommand::Interrupt) => return self.interrupt(key),
                Some(ChatCommand::Mode) => return vec![ChatEffect::CycleMode],
                Some(ChatCommand::TakeBack)
                    if !self.queue.is_empty() && !self.editor.has_menu() && self.editor.is_one_line() =>
                {
                    return self.unqueue();
                }
                Some(ChatCommand::Help) if is_empty => {
                    self.open_page("keys", key_lines(&self.keymap, self.editor.keymap()));
                    return Vec::new();
                }
                Some(ChatCommand::Exit) if is_empty => return self.exit(key),
                // Escape closes a menu first, and is vim's.
                Some(ChatCommand::Cancel) if key != Key::Escape => return self.escape(key),
                Some(command) if self.scroll_view(command, is_empty) => return Vec::new(),
                _ => {}
            }
        }
        match self.editor.handle(key) {
            EditorAction::Submit(prompt) => self.submit(prompt),
            EditorAction::OpenExternalEditor => vec![ChatEffect::EditElsewhere],
            EditorAction::PasteImage => vec![ChatEffect::PasteImage],
            EditorAction::Unhandled(key) if command == Some(ChatCommand::Cancel) => self.escape(key),
            EditorAction::None | EditorAction::Redraw | EditorAction::Unhandled(_) => Vec::new(),
        }
    }

    /// Scrolls the conversation of the full layout; whether the command does that.
    fn scroll_view(&mut self, command: ChatCommand, is_empty: bool) -> bool {
        if self.options.layout != ScreenLayout::Full {
            return false;
        }
        let page = isize::try_from(self.view.height()).unwrap_or(1);
        let lines = match command {
            ChatCommand::PageUp => -page,
            ChatCommand::PageDown => page,
            ChatCommand::HalfUp => -page / 2,
            ChatCommand::HalfDown => page / 2,
            ChatCommand::First if is_empty => {
                self.view.go_to(LinePosition::default());
                return true;
            }
            ChatCommand::Last if is_empty => {
                self.view.go_to_end();
                return true;
            }
            _ => return false,
        };
        let options = self.render_options();
        self.view.scroll(&self.log, lines, &options);
        true
    }

    fn exit(&mut self, key: Key) -> Vec<ChatEffect> {
        match self.is_double(key, DOUBLE_PRESS) {
            true if self.work.is_some() => self.submit(Prompt::of_line("/exit")),
            true => vec![ChatEffect::Exit],
            false => {
                self.hint = Some("press ctrl-d again to exit".to_owned());
                Vec::new()
            }
        }
    }

    fn submit(&mut self, prompt: Prompt) -> Vec<ChatEffect> {
        self.view.go_to_end();
        if self.work.is_some() {
            self.queue.push(prompt.clone());
        }
        vec![ChatEffect::Submit(prompt)]
    }

    fn interrupt(&mut self, key: Key) -> Vec<ChatEffect> {
        if self.work.is_some() {
            return vec![ChatEffect::Stop];
        }
        let is_empty = self.editor.is_empty();
        self.editor.clear();
        if self.is_double(key, DOUBLE_INTERRUPT) && is_empty {
            return vec![ChatEffect::Exit];
        }
        self.hint = Some("press ctrl-c again to exit".to_owned());
        Vec::new()
    }

    fn escape(&mut self, key: Key) -> Vec<ChatEffect> {
        if let Some(work) = &self.work {
            return if work.interrupts == 0 { vec![ChatEffect::Interrupt] } else { Vec::new() };
        }
        let is_empty = self.editor.is_empty();
        if !self.is_double(key, DOUBLE_PRESS) {
            if !is_empty {
                self.hint = Some("press esc again to clear".to_owned());
            }
            return Vec::new();
        }
        if is_empty {
            return vec![ChatEffect::Rewind];
        }
        self.editor.clear();
        Vec::new()
    }

    /// Moves queued prompts into the input, before what is typed there. Of a queue with commands, the last one moves: a command
    /// and a prompt are not one text.
    fn unqueue(&mut self) -> Vec<ChatEffect> {
        let has_commands = self.queue.iter().any(|prompt| prompt.text.starts_with('/'));
        let first = if has_commands { self.queue.len() - 1 } else { 0 };
        let queue = self.queue.split_off(first);
        self.editor.take_back(&queue);
        vec![ChatEffect::Unqueue]
    }

    /// Whether this key was also the one before, not long ago.
    fn is_double(&mut self, key: Key, within: Duration) -> bool {
        let before = self.pressed.replace((key, self.now));
        let is_double = before.is_some_and(|(last, at)| last == key && self.now.duration_since(at) < within);
        if is_double {
            self.pressed = None;
        }
        is_double
    }
}
