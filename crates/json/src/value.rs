//! A value is a slice of checked JSON, cheap to copy, with forgiving accessors: the wrong type reads as absent.

use super::fields::Fields;
use super::scan::{self, Fault};
use super::text::Text;

/// A JSON value as it stands in the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'a>(&'a [u8]);

/// The six kinds of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number, in whatever form it was written.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl<'a> Value<'a> {
    /// Checks that `bytes` is exactly one JSON value, white space around it allowed.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Fault> {
        let start = scan::skip_space(bytes, 0);
        let end = scan::scan_value(bytes, start)?;
        let rest = scan::skip_space(bytes, end);
        if rest < bytes.len() {
            return Err(Fault { kind: scan::FaultKind::Unexpected, at: rest });
        }
        Ok(Self(&bytes[start..end]))
    }

    /// Takes bytes that the scanner has accepted.
    pub fn from_checked(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The bytes of the value, as they stand in the file.
    pub fn raw(self) -> &'a [u8] {
        self.0
    }

    /// What kind of value it is.
    pub fn kind(self) -> Kind {
        match self.0.first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Boolean,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            _ => Kind::Null,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The string, if it is one.
    pub fn text(self) -> Option<Text<'a>> {
        let inside = self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        Some(Text::from_raw(inside))
    }

    /// The truth value, if it is one.
    pub fn boolean(self) -> Option<bool> {
        match self.0 {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// The number as a count: whole and not negative (`3.0` and `3e0` are whole too).
    pub fn count(self) -> Option<u64> {
        if self.kind() != Kind::Number {
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
        if self.kind() != Kind::Number {
            return None;
        }
        std::str::from_utf8(self.0).ok()?.parse().ok()
    }

    /// The object's fields, if it is an object.
    pub fn fields(self) -> Option<Fields<'a>> {
        (self.kind() == Kind::Object).then(|| Fields::of_checked(self.0))
    }

    /// The array's items; none where it is no array.
    pub fn items(self) -> Items<'a> {
        let at = if self.kind() == Kind::Array { 1 } else { self.0.len() };
        Items { raw: self.0, at }
    }

    /// One field of an object, without an index of the others: for a single look inside.
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
}

impl<'a> Items<'a> {
    /// The next item, an object as its fields: in one pass over it, where [`Iterator::next`] and then
    /// [`Value::fields`] would take two.
    pub fn next_fields(&mut self) -> Option<Result<Fields<'a>, Value<'a>>> {
        let start = scan::skip_space(self.raw, self.at);
        if self.raw.get(start) != Some(&b'{') {
            return self.next().map(Err);
        }
        let (fields, length) = Fields::at_start_of_checked(&self.raw[start..]);
        self.go_behind(start + length);
        Some(Ok(fields))
    }

    fn go_behind(&mut self, end: usize) {
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
        let end = scan::skip_value(self.raw, start);
        self.go_behind(end);
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
        assert_eq!(kinds, [Kind::Number, Kind::String, Kind::Array]);
        assert_eq!(value.get("s").unwrap().items().count(), 0);
        assert!(Value::parse(b"{}{}").is_err());
    }
}
