//! JSON for programs that may still end up on a screen: what a terminal could obey is escaped, and means the same.
//!
//! This is for output only. What is written into sessions has the form of the original client.

use std::borrow::Cow;

use crate::clean::{is_hostile, may_stay};

/// Escapes control characters, bidirectional overrides and hidden characters inside the strings of JSON. Outside
/// strings they become spaces, except line breaks between values.
///
/// ```
/// let json = "{\"title\":\"a\u{9b}b\u{202e}\"}\n";
/// assert_eq!(annals_ui::escape_json(json.as_bytes()), r#"{"title":"a\u009bb\u202e"}"#.to_owned() + "\n");
/// ```
pub fn escape_json(json: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(json);
    let shown = text.trim_end_matches('\n');
    let is_plain = shown.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain || !shown.chars().any(is_hostile) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let (mut is_string, mut is_escape, mut depth) = (false, false, 0_usize);
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let is_shown = may_stay(before.replace(character), character, rest.peek().copied());
        match character {
            '\n' if !is_string && depth == 0 => out.push('\n'),
            _ if !is_shown && !is_string => out.push(' '),
            hostile if !is_shown => {
                // A backslash before it escapes nothing: it is doubled, and so the string stays a string.
                out.push_str(if is_escape { "\\" } else { "" });
                is_escape = false;
                push_escape(hostile, &mut out);
            }
            plain => {
                match plain {
                    '"' if !is_escape => is_string = !is_string,
                    '{' | '[' if !is_string => depth += 1,
                    '}' | ']' if !is_string => depth = depth.saturating_sub(1),
                    _ => {}
                }
                is_escape = is_string && plain == '\\' && !is_escape;
                out.push(plain);
            }
        }
    }
    Cow::Owned(out)
}

fn push_escape(character: char, out: &mut String) {
    let mut units = [0; 2];
    for unit in character.encode_utf16(&mut units) {
        out.push_str(&format!("\\u{unit:04x}"));
    }
}

#[cfg(test)]
mod tests {
    use annals_json::Value;
    use proptest::prelude::*;

    use super::*;
    use crate::clean::LineBreaks;
    use crate::clean::tests::is_clean;

    #[test]
    fn strings_are_escaped_and_mean_the_same() {
        let cases = [
            ("{\"a\":\"b\"}\n", "{\"a\":\"b\"}\n"),
            ("\"\u{7f}\u{85}\"", "\"\\u007f\\u0085\""),
            ("\"\\\"\u{200b}\\\\\"", "\"\\\"\\u200b\\\\\""),
            (
                "\"\u{e0041}a\u{fe0f} \u{1f468}\u{200d}\u{1f469}\"",
                "\"\\udb40\\udc41a\\ufe0f \u{1f468}\u{200d}\u{1f469}\"",
            ),
            ("{\n\t\"a\": 1\r\n}\n[1]\n", "{  \"a\": 1  }\n[1]\n"),
            ("\"raw\ttab\"", "\"raw\\u0009tab\""),
        ];
        for (json, expected) in cases {
            assert_eq!(escape_json(json.as_bytes()), expected, "{json:?}");
        }
        assert_eq!(escape_json(b"\"\xff\""), "\"\u{fffd}\"");
    }

    proptest! {
        #[test]
        fn any_string_is_the_same_afterwards(text in any::<String>()) {
            let mut json = Vec::new();
            let mut object = annals_json::ObjectWriter::begin(&mut json);
            object.string("key", &text);
            object.end();
            let escaped = escape_json(&json);
            prop_assert!(is_clean(&escaped, LineBreaks::Line), "{:?}", escaped);
            let value = Value::parse(escaped.as_bytes()).expect("JSON");
            prop_assert_eq!(value.get("key").and_then(Value::text).map(|text| text.to_string()), Some(text));
        }
    }
}
