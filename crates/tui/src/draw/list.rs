//! Draws the list of sessions and the preview.

use annals_ui::figures::{age, amount, counted, size, stamp};
use annals_ui::one_line;
use annals_ui::terminal::{Span, clip, width, wrap};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use super::paint::{fill, put, put_all, put_right, rest, row, wrapped};
use super::{theme, title_bar};
use crate::app::App;
use crate::geometry::list_areas;
use crate::host::SessionRow;
use crate::list::ListedRow;

/// In fewer columns, the title bar has shorter words.
const MIN_WORDY: u16 = 60;

/// Columns of the list beside the title, by the width of the list.
struct Columns {
    turns: u16,
    cost: u16,
    project: u16,
    branch: u16,
}

impl Columns {
    fn of(columns: u16) -> Self {
        match columns {
            0..56 => Self { turns: 0, cost: 0, project: 0, branch: 0 },
            56..72 => Self { turns: 0, cost: 9, project: 12, branch: 0 },
            72..100 => Self { turns: 6, cost: 9, project: 14, branch: 0 },
            _ => Self { turns: 6, cost: 10, project: 20, branch: 16 },
        }
    }
}

pub(super) fn draw(app: &App, buffer: &mut Buffer) {
    let list = &app.list;
    let counts = match list.listed.len() == list.rows.len() {
        true => counted(list.rows.len(), "session"),
        // In few columns, what is looked for matters more than a word.
        false if app.size.0 < MIN_WORDY => format!("{} of {}", list.listed.len(), list.rows.len()),
        false => format!("{} of {}", list.listed.len(), counted(list.rows.len(), "session")),
    };
    let mut left = format!("annals  {counts}");
    let (with, filter) = if app.size.0 < MIN_WORDY { ("", "/") } else { ("with ", "filter ") };
    if let Some(search) = &list.search {
        left.push_str(&format!("  {with}{:?}", one_line(&search.query)));
    }
    if !list.filter.is_empty() {
        left.push_str(&format!("  {filter}{:?}", one_line(&list.filter)));
    }
    let order = match list.order_text() {
        long if app.size.0 < MIN_WORDY => long.split(',').next().unwrap_or_default().to_owned(),
        order => order,
    };
    title_bar(app, &left, &order, buffer);
    let areas = list_areas(app.size, app.is_preview_hidden);
    if list.listed.is_empty() {
        let text = match (app.is_listed, list.rows.is_empty()) {
            (false, _) => "reading sessions …",
            (true, true) => "no sessions in this store; annals demo --out DIR writes a made-up one",
            (true, false) => "no session matches; esc clears the filter",
        };
        for (at, line) in wrapped(text, areas.rows.width).iter().enumerate() {
            put(buffer, row(areas.rows, at), line, theme::DIM);
        }
    }
    let columns = Columns::of(areas.rows.width);
    let visible = list.listed.iter().enumerate().skip(list.top).take(usize::from(areas.rows.height));
    for (at, listed) in visible {
        let area = row(areas.rows, at - list.top);
        draw_row(app, listed, &columns, area, buffer);
        if at == list.selected {
            fill(buffer, area, theme::SELECTED);
        }
    }
    if let (Some(area), Some(session)) = (areas.preview, list.selection()) {
        preview(app, session, area, buffer);
    }
}

fn draw_row(app: &App, listed: &ListedRow, columns: &Columns, area: Rect, buffer: &mut Buffer) {
    let session = &app.list.rows[listed.row];
    let mut x = 1;
    let mut right = |text: &str, columns: u16, style| {
        let cell = Rect { width: columns.saturating_sub(2), ..rest(area, x) };
        if columns > 0 {
            let text = clip(text, usize::from(cell.width));
            let free = u16::try_from(width(&text)).map_or(0, |used| cell.width.saturating_sub(used));
            put(buffer, rest(cell, free), &text, style);
        }
        x += columns;
    };
    right(&session.active.map(|then| age(then, app.now)).unwrap_or_default(), 6, theme::DIM);
    let turns = session.numbers.map(|numbers| amount(numbers.turns)).unwrap_or_default();
    right(&turns, columns.turns, theme::DIM);
    right(&cost(session), columns.cost, theme::COST);
    for (text, columns) in [(&session.project, columns.project), (&branch(session), columns.branch)] {
        let cell = Rect { width: columns.saturating_sub(2), ..rest(area, x) };
        put(buffer, cell, text, theme::KEY);
        x += columns;
    }
    let at = rest(area, x);
    let mark = if session.fork_of.is_some() { "fork " } else { "" };
    let tag = session.tag.as_ref().map(|tag| format!("#{} ", one_line(tag))).unwrap_or_default();
    let used = put_all(buffer, at, &[(mark, theme::BRANCH), (&tag, theme::AGENT)]);
    title(&session.title, &listed.places, rest(at, used), buffer);
}

/// The title, with the characters that the filter matched marked.
fn title(text: &str, places: &[usize], area: Rect, buffer: &mut Buffer) {
    put(buffer, area, text, theme::PLAIN);
    // Places count characters of the title as it is; a title that is cleaned is shown without marks.
    if places.is_empty() || one_line(text) != text {
        return;
    }
    let mut column = 0;
    for (at, character) in text.chars().enumerate() {
        let columns = u16::try_from(width(character.encode_utf8(&mut [0; 4]))).unwrap_or(0);
        if places.contains(&at) && column + columns < area.width {
            fill(buffer, Rect { width: columns, ..rest(area, column) }, theme::MATCH);
        }
        column = column.saturating_add(columns);
    }
}

fn branch(session: &SessionRow) -> String {
    session.branch.clone().filter(|branch| branch != "HEAD").unwrap_or_default()
}

/// The cost; a question mark where no price is known, nothing while it is being counted.
fn cost(session: &SessionRow) -> String {
    match session.numbers.map(|numbers| numbers.cost) {
        Some(Some(cost)) => format!("${cost:.2}"),
        Some(None) => "?".to_owned(),
        None => String::new(),
    }
}

/// `1 turn`, `12 turns`.
pub(super) fn turns(count: u64) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), "turn")
}

/// Draws what is known of a session, and what it was about.
fn preview(app: &App, session: &SessionRow, area: Rect, buffer: &mut Buffer) {
    let is_side = area.y == 1;
    let inner = match is_side {
        true => {
            for at in 0..area.height {
                put(buffer, row(Rect { width: 1, ..area }, usize::from(at)), "│", theme::DIM);
            }
            rest(area, 2)
        }
        false => {
            put(buffer, row(area, 0), &"─".repeat(usize::from(area.width)), theme::DIM);
            Rect { y: area.y + 1, height: area.height - 1, ..rest(area, 1) }
        }
    };
    let moment = |millis: i64| {
        let (date, time) = stamp(millis, (app.options.zone.function())(millis));
        format!("{date} {time}")
    };
    let mut place = vec![session.folder.clone().unwrap_or_else(|| session.project.clone()), branch(session)];
    let mut facts: Vec<String> = session.active.map(moment).into_iter().collect();
    facts.extend(session.numbers.map(|numbers| turns(numbers.turns)));
    let agents = session.numbers.map_or(0, |numbers| numbers.agents);
    let agents = usize::try_from(agents).unwrap_or(usize::MAX);
    facts.extend((agents > 0).then(|| counted(agents, "sub-agent")));
    facts.push(cost(session));
    facts.push(size(session.bytes));
    facts.extend(session.models.iter().map(|model| annals_ui::figures::model(model).to_owned()));
    facts.extend(session.fork_of.as_ref().map(|origin| format!("fork of {origin}")));
    for list in [&mut place, &mut facts] {
        list.retain(|text| !text.is_empty());
    }
    let heads = [
        (session.title.clone(), theme::BOLD),
        (session.id.clone(), theme::DIM),
        (place.join(" · "), theme::KEY),
        (facts.join(" · "), theme::DIM),
    ];
    for (at, (text, style)) in heads.iter().enumerate() {
        put(buffer, row(inner, at), text, *style);
    }
    let body = Rect { y: inner.y + 4.min(inner.height), height: inner.height.saturating_sub(4), ..inner };
    passages(app, session, body, buffer);
}

/// Draws the passages that a search found, else the first and the last prompt.
fn passages(app: &App, session: &SessionRow, area: Rect, buffer: &mut Buffer) {
    let hits: Vec<_> = app.list.hits(&session.id).collect();
    let texts: Vec<(String, &String)> = match hits.first() {
        Some(first) => {
            let count = format!("{} found", first.count);
            put_right(buffer, row(area, 0), &count, theme::DIM);
            let mark = |line: Option<usize>| line.map(|line| format!("{line}: ")).unwrap_or_default();
            hits.iter().map(|hit| (mark(hit.line), &hit.snippet)).collect()
        }
        None => {
            let last = session.last_prompt.iter().filter(|last| Some(*last) != session.first_prompt.as_ref());
            let first = session.first_prompt.iter();
            first
                .map(|text| ("> ".to_owned(), text))
                .chain(last.map(|text| ("… ".to_owned(), text)))
                .collect()
        }
    };
    let each = (usize::from(area.height) / texts.len().max(1)).max(1);
    let mut at = 0;
    for (mark, text) in texts {
        let opening: String = text.chars().take(2000).collect();
        let lines =
            wrap(&[Span::plain(format!("{mark}{}", one_line(&opening)))], usize::from(area.width).max(4));
        for line in lines.iter().take(each) {
            super::paint::put_line(buffer, row(area, at), line, None);
            at += 1;
        }
    }
}
