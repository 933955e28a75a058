//! Keys while something lies over the screen: typed lines, questions, help.

use crate::app::{App, InputPurpose, Overlay, Screen};
use crate::event::Effect;
use crate::geometry::overlay_rows;
use crate::host::{Change, Client};
use crate::input::LineInput;
use crate::key::Key;
use crate::keymap::Command;

impl App {
    pub(super) fn overlay_key(&mut self, key: Key) -> Vec<Effect> {
        match self.overlay.take() {
            Some(Overlay::Help { top }) => self.help_key(key, top),
            Some(Overlay::Input { purpose, line }) => return self.input_key(key, purpose, line),
            Some(Overlay::Clients { row }) => {
                let client = match key {
                    Key::Char('c') | Key::Enter => Client::Claude,
                    Key::Char('a') => Client::Annals,
                    _ => return Vec::new(),
                };
                return vec![Effect::Resume(client, row)];
            }
            Some(Overlay::Confirm { change, plan, top }) => return self.confirm_key(key, change, plan, top),
            None => {}
        }
        Vec::new()
    }

    fn help_key(&mut self, key: Key, top: usize) {
        let top = match self.options.keymap.command(crate::keymap::Scope::Session, key) {
            Some(Command::Down) => top + 1,
            Some(Command::Up) => top.saturating_sub(1),
            Some(Command::PageDown | Command::HalfDown) => top + usize::from(self.size.1 / 2),
            Some(Command::PageUp | Command::HalfUp) => top.saturating_sub(usize::from(self.size.1 / 2)),
            Some(Command::First) => 0,
            Some(Command::Last) => usize::MAX,
            // Any other key closes it.
            _ => return,
        };
        let lines = crate::draw::help_lines(self).len();
        self.overlay = Some(Overlay::Help { top: top.min(lines.saturating_sub(overlay_rows(self.size))) });
    }

    fn confirm_key(&mut self, key: Key, change: Change, plan: Vec<String>, top: usize) -> Vec<Effect> {
        let top = match key {
            Key::Char('y' | 'Y') => {
                self.begin("changing");
                return vec![Effect::Apply(change)];
            }
            Key::Char('j') | Key::Down => {
                let lines = crate::draw::plan_lines(&plan, self.size.0).len();
                (top + 1).min(lines.saturating_sub(overlay_rows(self.size)))
            }
            Key::Char('k') | Key::Up => top.saturating_sub(1),
            // An accidental key is no answer.
            Key::Char('n' | 'N' | 'q') | Key::Escape => {
                self.say("nothing was changed");
                return Vec::new();
            }
            _ => top,
        };
        self.overlay = Some(Overlay::Confirm { change, plan, top });
        Vec::new()
    }

    pub(super) fn paste(&mut self, text: &str) -> Vec<Effect> {
        if let Some(Overlay::Input { purpose, line }) = &mut self.overlay {
            line.insert(text);
            if *purpose == InputPurpose::Filter {
                let filter = line.text().to_owned();
                self.list.set_filter(filter);
            }
        }
        Vec::new()
    }

    fn input_key(&mut self, key: Key, purpose: InputPurpose, mut line: LineInput) -> Vec<Effect> {
        match key {
            Key::Escape => {
                if purpose == InputPurpose::Filter {
                    self.list.set_filter(String::new());
                }
                return Vec::new();
            }
            Key::Enter => return self.submit(purpose, line.text().trim()),
            Key::Up if purpose == InputPurpose::Filter => self.list.move_by(-1),
            Key::Down if purpose == InputPurpose::Filter => self.list.move_by(1),
            Key::Tab if purpose == InputPurpose::Filter => return Vec::new(),
            other => {
                let before = line.text().to_owned();
                line.edit(other);
                if purpose == InputPurpose::Filter && before != line.text() {
                    self.list.set_filter(line.text().to_owned());
                }
            }
        }
        self.overlay = Some(Overlay::Input { purpose, line });
        Vec::new()
    }

    fn submit(&mut self, purpose: InputPurpose, text: &str) -> Vec<Effect> {
        let text = text.to_owned();
        match purpose {
            InputPurpose::Filter => return Vec::new(),
            InputPurpose::Search if text.is_empty() => {
                self.list.set_search(None);
                return Vec::new();
            }
            InputPurpose::Search => {
                self.begin("searching");
                return vec![Effect::Search(text)];
            }
            InputPurpose::Find => {
                self.start_finding(&text);
                return Vec::new();
            }
            _ => {}
        }
        let Some(session) = self.subject().map(|row| row.path.clone()) else { return Vec::new() };
        let change = match purpose {
            InputPurpose::Tag => Change::Tag { session, tag: text },
            InputPurpose::Export if text.is_empty() => return Vec::new(),
            InputPurpose::Export => Change::Export { session, to: text },
            _ => Change::Rename { session, title: text },
        };
        self.plan(change)
    }

    fn start_finding(&mut self, text: &str) {
        let is_session = self.screen == Screen::Session && !text.is_empty();
        let session = self.session.as_mut().filter(|_| is_session);
        if let Some(reader) = session.and_then(|session| session.reader_mut()) {
            let progress = reader.find(text);
            self.report_find(progress);
        }
    }
}
