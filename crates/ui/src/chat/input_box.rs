//! The input box: the typed text, broken into rows, with the cursor.

use super::screen::Footer;
use crate::clean::may_stay;
use crate::terminal::{Span, Style, StyledLine, width as columns_of};

/// Lays out a text after its mark, with the cursor after `before`; of a long text, the rows around the cursor.
pub fn input_box(mark: &str, text: &str, before: &str, width: usize, max_rows: usize) -> Footer {
    let inside = columns_of(mark);
    let mut rows: Vec<String> = vec![String::new()];
    let mut column = inside;
    let mut cursor = (0, inside);
    let mut before_it = None;
    for (at, character) in text.char_indices() {
        if at == before.len() {
            cursor = (rows.len() - 1, column);
        }
        if character == '\n' {
            rows.push(String::new());
            (column, before_it) = (inside, None);
            continue;
        }
        let after_it = text[at + character.len_utf8()..].chars().next();
        let shown = shown(before_it.replace(character), character, after_it);
        let wide = columns_of(&shown);
        if column + wide > width && column > inside {
            rows.push(String::new());
            column = inside;
            if at == before.len() {
                cursor = (rows.len() - 1, column);
            }
        }
        if let Some(row) = rows.last_mut() {
            row.push_str(&shown);
        }
        column += wide;
    }
    if before.len() == text.len() {
        cursor = (rows.len() - 1, column.min(width));
    }
    let first = cursor.0.saturating_sub(max_rows.max(1) - 1);
    let blank = " ".repeat(inside);
    let rows = rows.into_iter().enumerate().skip(first).take(max_rows.max(1));
    let line = |(number, row): (usize, String)| -> StyledLine {
        let mark = if number == 0 { mark } else { &blank };
        vec![Span::new(mark, Style::BOLD), Span::plain(row)]
    };
    Footer { lines: rows.map(line).collect(), cursor: (cursor.0 - first, cursor.1) }
}

/// Returns a character as it may be shown: a dot for what could control the terminal.
fn shown(before: Option<char>, character: char, after: Option<char>) -> String {
    match character {
        '\t' => "    ".to_owned(),
        _ if may_stay(before, character, after) => character.to_string(),
        _ => "·".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(footer: &Footer) -> Vec<String> {
        footer.lines.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect()).collect()
    }

    #[test]
    fn rows_are_broken_and_the_cursor_is_found() {
        let footer = input_box("> ", "abcdef", "abcd", 6, 5);
        assert_eq!((rows(&footer), footer.cursor), (vec!["> abcd".into(), "  ef".into()], (1, 2)));
        let footer = input_box("> ", "日本語", "日本語", 6, 5);
        assert_eq!((rows(&footer), footer.cursor), (vec!["> 日本".into(), "  語".into()], (1, 4)));
        let footer = input_box("> ", "a\nb\u{1b}[2J\u{202e}", "a\n", 20, 5);
        assert_eq!((rows(&footer), footer.cursor), (vec!["> a".into(), "  b·[2J·".into()], (1, 2)));
        let footer = input_box("> ", "\u{1f468}\u{200d}\u{1f469}a\u{200d}", "", 20, 5);
        assert_eq!(rows(&footer), ["> \u{1f468}\u{200d}\u{1f469}a·"]);
        let footer = input_box("> ", "1\n2\n3\n4", "1\n2\n3\n4", 20, 2);
        assert_eq!((rows(&footer), footer.cursor), (vec!["  3".into(), "  4".into()], (1, 3)));
    }
}
