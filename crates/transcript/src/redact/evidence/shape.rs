//! How much a token looks like a secret that a person chose or a program generated, whatever stands around it.

use crate::redact::ids::{is_name, is_uuid};
use crate::redact::values::{is_likely, is_placeholder, is_random, is_setting, is_varied};
use crate::redact::words::{WordList, is_name_word, parts, random_bits};

const MIN_BYTES: usize = 6;
const MAX_BYTES: usize = 256;
/// The fewest bytes of a key.
const MIN_RANDOM_BYTES: usize = 20;
/// Lengths of keys and digests in hexadecimal digits.
const HEX_BYTES: [usize; 6] = [32, 40, 48, 64, 96, 128];

/// Parts of names of algorithms.
static ALGORITHMS: WordList =
    WordList::new("AES CBC GCM CTR HS RS ES PS SHA RSA HMAC ECDH ECDHE ECDSA KW PBES CHACHA");

/// How much a token looks like a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// A word, a name, a path, a number.
    Plain,
    /// A password of words, or a digest: `falcon2931`, `lemon-hawk-ocean-42`. Elsewhere it may be a name.
    Possible,
    /// Mixed as passwords are: `Falcon88!`.
    Likely,
    /// Random and long, as keys are.
    Random,
}

/// What a token is made of.
struct Classes {
    lower: usize,
    upper: usize,
    digits: usize,
    /// Signs that names of programs do not have.
    signs: usize,
    /// `_`, `-` and `.`
    joints: usize,
    others: usize,
    /// Digits between two letters.
    inner_digits: usize,
}

impl Classes {
    fn of(token: &str) -> Self {
        let mut all = Self { lower: 0, upper: 0, digits: 0, signs: 0, joints: 0, others: 0, inner_digits: 0 };
        let bytes = token.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'a'..=b'z' => all.lower += 1,
                b'A'..=b'Z' => all.upper += 1,
                b'0'..=b'9' => {
                    all.digits += 1;
                    let is_letter = |at: Option<usize>| {
                        at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic)
                    };
                    all.inner_digits += usize::from(is_letter(at.checked_sub(1)) && is_letter(Some(at + 1)));
                }
                b'!' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?' | b'@' | b'+' | b'~' => all.signs += 1,
                b'_' | b'-' | b'.' => all.joints += 1,
                _ => all.others += 1,
            }
        }
        all
    }

    fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

/// Whether it is a UUID or has as many hexadecimal digits as keys have.
pub(in crate::redact) fn is_digest(token: &str) -> bool {
    let is_hex = HEX_BYTES.contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hex || is_uuid(token)) && is_varied(token)
}

/// How much a token looks like a secret.
pub(super) fn shape(token: &str) -> Shape {
    if !(MIN_BYTES..=MAX_BYTES).contains(&token.len()) || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Shape::Plain;
    }
    if is_digest(token) {
        return Shape::Possible;
    }
    if is_placeholder(token)
        || is_name(token)
        || is_expression(token)
        || is_file(token)
        || is_algorithm(token)
        || is_key_press(token)
    {
        return Shape::Plain;
    }
    if token.len() >= MIN_RANDOM_BYTES && is_random(token.trim_end_matches('=')) {
        return Shape::Random;
    }
    let classes = Classes::of(token);
    if classes.signs == 0 && token.contains('_') && has_name_word(token) {
        return Shape::Plain;
    }
    if is_product_key(token)
        || is_mixture(token, &classes)
        || is_likely(token) && classes.signs + classes.digits >= 2
    {
        return Shape::Likely;
    }
    if is_made_of_words(token, &classes) { Shape::Possible } else { Shape::Plain }
}

/// Three kinds of characters, or digits among letters: words of programs and of sentences are not like that.
fn is_mixture(token: &str, classes: &Classes) -> bool {
    if classes.others > 0 || classes.letters() < 3 || token.len() < 8 {
        return false;
    }
    let kinds = [classes.lower, classes.upper, classes.digits, classes.signs];
    let kinds = kinds.iter().filter(|count| **count > 0).count();
    let bits = random_bits(token);
    // `root@web1`, `lodash@4`, `C++17`, `a+b2` have one sign and no more than that.
    let inner = token.trim_end_matches(['!', '?']);
    let has_sign = token.contains(['!', '#', '$', '^', '~', '&', '%'])
        || classes.signs > 0 && (classes.upper > 0 && classes.lower > 0 || classes.inner_digits > 0);
    let is_word = inner.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_signed = kinds >= 3 && has_sign && !is_word && !is_address(token);
    let is_digit_word =
        classes.inner_digits >= 2 && kinds >= 3 && classes.joints == 0 && !token.contains(['+', '/']);
    let is_short_key = token.len() >= 10
        && classes.joints + classes.signs == 0
        && classes.digits >= 1
        && bits >= 30.0
        && bits >= token.len() as f64 * 2.8
        && is_varied(token)
        && !token.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_signed || is_digit_word || is_short_key) && !has_name_word(token)
}

/// A word with digits behind it, two words with a sign between them, several words and a number.
fn is_made_of_words(token: &str, classes: &Classes) -> bool {
    let letters = classes.letters();
    if classes.others > 0 || letters < 3 || has_name_word(token) || is_address(token) {
        return false;
    }
    let starts = token.as_bytes()[0].is_ascii_alphanumeric();
    let is_plain = classes.signs + classes.joints == 0;
    let digits = token.len() - token.trim_end_matches(|sign: char| sign.is_ascii_digit()).len();
    let is_numbered = is_plain && (2..=6).contains(&digits) && letters >= 3 && classes.inner_digits == 0;
    let inner = token.trim_end_matches(['!', '?']);
    let is_word = inner.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_signed = classes.signs >= 1 && classes.joints == 0 && token.len() >= 7 && starts && !is_word;
    let words = token.split(['-', '_', '.']).filter(|word| word.len() >= 3).count();
    let is_phrase = words >= 2 && (2..=6).contains(&digits) && classes.joints >= 2 && classes.joints <= 6;
    let bits = random_bits(token);
    let is_short_key = is_plain
        && token.len() >= 8
        && bits >= token.len() as f64 * 2.0
        && is_varied(token)
        && !token.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (classes.digits > 0 || bits >= 26.0);
    // Digits in the midst of letters: no word and no word with a number.
    let is_laced = is_plain
        && token.len() >= 8
        && digits < classes.digits
        && token.as_bytes()[0].is_ascii_alphabetic()
        && classes.upper == 0
        && is_varied(token)
        && !token.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_numbered || is_signed || is_phrase || is_short_key || is_laced
}

/// `QYBM-SIGV-OED6-OJN3`: groups of capitals and digits of the same length.
fn is_product_key(token: &str) -> bool {
    let mut groups = token.split('-');
    let length = groups.next().map_or(0, str::len);
    let is_group = |group: &str| {
        group.len() == length && group.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    let count = token.split('-').count();
    (4..=6).contains(&length)
        && (3..=8).contains(&count)
        && token.split('-').all(is_group)
        && token.bytes().any(|byte| byte.is_ascii_digit())
        && token.bytes().any(|byte| byte.is_ascii_uppercase())
        && random_bits(token) >= token.len() as f64 * 2.0
}

/// `Ctrl+Shift+M`
fn is_key_press(token: &str) -> bool {
    let first = token.split('+').next().unwrap_or_default().to_ascii_lowercase();
    token.contains('+')
        && ["ctrl", "cmd", "alt", "shift", "meta", "option", "control", "super"].contains(&first.as_str())
}

/// `A128CBC-HS256`
fn is_algorithm(token: &str) -> bool {
    let is_name = |part: &str| ALGORITHMS.contains(part);
    !token.bytes().any(|byte| byte.is_ascii_lowercase()) && parts(token).any(is_name)
}

/// A word that names of programs are made of.
fn has_name_word(token: &str) -> bool {
    parts(token).any(|part| part.len() >= 3 && is_name_word(&part.to_ascii_lowercase()))
}

/// `root@web1`, `lodash@4.17`, `ann@example.net`
fn is_address(token: &str) -> bool {
    token.split_once('@').is_some_and(|(name, host)| {
        let is_name =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-+^~".contains(&byte));
        let is_host =
            host.contains('.') || host.bytes().all(|byte| byte.is_ascii_digit() || b"^~".contains(&byte));
        is_name(name) && is_name(host) && (is_host || host.is_empty() || name.is_empty())
    })
}

/// Endings of files that are named after what they are about.
static FILE_ENDINGS: WordList = WordList::new(
    "rs py ts tsx js jsx mjs go java kt c h cc cpp hpp cs rb php sh bash zsh fish pl lua swift dart ex exs md txt json jsonl \
     yaml yml toml ini cfg conf env xml html htm css scss svg png jpg jpeg gif pdf csv tsv sql db log lock zip gz tar tgz bz2 \
     xz so dll exe bin pem key crt cer der p12 pfx jks service socket local com net org io dev app internal",
);

/// The name of a file or a host, with a line number or not.
fn is_file(token: &str) -> bool {
    let name = token.split([':', '#']).next().unwrap_or(token);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    FILE_ENDINGS.contains(ending.to_ascii_lowercase().as_str()) && !ending.is_empty()
}

/// A part of a program, of a command or of a table.
fn is_expression(token: &str) -> bool {
    let first = token.as_bytes()[0];
    let padded = token.trim_end_matches('=');
    let has = |marks: &[&str]| marks.iter().any(|mark| padded.contains(mark));
    // A date, a time, a version.
    let is_number = token.bytes().all(|byte| !byte.is_ascii_alphabetic() || b"TZvxe".contains(&byte))
        && !token.contains(['!', '#', '$', '%', '^', '&', '*', '?', '@']);
    has(&[
        "::", "->", "=>", "==", "!=", "&&", "||", "${", "$(", "://", "..", "()", "+=", "++", "--", "##",
        "@@", "%s", "%d", "%0",
    ]) || first == b'-'
        || first == b'$' && random_bits(token) < 36.0
        || first == b'@' && random_bits(token) < 36.0
        || first == b'&' && random_bits(token) < 36.0
        || first == b'#' && random_bits(token) < 30.0
        || first == b'%' && random_bits(token) < 36.0
        || token.contains([':', '(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '`', '\\', ',', ';', '|'])
        || is_setting(token)
        || is_number
}
