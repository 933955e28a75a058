//! Texts with colors, and how wide they are.

use annals_ui::harmless;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::Paint;

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Ink {
    Plain,
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Ink {
    pub(super) fn paint(self) -> Option<Paint> {
        match self {
            Self::Plain => None,
            Self::Bold => Some(Paint::Bold),
            Self::Dim => Some(Paint::Dim),
            Self::Red => Some(Paint::Red),
            Self::Green => Some(Paint::Green),
            Self::Yellow => Some(Paint::Yellow),
            Self::Cyan => Some(Paint::Cyan),
        }
    }
}

/// Whether there are colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Color {
    Yes,
    No,
}

/// A line, and how its parts look.
pub(in super::super) type Styled = Vec<(Ink, String)>;

/// How many columns a line takes.
pub(in super::super) fn width_of(line: &Styled) -> usize {
    line.iter().map(|(_, text)| text.width()).sum()
}

/// The beginning of a text, harmless and in one line, of so many columns.
pub(in super::super) fn clipped(text: &str, columns: usize) -> String {
    let text = harmless(text).replace('\n', " ");
    if text.width() <= columns {
        return text;
    }
    let mut out = String::new();
    let mut width = 0;
    for letter in text.chars() {
        width += letter.width().unwrap_or(0);
        if width >= columns {
            break;
        }
        out.push(letter);
    }
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_clipped_by_columns() {
        assert_eq!(clipped("abc", 3), "abc");
        assert_eq!(clipped("ab\ncdef", 4), "ab …");
        assert_eq!(clipped("日本語", 4), "日…");
    }
}
