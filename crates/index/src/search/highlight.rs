//! Finds the words of a query in a text.

use std::ops::Range;

use super::fold::{folded, is_of_word};
use super::query::{Query, Term};

/// A snippet of text with the matched words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HighlightedText {
    /// The text in one line.
    pub text: String,
    /// The ranges of the matched words, in order.
    pub marks: Vec<Range<usize>>,
}

/// Finds the words of a query in texts.
#[derive(Clone, Debug)]
pub struct Highlighter {
    /// The folded word, and whether it is a prefix.
    words: Vec<(String, bool)>,
}

impl Highlighter {
    /// A highlighter for the positive terms of a query.
    pub fn new(query: &Query) -> Self {
        let mut words = Vec::new();
        for term in query.all.iter().flatten() {
            Self::add(term, &mut words);
        }
        Self { words }
    }

    fn add(term: &Term, words: &mut Vec<(String, bool)>) {
        let parts: Vec<&str> =
            term.words.split(|letter: char| !is_of_word(letter)).filter(|part| !part.is_empty()).collect();
        for (at, part) in parts.iter().enumerate() {
            let word = (folded(part), term.is_prefix && at + 1 == parts.len());
            if !words.contains(&word) {
                words.push(word);
            }
        }
    }

    /// The ranges of the first `most` matching words.
    pub fn find(&self, text: &str, most: usize) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut start = None;
        for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
            match (is_of_word(letter), start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => {
                    start = None;
                    if self.is_wanted(&text[from..at]) {
                        found.push(from..at);
                        if found.len() == most {
                            break;
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// How many different words of the query the marked ranges contain.
    pub fn coverage(&self, text: &str, marks: &[Range<usize>]) -> usize {
        let has = |(word, is_prefix): &(String, bool)| {
            marks.iter().any(|mark| fits(&folded(&text[mark.clone()]), word, *is_prefix))
        };
        self.words.iter().filter(|word| has(word)).count()
    }

    fn is_wanted(&self, word: &str) -> bool {
        let word = folded(word);
        self.words.iter().any(|(wanted, is_prefix)| fits(&word, wanted, *is_prefix))
    }
}

/// Whether a word is the wanted one or contains it: camelCase names are found by their parts.
fn fits(word: &str, wanted: &str, is_prefix: bool) -> bool {
    word == wanted || (is_prefix && word.starts_with(wanted)) || (wanted.len() > 2 && word.contains(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked<'t>(query: &str, text: &'t str) -> Vec<&'t str> {
        let highlighter = Highlighter::new(&Query::parse(query).unwrap());
        highlighter.find(text, 10).into_iter().map(|mark| &text[mark]).collect()
    }

    #[test]
    fn words_are_marked_as_the_index_finds_them() {
        assert_eq!(marked("cafe", "the Café, a cafe\u{301}"), ["Café", "cafe\u{301}"]);
        assert_eq!(marked("étude", "an etude"), ["etude"]);
        assert_eq!(marked("istanbul", "İstanbul"), ["İstanbul"]);
        assert_eq!(marked("日本", "今日は日本語"), ["今日は日本語"]);
        assert_eq!(marked("userName", "getUserId getUserName"), ["getUserName"]);
        let long = "k".repeat(101);
        assert_eq!(marked(&long, &format!("a {long} b {}", "k".repeat(64))), [long.as_str(), &long[..64]]);
        assert_eq!(marked("cafe", "caf face"), [""; 0]);
    }
}
