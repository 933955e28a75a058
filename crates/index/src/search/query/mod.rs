//! The query language: words, "phrases", prefix*, -not, OR, and filters such as `tool:Bash`.
//!
//! All terms must be met by one message; `OR` stands between two terms of which one is enough, and binds closer: `a b OR c`
//! is a, and b or c.

mod expression;
mod filter;
mod tokens;

pub use filter::Filter;
use tokens::tokens;

/// One thing to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The words, as typed, without quotes and star.
    pub words: String,
    /// Whether the last word may go on.
    pub is_prefix: bool,
}

/// A query, understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Each must be met, by any of its alternatives.
    pub all: Vec<Vec<Term>>,
    /// None may be met.
    pub none: Vec<Term>,
    /// Filters that must hold.
    pub filters: Vec<Filter>,
    /// Filters that must not.
    pub excluded: Vec<Filter>,
}

/// Why a query cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Nothing is asked for.
    #[error("the query asks for nothing")]
    Empty,
    /// Only what must not be there is named.
    #[error("the query says only what must not be there; name a word or a filter that must")]
    OnlyNot,
    /// A quote is never closed.
    #[error("a quote is opened and not closed: {0}")]
    OpenQuote(String),
    /// `OR` without something on both sides.
    #[error("OR stands between two words")]
    LoneOr,
    /// A filter has a value that it cannot have.
    #[error("{name}:{value}: {expected}")]
    BadValue {
        /// The filter.
        name: String,
        /// What was given.
        value: String,
        /// What can be.
        expected: String,
    },
}

impl Query {
    /// Reads a query. Times without a zone are taken as UTC.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let mut query = Self::default();
        let mut waits_for_other = false;
        for token in tokens(text)? {
            if token.is_bare && token.text == "OR" && !token.is_not {
                if query.all.is_empty() || waits_for_other {
                    return Err(QueryError::LoneOr);
                }
                waits_for_other = true;
                continue;
            }
            if let Some(filter) = Filter::of(&token)? {
                match token.is_not {
                    true => query.excluded.push(filter),
                    false => query.filters.push(filter),
                }
                continue;
            }
            let is_prefix = token.is_bare && token.text.ends_with('*') && token.text.len() > 1;
            let words =
                if is_prefix { token.text.trim_end_matches('*').to_owned() } else { token.text.clone() };
            if !words.chars().any(char::is_alphanumeric) {
                continue;
            }
            let term = Term { words, is_prefix };
            match (token.is_not, waits_for_other) {
                (true, _) => query.none.push(term),
                (false, true) => {
                    waits_for_other = false;
                    if let Some(last) = query.all.last_mut() {
                        last.push(term);
                    }
                }
                (false, false) => query.all.push(vec![term]),
            }
        }
        if waits_for_other {
            return Err(QueryError::LoneOr);
        }
        if query.all.is_empty() && query.filters.is_empty() {
            let is_not = !query.none.is_empty() || !query.excluded.is_empty();
            return Err(if is_not { QueryError::OnlyNot } else { QueryError::Empty });
        }
        if query.all.is_empty() && !query.none.is_empty() {
            return Err(QueryError::OnlyNot);
        }
        Ok(query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Kind, Role};

    fn expression(text: &str) -> String {
        Query::parse(text).unwrap().expression().unwrap_or_default()
    }

    #[test]
    fn words_phrases_and_their_like() {
        assert_eq!(expression("one two"), r#"("one") AND ("two")"#);
        assert_eq!(expression(r#"one OR "two three" four"#), r#"("one" OR "two three") AND ("four")"#);
        assert_eq!(expression("one -two -\"a b\""), r#"((("one")) NOT "two") NOT "a b""#);
        assert_eq!(expression("pre*"), r#"("pre" *)"#);
        assert_eq!(expression("getName"), r#"(("getName" OR "get Name"))"#);
        assert_eq!(expression("日本"), r#"(" 日  本 ")"#);
        assert_eq!(expression("foo.bar()"), r#"("foo.bar()")"#);
        assert_eq!(expression("https://x.y/z"), r#"("https://x.y/z")"#);
    }

    #[test]
    fn filters_are_read_and_others_are_words() {
        let query =
            Query::parse("tool:Bash -role:user in:thinking before:2026-01-01 error:true x:y word").unwrap();
        assert_eq!(
            query.filters,
            [
                Filter::Tool("Bash".into()),
                Filter::Kinds(vec![Kind::Thinking]),
                Filter::Before(1_767_225_600_000),
                Filter::Error(true),
            ]
        );
        assert_eq!(query.excluded, [Filter::Role(Role::Human)]);
        assert_eq!(query.all.len(), 2);
        let leap = Query::parse("since:2024-02-29 until:2024-02-29T12:00:00Z").unwrap();
        assert_eq!(leap.filters, [Filter::After(1_709_164_800_000), Filter::Before(1_709_208_000_000)]);
        let quoted = Query::parse(r#"file:"a b/c.rs""#).unwrap();
        assert_eq!(quoted.filters, [Filter::File("a b/c.rs".into())]);
    }

    #[test]
    fn what_cannot_be_meant_is_said() {
        for (text, error) in [
            ("", QueryError::Empty),
            ("  ... ", QueryError::Empty),
            ("-x", QueryError::OnlyNot),
            ("OR x", QueryError::LoneOr),
            ("x OR", QueryError::LoneOr),
            ("\"x", QueryError::OpenQuote("x".into())),
        ] {
            assert_eq!(Query::parse(text), Err(error), "{text}");
        }
        for text in [
            "role:nobody",
            "before:yesterday",
            "error:maybe",
            "tool:",
            "since:2026-02-30",
            "before:2026-11-31T12:00:00Z",
            "since:2025-02-29",
        ] {
            assert!(matches!(Query::parse(text), Err(QueryError::BadValue { .. })), "{text}");
        }
    }
}
