//! Values that stand before their names: `- value: …` and `name: DB_PASSWORD` below it, `{"value": "…", "name": "TOKEN"}`.

use std::ops::Range;

use memchr::memmem;

use super::haystack::Haystack;
use super::signs::literal;

/// How far a value is from its name.
const MAX_BLOCK_BYTES: usize = 240;

/// The value that stands before a name, which is itself the value of a field `name` or `key`.
pub(super) fn value_before(hay: &Haystack<'_>, name: &Range<usize>) -> Option<Range<usize>> {
    let is_between = |byte: u8| b"\"' \t".contains(&byte);
    let sign = hay.back(name.start, 8, is_between);
    let closed = hay.back(sign.checked_sub(1)?, 4, is_between);
    let field = hay.back(closed, 16, |byte| byte.is_ascii_alphabetic());
    let word = hay.text.get(field..closed)?;
    let is_field = ["name", "key", "parametername", "variable"].contains(&word.to_ascii_lowercase().as_str());
    if !is_field || !matches!(hay.before(sign), b':' | b'=') {
        return None;
    }
    let start = hay.back(field, MAX_BLOCK_BYTES, |byte| !b"{}[".contains(&byte));
    let block = &hay.bytes[start..field];
    // The value of the entry before has a name of its own behind it.
    let value = memmem::rfind(block, b"value").or_else(|| memmem::rfind(block, b"Value"))?;
    let is_other =
        ["name", "Name", "- "].iter().any(|other| memmem::find(&block[value..], other.as_bytes()).is_some());
    let closed = hay.skip(start + value + 5, 3, is_between);
    let at = hay.skip(closed + 1, 8, |byte| byte == b' ');
    let is_value = matches!(hay.byte(closed), b':' | b'=') && !is_other;
    let (span, _) = literal(hay, at).filter(|_| is_value)?;
    (span.end <= field).then_some(span)
}
