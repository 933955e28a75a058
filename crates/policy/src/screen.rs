//! Texts as a person sees them who is asked: whatever would move the cursor, turn the text around or hide is shown by its
//! number instead.

use super::shell::is_invisible;

/// The text with nothing hidden in it. Line ends and tabs stay; every other control character, every space that is none of
/// the keyboard's, every character without width or with a direction of its own becomes `‹U+202E›`.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        let stays = matches!(letter, '\n' | '\t' | ' ');
        let private = matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}');
        let hides = letter.is_control() || letter.is_whitespace() || is_invisible(letter) || private;
        // The marks themselves must not be forged.
        if !stays && (hides || matches!(letter, '‹' | '›' | '\u{2028}' | '\u{2029}')) {
            out.push_str(&format!("‹U+{:04X}›", u32::from(letter)));
        } else {
            out.push(letter);
        }
    }
    out
}

/// Whether a person sees all of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// All of it fits.
    Whole,
    /// A part does not; such a call can be allowed once, and no rule is offered.
    Part,
}

/// Whether a text fits on so many columns and rows, counted generously: what is not ASCII takes two columns.
pub fn sight(text: &str, columns: usize, rows: usize) -> Sight {
    let columns = columns.max(1);
    let width = |line: &str| -> usize {
        line.chars()
            .map(|letter| match letter {
                '\t' => 8,
                _ if letter.is_ascii() => 1,
                _ => 2,
            })
            .sum()
    };
    let needed: usize = visible(text).split('\n').map(|line| width(line).div_ceil(columns).max(1)).sum();
    if needed <= rows { Sight::Whole } else { Sight::Part }
}
