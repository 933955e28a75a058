//! Removes white space between JSON tokens; the bytes of strings stay as they are.

use super::scan;
use super::value::Value;

/// Appends the value to `out` without the white space outside its strings. Strings, numbers, the order of keys and keys
/// that repeat are untouched.
pub fn compact(value: Value<'_>, out: &mut Vec<u8>) {
    let raw = value.raw();
    out.reserve(raw.len());
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        let end = match byte {
            b'"' => scan::skip_string(raw, at),
            b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            _ => at + 1,
        };
        out.extend_from_slice(&raw[at..end]);
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut out = Vec::new();
        compact(Value::parse(text.as_bytes()).unwrap(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn only_white_space_between_parts_goes() {
        check(
            " { \"a b\" :\t[ 1.0 , -2e3,\r\n \" x \\\" y \" ] , \"a b\":{ } } ",
            "{\"a b\":[1.0,-2e3,\" x \\\" y \"],\"a b\":{}}",
        );
        check(r#""\ud83d \\""#, r#""\ud83d \\""#);
        check("null", "null");
    }
}
