//! Chips: short marks in the text for long pastes and for images, written as the original writes them.
//!
//! A mark is ordinary text for undo, history and the kill ring; only moves and deletions see it as one character.

use std::collections::BTreeMap;
use std::ops::Range;

use super::prompt::Image;

/// Longer pastes become a chip.
const MAX_PLAIN_CHARS: usize = 800;
/// Pastes of more lines become a chip.
const MAX_PLAIN_LINES: usize = 2;
/// Longer brackets are no mark.
const MAX_MARK_BYTES: usize = 64;

/// What a chip stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chip {
    Text(String),
    Image(Image),
}

/// The chips of a prompt, by number, each with its mark.
#[derive(Clone, Debug, Default)]
pub(super) struct Chips {
    by_number: BTreeMap<u32, (String, Chip)>,
}

impl Chips {
    /// Returns whether a paste is long enough to become a chip. It stops reading as soon as that is known.
    pub(super) fn is_long(text: &str) -> bool {
        text.chars().nth(MAX_PLAIN_CHARS).is_some() || text.split('\n').nth(MAX_PLAIN_LINES).is_some()
    }

    /// Adds a chip; returns its mark.
    pub(super) fn add(&mut self, chip: Chip) -> String {
        self.add_from(1, chip).1
    }

    /// Adds a chip with at least this number; returns its number and its mark.
    pub(super) fn add_from(&mut self, first: u32, chip: Chip) -> (u32, String) {
        let number = self.by_number.last_key_value().map_or(1, |(last, _)| last + 1).max(first);
        let mark = mark_of(number, &chip);
        self.by_number.insert(number, (mark.clone(), chip));
        (number, mark)
    }

    /// Adds a chip of an earlier prompt under its own number, with the mark that the prompt has of it.
    pub(super) fn restore(&mut self, number: u32, chip: Chip, prompt: &str) {
        let marks = prompt.match_indices('[').filter_map(|(start, _)| {
            let (end, found) = parse_mark(&prompt[start..])?;
            (found == number).then(|| prompt[start..start + end].to_owned())
        });
        let mark = marks.into_iter().next().unwrap_or_else(|| mark_of(number, &chip));
        self.by_number.insert(number, (mark, chip));
    }

    /// Returns the mark of a pasted text that is known already.
    pub(super) fn mark_of_text(&self, text: &str) -> Option<String> {
        let is_same = |chip: &Chip| matches!(chip, Chip::Text(known) if known == text);
        self.by_number.values().find(|(_, chip)| is_same(chip)).map(|(mark, _)| mark.clone())
    }

    /// Returns the marks in a text, each with its chip.
    pub(super) fn marks<'t>(&'t self, line: &'t str) -> impl Iterator<Item = (Range<usize>, &'t Chip)> + 't {
        let starts = line.match_indices('[').filter(|_| !self.by_number.is_empty());
        starts.filter_map(|(start, _)| {
            let (end, number) = parse_mark(&line[start..])?;
            let (mark, chip) = self.by_number.get(&number)?;
            (*mark == line[start..start + end]).then_some((start..start + end, chip))
        })
    }

    /// Returns the mark that ends at a place of a line.
    pub(super) fn mark_ending_at(&self, line: &str, at: usize) -> Option<Range<usize>> {
        self.marks_near(line, at).find(|mark| mark.end == at)
    }

    /// Returns the mark that begins at a place of a line.
    pub(super) fn mark_starting_at(&self, line: &str, at: usize) -> Option<Range<usize>> {
        self.marks_near(line, at).find(|mark| mark.start == at)
    }

    /// Returns the mark that a place of a line stands in.
    pub(super) fn mark_around(&self, line: &str, at: usize) -> Option<Range<usize>> {
        self.marks_near(line, at).find(|mark| mark.start < at && at < mark.end)
    }

    /// The marks around a place: the rest of a long line is not looked at.
    fn marks_near<'t>(&'t self, line: &'t str, at: usize) -> impl Iterator<Item = Range<usize>> + 't {
        let from = line.floor_char_boundary(at.saturating_sub(MAX_MARK_BYTES));
        let to = line.ceil_char_boundary(at.saturating_add(MAX_MARK_BYTES).min(line.len()));
        self.marks(&line[from..to]).map(move |(mark, _)| from + mark.start..from + mark.end)
    }

    /// Returns the text with the pastes in the place of their marks. Images keep theirs.
    pub(super) fn expand(&self, text: &str) -> String {
        let mut out = String::new();
        let mut done = 0;
        for (mark, chip) in self.marks(text) {
            if let Chip::Text(content) = chip {
                out.push_str(&text[done..mark.start]);
                out.push_str(content);
                done = mark.end;
            }
        }
        out.push_str(&text[done..]);
        out
    }

    /// Returns the numbers and chips that a text has marks of, each once.
    pub(super) fn used_in(&self, text: &str) -> Vec<(u32, Chip)> {
        let mut used = BTreeMap::new();
        for (mark, chip) in self.marks(text) {
            if let Some((_, number)) = parse_mark(&text[mark]) {
                used.insert(number, chip.clone());
            }
        }
        used.into_iter().collect()
    }
}

fn mark_of(number: u32, chip: &Chip) -> String {
    match chip {
        Chip::Image(_) => format!("[Image #{number}]"),
        Chip::Text(text) => match text.bytes().filter(|byte| *byte == b'\n').count() {
            0 => format!("[Pasted text #{number}]"),
            breaks => format!("[Pasted text #{number} +{breaks} lines]"),
        },
    }
}

/// Returns the length and the number of the mark that a text begins with.
fn parse_mark(text: &str) -> Option<(usize, u32)> {
    let head = &text[..text.floor_char_boundary(MAX_MARK_BYTES)];
    let end = head.find(']')? + 1;
    let inside = &head[1..end - 1];
    let number = inside.strip_prefix("Pasted text #").or_else(|| inside.strip_prefix("Image #"))?;
    let digits = number.split(' ').next()?;
    Some((end, digits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_those_of_the_original() {
        let mut chips = Chips::default();
        let twelve = "line\n".repeat(11) + "line";
        assert_eq!(chips.add(Chip::Text(twelve.clone())), "[Pasted text #1 +11 lines]");
        assert_eq!(chips.add(Chip::Text("x".repeat(801))), "[Pasted text #2]");
        let image = Image { media_type: "image/png".to_owned(), base64: "AA==".to_owned(), path: None };
        assert_eq!(chips.add(Chip::Image(image.clone())), "[Image #3]");
        let text = "a [Pasted text #1 +11 lines] b [Pasted text #1 +2 lines] [Image #3] [Pasted text #9]";
        assert_eq!(
            chips.expand(text),
            format!("a {twelve} b [Pasted text #1 +2 lines] [Image #3] [Pasted text #9]")
        );
        assert_eq!(chips.used_in(text), [(1, Chip::Text(twelve)), (3, Chip::Image(image))]);
    }

    #[test]
    fn pastes_over_eight_hundred_characters_or_two_lines_are_long() {
        assert!(!Chips::is_long(&"é".repeat(800)) && Chips::is_long(&"é".repeat(801)));
        assert!(!Chips::is_long("a\nb") && Chips::is_long("a\nb\nc"));
    }

    #[test]
    fn a_mark_is_one_character() {
        let mut chips = Chips::default();
        let mark = chips.add(Chip::Text("a\nb\nc".to_owned()));
        let line = format!("日{mark}本");
        let (start, end) = (3, 3 + mark.len());
        assert_eq!(chips.mark_starting_at(&line, start), Some(start..end));
        assert_eq!(chips.mark_ending_at(&line, end), Some(start..end));
        assert_eq!(chips.mark_around(&line, start + 5), Some(start..end));
        assert_eq!((chips.mark_around(&line, start), chips.mark_around(&line, end)), (None, None));
    }
}
