//! The fields of an object, in the order in which they are written, with their raw values.

use super::known::{KnownSpans, KnownValues};
use super::scan::{self, ByteRange, FieldSink, ParseError, ParseErrorKind};
use super::text::Text;
use super::value::{Items, Value, ValueKind};

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
/// Keys may repeat; [`Fields::get`] returns the last one, as `JSON.parse` would.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    raw: &'a [u8],
    list: Vec<Field<'a>>,
    /// Whether a key is spelled with escapes, which is rare; keys must then be decoded to be compared.
    has_escaped_keys: bool,
    /// For objects and arrays inside.
    known: KnownValues<'a>,
}

/// Capacity that fits nearly every line without growing.
const DEFAULT_FIELD_COUNT: usize = 24;

/// Capacity that fits most nested objects.
pub(super) const DEFAULT_INNER_COUNT: usize = 8;

impl<'a> Fields<'a> {
    /// Checks the object at the start of `bytes` and returns its fields and the number of bytes that it takes.
    pub fn scan(bytes: &'a [u8]) -> Result<(Self, usize), ParseError> {
        if bytes.first() != Some(&b'{') {
            let kind = if bytes.is_empty() { ParseErrorKind::Unfinished } else { ParseErrorKind::Unexpected };
            return Err(ParseError { kind, at: 0 });
        }
        let mut fields = Self::empty(bytes, DEFAULT_FIELD_COUNT);
        let end = scan::scan_object(bytes, 0, 0, &mut |key, value| fields.push_range(bytes, key, value))?;
        fields.raw = &bytes[..end];
        Ok((fields, end))
    }

    /// Like [`scan`](Self::scan), and also returns the fields of the object under the first key of `path`, of the object under
    /// the second key inside of it, and so on: in one pass over the bytes.
    pub fn scan_path<const N: usize>(
        bytes: &'a [u8],
        path: [&str; N],
    ) -> Result<(Self, [Option<Self>; N], usize), ParseError> {
        if bytes.first() != Some(&b'{') {
            return Self::scan(bytes).map(|(fields, end)| (fields, [const { None }; N], end));
        }
        let outer = Self::empty(bytes, DEFAULT_FIELD_COUNT);
        let mut sink = PathSink { bytes, path, outer, inner: [const { None }; N], level: 0 };
        let end = scan::scan_object(bytes, 0, 0, &mut sink)?;
        sink.outer.raw = &bytes[..end];
        let PathSink { outer, mut inner, .. } = sink;
        let mut has_escaped_keys = outer.has_escaped_keys;
        for level in 0..N {
            if has_escaped_keys {
                // Another key may mean the same.
                let parent = if level == 0 { Some(&outer) } else { inner[level - 1].as_ref() };
                inner[level] = parent.and_then(|parent| parent.object(path[level]));
            }
            has_escaped_keys |= inner[level].as_ref().is_some_and(|fields| fields.has_escaped_keys);
        }
        Ok((outer, inner, end))
    }

    fn empty(bytes: &'a [u8], usual: usize) -> Self {
        Self {
            raw: bytes,
            list: Vec::with_capacity(usual),
            has_escaped_keys: false,
            known: KnownValues::default(),
        }
    }

    /// Adds a field, given by its ranges of `bytes`.
    fn push_range(&mut self, bytes: &'a [u8], key: ByteRange, value: ByteRange) {
        let key = Text::from_raw(&bytes[key.0 + 1..key.1 - 1]);
        self.has_escaped_keys |= key.has_escapes();
        self.list.push(Field { key, value: Value::from_checked(&bytes[value.0..value.1]) });
    }

    /// Reads the fields of bytes that [`scan`](Self::scan) has accepted before; other bytes give unspecified fields.
    pub fn from_checked(raw: &'a [u8]) -> Self {
        Self::from_checked_prefix(raw, DEFAULT_INNER_COUNT, KnownValues::default()).0
    }

    /// Like [`from_checked`](Self::from_checked), without looking for the ends of values that are known, here and in what is
    /// read with [`object`](Self::object) and [`items`](Self::items).
    pub fn from_checked_knowing(raw: &'a [u8], spans: KnownSpans) -> Self {
        Self::from_checked_prefix(raw, DEFAULT_FIELD_COUNT, KnownValues { object: raw, spans }).0
    }

    /// Reads the fields of the checked object at the start of `raw`, and returns where it ends.
    pub(super) fn from_checked_prefix(raw: &'a [u8], usual: usize, known: KnownValues<'a>) -> (Self, usize) {
        let skip = |raw: &[u8], at: usize| known.end(raw, at).unwrap_or_else(|| scan::skip_value(raw, at));
        let (mut fields, end) = Self::read(raw, usual, skip);
        fields.known = known;
        (fields, end)
    }

    /// The same; `skip` returns the end of the value at a position.
    pub(super) fn read(raw: &'a [u8], usual: usize, skip: impl Fn(&[u8], usize) -> usize) -> (Self, usize) {
        let mut list = Vec::with_capacity(usual);
        let mut has_escaped_keys = false;
        let mut at = scan::skip_space(raw, 1);
        let mut end = at;
        while raw.get(at) == Some(&b'"') {
            let (key_end, has_escapes) = scan::skip_key(raw, at);
            let colon = scan::skip_space(raw, key_end);
            let start = scan::skip_space(raw, colon + 1);
            let value_end = skip(raw, start);
            let (Some(key), Some(value)) = (raw.get(at + 1..key_end - 1), raw.get(start..value_end)) else {
                break;
            };
            has_escaped_keys |= has_escapes;
            let key = Text::from_raw(key);
            list.push(Field { key, value: Value::from_checked(value) });
            end = scan::skip_space(raw, value_end);
            if raw.get(end) != Some(&b',') {
                break;
            }
            at = scan::skip_space(raw, end + 1);
        }
        let end = raw.len().min(end + 1);
        (Self { raw: &raw[..end], list, has_escaped_keys, known: KnownValues::default() }, end)
    }

    /// The bytes of the whole object.
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// Iterates over all fields in order, repeated keys included.
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

    /// Returns the value of a key; the last one if it repeats.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        let fits = |field: &&Field<'a>| match self.has_escaped_keys {
            false => field.key.raw() == key.as_bytes(),
            true => field.key.is(key),
        };
        self.list.iter().rev().find(fits).map(|field| field.value)
    }

    /// Returns the string under a key, or `None` if it is absent or of another kind.
    pub fn text(&self, key: &str) -> Option<Text<'a>> {
        self.get(key)?.text()
    }

    /// Returns the boolean under a key.
    pub fn boolean(&self, key: &str) -> Option<bool> {
        self.get(key)?.boolean()
    }

    /// Whether a key is there and `true`.
    pub fn is_true(&self, key: &str) -> bool {
        self.boolean(key) == Some(true)
    }

    /// Returns the whole, non-negative number under a key.
    pub fn count(&self, key: &str) -> Option<u64> {
        self.get(key)?.count()
    }

    /// Returns the number under a key.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.number()
    }

    /// Returns the fields of the object under a key.
    pub fn object(&self, key: &str) -> Option<Fields<'a>> {
        let value = self.get(key).filter(|value| value.kind() == ValueKind::Object)?;
        Some(Self::from_checked_prefix(value.raw(), DEFAULT_INNER_COUNT, self.known).0)
    }

    /// Iterates over the items of the array under a key; `None` if it is absent or of another kind.
    pub fn items(&self, key: &str) -> Option<Items<'a>> {
        let value = self.get(key).filter(|value| value.kind() == ValueKind::Array)?;
        Some(value.items().with_known(self.known))
    }
}

/// Collects the fields of an object and of the objects along a path of keys.
struct PathSink<'a, 'k, const N: usize> {
    bytes: &'a [u8],
    path: [&'k str; N],
    outer: Fields<'a>,
    inner: [Option<Fields<'a>>; N],
    /// How many keys of the path lead to the object at hand.
    level: usize,
}

impl<const N: usize> PathSink<'_, '_, N> {
    /// Whether a key is the next of the path.
    fn is_next(&self, key: ByteRange) -> bool {
        self.path.get(self.level).is_some_and(|next| self.bytes[key.0 + 1..key.1 - 1] == *next.as_bytes())
    }
}

impl<const N: usize> FieldSink for PathSink<'_, '_, N> {
    fn field(&mut self, key: ByteRange, value: ByteRange) {
        if self.is_next(key) {
            // Of repeated keys the last counts, whatever its value is.
            match &mut self.inner[self.level] {
                Some(fields) if self.bytes[value.0] == b'{' => fields.raw = &self.bytes[value.0..value.1],
                _ => self.inner[self.level..].fill(None),
            }
        }
        match self.level.checked_sub(1) {
            None => self.outer.push_range(self.bytes, key, value),
            Some(at) => {
                if let Some(fields) = &mut self.inner[at] {
                    fields.push_range(self.bytes, key, value);
                }
            }
        }
    }

    fn enter(&mut self, key: ByteRange) -> bool {
        if !self.is_next(key) {
            return false;
        }
        self.inner[self.level..].fill(None);
        self.inner[self.level] = Some(Fields::empty(self.bytes, DEFAULT_INNER_COUNT));
        self.level += 1;
        true
    }

    fn leave(&mut self) {
        self.level -= 1;
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
            r#"{"m":{"x":{"x":{"x":1}},"y":{"x":2}}}"#,
            r#"{"m":{"x":{"a":1},"x":3}}"#,
            r#"{"m":{"x":3,"x":{"a":1}}}"#,
            r#"{"m":{"x":{"a":1}},"m":{"y":2}}"#,
            r#"{"m":{"x":{"a":1}},"m":{"\u0078":{"b":2}}}"#,
            r#"{"m":{"\u0078":{"b":2},"x":{"\u0061":1}}}"#,
            r#"{"\u006d":{"x":{"a":1}}}"#,
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
            let (outer, [first, second], end) = Fields::scan_path(line.as_bytes(), ["m", "x"]).unwrap();
            assert_eq!((say(&outer), end), (say(&fields), length), "{line}");
            let message = fields.object("m");
            assert_eq!(first.as_ref().map(say), message.as_ref().map(say), "{line}");
            let inside = message.and_then(|message| message.object("x"));
            assert_eq!(second.as_ref().map(say), inside.as_ref().map(say), "{line}");
        }
        for line in ["", "7", "{\"m\":{\"x\":1}", "{\"m\":{\"x\":01}}"] {
            assert_eq!(
                Fields::scan_path(line.as_bytes(), ["m", "x"]).err(),
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
        let again = Fields::from_checked(fields.raw());
        assert_eq!(again.len(), 4);
        assert_eq!(again.object("a").unwrap().get("x").unwrap().raw(), b"[1,2]");
    }
}
