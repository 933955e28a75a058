//! Cells as escape sequences: where they are, how they look, what they show.

use std::fmt::Write;

use annals_ui::terminal::{Color as UiColor, ColorMode};
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::style::{Color, Modifier};

/// Writes the cells in which two buffers of the same size differ.
pub(crate) fn write_changes(before: &Buffer, after: &Buffer, mode: ColorMode, out: &mut String) {
    let mut next = None;
    let mut style = None;
    for (x, y, cell) in before.diff(after) {
        if next != Some((x, y)) {
            let _ = write!(out, "\u{1b}[{};{}H", y + 1, x + 1);
        }
        let wanted = sequence(cell, mode);
        if style.as_ref() != Some(&wanted) {
            out.push_str(&wanted);
            style = Some(wanted);
        }
        out.push_str(cell.symbol());
        let columns = u16::try_from(annals_ui::terminal::width(cell.symbol())).unwrap_or(1).max(1);
        next = Some((x + columns, y));
    }
    if style.is_some() {
        out.push_str("\u{1b}[0m");
    }
}

/// Writes a row without the blank cells at its end, and returns how many columns it takes.
pub(crate) fn write_row(buffer: &Buffer, y: u16, mode: ColorMode, out: &mut String) -> usize {
    let area = buffer.area;
    let is_blank = |x: &u16| buffer[(*x, y)].symbol().trim().is_empty();
    let end = (area.x..area.right()).rev().find(|x| !is_blank(x)).map_or(area.x, |x| x + 1);
    let (plain, mut style) = (sequence(&Cell::EMPTY, mode), None);
    let mut x = area.x;
    while x < end {
        let cell = &buffer[(x, y)];
        let wanted = sequence(cell, mode);
        if style.as_ref().unwrap_or(&plain) != &wanted {
            out.push_str(&wanted);
            style = Some(wanted);
        }
        out.push_str(cell.symbol());
        x += u16::try_from(annals_ui::terminal::width(cell.symbol())).unwrap_or(1).max(1);
    }
    if style.is_some_and(|style| style != plain) {
        out.push_str("\u{1b}[0m");
    }
    usize::from(x - area.x)
}

/// The sequence that sets the style of a cell.
fn sequence(cell: &Cell, mode: ColorMode) -> String {
    let mut codes = String::from("\u{1b}[0");
    let attributes = [
        (Modifier::BOLD, "1"),
        (Modifier::DIM, "2"),
        (Modifier::ITALIC, "3"),
        (Modifier::UNDERLINED, "4"),
        (Modifier::REVERSED, "7"),
    ];
    for (_, code) in attributes.into_iter().filter(|(attribute, _)| cell.modifier.contains(*attribute)) {
        codes.push(';');
        codes.push_str(code);
    }
    if let Color::Rgb(red, green, blue) = cell.fg {
        // The number of a picture.
        let _ = write!(codes, ";38;2;{red};{green};{blue}");
    } else if let Some(color) = color(cell.fg).filter(|_| mode.is_colored()) {
        let _ = write!(codes, ";{}", color.code(mode));
    }
    codes.push('m');
    codes
}

/// The color of text; the terminal's own is none.
fn color(color: Color) -> Option<UiColor> {
    Some(match color {
        Color::Red => UiColor::Red,
        Color::Green => UiColor::Green,
        Color::Yellow => UiColor::Yellow,
        Color::Blue => UiColor::Blue,
        Color::Magenta => UiColor::Magenta,
        Color::Cyan => UiColor::Cyan,
        Color::DarkGray => UiColor::Gray,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use ratatui_core::layout::Rect;
    use ratatui_core::style::Style;

    use super::*;

    fn changes(mode: ColorMode) -> String {
        let before = Buffer::empty(Rect::new(0, 0, 10, 2));
        let mut after = before.clone();
        after.set_string(2, 1, "日a", Style::new().fg(Color::Red).add_modifier(Modifier::BOLD));
        after.set_string(0, 0, "x", Style::new());
        let mut out = String::new();
        write_changes(&before, &after, mode, &mut out);
        out
    }

    #[test]
    fn a_row_ends_with_its_last_letter_and_without_a_style() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 1));
        buffer.set_string(0, 0, "日a", Style::new().fg(Color::Red));
        buffer.set_string(3, 0, " b  ", Style::new());
        let mut out = String::new();
        assert_eq!(write_row(&buffer, 0, ColorMode::Ansi, &mut out), 5);
        assert_eq!(out, "\u{1b}[0;31m日a\u{1b}[0m b");
    }

    #[test]
    fn only_changes_are_written_and_colors_only_where_they_are_wanted() {
        assert_eq!(changes(ColorMode::Ansi), "\u{1b}[1;1H\u{1b}[0mx\u{1b}[2;3H\u{1b}[0;1;31m日a\u{1b}[0m");
        assert_eq!(changes(ColorMode::Plain), "\u{1b}[1;1H\u{1b}[0mx\u{1b}[2;3H\u{1b}[0;1m日a\u{1b}[0m");
        assert!(changes(ColorMode::Dark).contains("\u{1b}[0;1;38;5;210m日a"));
        let same = Buffer::empty(Rect::new(0, 0, 3, 3));
        let mut out = String::new();
        write_changes(&same, &same, ColorMode::Ansi, &mut out);
        assert_eq!(out, "");
    }
}
