//! Cuts the middle out of long strings: a value of the same form, in a fraction of the memory.

use super::scan;
use super::value::Value;

/// What stands for the middle that was cut out.
const GAP: &str = "…";
/// How far a clean place to cut is looked for.
const MAX_LOOK: usize = 64;

/// Appends the value to `out`. Of a string of more than `max` bytes the first three quarters of `max` and the last eighth stay;
/// a string that is not UTF-8, or that has surrogate escapes, stays whole. Returns whether anything was cut.
///
/// ```
/// let value = annals_json::Value::parse(br#"{"short":"as it is","long":"0123456789abcdefghijklmnopqrstuvwxyz"}"#).unwrap();
/// let mut out = Vec::new();
/// assert!(annals_json::shorten_strings(value, 16, &mut out));
/// assert_eq!(String::from_utf8(out).unwrap(), r#"{"short":"as it is","long":"0123456789ab…yz"}"#);
/// ```
pub fn shorten_strings(value: Value<'_>, max: usize, out: &mut Vec<u8>) -> bool {
    let raw = value.raw();
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = raw.get(at..).and_then(|rest| memchr::memchr(b'"', rest)) {
        let start = at + found + 1;
        at = scan::skip_string(raw, start - 1);
        let text = raw.get(start..at.saturating_sub(1)).unwrap_or_default();
        if text.len() > max
            && let Some((from, to)) = middle(text, max)
        {
            out.extend_from_slice(&raw[copied..start + from]);
            out.extend_from_slice(GAP.as_bytes());
            copied = start + to;
        }
    }
    out.extend_from_slice(&raw[copied..]);
    copied > 0
}

/// The part of a string to cut out, which begins and ends between characters and escapes.
fn middle(text: &[u8], max: usize) -> Option<(usize, usize)> {
    let has_surrogates =
        [&b"\\ud"[..], b"\\uD"].iter().any(|mark| memchr::memmem::find(text, mark).is_some());
    if has_surrogates || simdutf8::basic::from_utf8(text).is_err() {
        return None;
    }
    let mut from = 0;
    while from < max / 4 * 3 {
        from += match (text[from], text.get(from + 1)) {
            (b'\\', Some(b'u')) => 6,
            (b'\\', _) => 2,
            _ => 1 + text[from + 1..].iter().take_while(|byte| is_continuation(**byte)).count(),
        };
    }
    // After a few bytes without a backslash there is no escape that could still be open.
    let is_clean = |at: &usize| {
        let before = &text[at.saturating_sub(6)..*at];
        !before.contains(&b'\\') && text.get(*at).is_none_or(|byte| !is_continuation(*byte))
    };
    let wanted = text.len() - max / 8;
    let to = (wanted..=text.len().min(wanted + MAX_LOOK)).find(is_clean).unwrap_or(text.len());
    (from < to).then_some((from, to))
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::write_string;

    fn shortened(json: &[u8], max: usize) -> (String, bool) {
        let mut out = Vec::new();
        let is_cut = shorten_strings(Value::parse(json).unwrap(), max, &mut out);
        (String::from_utf8(out).unwrap(), is_cut)
    }

    #[test]
    fn short_strings_and_what_cannot_be_cut_cleanly_stay() {
        for json in [r#"{"a":["b",1,null]}"#.to_owned(), format!("\"{}\"", r"\ud83d\ude00".repeat(40))] {
            assert_eq!(shortened(json.as_bytes(), 16), (json, false));
        }
        let mut broken = b"\"\xff".to_vec();
        broken.extend([b'a'; 60]);
        broken.push(b'"');
        let mut out = Vec::new();
        assert!(!shorten_strings(Value::parse(&broken).unwrap(), 16, &mut out));
        assert_eq!(out, broken);
    }

    #[test]
    fn a_string_of_escapes_is_cut_between_them() {
        let json = format!("\"{}\"", r#"\\\"\n"#.repeat(50));
        let (short, is_cut) = shortened(json.as_bytes(), 16);
        assert!(is_cut && short.len() < 40, "{short}");
        assert!(Value::parse(short.as_bytes()).is_ok(), "{short}");
    }

    proptest! {
        #[test]
        fn what_is_left_is_json_with_the_same_strings_or_their_beginnings(texts in proptest::collection::vec(".{0,80}", 1..5), max in 16_usize..60) {
            let mut json = b"[".to_vec();
            for (at, text) in texts.iter().enumerate() {
                if at > 0 {
                    json.push(b',');
                }
                write_string(&mut json, text);
            }
            json.push(b']');
            let (short, is_cut) = shortened(&json, max);
            let value = Value::parse(short.as_bytes()).unwrap();
            let left: Vec<String> = crate::strings(value).map(|string| string.text.to_string()).collect();
            prop_assert_eq!(left.len(), texts.len());
            for (left, text) in left.iter().zip(&texts) {
                let (head, tail) = left.split_once(GAP).filter(|_| left != text).unwrap_or((left, ""));
                prop_assert!(left == text || (text.starts_with(head) && text.ends_with(tail)), "{:?} {:?}", left, text);
            }
            prop_assert!(is_cut || short.as_bytes() == json);
        }
    }
}
