//! Text in HTML: the one place where a text of a transcript becomes a part of a page.

use std::borrow::Cow;

use crate::clean::{LineBreaks, clean_as};

/// Writes a text between tags. It cannot open a tag, begin an entity, turn the order of the page or hide anything.
///
/// ```
/// let mut out = String::new();
/// annals_ui::html::escape("a < b & \u{202e}c", &mut out);
/// assert_eq!(out, "a &lt; b &amp; <U+202E>c".replace("<U", "&lt;U"));
/// ```
pub fn escape(text: &str, out: &mut String) {
    let text = clean(text, LineBreaks::Document);
    let mut from = 0;
    while let Some(at) = next_mark(text.as_bytes(), from) {
        out.push_str(&text[from..at]);
        out.push_str(if text.as_bytes()[at] == b'&' { "&amp;" } else { "&lt;" });
        from = at + 1;
    }
    out.push_str(&text[from..]);
}

/// Bytes that are looked at together: without a branch for each, so that the compiler uses vectors.
const BLOCK: usize = 32;

/// Returns where the next `&` or `<` is.
fn next_mark(bytes: &[u8], mut at: usize) -> Option<usize> {
    let is_mark = |byte: &u8| (*byte == b'&') | (*byte == b'<');
    while let Some(block) = bytes[at..].first_chunk::<BLOCK>() {
        if block.iter().fold(false, |found, byte| found | is_mark(byte)) {
            break;
        }
        at += BLOCK;
    }
    bytes[at..].iter().position(is_mark).map(|found| at + found)
}

/// Whether a text has nothing but visible characters of ASCII, spaces and, in a document, line breaks and tabs.
fn is_plain(text: &str, breaks: LineBreaks) -> bool {
    let [line_break, tab] = if breaks == LineBreaks::Document { *b"\n\t" } else { *b"  " };
    let is_plain = |byte: &u8| matches!(*byte, b' '..=b'~') | (*byte == line_break) | (*byte == tab);
    let (blocks, rest) = text.as_bytes().as_chunks::<BLOCK>();
    blocks.iter().all(|block| block.iter().fold(true, |plain, byte| plain & is_plain(byte)))
        && rest.iter().all(is_plain)
}

/// Writes a text between tags, on one line.
pub(super) fn escape_line(text: &str, out: &mut String) {
    escape(&clean(text, LineBreaks::Line), out);
}

/// Writes ` name="value"`, without quotes if the value needs none. The name is ours.
pub fn attribute(name: &str, value: &str, out: &mut String) {
    let value = clean(value, LineBreaks::Line);
    out.push(' ');
    out.push_str(name);
    out.push('=');
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'#');
    if !value.is_empty() && value.bytes().all(is_word) {
        return out.push_str(&value);
    }
    out.push('"');
    for character in value.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out.push('"');
}

/// Returns a part of an `id`: other characters than letters, digits, `-` and `_` become `_`.
pub(super) fn id_part(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).take(64).collect()
}

fn clean(text: &str, breaks: LineBreaks) -> Cow<'_, str> {
    // Most texts are plain, which is seen faster byte by byte.
    if is_plain(text, breaks) { Cow::Borrowed(text) } else { clean_as(text, breaks) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_cannot_be_left() {
        let written = |value: &str| {
            let mut out = String::new();
            attribute("id", value, &mut out);
            out
        };
        assert_eq!(written("a-1"), " id=a-1");
        assert_eq!(written(""), " id=\"\"");
        assert_eq!(written("a b\" onload='x>"), " id=\"a b&quot; onload=&#39;x&gt;\"");
        assert_eq!(written("a\u{0}\nb"), " id=\"a^@ b\"");
        assert_eq!(id_part("a/..\"b c"), "a____b_c");
    }
}
