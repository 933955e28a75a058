//! Draws what lies over a screen: the keys, a choice of clients, the plan of a change.

use annals_ui::one_line;
use annals_ui::terminal::width;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use super::paint::{put, rest, row, wrapped};
use super::theme;
use crate::app::{App, Overlay};
use crate::geometry::overlay as middle;
use crate::keymap::{Keymap, Scope};

/// A line of the help: a heading, or keys and what they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HelpLine {
    keys: String,
    text: String,
}

/// The lines of the help: this screen's keys first.
pub(crate) fn help_lines(app: &App) -> Vec<HelpLine> {
    let mut scopes = vec![app.scope(), Scope::Everywhere];
    scopes
        .extend(Scope::ALL.into_iter().filter(|scope| *scope != app.scope() && *scope != Scope::Everywhere));
    scopes.into_iter().flat_map(|scope| lines_of(&app.options.keymap, scope)).collect()
}

fn lines_of(keymap: &Keymap, scope: Scope) -> Vec<HelpLine> {
    let heading = HelpLine { keys: String::new(), text: scope.title().to_owned() };
    let bindings = keymap
        .bindings(scope)
        .filter(|binding| !binding.keys.is_empty())
        .map(|binding| HelpLine { keys: binding.keys.join(" "), text: binding.help.to_owned() });
    std::iter::once(heading).chain(bindings).collect()
}

pub(super) fn draw(app: &App, buffer: &mut Buffer) {
    match &app.overlay {
        Some(Overlay::Help { top }) => help(app, *top, buffer),
        Some(Overlay::Clients { row }) => {
            let folder =
                row.folder.as_deref().map(one_line).unwrap_or_else(|| "the current folder".to_owned());
            let id = one_line(&row.id);
            let lines = [
                format!("Resume in {folder} with"),
                String::new(),
                format!("c  claude --resume {id}"),
                format!("a  annals chat --resume {id}"),
                String::new(),
                "any other key: stay here".to_owned(),
            ];
            let columns = app.size.0.saturating_sub(6).clamp(10, 100);
            let lines: Vec<String> = lines.iter().flat_map(|line| wrapped(line, columns)).collect();
            box_of("resume", &lines, 0, app, buffer);
        }
        Some(Overlay::Confirm { plan, top, .. }) => {
            box_of("really?", &plan_lines(plan, app.size.0), *top, app, buffer);
        }
        Some(Overlay::Input { .. }) | None => {}
    }
}

/// The lines of a plan in the columns of its box, and the question below it.
pub(crate) fn plan_lines(plan: &[String], columns: u16) -> Vec<String> {
    let columns = columns.saturating_sub(6).clamp(10, 100);
    let mut lines: Vec<String> = plan.iter().flat_map(|line| wrapped(line, columns)).collect();
    lines.extend([String::new(), "y: do it   n: leave it as it is".to_owned()]);
    lines
}

fn help(app: &App, top: usize, buffer: &mut Buffer) {
    let lines = help_lines(app);
    let keys = lines.iter().map(|line| line.keys.len()).max().unwrap_or(0).min(usize::from(app.size.0 / 3));
    let text = lines.iter().map(|line| line.text.len()).max().unwrap_or(0);
    let width = u16::try_from(keys + text + 6).unwrap_or(u16::MAX);
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    let inner = frame("keys", middle(app.size, width, height), buffer);
    let shown = usize::from(inner.height);
    let top = top.min(lines.len().saturating_sub(shown));
    for (at, line) in lines.iter().skip(top).take(shown).enumerate() {
        let cells = row(inner, at);
        if line.keys.is_empty() {
            put(buffer, cells, &line.text, theme::BOLD);
            continue;
        }
        let column = u16::try_from(keys).unwrap_or(0);
        put(buffer, Rect { width: column.min(cells.width), ..cells }, &line.keys, theme::KEY);
        put(buffer, rest(cells, column + 2), &line.text, theme::PLAIN);
    }
    if top + shown < lines.len() {
        more_below(inner, buffer);
    }
}

fn box_of(title: &str, lines: &[String], top: usize, app: &App, buffer: &mut Buffer) {
    let columns = lines.iter().map(|line| width(line)).max().unwrap_or(0).max(20) + 4;
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    let inner = frame(title, middle(app.size, u16::try_from(columns).unwrap_or(u16::MAX), height), buffer);
    // The question is always seen: a plan that is too long scrolls above it.
    let shown = usize::from(inner.height);
    let question = 1.min(lines.len());
    let (plan, last) = lines.split_at(lines.len() - question);
    let plan_rows = shown.saturating_sub(question);
    let top = top.min(plan.len().saturating_sub(plan_rows));
    for (at, line) in plan.iter().skip(top).take(plan_rows).chain(last).enumerate() {
        put(buffer, row(inner, at), line, theme::PLAIN);
    }
    if top + plan_rows < plan.len() {
        more_below(inner, buffer);
    }
}

/// Says on the lower edge of a box that there is more.
fn more_below(inner: Rect, buffer: &mut Buffer) {
    let edge = Rect { y: inner.y + inner.height, height: 1, ..inner };
    put(buffer, edge, " j/k: more ", theme::DIM);
}

/// Draws an empty box; returns its inside.
fn frame(title: &str, area: Rect, buffer: &mut Buffer) -> Rect {
    for y in area.y..area.y + area.height {
        for x in area.x..area.x + area.width {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
    let across = "─".repeat(usize::from(area.width.saturating_sub(2)));
    put(buffer, row(area, 0), &format!("┌{across}┐"), theme::DIM);
    for at in 1..area.height.saturating_sub(1) {
        put(buffer, row(area, usize::from(at)), "│", theme::DIM);
        put(buffer, rest(row(area, usize::from(at)), area.width.saturating_sub(1)), "│", theme::DIM);
    }
    if area.height > 1 {
        put(buffer, row(area, usize::from(area.height - 1)), &format!("└{across}┘"), theme::DIM);
    }
    put(buffer, rest(row(area, 0), 2), &format!(" {title} "), theme::BOLD);
    Rect {
        x: area.x + 2.min(area.width),
        y: area.y + 1.min(area.height),
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(2),
    }
}
