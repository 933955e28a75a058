//! Is a value a secret, or what programs, documents and hashes look like?

/// Words that stand where a secret would, as the whole value.
const WHOLE: [&str; 12] = [
    "password", "passwd", "pass", "secret", "token", "none", "null", "string", "test", "value", "xxxx",
    "bearer",
];
/// Beginnings of values that only stand for one.
const BEGINNINGS: [&str; 10] = ["your", "xxx", "***", "...", "…", "insert", "dummy", "fake", "todo", "my-"];
/// Words that no secret has in it.
const INSIDE: [&str; 7] =
    ["changeme", "change_me", "example", "placeholder", "redacted", "undefined", "process.env"];

/// Whether a value only stands for one: a variable, a word of documentation, one of our own placeholders.
pub(super) fn is_stand_in(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_reference = value.starts_with(['$', '{', '<', '%', '[', '*', '&', '@']) || value.contains("${");
    is_reference
        || WHOLE.contains(&lower.as_str())
        || BEGINNINGS.iter().any(|word| lower.starts_with(word))
        || INSIDE.iter().any(|word| lower.contains(word))
}

/// Whether there are enough different characters for chance.
pub(super) fn is_varied(text: &str) -> bool {
    let mut seen = [false; 256];
    text.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    let different = seen.into_iter().filter(|seen| *seen).count();
    different >= 6 && different * 6 >= text.len().min(60)
}

/// How much each character tells, in bits.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let total = text.len().max(1) as f64;
    let told = |count: u32| {
        let share = f64::from(count) / total;
        -share * share.log2()
    };
    counts.into_iter().filter(|&count| count > 0).map(told).sum()
}

/// A UUID: names a thing, opens none.
pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Names that services and clients give to things.
const ID_PREFIXES: [&str; 14] = [
    "msg_",
    "req_",
    "toolu_",
    "srvtoolu_",
    "call_",
    "resp_",
    "file_",
    "sha256-",
    "sha384-",
    "sha512-",
    "sha1-",
    "cache_",
    "agent-",
    "session_",
];

/// Whether it is the name of a thing: an id, a hash, a path.
pub(super) fn is_name(text: &str) -> bool {
    let is_path = text.starts_with(['/', '.', '~']) || text.contains("://") || text.matches('/').count() > 2;
    is_uuid(text) || is_path || ID_PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}

/// How many times the class of character changes: seldom in words, often by chance.
fn switches(text: &str) -> usize {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    text.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}

/// Whether a string has no order at all: what a random generator gives, and no word, hash, id or path.
pub(super) fn is_random(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.as_bytes().iter().filter(|byte| test(byte)).count();
    let mixed =
        has(u8::is_ascii_digit) >= 2 && has(u8::is_ascii_lowercase) >= 2 && has(u8::is_ascii_uppercase) >= 2;
    mixed
        && !is_hex(text)
        && !is_name(text)
        && !is_stand_in(text)
        && switches(text) * 10 >= text.len() * 4
        && entropy(text) >= 3.5
}

/// Whether the value of something that is named secret is one. Values in environments are taken as they are; elsewhere, in
/// programs, a value may be an expression.
pub(super) fn is_secret_value(value: &str, loudness: Loudness) -> bool {
    let is_code =
        value.contains(['(', ')', '[', ']', '{', '}', '<', '>', '|', ';', ' ']) || value.contains("::");
    if !(6..=1024).contains(&value.len()) || is_code || is_stand_in(value) || is_name(value) {
        return false;
    }
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_dotted = value.contains('.') && !has_digit;
    match loudness {
        Loudness::Loud => !is_dotted && has_letter && !is_flag(value),
        Loudness::Quiet => {
            value.len() >= 8
                && has_digit
                && has_letter
                && is_varied(value)
                && entropy(value) >= 2.75
                && !is_dotted
        }
    }
}

fn is_flag(value: &str) -> bool {
    ["true", "false", "enabled", "disabled", "default", "required", "optional"]
        .contains(&value.to_ascii_lowercase().as_str())
}

/// How a name stands: as environments spell theirs, or otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loudness {
    /// `DATABASE_PASSWORD=`
    Loud,
    /// `password: `
    Quiet,
}
