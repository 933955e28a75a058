//! Checks a value piece by piece and without recursion: no depth overflows the stack, and the pieces need not be kept.

use super::{ParseError, ScanResult, error_at, scan_scalar, scan_string, skip_space};

/// An object or an array that is not closed.
#[derive(Clone, Copy, Debug)]
struct Opening {
    at: usize,
    closing: u8,
}

/// What may come next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    #[default]
    Value,
    /// Right after an opening bracket.
    ValueOrEnd,
    Key,
    /// Right after an opening brace.
    KeyOrEnd,
    Colon,
    /// After a value: a comma, or the end of what it is in.
    CommaOrEnd,
}

/// Scans one value. A piece may end between any two tokens, never inside one.
#[derive(Clone, Debug, Default)]
pub struct ValueScanner {
    open: Vec<Opening>,
    next: Next,
}

impl ValueScanner {
    /// Starts before a value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks the whole value that starts at `at` and returns the position after it; whatever was scanned before is forgotten.
    pub fn scan(&mut self, bytes: &[u8], at: usize) -> ScanResult {
        self.open.clear();
        self.next = Next::Value;
        self.feed(bytes, at, 0)?.ok_or_else(|| error_at(bytes, bytes.len()))
    }

    /// Checks on from `at`; returns the position after the value, or `None` if the bytes end first. `base` is what has to be
    /// added to a position to have the one that [`is_open_at`](Self::is_open_at) knows.
    pub fn feed(&mut self, bytes: &[u8], mut at: usize, base: usize) -> Result<Option<usize>, ParseError> {
        loop {
            at = skip_space(bytes, at);
            let Some(&byte) = bytes.get(at) else { return Ok(None) };
            match (self.next, byte) {
                (Next::KeyOrEnd | Next::ValueOrEnd | Next::CommaOrEnd, _) if self.is_end(byte) => {
                    self.open.pop();
                    self.next = Next::CommaOrEnd;
                    at += 1;
                }
                (Next::Value | Next::ValueOrEnd, b'{') => {
                    self.open.push(Opening { at: base + at, closing: b'}' });
                    self.next = Next::KeyOrEnd;
                    at += 1;
                }
                (Next::Value | Next::ValueOrEnd, b'[') => {
                    self.open.push(Opening { at: base + at, closing: b']' });
                    self.next = Next::ValueOrEnd;
                    at += 1;
                }
                (Next::Value | Next::ValueOrEnd, _) => {
                    at = scan_scalar(bytes, at)?;
                    self.next = Next::CommaOrEnd;
                }
                (Next::Key | Next::KeyOrEnd, b'"') => {
                    at = scan_string(bytes, at)?;
                    self.next = Next::Colon;
                }
                (Next::Colon, b':') => {
                    self.next = Next::Value;
                    at += 1;
                }
                (Next::CommaOrEnd, b',') => {
                    self.next = if self.is_end(b'}') { Next::Key } else { Next::Value };
                    at += 1;
                }
                _ => return Err(error_at(bytes, at)),
            }
            if self.open.is_empty() {
                return Ok(Some(at));
            }
        }
    }

    /// Whether the object or array that began at this position is not closed; after an error: is cut off by it.
    pub fn is_open_at(&self, at: usize) -> bool {
        self.open.binary_search_by_key(&at, |opening| opening.at).is_ok()
    }

    fn is_end(&self, byte: u8) -> bool {
        self.open.last().is_some_and(|opening| opening.closing == byte)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ParseErrorKind, scan_value};
    use super::*;

    #[test]
    fn pieces_are_scanned_as_the_whole() {
        let texts = [
            "{\n \"a\": [1, {\"b\": null},\n [] ], \"c\"\n:\n{}\n} tail",
            "[\n]",
            "[\n1,\n]",
            "{\n,}",
            "{\"a\":1,\n}",
            "{\"a\"\n1}",
            "[1\n2]",
            "[}\n",
            "{\"a\":\"torn\n\"}",
            "[tru\ne]",
            "\"plain\"\n",
            "[\n[\n{\"a\":\n",
        ];
        for text in texts {
            let whole = scan_value(text.as_bytes(), 0).map_err(|error| error.kind);
            let mut scanner = ValueScanner::new();
            let mut base = 0;
            let mut found = Err(ParseErrorKind::Unfinished);
            for line in text.split_inclusive('\n') {
                match scanner.feed(line.as_bytes(), 0, base) {
                    Ok(None) => base += line.len(),
                    Ok(Some(end)) => found = Ok(base + end),
                    Err(error) => found = Err(error.kind),
                }
                if found != Err(ParseErrorKind::Unfinished) {
                    break;
                }
            }
            assert_eq!(found, whole, "{text}");
            assert_eq!(
                ValueScanner::new().scan(text.as_bytes(), 0).map_err(|error| error.kind),
                whole,
                "{text}"
            );
        }
    }

    #[test]
    fn after_an_error_the_open_ones_are_known() {
        let mut scanner = ValueScanner::new();
        assert!(scanner.scan(b"[\n[\n{\"a\":\n[1]\n!\n", 0).is_err());
        assert_eq!([0, 2, 4, 10].map(|at| scanner.is_open_at(at)), [true, true, true, false]);
    }
}
