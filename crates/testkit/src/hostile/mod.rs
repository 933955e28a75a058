//! Hostile text: a store that has it everywhere, and a check that none of it reached an output.
//!
//! The check knows nothing of how annals cleans text: it lists what may be written, and reports anything else.

mod store;

pub use store::{HOSTILE_SESSION, HostileStore};

/// Sequences, control characters and hidden characters that a terminal obeys or a reader cannot see.
pub const HOSTILE: &str = "\u{1b}[2J\u{1b}[5;7;41mA\u{1b}]0;T\u{7}\u{1b}]8;;http://evil.example\u{1b}\\L\u{1b}]52;c;UFdO\u{7}\
    \u{9b}41m\u{9d}0;t\u{9c}\u{90}q\u{9c}\u{85}\u{202e}\u{2066}\u{200f}\u{61c}\u{200b}\u{200d}\u{2060}\u{ad}\u{feff}\
    \u{e0041}\u{2028}\0\u{7}\u{8}\u{c}\rB\u{7f}&#27;[2J&#x202e;\n\u{1b}";

/// The same as a name: without what a file system refuses, and shorter.
pub const HOSTILE_NAME: &str = "n\u{1b}[2J\u{1b}]52;c;UFdO\u{7}\u{9b}41m\u{202e}\u{2066}\u{200b}\u{200d}\u{ad}\u{e0041}\u{7}\u{8}\rB\u{7f}\n";

/// What is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// A pipe, without colors.
    Plain,
    /// A pipe, with colors.
    Colored,
    /// A terminal.
    Screen,
}

/// The parameters of the styles that annals uses.
const STYLES: [&str; 13] = ["", "0", "1", "2", "3", "4", "31", "32", "33", "34", "35", "36", "90"];

/// Returns what an output has that it must not have, with its surroundings.
pub fn hostile_part(output: &[u8], surface: Surface) -> Option<String> {
    let text = match std::str::from_utf8(output) {
        Ok(text) => text,
        Err(error) => return Some(format!("not UTF-8 at byte {}", error.valid_up_to())),
    };
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let rest = &text[at..];
        let allowed = match character {
            '\n' | '\t' => 1,
            '\r' if surface == Surface::Screen => own_return(rest),
            '\u{1b}' if surface != Surface::Plain => own_sequence(rest, surface),
            other if is_hostile(other) => 0,
            other => other.len_utf8(),
        };
        if allowed == 0 {
            let from = text[..at].char_indices().rev().nth(40).map_or(0, |(from, _)| from);
            let near: String = text[from..].chars().take(80).collect();
            return Some(format!("{character:?} in {near:?}"));
        }
        at += allowed;
    }
    None
}

/// The length of a return that annals or the terminal device wrote.
fn own_return(rest: &str) -> usize {
    let after = &rest[1..];
    usize::from(["\n", "\r\n", "\u{1b}[K", "\u{1b}[J"].iter().any(|next| after.starts_with(next)))
}

/// The length of a sequence that annals writes itself.
fn own_sequence(rest: &str, surface: Surface) -> usize {
    let Some(body) = rest.strip_prefix("\u{1b}[") else { return 0 };
    let parameters =
        body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit() || "?;".contains(c)).len();
    let (parameters, end) = body.split_at(parameters);
    let is_own = match end.chars().next() {
        Some('m') => parameters.split(';').all(|one| STYLES.contains(&one)),
        Some('K' | 'J') => surface == Surface::Screen && parameters.is_empty(),
        Some('A' | 'G') => surface == Surface::Screen && parameters.bytes().all(|byte| byte.is_ascii_digit()),
        Some('h' | 'l') => surface == Surface::Screen && parameters == "?2004",
        _ => false,
    };
    if is_own { "\u{1b}[".len() + parameters.len() + 1 } else { 0 }
}

fn is_hostile(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_text_is_found() {
        for (at, character) in HOSTILE.char_indices().filter(|(_, c)| is_hostile(*c) && *c != '\n') {
            for surface in [Surface::Plain, Surface::Colored, Surface::Screen] {
                assert!(hostile_part(&HOSTILE.as_bytes()[at..], surface).is_some(), "{character:?}");
                assert!(
                    hostile_part(format!("a{character}b").as_bytes(), surface).is_some(),
                    "{character:?}"
                );
            }
        }
        assert!(hostile_part(b"a\x9bb", Surface::Plain).is_some());
        assert!(hostile_part(b"a\rb", Surface::Screen).is_some());
    }

    #[test]
    fn what_annals_writes_itself_is_not() {
        assert_eq!(hostile_part("plain\n\tי日😀\n".as_bytes(), Surface::Plain), None);
        assert_eq!(hostile_part(b"\x1b[1mb\x1b[0m \x1b[1;34mx\x1b[0m", Surface::Colored), None);
        assert!(hostile_part(b"\x1b[1mb\x1b[0m", Surface::Plain).is_some());
        assert_eq!(hostile_part(b"a\r\n\r\x1b[Kx\x1b[2A\r\x1b[J\x1b[5G\x1b[?2004h", Surface::Screen), None);
    }
}
