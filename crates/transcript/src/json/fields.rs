//! An object's fields in the order in which they were written, with their raw values.

use super::scan::{self, Fault, FaultKind};
use super::text::Text;
use super::value::Value;

/// One key with its value.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The key as written.
    pub key: Text<'a>,
    /// The value as written.
    pub value: Value<'a>,
}

/// The fields of one object.
///
/// Keys may repeat; [`Fields::get`] answers with the last one, as `JSON.parse` would.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    raw: &'a [u8],
    list: Vec<Field<'a>>,
    /// Whether a key is spelled with escapes, which nobody does; then keys must be decoded to be compared.
    has_escaped_keys: bool,
}

/// Enough for nearly every line without growing.
const USUAL_COUNT: usize = 24;

/// Enough for most objects inside a line.
const USUAL_INNER_COUNT: usize = 8;

impl<'a> Fields<'a> {
    /// Checks the object at the start of `bytes` and returns its fields and the number of bytes that it takes.
    pub fn scan(bytes: &'a [u8]) -> Result<(Self, usize), Fault> {
        if bytes.first() != Some(&b'{') {
            let kind = if bytes.is_empty() { FaultKind::Unfinished } else { FaultKind::Unexpected };
            return Err(Fault { kind, at: 0 });
        }
        let mut list = Vec::with_capacity(USUAL_COUNT);
        let mut has_escaped_keys = false;
        let end = scan::scan_object(bytes, 0, 0, &mut |key, value| {
            let key = Text::from_raw(&bytes[key.0 + 1..key.1 - 1]);
            has_escaped_keys |= key.has_escapes();
            list.push(Field { key, value: Value::from_checked(&bytes[value.0..value.1]) });
        })?;
        Ok((Self { raw: &bytes[..end], list, has_escaped_keys }, end))
    }

    /// The fields of an object that the scanner has accepted before.
    pub(crate) fn of_checked(raw: &'a [u8]) -> Self {
        Self::at_start_of_checked(raw).0
    }

    /// The fields of the checked object at the start of `raw`, and where it ends: one pass instead of two, for those who
    /// go on behind it.
    pub(crate) fn at_start_of_checked(raw: &'a [u8]) -> (Self, usize) {
        let mut list = Vec::with_capacity(USUAL_INNER_COUNT);
        let mut has_escaped_keys = false;
        let mut at = scan::skip_space(raw, 1);
        let mut end = at;
        while raw.get(at) == Some(&b'"') {
            let key_end = scan::skip_string(raw, at);
            let colon = scan::skip_space(raw, key_end);
            let start = scan::skip_space(raw, colon + 1);
            let value_end = scan::skip_value(raw, start);
            let (Some(key), Some(value)) = (raw.get(at + 1..key_end - 1), raw.get(start..value_end)) else {
                break;
            };
            let key = Text::from_raw(key);
            has_escaped_keys |= key.has_escapes();
            list.push(Field { key, value: Value::from_checked(value) });
            end = scan::skip_space(raw, value_end);
            if raw.get(end) != Some(&b',') {
                break;
            }
            at = scan::skip_space(raw, end + 1);
        }
        let end = raw.len().min(end + 1);
        (Self { raw: &raw[..end], list, has_escaped_keys }, end)
    }

    /// The whole object, as it stands in the file.
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// Every field, in order, repeated keys included.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Field<'a>> + '_ {
        self.list.iter().copied()
    }

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether the object is `{}`.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The value of a key; the last one where it repeats.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        let fits = |field: &&Field<'a>| match self.has_escaped_keys {
            false => field.key.raw() == key.as_bytes(),
            true => field.key.is(key),
        };
        self.list.iter().rev().find(fits).map(|field| field.value)
    }

    /// A key's string.
    pub fn text(&self, key: &str) -> Option<Text<'a>> {
        self.get(key)?.text()
    }

    /// A key's truth value.
    pub fn boolean(&self, key: &str) -> Option<bool> {
        self.get(key)?.boolean()
    }

    /// Whether a key is there and `true`.
    pub fn is_true(&self, key: &str) -> bool {
        self.boolean(key) == Some(true)
    }

    /// A key's whole number.
    pub fn count(&self, key: &str) -> Option<u64> {
        self.get(key)?.count()
    }

    /// A key's number.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.number()
    }

    /// A key's object.
    pub fn object(&self, key: &str) -> Option<Fields<'a>> {
        self.get(key)?.fields()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_and_answers_with_the_last() {
        let line = br#"{"b":1,"a":{"x":[1,2]},"b":"two","\u0063":1e2} rest"#;
        let (fields, end) = Fields::scan(line).unwrap();
        assert_eq!(&line[end..], b" rest");
        assert_eq!(
            fields.iter().map(|field| field.key.to_string()).collect::<Vec<_>>(),
            ["b", "a", "b", "c"]
        );
        assert!(fields.text("b").unwrap().is("two"));
        assert_eq!(fields.count("c"), Some(100));
        let again = Fields::of_checked(fields.raw());
        assert_eq!(again.len(), 4);
        assert_eq!(again.object("a").unwrap().get("x").unwrap().raw(), b"[1,2]");
    }
}
