//! Parses PDF values. Nesting and size have limits.

use super::object::{Dict, Object};

/// The deepest nesting of values.
const MAX_DEPTH: usize = 60;
/// The most values in one object.
const MAX_VALUES: usize = 1_000_000;

/// A cursor over bytes.
pub(super) struct Parser<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
    /// The furthest position before it went back.
    reach: usize,
    values: usize,
}

#[derive(Debug, PartialEq)]
pub(super) enum Token<'a> {
    Value(Object),
    /// A keyword: `obj`, `stream`, `R`, an operator.
    Word(&'a [u8]),
    ArrayEnd,
    DictEnd,
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    b"()<>[]{}/%".contains(&byte)
}

impl<'a> Parser<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        let at = at.min(bytes.len());
        Self { bytes, at, reach: at, values: 0 }
    }

    /// The number of values read.
    pub(super) fn values(&self) -> usize {
        self.values
    }

    /// The number of bytes read since `from`, used or not: this is the cost.
    pub(super) fn looked_at(&self, from: usize) -> usize {
        self.at.max(self.reach).saturating_sub(from)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Skips spaces and comments.
    pub(super) fn skip_spaces(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                let end = memchr::memchr2(b'\n', b'\r', self.rest());
                self.at = end.map_or(self.bytes.len(), |end| self.at + end);
            } else if is_space(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// Skips a word if it is next.
    pub(super) fn takes(&mut self, word: &[u8]) -> bool {
        let is_there = self.rest().starts_with(word);
        self.at += if is_there { word.len() } else { 0 };
        is_there
    }

    /// Parses a value or a reference.
    pub(super) fn object(&mut self) -> Option<Object> {
        match self.token(0)? {
            Token::Value(value) => Some(self.or_reference(value)),
            _ => None,
        }
    }

    /// A whole number.
    pub(super) fn number(&mut self) -> Option<usize> {
        self.skip_spaces();
        let end = self.rest().iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.rest().len());
        let digits = &self.rest()[..end];
        self.at += end;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    /// Parses `N G obj` and returns the number.
    pub(super) fn head(&mut self) -> Option<u32> {
        let number = u32::try_from(self.number()?).ok()?;
        self.number()?;
        self.skip_spaces();
        self.takes(b"obj").then_some(number)
    }

    /// The next token; `None` at the end or if it is invalid.
    pub(super) fn token(&mut self, depth: usize) -> Option<Token<'a>> {
        self.values += 1;
        if depth > MAX_DEPTH || self.values > MAX_VALUES {
            return None;
        }
        self.skip_spaces();
        let start = self.at;
        match self.peek()? {
            b'/' => {
                self.at += 1;
                Some(Token::Value(Object::Name(self.name())))
            }
            b'(' => self.literal().map(|()| self.plain(start)),
            b'[' => {
                self.at += 1;
                self.array(depth).map(Token::Value)
            }
            b']' => {
                self.at += 1;
                Some(Token::ArrayEnd)
            }
            b'<' if self.takes(b"<<") => self.dict(depth).map(Token::Value),
            b'<' => {
                let end = memchr::memchr(b'>', self.rest());
                self.at = end.map_or(self.bytes.len(), |end| self.at + end + 1);
                end.map(|_| self.plain(start))
            }
            b'>' => self.takes(b">>").then_some(Token::DictEnd),
            b'{' | b'}' | b')' => {
                self.at += 1;
                Some(Token::Word(&self.bytes[start..self.at]))
            }
            _ => {
                self.regular();
                let word = &self.bytes[start..self.at];
                Some(match word {
                    b"null" => Token::Value(Object::Null),
                    b"true" | b"false" => self.plain(start),
                    [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => self.plain(start),
                    _ => Token::Word(word),
                })
            }
        }
    }

    fn plain(&self, start: usize) -> Token<'a> {
        Token::Value(Object::Plain(self.bytes[start..self.at].to_vec()))
    }

    fn regular(&mut self) {
        let ends = |byte: &u8| is_space(*byte) || is_delimiter(*byte);
        self.at += self.rest().iter().position(ends).unwrap_or(self.rest().len());
    }

    fn name(&mut self) -> Vec<u8> {
        let start = self.at;
        self.regular();
        let written = &self.bytes[start..self.at];
        let mut out = Vec::with_capacity(written.len());
        let mut rest = written;
        while let [first, after @ ..] = rest {
            let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
            match (first, digit(0), digit(1)) {
                (b'#', Some(high), Some(low)) => {
                    out.push((high << 4 | low) as u8);
                    rest = &after[2..];
                }
                _ => {
                    out.push(*first);
                    rest = after;
                }
            }
        }
        out
    }

    /// Skips a string in brackets, which may hold brackets.
    fn literal(&mut self) -> Option<()> {
        let mut open = 0_usize;
        loop {
            match self.peek()? {
                b'(' => open += 1,
                b')' => open -= 1,
                b'\\' => self.at += 1,
                _ => {}
            }
            self.at = (self.at + 1).min(self.bytes.len());
            if open == 0 {
                return Some(());
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Object> {
        let mut items = Vec::new();
        loop {
            match self.token(depth + 1)? {
                Token::Value(value) => items.push(value),
                Token::ArrayEnd => return Some(Object::Array(items)),
                Token::Word(b"R") => refer(&mut items)?,
                _ => return None,
            }
        }
    }

    fn dict(&mut self, depth: usize) -> Option<Object> {
        let mut items: Vec<Object> = Vec::new();
        loop {
            match self.token(depth + 1)? {
                Token::Value(value) => items.push(value),
                Token::DictEnd => break,
                Token::Word(b"R") => refer(&mut items)?,
                _ => return None,
            }
        }
        let mut pairs = Vec::new();
        let mut items = items.into_iter();
        while let (Some(Object::Name(key)), Some(value)) = (items.next(), items.next()) {
            pairs.push((key, value));
        }
        Some(Object::Dict(Dict(pairs)))
    }

    /// `12 0 R` begins like a number.
    fn or_reference(&mut self, first: Object) -> Object {
        let Some(number) = first.number().and_then(|number| u32::try_from(number).ok()) else { return first };
        let back = self.at;
        if self.number().is_some() {
            self.skip_spaces();
            if self.takes(b"R") {
                return Object::Reference(number);
            }
        }
        self.reach = self.reach.max(self.at);
        self.at = back;
        first
    }
}

/// The last two numbers are a reference.
fn refer(items: &mut Vec<Object>) -> Option<()> {
    items.pop()?.number()?;
    let number = u32::try_from(items.pop()?.number()?).ok()?;
    items.push(Object::Reference(number));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let object = Parser::new(text.as_bytes(), 0).object()?;
        let mut out = Vec::new();
        super::super::object::write(&mut out, &object, &mut Some, &|_| &[]);
        Some(String::from_utf8(out).unwrap())
    }

    #[test]
    fn values_are_read_and_written() {
        let text = "<< /A [1 -2.5 12 0 R (a\\)(b)) <4 8>]/B#42 <</C null>>%x\n/D true >>";
        assert_eq!(read(text).unwrap(), "<</A [1 -2.5 12 0 R (a\\)(b)) <4 8> ]/BB <</C null>>/D true>>");
        assert_eq!(read("3 0 R").unwrap(), "3 0 R");
        assert_eq!(read("3 0 obj").unwrap(), "3");
    }

    #[test]
    fn all_that_is_looked_at_is_counted() {
        let far = 1000;
        for (begin, more) in [("<", "4"), ("(", "4"), ("", "4"), ("5", " "), ("5 ", "4"), ("5%", "4")] {
            let text = format!("{begin}{}", more.repeat(far));
            let mut parser = Parser::new(text.as_bytes(), 0);
            let _ = parser.object();
            assert!(parser.looked_at(0) >= far, "{begin}: {}", parser.looked_at(0));
        }
        let digits = "4".repeat(far);
        let mut parser = Parser::new(digits.as_bytes(), 0);
        assert_eq!((parser.head(), parser.looked_at(0)), (None, far));
    }

    #[test]
    fn what_is_no_value_is_none() {
        for text in ["", "<<", "(", "[1", "]", "endobj", "<< /A ]", "(\\", "<41", &"[".repeat(100_000)] {
            assert_eq!(read(text), None, "{}", &text[..text.len().min(20)]);
        }
    }
}
