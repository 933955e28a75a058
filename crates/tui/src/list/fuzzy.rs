//! A small fuzzy matcher: every word of the query has to be found, its letters in order; what is found together, or at the
//! start of a word, counts more.

/// The score of a word that is found whole.
const WHOLE: i64 = 100;
/// The score of a letter that begins a word.
const WORD_START: i64 = 8;
/// The score of a letter that follows the one before.
const TOGETHER: i64 = 5;

/// How well a text matches, and where: offsets of characters, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FuzzyMatch {
    pub(crate) score: i64,
    pub(crate) places: Vec<usize>,
}

/// Matches one word of a query against a short text. A word without capitals matches both cases.
pub(crate) fn matches(word: &str, text: &str) -> Option<FuzzyMatch> {
    let ignores_case = !word.chars().any(char::is_uppercase);
    let same = |left: char, right: char| match ignores_case {
        true => left.to_lowercase().eq(right.to_lowercase()),
        false => left == right,
    };
    let text: Vec<char> = text.chars().collect();
    let word: Vec<char> = word.chars().collect();
    if word.is_empty() {
        return Some(FuzzyMatch::default());
    }
    let is_start = |at: usize| at == 0 || !text[at - 1].is_alphanumeric();
    let whole = (0..=text.len().checked_sub(word.len())?)
        .filter(|&at| word.iter().zip(&text[at..]).all(|(&left, &right)| same(left, right)))
        .max_by_key(|&at| (is_start(at), std::cmp::Reverse(at)));
    if let Some(at) = whole {
        let bonus = if is_start(at) { WORD_START } else { 0 };
        let score = WHOLE + bonus + TOGETHER * word.len() as i64 - (at as i64).min(20);
        return Some(FuzzyMatch { score, places: (at..at + word.len()).collect() });
    }
    scattered(&word, &text, same)
}

/// The letters in order, each as early as possible; too far apart, they mean nothing.
fn scattered(word: &[char], text: &[char], same: impl Fn(char, char) -> bool) -> Option<FuzzyMatch> {
    let mut places: Vec<usize> = Vec::with_capacity(word.len());
    let mut score = 0;
    for &letter in word {
        let from = places.last().map_or(0, |&last| last + 1);
        let at = from + text.get(from..)?.iter().position(|&other| same(letter, other))?;
        score += match places.last() {
            Some(&last) if last + 1 == at => TOGETHER,
            _ if at == 0 || !text[at - 1].is_alphanumeric() => WORD_START,
            _ => 0,
        };
        places.push(at);
    }
    let span = places.last()? - places.first()? + 1;
    let is_close = span <= word.len() * 6 && word.len() > 1;
    is_close.then(|| FuzzyMatch { score: score - span as i64, places })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(word: &str, text: &str) -> Option<Vec<usize>> {
        matches(word, text).map(|found| found.places)
    }

    #[test]
    fn letters_are_found_in_order_and_together_first() {
        assert_eq!(places("fix", "prefix the fix"), Some(vec![11, 12, 13]), "the start of a word");
        assert_eq!(places("tfx", "the fix"), Some(vec![0, 4, 6]));
        assert_eq!(places("xyz", "the fix"), None);
        assert_eq!(places("Fix", "the fix"), None, "a capital asks for a capital");
        assert_eq!(places("über", "Der ÜBERZUG"), Some(vec![4, 5, 6, 7]));
        assert_eq!(places("ae", &format!("a{}e", "x".repeat(100))), None, "too far apart");
        assert_eq!(places("", "x"), Some(vec![]));
        assert_eq!(places("longer", "long"), None);
    }

    #[test]
    fn whole_words_come_first() {
        let score = |text: &str| matches("cache", text).map(|found| found.score);
        assert!(score("the cache") > score("recaches") && score("recaches") > score("c a c h e"));
    }
}
