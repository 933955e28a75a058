//! Puts an app into a buffer of cells. Pure: the same app gives the same cells.

mod list;
mod overlay;
mod paint;
mod session;
mod theme;
mod tree;
mod usage;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};

use crate::app::{App, Overlay, Screen};
use crate::geometry::{MIN_COLUMNS, MIN_ROWS};
use crate::keymap::Command;
pub(crate) use overlay::{help_lines, plan_lines};
use paint::{fill, put, put_right};
pub(crate) use paint::{mark_matches, put_spans, to_ascii};
pub(crate) use theme::SELECTED;

/// The most rows of a message besides the last one of the screen.
const MAX_MESSAGE_ROWS: u16 = 3;

/// Draws an app; returns where the terminal's cursor is to be shown, if at all.
pub fn draw(app: &App, buffer: &mut Buffer) -> Option<Position> {
    let screen = Rect::new(0, 0, app.size.0, app.size.1).intersection(buffer.area);
    if screen.width < MIN_COLUMNS || screen.height < MIN_ROWS {
        put(buffer, screen, "too small", theme::PLAIN);
        return None;
    }
    match app.screen {
        Screen::List => list::draw(app, buffer),
        Screen::Session => session::draw(app, buffer),
        Screen::Tree => tree::draw(app, buffer),
        Screen::Usage => usage::draw(app, buffer),
    }
    let last = Rect { y: screen.height - 1, height: 1, ..screen };
    let cursor = status(app, last, buffer);
    overlay::draw(app, buffer);
    if !app.options.unicode {
        to_ascii(buffer);
    }
    cursor
}

/// Draws the first line of a screen: what it shows, and something at the right.
fn title_bar(app: &App, left: &str, right: &str, buffer: &mut Buffer) {
    let bar = Rect::new(0, 0, app.size.0, 1);
    fill(buffer, bar, theme::BAR);
    let free = put_right(buffer, bar, &format!(" {right} "), theme::BAR);
    put(buffer, Rect { width: free, ..bar }, &format!(" {left}"), theme::BAR);
}

/// Draws the last line: what is typed, a message, what is under way, or hints.
fn status(app: &App, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    if let Some(Overlay::Input { purpose, line }) = &app.overlay {
        return Some(typed(purpose.prompt(), line, area, buffer));
    }
    if let Some(message) = &app.message {
        let style = if message.is_error { theme::ERROR } else { theme::PLAIN };
        // A long one covers what is above it until the next key.
        let lines = paint::wrapped(&message.text, area.width);
        let free = usize::from(area.y.min(MAX_MESSAGE_ROWS));
        let more = lines.len().saturating_sub(1).min(free);
        for (above, line) in (0..=more).rev().zip(&lines) {
            let above = u16::try_from(above).unwrap_or(0);
            let cells = Rect { y: area.y - above, ..area };
            put(buffer, cells, &" ".repeat(usize::from(area.width)), theme::PLAIN);
            put(buffer, cells, line, style);
        }
        return None;
    }
    let work = app.work.last().map(|work| format!("{work} …")).unwrap_or_default();
    let free = put_right(buffer, area, &work, theme::DIM);
    let hints = hints(app);
    let mut x = area.x;
    for (key, what) in hints {
        let columns = u16::try_from(key.len() + what.len() + 3).unwrap_or(u16::MAX);
        if x + columns > free {
            break;
        }
        let at = Rect { x, width: free - x, ..area };
        let used = paint::put_all(buffer, at, &[(key, theme::KEY), (" ", theme::DIM), (what, theme::DIM)]);
        x += used + 2;
    }
    None
}

/// Draws a line that is typed, scrolled to its cursor.
fn typed(prompt: &str, line: &crate::input::LineInput, area: Rect, buffer: &mut Buffer) -> Position {
    let used = put(buffer, area, prompt, theme::BOLD);
    let area = paint::rest(area, used);
    let columns = usize::from(area.width.saturating_sub(1)).max(1);
    // The text is cleaned when it is drawn, so the cursor is where the cleaned head ends.
    let head = annals_ui::terminal::clip(line.head(), usize::MAX);
    let mut skipped = 0;
    while annals_ui::terminal::width(&head[skipped..]) > columns {
        skipped += head[skipped..].chars().next().map_or(1, char::len_utf8);
    }
    let tail = &line.text()[line.head().len()..];
    let shown = format!("{}{tail}", &head[skipped..]);
    put(buffer, area, &shown, theme::PLAIN);
    let column = u16::try_from(annals_ui::terminal::width(&head[skipped..])).unwrap_or(0);
    Position::new((area.x + column).min(area.x + area.width.saturating_sub(1)), area.y)
}

/// The keys to name in the last line, the most useful first.
fn hints(app: &App) -> Vec<(&str, &'static str)> {
    let scope = app.scope();
    let commands: &[(Command, &str)] = match app.screen {
        Screen::List => &[
            (Command::Help, "help"),
            (Command::Open, "open"),
            (Command::Filter, "filter"),
            (Command::Search, "search text"),
            (Command::Resume, "resume"),
            (Command::ShowUsage, "usage"),
            (Command::Sort, "sort"),
            (Command::Back, "quit"),
        ],
        Screen::Session => &[
            (Command::Help, "help"),
            (Command::Fold, "fold"),
            (Command::NextTurn, "next prompt"),
            (Command::Find, "find"),
            (Command::ShowTree, "tree"),
            (Command::Resume, "resume"),
            (Command::Back, "back"),
        ],
        Screen::Tree => &[(Command::Help, "help"), (Command::Open, "go there"), (Command::Back, "back")],
        Screen::Usage => {
            &[(Command::Help, "help"), (Command::NextTable, "next table"), (Command::Back, "back")]
        }
    };
    commands
        .iter()
        .map(|(command, what)| (app.options.keymap.key(scope, *command), *what))
        .filter(|(key, _)| !key.is_empty())
        .collect()
}
