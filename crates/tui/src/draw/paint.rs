//! Puts text into cells. Every text from outside is cleaned here, or was cleaned by the layout of `annals_ui`.

use annals_ui::one_line;
use annals_ui::terminal::{Span, clip, clip_line, width, wrap};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::theme;

/// Writes a text on one line, cut to the columns; returns how many it took.
pub(super) fn put(buffer: &mut Buffer, area: Rect, text: &str, style: Style) -> u16 {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return 0;
    }
    let text = clip(text, usize::from(area.width));
    let (end, _) = buffer.set_stringn(area.x, area.y, &text, usize::from(area.width), style);
    end - area.x
}

/// Breaks a text into lines of at most `columns`.
pub(super) fn wrapped(text: &str, columns: u16) -> Vec<String> {
    let joined = |line: &Vec<Span>| line.iter().map(|span| span.text.as_str()).collect::<String>();
    wrap(&[Span::plain(one_line(text))], usize::from(columns.max(1))).iter().map(joined).collect()
}

/// Writes texts one after the other; returns how many columns they took.
pub(super) fn put_all(buffer: &mut Buffer, area: Rect, parts: &[(&str, Style)]) -> u16 {
    let mut used = 0;
    for (text, style) in parts {
        used += put(buffer, rest(area, used), text, *style);
    }
    used
}

/// Writes a text at the right end, if it fits beside what is there already; returns how many columns are left of it.
pub(super) fn put_right(buffer: &mut Buffer, area: Rect, text: &str, style: Style) -> u16 {
    let columns = u16::try_from(width(text)).unwrap_or(u16::MAX);
    if columns >= area.width {
        return area.width;
    }
    put(buffer, rest(area, area.width - columns), text, style);
    area.width - columns
}

/// What is left of an area after its first columns.
pub(super) fn rest(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    Rect { x: area.x + columns, width: area.width - columns, ..area }
}

/// One row of an area.
pub(super) fn row(area: Rect, at: usize) -> Rect {
    let at = u16::try_from(at).unwrap_or(u16::MAX);
    if at >= area.height {
        return Rect { height: 0, ..area };
    }
    Rect { y: area.y + at, height: 1, ..area }
}

/// Writes a line of the conversation, with the matches of a search marked.
pub(super) fn put_line(buffer: &mut Buffer, area: Rect, line: &[Span], pattern: Option<&regex::Regex>) {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    let mut used = 0;
    let mut text = String::new();
    for span in line {
        let at = rest(area, used);
        let (end, _) =
            buffer.set_stringn(at.x, at.y, &span.text, usize::from(at.width), theme::of(span.style));
        text.push_str(&span.text);
        used = end - area.x;
        if used >= area.width {
            break;
        }
    }
    mark_text(buffer, area, &text, pattern);
}

/// Marks the matches of a search in a line as [`put_spans`] writes it.
pub(crate) fn mark_matches(buffer: &mut Buffer, area: Rect, line: &[Span], pattern: &regex::Regex) {
    let shown = clip_line(line, usize::from(area.width));
    let text: String = shown.iter().map(|span| clip(&span.text, usize::from(area.width))).collect();
    mark_text(buffer, area.intersection(buffer.area), &text, Some(pattern));
}

fn mark_text(buffer: &mut Buffer, area: Rect, text: &str, pattern: Option<&regex::Regex>) {
    let matches = pattern.into_iter().flat_map(|pattern| pattern.find_iter(text));
    for found in matches.filter(|found| !found.is_empty()) {
        let start = u16::try_from(width(&text[..found.start()])).unwrap_or(u16::MAX);
        let length = u16::try_from(width(found.as_str())).unwrap_or(u16::MAX);
        let at = rest(area, start);
        buffer.set_style(Rect { width: at.width.min(length), ..at }, theme::MATCH);
    }
}

/// Writes styled texts one after the other, each cleaned, cut to the columns with a sign.
pub(crate) fn put_spans(buffer: &mut Buffer, area: Rect, line: &[Span]) {
    let mut used = 0;
    for span in &clip_line(line, usize::from(area.width)) {
        used += put(buffer, rest(area, used), &span.text, theme::of(span.style));
    }
}

/// Fills a row with a style.
pub(super) fn fill(buffer: &mut Buffer, area: Rect, style: Style) {
    buffer.set_style(area.intersection(buffer.area), style);
}

/// Replaces what is not ASCII, for terminals that cannot show it.
pub(crate) fn to_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let plain = match cell.symbol() {
                "…" => '.',
                "─" | "━" | "–" | "−" => '-',
                "│" | "┃" | "▌" | "┊" => '|',
                "▸" | "▶" => '>',
                "▾" => 'v',
                "█" | "▓" | "▉" | "▊" | "▋" => '#',
                "▒" => '=',
                "░" | "▍" | "▎" | "▏" => '-',
                "·" | "•" | "∴" => '.',
                "❯" | "»" => '>',
                "●" | "✶" | "✳" | "✢" => '*',
                "┌" | "┐" | "└" | "┘" | "├" | "┤" => '+',
                _ => '?',
            };
            cell.set_char(plain);
        }
    }
}
