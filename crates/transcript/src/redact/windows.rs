//! Windows over a long text: what the rules make of a text is several times its size, and of a window only several times the
//! window.
//!
//! Windows overlap, and each finding is taken from the window in which there is enough text around it.

use std::ops::Range;

/// Longer texts are searched in windows of about this many bytes.
const WINDOW_BYTES: usize = 4 * 1024 * 1024;

/// How much of a text is around a finding at least, on both sides: more than any rule looks at (a key of 32 KiB).
const MARGIN_BYTES: usize = 256 * 1024;

/// A longer line is cut between words.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// Its bytes.
    pub(super) range: Range<usize>,
    /// Where a finding must start that is taken from this window.
    pub(super) taken: Range<usize>,
}

/// Whether a text has several windows.
pub(super) fn is_long(text: &str) -> bool {
    text.len() > WINDOW_BYTES + MARGIN_BYTES
}

/// Returns the windows of a text, in order; each position is taken from exactly one of them.
pub(super) fn windows(text: &str) -> Vec<Window> {
    windows_of(text, WINDOW_BYTES, MARGIN_BYTES)
}

fn windows_of(text: &str, size: usize, margin: usize) -> Vec<Window> {
    let mut found = Vec::new();
    let (mut start, mut from) = (0, 0);
    loop {
        let end = cut(text, from + size + margin);
        if end == text.len() {
            found.push(Window { range: start..end, taken: from..end });
            return found;
        }
        let until = cut(text, end - margin).min(end);
        found.push(Window { range: start..end, taken: from..until });
        from = until;
        start = line_start(text, from.saturating_sub(margin));
    }
}

/// The first position from `at` on that is between two lines, or between two words of a long line: a token stays whole.
fn cut(text: &str, at: usize) -> usize {
    let Some(rest) = text.as_bytes().get(at..) else { return text.len() };
    let line = memchr::memchr(b'\n', &rest[..rest.len().min(MAX_LINE_BYTES)]);
    let word = || rest.iter().position(|byte| byte.is_ascii_whitespace());
    line.or_else(word).map_or(text.len(), |end| at + end + 1)
}

/// The last position up to `at` that is between two lines, or between two words.
fn line_start(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at];
    let line = memchr::memrchr(b'\n', &before[before.len().saturating_sub(MAX_LINE_BYTES)..])
        .map(|end| before.len().saturating_sub(MAX_LINE_BYTES) + end);
    let word = || before.iter().rposition(|byte| byte.is_ascii_whitespace());
    line.or_else(word).map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_position_is_taken_once_and_has_its_surroundings() {
        let lines = "a line of words\n".repeat(400);
        let long_line = "words without a break ".repeat(400);
        let token = "x".repeat(9_000);
        let among = format!("{lines}{token} {lines}");
        for text in [lines.as_str(), &long_line, &token, &among, "", "short"] {
            let windows = windows_of(text, 1_000, 100);
            let mut from = 0;
            for window in &windows {
                assert_eq!(window.taken.start, from);
                from = window.taken.end;
                assert!(window.range.start == 0 || window.range.start + 100 <= window.taken.start);
                assert!(window.range.end >= window.taken.end);
                assert!(text.is_char_boundary(window.range.start) && text.is_char_boundary(window.range.end));
            }
            assert_eq!(from, text.len());
            assert!(windows.len() <= text.len() / 1_000 + 1);
        }
        assert_eq!(windows_of(&lines, 1_000, 100).len(), 7);
        assert_eq!(windows_of(&token, 1_000, 100).len(), 1, "a token stays whole");
    }
}
