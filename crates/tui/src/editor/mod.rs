//! The input editor of a conversation: a pure state machine. Keys and pastes go in, actions and rows come out.
//!
//! | module | owns |
//! |---|---|
//! | `buffer`, `area` | the text as lines; the text with cursor, chips, undo and kill ring |
//! | `motion`, `layout` | moves; soft wrap |
//! | `undo`, `kill_ring`, `chips` | groups of changes; cut texts; marks for pastes and images |
//! | `command`, `keymap`, `apply` | what keys can do, which do it, and the doing |
//! | `vim` | the modes of vim |
//! | `history`, `search` | earlier prompts, one by one and searched |
//! | `completions`, `menu` | what can be completed, and the menus |
//! | `view` | rows, cursor, menu and footer |
//! | `prompt` | what is sent |

mod apply;
mod area;
mod buffer;
mod chips;
mod command;
mod completions;
mod history;
mod keymap;
mod kill_ring;
mod layout;
mod menu;
mod motion;
mod prompt;
mod search;
mod undo;
mod view;
mod vim;

#[cfg(test)]
mod tests;

use std::cell::Cell;

pub use command::EditorCommand;
pub use completions::{CommandEntry, Completions, MentionEntry, MentionKind, NoCompletions};
pub use history::{HistoryPaste, HistoryPrompt};
pub use keymap::EditorKeymap;
pub use prompt::{Image, Prompt, PromptKind};
pub use view::EditorView;

use self::area::TextArea;
use self::buffer::Position;
use self::chips::{Chip, Chips};
use self::history::PromptHistory;
use self::menu::Menu;
use self::search::{HistorySearch, SearchOutcome};
use self::vim::{Vim, VimMode, VimOutcome};
use crate::key::Key;

/// How keys edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EditorMode {
    /// As in a shell.
    #[default]
    Standard,
    /// As in vim, beginning in its insert mode.
    Vim,
}

/// What a key asks of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditorAction {
    /// Nothing: the key had no effect.
    None,
    /// The editor has changed.
    Redraw,
    /// The prompt is sent; the editor is empty.
    Submit(Prompt),
    /// The text is to be edited by a program of the person, and then given to [`Editor::set_text`].
    OpenExternalEditor,
    /// An image of the clipboard is to be given to [`Editor::attach_image`].
    PasteImage,
    /// The key means nothing to the editor.
    Unhandled(Key),
}

/// A text that was put aside.
#[derive(Clone, Debug)]
struct Stash {
    text: String,
    chips: Chips,
}

/// The input editor.
pub struct Editor {
    mode: EditorMode,
    area: TextArea,
    vim: Vim,
    keymap: EditorKeymap,
    completions: Box<dyn Completions>,
    history: PromptHistory,
    search: Option<HistorySearch>,
    menu: Option<Menu>,
    /// Where the word begins whose menu was closed.
    dismissed: Option<Position>,
    stash: Option<Stash>,
    /// The columns of a row when it was last drawn: moves up and down follow what is seen.
    row_columns: Cell<usize>,
    /// Whether keys of `.` are pressed again.
    is_repeating: bool,
}

impl std::fmt::Debug for Editor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Editor").field("mode", &self.mode).field("area", &self.area).finish_non_exhaustive()
    }
}

impl Editor {
    /// Creates an empty editor without completions and history.
    pub fn new(mode: EditorMode) -> Self {
        Self {
            mode,
            area: TextArea::default(),
            vim: Vim::default(),
            keymap: EditorKeymap::default(),
            completions: Box::new(NoCompletions),
            history: PromptHistory::default(),
            search: None,
            menu: None,
            dismissed: None,
            stash: None,
            row_columns: Cell::new(usize::from(u16::MAX)),
            is_repeating: false,
        }
    }

    /// Sets how keys edit.
    pub fn set_mode(&mut self, mode: EditorMode) {
        self.mode = mode;
        self.vim.reset();
    }

    /// Sets what keys do.
    pub fn set_keymap(&mut self, keymap: EditorKeymap) {
        self.keymap = keymap;
    }

    /// Sets what can be completed.
    pub fn set_completions(&mut self, completions: Box<dyn Completions>) {
        self.completions = completions;
        self.refresh_menu();
    }

    /// Sets the earlier prompts of all projects, oldest first, and the folder and session that are in use.
    pub fn set_history(&mut self, prompts: Vec<HistoryPrompt>, project: &str, session: &str) {
        self.history = PromptHistory::new(prompts, project, session);
    }

    /// Sets the session that is in use.
    pub fn set_session(&mut self, session: &str) {
        self.history.set_session(session);
    }

    /// Returns whether earlier prompts are searched: then all keys are the editor's.
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Returns whether a key would send the prompt.
    pub fn sends(&self, key: Key) -> bool {
        self.search.is_none() && self.keymap.command(key) == Some(EditorCommand::Submit)
    }

    /// Returns what keys mean.
    pub fn keymap(&self) -> &EditorKeymap {
        &self.keymap
    }

    /// Returns whether a menu is open: then the arrows are the editor's.
    pub fn has_menu(&self) -> bool {
        self.menu.is_some()
    }

    /// Returns the text, pastes in the place of their chips.
    pub fn text(&self) -> String {
        self.area.chips.expand(&self.area.buffer.text())
    }

    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.area.buffer.is_empty()
    }

    /// Returns whether the text has no line breaks.
    pub fn is_one_line(&self) -> bool {
        self.area.buffer.last_line() == 0
    }

    /// Replaces the text, and puts the cursor at its end.
    pub fn set_text(&mut self, text: &str) {
        self.area.set_text(text);
        self.vim.reset();
        self.menu = None;
        self.search = None;
    }

    /// Puts prompts that were sent, with their chips, before the text, each on lines of its own.
    pub fn take_back(&mut self, prompts: &[Prompt]) {
        let before = self.area.take_back(prompts);
        let rest = self.area.buffer.text();
        let text = if rest.is_empty() { before } else { format!("{before}\n{rest}") };
        self.set_text(&text);
    }

    /// Empties the editor; the text can be recalled like a prompt that was sent.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            let prompt = self.take_prompt();
            self.remember(&prompt);
        }
    }

    /// Returns the mode of vim, if the text is edited as in vim.
    pub fn vim_mode(&self) -> Option<&'static str> {
        (self.mode == EditorMode::Vim).then_some(match self.vim.mode {
            VimMode::Insert => "INSERT",
            VimMode::Normal => "NORMAL",
        })
    }

    /// Inserts a pasted text: a long one as a chip, images by their paths as images. Returns why an image stays a path.
    pub fn paste(&mut self, text: &str) -> Option<String> {
        if let Some(search) = &mut self.search {
            search.paste(text, &self.history);
            return None;
        }
        if self.mode == EditorMode::Vim && self.vim.mode == VimMode::Normal {
            self.vim.reset();
        }
        self.history.rewind();
        let (images, problem) = match self.completions.images(text) {
            Ok(images) => (images, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        match images.is_empty() {
            true => self.area.paste(text),
            false => self.area.attach(images),
        }
        self.refresh_menu();
        problem
    }

    /// Inserts the chip of an image.
    pub fn attach_image(&mut self, image: Image) {
        self.history.rewind();
        self.area.attach(vec![image]);
        self.refresh_menu();
    }

    /// Applies a key.
    pub fn handle(&mut self, key: Key) -> EditorAction {
        if let Some(action) = self.search_key(key) {
            return action;
        }
        if let Some(action) = self.menu_key(key) {
            return action;
        }
        let action = if self.is_normal() { self.normal_key(key) } else { self.insert_key(key) };
        if action == EditorAction::Redraw {
            self.refresh_menu();
        }
        action
    }

    fn is_normal(&self) -> bool {
        self.mode == EditorMode::Vim && self.vim.mode == VimMode::Normal
    }

    fn search_key(&mut self, key: Key) -> Option<EditorAction> {
        let outcome = self.search.as_mut()?.handle(key, &self.history);
        match outcome {
            SearchOutcome::Open => {}
            SearchOutcome::Cancelled => self.search = None,
            SearchOutcome::Chosen(prompt) => {
                self.search = None;
                self.show_prompt(&prompt);
            }
            SearchOutcome::Ignored => return Some(EditorAction::None),
        }
        Some(EditorAction::Redraw)
    }

    /// A key that an open menu takes.
    fn menu_key(&mut self, key: Key) -> Option<EditorAction> {
        let command = self.keymap.command(key);
        let menu = self.menu.as_mut()?;
        match (key, command) {
            (Key::Escape, _) => {
                self.dismissed = Some(menu.start);
                self.menu = None;
            }
            (_, Some(EditorCommand::Up)) => menu.select_previous(),
            (_, Some(EditorCommand::Down)) => menu.select_next(),
            (_, Some(EditorCommand::Complete)) => self.accept(),
            (_, Some(EditorCommand::Submit)) => return Some(self.accept_and_submit()),
            _ => return None,
        }
        Some(EditorAction::Redraw)
    }

    fn normal_key(&mut self, key: Key) -> EditorAction {
        match self.vim.press(key, &mut self.area) {
            VimOutcome::Done => EditorAction::Redraw,
            VimOutcome::Run(command) => {
                let action = self.run(command, key);
                vim::keep_on_character(&mut self.area);
                action
            }
            VimOutcome::Repeat(keys) => {
                self.is_repeating = true;
                keys.into_iter().for_each(|key| drop(self.handle(key)));
                self.is_repeating = false;
                EditorAction::Redraw
            }
            VimOutcome::Ignored => match self.keymap.command(key) {
                Some(command) => {
                    let action = self.run(command, key);
                    if self.is_normal() {
                        vim::keep_on_character(&mut self.area);
                    }
                    action
                }
                None => EditorAction::Unhandled(key),
            },
        }
    }

    fn insert_key(&mut self, key: Key) -> EditorAction {
        if self.mode == EditorMode::Vim {
            if key == Key::Escape {
                self.vim.enter_normal(&mut self.area);
                return EditorAction::Redraw;
            }
            self.vim.record(key);
        }
        match (self.keymap.command(key), key) {
            (Some(command), _) => self.run(command, key),
            (None, Key::Char(letter)) => self.type_char(letter),
            (None, _) => EditorAction::Unhandled(key),
        }
    }

    /// Opens, fills or closes the menu for what is before the cursor.
    fn refresh_menu(&mut self) {
        let is_shown = !self.is_normal() && !self.is_repeating && !self.history.is_recalling();
        let menu = is_shown.then(|| Menu::of(&self.area, &*self.completions)).flatten();
        match menu {
            None => (self.menu, self.dismissed) = (None, None),
            Some(menu) if self.dismissed == Some(menu.start) => self.menu = None,
            menu => self.menu = menu,
        }
    }

    /// Shows an earlier prompt, with its pastes.
    fn show_prompt(&mut self, prompt: &HistoryPrompt) {
        self.area.set_text(&prompt.display);
        for (number, paste) in &prompt.pastes {
            let text = match paste {
                HistoryPaste::Text(text) => Some(text.clone()),
                HistoryPaste::Stored(name) => self.completions.stored_paste(name),
            };
            if let Some(text) = text {
                self.area.chips.restore(*number, Chip::Text(text), &prompt.display);
            }
        }
        self.menu = None;
    }
}

#[cfg(test)]
impl Editor {
    /// Puts the cursor at an offset of the text.
    fn place_cursor_for_tests(&mut self, offset: usize) {
        let before = &self.area.buffer.text()[..offset];
        let line = before.matches('\n').count();
        let byte = before.rsplit('\n').next().map_or(0, str::len);
        self.area.cursor = Position::new(line, byte);
    }

    /// Returns the offset of the cursor in the text.
    fn cursor_for_tests(&self) -> usize {
        let cursor = self.area.cursor;
        let above: usize = (0..cursor.line).map(|line| self.area.buffer.line(line).len() + 1).sum();
        above + cursor.byte
    }
}
