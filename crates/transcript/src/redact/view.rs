//! A text as its reader sees it: without escapes of JSON, URLs, HTML and terminals, without the numbers of a listing, and
//! without characters that show nothing. A token that is split by them is one token here.

use std::borrow::Cow;
use std::ops::Range;

/// The longest entity of HTML that is read.
const MAX_ENTITY_BYTES: usize = 10;

/// How many bytes of a view are between two known positions: one for each byte would be eight times the text.
const KNOWN_EVERY: usize = 256;

/// A text without escapes, and where it comes from.
#[derive(Clone, Debug)]
pub(super) struct View<'t> {
    pub(super) text: Cow<'t, str>,
    source: &'t str,
    /// Positions in the view and in the source at which a piece starts, in order; empty if nothing was changed.
    known: Vec<(usize, usize)>,
}

impl<'t> View<'t> {
    /// Unescapes a text.
    pub(super) fn of(source: &'t str) -> Self {
        let escapes = |byte: &u8| matches!(byte, b'\\' | b'%' | b'&' | 0x1b | 0 | 0xc2 | 0xe2 | 0xef);
        let is_listing = number_length(source.as_bytes()) > 0;
        if !is_listing && !source.as_bytes().iter().any(escapes) {
            return Self { text: Cow::Borrowed(source), source, known: Vec::new() };
        }
        let mut text = String::with_capacity(source.len());
        let mut known: Vec<(usize, usize)> = Vec::new();
        let mut pieces = Pieces { source, at: 0, is_line_start: true };
        loop {
            let plain = pieces.next_plain();
            if plain.is_empty() {
                let Some((start, shown)) = pieces.next() else { break };
                note(&mut known, text.len(), start);
                text.push(shown);
            } else {
                note(&mut known, text.len(), plain.start);
                text.push_str(&source[plain]);
            }
        }
        Self { text: Cow::Owned(text), source, known }
    }

    /// Whether it differs from its source.
    pub(super) fn is_changed(&self) -> bool {
        matches!(self.text, Cow::Owned(_))
    }

    /// The bytes of the source that a range of the view stands for.
    pub(super) fn source(&self, span: &Range<usize>) -> Range<usize> {
        let last = span.end.checked_sub(1).filter(|_| !span.is_empty());
        match (self.piece_start(span.start), last.and_then(|last| self.piece_start(last))) {
            (Some(start), Some(last)) => start..last + piece(self.source, last).0,
            _ => span.clone(),
        }
    }

    /// Where the piece starts that shows the byte at a position of the view.
    fn piece_start(&self, at: usize) -> Option<usize> {
        let next = self.known.partition_point(|(shown, _)| *shown <= at);
        let (mut shown_end, start) = *self.known.get(next.checked_sub(1)?)?;
        let pieces = Pieces { source: self.source, at: start, is_line_start: false };
        for (start, shown) in pieces {
            shown_end += shown.len_utf8();
            if shown_end > at {
                return Some(start);
            }
        }
        None
    }
}

/// The pieces that show something: where each starts, and its character.
struct Pieces<'t> {
    source: &'t str,
    at: usize,
    is_line_start: bool,
}

/// Remembers a position, if the last one is far away.
fn note(known: &mut Vec<(usize, usize)>, shown: usize, start: usize) {
    if known.last().is_none_or(|(last, _)| shown >= last + KNOWN_EVERY) {
        known.push((shown, start));
    }
}

impl Pieces<'_> {
    /// The next bytes that show themselves, at most as many as are between two known positions; none at the start of a line.
    fn next_plain(&mut self) -> Range<usize> {
        let start = self.at;
        if self.is_line_start {
            return start..start;
        }
        let rest = self.source.as_bytes()[start..].iter().take(KNOWN_EVERY);
        let is_plain =
            |byte: &&u8| byte.is_ascii() && !matches!(**byte, b'\\' | b'%' | b'&' | 0x1b | 0 | b'\n');
        self.at += rest.take_while(is_plain).count();
        start..self.at
    }
}

impl Iterator for Pieces<'_> {
    type Item = (usize, char);

    fn next(&mut self) -> Option<(usize, char)> {
        loop {
            if self.is_line_start {
                self.at += number_length(&self.source.as_bytes()[self.at..]);
            }
            if self.at >= self.source.len() {
                return None;
            }
            let start = self.at;
            let (length, shown) = piece(self.source, start);
            self.is_line_start = shown == Some('\n');
            self.at += length;
            if let Some(shown) = shown {
                return Some((start, shown));
            }
        }
    }
}

/// The length of the piece at a position, and the character that it shows.
fn piece(source: &str, at: usize) -> (usize, Option<char>) {
    let rest = &source.as_bytes()[at..];
    match rest[0] {
        b'\\' => backslash(rest),
        b'%' => match hex(rest.get(1..3)) {
            Some(code @ 0x20..=0x7e) => (3, char::from_u32(code)),
            _ => (1, Some('%')),
        },
        b'&' => entity(rest).map_or((1, Some('&')), |(length, shown)| (length, Some(shown))),
        0x1b => (terminal(rest), None),
        0 => (1, None),
        byte if byte.is_ascii() => (1, Some(char::from(byte))),
        _ => {
            let shown = source[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
            (shown.len_utf8(), Some(shown).filter(|shown| !is_hidden(*shown)))
        }
    }
}

/// The length of the number that a listing puts before a line: `     7→`, `     7⇥`.
fn number_length(line: &[u8]) -> usize {
    let spaces = line.iter().take(6).take_while(|&&byte| byte == b' ').count();
    let digits = line[spaces..].iter().take(7).take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &line[spaces + digits..];
    let mark = match rest {
        [b'\t', ..] if spaces > 0 => 1,
        _ if rest.starts_with("→".as_bytes()) => "→".len(),
        _ => return 0,
    };
    if digits == 0 { 0 } else { spaces + digits + mark }
}

/// An entity of HTML or XML that stands for a printable character of ASCII.
fn entity(rest: &[u8]) -> Option<(usize, char)> {
    let end = rest.iter().take(MAX_ENTITY_BYTES).position(|&byte| byte == b';')?;
    let name = std::str::from_utf8(&rest[1..end]).ok()?;
    let code = match name {
        "amp" => 0x26,
        "lt" => 0x3c,
        "gt" => 0x3e,
        "quot" => 0x22,
        "apos" => 0x27,
        _ => match name.strip_prefix("#x").or_else(|| name.strip_prefix("#X")) {
            Some(digits) => hex(Some(digits.as_bytes()))?,
            None => name.strip_prefix('#')?.parse().ok()?,
        },
    };
    char::from_u32(code).filter(|_| (0x20..0x7f).contains(&code)).map(|shown| (end + 1, shown))
}

/// Characters without width, which a copy of a page or a hostile text may have between any two letters.
fn is_hidden(shown: char) -> bool {
    matches!(shown, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// An escape of JSON or of a programming language; backslashes are doubled each time that a string is put into another.
fn backslash(rest: &[u8]) -> (usize, Option<char>) {
    let slashes = rest.iter().take(16).take_while(|&&byte| byte == b'\\').count();
    let code = |digits: usize| {
        hex(rest.get(slashes + 1..slashes + 1 + digits)).filter(|code| (0x20..0x7f).contains(code))
    };
    match rest.get(slashes) {
        Some(b'n' | b'r') => (slashes + 1, Some('\n')),
        Some(b't') => (slashes + 1, Some('\t')),
        Some(&sign @ (b'"' | b'\'' | b'/')) => (slashes + 1, Some(char::from(sign))),
        Some(b'u') if rest.get(slashes + 1) == Some(&b'{') => braced(rest, slashes),
        Some(b'0'..=b'1') if octal(&rest[slashes..]).is_some() => (slashes + 3, octal(&rest[slashes..])),
        Some(b'u') => match (code(4), hex(rest.get(slashes + 1..slashes + 5))) {
            (Some(code), _) => (slashes + 5, char::from_u32(code)),
            (None, Some(code)) if char::from_u32(code).is_some_and(is_hidden) => (slashes + 5, None),
            (None, Some(0x1b)) => (slashes + 4 + terminal(&rest[slashes + 4..]), None),
            _ => (slashes, Some('\\')),
        },
        Some(b'x') if code(2).is_some() => (slashes + 3, code(2).and_then(char::from_u32)),
        Some(b'x') if hex(rest.get(slashes + 1..slashes + 3)) == Some(0x1b) => {
            (slashes + 2 + terminal(&rest[slashes + 2..]), None)
        }
        Some(b'e' | b'0') if rest[slashes..].starts_with(b"e[") || rest[slashes..].starts_with(b"033[") => {
            let letter = if rest[slashes] == b'e' { slashes } else { slashes + 2 };
            (letter + terminal(&rest[letter..]), None)
        }
        _ => (slashes, Some('\\')),
    }
}

/// `\u{73}`, as Rust and JavaScript write it.
fn braced(rest: &[u8], slashes: usize) -> (usize, Option<char>) {
    let digits = &rest[slashes + 2..rest.len().min(slashes + 9)];
    let end = digits.iter().position(|&byte| byte == b'}');
    let code = end.and_then(|end| hex(digits.get(..end))).filter(|code| (0x20..0x7f).contains(code));
    match (end, code) {
        (Some(end), Some(code)) => (slashes + 3 + end, char::from_u32(code)),
        _ => (slashes, Some('\\')),
    }
}

/// `163` after a backslash, as a shell writes it.
fn octal(rest: &[u8]) -> Option<char> {
    let digits = std::str::from_utf8(rest.get(..3)?).ok()?;
    let code = u32::from_str_radix(digits, 8).ok().filter(|code| (0x20..0x7f).contains(code))?;
    char::from_u32(code)
}

/// The length of a control sequence, whose first byte is ESC or what stands for it.
fn terminal(rest: &[u8]) -> usize {
    let ends = |byte: &u8| (0x40..=0x7e).contains(byte);
    match rest.get(1) {
        Some(b'[') => 2 + rest[2..].iter().take(32).position(ends).map_or(0, |at| at + 1),
        Some(b']') => {
            2 + rest[2..].iter().take(256).position(|&byte| byte == 7 || byte == 0x1b).map_or(0, |at| at + 1)
        }
        Some(b'(' | b')') => rest.len().min(3),
        Some(byte) if byte.is_ascii() => 2,
        _ => 1,
    }
}

fn hex(digits: Option<&[u8]>) -> Option<u32> {
    let digits = std::str::from_utf8(digits?).ok()?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_and_ranges_lead_back() {
        for (source, shown) in [
            ("plain", "plain"),
            (r"a\u005fb", "a_b"),
            (r"a\\u005fb\/c\n", "a_b/c\n"),
            ("a%5Fb%zz%", "a_b%zz%"),
            ("a\x1b[31mb\x1b[0m", "ab"),
            ("a\x1b]8;;http://x\x07b", "ab"),
            (r"a\u001b[1mb\x1b[0mc\033[0md", "abcd"),
            ("a\u{200b}b\u{ad}c\0d é", "abcd é"),
            (r"C:\dir", r"C:\dir"),
            ("a&#x5f;b&#95;c&amp;d&quot;&nbsp;&;&x", "a_b_c&d\"&nbsp;&;&x"),
            (r"a\u{5f}b\137c\u{1f600}", r"a_b_c\u{1f600}"),
            ("     1→a\n     2→b\n", "a\nb\n"),
            ("     9\ta\n    10\tb\n", "a\nb\n"),
            ("1 a\n2→ b→c", "1 a\n b→c"),
        ] {
            let view = View::of(source);
            assert_eq!(view.text, shown, "{source:?}");
        }
        let view = View::of("x ab\u{200b}cd y");
        let at = view.text.find("abcd").unwrap();
        assert_eq!(view.source(&(at..at + 4)), 2..9);
        let view = View::of("\x1b[1mab\x1b[0m");
        assert_eq!(view.source(&(0..2)), 4..6);
    }

    #[test]
    fn ranges_lead_back_from_anywhere_in_a_long_text() {
        let unit = "     7→a\u{200b}b\\u005fé%41\x1b[1m&amp;\\n";
        let source = unit.repeat(200) + "Z";
        let view = View::of(&source);
        // Each position, found from its neighbour: the slow way.
        let mut starts = Vec::new();
        for (start, shown) in (Pieces { source: &source, at: 0, is_line_start: true }) {
            starts.extend(std::iter::repeat_n(start, shown.len_utf8()));
        }
        assert_eq!(starts.len(), view.text.len());
        assert!(view.known.len() <= view.text.len() / KNOWN_EVERY + 1, "{}", view.known.len());
        for (at, start) in starts.iter().enumerate() {
            assert_eq!(view.piece_start(at), Some(*start), "{at}");
        }
        assert_eq!(view.source(&(view.text.len() - 1..view.text.len())), source.len() - 1..source.len());
        assert_eq!(view.piece_start(view.text.len()), None);
    }
}
