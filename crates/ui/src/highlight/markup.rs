//! Scanners of what is not made of words: markup, Markdown and patches.

use super::{TokenKind, Tokens};

/// Reads tags, attributes, entities and comments.
pub(super) fn markup(code: &str, tokens: &mut Tokens<'_>) {
    let mut at = 0;
    while let Some(found) = code[at..].find('<') {
        let start = at + found;
        if code[start..].starts_with("<!--") {
            at = code[start..].find("-->").map_or(code.len(), |length| start + length + 3);
            tokens.push(TokenKind::Comment, start, at);
            continue;
        }
        at = tag(code, start, tokens);
    }
}

/// Reads one tag; returns where it ends.
fn tag(code: &str, start: usize, tokens: &mut Tokens<'_>) -> usize {
    let bytes = code.as_bytes();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':' | b'_' | b'.');
    let skip =
        |from: usize| bytes[from..].iter().position(|&byte| !is_name(byte)).map_or(bytes.len(), |n| from + n);
    let opening = start + 1 + usize::from(matches!(bytes.get(start + 1), Some(b'/' | b'!' | b'?')));
    let mut at = skip(opening.min(bytes.len()));
    if at == opening {
        return at.max(start + 1).min(bytes.len());
    }
    tokens.push(TokenKind::Keyword, opening, at);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return at + 1,
            b'<' => return at,
            b'"' | b'\'' => {
                let end = bytes[at + 1..].iter().position(|&other| other == byte || other == b'<');
                let end = end.map_or(bytes.len(), |length| {
                    at + 1 + length + usize::from(bytes[at + 1 + length] == byte)
                });
                tokens.push(TokenKind::String, at, end);
                at = end;
            }
            byte if is_name(byte) => {
                let end = skip(at);
                tokens.push(TokenKind::Name, at, end);
                at = end;
            }
            _ => at += 1,
        }
    }
    at
}

/// Reads headings, quotations, marks of lists, and code.
pub(super) fn markdown(code: &str, tokens: &mut Tokens<'_>) {
    let (mut at, mut is_fenced) = (0, false);
    for line in code.split_inclusive('\n') {
        let end = at + line.trim_end().len();
        let text = line.trim_start();
        let start = at + (line.len() - text.len());
        let is_fence = text.starts_with("```") || text.starts_with("~~~");
        if is_fence || is_fenced {
            tokens.push(TokenKind::String, start.min(end), end);
            is_fenced ^= is_fence;
        } else if text.starts_with('#') {
            tokens.push(TokenKind::Keyword, start, end);
        } else if text.starts_with('>') {
            tokens.push(TokenKind::Comment, start, end);
        } else if text.starts_with("- ") || text.starts_with("* ") || text.starts_with("+ ") {
            tokens.push(TokenKind::Keyword, start, start + 1);
        }
        at += line.len();
    }
}

/// Reads lines by their sign.
pub(super) fn patch(code: &str, tokens: &mut Tokens<'_>) {
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let end = at + line.trim_end_matches(['\n', '\r']).len();
        let is_head = ["+++", "---", "diff ", "index "].iter().any(|head| line.starts_with(head));
        let kind = match line.as_bytes().first() {
            _ if is_head => TokenKind::Keyword,
            Some(b'+') => TokenKind::Added,
            Some(b'-') => TokenKind::Removed,
            Some(b'@') => TokenKind::Comment,
            _ => TokenKind::Plain,
        };
        if kind != TokenKind::Plain {
            tokens.push(kind, at, end);
        }
        at += line.len();
    }
}
