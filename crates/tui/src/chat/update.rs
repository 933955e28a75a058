//! What keys do to the chat screen.

use std::time::Duration;

use annals_ui::terminal::{Span, Style, StyledLine};

use super::keys::CHAT_KEYS;
use super::page::{ChatPage, PageOutcome};
use super::picker::PickerOutcome;
use super::question::QuestionOutcome;
use super::screen::{ChatEffect, ChatInput, ChatScreen, ScreenLayout};
use crate::editor::{EditorAction, Prompt};
use crate::key::Key;

/// Two presses of escape or ctrl-d within this time are a double one.
const DOUBLE_PRESS: Duration = Duration::from_millis(800);
/// Two presses of ctrl-c within this time exit.
const DOUBLE_INTERRUPT: Duration = Duration::from_secs(2);
/// Keys that come sooner after a question appeared were meant for the prompt.
const UNREAD: Duration = Duration::from_millis(300);

impl ChatScreen {
    /// Applies what the person did, and returns what the program is to do.
    pub fn update(&mut self, input: ChatInput) -> Vec<ChatEffect> {
        match input {
            ChatInput::Key(Key::Ctrl('z')) => vec![ChatEffect::Suspend],
            ChatInput::Key(Key::Ctrl('l')) => vec![ChatEffect::Redraw],
            ChatInput::Key(key) => self.press(key),
            ChatInput::Focus(_) => Vec::new(),
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
            self.hint = self.editor.paste(text);
        }
    }

    fn press(&mut self, key: Key) -> Vec<ChatEffect> {
        self.hint = None;
        let options = self.render_options();
        if let Some(page) = &mut self.page {
            if page.press(key, &self.log, &options) == PageOutcome::Close {
                self.page = None;
                self.uncover();
            }
            return Vec::new();
        }
        if let Some(picker) = &mut self.picker {
            let chosen = match picker.press(key) {
                PickerOutcome::Open => return Vec::new(),
                PickerOutcome::Cancel => None,
                PickerOutcome::Choose(answer) => Some(answer),
            };
            self.picker = None;
            self.uncover();
            return vec![ChatEffect::Choose(chosen)];
        }
        if self.tasks.is_some() {
            return self.press_tasks(key);
        }
        if key == Key::Ctrl('o') {
            self.page = Some(ChatPage::transcript());
            return Vec::new();
        }
        let is_read = self.question_shown.is_none_or(|shown| self.now.duration_since(shown) >= UNREAD);
        match self.questions.front_mut() {
            Some(question) if is_read => {
                let outcome = question.press(key);
                self.answer(outcome)
            }
            Some(question) if key == Key::Ctrl('c') => {
                let outcome = question.press(key);
                self.answer(outcome)
            }
            // A stray key neither answers nor interrupts nor sends.
            Some(_) => {
                if matches!(key, Key::Char(_) | Key::Backspace) {
                    self.editor.handle(key);
                }
                Vec::new()
            }
            None => self.edit(key),
        }
    }

    /// Notes that a question that appeared meanwhile is in sight now: what was pressed before was not meant for it.
    pub(super) fn uncover(&mut self) {
        if !self.questions.is_empty() && !self.is_covered() {
            self.question_shown = Some(self.now);
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
        self.question_shown = (!self.questions.is_empty()).then_some(self.now);
        vec![effect]
    }

    /// Applies a key while a prompt is typed.
    fn edit(&mut self, key: Key) -> Vec<ChatEffect> {
        let is_empty = self.editor.is_empty();
        match key {
            _ if self.editor.is_searching() => {}
            Key::Ctrl('c') => return self.interrupt(),
            Key::BackTab => return vec![ChatEffect::CycleMode],
            Key::Up if !self.queue.is_empty() && !self.editor.has_menu() && self.editor.is_one_line() => {
                return self.unqueue();
            }
            Key::Char('?') if is_empty => {
                self.open_page("keys", key_lines());
                return Vec::new();
            }
            Key::PageUp | Key::PageDown if self.options.layout == ScreenLayout::Full => {
                let page = isize::try_from(self.view.height()).unwrap_or(1);
                let options = self.render_options();
                self.view.scroll(&self.log, if key == Key::PageUp { -page } else { page }, &options);
                return Vec::new();
            }
            _ => {}
        }
        match self.editor.handle(key) {
            EditorAction::Submit(prompt) => self.submit(prompt),
            EditorAction::OpenExternalEditor => vec![ChatEffect::EditElsewhere],
            EditorAction::PasteImage => vec![ChatEffect::PasteImage],
            EditorAction::Unhandled(Key::Escape) => self.escape(),
            EditorAction::Unhandled(Key::Ctrl('d')) if is_empty => match self.is_double(key, DOUBLE_PRESS) {
                true if self.work.is_some() => self.submit(Prompt::of_line("/exit")),
                true => vec![ChatEffect::Exit],
                false => {
                    self.hint = Some("press ctrl-d again to exit".to_owned());
                    Vec::new()
                }
            },
            EditorAction::None | EditorAction::Redraw | EditorAction::Unhandled(_) => Vec::new(),
        }
    }

    fn submit(&mut self, prompt: Prompt) -> Vec<ChatEffect> {
        self.view.go_to_end();
        if self.work.is_some() {
            self.queue.push(prompt.clone());
        }
        vec![ChatEffect::Submit(prompt)]
    }

    fn interrupt(&mut self) -> Vec<ChatEffect> {
        if self.work.is_some() {
            return vec![ChatEffect::Stop];
        }
        let is_empty = self.editor.is_empty();
        self.editor.clear();
        if self.is_double(Key::Ctrl('c'), DOUBLE_INTERRUPT) && is_empty {
            return vec![ChatEffect::Exit];
        }
        self.hint = Some("press ctrl-c again to exit".to_owned());
        Vec::new()
    }

    fn escape(&mut self) -> Vec<ChatEffect> {
        if let Some(work) = &self.work {
            return if work.interrupts == 0 { vec![ChatEffect::Interrupt] } else { Vec::new() };
        }
        let is_empty = self.editor.is_empty();
        if !self.is_double(Key::Escape, DOUBLE_PRESS) {
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

/// The keys, for people.
pub(super) fn key_lines() -> Vec<StyledLine> {
    let mut lines: Vec<StyledLine> = Vec::new();
    let mut last = None;
    for (scope, keys, what) in CHAT_KEYS {
        if last != Some(scope) {
            lines.push(StyledLine::new());
            lines.push(vec![Span::new(scope.title(), Style::BOLD)]);
            last = Some(scope);
        }
        lines.push(vec![Span::plain(format!("  {keys:<24} ")), Span::dim(what)]);
    }
    lines.remove(0);
    lines
}
