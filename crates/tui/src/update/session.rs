//! Keys of an open session and of its tree.

use crate::app::{App, InputPurpose, Overlay, Screen, SessionView};
use crate::clipboard;
use crate::event::Effect;
use crate::input::LineInput;
use crate::keymap::Command;
use crate::reader::{FindDirection, Reader, ToolDetail};

impl App {
    fn reader(&mut self) -> Option<&mut Reader> {
        self.session.as_mut().and_then(SessionView::reader_mut)
    }

    pub(super) fn session_command(&mut self, command: Command) -> Vec<Effect> {
        if command == Command::Back {
            return self.leave_session();
        }
        if self.reader().is_none() {
            return Vec::new();
        }
        match command {
            Command::Find => {
                let line = LineInput::default();
                self.overlay = Some(Overlay::Input { purpose: InputPurpose::Find, line });
            }
            Command::FindNext => self.find_again(FindDirection::Forward),
            Command::FindPrevious => self.find_again(FindDirection::Backward),
            Command::ShowTree => self.show_tree(),
            Command::Copy => return self.copy_entry(),
            Command::Detail => self.next_detail(),
            Command::Thinking => self.toggle_thinking(),
            Command::NextTurn | Command::PreviousTurn => self.change_turn(command),
            other => {
                if !self.reader().is_some_and(|reader| moves(reader, other)) {
                    return self.action(other);
                }
            }
        }
        Vec::new()
    }

    /// Back to the list, which may be old.
    fn leave_session(&mut self) -> Vec<Effect> {
        (self.screen, self.session) = (Screen::List, None);
        self.end("reading the session");
        self.begin("reading sessions");
        self.list_refresh.ask(self.now);
        vec![Effect::List]
    }

    fn next_detail(&mut self) {
        let Some(reader) = self.reader() else { return };
        reader.next_detail();
        let text = match reader.document.detail {
            ToolDetail::FirstLines => "tools: first lines",
            ToolDetail::OneLine => "tools: one line",
            ToolDetail::Full => "tools: in full",
        };
        self.say(text);
    }

    fn toggle_thinking(&mut self) {
        let Some(reader) = self.reader() else { return };
        reader.toggle_thinking();
        let text = if reader.document.is_thinking_open { "thinking: open" } else { "thinking: closed" };
        self.say(text);
    }

    /// Goes to the next prompt, or to the one before; says so if there is none.
    fn change_turn(&mut self, command: Command) {
        let Some(reader) = self.reader() else { return };
        let before = reader.cursor;
        moves(reader, command);
        if reader.cursor == before {
            self.say(if command == Command::NextTurn { "no prompt below" } else { "no prompt above" });
        }
    }

    fn find_again(&mut self, direction: FindDirection) {
        let Some(reader) = self.reader() else { return };
        if reader.find.is_none() {
            return self.say("nothing to find yet: type / and some text");
        }
        let progress = reader.find_again(direction);
        self.report_find(progress);
    }

    fn copy_entry(&mut self) -> Vec<Effect> {
        let text = self.reader().map(|reader| reader.text()).unwrap_or_default();
        self.copy(&text)
    }

    /// Puts a text on the clipboard, and says how much of it.
    pub(super) fn copy(&mut self, text: &str) -> Vec<Effect> {
        if text.is_empty() {
            self.say("nothing to copy here");
            return Vec::new();
        }
        let (fitting, is_cut) = clipboard::fitting(text);
        let cut = if is_cut { ", the rest does not fit" } else { "" };
        self.say(format!("copied {} bytes{cut}, if the terminal allows it", fitting.len()));
        vec![Effect::Copy(fitting.to_owned())]
    }

    pub(super) fn click_in_session(&mut self, row: usize) {
        if let Some(reader) = self.reader() {
            let before = reader.cursor.entry;
            if reader.click(row) && reader.cursor.entry == before {
                reader.toggle();
            }
        }
    }

    fn show_tree(&mut self) {
        let Some(session) = &mut self.session else { return };
        let Some(reader) = session.reader() else { return };
        let lines = reader.document.outline();
        let (turn, _) = reader.turn();
        // The cursor starts at the prompt that the session's cursor is below.
        let prompts = lines.iter().enumerate().filter(|(_, line)| line.thread == 0 && line.depth == 0);
        let own = prompts.filter(|(_, line)| line.kind == crate::reader::OutlineKind::Prompt);
        let selected = own.map(|(at, _)| at).nth(turn.saturating_sub(1)).unwrap_or(0);
        session.tree.lines = lines;
        session.tree.selected = selected;
        self.screen = Screen::Tree;
    }

    pub(super) fn move_in_tree(&mut self, lines: isize) {
        if let Some(session) = &mut self.session {
            let last = session.tree.lines.len().saturating_sub(1);
            session.tree.selected = session.tree.selected.saturating_add_signed(lines).min(last);
        }
    }

    pub(super) fn click_in_tree(&mut self, row: usize) -> Vec<Effect> {
        let Some(session) = &mut self.session else { return Vec::new() };
        let at = session.tree.top + row;
        if at >= session.tree.lines.len() {
            return Vec::new();
        }
        if at == session.tree.selected {
            return self.tree_command(Command::Open);
        }
        session.tree.selected = at;
        Vec::new()
    }

    pub(super) fn tree_command(&mut self, command: Command) -> Vec<Effect> {
        match command {
            Command::Down => self.move_in_tree(1),
            Command::Up => self.move_in_tree(-1),
            Command::Back => self.screen = Screen::Session,
            Command::Open => {
                let Some(session) = &mut self.session else { return Vec::new() };
                let target = session.tree.lines.get(session.tree.selected);
                let target = target.map(|line| (line.thread, line.item));
                if let (Some((thread, item)), Some(reader)) = (target, session.reader_mut()) {
                    reader.go_to(thread, item);
                }
                self.screen = Screen::Session;
            }
            _ => {}
        }
        Vec::new()
    }
}

/// Moves the cursor or folds; whether the command is about that.
fn moves(reader: &mut Reader, command: Command) -> bool {
    let page = isize::try_from(reader.height).unwrap_or(1).max(1);
    reader.is_end_wanted = command == Command::Last;
    match command {
        Command::Down => reader.move_by(1),
        Command::Up => reader.move_by(-1),
        Command::PageDown => reader.scroll(page),
        Command::PageUp => reader.scroll(-page),
        Command::HalfDown => reader.scroll((page / 2).max(1)),
        Command::HalfUp => reader.scroll(-(page / 2).max(1)),
        Command::First => reader.first(),
        Command::Last => reader.last(),
        Command::NextTurn => reader.next_turn(),
        Command::PreviousTurn => reader.previous_turn(),
        Command::Fold => reader.toggle(),
        _ => return false,
    }
    true
}
