//! Characters as people see them: one emoji or one letter with its marks may be several code points, and the cursor never
//! stands inside.

use bstr::ByteSlice;

/// Returns where the character ends that begins at or stands around a place; the place itself at the end of the text.
pub(super) fn next(text: &str, at: usize) -> usize {
    ends(text).find(|end| *end > at).unwrap_or(text.len())
}

/// Returns where the character begins that stands before a place; 0 at the start of the text.
pub(super) fn previous(text: &str, at: usize) -> usize {
    ends(text).take_while(|end| *end < at).last().unwrap_or(0)
}

/// Returns the number of characters.
pub(super) fn count(text: &str) -> usize {
    ends(text).count()
}

/// Returns where a number of characters ends.
pub(super) fn nth(text: &str, count: usize) -> usize {
    match count.checked_sub(1) {
        None => 0,
        Some(last) => ends(text).nth(last).unwrap_or(text.len()),
    }
}

fn ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.as_bytes().grapheme_indices().map(|(_, end, _)| end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILY: &str = "👨‍👩‍👧";

    #[test]
    fn what_is_seen_as_one_is_one() {
        for one in [FAMILY, "e\u{301}", "🇩🇪", "👍🏽", "नि", "\r\n", "한", "a", "☺️"] {
            let text = format!("x{one}y");
            let end = 1 + one.len();
            assert_eq!((next(&text, 1), previous(&text, end)), (end, 1), "{one:?}");
            assert_eq!((count(&text), nth(&text, 2)), (3, end), "{one:?}");
        }
        assert_eq!((next("ab", 2), previous("ab", 0), nth("", 3)), (2, 0, 0));
        assert_eq!((next(FAMILY, 4), previous(FAMILY, 4)), (FAMILY.len(), 0), "from inside");
    }
}
