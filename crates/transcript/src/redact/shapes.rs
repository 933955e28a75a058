//! Finds secrets by their format: a unique prefix and enough characters after it.

use std::ops::Range;

use regex::Regex;

use super::base64::is_in_data;
use super::kind::SecretKind;
use super::plausible::is_varied;
use super::rules::Finding;

/// Prefixes and what must follow; a longer prefix comes before one that it starts with.
const SHAPES: [(SecretKind, &str, &str); 32] = [
    (SecretKind::Aws, "AKIA", "[A-Z0-9]{16}"),
    (SecretKind::Aws, "ASIA", "[A-Z0-9]{16}"),
    (SecretKind::GitHub, "github_pat_", "[A-Za-z0-9_]{40,255}"),
    (SecretKind::GitHub, "ghp_", "[A-Za-z0-9]{36,255}"),
    (SecretKind::GitHub, "gho_", "[A-Za-z0-9]{36,255}"),
    (SecretKind::GitHub, "ghu_", "[A-Za-z0-9]{36,255}"),
    (SecretKind::GitHub, "ghs_", "[A-Za-z0-9]{36,255}"),
    (SecretKind::GitHub, "ghr_", "[A-Za-z0-9]{36,255}"),
    (SecretKind::GitLab, "glpat-", "[A-Za-z0-9_-]{20,}"),
    (SecretKind::GitLab, "gldt-", "[A-Za-z0-9_-]{20,}"),
    (SecretKind::Slack, "https://hooks.slack.com/services/", "[A-Za-z0-9/]{20,}"),
    (SecretKind::Slack, "xapp-", "[A-Za-z0-9-]{20,}"),
    (SecretKind::Slack, "xox", "[abeoprs]-[A-Za-z0-9-]{10,}"),
    (SecretKind::Stripe, "sk_live_", "[A-Za-z0-9]{16,}"),
    (SecretKind::Stripe, "sk_test_", "[A-Za-z0-9]{16,}"),
    (SecretKind::Stripe, "rk_live_", "[A-Za-z0-9]{16,}"),
    (SecretKind::Stripe, "rk_test_", "[A-Za-z0-9]{16,}"),
    (SecretKind::Stripe, "whsec_", "[A-Za-z0-9+/=]{24,}"),
    (SecretKind::Google, "AIza", "[A-Za-z0-9_-]{35}"),
    (SecretKind::Google, "GOCSPX-", "[A-Za-z0-9_-]{20,}"),
    (SecretKind::Google, "ya29.", "[A-Za-z0-9_-]{30,}"),
    (SecretKind::Anthropic, "sk-ant-", "[A-Za-z0-9_-]{20,}"),
    (SecretKind::OpenAi, "sk-proj-", "[A-Za-z0-9_-]{20,}"),
    (SecretKind::OpenAi, "sk-svcacct-", "[A-Za-z0-9_-]{20,}"),
    (SecretKind::OpenAi, "sk-admin-", "[A-Za-z0-9_-]{20,}"),
    (SecretKind::OpenAi, "sk-or-v1-", "[A-Za-z0-9]{32,}"),
    (SecretKind::OpenAi, "sk-", "[A-Za-z0-9]{32,}"),
    (SecretKind::Npm, "npm_", "[A-Za-z0-9]{36,}"),
    (SecretKind::PyPi, "pypi-AgE", "[A-Za-z0-9_-]{40,}"),
    (SecretKind::HuggingFace, "hf_", "[A-Za-z0-9]{30,}"),
    (SecretKind::Jwt, "eyJ", r"[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}"),
    (SecretKind::PrivateKey, "-----BEGIN ", "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),
];

/// Maximum bytes of a key after its header.
const MAX_KEY_BYTES: usize = 32 * 1024;
/// A block with fewer base64 digits has no key: it is only mentioned.
const MIN_KEY_DIGITS: usize = 48;

/// The regular expression of all formats.
pub(super) fn expression() -> Result<Regex, regex::Error> {
    let all: Vec<_> =
        SHAPES.iter().map(|(_, prefix, rest)| format!("{}{rest}", regex::escape(prefix))).collect();
    Regex::new(&all.join("|"))
}

/// Finds all secrets of a known format.
pub(super) fn find(expression: &Regex, text: &str, found: &mut Vec<Finding>) {
    let mut at = 0;
    while let Some(hit) = expression.find_at(text, at) {
        let finding = judge(text, hit.range());
        // A match that is rejected may overlap one that is not: continue one byte after its start.
        at = finding.as_ref().map_or(hit.start() + 1, |finding| finding.span.end);
        found.extend(finding);
    }
}

fn judge(text: &str, span: Range<usize>) -> Option<Finding> {
    let hit = &text[span.clone()];
    let (kind, prefix, _) = SHAPES.iter().find(|(_, prefix, _)| hit.starts_with(prefix))?;
    if *kind == SecretKind::PrivateKey {
        return private_key(text, span);
    }
    let joins = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    let is_part = joins(span.start.checked_sub(1).and_then(|at| bytes.get(at))) || joins(bytes.get(span.end));
    if is_part || !is_varied(&hit[prefix.len()..]) || is_in_data(text, &span) {
        return None;
    }
    Some(Finding { kind: *kind, span })
}

/// The block from its header to its end line, or to the end of its digits.
fn private_key(text: &str, header: Range<usize>) -> Option<Finding> {
    let limit = text.len().min(header.end + MAX_KEY_BYTES);
    let rest = &text.as_bytes()[header.end..limit];
    let next = memchr::memmem::find(rest, b"-----").unwrap_or(rest.len());
    let body = &rest[..next];
    let is_end = rest[next..].starts_with(b"-----END ");
    let length = match memchr::memmem::find(&rest[next..], b"KEY").filter(|_| is_end) {
        Some(word) => {
            let tail = &rest[next + word..];
            next + word + memchr::memmem::find(tail, b"-----").map_or(3, |dashes| dashes + 5)
        }
        None => digits_end(body),
    };
    let digits = rest[..length].iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let end = header.end + length;
    let is_key = digits >= MIN_KEY_DIGITS && text.is_char_boundary(end);
    is_key.then_some(Finding { kind: SecretKind::PrivateKey, span: header.start..end })
}

/// The end of the lines of digits after a header.
fn digits_end(body: &[u8]) -> usize {
    let mut end = 0;
    for line in body.split_inclusive(|&byte| byte == b'\n') {
        let is_digits = line.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=\\:,-".contains(byte)
        });
        if !is_digits {
            break;
        }
        end += line.len();
    }
    end
}
