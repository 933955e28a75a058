//! Lone surrogates: escapes of one half of a surrogate pair without the other.
//!
//! JavaScript writes them and JSON allows them. Some clients send them, others replace them with U+FFFD.

/// Replaces every lone surrogate escape with `\ufffd`; `None` if there is none.
pub(super) fn replaced(raw: &[u8]) -> Option<Vec<u8>> {
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &raw[at..]) {
        let here = at + found;
        at = match unit(raw, here) {
            Some(0xd800..=0xdbff) if matches!(unit(raw, here + 6), Some(0xdc00..=0xdfff)) => here + 12,
            Some(0xd800..=0xdfff) => {
                let out = out.get_or_insert_with(|| raw.to_vec());
                out[here..here + 6].copy_from_slice(b"\\ufffd");
                here + 6
            }
            Some(_) => here + 6,
            None => here + 2,
        };
        if at >= raw.len() {
            break;
        }
    }
    out
}

/// The UTF-16 code unit of an escape at this position.
fn unit(raw: &[u8], at: usize) -> Option<u16> {
    let digits = raw.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_are_replaced() {
        let check = |raw: &str, expected: Option<&str>| {
            assert_eq!(
                replaced(raw.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap()).as_deref(),
                expected
            );
        };
        check(r#"{"text":"plain \n \u00e4"}"#, None);
        check(r#"{"text":"\ud83d\ude00"}"#, None);
        check(r#"{"text":"\\ud83d"}"#, None);
        check(r#"{"text":"a\ud83d b"}"#, Some(r#"{"text":"a\ufffd b"}"#));
        check(r#""\udc00\ud83d\ude00\ud83d""#, Some(r#""\ufffd\ud83d\ude00\ufffd""#));
    }
}
