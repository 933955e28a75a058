//! Draws an open session: only the lines on the screen are laid out.

use annals_ui::figures::{size, stamp};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use super::paint::{put, put_line, rest, row};
use super::{theme, title_bar};
use crate::app::{App, SessionContent, SessionView};
use crate::geometry::session_areas;
use crate::reader::Reader;

pub(super) fn draw(app: &App, buffer: &mut Buffer) {
    let Some(session) = &app.session else { return };
    let (facts, text) = session_areas(app.size);
    title_bar(app, &session.row.title, &progress(session), buffer);
    if let Some(area) = facts {
        put(buffer, area, &format!(" {}", facts_line(app, session)), theme::DIM);
    }
    match &session.content {
        SessionContent::Loading => {
            let text_line = format!("reading {} …", size(session.row.bytes));
            put(buffer, row(text, 0), &text_line, theme::DIM);
        }
        SessionContent::Failed(error) => {
            put(buffer, row(text, 0), error, theme::ERROR);
        }
        SessionContent::Ready(reader) if reader.document.is_empty() => {
            put(buffer, row(text, 0), "nothing was said in this session", theme::DIM);
        }
        SessionContent::Ready(reader) => lines(reader, text, buffer),
    }
}

/// Which turn, and how far.
pub(super) fn progress(session: &SessionView) -> String {
    let Some(reader) = session.reader() else { return String::new() };
    let (turn, turns) = reader.turn();
    if reader.is_beginning {
        return format!("{turn}/…  reading {} …", size(session.row.bytes));
    }
    let last = reader.document.len().saturating_sub(1).max(1);
    let share = if reader.is_at_end() { 100 } else { (reader.cursor.entry * 100 / last).min(99) };
    format!("{turn}/{turns}  {share}%")
}

fn facts_line(app: &App, session: &SessionView) -> String {
    let row = &session.row;
    let mut facts = vec![row.folder.clone().unwrap_or_else(|| row.project.clone())];
    facts.extend(row.branch.clone().filter(|branch| branch != "HEAD"));
    facts.extend(row.active.map(|millis| {
        let (date, time) = stamp(millis, (app.options.zone.function())(millis));
        format!("{date} {time}")
    }));
    let numbers = row.numbers;
    facts.extend(numbers.map(|numbers| super::list::turns(numbers.turns)));
    facts.extend(numbers.and_then(|numbers| numbers.cost).map(|cost| format!("${cost:.2}")));
    facts.push(row.id.clone());
    facts.join(" · ")
}

/// Draws the visible lines, the cursor's mark, and a scroll bar.
fn lines(reader: &Reader, area: Rect, buffer: &mut Buffer) {
    let pattern = reader.find.as_ref().map(|find| &find.pattern);
    let text = Rect { width: area.width.saturating_sub(2), ..rest(area, 1) };
    for (at, place) in reader.visible().into_iter().enumerate() {
        let lines = reader.document.lines(place.entry);
        if let Some(line) = lines.get(place.line) {
            put_line(buffer, row(text, at), line, pattern);
        }
        if place == reader.cursor {
            put(buffer, row(area, at), "▶", theme::KEY);
        } else if place.entry == reader.cursor.entry {
            put(buffer, row(area, at), "│", theme::DIM);
        }
    }
    let height = usize::from(area.height).max(1);
    let last = reader.document.len().saturating_sub(1).max(1);
    let thumb = reader.cursor.entry * (height - 1) / last;
    let bar = rest(area, area.width.saturating_sub(1));
    for at in 0..height {
        put(buffer, row(bar, at), if at == thumb { "█" } else { "│" }, theme::DIM);
    }
}
