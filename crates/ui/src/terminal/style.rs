//! Styled text: spans, lines of spans, and the escape sequences of a style.

use unicode_width::UnicodeWidthStr;

/// A color that every terminal has, in the reader's own palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    Gray,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Self::Red => "31",
            Self::Green => "32",
            Self::Yellow => "33",
            Self::Blue => "34",
            Self::Magenta => "35",
            Self::Cyan => "36",
            Self::Gray => "90",
        }
    }
}

/// How a span looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) ink: Option<Ink>,
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) underline: bool,
}

impl Style {
    pub(super) const PLAIN: Self = Self { ink: None, bold: false, italic: false, underline: false };
    pub(super) const DIM: Self = Self::ink(Ink::Gray);
    pub(super) const BOLD: Self = Self::PLAIN.bold();

    pub(super) const fn ink(ink: Ink) -> Self {
        Self { ink: Some(ink), ..Self::PLAIN }
    }

    pub(super) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(super) const fn italic(self) -> Self {
        Self { italic: true, ..self }
    }

    /// Writes the sequence that switches the style on; nothing for plain text.
    pub(super) fn switch_on(self, out: &mut String) {
        if self == Self::PLAIN {
            return;
        }
        out.push_str("\u{1b}[");
        let attributes = [(self.bold, "1;"), (self.italic, "3;"), (self.underline, "4;")];
        attributes.iter().filter(|(is_on, _)| *is_on).for_each(|(_, code)| out.push_str(code));
        match self.ink {
            Some(ink) => out.push_str(ink.code()),
            None => drop(out.pop()),
        }
        out.push('m');
    }

    /// Writes the sequence that switches it off.
    pub(super) fn switch_off(self, out: &mut String) {
        if self != Self::PLAIN {
            out.push_str("\u{1b}[0m");
        }
    }
}

/// Text of one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
}

impl Span {
    pub(super) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Style::PLAIN)
    }

    pub(super) fn dim(text: impl Into<String>) -> Self {
        Self::new(text, Style::DIM)
    }
}

/// Spans beside each other.
pub(super) type Line = Vec<Span>;

/// Columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// Columns that a line takes.
pub(super) fn line_width(line: &[Span]) -> usize {
    line.iter().map(|span| width(&span.text)).sum()
}
