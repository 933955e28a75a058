//! Translates a query into an FTS5 expression.

use super::{Query, Term};
use crate::extract::{as_indexed, is_camel_case, parts_of, tokens};

impl Query {
    /// The FTS5 expression; `None` if the query has only filters.
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
    /// The words in their order, as a text has them; for a camelCase name also those of its parts.
    pub fn alternatives(&self) -> Vec<Vec<String>> {
        let words = as_indexed(&self.words);
        let parts = camel_case_parts(&words).map(|parts| tokens(&parts));
        [Some(tokens(&words)), parts].into_iter().flatten().filter(|words| !words.is_empty()).collect()
    }

    fn expression(&self) -> String {
        let star = if self.is_prefix { " *" } else { "" };
        let quoted = |text: &str| format!("\"{}\"{star}", text.replace('"', " "));
        let words = as_indexed(&self.words);
        match camel_case_parts(&words) {
            Some(parts) => format!("({} OR {})", quoted(&words), quoted(&parts)),
            None => quoted(&words),
        }
    }
}

/// A camelCase name as the phrase of its parts.
fn camel_case_parts(word: &str) -> Option<String> {
    let is_name = word.bytes().all(|byte| byte.is_ascii_alphanumeric()) && is_camel_case(word);
    is_name.then(|| parts_of(word).collect::<Vec<_>>().join(" "))
}
