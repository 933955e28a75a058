//! An object's fields in the order in which they were written, with their raw values.

use super::scan::{self, Fault, FaultKind, Found, Span};
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
        let mut fields = Self::empty(bytes, USUAL_COUNT);
        let end = scan::scan_object(bytes, 0, 0, &mut |key, value| fields.push(key, value))?;
        fields.raw = &bytes[..end];
        Ok((fields, end))
    }

    /// The same, and the object that is the value of `key`, in one pass instead of two. Most of a line is one such object.
    pub fn scan_with(bytes: &'a [u8], key: &str) -> Result<(Self, Option<Self>, usize), Fault> {
        if bytes.first() != Some(&b'{') {
            return Self::scan(bytes).map(|(fields, end)| (fields, None, end));
        }
        let mut pair = Pair {
            bytes,
            key: key.as_bytes(),
            outer: Self::empty(bytes, USUAL_COUNT),
            inner: Collected(Self::empty(bytes, 0)),
            has_inner: false,
        };
        let end = scan::scan_object(bytes, 0, 0, &mut pair)?;
        pair.outer.raw = &bytes[..end];
        let inner = match pair.outer.has_escaped_keys {
            // Another key may mean the same.
            true => pair.outer.object(key),
            false => pair.has_inner.then_some(pair.inner.0),
        };
        Ok((pair.outer, inner, end))
    }

    /// No fields yet; `raw` is all of the bytes that the spans to come are of.
    fn empty(bytes: &'a [u8], usual: usize) -> Self {
        Self { raw: bytes, list: Vec::with_capacity(usual), has_escaped_keys: false }
    }

    fn push(&mut self, key: Span, value: Span) {
        let key = Text::from_raw(&self.raw[key.0 + 1..key.1 - 1]);
        self.has_escaped_keys |= key.has_escapes();
        self.list.push(Field { key, value: Value::from_checked(&self.raw[value.0..value.1]) });
    }

    /// The fields of an object that the scanner has accepted before.
    pub fn of_checked(raw: &'a [u8]) -> Self {
        Self::at_start_of_checked(raw).0
    }

    /// The fields of the checked object at the start of `raw`, and where it ends: one pass instead of two, for those who
    /// go on behind it.
    pub fn at_start_of_checked(raw: &'a [u8]) -> (Self, usize) {
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

/// The fields of an object within another.
struct Collected<'a>(Fields<'a>);

impl Found for Collected<'_> {
    fn field(&mut self, key: Span, value: Span) {
        self.0.push(key, value);
    }
}

/// The fields of an object and those of one of its values.
struct Pair<'a, 'k> {
    bytes: &'a [u8],
    key: &'k [u8],
    outer: Fields<'a>,
    inner: Collected<'a>,
    has_inner: bool,
}

impl Pair<'_, '_> {
    fn is_wanted(&self, key: Span) -> bool {
        self.bytes.get(key.0 + 1..key.1 - 1) == Some(self.key)
    }
}

impl Found for Pair<'_, '_> {
    fn field(&mut self, key: Span, value: Span) {
        if self.is_wanted(key) {
            // Of repeated keys the last counts, whatever its value is.
            self.has_inner = self.bytes[value.0] == b'{';
            self.inner.0.raw = &self.bytes[value.0..value.1];
        }
        self.outer.push(key, value);
    }

    fn inside(&mut self, key: Span) -> Option<&mut dyn Found> {
        if !self.is_wanted(key) {
            return None;
        }
        self.inner = Collected(Fields::empty(self.bytes, USUAL_INNER_COUNT));
        Some(&mut self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pass_finds_what_two_find() {
        let lines = [
            r#"{"a":1,"m":{"x":[1,{"y":2}],"z":"q"},"b":2} rest"#,
            r#"{"m":{"x":1},"m":{"x":2}}"#,
            r#"{"m":{"x":1},"m":7}"#,
            r#"{"m":7,"m":{"x":1}}"#,
            r#"{"m":{"x":1},"\u006d":{"x":3}}"#,
            r#"{"\u006d":{"x":3},"m":{"\u0078":1}}"#,
            r#"{"a":{"m":{"x":1}}}"#,
            r#"{ "m" : { "m" : { "x" : 1 } , "x" : { } } }"#,
            r#"{"m":{}}"#,
            "{}",
        ];
        let say = |fields: &Fields<'_>| {
            let list: Vec<_> =
                fields.iter().map(|field| (field.key.to_string(), field.value.raw().to_vec())).collect();
            (fields.raw().to_vec(), list, fields.get("x").map(|value| value.raw().to_vec()))
        };
        for line in lines {
            let (fields, length) = Fields::scan(line.as_bytes()).unwrap();
            let (outer, inner, end) = Fields::scan_with(line.as_bytes(), "m").unwrap();
            assert_eq!((say(&outer), end), (say(&fields), length), "{line}");
            assert_eq!(inner.as_ref().map(say), fields.object("m").as_ref().map(say), "{line}");
        }
        for line in ["", "7", "{\"m\":{\"x\":1}", "{\"m\":{\"x\":01}}"] {
            assert_eq!(
                Fields::scan_with(line.as_bytes(), "m").err(),
                Fields::scan(line.as_bytes()).err(),
                "{line}"
            );
        }
    }

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
