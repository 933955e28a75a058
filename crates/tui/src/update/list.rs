//! Keys of the list of sessions, and of the usage screen that is reached from it.

use crate::app::{App, InputPurpose, Overlay, Screen, SessionContent, SessionView, TreeView};
use crate::event::Effect;
use crate::geometry::list_areas;
use crate::host::SessionRow;
use crate::input::LineInput;
use crate::keymap::Command;

/// Of larger sessions the beginning is shown until the whole is read.
const LARGE_BYTES: u64 = 4 << 20;

impl App {
    fn list_page(&self) -> isize {
        isize::try_from(list_areas(self.size, self.is_preview_hidden).rows.height.max(1)).unwrap_or(1)
    }

    pub(super) fn list_command(&mut self, command: Command) -> Vec<Effect> {
        let page = self.list_page();
        match command {
            Command::Down => self.list.move_by(1),
            Command::Up => self.list.move_by(-1),
            Command::PageDown => self.list.move_by(page),
            Command::PageUp => self.list.move_by(-page),
            Command::HalfDown => self.list.move_by(page / 2),
            Command::HalfUp => self.list.move_by(-page / 2),
            Command::First => self.list.select(0),
            Command::Last => self.list.select(usize::MAX),
            Command::Preview => self.is_preview_hidden = !self.is_preview_hidden,
            Command::Sort => {
                self.list.set_order(self.list.order.next());
                self.say(format!("sorted by {}", self.list.order.name()));
            }
            Command::Filter => {
                let line = LineInput::new(&self.list.filter);
                self.overlay = Some(Overlay::Input { purpose: InputPurpose::Filter, line });
            }
            Command::Search => {
                let query = self.list.search.as_ref().map(|search| search.query.as_str());
                let line = LineInput::new(query.unwrap_or_default());
                self.overlay = Some(Overlay::Input { purpose: InputPurpose::Search, line });
            }
            Command::Open => return self.open_selection(),
            Command::Reload => return self.start(),
            Command::Back => return self.leave_list(),
            other => return self.action(other),
        }
        Vec::new()
    }

    /// Takes the last filter away; quits when there is none.
    fn leave_list(&mut self) -> Vec<Effect> {
        if !self.list.filter.is_empty() {
            self.list.set_filter(String::new());
        } else if self.list.search.is_some() {
            self.list.set_search(None);
        } else {
            return vec![Effect::Quit];
        }
        Vec::new()
    }

    pub(super) fn open_selection(&mut self) -> Vec<Effect> {
        let Some(row) = self.list.selection().cloned() else { return Vec::new() };
        let target_line = self.list.hits(&row.id).find_map(|hit| hit.line);
        self.open(row, target_line)
    }

    /// Opens a session, at a line of its file.
    pub fn open(&mut self, row: SessionRow, target_line: Option<usize>) -> Vec<Effect> {
        let (path, bytes) = (row.path.clone(), row.bytes);
        self.session = Some(SessionView {
            bytes: row.bytes,
            row,
            content: SessionContent::Loading,
            asked: self.now,
            read_ms: 0,
            is_asked: true,
            target_line,
            tree: TreeView::default(),
        });
        self.screen = Screen::Session;
        self.begin("reading the session");
        let mut effects = vec![Effect::Open(path.clone())];
        if bytes > LARGE_BYTES {
            effects.insert(0, Effect::OpenBeginning(path));
        }
        effects
    }

    pub(super) fn show_usage(&mut self) -> Vec<Effect> {
        if self.screen == Screen::Usage {
            return Vec::new();
        }
        self.usage_from = std::mem::replace(&mut self.screen, Screen::Usage);
        self.usage.top = 0;
        self.begin("adding up usage");
        vec![Effect::Usage]
    }

    pub(super) fn scroll_usage(&mut self, lines: isize) {
        let rows = match &self.usage.report {
            Some(Ok(report)) => self.usage.table.rows(report).len(),
            _ => 0,
        };
        self.usage.top = self.usage.top.saturating_add_signed(lines).min(rows.saturating_sub(1));
    }

    pub(super) fn usage_command(&mut self, command: Command) -> Vec<Effect> {
        match command {
            Command::NextTable => (self.usage.table, self.usage.top) = (self.usage.table.next(), 0),
            Command::PreviousTable => (self.usage.table, self.usage.top) = (self.usage.table.previous(), 0),
            Command::Down => self.scroll_usage(1),
            Command::Up => self.scroll_usage(-1),
            Command::Back => self.screen = self.usage_from,
            _ => {}
        }
        Vec::new()
    }
}
