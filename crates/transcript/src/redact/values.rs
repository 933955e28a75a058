//! Decides whether a value is a secret, or rather code, documentation, an id or a path.

use super::ids::is_program_name;
pub(super) use super::ids::{is_name, is_setting, is_uuid};
use super::names::Strength;
use super::words::{WordList, has_letter_digit, is_rules, is_word_pair, is_words, parts, random_bits};

/// How a value is written, which says how literal it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// `NAME=value` of a shell or an env file, or an argument: literal.
    Shell,
    /// Between quotes: literal, but often a sample, a label or the name of something.
    Quoted,
    /// Without quotes: a value of YAML, or an expression of a program.
    Bare,
}

/// Words that samples are made of, and passwords that everybody has.
static SAMPLE_WORDS: WordList = WordList::new(
    "test tests testing example sample dummy fake mock placeholder your my the changeme change me foo bar baz \
     password passwd pass secret secrets token key api apikey value string here insert todo none null redacted \
     hidden invalid valid wrong expired new old user admin root guest default dev development local localhost \
     demo abc xxx postgres postgresql mysql minioadmin auth access some public",
);
/// Words that no real secret has among its parts.
const SAMPLE_MARKS: &[&str] = &[
    "example",
    "placeholder",
    "changeme",
    "redacted",
    "dummy",
    "fake",
    "mock",
    "your",
    "insert",
    "replace",
    "sample",
    "test",
    "testing",
    "xxxx",
    "undefined",
    "notreal",
];
/// The same where a value is looked at as one string.
const SAMPLE_PARTS: &[&str] = &[
    "example",
    "placeholder",
    "changeme",
    "change_me",
    "redacted",
    "undefined",
    "process.env",
    "dummy",
    "xxxx",
    "****",
    "....",
    "sample",
    "your",
];
/// Values of a program or a setting.
static FLAGS: WordList = WordList::new(
    "true false yes no on off none null nil undefined enabled disabled default required optional string number \
     boolean bool any object unknown never void str int bytes text auto inherit write read always manual",
);

/// Whether a text is a sample of documentation: it says so, or it counts up, or it repeats itself.
pub(super) fn is_sample(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let bytes = lower.as_bytes();
    let near = |step: u8| bytes.windows(2).filter(|pair| pair[1] == pair[0].wrapping_add(step)).count();
    SAMPLE_PARTS.iter().any(|part| lower.contains(part))
        || near(1) * 5 >= bytes.len() * 2
        || near(0) * 2 >= bytes.len()
}

/// Whether a value refers to something else, or holds the place of a value.
pub(super) fn is_placeholder(value: &str) -> bool {
    // A password may begin with `%` or `*`, and so does what stands for one: `%s`, `*password`.
    let is_reference = value.starts_with(['$', '{', '<', '[', '…'])
        || value.starts_with(['%', '*']) && (random_bits(value) < 20.0 || value.ends_with('%'))
        || ["${", "{{", "$(", "<%"].iter().any(|mark| value.contains(mark));
    let mut all = parts(value).filter(|part| part.as_bytes()[0].is_ascii_alphabetic()).peekable();
    let lower = |part: &str| part.to_ascii_lowercase();
    let is_made_of_samples =
        all.peek().is_some() && all.all(|part| SAMPLE_WORDS.contains(lower(part).as_str()));
    let is_glued = SAMPLE_WORDS
        .contains(value.to_ascii_lowercase().trim_matches(|sign: char| !sign.is_ascii_alphabetic()));
    let is_marked = parts(value).any(|part| SAMPLE_MARKS.contains(&lower(part).as_str()));
    is_reference || is_made_of_samples || is_glued || is_marked || is_sample(value)
}

/// Whether there are enough different characters for a random string.
pub(super) fn is_varied(text: &str) -> bool {
    let mut seen = [false; 256];
    text.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    let different = seen.into_iter().filter(|seen| *seen).count();
    different >= 6 && different * 6 >= text.len().min(60)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether it is a path or an address, and not base64, which has slashes too.
pub(super) fn is_path(text: &str) -> bool {
    let is_drive = text.as_bytes().get(1) == Some(&b':') && text.contains(['\\', '/']);
    if text.contains("://")
        || is_drive
        || text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with("~/")
    {
        return true;
    }
    let is_plain = |segment: &str| segment.len() >= 3 && random_bits(segment) < 5.0;
    let slashes = text.matches('/').count();
    slashes > 0
        && (text.split('/').filter(|segment| is_plain(segment)).count() * 2 > slashes || is_words(text))
        || text.starts_with('/') && text.split('/').any(is_plain)
}

/// Whether dots join names: a field of an object, a module, a file.
fn is_dotted_name(text: &str) -> bool {
    // `ed25519.Ed25519PrivateKey`
    let last = text.rsplit('.').next().unwrap_or(text);
    if has_letter_digit(text) || is_word_pair(text) {
        return false;
    }
    let ends_with_type = last.starts_with(|letter: char| letter.is_ascii_uppercase()) && is_words(last);
    text.contains('.')
        && text.split('.').all(|part| {
            let mut bytes = part.bytes();
            bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
                && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && (random_bits(part) < 12.0 || ends_with_type && (is_words(part) || part.len() <= 8))
        })
}

/// How often the character class changes: rarely in words, often in random strings.
pub(super) fn switches(text: &str) -> usize {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    text.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}

/// Whether a string is random, and not a word, hash, id or path.
pub(super) fn is_random(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.as_bytes().iter().filter(|byte| test(byte)).count();
    let mixed =
        has(u8::is_ascii_digit) >= 2 && has(u8::is_ascii_lowercase) >= 2 && has(u8::is_ascii_uppercase) >= 2;
    mixed
        && !is_hex(text)
        && !is_name(text)
        && !is_placeholder(text)
        && switches(text) * 10 >= text.len() * 4
        && random_bits(text) >= text.len() as f64 * 2.5
}

/// Whether a value is so mixed that it is a secret after a name alone, without a sign between them.
pub(super) fn is_mixed(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
    let (lower, upper) = (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase));
    let digit = has(u8::is_ascii_digit);
    let sign = value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '?']);
    let (bits, length) = (random_bits(value), value.len() as f64);
    let is_version = value.as_bytes().first().is_some_and(u8::is_ascii_digit) && value.contains(['.', ':']);
    let (is_all, is_letters) = (lower && upper && digit || sign && digit && (lower || upper), lower && upper);
    let is_long = value.len() >= 12 && digit && (lower || upper);
    let is_every = lower && upper && digit && sign && bits >= 12.0;
    let is_enough = is_every
        || is_all && bits >= length * 1.8
        || is_letters && bits >= length * 3.0 && switches(value) * 10 >= value.len() * 4
        || is_long && bits >= length * 2.5 && switches(value) * 10 >= value.len() * 3;
    is_enough
        && value.len() >= 8
        && (is_every || bits >= 25.0)
        && is_varied(value)
        && !is_hex(value)
        && !is_version
        && !value.contains('\\')
        && !is_setting(value)
        && !is_constant(value)
        && !is_identifier(value)
        && !is_type(value)
        && !is_name(value)
        && !is_placeholder(value)
        && !is_code(value, Notation::Bare)
}

/// Whether a value looks like a password that a person made up: words in both cases with digits or letters between them.
pub(super) fn is_chosen(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
    has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && (8..=64).contains(&value.len())
        && (random_bits(value) >= 6.0 || has_letter_digit(value) || is_word_pair(value))
        && is_varied(value)
        && !is_program_name(value)
        && !value.contains(['\\', '=', ','])
        && !is_constant(value)
        && !is_identifier(value)
        && !is_type(value)
        && !is_name(value)
        && !is_placeholder(value)
        && !is_code(value, Notation::Bare)
}

/// Whether a value at the place of a password is one: random, or made up.
pub(super) fn is_likely(value: &str) -> bool {
    is_mixed(value) || is_chosen(value)
}

/// Words of labels and messages, which no passphrase is made of.
static LABEL_WORDS: WordList = WordList::new(
    "the your a an is are was be must to of for in on at by with and or not no as if when this that it from \
     please enter type choose confirm repeat retype new old current forgot forgotten reset change show hide invalid \
     wrong incorrect bad required missing password passwords passphrase passwort kennwort secret token key value \
     field string login log sign user username email account api admin default empty optional characters length \
     least minimum maximum too short long weak strong match matches mismatch set unset use used using hash hashed \
     can cannot has have will should provide provided specify update updated create created expired failed error \
     test example sample number file access cannot does do did only all any per get input output",
);

/// Whether several words are a passphrase, and not a label or a message: "correct horse battery".
fn is_passphrase(value: &str) -> bool {
    let words: Vec<&str> = value.split(' ').collect();
    let is_word = |word: &&str| {
        let bare = word.trim_end_matches(['!', '1', '2', '3', '4', '5', '6', '7', '8', '9', '0']);
        (2..=16).contains(&word.len())
            && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"$@-_#".contains(&byte))
            && !LABEL_WORDS.contains(bare.to_ascii_lowercase().as_str())
    };
    let is_capital = |word: &&str| word.starts_with(|letter: char| letter.is_ascii_uppercase());
    let capitals = words.iter().filter(|word| is_capital(word)).count();
    (3..=12).contains(&words.len())
        && words.iter().all(is_word)
        && (capitals == 0 || capitals == words.len())
        && !is_sample(value)
}

/// Whether a value is a secret wherever it stands alone, and not a word that a program may use for something else.
pub(super) fn is_distinct(value: &str) -> bool {
    value.len() >= 8 && is_varied(value) && random_bits(value) >= 25.0 && !is_name(value)
}

/// Whether the value of a secret name is a secret.
pub(super) fn is_secret_value(value: &str, strength: Strength, notation: Notation) -> bool {
    if notation != Notation::Bare && value.contains(' ') {
        return strength == Strength::Password && is_passphrase(value);
    }
    let lower = value.to_ascii_lowercase();
    let is_short = value.len() < if strength == Strength::Password { 4 } else { 6 };
    if is_short
        || value.len() > 4096
        || is_number(value)
        || notation != Notation::Shell && (is_constant(value) || is_program_name(value))
        || FLAGS.contains(lower.as_str())
        || is_placeholder(value)
        || is_code(value, notation)
    {
        return false;
    }
    let is_literal = notation != Notation::Bare && strength != Strength::Weak;
    if is_path(value) || is_name(value) && !(is_uuid(value) && is_literal) {
        return false;
    }
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let has_sign = value.bytes().any(|byte| byte.is_ascii_punctuation() && !b"-_.:/".contains(&byte));
    let (bits, length) = (random_bits(value), value.len());
    let is_random = |bits_needed: f64, per_byte: f64, bytes_needed: usize| {
        has_letter
            && length >= bytes_needed
            && bits >= bits_needed
            && bits >= per_byte * length as f64
            && is_varied(value)
    };
    match (notation, strength) {
        (Notation::Shell, Strength::Password) => length >= 6 || has_digit && has_letter || has_sign,
        (Notation::Shell, Strength::Strong) => has_letter && (length >= 8 || bits >= 12.0),
        (Notation::Shell, Strength::Weak) => is_random(40.0, 2.0, 12),
        (Notation::Quoted, Strength::Password) => {
            length >= 6 && bits >= 6.0 && (has_digit || has_sign || bits >= 20.0) || is_chosen(value)
        }
        (Notation::Quoted, Strength::Strong) => is_random(18.0, 1.0, 8),
        (Notation::Quoted, Strength::Weak) => is_random(40.0, 2.0, 16),
        (Notation::Bare, Strength::Password) => {
            let is_enough = bits >= 12.0 && (has_digit || has_sign) || bits >= 36.0;
            has_letter && bits >= length as f64 * 1.2 && is_enough || is_likely(value)
        }
        (Notation::Bare, Strength::Strong) => {
            // A key in base32 may have no digit.
            let is_long = length >= 24 && bits >= length as f64 * 3.5;
            is_random(20.0, 1.8, 8) && (has_digit && !is_type(value) || is_long)
        }
        (Notation::Bare, Strength::Weak) => is_random(60.0, 2.5, 20) && has_digit,
    }
}

/// Whether a value is a number, a version, an object identifier, or bytes that a program lists.
fn is_number(value: &str) -> bool {
    let is_digits =
        |text: &str, others: &[u8]| text.bytes().all(|byte| byte.is_ascii_digit() || others.contains(&byte));
    let is_short_hex = value.starts_with("0x") && value.len() <= 18;
    is_short_hex
        || value.contains('.') && is_digits(value, b".")
        || value.contains("\\x")
        || value.contains('{') && value.contains('}') && random_bits(value) < 60.0
}

/// Parts of the names of algorithms.
static ALGORITHMS: WordList = WordList::new(
    "aes sha gcm cbc ccm psk rsa dsa hmac ecdhe dhe ecdh dh ecdsa chacha poly camellia aria md rc des pbkdf argon \
     scrypt bcrypt ed curve x ctr kem oaep pss",
);

/// Whether a value is the name of a constant or of an algorithm: `SECPKG_ATTR`, `ECDHE-PSK`.
fn is_constant(value: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_part = |part: &str| {
        let letters = part.trim_end_matches(|sign: char| sign.is_ascii_digit()).to_ascii_lowercase();
        ALGORITHMS.contains(letters.trim_start_matches("kx"))
    };
    let is_suite = value.contains('-') && value.split(['-', '_']).filter(|part| is_part(part)).count() >= 2;
    // `PBKDF2WithHmacSHA256`
    let is_algorithm = parts(value).filter(|part| part.len() >= 3 && is_part(part)).count() >= 2;
    value.contains('_') && value.bytes().all(is_letter) || is_suite || is_algorithm
}

/// Whether a value is an identifier: words of one case each, joined by underscores, as in `OBJ_pkcs9`.
fn is_identifier(value: &str) -> bool {
    let is_cased = |part: &str| {
        let has = |test: fn(&u8) -> bool| part.as_bytes().iter().any(test);
        part.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase))
    };
    value.contains('_') && value.split('_').all(is_cased)
}

/// Whether a value is the name of a type: words with capital letters, and perhaps a number.
fn is_type(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && value.as_bytes()[0].is_ascii_uppercase()
        && digits <= 2
        && (value.len() < 16 || value.bytes().any(|byte| byte.is_ascii_lowercase()))
        && parts(value).all(|part| part.len() > 1 || part.as_bytes()[0].is_ascii_digit() || part == "V")
}

/// Whether a value is an expression of a program, or text for people.
fn is_code(value: &str, notation: Notation) -> bool {
    let has = |signs: &[char]| value.contains(signs);
    let is_call =
        value.contains('(') && value.contains(')') && !value.contains(['!', '@', '#', '$', '%', '^', '&']);
    let is_regex =
        ["(?", "[^", "]+", "]*", ".*", ".+", "\\d", "\\w", "\\s"].iter().any(|mark| value.contains(mark));
    match notation {
        Notation::Shell => {
            has(&['`', '\n', '\t'])
                || is_regex
                || is_call
                || is_dotted_name(value)
                || value.starts_with(['(', '&', '|', '>'])
                || value.starts_with('-') && random_bits(value) < 36.0
        }
        Notation::Quoted => {
            value.contains(char::is_whitespace)
                || is_call
                || is_regex
                || is_dotted_name(value)
                || is_rules(value)
                || value.contains("=>")
        }
        Notation::Bare => {
            has(&['(', ')', '[', ']', '{', '}', '<', '>', '|', ' '])
                // A password may end with it; `name?` of a program has no digits. Inside it is one only if all is random.
                || value.trim_end_matches('?').contains('?')
                    && (random_bits(value) < 40.0 || value.contains("?.") || has(&[':', '/', '&', '\\']))
                || value.ends_with('?') && !value.bytes().any(|byte| byte.is_ascii_digit())
                || value.contains("::")
                || value.contains("->")
                || value.starts_with(['&', '.', ':', '='])
                || value.starts_with(['*', '@', '#', '!', '-', '+']) && random_bits(value) < 36.0
                || is_dotted_name(value)
        }
    }
}
