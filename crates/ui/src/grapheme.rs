//! Characters as people see them: one emoji or one letter with its marks may be several code points, and a cursor never
//! stands inside.

use bstr::ByteSlice;

use crate::clean::may_stay;

/// How a tab is shown in a text that is being edited.
const TAB: &str = "    ";

/// Returns where the character ends that begins at or stands around a place; the place itself at the end of the text.
pub fn next(text: &str, at: usize) -> usize {
    let start = previous(text, at);
    ends(&text[start..]).map(|end| start + end).find(|end| *end > at).unwrap_or(text.len())
}

/// Returns where the character begins that stands before a place; 0 at the start of the text.
pub fn previous(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at];
    before.grapheme_indices().next_back().map_or(0, |(start, _, _)| start)
}

/// Returns the number of characters.
pub fn count(text: &str) -> usize {
    ends(text).count()
}

/// Returns where a number of characters ends.
pub fn nth(text: &str, count: usize) -> usize {
    match count.checked_sub(1) {
        None => 0,
        Some(last) => ends(text).nth(last).unwrap_or(text.len()),
    }
}

/// Returns where each character ends.
pub fn ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.as_bytes().grapheme_indices().map(|(_, end, _)| end)
}

/// Appends a character as it may be shown in a line that is being edited: a dot for what could control the terminal.
pub fn push_shown(out: &mut String, cluster: &str) {
    let mut before = None;
    let mut rest = cluster.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\t' => out.push_str(TAB),
            _ if may_stay(before, character, rest.peek().copied()) => out.push(character),
            _ => out.push('·'),
        }
        before = Some(character);
    }
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
        assert_eq!((next("🇩🇪🇫🇷", 8), previous("🇩🇪🇫🇷", 16)), (16, 8), "flags in a row");
    }

    #[test]
    fn what_could_control_a_terminal_is_a_dot() {
        for (cluster, expected) in [
            ("a", "a"),
            ("\t", "    "),
            ("\u{1b}", "·"),
            ("\u{202e}", "·"),
            (FAMILY, FAMILY),
            ("a\u{200d}", "a·"),
        ] {
            let mut out = String::new();
            push_shown(&mut out, cluster);
            assert_eq!(out, expected, "{cluster:?}");
        }
    }
}
