//! Text that may be shown on a terminal: the only kind that is printed for people.
//!
//! Whatever becomes a [`TerminalText`] is cleaned; only [`Paint`] and the pages of this crate put escape sequences into
//! one. There is no `Display`: a painted text that is formatted into a string would lose what it knows about itself.

use std::borrow::Cow;
use std::fmt;
use std::ops::Add;

use crate::clean::{LineBreaks, clean_as};
use crate::terminal::{Color, ColorMode};

/// A text without control characters, bidirectional overrides or hidden characters, and with no escape sequence but
/// styles.
///
/// ```
/// use annals_ui::terminal::ColorMode;
/// use annals_ui::{Paint, TerminalText, text};
///
/// let title = "a\u{1b}[2Jtitle\nannals: forged";
/// assert_eq!(TerminalText::from(title), "atitle annals: forged");
/// let id = Paint::Bold.over("id", ColorMode::Ansi);
/// assert_eq!(text![id, "  ", title], "\u{1b}[1mid\u{1b}[0m  atitle annals: forged");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalText(String);

impl TerminalText {
    /// Cleans a text of several lines; line breaks and tabs stay.
    pub fn block(text: &str) -> Self {
        Self(clean_as(text, LineBreaks::Document).into_owned())
    }

    /// Cleans a text of our own that has styles, such as a page of help: colors and attributes stay.
    pub fn keeping_styles(text: &str) -> Self {
        let mut out = Self::default();
        let mut rest = text;
        while let Some(start) = rest.find("\u{1b}[") {
            let parameters = rest[start + 2..].trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
            let Some(after) = parameters.strip_prefix('m') else { break };
            out.push(Self::block(&rest[..start]));
            out.0.push_str(&rest[start..rest.len() - after.len()]);
            rest = after;
        }
        out.push(Self::block(rest));
        out
    }

    /// Returns the string that this crate draws in, whose content it has cleaned.
    pub(crate) fn drawing(&mut self) -> &mut String {
        &mut self.0
    }

    /// Appends a text.
    pub fn push(&mut self, more: impl Into<Self>) {
        self.0.push_str(&more.into().0);
    }

    /// Removes spaces at the end.
    pub fn trim_end(mut self) -> Self {
        self.0.truncate(self.0.trim_end().len());
        self
    }

    /// Returns whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what is written to the terminal. A string made of it is cleaned again before it is printed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for TerminalText {
    /// Cleans a text and puts it on one line.
    fn from(text: &str) -> Self {
        Self(clean_as(text, LineBreaks::Line).into_owned())
    }
}

impl From<String> for TerminalText {
    fn from(text: String) -> Self {
        match clean_as(&text, LineBreaks::Line) {
            Cow::Owned(clean) => Self(clean),
            Cow::Borrowed(_) => Self(text),
        }
    }
}

impl From<&String> for TerminalText {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<Cow<'_, str>> for TerminalText {
    fn from(text: Cow<'_, str>) -> Self {
        text.into_owned().into()
    }
}

impl From<fmt::Arguments<'_>> for TerminalText {
    fn from(text: fmt::Arguments<'_>) -> Self {
        text.to_string().into()
    }
}

impl<T: Into<Self>> Add<T> for TerminalText {
    type Output = Self;

    fn add(mut self, more: T) -> Self {
        self.push(more);
        self
    }
}

impl FromIterator<TerminalText> for TerminalText {
    fn from_iter<I: IntoIterator<Item = TerminalText>>(parts: I) -> Self {
        parts.into_iter().fold(Self::default(), Add::add)
    }
}

impl PartialEq<str> for TerminalText {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for TerminalText {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// Joins parts, painted or not, to one [`TerminalText`].
#[macro_export]
macro_rules! text {
    ($($part:expr),* $(,)?) => {
        [$($crate::TerminalText::from($part)),*].into_iter().collect::<$crate::TerminalText>()
    };
}

/// The ANSI styles of short texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Paint {
    /// Returns a text in this style; as it is, where there are no colors or there is no text.
    pub fn over(self, text: impl Into<TerminalText>, mode: ColorMode) -> TerminalText {
        let text = text.into();
        let code = match (self, mode) {
            _ if !mode.is_colored() || text.is_empty() => return text,
            (Self::Bold, _) => "1",
            (Self::Dim, ColorMode::Ansi) => "2",
            (Self::Dim, _) => Color::Gray.code(mode),
            (Self::Red, _) => Color::Red.code(mode),
            (Self::Green, _) => Color::Green.code(mode),
            (Self::Yellow, _) => Color::Yellow.code(mode),
            (Self::Cyan, _) => Color::Cyan.code(mode),
        };
        TerminalText(format!("\u{1b}[{code}m{}\u{1b}[0m", text.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_in_is_cleaned_and_what_is_painted_stays() {
        let hostile = "x\u{1b}]52;c;AAAA\u{7}y\r\nz\u{202e}";
        for text in [
            TerminalText::from(hostile),
            hostile.to_owned().into(),
            Cow::Borrowed(hostile).into(),
            format_args!("{hostile}").into(),
        ] {
            assert_eq!(text, "xy z<U+202E>");
        }
        let painted = Paint::Red.over(hostile, ColorMode::Ansi) + " " + Paint::Dim.over("b", ColorMode::Ansi);
        assert_eq!(painted, "\u{1b}[31mxy z<U+202E>\u{1b}[0m \u{1b}[2mb\u{1b}[0m");
        let fixed = Paint::Dim.over("b", ColorMode::Dark) + Paint::Red.over("", ColorMode::Light);
        assert_eq!(fixed + Paint::Red.over("c", ColorMode::Plain), "\u{1b}[38;5;247mb\u{1b}[0mc");
        assert_eq!(TerminalText::from(painted.as_str()), "xy z<U+202E> b", "a string is never trusted");
        assert_eq!(TerminalText::block("a\n\tb\r\u{9b}2Jc"), "a\n\tb\nc");
    }

    #[test]
    fn only_styles_are_kept() {
        let page = "\u{1b}[1m\u{1b}[4mUsage:\u{1b}[0m a\n  \u{1b}[1;32mb\u{1b}[0m";
        assert_eq!(TerminalText::keeping_styles(page), page);
        let hostile = "\u{1b}[2J\u{1b}[1mx\u{1b}]0;t\u{7}";
        assert_eq!(TerminalText::keeping_styles(hostile), "x");
    }
}
