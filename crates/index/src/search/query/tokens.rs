//! Splits a query into words, phrases and filters.

use super::QueryError;
use super::filter::is_filter;

/// A word or phrase with its prefix.
pub(super) struct Token {
    pub(super) text: String,
    pub(super) is_not: bool,
    /// Whether no part of it was quoted.
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
                    token.text.push_str(&quoted(letters.by_ref())?);
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

/// Reads up to the closing quote.
fn quoted(letters: impl Iterator<Item = char>) -> Result<String, QueryError> {
    let mut text = String::new();
    for letter in letters {
        if letter == '"' {
            return Ok(text);
        }
        text.push(letter);
    }
    Err(QueryError::OpenQuote(text))
}
