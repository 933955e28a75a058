//! Actions on a session: typed input where one is needed, then a plan, then a yes.

use crate::app::{App, InputPurpose, Overlay, Screen, SessionView};
use crate::event::Effect;
use crate::host::Change;
use crate::input::LineInput;
use crate::keymap::Command;

impl App {
    /// Starts an action on the session under the cursor, or on the open one.
    pub(super) fn action(&mut self, command: Command) -> Vec<Effect> {
        if command == Command::Undo {
            return self.plan(Change::Undo);
        }
        let Some(row) = self.subject().cloned() else {
            self.say("no session is selected");
            return Vec::new();
        };
        match command {
            Command::Resume => self.overlay = Some(Overlay::Clients { row: Box::new(row) }),
            Command::Rename => self.ask(InputPurpose::Rename, &row.title),
            Command::Tag => self.ask(InputPurpose::Tag, row.tag.as_deref().unwrap_or_default()),
            Command::Export => self.ask(InputPurpose::Export, &format!("{}.md", row.id)),
            Command::CopyId => return self.copy(&row.id),
            Command::Trash => return self.plan(Change::Trash { session: row.path }),
            Command::Fork => {
                let reader = self.session.as_ref().and_then(SessionView::reader);
                let at = reader.filter(|_| self.screen == Screen::Session).and_then(|reader| reader.record());
                return self.plan(Change::Fork { session: row.path, at });
            }
            _ => {}
        }
        Vec::new()
    }

    fn ask(&mut self, purpose: InputPurpose, text: &str) {
        self.overlay = Some(Overlay::Input { purpose, line: LineInput::new(text) });
    }

    /// Asks what a change would do.
    pub(super) fn plan(&mut self, change: Change) -> Vec<Effect> {
        self.begin("planning");
        vec![Effect::Plan(change)]
    }
}
