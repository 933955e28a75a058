//! The prompt that is typed: the line editor of `annals_ui`, by the keys of this crate.

use annals_ui::chat::{EditOutcome, Editor as LineEditor, Key as EditKey, input_box};
use annals_ui::terminal::StyledLine;

use crate::key::Key;

/// What a key did to the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PromptBoxAction {
    Redraw,
    Submit(String),
    Unhandled(Key),
}

/// A prompt as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PromptBoxView {
    pub(crate) rows: Vec<StyledLine>,
    /// Column and row.
    pub(crate) cursor: (usize, usize),
}

/// The prompt that is typed.
#[derive(Clone, Debug, Default)]
pub(crate) struct PromptBox {
    inner: LineEditor,
    completions: Vec<String>,
}

impl PromptBox {
    pub(crate) fn set_history(&mut self, history: Vec<String>) {
        let text = self.text();
        self.inner = LineEditor::with_history(history);
        self.inner.set(&text);
    }

    pub(crate) fn set_commands(&mut self, commands: Vec<String>) {
        self.completions = commands;
    }

    pub(crate) fn remember(&mut self, prompt: &str) {
        self.inner.remember(prompt);
    }

    pub(crate) fn text(&self) -> String {
        self.inner.text().to_owned()
    }

    pub(crate) fn set_text(&mut self, text: &str) {
        self.inner.set(text);
    }

    pub(crate) fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.inner.press(&EditKey::Paste(text));
    }

    pub(crate) fn handle(&mut self, key: Key) -> PromptBoxAction {
        let edit = match key {
            Key::Tab if self.complete() => return PromptBoxAction::Redraw,
            Key::Ctrl('d') if !self.inner.text().is_empty() => EditKey::Delete,
            _ => match edit_key(key) {
                Some(edit) => edit,
                None => return PromptBoxAction::Unhandled(key),
            },
        };
        match self.inner.press(&edit) {
            EditOutcome::Handled => PromptBoxAction::Redraw,
            EditOutcome::Submitted(text) => PromptBoxAction::Submit(text),
            EditOutcome::Ignored => PromptBoxAction::Unhandled(key),
        }
    }

    /// Completes a command as far as it is unambiguous.
    fn complete(&mut self) -> bool {
        let text = self.text();
        let mut fitting = self.matching(&text).into_iter();
        let Some(first) = fitting.next() else { return false };
        let common = fitting.fold(first, |common, name| {
            let same = common.chars().zip(name.chars()).take_while(|(left, right)| left == right);
            same.map(|(letter, _)| letter).collect()
        });
        self.inner.set(&common);
        true
    }

    /// The commands that begin with a text.
    pub(crate) fn matching(&self, text: &str) -> Vec<String> {
        if !text.starts_with('/') || text.contains(char::is_whitespace) {
            return Vec::new();
        }
        self.completions.iter().filter(|name| name.starts_with(text)).cloned().collect()
    }

    pub(crate) fn view(&self, width: usize, max_rows: usize) -> PromptBoxView {
        let shown = input_box("", self.inner.text(), self.inner.before(), width, max_rows);
        PromptBoxView { rows: shown.lines, cursor: (shown.cursor.1, shown.cursor.0) }
    }
}

fn edit_key(key: Key) -> Option<EditKey> {
    Some(match key {
        Key::Char(character) => EditKey::Char(character),
        Key::Enter => EditKey::Enter,
        Key::Backspace | Key::Ctrl('h') => EditKey::Backspace,
        Key::Delete => EditKey::Delete,
        Key::Left | Key::Ctrl('b') => EditKey::Left,
        Key::Right | Key::Ctrl('f') => EditKey::Right,
        Key::Up | Key::Ctrl('p') => EditKey::Up,
        Key::Down | Key::Ctrl('n') => EditKey::Down,
        Key::Home | Key::Ctrl('a') => EditKey::Home,
        Key::End | Key::Ctrl('e') => EditKey::End,
        Key::Ctrl('j') => EditKey::LineBreak,
        Key::Ctrl('k') => EditKey::DeleteToEnd,
        Key::Ctrl('u') => EditKey::DeleteToStart,
        Key::Ctrl('w') => EditKey::DeleteWord,
        _ => return None,
    })
}
