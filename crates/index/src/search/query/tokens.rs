//! A query's text to words, phrases and filters.

use super::QueryError;
use super::filter::is_filter;

/// A word or a phrase, with what stands before it.
pub(super) struct Token {
    pub(super) text: String,
    pub(super) is_not: bool,
    /// Nothing of it was quoted.
    pub(super) is_bare: bool,
    /// `name` of `name:value`.
    pub(super) name: Option<String>,
}

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, QueryError> {
    let mut found = Vec::new();
    let mut letters = text.chars().peekable();
    loop {
        while letters.peek().is_some_and(|letter| letter.is_whitespace()) {
            letters.next();
        }
        let Some(&first) = letters.peek() else { return Ok(found) };
        let mut token = Token { text: String::new(), is_not: false, is_bare: true, name: None };
        if first == '-' {
            letters.next();
            token.is_not = true;
        }
        while let Some(&letter) = letters.peek() {
            match letter {
                '"' if token.text.is_empty() => {
                    letters.next();
                    token.is_bare = false;
                    let quoted: String = letters.by_ref().take_while_inclusive_of('"')?;
                    token.text.push_str(&quoted);
                    break;
                }
                ':' if token.name.is_none() && is_filter(&token.text) => {
                    letters.next();
                    token.name = Some(std::mem::take(&mut token.text));
                }
                letter if letter.is_whitespace() => break,
                letter => {
                    letters.next();
                    token.text.push(letter);
                }
            }
        }
        if !token.text.is_empty() || token.name.is_some() {
            found.push(token);
        }
    }
}

/// Everything up to a closing letter, which must come.
trait UpTo {
    fn take_while_inclusive_of(self, end: char) -> Result<String, QueryError>;
}

impl<I: Iterator<Item = char>> UpTo for I {
    fn take_while_inclusive_of(self, end: char) -> Result<String, QueryError> {
        let mut taken = String::new();
        for letter in self {
            if letter == end {
                return Ok(taken);
            }
            taken.push(letter);
        }
        Err(QueryError::OpenQuote(taken))
    }
}
