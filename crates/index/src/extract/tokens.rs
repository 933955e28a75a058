//! The words of a text as FTS5's tokenizer makes them (`unicode61 remove_diacritics 2`), for engines that have no such tokenizer.
//!
//! `tokens.txt` says what it makes of every character; a test compares it with the tokenizer itself.

use std::sync::OnceLock;

use super::words::{as_indexed, searchable};

/// What the tokenizer makes of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenClass {
    /// It is between words.
    Separator,
    /// It is left out inside a word, and begins none.
    Mark,
    /// It is part of a word, in this form.
    Letter(char),
}

/// The words of a text as it is indexed, with the parts of camelCase names behind it: in order, repeated as they are.
pub fn text_tokens(text: &str) -> Vec<String> {
    split(&searchable(text))
}

/// The words of a part of a query.
pub fn tokens(text: &str) -> Vec<String> {
    split(&as_indexed(text))
}

fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_open = false;
    for letter in text.chars() {
        match class(letter) {
            TokenClass::Letter(letter) => {
                word.push(letter);
                is_open = true;
            }
            TokenClass::Mark if is_open => {}
            TokenClass::Mark | TokenClass::Separator => {
                if is_open {
                    words.push(std::mem::take(&mut word));
                    is_open = false;
                }
            }
        }
    }
    if is_open {
        words.push(word);
    }
    words
}

fn class(letter: char) -> TokenClass {
    if letter.is_ascii() {
        return match letter.is_ascii_alphanumeric() {
            true => TokenClass::Letter(letter.to_ascii_lowercase()),
            false => TokenClass::Separator,
        };
    }
    let classes = classes();
    match classes.binary_search_by_key(&letter, |(known, _)| *known) {
        Ok(at) => classes[at].1,
        Err(_) => TokenClass::Letter(letter),
    }
}

/// The characters beyond ASCII that are not letters as they are, in their order.
fn classes() -> &'static [(char, TokenClass)] {
    static CLASSES: OnceLock<Vec<(char, TokenClass)>> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let lines = include_str!("tokens.txt").lines().filter(|line| !line.starts_with('#'));
        let mut classes: Vec<(char, TokenClass)> =
            lines.flat_map(str::split_whitespace).filter_map(run).flatten().collect();
        classes.sort_unstable_by_key(|(letter, _)| *letter);
        classes
    })
}

/// The characters of one word of the file.
fn run(word: &str) -> Option<Vec<(char, TokenClass)>> {
    let (class, rest) = match word.as_bytes().first()? {
        b'-' => (TokenClass::Separator, &word[1..]),
        b'!' => (TokenClass::Mark, &word[1..]),
        _ => {
            let at = word.rfind(['+', '-'])?;
            let distance: i64 = word[at..].parse().ok()?;
            let folded = |letter: char| u32::try_from(i64::from(letter as u32) + distance).ok();
            let class = |letter| char::from_u32(folded(letter)?).map(TokenClass::Letter);
            let letters = span(&word[..at])?.filter_map(|letter| Some((letter, class(letter)?)));
            return Some(letters.collect());
        }
    };
    Some(span(rest)?.map(|letter| (letter, class)).collect())
}

/// The characters of `A`, `A:B`, or `A:B/2`.
fn span(text: &str) -> Option<impl Iterator<Item = char>> {
    let (text, step) = text.strip_suffix("/2").map_or((text, 1), |text| (text, 2));
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let number = |digits: &str| u32::from_str_radix(digits, 16).ok();
    Some((number(first)?..=number(last)?).step_by(step).filter_map(char::from_u32))
}

#[cfg(test)]
mod tests {
    use annals_testkit::depth::is_in_share;
    use rusqlite::Connection;

    use super::*;

    /// The words of texts, by the tokenizer itself.
    fn by_tokenizer(texts: &[String]) -> Vec<Vec<String>> {
        let tables = Connection::open_in_memory().unwrap();
        tables
            .execute_batch(
                "CREATE VIRTUAL TABLE words USING fts5(body, tokenize=\"unicode61 remove_diacritics 2\");
                 CREATE VIRTUAL TABLE found USING fts5vocab(words, instance); BEGIN;",
            )
            .unwrap();
        let mut insert = tables.prepare("INSERT INTO words (rowid, body) VALUES (?1, ?2)").unwrap();
        for (at, text) in texts.iter().enumerate() {
            insert.execute((at as i64, text)).unwrap();
        }
        let mut places = vec![Vec::new(); texts.len()];
        let mut found = tables.prepare("SELECT doc, offset, term FROM found").unwrap();
        let mut rows = found.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let (text, place): (i64, i64) = (row.get(0).unwrap(), row.get(1).unwrap());
            places[text as usize].push((place, row.get::<_, String>(2).unwrap()));
        }
        places.iter_mut().for_each(|words| words.sort());
        places.into_iter().map(|words| words.into_iter().map(|(_, word)| word).collect()).collect()
    }

    fn assert_same(texts: &[String]) {
        for (text, words) in texts.iter().zip(by_tokenizer(texts)) {
            assert_eq!(split(text), words, "{text:?}");
        }
    }

    #[test]
    fn every_character_is_what_the_tokenizer_takes_it_for() {
        // The planes of rare scripts and of nothing at all in parts; those of living ones whole.
        let wanted = |letter: &u32| *letter < 0x3100 || is_in_share(*letter as usize, 0, 5);
        let letters: Vec<char> = (1..0x11_0000).filter(wanted).filter_map(char::from_u32).collect();
        for some in letters.chunks(50_000) {
            let texts: Vec<String> =
                some.iter().flat_map(|letter| [format!("q{letter}Q"), letter.to_string()]).collect();
            assert_same(&texts);
        }
    }

    #[test]
    fn words_of_any_text_are_those_of_the_tokenizer() {
        let mut state = 18_u64;
        let mut below = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % end
        };
        let alphabet: Vec<char> =
            "aB9 _-.\u{301}\u{345}éÉßſıİΣςæ日本กा\u{200d}😀\u{10ffff}Ⅻ½٣\n\t\"'(getUserName"
                .chars()
                .collect();
        let texts: Vec<String> =
            (0..3000).map(|_| (0..below(24)).map(|_| alphabet[below(alphabet.len())]).collect()).collect();
        assert_same(&texts);
        assert_same(&texts.iter().map(|text| searchable(text)).collect::<Vec<_>>());
    }

    #[test]
    fn names_have_their_parts_behind_the_text() {
        assert_eq!(text_tokens("getUserName(Café)"), ["getusername", "cafe", "get", "user", "name"]);
        assert_eq!(tokens("foo.bar()"), ["foo", "bar"]);
    }
}
