//! All strings of a value, at any depth, without recursion.

use super::scan;
use super::text::Text;
use super::value::Value;

/// Walks that recurse go down to this depth; what is nested deeper they take as a whole, or by its [`strings`].
pub const MAX_WALK_DEPTH: usize = 128;

/// A string of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NestedString<'a> {
    /// The string.
    pub text: Text<'a>,
    /// Whether it is the key of a field.
    pub is_key: bool,
}

/// Iterates over the strings of a value, keys included, in the order in which they are written.
///
/// ```
/// let value = annals_json::Value::parse(br#"[[["a",{"b":["c"]}]]]"#).unwrap();
/// let all: Vec<_> = annals_json::strings(value).map(|string| string.text.to_string()).collect();
/// assert_eq!(all, ["a", "b", "c"]);
/// ```
pub fn strings(value: Value<'_>) -> impl Iterator<Item = NestedString<'_>> {
    let raw = value.raw();
    let mut at = 0;
    std::iter::from_fn(move || {
        // Outside strings there are no quotes.
        let start = at + memchr::memchr(b'"', raw.get(at..)?)?;
        at = scan::skip_string(raw, start);
        let text = Text::from_raw(raw.get(start + 1..at.checked_sub(1)?)?);
        Some(NestedString { text, is_key: raw.get(scan::skip_space(raw, at)) == Some(&b':') })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: &[(&str, bool)]) {
        let found: Vec<_> = strings(Value::parse(json.as_bytes()).unwrap())
            .map(|string| (string.text.to_string(), string.is_key))
            .collect();
        let expected: Vec<_> = expected.iter().map(|(text, is_key)| ((*text).to_owned(), *is_key)).collect();
        assert_eq!(found, expected, "{json}");
    }

    #[test]
    fn keys_and_texts_in_order() {
        check(
            r#"{"a":"b","c" : [1,"d\"e",{"f":null}]}"#,
            &[("a", true), ("b", false), ("c", true), ("d\"e", false), ("f", true)],
        );
        check("\"x\"", &[("x", false)]);
        check("[1,true]", &[]);
        check("[\"\",\":\"]", &[("", false), (":", false)]);
    }

    #[test]
    fn no_depth_is_too_deep() {
        let depth = 1_000_000;
        let json = "[".repeat(depth) + "\"deep\"" + &"]".repeat(depth);
        check(&json, &[("deep", false)]);
    }
}
