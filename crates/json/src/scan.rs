//! The scanner: finds the end of a value and checks that it is JSON as `JSON.parse` accepts it.
//!
//! [`scan_value`] checks every byte and is used once a line. [`skip_value`] only finds the end of a value that was
//! checked before. Bytes from 0x80 up are accepted inside strings: JavaScript programs decode invalid UTF-8 to replacement
//! characters before they parse, so such a line is valid for them.

mod open;

pub use open::ValueScanner;

/// Down to this depth a value is scanned by recursion, which is faster; what is nested deeper, on a stack of its own.
const MAX_RECURSION: u32 = 64;

/// Strings up to this many bytes are scanned eight bytes at a time.
const SHORT_STRING: usize = 48;

/// Why bytes are not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The bytes end inside the value.
    Unfinished,
    /// A byte that is not allowed at its position.
    Unexpected,
}

/// Bytes that are not JSON, with the position of the first bad byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseError {
    /// The kind of error.
    pub kind: ParseErrorKind,
    /// The byte offset from the start of the scanned bytes.
    pub at: usize,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.kind {
            ParseErrorKind::Unfinished => "unexpected end of JSON",
            ParseErrorKind::Unexpected => "invalid JSON",
        };
        write!(formatter, "{what} at byte {}", self.at)
    }
}

impl std::error::Error for ParseError {}

type ScanResult = Result<usize, ParseError>;

fn error_at(bytes: &[u8], at: usize) -> ParseError {
    let kind = if at >= bytes.len() { ParseErrorKind::Unfinished } else { ParseErrorKind::Unexpected };
    ParseError { kind, at: at.min(bytes.len()) }
}

/// Returns the first position from `at` on that is not JSON white space.
pub fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// Checks the value that starts at `at` (white space before it is skipped) and returns the position after it.
pub fn scan_value(bytes: &[u8], at: usize) -> ScanResult {
    scan_nested(bytes, skip_space(bytes, at), 0)
}

fn scan_nested(bytes: &[u8], at: usize, depth: u32) -> ScanResult {
    match bytes.get(at) {
        Some(b'{' | b'[') if depth >= MAX_RECURSION => ValueScanner::new().scan(bytes, at),
        Some(b'{') => scan_object(bytes, at, depth, &mut |_: ByteRange, _: ByteRange| ()),
        Some(b'[') => scan_array(bytes, at, depth),
        _ => scan_scalar(bytes, at),
    }
}

fn scan_scalar(bytes: &[u8], at: usize) -> ScanResult {
    match bytes.get(at) {
        Some(b'"') => scan_string(bytes, at),
        Some(b't') => scan_literal(bytes, at, b"true"),
        Some(b'f') => scan_literal(bytes, at, b"false"),
        Some(b'n') => scan_literal(bytes, at, b"null"),
        Some(b'-' | b'0'..=b'9') => scan_number(bytes, at),
        _ => Err(error_at(bytes, at)),
    }
}

/// The span of a key, with its quotes, or of a value.
pub(super) type ByteRange = (usize, usize);

/// Receives the fields of an object while it is scanned.
pub(super) trait FieldSink {
    /// Called for each field once its value has been checked.
    fn field(&mut self, key: ByteRange, value: ByteRange);

    /// Whether the fields of the object under this key are wanted too; then they come first, up to [`leave`](Self::leave).
    fn enter(&mut self, _key: ByteRange) -> bool {
        false
    }

    /// Called at the end of an object that was entered.
    fn leave(&mut self) {}
}

impl<F: FnMut(ByteRange, ByteRange)> FieldSink for F {
    fn field(&mut self, key: ByteRange, value: ByteRange) {
        self(key, value);
    }
}

/// Checks the object at `at`.
pub(super) fn scan_object(bytes: &[u8], at: usize, depth: u32, sink: &mut impl FieldSink) -> ScanResult {
    let mut at = skip_space(bytes, at + 1);
    if bytes.get(at) == Some(&b'}') {
        return Ok(at + 1);
    }
    loop {
        if bytes.get(at) != Some(&b'"') {
            return Err(error_at(bytes, at));
        }
        let key_end = scan_string(bytes, at)?;
        let colon = skip_space(bytes, key_end);
        if bytes.get(colon) != Some(&b':') {
            return Err(error_at(bytes, colon));
        }
        let value = skip_space(bytes, colon + 1);
        let value_end = if bytes.get(value) == Some(&b'{') && sink.enter((at, key_end)) {
            let end = scan_object(bytes, value, depth + 1, sink)?;
            sink.leave();
            end
        } else {
            scan_nested(bytes, value, depth + 1)?
        };
        sink.field((at, key_end), (value, value_end));
        at = skip_space(bytes, value_end);
        match bytes.get(at) {
            Some(b',') => at = skip_space(bytes, at + 1),
            Some(b'}') => return Ok(at + 1),
            _ => return Err(error_at(bytes, at)),
        }
    }
}

fn scan_array(bytes: &[u8], at: usize, depth: u32) -> ScanResult {
    let mut at = skip_space(bytes, at + 1);
    if bytes.get(at) == Some(&b']') {
        return Ok(at + 1);
    }
    loop {
        at = skip_space(bytes, scan_nested(bytes, at, depth + 1)?);
        match bytes.get(at) {
            Some(b',') => at = skip_space(bytes, at + 1),
            Some(b']') => return Ok(at + 1),
            _ => return Err(error_at(bytes, at)),
        }
    }
}

fn scan_literal(bytes: &[u8], at: usize, word: &[u8]) -> ScanResult {
    for (n, expected) in word.iter().enumerate() {
        if bytes.get(at + n) != Some(expected) {
            return Err(error_at(bytes, at + n));
        }
    }
    Ok(at + word.len())
}

fn scan_number(bytes: &[u8], start: usize) -> ScanResult {
    let mut at = start;
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    match bytes.get(at) {
        Some(b'0') => at += 1,
        Some(b'1'..=b'9') => at = digits(bytes, at)?,
        _ => return Err(error_at(bytes, at)),
    }
    if bytes.get(at) == Some(&b'.') {
        at = digits(bytes, at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        at = digits(bytes, at)?;
    }
    Ok(at)
}

fn digits(bytes: &[u8], start: usize) -> ScanResult {
    let count = bytes[start.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 { Err(error_at(bytes, start)) } else { Ok(start + count) }
}

/// Checks the string whose opening quote is at `at`.
fn scan_string(bytes: &[u8], at: usize) -> ScanResult {
    let mut at = at + 1;
    loop {
        at = end_of_plain_run(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = scan_escape(bytes, at + 1)?,
            _ => return Err(error_at(bytes, at)),
        }
    }
}

fn scan_escape(bytes: &[u8], at: usize) -> ScanResult {
    match bytes.get(at) {
        Some(&byte) if IS_SHORT_ESCAPE[usize::from(byte)] => Ok(at + 1),
        Some(b'u') => {
            for n in 1..=4 {
                if !bytes.get(at + n).is_some_and(u8::is_ascii_hexdigit) {
                    return Err(error_at(bytes, at + n));
                }
            }
            Ok(at + 5)
        }
        _ => Err(error_at(bytes, at)),
    }
}

/// The letters of two-byte escapes. A table avoids a branch per letter, which processors mispredict.
const IS_SHORT_ESCAPE: [bool; 256] = {
    let mut table = [false; 256];
    let letters = b"\"\\/bfnrt";
    let mut at = 0;
    while at < letters.len() {
        table[letters[at] as usize] = true;
        at += 1;
    }
    table
};

/// The first position from `at` on that holds a quote, a backslash or a control character, else the end.
///
/// Works on eight bytes at a time, since strings are many and mostly short, and on more of a long run.
fn end_of_plain_run(bytes: &[u8], mut at: usize) -> usize {
    let mut words = 0;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let special = special_bytes(u64::from_le_bytes(*chunk));
        if special != 0 {
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
        words += 1;
        if words == 4 {
            at = skip_plain_blocks(bytes, at);
        }
    }
    let plain = |byte: &&u8| !matches!(**byte, b'"' | b'\\' | 0..0x20);
    at + bytes.get(at..).map_or(0, |rest| rest.iter().take_while(plain).count())
}

/// The position after the blocks from `at` on that have no quote, backslash or control character. Without a branch for each
/// byte, so that the compiler uses vectors.
fn skip_plain_blocks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<32>) {
        let is_special = |byte: &u8| (*byte == b'"') | (*byte == b'\\') | (*byte < 0x20);
        if block.iter().fold(false, |found, byte| found | is_special(byte)) {
            break;
        }
        at += 32;
    }
    at
}

/// Sets the high bit of each byte that is quote, backslash or control character. A borrow can set bits above a byte
/// that is one, never below: the lowest set bit is exact.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let is_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
    control | is_zero(word ^ (ONES * u64::from(b'"'))) | is_zero(word ^ (ONES * u64::from(b'\\')))
}

/// Returns the end of a value that [`scan_value`] has accepted before; for other bytes, some position inside `bytes`.
pub(super) fn skip_value(bytes: &[u8], start: usize) -> usize {
    match bytes.get(start) {
        Some(b'"') => skip_string(bytes, start),
        Some(b'{' | b'[') => {
            let (mut at, mut depth) = (start, 0_usize);
            while let Some(&byte) = bytes.get(at) {
                match byte {
                    b'"' => {
                        at = skip_string(bytes, at);
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth = depth.saturating_sub(1);
                        if depth == 0 {
                            return at + 1;
                        }
                    }
                    _ => {}
                }
                at += 1;
            }
            bytes.len()
        }
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
            bytes[start.min(bytes.len())..].iter().position(ends).map_or(bytes.len(), |n| start + n)
        }
    }
}

/// Returns the end of a checked key, and whether it has escapes.
pub(super) fn skip_key(bytes: &[u8], start: usize) -> (usize, bool) {
    let at = end_of_plain_run(bytes, start + 1);
    if bytes.get(at) == Some(&b'"') {
        return (at + 1, false);
    }
    let end = skip_string(bytes, start);
    (end, bytes[start..end].contains(&b'\\'))
}

/// Returns the end of a checked string. Short ones (keys, ids) end within the first words. In longer ones only quotes are
/// searched: text is full of escapes such as `\n`, and stopping at each costs more than counting backslashes before a quote.
pub(super) fn skip_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    at = end_of_plain_run(&bytes[..bytes.len().min(at + SHORT_STRING)], at);
    if bytes.get(at) == Some(&b'"') {
        return at + 1;
    }
    while let Some(sink) = bytes.get(at..).and_then(|rest| memchr::memchr(b'"', rest)) {
        let quote = at + sink;
        let backslashes = bytes[at..quote].iter().rev().take_while(|&&byte| byte == b'\\').count();
        at = quote + 1;
        if backslashes % 2 == 0 {
            return at;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests;
