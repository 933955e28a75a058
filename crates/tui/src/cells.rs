//! Cells as escape sequences: where they are, how they look, what they show, where they link to.

use std::fmt::Write;

use annals_ui::terminal::{Color as UiColor, ColorMode};
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::style::{Color, Modifier};

/// Longer addresses are no links: some terminals take no more.
const MAX_ADDRESS: usize = 2_000;

/// A link, and the mark of its cells: cells hold no texts but one, so it is in the color that an underline would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CellLink {
    pub(crate) mark: Color,
    address: String,
}

impl CellLink {
    /// Returns the link to an address. Another address has another mark, so that what changes is drawn.
    pub(crate) fn new(address: &str) -> Self {
        let add = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        let [_, red, green, blue] = address.bytes().fold(0x811c_9dc5, add).to_be_bytes();
        Self { mark: Color::Rgb(red, green, blue), address: address.to_owned() }
    }
}

/// Whether an address can be that of a link: it has a scheme, and nothing that a terminal could take for something else.
pub(crate) fn is_link(address: &str) -> bool {
    let scheme = address.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|character| character.is_ascii_alphanumeric() || "+.-".contains(character));
    is_scheme && address.len() <= MAX_ADDRESS && address.bytes().all(|byte| byte.is_ascii_graphic())
}

/// How cells are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellFormat<'l> {
    pub(crate) mode: ColorMode,
    pub(crate) links: &'l [CellLink],
}

impl CellFormat<'_> {
    /// Writes what begins the link of a cell, and ends the one before it.
    fn change_link(self, cell: &Cell, link: &mut Color, out: &mut String) {
        if cell.underline_color != *link {
            let known = self.links.iter().find(|known| known.mark == cell.underline_color);
            let address = known.map_or("", |known| known.address.as_str());
            let _ = write!(out, "\u{1b}]8;;{address}\u{1b}\\");
            *link = cell.underline_color;
        }
    }
}

/// Writes the cells in which two buffers of the same size differ.
pub(crate) fn write_changes(before: &Buffer, after: &Buffer, format: CellFormat<'_>, out: &mut String) {
    let mut next = None;
    let (mut style, mut link) = (None, Color::Reset);
    for (x, y, cell) in before.diff(after) {
        if next != Some((x, y)) {
            let _ = write!(out, "\u{1b}[{};{}H", y + 1, x + 1);
        }
        format.change_link(cell, &mut link, out);
        let wanted = sequence(cell, format.mode);
        if style.as_ref() != Some(&wanted) {
            out.push_str(&wanted);
            style = Some(wanted);
        }
        out.push_str(cell.symbol());
        let columns = u16::try_from(annals_ui::terminal::width(cell.symbol())).unwrap_or(1).max(1);
        next = Some((x + columns, y));
    }
    format.change_link(&Cell::EMPTY, &mut link, out);
    if style.is_some() {
        out.push_str("\u{1b}[0m");
    }
}

/// Writes a row without the blank cells at its end, and returns how many columns it takes.
pub(crate) fn write_row(buffer: &Buffer, y: u16, format: CellFormat<'_>, out: &mut String) -> usize {
    let area = buffer.area;
    let is_blank = |x: &u16| {
        let cell = &buffer[(*x, y)];
        cell.symbol().trim().is_empty() && cell.bg == Color::Reset
    };
    let end = (area.x..area.right()).rev().find(|x| !is_blank(x)).map_or(area.x, |x| x + 1);
    let (plain, mut style, mut link) = (sequence(&Cell::EMPTY, format.mode), None, Color::Reset);
    let mut x = area.x;
    while x < end {
        let cell = &buffer[(x, y)];
        format.change_link(cell, &mut link, out);
        let wanted = sequence(cell, format.mode);
        if style.as_ref().unwrap_or(&plain) != &wanted {
            out.push_str(&wanted);
            style = Some(wanted);
        }
        out.push_str(cell.symbol());
        x += u16::try_from(annals_ui::terminal::width(cell.symbol())).unwrap_or(1).max(1);
    }
    format.change_link(&Cell::EMPTY, &mut link, out);
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
        (Modifier::CROSSED_OUT, "9"),
    ];
    for (_, code) in attributes.into_iter().filter(|(attribute, _)| cell.modifier.contains(*attribute)) {
        codes.push(';');
        codes.push_str(code);
    }
    if mode.is_colored() {
        if let Some(color) = color(cell.fg) {
            let _ = write!(codes, ";{}", color.code(mode));
        }
        write_fixed("38", cell.fg, &mut codes);
        write_fixed("48", cell.bg, &mut codes);
    }
    codes.push('m');
    codes
}

/// Writes a color that no theme changes: one of a status line, or the number of a picture.
fn write_fixed(ground: &str, color: Color, codes: &mut String) {
    let _ = match color {
        Color::Rgb(red, green, blue) => write!(codes, ";{ground};2;{red};{green};{blue}"),
        Color::Indexed(index) => write!(codes, ";{ground};5;{index}"),
        _ => Ok(()),
    };
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

    const ANSI: CellFormat<'_> = CellFormat { mode: ColorMode::Ansi, links: &[] };

    fn changes(mode: ColorMode) -> String {
        let before = Buffer::empty(Rect::new(0, 0, 10, 2));
        let mut after = before.clone();
        after.set_string(2, 1, "日a", Style::new().fg(Color::Red).add_modifier(Modifier::BOLD));
        after.set_string(0, 0, "x", Style::new());
        let mut out = String::new();
        write_changes(&before, &after, CellFormat { mode, links: &[] }, &mut out);
        out
    }

    #[test]
    fn a_row_ends_with_its_last_letter_and_without_a_style() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 1));
        buffer.set_string(0, 0, "日a", Style::new().fg(Color::Red));
        buffer.set_string(3, 0, " b  ", Style::new());
        let mut out = String::new();
        assert_eq!(write_row(&buffer, 0, ANSI, &mut out), 5);
        assert_eq!(out, "\u{1b}[0;31m日a\u{1b}[0m b");
    }

    #[test]
    fn cells_of_a_link_are_between_its_address_and_its_end() {
        let (one, other) = (CellLink::new("https://x/a"), CellLink::new("https://x/b"));
        assert_ne!(one.mark, other.mark);
        let format = CellFormat { mode: ColorMode::Plain, links: &[one.clone(), other.clone()] };
        let before = Buffer::empty(Rect::new(0, 0, 10, 1));
        let linked = |link: &CellLink| {
            let mut buffer = before.clone();
            buffer.set_string(0, 0, "a", Style::new());
            buffer.set_string(1, 0, "bc", Style::new().underline_color(link.mark));
            buffer
        };
        let mut out = String::new();
        write_row(&linked(&one), 0, format, &mut out);
        assert_eq!(out, "a\u{1b}]8;;https://x/a\u{1b}\\bc\u{1b}]8;;\u{1b}\\");
        out.clear();
        write_changes(&linked(&one), &linked(&other), format, &mut out);
        assert_eq!(out, "\u{1b}[1;2H\u{1b}]8;;https://x/b\u{1b}\\\u{1b}[0mbc\u{1b}]8;;\u{1b}\\\u{1b}[0m");
        assert!(is_link("vscode://file/a:1") && is_link("file:///a%20b"));
        for address in ["", "x", "://x", "1a:b", "https://a b", "https://a\u{1b}", "https://ä"] {
            assert!(!is_link(address), "{address:?}");
        }
        assert!(!is_link(&format!("https://{}", "x".repeat(MAX_ADDRESS))));
    }

    #[test]
    fn a_status_line_keeps_its_colors_where_colors_are_wanted() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 1));
        buffer.set_string(0, 0, "a ", Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(4)));
        let mut out = String::new();
        assert_eq!(write_row(&buffer, 0, ANSI, &mut out), 2, "a blank cell with a background is seen");
        assert_eq!(out, "\u{1b}[0;38;2;1;2;3;48;5;4ma \u{1b}[0m");
        out.clear();
        write_row(&buffer, 0, CellFormat { mode: ColorMode::Plain, ..ANSI }, &mut out);
        assert_eq!(out, "a ");
    }

    #[test]
    fn only_changes_are_written_and_colors_only_where_they_are_wanted() {
        assert_eq!(changes(ColorMode::Ansi), "\u{1b}[1;1H\u{1b}[0mx\u{1b}[2;3H\u{1b}[0;1;31m日a\u{1b}[0m");
        assert_eq!(changes(ColorMode::Plain), "\u{1b}[1;1H\u{1b}[0mx\u{1b}[2;3H\u{1b}[0;1m日a\u{1b}[0m");
        assert!(changes(ColorMode::Dark).contains("\u{1b}[0;1;38;5;210m日a"));
        let same = Buffer::empty(Rect::new(0, 0, 3, 3));
        let mut out = String::new();
        write_changes(&same, &same, ANSI, &mut out);
        assert_eq!(out, "");
    }
}
