//! A JSON value that owns its bytes.

use std::fmt;

use super::compact::compact;
use super::scan::ParseError;
use super::text::Text;
use super::value::Value;
use super::write::write_string;

/// An owned, valid, compact JSON value: no white space outside strings, everything else as it was written.
///
/// ```
/// use annals_json::RawJson;
///
/// let usage = RawJson::parse(br#"{ "output_tokens": 1e2 }"#).unwrap();
/// assert_eq!(usage.raw(), br#"{"output_tokens":1e2}"#);
/// assert_eq!(usage.value().get("output_tokens").unwrap().count(), Some(100));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawJson(Box<[u8]>);

impl RawJson {
    /// Checks that `bytes` is exactly one JSON value and keeps a compact copy.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        Value::parse(bytes).map(Self::of)
    }

    /// Makes a compact copy of a value.
    pub fn of(value: Value<'_>) -> Self {
        let mut out = Vec::new();
        compact(value, &mut out);
        Self(out.into())
    }

    /// Takes the bytes of a compact value that is known to be one, like [`Value::from_checked`].
    pub fn from_checked(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }

    /// Makes a JSON string.
    pub fn string(text: &str) -> Self {
        let mut out = Vec::with_capacity(text.len() + 2);
        write_string(&mut out, text);
        Self(out.into())
    }

    /// Makes a JSON string with the same escapes as `text`.
    pub fn of_text(text: Text<'_>) -> Self {
        Self([b"\"", text.raw(), b"\""].concat().into())
    }

    /// Borrows the value.
    pub fn value(&self) -> Value<'_> {
        Value::from_checked(&self.0)
    }

    /// Its bytes.
    pub fn raw(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.value(), formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParseErrorKind;

    #[test]
    fn checks_and_keeps_what_a_string_says() {
        assert_eq!(RawJson::parse(br#" [ "a  b" , "\ud800" ] "#).unwrap().raw(), br#"["a  b","\ud800"]"#);
        assert_eq!(RawJson::string("a\n\"b\"").raw(), br#""a\n\"b\"""#);
        let fault = RawJson::parse(b"[1,]").unwrap_err();
        assert_eq!((fault.kind, fault.at), (ParseErrorKind::Unexpected, 3));
        assert!(RawJson::parse(b"1 2").is_err());
    }
}
