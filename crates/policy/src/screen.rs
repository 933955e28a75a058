//! Texts for permission prompts: characters that would move the cursor, reverse the text or hide are shown by their code
//! point.

use super::shell::is_invisible;

/// The text with nothing hidden in it. Line ends and tabs stay; every other control character, unusual space, character without
/// width or character that changes direction becomes `‹U+202E›`.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        let stays = matches!(letter, '\n' | '\t' | ' ');
        let hides = is_hidden(letter) || letter.is_whitespace();
        // The marks themselves must not be forged.
        if !stays && (hides || matches!(letter, '‹' | '›' | '\u{2028}' | '\u{2029}')) {
            out.push_str(&format!("‹U+{:04X}›", u32::from(letter)));
        } else {
            out.push(letter);
        }
    }
    out
}

/// Whether a character shows nothing itself: a control character, one without width, one that changes direction, or one that
/// every program can give a meaning of its own.
pub fn is_hidden(letter: char) -> bool {
    let private = matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}');
    letter.is_control() || is_invisible(letter) || private
}

/// Whether all of a text fits on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// All of it fits.
    Whole,
    /// A part does not; such a call can be allowed once only.
    Part,
}

/// Whether a text fits into these columns and rows; a character that is not ASCII counts as two columns.
pub fn visibility(text: &str, columns: usize, rows: usize) -> Visibility {
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
    if needed <= rows { Visibility::Whole } else { Visibility::Part }
}
