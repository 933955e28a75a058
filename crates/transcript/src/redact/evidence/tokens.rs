//! The tokens of a line: what could be a value. Strings in quotes are one token if they have no blanks.

use std::ops::Range;

/// The longest token that may be a password or a key.
const MAX_TOKEN_BYTES: usize = 256;

/// A piece of a line that may be a value.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// Its place in the text.
    pub(super) span: Range<usize>,
    /// The quotation mark around it.
    pub(super) quote: Option<u8>,
    /// The user's name that a colon or a slash joins to it: `ann:…`, `ann / …`.
    pub(super) user: Option<Range<usize>>,
}

/// Whether a byte ends a token that is not in quotes.
fn is_end(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte >= 0x80 || b"\"'`,;|<>()[]{}\\".contains(&byte)
}

/// Cuts a piece of a text into tokens.
pub(super) fn tokens(text: &str, piece: &Range<usize>) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = piece.start;
    // Where the string ends in which this is, and its quotation mark.
    let mut string = (piece.start, None);
    while at < piece.end {
        let byte = bytes[at];
        if at >= string.0 && string.1.take().is_some() && at == string.0 {
            at += 1;
            continue;
        }
        if b"\"'`".contains(&byte) && !is_apostrophe(bytes, at) {
            let limit = piece.end.min(at + 1 + MAX_TOKEN_BYTES);
            let end = memchr::memchr(byte, &bytes[at + 1..limit]).map(|length| at + 1 + length);
            if let Some(end) = end
                && bytes[at + 1..end].iter().all(u8::is_ascii_graphic)
                && end > at + 1
            {
                push(text, at + 1..end, Some(byte), &mut found);
                at = end + 1;
                continue;
            }
            if let Some(end) = end.filter(|_| string.1.is_none()) {
                string = (end, Some(byte));
            }
        }
        if is_end(byte) {
            at += 1;
            continue;
        }
        let length = bytes[at..piece.end].iter().position(|byte| is_end(*byte)).unwrap_or(piece.end - at);
        let run = &text[at..at + length];
        let length = next_parameter(run);
        let first = found.len();
        push(text, at..at + length, None, &mut found);
        // `"…;User Id=sa;Password=…;"`: what is set inside of a string is as good as quoted.
        if let [_, value] = &mut found[first..]
            && value.user.is_none()
        {
            value.quote = string.1;
        }
        at += length + usize::from(length < run.len());
    }
    join_users(text, &mut found);
    found
}

/// Where `&name=` begins, as in a query; the length of the text if there is none.
fn next_parameter(run: &str) -> usize {
    let is_name = |rest: &str| {
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && !"_-.".contains(letter));
        end.is_some_and(|end| end > 0 && rest[end..].starts_with('='))
    };
    let mut signs = run.match_indices('&').filter(|(at, _)| *at > 0).take(4);
    signs.find(|(at, _)| is_name(&run[at + 1..])).map_or(run.len(), |(at, _)| at)
}

/// `don't`: no quotation mark.
fn is_apostrophe(bytes: &[u8], at: usize) -> bool {
    let is_letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
    bytes[at] == b'\'' && is_letter(at.checked_sub(1)) && is_letter(Some(at + 1))
}

fn push(text: &str, span: Range<usize>, quote: Option<u8>, found: &mut Vec<Token>) {
    if span.len() > MAX_TOKEN_BYTES {
        return;
    }
    // `${name:value}`, `${NAME:-value}`
    if let Some(inside) = text[span.clone()].strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
        && let Some((name, value)) = inside.split_once(':')
    {
        let value = value.trim_start_matches(['-', '=', '?']);
        let (start, end) = (span.start + 2, span.end - 1);
        found.push(Token { span: start..start + name.len(), quote: None, user: None });
        if !value.is_empty() {
            found.push(Token { span: end - value.len()..end, quote: quote.or(Some(b'}')), user: None });
        }
        return;
    }
    let all = &text[span.clone()];
    let mut start = span.start;
    let mut user = None;
    let is_name = |name: &str| {
        (1..=48).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.@-+$:/".contains(&byte))
    };
    // `name=value`, `name:value`, `user/value`: what is joined to it has its own place.
    let cut = all.find(['=', ':']).or_else(|| all.find('/').filter(|at| all[at + 1..].find('/').is_none()));
    if let Some(at) = cut.filter(|at| *at > 0 && at + 1 < all.len() && is_name(&all[..*at])) {
        let name = span.start..span.start + at;
        found.push(Token { span: name.clone(), quote: None, user: None });
        let value = &all[at + 1..];
        // `user=name:value`
        let inner = value.find(':').filter(|inner| all.as_bytes()[at] == b'=' && is_name(&value[..*inner]));
        start = span.start + at + 1;
        user = (all.as_bytes()[at] != b'=').then_some(name);
        if let Some(inner) = inner.filter(|inner| inner + 1 < value.len()) {
            user = Some(start..start + inner);
            start += inner + 1;
        }
    }
    let rest = &text[start..span.end];
    let bare = if quote.is_some() { rest } else { trimmed(rest) };
    let start = start + rest.find(bare).unwrap_or(0);
    if bare.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
        found.push(Token { span: start..start + bare.len(), quote, user });
    }
}

/// A token without the marks of Markdown around it and the stop of a sentence behind it.
fn trimmed(token: &str) -> &str {
    let token = token.trim_end_matches(['.', ':']);
    match token.strip_prefix("**").and_then(|rest| rest.strip_suffix("**")) {
        Some(bold) => bold,
        None => token.trim_start_matches("**").trim_end_matches("**"),
    }
}

/// `ann / value`, `"ann", "value"`: the token before is the name of the user.
fn join_users(text: &str, found: &mut [Token]) {
    for at in 1..found.len() {
        let (before, token) = (&found[at - 1], &found[at]);
        let between = text.get(before.span.end..token.span.start).unwrap_or_default();
        let is_pair = match token.quote {
            Some(quote) if before.quote == Some(quote) => {
                let quote = char::from(quote);
                between.len() <= 8
                    && between.trim_matches(quote).trim().chars().all(|sign| ",:=".contains(sign))
            }
            _ => matches!(between, " / " | " : " | " | " | " - "),
        };
        let name = &text[before.span.clone()];
        let is_name = (2..=48).contains(&name.len())
            && name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.@-+".contains(&byte));
        if is_pair && is_name && token.user.is_none() {
            found[at].user = Some(found[at - 1].span.clone());
        }
    }
}
