//! Finds the words of a query in a text.

use std::ops::Range;

use super::fold::{folded, is_of_word};
use super::query::{Query, Term};
use crate::extract::MAX_WORD_BYTES;

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
        words(text).filter(|word| self.is_wanted(&text[word.clone()])).take(most).collect()
    }

    /// How many different words of the query the marked ranges contain.
    pub fn coverage(&self, text: &str, marks: &[Range<usize>]) -> usize {
        let has = |(word, is_prefix): &(String, bool)| {
            marks.iter().any(|mark| fits(&folded(&text[mark.clone()]), word, *is_prefix))
        };
        self.words.iter().filter(|word| has(word)).count()
    }

    fn is_wanted(&self, word: &str) -> bool {
        // Nearly all words are of ASCII, and are compared as they stand.
        if word.is_ascii() {
            let word = &word.as_bytes()[..word.len().min(MAX_WORD_BYTES)];
            return self
                .words
                .iter()
                .any(|(wanted, is_prefix)| fits_ascii(word, wanted.as_bytes(), *is_prefix));
        }
        let word = folded(word);
        self.words.iter().any(|(wanted, is_prefix)| fits(&word, wanted, *is_prefix))
    }
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = end_of_run(text, at, false);
        at = end_of_run(text, start, true);
        (start < at).then_some(start..at)
    })
}

/// Where a run of letters that are, or are not, part of words ends.
fn end_of_run(text: &str, from: usize, is_word: bool) -> usize {
    let mut at = from;
    while let Some(&byte) = text.as_bytes().get(at) {
        let (is_in, length) = match byte.is_ascii() {
            true => (byte.is_ascii_alphanumeric(), 1),
            false => {
                text[at..].chars().next().map_or((false, 1), |letter| (is_of_word(letter), letter.len_utf8()))
            }
        };
        if is_in != is_word {
            break;
        }
        at += length;
    }
    at
}

/// Whether a word is the wanted one or contains it: camelCase names are found by their parts.
fn fits(word: &str, wanted: &str, is_prefix: bool) -> bool {
    word == wanted || (is_prefix && word.starts_with(wanted)) || (wanted.len() > 2 && word.contains(wanted))
}

/// The same for a word of ASCII letters of either case; the wanted one is folded.
fn fits_ascii(word: &[u8], wanted: &[u8], is_prefix: bool) -> bool {
    let has_at = |at: usize| word[at..at + wanted.len()].eq_ignore_ascii_case(wanted);
    match word.len().checked_sub(wanted.len()) {
        None => false,
        Some(0) => has_at(0),
        Some(_) if wanted.len() <= 2 => is_prefix && has_at(0),
        Some(last) => (0..=last).any(has_at),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
    proptest! {
        #[test]
        fn a_word_of_ascii_fits_as_its_folded_form_does(
            word in "[a-dA-D0-1]{1,70}",
            wanted in "[a-d0-1]{1,4}|[a-dé]{1,3}|[a-d]{60,66}",
            is_prefix: bool,
        ) {
            let wanted = folded(&wanted);
            let cut = &word.as_bytes()[..word.len().min(MAX_WORD_BYTES)];
            prop_assert_eq!(
                fits_ascii(cut, wanted.as_bytes(), is_prefix),
                fits(&folded(&word), &wanted, is_prefix)
            );
        }

        #[test]
        fn words_are_runs_of_letters(text in "[a-c é本\u{301}.-]{0,40}") {
            let found: Vec<&str> = words(&text).map(|word| &text[word]).collect();
            let split: Vec<&str> =
                text.split(|letter| !is_of_word(letter)).filter(|word| !word.is_empty()).collect();
            prop_assert_eq!(found, split);
        }
    }
}
