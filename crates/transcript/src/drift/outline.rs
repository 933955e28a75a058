//! A value without what it says: keys, numbers and words of the format stay, other texts become their length. Such an example can
//! go into a bug report.

use annals_json::{Fields, Value, ValueKind, write_string};

/// The most that is shown of an object or a list, and how deep.
const MAX_ENTRIES: usize = 12;
const MAX_DEPTH: usize = 4;
/// The longest key or word that is shown.
const MAX_WORD: usize = 32;
/// Keys whose values are words of the format.
const WORD_KEYS: [&str; 7] = ["type", "subtype", "role", "status", "mode", "level", "stop_reason"];

/// The outline of a value, as JSON.
pub fn outline(value: Value<'_>) -> String {
    let mut out = Vec::new();
    write(&mut out, value, "", 0);
    String::from_utf8_lossy(&out).into_owned()
}

fn write(out: &mut Vec<u8>, value: Value<'_>, key: &str, depth: usize) {
    match value.kind() {
        ValueKind::Object if depth < MAX_DEPTH => write_object(out, &value.fields(), depth),
        ValueKind::Array if depth < MAX_DEPTH => write_list(out, value, depth),
        ValueKind::Object => out.extend_from_slice(b"{}"),
        ValueKind::Array => out.extend_from_slice(b"[]"),
        ValueKind::String => {
            let text = value.text().map(|text| text.to_string()).unwrap_or_default();
            let is_shown = WORD_KEYS.contains(&key) && is_word(&text);
            let length = text.chars().count();
            write_string(out, if is_shown { text } else { format!("{length} characters") }.as_str());
        }
        _ => out.extend_from_slice(value.raw()),
    }
}

fn write_object(out: &mut Vec<u8>, fields: &Option<Fields<'_>>, depth: usize) {
    out.push(b'{');
    let fields = fields.iter().flat_map(Fields::iter);
    for (at, field) in fields.take(MAX_ENTRIES).enumerate() {
        if at > 0 {
            out.push(b',');
        }
        let key = field.key.to_string();
        // Some objects have paths or ids as keys.
        write_string(out, if is_word(&key) { &key } else { "…" });
        out.push(b':');
        write(out, field.value, &key, depth + 1);
    }
    out.push(b'}');
}

fn write_list(out: &mut Vec<u8>, value: Value<'_>, depth: usize) {
    out.push(b'[');
    for (at, item) in value.items().take(MAX_ENTRIES).enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write(out, item, "", depth + 1);
    }
    out.push(b']');
}

fn is_word(text: &str) -> bool {
    text.len() <= MAX_WORD
        && text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_says_nothing_of_the_content() {
        let value = br#"{"type":"new_thing","text":"my secret","n":12,"deep":{"/home/me":[true,null,"ab"]},"status":"a b"}"#;
        let value = Value::parse(value).unwrap();
        assert_eq!(
            outline(value),
            r#"{"type":"new_thing","text":"9 characters","n":12,"deep":{"…":[true,null,"2 characters"]},"status":"3 characters"}"#
        );
    }
}
