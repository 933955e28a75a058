//! Base 64 with padding, both ways: the API takes no other form.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes in base 64.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

/// The bytes that a text in base 64 stands for; nothing where it is none.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for group in digits.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for place in 0..4 {
            bits = bits << 6 | group.get(place).map_or(Some(0), |&digit| value(digit))?;
        }
        let [_, bytes @ ..] = bits.to_be_bytes();
        out.extend_from_slice(&bytes[..group.len() - 1]);
    }
    Some(out)
}

fn value(digit: u8) -> Option<u32> {
    DIGITS.iter().position(|&known| known == digit).map(|at| at as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        for (plain, coded) in [("", ""), ("M", "TQ=="), ("Ma", "TWE="), ("Man", "TWFu"), ("Many", "TWFueQ==")]
        {
            assert_eq!(encode(plain.as_bytes()), coded);
            assert_eq!(decode(coded).as_deref(), Some(plain.as_bytes()));
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), Some(all));
    }

    #[test]
    fn what_is_no_base64_is_refused() {
        for bad in ["TQ", "TQ=", "T===", "TW u", "TW-u", "data:image/png;base64,TWFu", "===="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
