//! The search behind a question in plain words: all of them in one message if there is one, else those that
//! occur together and say most.

use std::collections::{BTreeSet, HashMap};
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

/// How many messages with a word are counted of each kind: what more have says as little.
const MAX_COUNTED: usize = 250;

/// How many of the rarest words a smaller query is built around.
const SEEDS: usize = 4;

/// Runs a query; if it finds nothing, with those of its words that occur together and say most.
pub(crate) fn relaxed<T>(
    index: &Index,
    query: &Query,
    mut run: impl FnMut(&Query) -> Result<Option<T>, IndexError>,
) -> Result<Option<(T, UsedWords)>, IndexError> {
    let with = |all: Vec<Vec<Term>>| Query { all, ..query.clone() };
    let telling: Vec<Vec<Term>> = query.all.iter().filter(|group| !is_common(group)).cloned().collect();
    // Most messages have the common words, so looking for all words takes long: the others are looked for first.
    let may_match =
        telling.is_empty() || telling.len() == query.all.len() || index.is_matched(&with(telling.clone()))?;
    if may_match && let Some(found) = run(query)? {
        return Ok(Some((found, None)));
    }
    let mut terms = Vec::new();
    for group in telling {
        let matches = index.match_count(&with(vec![group.clone()]), MAX_COUNTED)?;
        if matches > 0 {
            terms.push((matches, group));
        }
    }
    terms.sort_by_key(|(matches, _)| *matches);
    let counts: Vec<u64> = terms.iter().map(|(matches, _)| *matches).collect();
    let chosen = best_words(&counts, |chosen| {
        index.is_matched(&with(chosen.iter().map(|at| terms[*at].1.clone()).collect()))
    })?;
    let all: Vec<Vec<Term>> = chosen.into_iter().map(|at| terms[at].1.clone()).collect();
    if all.is_empty() || all.len() == query.all.len() {
        return Ok(None);
    }
    let words = all.iter().flatten().map(|term| term.words.clone()).collect();
    Ok(run(&Query { all, ..query.clone() })?.map(|found| (found, Some(words))))
}

/// Words that occur together, around each of the rarest; what many messages have says little. They are given by how many
/// messages have them, the rarest first.
fn best_words(
    counts: &[u64],
    mut is_found: impl FnMut(&BTreeSet<usize>) -> Result<bool, IndexError>,
) -> Result<BTreeSet<usize>, IndexError> {
    let weight = |word: usize| (1e7 / counts[word] as f64).max(1.1).ln();
    let mut known: HashMap<BTreeSet<usize>, bool> = HashMap::new();
    let mut best: (f64, BTreeSet<usize>) = (0.0, BTreeSet::new());
    for seed in 0..counts.len().min(SEEDS) {
        let mut chosen = BTreeSet::from([seed]);
        for other in (0..counts.len()).filter(|other| *other != seed) {
            chosen.insert(other);
            let is_together = match known.get(&chosen) {
                Some(is_together) => *is_together,
                None => is_found(&chosen)?,
            };
            known.insert(chosen.clone(), is_together);
            if !is_together {
                chosen.remove(&other);
            }
        }
        let sum = chosen.iter().map(|word| weight(*word)).sum();
        if sum > best.0 {
            best = (sum, chosen);
        }
    }
    Ok(best.1)
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
    fn words_that_occur_together_are_preferred_and_asked_for_once() {
        let (mut asked, messages) = (Vec::new(), [vec![0, 3], vec![1, 2, 3]]);
        let found = best_words(&[1, 50, 60, 70], |chosen| {
            asked.push(chosen.clone());
            Ok(messages.iter().any(|words| chosen.iter().all(|word| words.contains(word))))
        });
        assert_eq!(found.unwrap(), BTreeSet::from([1, 2, 3]));
        let count = asked.len();
        asked.sort();
        asked.dedup();
        assert_eq!(asked.len(), count);
        assert!(best_words(&[], |_| Ok(true)).unwrap().is_empty());
    }

    #[test]
    fn common_words_are_sorted_for_the_reader_and_in_lower_case() {
        assert!(COMMON.is_sorted() && COMMON.iter().all(|word| word.to_lowercase() == **word));
    }
}
