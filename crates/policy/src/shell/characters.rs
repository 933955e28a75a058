//! The characters that a command may have: none that hide from the user what the shell sees.

use super::{MAX_CHARACTERS, ShellSyntaxError};

/// Characters that are invisible or reverse the text.
pub(crate) fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Refuses a text that is too long or holds characters of that sort.
pub(super) fn check(text: &str) -> Result<(), ShellSyntaxError> {
    if text.chars().nth(MAX_CHARACTERS).is_some() {
        return Err(ShellSyntaxError::TooLong);
    }
    let hides = |letter: &char| match letter {
        '\n' | '\t' | ' ' => false,
        _ => letter.is_control() || letter.is_whitespace() || is_invisible(*letter),
    };
    text.chars().find(hides).map_or(Ok(()), |letter| Err(ShellSyntaxError::Letter(u32::from(letter))))
}
