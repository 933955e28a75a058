//! What a status line command printed: rows with the colors, attributes and links that it gave them. Everything else is removed.

use annals_ui::terminal::{Span, StyledLine, clip, width};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};

use crate::cells::{CellLink, is_link};

/// Rows that are shown.
const MAX_ROWS: usize = 3;
/// Rows and links that are read.
const MAX_READ: usize = 100;

/// The rows of a status line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StatusLine {
    rows: Vec<StatusRow>,
    links: Vec<CellLink>,
}

/// Texts in styles.
type StatusRow = Vec<(String, Style)>;

impl StatusLine {
    /// Reads what a command printed.
    pub(crate) fn read(printed: &str, padding: u16) -> Self {
        let (mut line, mut style) = (Self::default(), Style::new());
        for text in printed.trim_end().lines().take(MAX_READ) {
            let indent = (" ".repeat(usize::from(padding.min(40))), Style::new());
            line.rows.push(vec![indent]);
            line.read_row(text, &mut style);
        }
        let hidden = line.rows.len().saturating_sub(MAX_ROWS);
        if hidden > 0 {
            line.rows.truncate(MAX_ROWS);
            let more = (format!(" … {hidden} more"), Style::new().fg(Color::DarkGray));
            line.rows[MAX_ROWS - 1].push(more);
        }
        line
    }

    fn read_row(&mut self, row: &str, style: &mut Style) {
        let (mut text, mut rest) = (String::new(), row.chars());
        while let Some(character) = rest.next() {
            if character != '\u{1b}' {
                if !character.is_control() {
                    text.push(character);
                }
                continue;
            }
            match rest.next() {
                Some('[') => {
                    let mut codes = String::new();
                    let last = rest.by_ref().find(|character| {
                        let is_last = matches!(character, '@'..='~');
                        if !is_last {
                            codes.push(*character);
                        }
                        is_last
                    });
                    if last == Some('m') {
                        self.push(&mut text, *style);
                        *style = styled(*style, &codes);
                    }
                }
                // A string, such as the address of a link: to BEL, or to ESC and a backslash.
                Some(kind @ (']' | 'P' | '_' | '^' | 'X')) => {
                    let mut string = String::new();
                    let end = rest.by_ref().find(|character| {
                        let is_end = matches!(character, '\u{7}' | '\u{1b}');
                        if !is_end {
                            string.push(*character);
                        }
                        is_end
                    });
                    if end == Some('\u{1b}') {
                        rest.next();
                    }
                    // A string that does not end is none.
                    if let (']', Some(_), Some(("8", link))) = (kind, end, string.split_once(';')) {
                        self.push(&mut text, *style);
                        let address = link.split_once(';').map_or("", |(_, address)| address);
                        style.underline_color = Some(self.link(address));
                    }
                }
                _ => {}
            }
        }
        self.push(&mut text, *style);
    }

    /// The mark of cells that belong to a link.
    fn link(&mut self, address: &str) -> Color {
        if !is_link(address) || self.links.len() == MAX_READ {
            return Color::Reset;
        }
        let link = CellLink::new(address);
        let mark = link.mark;
        if !self.links.contains(&link) {
            self.links.push(link);
        }
        mark
    }

    fn push(&mut self, text: &mut String, style: Style) {
        let text = clip(&std::mem::take(text), usize::MAX);
        if let Some(row) = self.rows.last_mut().filter(|_| !text.is_empty()) {
            row.push((text, style));
        }
    }

    /// The rows without their styles.
    pub(crate) fn texts(&self) -> Vec<StyledLine> {
        let text = |row: &StatusRow| row.iter().map(|(text, _)| Span::plain(text.as_str())).collect();
        self.rows.iter().map(text).collect()
    }

    pub(crate) fn links(&self) -> &[CellLink] {
        &self.links
    }

    /// Gives the cells of the texts, from a row on, their styles.
    pub(crate) fn paint(&self, buffer: &mut Buffer, first: usize, columns: u16) {
        for (row, y) in self.rows.iter().zip(first..) {
            let mut x = 0;
            for (text, style) in row {
                let number = |value: usize| u16::try_from(value).unwrap_or(u16::MAX);
                let wide = number(width(text)).min(columns.saturating_sub(x));
                buffer.set_style(Rect::new(x, number(y), wide, 1).intersection(buffer.area), *style);
                x += wide;
            }
        }
    }
}

/// A style after the parameters of a sequence.
fn styled(mut style: Style, codes: &str) -> Style {
    let mut groups = codes.split(';').map(|group| group.split(':'));
    while let Some(mut group) = groups.next() {
        let code = number(group.next());
        let modifier = match code {
            1 | 21 => Modifier::BOLD,
            2 => Modifier::DIM,
            3 | 23 => Modifier::ITALIC,
            4 | 24 => Modifier::UNDERLINED,
            7 | 27 => Modifier::REVERSED,
            9 | 29 => Modifier::CROSSED_OUT,
            22 => Modifier::BOLD | Modifier::DIM,
            _ => Modifier::empty(),
        };
        // `4:0` is no underline; `4:3` is another one.
        let is_on = code < 20 && !(code == 4 && group.clone().next() == Some("0"));
        style = if is_on { style.add_modifier(modifier) } else { style.remove_modifier(modifier) };
        match code {
            0 => style = Style { underline_color: style.underline_color, ..Style::new() },
            30..=37 => style.fg = Some(Color::Indexed(code - 30)),
            90..=97 => style.fg = Some(Color::Indexed(code - 90 + 8)),
            39 => style.fg = None,
            40..=47 => style.bg = Some(Color::Indexed(code - 40)),
            100..=107 => style.bg = Some(Color::Indexed(code - 100 + 8)),
            49 => style.bg = None,
            38 | 48 | 58 => {
                let parts: Vec<&str> = group.collect();
                let color = match parts[..] {
                    [] => {
                        let mut next = || groups.next().map(|mut group| number(group.next()));
                        match next() {
                            Some(5) => next().map(Color::Indexed),
                            Some(2) => next().zip(next()).zip(next()).map(|((r, g), b)| Color::Rgb(r, g, b)),
                            _ => None,
                        }
                    }
                    ["5", index] => Some(Color::Indexed(number(Some(index)))),
                    ["2", .., r, g, b] => Some(Color::Rgb(number(Some(r)), number(Some(g)), number(Some(b)))),
                    _ => None,
                };
                match code {
                    38 => style.fg = color,
                    48 => style.bg = color,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    style
}

/// What is missing is 0, what is none is ignored.
fn number(text: Option<&str>) -> u8 {
    match text {
        None | Some("") => 0,
        Some(text) => text.parse().unwrap_or(u8::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(printed: &str) -> Vec<(String, Style)> {
        let line = StatusLine::read(printed, 0);
        line.rows.into_iter().flatten().filter(|(text, _)| !text.is_empty()).collect()
    }

    #[test]
    fn colors_are_those_that_were_given() {
        for (codes, style) in [
            ("31", Style::new().fg(Color::Indexed(1))),
            ("97;44", Style::new().fg(Color::Indexed(15)).bg(Color::Indexed(4))),
            ("38;5;196;48;5;24", Style::new().fg(Color::Indexed(196)).bg(Color::Indexed(24))),
            ("38;2;1;2;3;1", Style::new().fg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::BOLD)),
            ("48:2::1:2:3;4:3", Style::new().bg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::UNDERLINED)),
            ("38:5:9", Style::new().fg(Color::Indexed(9))),
            ("31;39", Style::new()),
            ("38", Style::new()),
            ("38;2;1", Style::new()),
            ("58;5;3;1;0", Style::new()),
            ("5;8;300", Style::new()),
            ("", Style::new()),
        ] {
            assert_eq!(spans(&format!("\u{1b}[{codes}mx")), [("x".to_owned(), style)], "{codes}");
        }
        let switched = spans("\u{1b}[1;2;3;4;7;9mx\u{1b}[22;23;24;27;29my");
        assert!(switched[0].1.add_modifier.contains(Modifier::DIM | Modifier::CROSSED_OUT));
        assert_eq!(switched[1].1.add_modifier, Modifier::empty());
    }

    #[test]
    fn a_style_and_a_link_go_on_in_the_next_row() {
        let line =
            StatusLine::read("\u{1b}]8;id=1;https://x/a\u{7}\u{1b}[32mone\ntwo\u{1b}]8;;\u{1b}\\ end", 2);
        let link = CellLink::new("https://x/a");
        let style = Style { underline_color: Some(link.mark), ..Style::new().fg(Color::Indexed(2)) };
        assert_eq!(line.rows[0], [("  ".to_owned(), Style::new()), ("one".to_owned(), style)]);
        assert_eq!(line.rows[1][1], ("two".to_owned(), style));
        assert_eq!(line.rows[1][2].1.underline_color, Some(Color::Reset));
        assert_eq!(line.links(), [link]);
    }

    #[test]
    fn nothing_else_is_left_of_a_sequence() {
        let text = "a\u{1b}[2J\u{8}\u{1b}(0b\u{1b}]0;title\u{7}c\u{1b}]52;c;aGk=\u{1b}\\d\u{1b}P+q\u{1b}\\";
        assert_eq!(spans(text).into_iter().map(|(text, _)| text).collect::<String>(), "a0bcd");
        for text in ["\u{1b}", "\u{1b}[", "\u{1b}[31", "\u{1b}]8;;https://x", "\u{1b}P"] {
            assert_eq!(spans(text), [], "{text:?}");
        }
        let odd = spans("\u{1b}]8;;no link\u{7}x\u{1b}]8;;\u{7}");
        assert_eq!(odd[0].1.underline_color, Some(Color::Reset));
    }

    #[test]
    fn there_are_at_most_three_rows() {
        let line = StatusLine::read("1\n2\n3\n4\n5\n", 0);
        assert_eq!(line.rows.len(), 3);
        assert_eq!(line.rows[2].last().unwrap().0, " … 2 more");
        assert_eq!(StatusLine::read("", 0).rows.len(), 0);
    }
}
