//! A text whose broken tokens are joined again: a terminal or a mail breaks a long token over lines, and the rules that need
//! its middle or its end see it whole here.

use std::ops::Range;

use super::haystack::Alphabet;
use super::wraps::starts_with_date_or_setting;

/// A line that ends with a token of at least this many characters may go on in the next line.
const MIN_TOKEN_BYTES: usize = 16;
/// Maximum bytes of indentation of the next line.
const MAX_INDENT_BYTES: usize = 32;

/// Maximum bytes of a line that has a sign of a diff before it.
const MAX_LINE_BYTES: usize = 160;

/// A text without the line breaks inside tokens.
#[derive(Debug)]
pub(super) struct JoinedText {
    pub(super) text: String,
    /// Where the pieces begin: in this text, and in the source.
    pieces: Vec<(usize, usize)>,
}

impl JoinedText {
    /// Joins the tokens of a text; `None` if none is broken.
    pub(super) fn of(source: &str) -> Option<Self> {
        let bytes = source.as_bytes();
        let (mut text, mut pieces, mut from) = (String::new(), vec![(0, 0)], 0);
        for at in memchr::memchr_iter(b'\n', bytes) {
            let Some(next) = goes_on(bytes, at).filter(|_| at >= from) else { continue };
            text.push_str(source[from..at].trim_end_matches('\r'));
            pieces.push((text.len(), next));
            from = next;
        }
        if pieces.len() == 1 {
            return None;
        }
        text.push_str(&source[from..]);
        Some(Self { text, pieces })
    }

    /// The bytes of the source that a range stands for, if it is one of a broken token.
    pub(super) fn source(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let piece = |at: usize| self.pieces.partition_point(|(start, _)| *start <= at) - 1;
        let (first, last) = (piece(span.start), piece(span.end.checked_sub(1)?));
        let offset = |piece: usize, at: usize| self.pieces[piece].1 + (at - self.pieces[piece].0);
        (first != last).then(|| offset(first, span.start)..offset(last, span.end - 1) + 1)
    }
}

/// Where the token at the end of a line goes on, if it may.
fn goes_on(bytes: &[u8], line_end: usize) -> Option<usize> {
    let in_token = |byte: u8| Alphabet::Header.has(byte);
    let line = bytes[..line_end].strip_suffix(b"\r").unwrap_or(&bytes[..line_end]);
    let token = line.iter().rev().take(MIN_TOKEN_BYTES).take_while(|&&byte| in_token(byte)).count();
    let next = &bytes[line_end + 1..];
    let indent =
        next.iter().take(MAX_INDENT_BYTES).take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    // A diff and a quoted mail put a sign before each line; base64 may begin with one of its own.
    let near = &line[line.len().saturating_sub(MAX_LINE_BYTES)..];
    let first = memchr::memrchr(b'\n', near).and_then(|at| near.get(at + 1));
    let is_marked = matches!(first, Some(b'+' | b'>')) && first == next.first();
    let indent = indent + usize::from(is_marked);
    let indent = indent + usize::from(next.get(indent) == Some(&b' '));
    let starts =
        next.get(indent).is_some_and(|&byte| in_token(byte)) && !starts_with_date_or_setting(&next[indent..]);
    // Padding ends base64.
    (token >= MIN_TOKEN_BYTES && starts && line.last() != Some(&b'=')).then_some(line_end + 1 + indent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_tokens_are_joined_and_ranges_lead_back() {
        let joined = JoinedText::of("short\nlines\n0123456789abcdef01\n  23456789 end\n").unwrap();
        assert_eq!(joined.text, "short\nlines\n0123456789abcdef0123456789 end\n");
        let at = joined.text.find("0123").unwrap();
        assert_eq!(joined.source(&(at..at + 26)), Some(12..41));
        assert_eq!(joined.source(&(0..5)), None);
        assert!(JoinedText::of("no\ntokens here\n").is_none());
    }
}
