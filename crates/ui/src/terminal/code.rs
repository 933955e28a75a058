//! Code in the colors of its language.

use super::color::Color;
use super::style::{Span, Style, StyledLine};
use super::wrap::chop;
use crate::highlight::{Language, TokenKind, spans};

/// Longer code is not highlighted.
const MAX_HIGHLIGHTED: usize = 64 * 1024;

/// Returns the lines of a code block, broken to at most the given columns.
pub(super) fn code_lines(code: &str, language: &str, columns: usize) -> Vec<StyledLine> {
    let language = Language::by_name(language).filter(|_| code.len() <= MAX_HIGHLIGHTED);
    let mut styles = language.map(|language| spans(code, language)).unwrap_or_default().into_iter();
    // The style that goes on, and how many bytes of it are left.
    let mut current = (Style::PLAIN, if language.is_some() { 0 } else { usize::MAX });
    let mut lines = Vec::new();
    for line in code.split_inclusive('\n') {
        let text = line.strip_suffix('\n').unwrap_or(line);
        chop(text, columns, |piece| {
            let mut styled = StyledLine::new();
            take(piece, &mut current, &mut styles, |text, style| styled.push(Span::new(text, style)));
            lines.push(styled);
        });
        take(&line[text.len()..], &mut current, &mut styles, |_, _| {});
    }
    lines
}

/// Splits a piece of the code at the ends of spans.
fn take<'t>(
    mut piece: &str,
    current: &mut (Style, usize),
    styles: &mut impl Iterator<Item = crate::highlight::TokenSpan<'t>>,
    mut each: impl FnMut(&str, Style),
) {
    while !piece.is_empty() {
        if current.1 == 0 {
            // After the last span there is nothing left to style.
            *current =
                styles.next().map_or((Style::PLAIN, usize::MAX), |span| (style(span.kind), span.text.len()));
        }
        let (head, rest) = piece.split_at(current.1.min(piece.len()));
        each(head, current.0);
        current.1 -= head.len();
        piece = rest;
    }
}

fn style(kind: TokenKind) -> Style {
    Style::color(match kind {
        TokenKind::Plain => return Style::PLAIN,
        TokenKind::Keyword => Color::Magenta,
        TokenKind::Type => Color::Cyan,
        TokenKind::Name => Color::Blue,
        TokenKind::String | TokenKind::Added => Color::Green,
        TokenKind::Number => Color::Yellow,
        TokenKind::Comment => Color::Gray,
        TokenKind::Removed => Color::Red,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[StyledLine]) -> Vec<String> {
        lines.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect()).collect()
    }

    #[test]
    fn lines_keep_their_text_and_comments_go_on() {
        let lines = code_lines("let a = 1; /* b\n\nc */ d\n", "rust", 10);
        assert_eq!(texts(&lines), ["let a = 1;", " /* b", "", "c */ d"]);
        let comment = Style::color(Color::Gray);
        assert_eq!(lines[1][1].style, comment);
        assert_eq!((lines[3][0].text.as_str(), lines[3][0].style), ("c */", comment));
        assert_eq!(texts(&code_lines("a\tb\nc", "", 80)), ["a\tb", "c"]);
    }
}
