//! Edits one JSON object by splicing the bytes that change; every other byte stays as it was.

use crate::{ParseError, Value, ValueKind, write_string};

/// One step of a path into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStep<'p> {
    /// Into an object, by key (the last one if it repeats).
    Key(&'p str),
    /// Into an array, by index.
    Item(usize),
}

/// Why an edit could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The bytes are not one JSON value.
    NotAnObject(ParseError),
    /// The path does not lead to a value of the expected kind.
    PathNotFound,
    /// The new value is not JSON.
    NotJson(ParseError),
    /// Two edits change the same bytes.
    Overlap,
}

impl std::fmt::Display for EditError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotAnObject(error) => write!(formatter, "not a JSON object (byte {})", error.at),
            Self::PathNotFound => formatter.write_str("the path does not exist in the object"),
            Self::NotJson(error) => write!(formatter, "the new value is not JSON (byte {})", error.at),
            Self::Overlap => formatter.write_str("two edits change the same bytes"),
        }
    }
}

impl std::error::Error for EditError {}

/// Collects edits of one object and applies them together.
#[derive(Clone, Debug)]
pub struct Editor<'a> {
    raw: &'a [u8],
    whole: Value<'a>,
    splices: Vec<Splice>,
}

/// Bytes of an object that are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The first of them.
    pub start: usize,
    /// The position after the last; equal to `start` if nothing is removed.
    pub end: usize,
    /// What stands there instead.
    pub bytes: Vec<u8>,
}

impl<'a> Editor<'a> {
    /// Starts editing `raw`, which must be exactly one JSON object.
    pub fn new(raw: &'a [u8]) -> Result<Self, EditError> {
        let value = Value::parse(raw).map_err(EditError::NotAnObject)?;
        if value.kind() != ValueKind::Object {
            return Err(EditError::PathNotFound);
        }
        Ok(Self { raw, whole: value, splices: Vec::new() })
    }

    /// Replaces an existing value with `json`.
    pub fn replace(&mut self, path: &[PathStep<'_>], json: &[u8]) -> Result<&mut Self, EditError> {
        Value::parse(json).map_err(EditError::NotJson)?;
        let index = self.find(path)?;
        let (start, end) = self.span(index.raw());
        self.splice(start, end, json.to_vec())
    }

    /// Replaces a value that was found in the object: one of many is not searched again by its path.
    pub fn replace_value(&mut self, value: Value<'a>, json: &[u8]) -> Result<&mut Self, EditError> {
        Value::parse(json).map_err(EditError::NotJson)?;
        let (inside, part) = (self.raw.as_ptr_range(), value.raw().as_ptr_range());
        if part.start < inside.start || part.end > inside.end {
            return Err(EditError::PathNotFound);
        }
        let (start, end) = self.span(value.raw());
        self.splice(start, end, json.to_vec())
    }

    /// Replaces an existing value with a string.
    pub fn replace_string(&mut self, path: &[PathStep<'_>], text: &str) -> Result<&mut Self, EditError> {
        let mut json = Vec::new();
        write_string(&mut json, text);
        self.replace(path, &json)
    }

    /// Replaces the value of a key of the object at `path`, or adds the key at its end.
    pub fn set(&mut self, path: &[PathStep<'_>], key: &str, json: &[u8]) -> Result<&mut Self, EditError> {
        Value::parse(json).map_err(EditError::NotJson)?;
        let object = self.find(path)?.fields().ok_or(EditError::PathNotFound)?;
        if let Some(value) = object.get(key) {
            let (start, end) = self.span(value.raw());
            return self.splice(start, end, json.to_vec());
        }
        let mut bytes = if object.is_empty() { Vec::new() } else { b",".to_vec() };
        write_string(&mut bytes, key);
        bytes.push(b':');
        bytes.extend_from_slice(json);
        let end = self.span(object.raw()).1 - 1;
        self.splice(end, end, bytes)
    }

    /// Removes every occurrence of a key of the object at `path`; an absent key is not an error.
    pub fn remove(&mut self, path: &[PathStep<'_>], key: &str) -> Result<&mut Self, EditError> {
        let object = self.find(path)?.fields().ok_or(EditError::PathNotFound)?;
        let spans: Vec<_> = object
            .iter()
            .map(|field| {
                let start = self.span(field.key.raw()).0 - 1;
                (field.key.is(key), start, self.span(field.value.raw()).1)
            })
            .collect();
        self.cut_elements(&spans)
    }

    /// Removes the items of the array at `path` whose index passes `should_remove`.
    pub fn remove_items(
        &mut self,
        path: &[PathStep<'_>],
        should_remove: impl Fn(usize) -> bool,
    ) -> Result<&mut Self, EditError> {
        let array = self.find(path)?;
        if array.kind() != ValueKind::Array {
            return Err(EditError::PathNotFound);
        }
        let spans: Vec<_> = array
            .items()
            .enumerate()
            .map(|(index, item)| {
                let (start, end) = self.span(item.raw());
                (should_remove(index), start, end)
            })
            .collect();
        self.cut_elements(&spans)
    }

    /// Cuts elements out of a list, each with one comma: the one after it, or the one before it if it is the last.
    fn cut_elements(&mut self, spans: &[(bool, usize, usize)]) -> Result<&mut Self, EditError> {
        let kept_before = |at: usize| spans[..at].iter().rposition(|span| !span.0);
        for (at, &(should_remove, start, end)) in spans.iter().enumerate() {
            if !should_remove {
                continue;
            }
            let (from, to) = match spans.get(at + 1) {
                Some(next) => (start, next.1),
                None => match kept_before(at) {
                    // The last one takes the comma before the run of removed elements that it ends.
                    Some(kept) if kept + 1 == at => (spans[kept].2, end),
                    Some(kept) => {
                        let comma = spans[kept].2;
                        self.splice(comma, spans[kept + 1].1, Vec::new())?;
                        (start, end)
                    }
                    None => (start, end),
                },
            };
            self.splice(from, to, Vec::new())?;
        }
        Ok(self)
    }

    /// Applies the edits and returns the new object.
    pub fn finish(self) -> Result<Vec<u8>, EditError> {
        let raw = self.raw;
        let splices = self.into_splices()?;
        let (added, removed) = splices.iter().fold((0, 0), |(added, removed), splice| {
            (added + splice.bytes.len(), removed + splice.end - splice.start)
        });
        let mut out = Vec::with_capacity(raw.len() + added - removed);
        let mut at = 0;
        for splice in splices {
            out.extend_from_slice(&raw[at..splice.start]);
            out.extend_from_slice(&splice.bytes);
            at = splice.end;
        }
        out.extend_from_slice(&raw[at..]);
        Ok(out)
    }

    /// Returns the edits in order, for a caller that writes the new object elsewhere.
    pub fn into_splices(mut self) -> Result<Vec<Splice>, EditError> {
        self.splices.sort_by_key(|splice| (splice.start, splice.end));
        let overlaps = |pair: &[Splice]| pair[1].start < pair[0].end;
        if self.splices.windows(2).any(overlaps) { Err(EditError::Overlap) } else { Ok(self.splices) }
    }

    fn splice(&mut self, start: usize, end: usize, bytes: Vec<u8>) -> Result<&mut Self, EditError> {
        self.splices.push(Splice { start, end, bytes });
        Ok(self)
    }

    fn find(&self, path: &[PathStep<'_>]) -> Result<Value<'a>, EditError> {
        path.iter()
            .try_fold(self.whole, |value, step| match step {
                PathStep::Key(key) => value.fields()?.get(key),
                PathStep::Item(index) => value.items().nth(*index),
            })
            .ok_or(EditError::PathNotFound)
    }

    /// The byte range of a slice of `raw`.
    fn span(&self, slice: &[u8]) -> (usize, usize) {
        let start = slice.as_ptr() as usize - self.raw.as_ptr() as usize;
        (start, start + slice.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PathStep::{Item, Key};

    fn check(raw: &str, edit: impl FnOnce(&mut Editor<'_>) -> Result<(), EditError>, expected: &str) {
        let mut editor = Editor::new(raw.as_bytes()).unwrap();
        edit(&mut editor).unwrap();
        assert_eq!(String::from_utf8(editor.finish().unwrap()).unwrap(), expected);
    }

    #[test]
    fn an_edit_changes_its_bytes_only() {
        let raw = r#"{ "a": 1.0 ,"b":"\ud800","c":[1, {"d":null} ,3],"e":{}}"#;
        check(raw, |e| e.replace(&[Key("a")], b"2").map(drop), &raw.replace("1.0", "2"));
        check(
            raw,
            |e| e.replace_string(&[Key("c"), Item(1), Key("d")], "x").map(drop),
            &raw.replace("null", "\"x\""),
        );
        let mut editor = Editor::new(raw.as_bytes()).unwrap();
        let list = Value::parse(raw.as_bytes()).unwrap().get("c").unwrap();
        editor.replace_value(list.items().nth(2).unwrap(), b"4").unwrap();
        assert_eq!(editor.finish().unwrap(), raw.replace(",3", ",4").into_bytes());
        let mut editor = Editor::new(raw.as_bytes()).unwrap();
        assert_eq!(
            editor.replace_value(Value::from_checked(b"1"), b"4").err(),
            Some(EditError::PathNotFound)
        );
        check(raw, |e| e.set(&[], "b", b"true").map(drop), &raw.replace(r#""\ud800""#, "true"));
        check(raw, |e| e.set(&[Key("e")], "new", b"[]").map(drop), &raw.replace("{}", r#"{"new":[]}"#));
        check(raw, |e| e.set(&[], "z", b"0").map(drop), &raw.replace("{}}", r#"{},"z":0}"#));
    }

    #[test]
    fn removing_takes_one_comma_each() {
        let raw = r#"{"a":1,"b":2,"c":3}"#;
        check(raw, |e| e.remove(&[], "a").map(drop), r#"{"b":2,"c":3}"#);
        check(raw, |e| e.remove(&[], "b").map(drop), r#"{"a":1,"c":3}"#);
        check(raw, |e| e.remove(&[], "c").map(drop), r#"{"a":1,"b":2}"#);
        check(raw, |e| e.remove(&[], "absent").map(drop), raw);
        let list = r#"{"l":[1,2,3,4]}"#;
        check(list, |e| e.remove_items(&[Key("l")], |n| n % 2 == 0).map(drop), r#"{"l":[2,4]}"#);
        check(list, |e| e.remove_items(&[Key("l")], |n| n > 1).map(drop), r#"{"l":[1,2]}"#);
        check(list, |e| e.remove_items(&[Key("l")], |n| n != 1).map(drop), r#"{"l":[2]}"#);
        check(list, |e| e.remove_items(&[Key("l")], |_| true).map(drop), r#"{"l":[]}"#);
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        assert!(matches!(Editor::new(b"[1]"), Err(EditError::PathNotFound)));
        let mut editor = Editor::new(b"{\"a\":1}").unwrap();
        assert_eq!(editor.replace(&[Key("b")], b"1").err(), Some(EditError::PathNotFound));
        assert!(matches!(editor.replace(&[Key("a")], b"{").err(), Some(EditError::NotJson(_))));
        editor.replace(&[Key("a")], b"2").unwrap().replace(&[Key("a")], b"3").unwrap();
        assert_eq!(editor.finish(), Err(EditError::Overlap));
    }
}
