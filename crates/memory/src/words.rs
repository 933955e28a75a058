//! The search behind a question in plain words: all of them in one message if there is one, else those that
//! occur together and say most.

use std::ops::Range;

use annals_index::search::{Highlighter, Query, Term};
use annals_index::{Index, IndexError};

/// Words that say nothing about a topic. They are dropped only if no message has all words.
const COMMON: [&str; 66] = [
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "did",
    "do", "does", "done", "for", "from", "get", "had", "has", "have", "how", "i", "if", "in", "into", "is",
    "it", "its", "last", "me", "my", "not", "of", "on", "or", "our", "out", "so", "that", "the", "their",
    "them", "then", "there", "they", "this", "to", "up", "use", "used", "was", "we", "were", "what", "when",
    "where", "which", "who", "why", "with", "you", "your",
];

/// A query with fewer words, and which are left; `None` for the query as it is.
pub(crate) type UsedWords = Option<Vec<String>>;

/// How many of the rarest words a smaller query is built around.
const SEEDS: usize = 4;

/// Runs a query; if it finds nothing, with those of its words that occur together and say most.
pub(crate) fn relaxed<T>(
    index: &Index,
    query: &Query,
    mut run: impl FnMut(&Query) -> Result<Option<T>, IndexError>,
) -> Result<Option<(T, UsedWords)>, IndexError> {
    if let Some(found) = run(query)? {
        return Ok(Some((found, None)));
    }
    let count = |all: Vec<Vec<Term>>| index.match_count(&Query { all, ..query.clone() });
    let mut terms = Vec::new();
    for group in query.all.iter().filter(|group| !is_common(group)) {
        let matches = count(vec![group.clone()])?;
        if matches > 0 {
            terms.push((matches, group.clone()));
        }
    }
    terms.sort_by_key(|(matches, _)| *matches);
    // Words that occur together, around each of the rarest; what many messages have says little.
    let weight = |matches: u64| (1e7 / matches as f64).max(1.1).ln();
    let mut best: (f64, Vec<Vec<Term>>) = (0.0, Vec::new());
    for (at, (matches, seed)) in terms.iter().enumerate().take(SEEDS) {
        let (mut sum, mut all) = (weight(*matches), vec![seed.clone()]);
        for (_, (matches, group)) in terms.iter().enumerate().filter(|(other, _)| *other != at) {
            all.push(group.clone());
            match count(all.clone())? {
                0 => drop(all.pop()),
                _ => sum += weight(*matches),
            }
        }
        if sum > best.0 {
            best = (sum, all);
        }
    }
    let (_, all) = best;
    if all.is_empty() || all.len() == query.all.len() {
        return Ok(None);
    }
    let words = all.iter().flatten().map(|term| term.words.clone()).collect();
    Ok(run(&Query { all, ..query.clone() })?.map(|found| (found, Some(words))))
}

fn is_common(group: &[Term]) -> bool {
    group.iter().all(|term| COMMON.contains(&term.words.to_lowercase().as_str()))
}

/// The part of a text with the most words of a query, of about `width` bytes.
pub(crate) fn densest(text: &str, query: &Query, width: usize) -> Range<usize> {
    let marks = Highlighter::new(query).find(text, 64);
    let within =
        |from: usize| marks.iter().filter(|mark| mark.start >= from && mark.end <= from + width).count();
    let best = marks.iter().rev().max_by_key(|mark| within(mark.start)).map_or(0, |mark| mark.start);
    let start = text.floor_char_boundary(best.saturating_sub(width / 4));
    start..text.ceil_char_boundary((start + width).min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_with_the_most_words_is_shown() {
        let text = format!("alpha {} alpha beta gamma {}", "x ".repeat(400), "y ".repeat(400));
        let query = Query::parse("alpha beta gamma").unwrap();
        assert!(text[densest(&text, &query, 100)].contains("alpha beta gamma"));
        assert_eq!(densest("short", &query, 100), 0..5);
    }

    #[test]
    fn common_words_are_sorted_for_the_reader_and_in_lower_case() {
        assert!(COMMON.is_sorted() && COMMON.iter().all(|word| word.to_lowercase() == **word));
    }
}
