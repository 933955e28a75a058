//! A query as FTS5 understands it.

use super::{Query, Term};
use crate::extract::stands_alone;

impl Query {
    /// The query as the word tables understand it; none where it has filters alone.
    pub(in crate::search) fn expression(&self) -> Option<String> {
        if self.all.is_empty() {
            return None;
        }
        let any = |terms: &Vec<Term>| {
            let terms: Vec<_> = terms.iter().map(Term::expression).collect();
            format!("({})", terms.join(" OR "))
        };
        let mut expression = self.all.iter().map(any).collect::<Vec<_>>().join(" AND ");
        for term in &self.none {
            expression = format!("({expression}) NOT {}", term.expression());
        }
        Some(expression)
    }
}

impl Term {
    fn expression(&self) -> String {
        let star = if self.is_prefix { " *" } else { "" };
        let quoted = |text: &str| format!("\"{}\"{star}", text.replace('"', " "));
        let parts = humps(&self.words);
        let plain = quoted(&spaced(&self.words));
        match parts {
            Some(parts) => format!("({plain} OR {})", quoted(&parts)),
            None => plain,
        }
    }
}

/// A name in camelCase as the phrase of its parts.
fn humps(word: &str) -> Option<String> {
    let has_hump = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    if !word.bytes().all(|byte| byte.is_ascii_alphanumeric()) || !word.as_bytes().windows(2).any(has_hump) {
        return None;
    }
    let mut parts = String::new();
    let mut before = b' ';
    for letter in word.bytes() {
        if before.is_ascii_lowercase() && letter.is_ascii_uppercase() {
            parts.push(' ');
        }
        parts.push(letter as char);
        before = letter;
    }
    Some(parts)
}

/// Characters that are words of their own, apart, as they are in the index.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match stands_alone(letter) {
            true => out.extend([' ', letter, ' ']),
            false => out.push(letter),
        }
    }
    out
}
