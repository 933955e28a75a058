//! Whether a line continues the token that the line above ends with, or begins something of its own.

use super::ids::is_uuid;

/// How much of a line is looked at.
const MAX_BYTES: usize = 64;
/// Digits of a short and of a long hash, which a blank and a title follow.
const HASH_DIGITS: std::ops::RangeInclusive<usize> = 7..=40;
const UUID_BYTES: usize = 36;

/// Whether a line begins with a date, a time, or a name and its value: no token goes on like that.
pub(super) fn starts_with_date_or_setting(line: &[u8]) -> bool {
    let line = &line[..line.len().min(MAX_BYTES)];
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let word = count(line, is_word);
    let next = |at: usize| line.get(at).copied().unwrap_or(b'\n');
    // Padding of base64 ends the line.
    let is_setting = match next(word) {
        b'=' => !b"=\r\n\"'".contains(&next(word + 1)),
        b':' => next(word + 1) == b' ',
        _ => false,
    };
    is_setting && word > 0 || starts_with_time(line)
}

/// Whether a line begins with what lines of logs and lists begin with: also a number, a hash and a title, a UUID. No token that
/// is long enough goes on like that.
pub(super) fn starts_log_or_list_line(line: &[u8]) -> bool {
    let line = &line[..line.len().min(MAX_BYTES)];
    let next = |at: usize| line.get(at).copied().unwrap_or(b'\n');
    let is_blank = |at: usize| b" \t".contains(&next(at)) && !is_blank_end(&line[at..]);
    let hash = count(line, |byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let number = count(line, |byte| byte.is_ascii_digit());
    let is_uuid = line.get(..UUID_BYTES).and_then(|id| std::str::from_utf8(id).ok()).is_some_and(is_uuid);
    HASH_DIGITS.contains(&hash) && is_blank(hash)
        || number > 0 && !next(number).is_ascii_alphanumeric() && !b"-_".contains(&next(number))
        || is_uuid
        || starts_with_date_or_setting(line)
}

/// `2026-10-03`, `03/10/2026`, `11:42:07`, `20261003T114207`, `10.0.0.1`
fn starts_with_time(line: &[u8]) -> bool {
    let first = count(line, |byte| byte.is_ascii_digit());
    let Some((&sign, rest)) = line[first..].split_first().filter(|_| first > 0) else { return false };
    let second = count(rest, |byte| byte.is_ascii_digit());
    let third = rest.get(second + 1).is_some_and(u8::is_ascii_digit);
    match sign {
        b'-' | b'/' | b':' | b'.' => (1..=3).contains(&second) && rest.get(second) == Some(&sign) && third,
        b'T' => first == 8 && second >= 4,
        _ => false,
    }
}

fn is_blank_end(rest: &[u8]) -> bool {
    let blanks = count(rest, |byte| b" \t\r".contains(&byte));
    matches!(rest.get(blanks), None | Some(b'\n'))
}

fn count(bytes: &[u8], passes: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&byte| passes(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_logs_and_lists_are_told_from_tokens() {
        for line in [
            "2026-10-03T11:42:07.502Z DEBUG",
            "2026-10-03 next",
            "2026/10/03 11:42",
            "03.10.2026 next",
            "11:42:07 INFO",
            "20261003T114207Z x",
            "1759491727.502 x",
            "10.0.0.1 - - x",
            "42",
            "7 lines",
            "7f3a9c1 fix the parser",
            "9fceb02d0ae598e95dc970b74767f19372d61af8 fix the parser",
            "550e8400-e29b-41d4-a716-446655440000",
            "PORT=8080",
            "API_KEY2=a",
            "x-request-id: 7",
        ] {
            assert!(starts_log_or_list_line(line.as_bytes()), "{line}");
        }
        for line in ["2026-10-03T11:42:07.502Z DEBUG", "11:42:07 INFO", "10.0.0.1 - - x", "PORT=8080", "a: b"]
        {
            assert!(starts_with_date_or_setting(line.as_bytes()), "{line}");
        }
        // The end of a token that is not long enough without it.
        for line in ["42", "7 lines", "7f3a9c1 fix the parser", "550e8400-e29b-41d4-a716-446655440000"] {
            assert!(!starts_with_date_or_setting(line.as_bytes()), "{line}");
        }
        for line in [
            "Qz7Lm2Pq8Xv",
            "7Lm2Pq8XvQz to the file",
            "20Lm2Pq8XvQz",
            "2-Lm2Pq8XvQz",
            "9fceb02d0ae5\n",
            "9fceb02d0ae5 \n",
            "Qz7Lm2Pq8Xv==",
            "Qz7Lm2Pq8Xv=\n",
            "",
        ] {
            assert!(!starts_log_or_list_line(line.as_bytes()), "{line}");
        }
    }
}
