//! Decides whether a value is a secret, or rather code, documentation, an id or a hash.

/// Whole values that are placeholders.
const PLACEHOLDER_WORDS: [&str; 12] = [
    "password", "passwd", "pass", "secret", "token", "none", "null", "string", "test", "value", "xxxx",
    "bearer",
];
/// Prefixes of placeholders.
const PLACEHOLDER_PREFIXES: [&str; 10] =
    ["your", "xxx", "***", "...", "…", "insert", "dummy", "fake", "todo", "my-"];
/// Words inside placeholders.
const PLACEHOLDER_PARTS: [&str; 7] =
    ["changeme", "change_me", "example", "placeholder", "redacted", "undefined", "process.env"];

/// Whether a value is a placeholder: a variable, a word of documentation, a redaction.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_reference = value.starts_with(['$', '{', '<', '%', '[', '*', '&', '@']) || value.contains("${");
    is_reference
        || PLACEHOLDER_WORDS.contains(&lower.as_str())
        || PLACEHOLDER_PREFIXES.iter().any(|word| lower.starts_with(word))
        || PLACEHOLDER_PARTS.iter().any(|word| lower.contains(word))
}

/// Whether there are enough different characters for a random string.
pub(super) fn is_varied(text: &str) -> bool {
    let mut seen = [false; 256];
    text.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    let different = seen.into_iter().filter(|seen| *seen).count();
    different >= 6 && different * 6 >= text.len().min(60)
}

/// Shannon entropy per character, in bits.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let total = text.len().max(1) as f64;
    let bits = |count: u32| {
        let share = f64::from(count) / total;
        -share * share.log2()
    };
    counts.into_iter().filter(|&count| count > 0).map(bits).sum()
}

/// Whether it is a UUID, which is a name and not a secret.
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

/// Prefixes of ids that services and clients generate.
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

/// Whether it is a name: an id, a hash, a path.
pub(super) fn is_name(text: &str) -> bool {
    let is_path = text.starts_with(['/', '.', '~']) || text.contains("://") || text.matches('/').count() > 2;
    is_uuid(text) || is_path || ID_PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}

/// How often the character class changes: rarely in words, often in random strings.
fn switches(text: &str) -> usize {
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
        && entropy(text) >= 3.5
}

/// Whether the value of a secret name is a secret. Values of environment variables are literal; in code, a value may be an
/// expression.
pub(super) fn is_secret_value(value: &str, name_style: NameStyle) -> bool {
    let is_code =
        value.contains(['(', ')', '[', ']', '{', '}', '<', '>', '|', ';', ' ']) || value.contains("::");
    if !(6..=1024).contains(&value.len()) || is_code || is_placeholder(value) || is_name(value) {
        return false;
    }
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_dotted = value.contains('.') && !has_digit;
    match name_style {
        NameStyle::Environment => !is_dotted && has_letter && !is_flag(value),
        NameStyle::Code => {
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

/// How a name is spelled: as an environment variable, or as in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameStyle {
    /// `DATABASE_PASSWORD=`
    Environment,
    /// `password: `
    Code,
}
