//! The scanner of languages that are made of words, strings and comments.

use super::words::WordTable;
use super::{Delimiters, Language, Syntax, TokenKind, Tokens};

/// Reads code from front to back.
pub(super) struct Scanner<'t> {
    code: &'t str,
    bytes: &'t [u8],
    at: usize,
    language: &'t Language,
    words: &'static WordTable,
    /// Bytes that can begin a string or a comment.
    begins: [bool; 256],
}

impl<'t> Scanner<'t> {
    pub(super) fn new(code: &'t str, language: &'t Language) -> Self {
        let mut begins = [false; 256];
        let comments = language.block_comments.iter().map(|(begin, _)| *begin);
        let all = comments.chain(language.line_comments.iter().copied());
        for begin in all.chain(language.strings.iter().map(|string| string.begin)) {
            begins[usize::from(begin.as_bytes()[0])] = true;
        }
        Self { code, bytes: code.as_bytes(), at: 0, language, words: WordTable::of(language), begins }
    }

    pub(super) fn scan(mut self, tokens: &mut Tokens<'t>) {
        while let Some(&byte) = self.bytes.get(self.at) {
            let start = self.at;
            let kind = match byte {
                _ if self.begins[usize::from(byte)]
                    && let Some(kind) = self.delimited() =>
                {
                    kind
                }
                b'0'..=b'9' => self.number(),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'@' | b'#' => self.word(),
                _ => {
                    self.at += 1;
                    TokenKind::Plain
                }
            };
            if kind != TokenKind::Plain {
                tokens.push(kind, start, self.at);
            }
        }
    }

    /// Reads a comment or a string, if one begins here.
    fn delimited(&mut self) -> Option<TokenKind> {
        let rest = &self.code.as_bytes()[self.at..];
        for &(begin, end) in self.language.block_comments {
            if rest.starts_with(begin.as_bytes()) {
                let long = Delimiters { begin, end, has_escapes: false, is_long: true };
                self.skip_to_end(&long);
                return Some(TokenKind::Comment);
            }
        }
        let is_comment = |mark: &&str| rest.starts_with(mark.as_bytes()) && self.may_comment(mark);
        if self.language.line_comments.iter().any(is_comment) {
            self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            return Some(TokenKind::Comment);
        }
        let string = self.language.strings.iter().find(|string| rest.starts_with(string.begin.as_bytes()))?;
        if string.begin == "'" && self.language.name() == "rust" && !is_character(rest) {
            // A lifetime.
            let length = rest[1..].iter().take_while(|byte| is_word(**byte)).count();
            self.at += 1 + length;
            return Some(TokenKind::Type);
        }
        // A prefix such as `r` begins a string only where a word could begin.
        if string.begin.as_bytes()[0].is_ascii_alphabetic() && self.at > 0 && is_word(self.bytes[self.at - 1])
        {
            return None;
        }
        self.skip_to_end(string);
        let is_key = self.language.syntax == Syntax::Keys && self.is_key();
        Some(if is_key { TokenKind::Name } else { TokenKind::String })
    }

    /// In a shell or a configuration, `#` inside of a word is no comment.
    fn may_comment(&self, mark: &str) -> bool {
        mark != "#"
            || self.at == 0
            || !matches!(self.bytes[self.at - 1], b'$' | b'{' | b'&' | b'\\' | b'a'..=b'z' | b'0'..=b'9')
    }

    /// Goes to the end of a string or comment, or of its line, or of the code.
    fn skip_to_end(&mut self, delimiters: &Delimiters) {
        self.at += delimiters.begin.len();
        let end = delimiters.end.as_bytes();
        if delimiters.is_long && !delimiters.has_escapes {
            // What has no end goes to the end of the code, so nothing is searched twice.
            let found = self.code[self.at..].find(delimiters.end).map(|length| self.at + length + end.len());
            self.at = found.unwrap_or(self.bytes.len());
            return;
        }
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' if delimiters.has_escapes => self.at = self.after_character(self.at + 1),
                b'\n' if !delimiters.is_long => return,
                _ if self.bytes[self.at..].starts_with(end) => {
                    self.at += end.len();
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    /// The place after the character at a place.
    fn after_character(&self, at: usize) -> usize {
        let length = self.code.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        (at + length).min(self.bytes.len())
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            let is_fraction = byte == b'.' && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit);
            if !is_word(byte) && !is_fraction {
                break;
            }
            self.at += 1;
        }
        if self.at == start { TokenKind::Plain } else { TokenKind::Number }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        let has_keys = self.language.syntax == Syntax::Keys;
        let is_within = |byte: u8| is_word(byte) || (has_keys && matches!(byte, b'-' | b'.'));
        while self.bytes.get(self.at).is_some_and(|&byte| is_within(byte)) {
            self.at += 1;
        }
        let word = &self.code[start..self.at];
        let lower;
        let known = if self.language.has_case {
            word
        } else {
            lower = word.to_ascii_lowercase();
            lower.as_str()
        };
        if has_keys && self.is_key() {
            return TokenKind::Name;
        }
        if let Some(kind) = self.words.kind(known) {
            return kind;
        }
        let is_capital = self.language.has_capital_types
            && word.starts_with(|first: char| first.is_ascii_uppercase())
            && word.bytes().any(|byte| byte.is_ascii_lowercase());
        if is_capital { TokenKind::Type } else { TokenKind::Plain }
    }

    /// Whether the word that ends here is a key.
    fn is_key(&self) -> bool {
        let rest = self.bytes[self.at..].iter().find(|byte| **byte != b' ');
        matches!(rest, Some(b':' | b'='))
    }
}

/// Whether a quote of Rust begins a character: `'a'` or `'\n'`.
fn is_character(rest: &[u8]) -> bool {
    match rest {
        [b'\'', b'\\', ..] => true,
        [b'\'', _, b'\'', ..] => true,
        // A character of several bytes.
        [b'\'', first, after @ ..] if *first >= 0x80 => after.iter().take(4).any(|&byte| byte == b'\''),
        _ => false,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
