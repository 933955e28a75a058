//! Styled text: spans, lines of spans, and the escape sequences of a style.

use unicode_width::UnicodeWidthStr;

use super::color::Color;
use super::options::ColorMode;
use super::wrap::cut;
use crate::clean::{LineBreaks, clean_as};

/// Color and attributes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The color; `None` for the terminal's own.
    pub color: Option<Color>,
    pub bold: bool,
    pub italic: bool,
    /// Whether it is underlined.
    pub underline: bool,
}

impl Style {
    /// No color and no attribute.
    pub const PLAIN: Self = Self { color: None, bold: false, italic: false, underline: false };
    /// Gray, for what matters less.
    pub const DIM: Self = Self::color(Color::Gray);
    /// Bold, in the terminal's own color.
    pub const BOLD: Self = Self::PLAIN.bold();

    /// Returns the style that only has this color.
    pub const fn color(color: Color) -> Self {
        Self { color: Some(color), ..Self::PLAIN }
    }

    pub const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub const fn italic(self) -> Self {
        Self { italic: true, ..self }
    }

    pub(super) const fn underlined(self) -> Self {
        Self { underline: true, ..self }
    }

    /// Writes the sequence that switches the style on; nothing for plain text.
    pub(super) fn switch_on(self, mode: ColorMode, out: &mut String) {
        if self == Self::PLAIN {
            return;
        }
        out.push_str("\u{1b}[");
        let attributes = [(self.bold, "1;"), (self.italic, "3;"), (self.underline, "4;")];
        attributes.iter().filter(|(is_on, _)| *is_on).for_each(|(_, code)| out.push_str(code));
        match self.color {
            Some(color) => out.push_str(color.code(mode)),
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

/// A text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text, on one line.
    pub text: String,
    pub style: Style,
}

impl Span {
    /// Returns a text in this style.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    /// Returns a text without style.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Style::PLAIN)
    }

    /// Returns a gray text.
    pub fn dim(text: impl Into<String>) -> Self {
        Self::new(text, Style::DIM)
    }
}

pub type StyledLine = Vec<Span>;

/// Returns how many columns a text takes.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// Returns how many columns a line takes.
pub fn line_width(line: &[Span]) -> usize {
    line.iter().map(|span| width(&span.text)).sum()
}

/// Writes a line with the escape sequences of its styles, without spaces at its end and without a line break.
pub(crate) fn write_line(line: &[Span], mode: ColorMode, out: &mut String) {
    let end = line.iter().rposition(|span| !span.text.trim_end().is_empty()).map_or(0, |last| last + 1);
    for (at, span) in line[..end].iter().enumerate() {
        let text = if at + 1 == end { span.text.trim_end() } else { span.text.as_str() };
        write_span(text, span.style, mode, out);
    }
}

/// Writes a text in a style. Content is cleaned on entry; this is a second safeguard.
pub(crate) fn write_span(text: &str, style: Style, mode: ColorMode, out: &mut String) {
    let is_styled = mode.is_colored() && !text.is_empty();
    if is_styled {
        style.switch_on(mode, out);
    }
    out.push_str(&clean_as(text, LineBreaks::Line));
    if is_styled {
        style.switch_off(out);
    }
}

/// Returns the beginning of a text, cleaned and on one line, in at most the given columns.
pub fn clip(text: &str, columns: usize) -> String {
    let text = clean_as(text, LineBreaks::Line);
    if width(&text) <= columns {
        return text.into_owned();
    }
    let mut out = cut(&text, columns.saturating_sub(1)).0.to_owned();
    out.push('…');
    out
}

/// Returns the end of a text, cleaned and on one line, in at most the given columns.
pub fn clip_start(text: &str, columns: usize) -> String {
    let text = clean_as(text, LineBreaks::Line);
    if width(&text) <= columns {
        return text.into_owned();
    }
    let left = columns.saturating_sub(1);
    let (mut start, mut used) = (text.len(), 0);
    for (at, character) in text.char_indices().rev() {
        used += width(character.encode_utf8(&mut [0; 4]));
        if used > left {
            break;
        }
        start = at;
    }
    format!("…{}", &text[start..])
}

/// Returns a line, cleaned, in at most the given columns. One that is cut ends with a sign, wherever its spans end.
pub fn clip_line(line: &[Span], columns: usize) -> StyledLine {
    let clean = |span: &Span| Span::new(clean_as(&span.text, LineBreaks::Line), span.style);
    let line: StyledLine = line.iter().map(clean).collect();
    if line_width(&line) <= columns {
        return line;
    }
    let (mut clipped, mut left) = (StyledLine::new(), columns.saturating_sub(1));
    for Span { text, style } in line {
        let wide = width(&text);
        if wide > left {
            let kept = cut(&text, left).0;
            clipped.push(Span::new(format!("{kept}…"), style));
            break;
        }
        left -= wide;
        clipped.push(Span { text, style });
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_clipped_with_a_sign_wherever_its_spans_end() {
        let text = |line: &[Span], columns| {
            let line = clip_line(line, columns);
            line.iter().map(|span| span.text.as_str()).collect::<String>()
        };
        let line = [Span::plain("abc"), Span::dim("def\u{1b}[2J"), Span::plain("日本")];
        assert_eq!(text(&line, 10), "abcdef日本");
        assert_eq!(text(&line, 9), "abcdef日…");
        assert_eq!(text(&line, 8), "abcdef…");
        assert_eq!(text(&line, 7), "abcdef…");
        assert_eq!(text(&line, 4), "abc…");
        assert_eq!(text(&line, 3), "ab…");
        assert_eq!(text(&line, 1), "…");
        assert_eq!((clip_start("abcdef", 6), clip_start("abcdef", 4)), ("abcdef".into(), "…def".into()));
        assert_eq!((clip_start("日本語", 4), clip_start("日本語", 1)), ("…語".into(), "…".into()));
    }

    #[test]
    fn a_text_is_clipped_by_columns() {
        assert_eq!(clip("abc", 3), "abc");
        assert_eq!(clip("ab\ncdef", 4), "ab …");
        assert_eq!(clip("日本語", 4), "日…");
    }
}
