//! The one function that cleans untrusted text, so that it cannot control the reader's terminal.
//!
//! Escape sequences go, other control characters and everything that changes the order of the text are made visible, and
//! characters without width go, except where a script or an emoji needs them. Cleaning twice changes nothing more.

mod invisible;

use std::borrow::Cow;

use self::invisible::{InvisibleKind, invisible_kind, joins, selects};

/// Columns between tab stops.
const TAB: usize = 4;

/// Returns whether a character could do something to a terminal, to the order of what it shows, or unseen.
pub(crate) fn is_hostile(character: char) -> bool {
    character.is_control() || invisible_kind(character).is_some()
}

/// Returns whether a character may be shown between these two.
pub(crate) fn may_stay(before: Option<char>, character: char, after: Option<char>) -> bool {
    match invisible_kind(character) {
        Some(InvisibleKind::Joiner) => joins(before, after),
        Some(InvisibleKind::Selector) => selects(before, character),
        Some(_) => false,
        None => !character.is_control(),
    }
}

/// What becomes of line breaks and tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineBreaks {
    /// One line: breaks and tabs become spaces.
    Line,
    /// Breaks stay, tabs become spaces up to the next stop.
    Lines,
    /// Both stay.
    Document,
}

/// Removes hostile characters from a text of several lines, and expands tabs.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    clean_as(text, LineBreaks::Lines)
}

/// Returns a text on one line, white space folded.
///
/// ```
/// assert_eq!(annals_ui::one_line(" a \u{1b}[31m\n\tb "), "a b");
/// ```
pub fn one_line(text: &str) -> String {
    let is_folded = !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ");
    if is_folded && is_plain(text) {
        return text.to_owned();
    }
    clean_as(text, LineBreaks::Line).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text is printable ASCII, as most texts are: nothing in it needs to be cleaned.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns a text whose hidden characters are shown by their code points, `‹U+200B›`, as where a person is asked about it. What a
/// script or an emoji needs stays.
pub fn reveal(text: &str) -> Cow<'_, str> {
    let mut before = None;
    let mut letters = text.chars().peekable();
    let mut out = String::new();
    let mut is_changed = false;
    while let Some(letter) = letters.next() {
        let is_plain = matches!(letter, '\n' | '\t' | ' ');
        let is_shown = may_stay(before, letter, letters.peek().copied()) && !letter.is_whitespace();
        // The marks themselves must not be forged.
        if is_plain || (is_shown && !matches!(letter, '‹' | '›')) {
            out.push(letter);
        } else {
            out.push_str(&format!("‹U+{:04X}›", u32::from(letter)));
            is_changed = true;
        }
        before = Some(letter);
    }
    if is_changed { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

/// Removes hostile characters.
pub(crate) fn clean_as(text: &str, layout: LineBreaks) -> Cow<'_, str> {
    let is_kept = |character: char| match character {
        '\n' => layout != LineBreaks::Line,
        '\t' => layout == LineBreaks::Document,
        other => !is_hostile(other),
    };
    if is_plain(text) || text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\n' | '\r' => {
                // A return that ends no line would let the text after it cover the text before.
                let is_half = character == '\r' && rest.peek() == Some(&'\n');
                if !is_half {
                    break_line(&mut out, character, layout);
                }
                column = 0;
            }
            '\t' if layout == LineBreaks::Document => out.push('\t'),
            '\t' => {
                let spaces = if layout == LineBreaks::Line { 1 } else { TAB - column % TAB };
                out.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
            }
            '\u{1b}' => skip_sequence(&mut rest),
            '\u{9b}' => skip_control_sequence(&mut rest),
            '\u{9d}' | '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => skip_string(&mut rest),
            '\u{0}'..='\u{1f}' => {
                push(&mut out, &format!("^{}", char::from(character as u8 + 64)), &mut column)
            }
            '\u{7f}' => push(&mut out, "^?", &mut column),
            other if may_stay(out.chars().next_back(), other, rest.peek().copied()) => {
                out.push(other);
                column += 1;
            }
            other if other.is_control() || invisible_kind(other) == Some(InvisibleKind::Marked) => {
                push(&mut out, &format!("<U+{:04X}>", u32::from(other)), &mut column)
            }
            _ => {}
        }
    }
    if layout == LineBreaks::Line && text.ends_with(['\n', '\r']) {
        out.truncate(out.trim_end().len());
    }
    Cow::Owned(out)
}

/// Ends a line: on one line with one space, however many breaks follow each other.
fn break_line(out: &mut String, by: char, layout: LineBreaks) {
    let is_new = !out.is_empty() && !out.ends_with('\n');
    match layout {
        LineBreaks::Line if is_new && !out.ends_with(' ') => out.push(' '),
        LineBreaks::Line => {}
        _ if by == '\n' || is_new => out.push('\n'),
        _ => {}
    }
}

fn push(out: &mut String, text: &str, column: &mut usize) {
    out.push_str(text);
    *column += text.len();
}

type CharStream<'t> = std::iter::Peekable<std::str::Chars<'t>>;

/// What follows an escape character.
fn skip_sequence(rest: &mut CharStream<'_>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_string(rest);
        }
        Some(' '..='/') => {
            while rest.next_if(|character| matches!(character, ' '..='/')).is_some() {}
            rest.next_if(|character| matches!(character, '0'..='~'));
        }
        Some('0'..='~') => {
            rest.next();
        }
        _ => {}
    }
}

/// Parameters, intermediates and the final character.
fn skip_control_sequence(rest: &mut CharStream<'_>) {
    while rest.next_if(|character| matches!(character, ' '..='?')).is_some() {}
    rest.next_if(|character| matches!(character, '@'..='~'));
}

/// The longest string that a sequence may hide: more is no title or link, and is shown.
const MAX_STRING: usize = 4096;

/// A string up to its terminator; without one on the same line nothing is hidden.
fn skip_string(rest: &mut CharStream<'_>) {
    let mut ahead = rest.clone();
    for _ in 0..MAX_STRING {
        match ahead.next() {
            Some('\u{7}' | '\u{9c}') => {
                *rest = ahead;
                return;
            }
            Some('\u{1b}') if ahead.peek() == Some(&'\\') => {
                ahead.next();
                *rest = ahead;
                return;
            }
            None => return,
            // A text of nothing but beginnings is read once, not once for each of them.
            Some(character) if character.is_control() => return,
            Some(_) => {}
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
