//! What is being typed, as rows of the terminal, with the cursor in them.

use annals_ui::harmless;
use unicode_width::UnicodeWidthStr;

use super::screen::{Foot, Ink, Styled};

/// The rows of a text behind its mark, and the cursor behind `before`; of a long one, those around the cursor.
pub(super) fn typed(mark: &str, text: &str, before: &str, width: usize, most_rows: usize) -> Foot {
    let inside = mark.width();
    let mut rows: Vec<String> = vec![String::new()];
    let mut column = inside;
    let mut cursor = (0, inside);
    for (at, letter) in text.char_indices() {
        if at == before.len() {
            cursor = (rows.len() - 1, column);
        }
        if letter == '\n' {
            rows.push(String::new());
            column = inside;
            continue;
        }
        let shown = shown(letter);
        let wide = shown.width();
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
    let first = cursor.0.saturating_sub(most_rows.max(1) - 1);
    let blank = " ".repeat(inside);
    let rows = rows.into_iter().enumerate().skip(first).take(most_rows.max(1));
    let line = |(number, row): (usize, String)| -> Styled {
        let mark = if number == 0 { mark } else { &blank };
        vec![(Ink::Bold, mark.to_owned()), (Ink::Plain, row)]
    };
    Foot { lines: rows.map(line).collect(), cursor: (cursor.0 - first, cursor.1) }
}

/// A character as it may be shown: what could do something to the terminal is a dot.
fn shown(letter: char) -> String {
    let text = letter.to_string();
    match letter {
        '\t' => "    ".to_owned(),
        _ if letter.is_control() || harmless(&text) != text => "·".to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(foot: &Foot) -> Vec<String> {
        foot.lines.iter().map(|line| line.iter().map(|(_, text)| text.as_str()).collect()).collect()
    }

    #[test]
    fn rows_are_broken_and_the_cursor_is_found() {
        let foot = typed("> ", "abcdef", "abcd", 6, 5);
        assert_eq!((rows(&foot), foot.cursor), (vec!["> abcd".into(), "  ef".into()], (1, 2)));
        let foot = typed("> ", "日本語", "日本語", 6, 5);
        assert_eq!((rows(&foot), foot.cursor), (vec!["> 日本".into(), "  語".into()], (1, 4)));
        let foot = typed("> ", "a\nb\u{1b}[2J\u{202e}", "a\n", 20, 5);
        assert_eq!((rows(&foot), foot.cursor), (vec!["> a".into(), "  b·[2J·".into()], (1, 2)));
        let foot = typed("> ", "1\n2\n3\n4", "1\n2\n3\n4", 20, 2);
        assert_eq!((rows(&foot), foot.cursor), (vec!["  3".into(), "  4".into()], (1, 3)));
    }
}
