//! Where the objects and arrays inside a value end: a walk that goes down many levels would else look at the innermost bytes once
//! for each of them.

use super::fields::{DEFAULT_INNER_COUNT, Fields};
use super::scan;
use super::strings::MAX_WALK_DEPTH;
use super::value::{Value, ValueKind};

/// Shorter values are skipped again: that is as quick as a look into a table.
const MIN_BYTES: usize = 64;

/// A value that is shorter, or that is not nested deeper, needs no table.
const MIN_VALUE_BYTES: usize = 256;
const MIN_DEPTH: usize = 8;

/// The ends of the long objects and arrays inside a value, as deep as walks go.
///
/// ```
/// use annals_json::{Nesting, Value};
///
/// let value = Value::parse(br#"{"a":[1,{"b":2}]}"#).unwrap();
/// let nesting = Nesting::of(value);
/// let array = nesting.fields(value).unwrap().get("a").unwrap();
/// assert_eq!(nesting.items(array).count(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Nesting<'a> {
    raw: &'a [u8],
    /// Offsets of starts, ascending, and of the ends that belong to them.
    ends: Vec<(u32, u32)>,
}

impl<'a> Nesting<'a> {
    /// Looks through a value, once.
    pub fn of(value: Value<'a>) -> Self {
        let raw = value.raw();
        if raw.len() < MIN_VALUE_BYTES || u32::try_from(raw.len()).is_err() {
            return Self { raw, ends: Vec::new() };
        }
        let (mut ends, mut open, mut depth, mut deepest) = (Vec::new(), Vec::new(), 0, 0);
        let mut at = 0;
        while let Some(&byte) = raw.get(at) {
            match byte {
                b'"' => {
                    at = scan::skip_string(raw, at);
                    continue;
                }
                b'{' | b'[' => {
                    if depth < MAX_WALK_DEPTH {
                        open.push(ends.len());
                        ends.push((at as u32, 0));
                    }
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    if depth < MAX_WALK_DEPTH
                        && let Some(entry) = open.pop()
                    {
                        ends[entry].1 = at as u32 + 1;
                        // What is inside a short one is short, too: nothing was noted after it.
                        if at + 1 - (ends[entry].0 as usize) < MIN_BYTES {
                            ends.truncate(entry);
                        }
                    }
                }
                _ => {}
            }
            at += 1;
        }
        if deepest <= MIN_DEPTH {
            ends = Vec::new();
        }
        Self { raw, ends }
    }

    /// Returns the fields of an object that is the value or inside of it, like [`Value::fields`].
    pub fn fields(&self, value: Value<'a>) -> Option<Fields<'a>> {
        if value.kind() != ValueKind::Object {
            return None;
        }
        let offset = self.offset_of(value);
        Some(Fields::read(value.raw(), DEFAULT_INNER_COUNT, |raw, at| self.skip(raw, at, offset)).0)
    }

    /// Iterates over the items of an array that is the value or inside of it, like [`Value::items`].
    pub fn items(&self, value: Value<'a>) -> impl Iterator<Item = Value<'a>> {
        let (raw, offset) = (value.raw(), self.offset_of(value));
        let mut at = if value.kind() == ValueKind::Array { 1 } else { raw.len() };
        std::iter::from_fn(move || {
            let start = scan::skip_space(raw, at);
            if matches!(raw.get(start), None | Some(b']')) {
                return None;
            }
            let end = self.skip(raw, start, offset);
            let next = scan::skip_space(raw, end);
            at = if raw.get(next) == Some(&b',') { next + 1 } else { raw.len() };
            Some(Value::from_checked(&raw[start..end]))
        })
    }

    /// Where a value begins inside the one that was looked through; `None` for any other.
    fn offset_of(&self, value: Value<'a>) -> Option<usize> {
        let start = (value.raw().as_ptr() as usize).checked_sub(self.raw.as_ptr() as usize)?;
        (start + value.raw().len() <= self.raw.len()).then_some(start)
    }

    /// Returns the end of the value at `at` of bytes that begin at `offset`.
    fn skip(&self, raw: &[u8], at: usize, offset: Option<usize>) -> usize {
        let known = offset.filter(|_| matches!(raw.get(at), Some(b'{' | b'['))).and_then(|offset| {
            let entry = self.ends.binary_search_by_key(&(offset + at), |(start, _)| *start as usize).ok()?;
            (self.ends[entry].1 as usize).checked_sub(offset)
        });
        known.unwrap_or_else(|| scan::skip_value(raw, at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All containers of a value down to the depth of walks, each with whether it is found without a look at its bytes.
    fn walk(value: Value<'_>, nesting: &Nesting<'_>, depth: usize, each: &mut dyn FnMut(&[u8], bool)) {
        if depth >= MAX_WALK_DEPTH || !matches!(value.kind(), ValueKind::Object | ValueKind::Array) {
            return;
        }
        let start = nesting.offset_of(value).unwrap() as u32;
        each(value.raw(), nesting.ends.iter().any(|(known, _)| *known == start));
        let plain: Vec<_> = match value.fields() {
            Some(fields) => fields.iter().map(|field| field.value).collect(),
            None => value.items().collect(),
        };
        let found: Vec<_> = match nesting.fields(value) {
            Some(fields) => fields.iter().map(|field| field.value).collect(),
            None => nesting.items(value).collect(),
        };
        assert_eq!(found, plain);
        plain.into_iter().for_each(|inner| walk(inner, nesting, depth + 1, each));
    }

    #[test]
    fn long_nested_values_are_known_by_their_start_and_read_alike() {
        let filler = "x".repeat(40);
        let deep = |depth: usize, open: &str, close: &str| open.repeat(depth) + "1" + &close.repeat(depth);
        let values = [
            deep(5, "[", "]"),
            deep(1000, "[", "]"),
            deep(300, "{\"a\":", "}"),
            deep(300, "[{\"b\": [1 , ", "]} ]"),
            format!("[{},{}]", deep(200, "[", "]"), deep(200, "{\"}[\":", "}")),
            deep(20, &format!("{{\"{filler}\":[],\"s\":\"]}}\\\"{filler}\",\"n\":"), "}"),
        ];
        for json in values {
            let value = Value::parse(json.as_bytes()).unwrap();
            let nesting = Nesting::of(value);
            let mut deepest = 0;
            walk(value, &nesting, 0, &mut |raw, is_known| {
                deepest += 1;
                assert!(is_known || raw.len() < MIN_BYTES || json.len() < MIN_VALUE_BYTES, "{}", raw.len());
            });
            assert!(deepest >= 5);
            // Chains are noted once a level, however long they are.
            assert!(nesting.ends.len() <= 2 * MAX_WALK_DEPTH, "{}", nesting.ends.len());
        }
    }

    #[test]
    fn what_is_flat_needs_no_table_and_what_is_elsewhere_is_read_without() {
        let json = format!("[{}]", vec![r#"{"a":[1,2,3],"b":{"c":"d"}}"#; 200].join(","));
        let value = Value::parse(json.as_bytes()).unwrap();
        let nesting = Nesting::of(value);
        assert!(nesting.ends.is_empty());
        assert_eq!(nesting.items(value).count(), 200);
        let other = Value::parse(br#"{"a":[1]}"#).unwrap();
        assert_eq!(nesting.fields(other).unwrap().get("a").unwrap().raw(), b"[1]");
    }
}
