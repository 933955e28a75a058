//! Names that look like secrets: ids that services generate, digests, public keys, paths.

pub(super) use crate::id::is_uuid;

use super::names;
use super::values::is_path;
use super::words::{is_name_word, parts, random_bits};

/// Prefixes of ids that services and clients generate, of digests and of public keys.
const ID_PREFIXES: &[&str] = &[
    "msg_",
    "req_",
    "toolu_",
    "srvtoolu_",
    "call_",
    "resp_",
    "file_",
    "file-",
    "sha256",
    "sha384-",
    "sha512-",
    "sha1-",
    "md5-",
    "cache_",
    "agent-",
    "session_",
    "prod_",
    "price_",
    "cus_",
    "pk_live_",
    "pk_test_",
    "ssh-rsa",
    "ssh-ed25519",
    "AAAAB3NzaC1",
    "AAAAC3NzaC1",
    "AAAAE2VjZHNh",
    "age1",
    "npub1",
    "arn:",
];

/// Whether it is a name: an id, a path, an address.
pub(super) fn is_name(text: &str) -> bool {
    is_uuid(text) || is_path(text) || ID_PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}

/// Whether all words of a value are such as names of programs are made of: `Utf8_Error`.
pub(super) fn is_program_name(value: &str) -> bool {
    let mut letters = parts(value).filter(|part| part.as_bytes()[0].is_ascii_alphabetic()).peekable();
    value.contains('_')
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && letters.peek().is_some()
        && letters.all(|part| is_name_word(&part.to_ascii_lowercase()))
}

/// Whether it is another name and its value: `generated_id=…`. In `lONlk3DxF^BV9=2REh` the sign belongs to the value.
pub(super) fn is_setting(value: &str) -> bool {
    let is_name = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
            && (random_bits(name) < 12.0 || names::strength(name).is_some())
    };
    value.trim_end_matches('=').split_once('=').is_some_and(|(name, _)| is_name(name))
}
