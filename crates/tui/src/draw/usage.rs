//! Draws usage: tables with bars, and a calendar.

use annals_ui::figures::amount;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};

use super::paint::{put, put_all, rest, row};
use super::{theme, title_bar};
use crate::app::App;
use crate::geometry::body;
use crate::host::{UsageLine, UsageReport};
use crate::usage::{UsageTable, calendar, month_of, weight};

/// Parts of a cell, by eighths.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/// Days of the calendar by level: told by shape, not by color.
const LEVELS: [&str; 5] = ["·", "░", "▒", "▓", "█"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: [&str; 7] = ["Mon", "", "Wed", "", "Fri", "", "Sun"];

pub(super) fn draw(app: &App, buffer: &mut Buffer) {
    let area = body(app.size);
    let report = match &app.usage.report {
        Some(Ok(report)) => report,
        other => {
            title_bar(app, "usage", "", buffer);
            let (text, style) = match other {
                Some(Err(error)) => (error.as_str(), theme::ERROR),
                _ => ("adding up usage …", theme::DIM),
            };
            put(buffer, row(area, 0), text, style);
            return;
        }
    };
    let sum = format!("{}, {} tokens", cost(&report.total), amount(report.total.tokens));
    title_bar(app, "usage", &sum, buffer);
    let mut used = 1;
    for table in UsageTable::ALL {
        let style = if table == app.usage.table {
            theme::BOLD.add_modifier(Modifier::UNDERLINED)
        } else {
            theme::DIM
        };
        used += put(buffer, rest(row(area, 0), used), table.name(), style) + 2;
    }
    let inner = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    match app.usage.table {
        UsageTable::Calendar => draw_calendar(report, inner, buffer),
        table => draw_table(app, report, table, inner, buffer),
    }
}

fn cost(line: &UsageLine) -> String {
    line.cost.map_or_else(|| "? (no price)".to_owned(), |cost| format!("${cost:.2}"))
}

fn draw_table(app: &App, report: &UsageReport, table: UsageTable, area: Rect, buffer: &mut Buffer) {
    let rows = table.rows(report);
    if rows.is_empty() {
        put(buffer, row(area, 0), "no usage", theme::DIM);
    }
    let most = rows.iter().map(|line| weight(line, report)).fold(0.0, f64::max);
    let keys = rows.iter().map(|line| annals_ui::terminal::width(&line.key)).max().unwrap_or(0);
    let key = u16::try_from(keys).unwrap_or(u16::MAX).min(area.width / 3).max(10);
    for (at, line) in rows.iter().skip(app.usage.top).take(usize::from(area.height)).enumerate() {
        let cells = rest(row(area, at), 1);
        let name = match table {
            UsageTable::Models => annals_ui::figures::model(&line.key),
            _ => &line.key,
        };
        put(buffer, Rect { width: key.min(cells.width), ..cells }, name, theme::PLAIN);
        let cells = rest(cells, key + 1);
        let price = line.cost.map_or_else(|| "?".to_owned(), |cost| format!("${cost:.2}"));
        put_all(
            buffer,
            cells,
            &[(&format!("{price:>9}"), theme::COST), (&format!(" {:>6} ", amount(line.tokens)), theme::DIM)],
        );
        bar(weight(line, report), most, rest(cells, 18), buffer);
    }
}

/// Draws a bar; what is more than nothing has at least an eighth of a cell.
fn bar(value: f64, most: f64, area: Rect, buffer: &mut Buffer) {
    if value <= 0.0 || most <= 0.0 || area.width == 0 {
        return;
    }
    let eighths = (value / most * f64::from(area.width) * 8.0).round().max(1.0) as usize;
    let eighths = eighths.min(usize::from(area.width) * 8);
    let text = format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8]);
    put(buffer, area, &text, theme::COST);
}

fn draw_calendar(report: &UsageReport, area: Rect, buffer: &mut Buffer) {
    let left = 5;
    let each = 2;
    let fitting = usize::from(area.width.saturating_sub(left + 1)) / each;
    let (weeks, starts) = calendar(report, fitting.clamp(1, 53));
    let days = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    for (at, name) in DAYS.iter().enumerate() {
        put(buffer, rest(row(days, at), 1), name, theme::DIM);
    }
    let mut free = 0;
    for (week, (levels, start)) in weeks.iter().zip(&starts).enumerate() {
        let x = left + u16::try_from(week * each).unwrap_or(u16::MAX);
        let month = month_of(*start);
        let is_new = week == 0 || month_of(start - 7) != month;
        if is_new && week >= free {
            put(buffer, Rect { width: 4, ..rest(row(area, 0), x) }, MONTHS[month - 1], theme::DIM);
            free = week + 2;
        }
        for (day, level) in levels.iter().enumerate() {
            if let Some(level) = level {
                let style: Style = if *level == 0 { theme::DIM } else { theme::COST };
                put(buffer, Rect { width: 1, ..rest(row(days, day), x) }, LEVELS[*level], style);
            }
        }
    }
    let legend = format!("less {} more", LEVELS.join(" "));
    put(buffer, rest(row(days, 8), left), &legend, theme::DIM);
}
