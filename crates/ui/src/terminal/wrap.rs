//! Lines broken by the columns that they take: at spaces, between wide characters, and within words that are too long.

use unicode_width::UnicodeWidthChar;

use super::style::{Span, Style, StyledLine, line_width, width};

/// Columns of a character.
fn columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

/// Breaks a text into lines of at most the given columns. Spaces at the start of a line and between words are kept.
pub fn wrap(spans: &[Span], columns: usize) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    wrap_each(spans, columns, &mut |line| lines.push(line));
    lines
}

/// Takes lines one by one: those of a very long text are never all in memory.
pub(super) type LineSink<'s> = dyn FnMut(StyledLine) + 's;

/// Like [`wrap`], line by line.
pub(super) fn wrap_each(spans: &[Span], columns: usize, each: &mut LineSink<'_>) {
    let texts = spans.iter().map(|span| (span.text.as_str(), span.style));
    wrap_texts(texts, columns, each);
}

/// Like [`wrap_each`], for a text that need not be copied into a span.
pub(super) fn wrap_text(text: &str, style: Style, columns: usize, each: &mut LineSink<'_>) {
    wrap_texts([(text, style)], columns, each);
}

fn wrap_texts<'t>(
    texts: impl IntoIterator<Item = (&'t str, Style)>,
    columns: usize,
    each: &mut LineSink<'_>,
) {
    let mut wrapper = LineWrapper {
        columns: columns.max(1),
        each,
        line: StyledLine::new(),
        used: 0,
        word: StyledLine::new(),
        spaces: 0,
        is_continued: false,
    };
    for (text, style) in texts {
        wrapper.add(text, style);
    }
    wrapper.end_line();
}

/// Breaks one line of code or output anywhere.
pub(super) fn chop(text: &str, max: usize, mut each: impl FnMut(&str)) {
    if width(text) <= max {
        return each(text);
    }
    let (mut start, mut used) = (0, 0);
    for (at, cluster) in clusters(text) {
        let wide = width(cluster);
        if used + wide > max && at > start {
            each(&text[start..at]);
            (start, used) = (at, 0);
        }
        used += wide;
    }
    each(&text[start..]);
}

/// Returns the start of a text in at most the given columns, and whether something is missing.
pub(super) fn cut(text: &str, max: usize) -> (&str, bool) {
    let mut used = 0;
    for (at, cluster) in clusters(text) {
        used += width(cluster);
        if used > max {
            return (&text[..at], true);
        }
    }
    (text, false)
}

/// Characters with the marks that combine with them, and where each begins.
fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let mut ends = rest.char_indices().skip(1).filter(|&(_, character)| columns(character) > 0);
        let end = ends.next().map_or(rest.len(), |(end, _)| end);
        let at = start;
        start += end;
        Some((at, &rest[..end]))
    })
}

struct LineWrapper<'e, 's> {
    columns: usize,
    each: &'e mut LineSink<'s>,
    line: StyledLine,
    /// Columns of the line so far.
    used: usize,
    word: StyledLine,
    spaces: usize,
    /// Whether the line is the continuation of a longer one: it starts without spaces.
    is_continued: bool,
}

impl LineWrapper<'_, '_> {
    fn add(&mut self, text: &str, style: Style) {
        for character in text.chars() {
            match (character, columns(character)) {
                ('\n', _) => self.end_line(),
                (' ', _) => {
                    self.end_word();
                    self.spaces += 1;
                }
                (_, 2..) => {
                    self.end_word();
                    extend(&mut self.word, character, style);
                    self.end_word();
                }
                // A combining mark stays with what it combines with.
                (_, 0) if self.word.is_empty() && !self.line.is_empty() && self.spaces == 0 => {
                    self.extend(character, style);
                }
                _ => extend(&mut self.word, character, style),
            }
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let needed = line_width(&word);
        let mut spaces = std::mem::take(&mut self.spaces);
        if self.used + spaces + needed > self.columns && self.used > 0 {
            self.break_line();
            spaces = 0;
        }
        if self.line.is_empty() && (self.is_continued || spaces + needed > self.columns) {
            spaces = if self.is_continued { 0 } else { spaces.min(self.columns / 2) };
        }
        if spaces > 0 {
            // The space takes the style of the word only where both sides have it: an underline must not run ahead.
            let style = if self.line.last().map(|span| span.style) == word.first().map(|span| span.style) {
                word[0].style
            } else {
                Style::PLAIN
            };
            (0..spaces).for_each(|_| self.extend(' ', style));
        }
        if self.used + needed <= self.columns {
            self.used += needed;
            for span in word {
                append(&mut self.line, span);
            }
        } else {
            self.break_word(&word);
        }
    }

    fn break_word(&mut self, word: &[Span]) {
        for span in word {
            for (_, cluster) in clusters(&span.text) {
                if self.used + width(cluster) > self.columns && self.used > 0 {
                    self.break_line();
                }
                self.used += width(cluster);
                append(&mut self.line, Span::new(cluster, span.style));
            }
        }
    }

    fn extend(&mut self, character: char, style: Style) {
        self.used += columns(character);
        extend(&mut self.line, character, style);
    }

    /// Continues the line on the next one.
    fn break_line(&mut self) {
        (self.each)(std::mem::take(&mut self.line));
        self.used = 0;
        self.is_continued = true;
    }

    fn end_line(&mut self) {
        self.end_word();
        self.break_line();
        self.spaces = 0;
        self.is_continued = false;
    }
}

fn extend(line: &mut StyledLine, character: char, style: Style) {
    match line.last_mut() {
        Some(last) if last.style == style => last.text.push(character),
        _ => line.push(Span::new(character, style)),
    }
}

fn append(line: &mut StyledLine, span: Span) {
    match line.last_mut() {
        Some(last) if last.style == span.style => last.text.push_str(&span.text),
        _ => line.push(span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, columns: usize, expected: &[&str]) {
        let lines = wrap(&[Span::plain(text)], columns);
        let seen: Vec<String> =
            lines.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect()).collect();
        assert_eq!(seen, expected);
    }

    fn chopped(text: &str, columns: usize) -> Vec<String> {
        let mut pieces = Vec::new();
        chop(text, columns, |piece| pieces.push(piece.to_owned()));
        pieces
    }

    #[test]
    fn breaks_at_spaces_between_wide_characters_and_within_long_words() {
        check("the quick brown fox", 10, &["the quick", "brown fox"]);
        check("日本語の文字", 5, &["日本", "語の", "文字"]);
        check("a 🦀🦀🦀", 5, &["a 🦀", "🦀🦀"]);
        check("abcdefghij", 4, &["abcd", "efgh", "ij"]);
        check("  indented text", 10, &["  indented", "text"]);
        check("one\n\ntwo", 10, &["one", "", "two"]);
        check("e\u{301}e\u{301}e\u{301}", 2, &["e\u{301}e\u{301}", "e\u{301}"]);
        assert_eq!(chopped("日本語", 4), ["日本", "語"]);
        assert_eq!(cut("日本語", 5), ("日本", true));
        assert_eq!(chopped("ab⚠\u{fe0f}", 3), ["ab", "⚠\u{fe0f}"]);
    }

    #[test]
    fn styles_survive_a_break() {
        let lines = wrap(&[Span::plain("a "), Span::new("bold words", Style::BOLD)], 6);
        assert_eq!(
            lines,
            [vec![Span::plain("a "), Span::new("bold", Style::BOLD)], vec![Span::new("words", Style::BOLD)]]
        );
    }
}
