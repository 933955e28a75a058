//! Turns events into changes of the app and effects. Nothing here opens a file, asks for the time or draws.

mod actions;
mod answers;
mod list;
mod overlay;
mod session;

use crate::app::{App, Overlay, Screen, SessionView};
use crate::event::{Effect, Event};
use crate::geometry::{body, list_areas, session_areas, text_columns};
use crate::key::{Key, Mouse};
use crate::keymap::Command;
use crate::reader::{DisplayOptions, FindProgress};

/// Lines that one notch of the wheel scrolls.
const WHEEL_LINES: isize = 3;
/// The shortest time between two looks at the open session's file, in milliseconds.
const FOLLOW_MS: i64 = 400;
/// The shortest time between two looks at the list, and between two counts of turns and cost, when the store changes.
const LIST_MS: i64 = 1000;
const COUNT_MS: i64 = 5000;

impl App {
    /// Returns what is to be done first.
    pub fn start(&mut self) -> Vec<Effect> {
        self.begin("reading sessions");
        self.begin("counting");
        self.list_refresh.ask(self.now);
        self.count_refresh.ask(self.now);
        vec![Effect::List, Effect::Count]
    }

    /// Takes an event in.
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        let effects = match event {
            Event::Key(key) => self.key(key),
            Event::Mouse(mouse) => self.mouse(mouse),
            Event::Paste(text) => self.paste(&text),
            Event::Focus(_) => Vec::new(),
            Event::Resize(columns, rows) => {
                self.size = (columns, rows);
                Vec::new()
            }
            Event::Tick(now) => self.tick(now),
            Event::Answer(answer) => self.answer(*answer),
        };
        self.fit();
        effects
    }

    /// Fits what is shown to the screen, and scrolls to the cursor.
    pub(crate) fn fit(&mut self) {
        let rows = list_areas(self.size, self.is_preview_hidden).rows.height;
        self.list.scroll(usize::from(rows));
        let options = self.display_options();
        let height = usize::from(session_areas(self.size).1.height).max(1);
        if let Some(session) = &mut self.session {
            let tree = &mut session.tree;
            let rows = usize::from(body(self.size).height).max(1);
            tree.top = tree.top.min(tree.selected).max((tree.selected + 1).saturating_sub(rows));
            if let Some(reader) = session.reader_mut() {
                reader.resize(options, height);
            }
        }
    }

    pub(super) fn display_options(&self) -> DisplayOptions {
        DisplayOptions {
            width: text_columns(self.size.0),
            unicode: self.options.unicode,
            zone: self.options.zone.clone(),
        }
    }

    pub(super) fn begin(&mut self, work: &'static str) {
        self.work.push(work);
    }

    pub(super) fn end(&mut self, work: &'static str) {
        self.work.retain(|other| *other != work);
    }

    fn key(&mut self, key: Key) -> Vec<Effect> {
        if key == Key::Ctrl('c') {
            return vec![Effect::Quit];
        }
        if self.overlay.is_some() {
            return self.overlay_key(key);
        }
        self.message = None;
        let Some(command) = self.options.keymap.command(self.scope(), key) else { return Vec::new() };
        self.command(command)
    }

    pub(super) fn command(&mut self, command: Command) -> Vec<Effect> {
        match command {
            Command::Quit => return vec![Effect::Quit],
            Command::Suspend => return vec![Effect::Suspend],
            Command::Redraw => return vec![Effect::Redraw],
            Command::Help => self.overlay = Some(Overlay::Help { top: 0 }),
            Command::ShowUsage => return self.show_usage(),
            _ => {
                return match self.screen {
                    Screen::List => self.list_command(command),
                    Screen::Session => self.session_command(command),
                    Screen::Tree => self.tree_command(command),
                    Screen::Usage => self.usage_command(command),
                };
            }
        }
        Vec::new()
    }

    fn mouse(&mut self, mouse: Mouse) -> Vec<Effect> {
        let lines = match mouse {
            Mouse::ScrollUp => -WHEEL_LINES,
            Mouse::ScrollDown => WHEEL_LINES,
            Mouse::Click { column, row } => return self.click(column, row),
        };
        match (&mut self.overlay, self.screen) {
            (Some(Overlay::Help { top } | Overlay::Confirm { top, .. }), _) => {
                *top = top.saturating_add_signed(lines);
            }
            (Some(_), _) => {}
            (None, Screen::List) => self.list.move_by(lines),
            (None, Screen::Session) => {
                if let Some(reader) = self.session.as_mut().and_then(SessionView::reader_mut) {
                    reader.scroll(lines);
                }
            }
            (None, Screen::Tree) => self.move_in_tree(lines),
            (None, Screen::Usage) => self.scroll_usage(lines),
        }
        Vec::new()
    }

    /// A click selects; a second one on the same row opens.
    fn click(&mut self, column: u16, row: u16) -> Vec<Effect> {
        if let Some(Overlay::Help { .. }) = self.overlay {
            self.overlay = None;
            return Vec::new();
        }
        if self.overlay.is_some() {
            return Vec::new();
        }
        let place = ratatui_core::layout::Position::new(column, row);
        match self.screen {
            Screen::List => {
                let area = list_areas(self.size, self.is_preview_hidden).rows;
                let at = self.list.top + usize::from(row.saturating_sub(area.y));
                if !area.contains(place) || at >= self.list.listed.len() {
                    return Vec::new();
                }
                if at == self.list.selected {
                    return self.open_selection();
                }
                self.list.select(at);
            }
            Screen::Session => {
                let area = session_areas(self.size).1;
                if area.contains(place) {
                    self.click_in_session(usize::from(row - area.y));
                }
            }
            Screen::Tree => {
                let area = body(self.size);
                if area.contains(place) {
                    return self.click_in_tree(usize::from(row - area.y));
                }
            }
            Screen::Usage => {}
        }
        Vec::new()
    }

    fn tick(&mut self, now: i64) -> Vec<Effect> {
        self.now = now;
        self.go_on_finding();
        if self.screen == Screen::List {
            return self.refresh_list();
        }
        let Some(session) = self.session.as_mut().filter(|session| session.reader().is_some()) else {
            return Vec::new();
        };
        // A large session that is being written is read again less often, so that it takes a fraction of a core.
        let pause = FOLLOW_MS.max(session.read_ms * 5);
        if session.is_asked || now - session.asked < pause {
            return Vec::new();
        }
        (session.is_asked, session.asked) = (true, now);
        vec![Effect::Follow(session.row.path.clone(), session.bytes)]
    }

    /// Reads the list again if the store has changed. Nothing says so on the screen, which would flicker.
    fn refresh_list(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.list_refresh.is_due(self.now, LIST_MS) {
            self.list_refresh.ask(self.now);
            effects.push(Effect::List);
        }
        if self.count_refresh.is_due(self.now, COUNT_MS) {
            self.count_refresh.ask(self.now);
            effects.push(Effect::Count);
        }
        effects
    }

    /// Continues a search in the session, which ends at a match or at the end.
    fn go_on_finding(&mut self) {
        let reader = self.session.as_mut().and_then(SessionView::reader_mut);
        let Some(reader) = reader.filter(|reader| reader.is_finding()) else { return };
        let progress = reader.find_step();
        self.report_find(progress);
    }

    pub(super) fn report_find(&mut self, progress: FindProgress) {
        let find =
            self.session.as_ref().and_then(SessionView::reader).and_then(|reader| reader.find.as_ref());
        let query = find.map(|find| find.query.clone()).unwrap_or_default();
        match progress {
            FindProgress::Found => self.message = None,
            FindProgress::Pending => self.say(format!("looking for {query:?} …")),
            FindProgress::Missing => self.complain(format!("nothing found for {query:?}")),
        }
    }
}
