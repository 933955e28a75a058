//! Random strings that nothing announces: so long and so mixed that only a key or a token looks like that. Names of programs,
//! hashes, ids of services, addresses of wallets and data in base64 are not taken.

use std::ops::Range;

use super::evidence::is_digest;
use super::haystack::{Alphabet, Haystack};
use super::kind::SecretKind;
use super::rules::{Finding, is_inside};
use super::values::{is_name, is_placeholder, is_random, is_uuid, is_varied};
use super::words::{WordList, has_word, parts, random_bits};

/// The fewest bytes of a token with letters of both cases and digits; behind a prefix such as `live_`, what follows it. The ids
/// that services generate have at most 27.
const MIN_BYTES: usize = 30;
const MIN_TAIL_BYTES: usize = 28;
/// The same for letters of one case and digits.
const MIN_CAPITAL_BYTES: usize = 32;
const MIN_SMALL_BYTES: usize = 40;
/// What is longer is data.
const MAX_BYTES: usize = 200;
/// The longest part of a prefix.
const MAX_PREFIX_BYTES: usize = 12;
/// A word of this many letters makes a name of it.
const MIN_WORD_LETTERS: usize = 8;
const UUID_BYTES: usize = 36;
/// Lengths of the addresses of wallets, which have no `0`, `O`, `I` and `l`.
const ADDRESS_BYTES: std::ops::RangeInclusive<usize> = 32..=44;
/// How much before a token is looked at for its name.
const MAX_SIGN_BYTES: usize = 8;
const MAX_NAME_BYTES: usize = 48;
/// The digits of a full line of base64.
const MIN_LINE_DIGITS: usize = 40;
/// Words in the names of values that everybody may see.
static PUBLIC_NAMES: WordList = WordList::new(
    "id ids uid guid sha sha1 sha256 sha512 md5 hash hashes hashed digest etag cursor page next continuation nonce \
     integrity checksum public pub publishable address addr commit revision rev version build chunk cache trace span \
     request correlation signature verification fingerprint thumbprint slug branch ref tree blob file filename path \
     name query url uri anchor icon image img src href challenge csrf xsrf thread message conversation resource sample \
     expected actual fixture content data body seq sequence dna protein",
);

/// Words in the names of digits that name a thing, and are no key to it.
static OTHER_IDS: WordList = WordList::new(
    "uuid tenant subscription client session machine account org organization project workspace user device instance \
     cluster volume disk partition boot node run job task agent environment zone region group dist distribution gpg pgp \
     key keyid serial tag release snapshot head base parent origin upstream salt",
);

/// Finds the random strings of a text, outside these ranges.
pub(super) fn find(hay: &Haystack<'_>, public: &[Range<usize>], found: &mut Vec<Finding>) {
    hay.count(hay.bytes.len());
    let mut start = 0;
    for at in 0..=hay.bytes.len() {
        if hay.bytes.get(at).is_some_and(|&byte| Alphabet::Dotted.has(byte)) {
            continue;
        }
        let run = start..at;
        start = at + 1;
        if run.len() < MIN_BYTES {
            continue;
        }
        let text = hay.text[run.clone()].trim_end_matches(['.', '-', '_']);
        let span = run.start..run.start + text.len();
        let is_sized = (MIN_BYTES..=MAX_BYTES).contains(&text.len());
        let is_secret = || is_token(hay, text, &span) || is_setting(hay, text, &span);
        if is_sized && !is_inside(public, &span) && is_secret() {
            found.push(Finding { kind: SecretKind::Entropy, span });
        }
    }
}

fn is_token(hay: &Haystack<'_>, text: &str, span: &Range<usize>) -> bool {
    hay.count(text.len() * 4);
    let tail = without_prefix(text);
    let min = if tail.len() == text.len() { MIN_BYTES } else { MIN_TAIL_BYTES };
    let is_mixed =
        tail.len() >= min && is_random(tail) && !has_word(tail, MIN_WORD_LETTERS) && !is_address(text);
    (is_mixed || is_single_case(tail))
        && !is_name(text)
        && !is_symbol(text)
        && stands_alone(hay, span)
        && !hay.is_data(span)
        && !is_among_digits(hay, span)
        && !has_public_name(hay, span.start)
}

/// Whether a variable of the environment is set to hexadecimal digits or a UUID, and its name speaks of nothing public:
/// `export OPENWEATHER=…`, `MAPTILER: …`.
fn is_setting(hay: &Haystack<'_>, text: &str, span: &Range<usize>) -> bool {
    if !is_digest(text) {
        return false;
    }
    let sign = hay.back(span.start, 3, |byte| b" \"'".contains(&byte));
    let Some(name_end) = sign.checked_sub(1).filter(|at| matches!(hay.byte(*at), b'=' | b':')) else {
        return false;
    };
    let name_end = hay.back(name_end, 2, |byte| b"\"'".contains(&byte));
    let start = hay.back(name_end, MAX_NAME_BYTES, |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
    });
    let name = &hay.text[start..name_end];
    let lead = hay.back(start, 16, |byte| byte != b'\n');
    let is_start = match hay.text.get(lead..start) {
        Some(lead) => {
            let word = lead
                .trim_start_matches(|sign: char| sign.is_whitespace() || "+-\"'{".contains(sign))
                .trim_end();
            word.is_empty()
                || ["export", "ENV", "ARG", "set", "declare -x", "$env:", "-e", "--env"].contains(&word)
        }
        None => false,
    };
    let end = hay.skip(span.end, 1, |byte| b"\"'".contains(&byte));
    let is_whole = matches!(hay.byte(end), b'\n' | b'\r' | b' ' | b',' | b'}' | 0);
    let is_public = |part: &str| {
        let part = part.to_ascii_lowercase();
        PUBLIC_NAMES.contains(&part) || OTHER_IDS.contains(&part)
    };
    name.bytes().filter(u8::is_ascii_uppercase).count() >= 4
        && is_start
        && is_whole
        && !parts(name).any(is_public)
}

/// What follows `live_`, `vercel_blob_rw_`, `sl.u.`.
fn without_prefix(text: &str) -> &str {
    let mut rest = text;
    while let Some(end) = rest.find(['_', '-', '.']) {
        let part = &rest[..end];
        let is_prefix = part.len() <= MAX_PREFIX_BYTES && random_bits(part) < 12.0;
        if !is_prefix {
            break;
        }
        rest = &rest[end + 1..];
    }
    rest
}

/// Letters of one case with digits among them, and not only those of hexadecimal numbers.
fn is_single_case(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.as_bytes().iter().any(test);
    let min = match (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase)) {
        (true, false) => MIN_SMALL_BYTES,
        (false, true) => MIN_CAPITAL_BYTES,
        _ => return false,
    };
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let beyond_hex =
        text.bytes().filter(|byte| byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit()).count();
    let changes = text
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit())
        .count();
    text.len() >= min
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && digits >= 4
        && beyond_hex * 4 >= text.len()
        && changes * 5 >= text.len()
        && is_varied(text)
        && !is_placeholder(text)
        && random_bits(text) >= text.len() as f64 * 2.5
}

/// A name that a compiler or a device made: `_ZN4core3fmt…`, `GPU-` and a UUID.
fn is_symbol(text: &str) -> bool {
    let has_uuid = text.len().checked_sub(UUID_BYTES).and_then(|at| text.get(at..)).is_some_and(is_uuid);
    has_uuid || ["_Z", "__Z", "_R"].iter().any(|prefix| text.starts_with(prefix))
}

/// The public address of a wallet.
fn is_address(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() && !b"0OIl".contains(&byte);
    ADDRESS_BYTES.contains(&text.len()) && text.bytes().all(is_digit)
}

/// Whether it is no part of a path, an address or a longer run of base64.
fn stands_alone(hay: &Haystack<'_>, span: &Range<usize>) -> bool {
    let is_bound = |byte: u8| !b"/+%\\~@#&*".contains(&byte) && byte < 0x80;
    let is_padded = hay.byte(span.end) == b'=';
    let is_parameter = hay.before(span.start) == b'=' && {
        let name = hay.back(span.start - 1, MAX_NAME_BYTES, |byte| Alphabet::Dotted.has(byte));
        matches!(hay.before(name), b'?' | b'&' | b';') || name + 1 == span.start
    };
    is_bound(hay.before(span.start)) && is_bound(hay.byte(span.end)) && !is_padded && !is_parameter
}

/// Whether the line before or after it is base64 as well.
fn is_among_digits(hay: &Haystack<'_>, span: &Range<usize>) -> bool {
    let is_between = |byte: u8| byte.is_ascii_whitespace() || b"\"'+,#*/>|".contains(&byte);
    let is_digit = |byte: u8| Alphabet::Base64.has(byte) || b"-_".contains(&byte);
    let before = hay.back(span.start, 16, is_between);
    let has_line_before = hay.bytes[before..span.start].contains(&b'\n')
        && before - hay.back(before, MIN_LINE_DIGITS, is_digit) >= MIN_LINE_DIGITS;
    let after = hay.skip(span.end, 16, is_between);
    let has_line_after = hay.bytes[span.end..after].contains(&b'\n')
        && hay.skip(after, MIN_LINE_DIGITS, is_digit) - after >= MIN_LINE_DIGITS;
    has_line_before || has_line_after
}

/// Whether the name that it is given is that of something public: `buildId: "…"`, `integrity = …`.
fn has_public_name(hay: &Haystack<'_>, start: usize) -> bool {
    let sign = hay.back(start, MAX_SIGN_BYTES, |byte| b" \t\"'`:=(>".contains(&byte));
    let name = hay.back(sign, MAX_NAME_BYTES, |byte| Alphabet::Dotted.has(byte));
    let is_public = |part: &str| PUBLIC_NAMES.contains(part.to_ascii_lowercase().as_str());
    hay.bytes[sign..start].iter().any(|byte| b":=(>".contains(byte))
        && parts(&hay.text[name..sign]).any(is_public)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        find(&Haystack::new(text), &[], &mut found);
        found.into_iter().map(|finding| &text[finding.span]).collect()
    }

    #[test]
    fn random_strings_are_found_whatever_their_prefix() {
        for token in [
            "XJRFSbGc4FBlNVdA4fQk4Hzo4dEKLN82",
            "aio_Zqumpm08hsE8JNpjJOQGa2rb19Fl",
            "vercel_blob_rw_0TyoRjaxJ60U2LaI_CqiyG2a8OZ2mpZFr6fWbwSWAQ6TFLK",
            "htohf5pbfmb7dzm4kgep9qh2tuyfrew0xafh6sw4mlo2cgwndttr",
            "SUAO6NABCB9FR1Z0YLK32T6A1ZRXKS43NB0FHV74GYL3C2J91ZX3EHHK5N",
        ] {
            for text in [
                token.to_owned(),
                format!("use {token}."),
                format!("X = \"{token}\"\n"),
                format!("A={token}"),
            ] {
                assert_eq!(tokens(&text), [token], "{text}");
            }
        }
    }

    #[test]
    fn ids_hashes_addresses_and_data_are_not() {
        for text in [
            "toolu_01VQrLRn8EY5jVKGvJMWDVRc",
            "agent_msg_01N19vwZpkXVGpgqReSRZ4Vn",
            "buildId: \"XJRFSbGc4FBlNVdA4fQk4Hzo4dEKLN82\"",
            "sha512-XJRFSbGc4FBlNVdA4fQk4Hzo4dEKLN82XJRFSbGc4FBlNVdA4fQk4Hzo4dEKLN==",
            "https://docs.h.net/d/XJRFSbGc4FBlNVdA4fQk4Hzo4dEKLN82/edit",
            "https://h.net/?v=XJRFSbGc4FBlNVdA4fQk4Hzo4dEKLN82",
            "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
            "_Z55__device_stub__Z26vsla_gpu_matmul_kernel_f32PfPKfS1_iiiPfPKfS1_iii",
            "GPU-4ba4586d-2e15-becb-0980-cf533467243e",
            "WHvX64RegisterMsrMtrrFix16k80000",
            "SpecialBoundsError::SignedDurationFloatOutOfRangeF64.into()",
            "9fceb02d0ae598e95dc970b74767f19372d61af89fceb02d0ae598e95dc970b7",
            "MQswCQYDVQQGEwJVUzEPMA0GA1UEChMGQW1hem9uMRkwFwYDVQQDExBBbWF6b24g\nMQswCQYDVQQGEwJVUzEPMA0GA1UEChMGQW1hem9uMRkwFwYDVQQDExBBbWF6b24g",
        ] {
            assert_eq!(tokens(text), Vec::<&str>::new(), "{text}");
        }
    }
}
