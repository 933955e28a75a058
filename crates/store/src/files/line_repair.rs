//! The bytes that end a torn line: the rest of a cut UTF-8 character, if there is one, what keeps the next line from being
//! read as a part of it, and a line break. A line that has its line break may be torn as well: other writers add one.
//!
//! Existing bytes are not changed. Without the rest of the character the file would not be UTF-8, and strict readers would
//! reject all of it.

/// How many bytes of a file's end decide the repair: blank lines may follow a torn one.
pub(crate) const TAIL_BYTES: u64 = 4096;

/// The longest repair: three bytes of a character and a line break.
pub(crate) const MAX_REPAIR_BYTES: u64 = 4;

/// Starts a string, which a line break cannot be in.
const BREAK: u8 = b'"';

/// Returns the bytes to append before another line can follow; empty if the file ends with a complete line.
pub(crate) fn line_repair(end: &[u8]) -> Vec<u8> {
    let mut line_repair = match end.last() {
        None => return Vec::new(),
        Some(b'\n') if !expects_value(end) => return Vec::new(),
        Some(_) => rest_of_letter(end),
    };
    if expects_value(end) {
        line_repair.push(BREAK);
    }
    line_repair.push(b'\n');
    line_repair
}

/// Whether a torn line may take the next one for its value: 2.1.325 reads values that span lines. Inside of a string it does
/// not, and ending the string does no harm.
fn expects_value(end: &[u8]) -> bool {
    end.trim_ascii_end().last().is_some_and(|last| matches!(last, b':' | b',' | b'['))
}

/// Returns bytes that complete a cut UTF-8 character. Which character it becomes does not matter: its line is torn.
fn rest_of_letter(end: &[u8]) -> Vec<u8> {
    let Some(at) = end.iter().rposition(|byte| byte & 0xc0 != 0x80) else { return Vec::new() };
    let begun = &end[at..];
    let is_cut = std::str::from_utf8(begun).is_err_and(|error| error.error_len().is_none());
    let length = match begun[0] {
        _ if !is_cut => return Vec::new(),
        0xf0.. => 4,
        0xe0.. => 3,
        _ => 2,
    };
    // The second byte must not make an overlong encoding.
    let second = match begun[0] {
        0xe0 => 0xa0,
        0xf0 => 0x90,
        _ => 0x80,
    };
    (begun.len()..length).map(|place| if place == 1 { second } else { 0x80 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_cut_anywhere_becomes_text_again() {
        for letter in [
            "\u{80}",
            "é",
            "\u{7ff}",
            "\u{800}",
            "漢",
            "\u{d7ff}",
            "\u{ffff}",
            "\u{10000}",
            "😀",
            "\u{10ffff}",
        ] {
            for cut in 1..letter.len() {
                let mut line = format!("{{\"a\":\"x{letter}").into_bytes();
                line.truncate(line.len() - letter.len() + cut);
                let before = line.clone();
                line.extend(line_repair(&before));
                assert!(std::str::from_utf8(&line).is_ok(), "{letter:?} cut at {cut}: {line:x?}");
                assert!(line.starts_with(&before) && line.ends_with(b"\n") && line.len() <= before.len() + 4);
            }
        }
    }

    #[test]
    fn what_is_no_cut_letter_is_only_ended() {
        for end in [
            &b"abc"[..],
            "xé".as_bytes(),
            "😀".as_bytes(),
            b"a\xff",
            b"\x80\x80\x80\x80",
            b"x\xc3\xff",
            b"\xed\xa0",
        ] {
            assert_eq!(line_repair(end), b"\n", "{end:x?}");
        }
        assert_eq!(line_repair(b""), b"");
        assert_eq!(line_repair(b"abc\n"), b"");
        assert_eq!(line_repair(b"\n\n"), b"");
        assert_eq!(line_repair(b" "), b"\n");
    }

    #[test]
    fn a_value_that_another_line_would_become_is_ended() {
        for end in [&b"\"a\":"[..], b"[1,", b"\":[", b"\": ", b"\"a\":\n", b"[1,\r\n", b"\":[\n\n\n\n\n"] {
            assert_eq!(line_repair(end), b"\"\n", "{end:x?}");
        }
    }
}
