//! Cleans untrusted text, so that it cannot control the reader's terminal.
//!
//! Escape sequences go, tabs become spaces, every other control character and everything that turns the direction of
//! writing is made visible.

use std::borrow::Cow;

/// Columns between tab stops.
const TAB: usize = 4;

/// Whether a character could do something to a terminal or to the order of what it shows.
pub(crate) fn is_hostile(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// What becomes of tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tabs {
    /// They stay.
    Kept,
    /// They become spaces up to the next stop.
    Spread,
}

/// Removes hostile characters from a text of several lines, and expands tabs.
pub fn clean(text: &str) -> Cow<'_, str> {
    harmless(text, Tabs::Spread)
}

/// Removes hostile characters from a text of several lines.
pub(crate) fn harmless(text: &str, tabs: Tabs) -> Cow<'_, str> {
    let may_stay = |character: char| character == '\n' || (character == '\t' && tabs == Tabs::Kept);
    if !text.chars().any(|character| is_hostile(character) && !may_stay(character)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\n' => {
                out.push('\n');
                column = 0;
                continue;
            }
            '\r' => {
                if rest.peek() != Some(&'\n') && !out.ends_with('\n') && !out.is_empty() {
                    out.push('\n');
                }
                column = 0;
                continue;
            }
            '\t' if tabs == Tabs::Spread => {
                let spaces = TAB - column % TAB;
                out.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
                continue;
            }
            '\t' => out.push('\t'),
            '\u{1b}' => skip_sequence(&mut rest),
            '\u{9b}' => skip_control_sequence(&mut rest),
            '\u{9d}' | '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => skip_string(&mut rest),
            '\u{feff}' => {}
            '\u{0}'..='\u{1f}' => {
                push(&mut out, &format!("^{}", char::from(character as u8 + 64)), &mut column)
            }
            '\u{7f}' => push(&mut out, "^?", &mut column),
            hostile if is_hostile(hostile) => {
                push(&mut out, &format!("<U+{:04X}>", u32::from(hostile)), &mut column)
            }
            other => {
                out.push(other);
                column += 1;
            }
        }
    }
    Cow::Owned(out)
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
            None | Some('\n' | '\u{1b}') => return,
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hostile_is_left() {
        let cases = [
            ("plain\ntext", "plain\ntext"),
            ("a\u{1b}[31mred\u{1b}[0m b", "ared b"),
            ("\u{1b}]0;title\u{7}x\u{1b}]8;;http://a\u{1b}\\link", "xlink"),
            ("\u{1b}]0;never ended", "0;never ended"),
            ("\u{1b}[2J\u{1b}[Hgone\u{1b}c\u{1b}(B", "gone"),
            ("\u{9b}31mx\u{85}", "x<U+0085>"),
            ("a\tb\n\tc", "a   b\n    c"),
            ("one\r\ntwo\rthree", "one\ntwo\nthree"),
            ("bell\u{7} back\u{8} nul\0", "bell^G back^H nul^@"),
            ("right\u{202e}left", "right<U+202E>left"),
            ("\u{1b}", ""),
        ];
        for (hostile, expected) in cases {
            assert_eq!(clean(hostile), expected, "{hostile:?}");
            assert!(!clean(hostile).chars().any(|c| c != '\n' && is_hostile(c)));
        }
    }
}
