//! A JSON value as a slice of checked bytes. Accessors return `None` for a value of another kind.

use super::fields::{DEFAULT_INNER_COUNT, Fields};
use super::known::{KnownSpans, KnownValues};
use super::scan::{self, ParseError};
use super::text::Text;

/// A JSON value as it is written: a slice of checked bytes, cheap to copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'a>(&'a [u8]);

/// The six kinds of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number, in any spelling.
    Number,
    /// Text in double quotes, possibly with escapes.
    String,
    /// Values in square brackets.
    Array,
    /// Keys and values in braces.
    Object,
}

impl<'a> Value<'a> {
    /// Checks that `bytes` is exactly one JSON value, with optional white space around it.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let start = scan::skip_space(bytes, 0);
        let end = scan::scan_value(bytes, start)?;
        let rest = scan::skip_space(bytes, end);
        if rest < bytes.len() {
            return Err(ParseError { kind: scan::ParseErrorKind::Unexpected, at: rest });
        }
        Ok(Self(&bytes[start..end]))
    }

    /// Wraps bytes that [`parse`](Self::parse) or a scan has accepted before.
    pub fn from_checked(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The bytes of the value, as written.
    pub fn raw(self) -> &'a [u8] {
        self.0
    }

    /// Returns the kind of the value.
    pub fn kind(self) -> ValueKind {
        match self.0.first() {
            Some(b'{') => ValueKind::Object,
            Some(b'[') => ValueKind::Array,
            Some(b'"') => ValueKind::String,
            Some(b't' | b'f') => ValueKind::Boolean,
            Some(b'-' | b'0'..=b'9') => ValueKind::Number,
            _ => ValueKind::Null,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == ValueKind::Null
    }

    /// The string, if it is one.
    pub fn text(self) -> Option<Text<'a>> {
        let inside = self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        Some(Text::from_raw(inside))
    }

    /// The boolean, if it is one.
    pub fn boolean(self) -> Option<bool> {
        match self.0 {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// The number, if it is whole and not negative (`3.0` and `3e0` are whole too).
    pub fn count(self) -> Option<u64> {
        if self.kind() != ValueKind::Number {
            return None;
        }
        let text = std::str::from_utf8(self.0).ok()?;
        text.parse().ok().or_else(|| {
            let number: f64 = text.parse().ok()?;
            (number >= 0.0 && number.fract() == 0.0 && number <= u64::MAX as f64).then_some(number as u64)
        })
    }

    /// The number, if it is one.
    pub fn number(self) -> Option<f64> {
        if self.kind() != ValueKind::Number {
            return None;
        }
        std::str::from_utf8(self.0).ok()?.parse().ok()
    }

    /// The object's fields, if it is an object.
    pub fn fields(self) -> Option<Fields<'a>> {
        (self.kind() == ValueKind::Object).then(|| Fields::from_checked(self.0))
    }

    /// Iterates over the items of an array; empty for other kinds.
    pub fn items(self) -> Items<'a> {
        let at = if self.kind() == ValueKind::Array { 1 } else { self.0.len() };
        Items { raw: self.0, at, known: KnownValues::default() }
    }

    /// Returns one field of an object. To read several, call [`fields`](Self::fields) once.
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.fields()?.get(key)
    }
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&String::from_utf8_lossy(self.0))
    }
}

/// The items of an array, in order.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    raw: &'a [u8],
    at: usize,
    known: KnownValues<'a>,
}

impl<'a> Items<'a> {
    pub(super) fn with_known(self, known: KnownValues<'a>) -> Self {
        Self { known, ..self }
    }

    /// Does not look for the ends of values that are known; `object` is what they are noted of.
    pub fn knowing(self, object: &'a [u8], spans: KnownSpans) -> Self {
        self.with_known(KnownValues { object, spans })
    }

    /// Returns the next item, as fields if it is an object: one pass instead of the two of [`Iterator::next`] and
    /// [`Value::fields`].
    pub fn next_fields(&mut self) -> Option<Result<Fields<'a>, Value<'a>>> {
        let start = scan::skip_space(self.raw, self.at);
        if self.raw.get(start) != Some(&b'{') {
            return self.next().map(Err);
        }
        let (fields, length) =
            Fields::from_checked_prefix(&self.raw[start..], DEFAULT_INNER_COUNT, self.known);
        self.advance_past(start + length);
        Some(Ok(fields))
    }

    fn advance_past(&mut self, end: usize) {
        let next = scan::skip_space(self.raw, end);
        self.at = if self.raw.get(next) == Some(&b',') { next + 1 } else { self.raw.len() };
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let start = scan::skip_space(self.raw, self.at);
        if matches!(self.raw.get(start), None | Some(b']')) {
            self.at = self.raw.len();
            return None;
        }
        let end = self.known.end(self.raw, start).unwrap_or_else(|| scan::skip_value(self.raw, start));
        self.advance_past(end);
        Some(Value(&self.raw[start..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_by_kind_and_forgives_the_wrong_one() {
        let value = Value::parse(br#" {"n":3.0,"list":[1,"two",[3]],"s":"x","b":false,"z":null} "#).unwrap();
        assert_eq!(value.get("n").unwrap().count(), Some(3));
        assert_eq!(value.get("s").unwrap().count(), None);
        assert_eq!(value.get("b").unwrap().boolean(), Some(false));
        assert!(value.get("z").unwrap().is_null());
        let kinds: Vec<_> = value.get("list").unwrap().items().map(Value::kind).collect();
        assert_eq!(kinds, [ValueKind::Number, ValueKind::String, ValueKind::Array]);
        assert_eq!(value.get("s").unwrap().items().count(), 0);
        assert!(Value::parse(b"{}{}").is_err());
    }
}
