//! The query language: words, "phrases", prefix*, -not, OR, and filters such as `tool:Bash`.
//!
//! One message must match all terms. `OR` joins two terms of which one is enough, and binds closer than the implicit "and":
//! `a b OR c` is a and (b or c).

mod expression;
mod filter;
mod tokens;

pub use filter::Filter;
use tokens::tokens;

/// A word or phrase to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The words as typed, without quotes and star.
    pub words: String,
    /// Whether the last word is a prefix.
    pub is_prefix: bool,
}

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Terms of which each must match, in one of its alternatives.
    pub all: Vec<Vec<Term>>,
    /// Terms that must not match.
    pub none: Vec<Term>,
    /// Filters that must match.
    pub filters: Vec<Filter>,
    /// Filters that must not match.
    pub excluded: Vec<Filter>,
}

/// Why a query is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("the query is empty")]
    Empty,
    /// Only excluded terms are given.
    #[error("the query only excludes; add a word or a filter that must match")]
    OnlyExcluded,
    /// A quote is never closed.
    #[error("missing closing quote: {0}")]
    OpenQuote(String),
    /// `OR` without a term on both sides.
    #[error("OR needs a word on both sides")]
    DanglingOr,
    /// A filter does not accept this value.
    #[error("{name}:{value}: {expected}")]
    BadValue {
        /// The name of the filter.
        name: String,
        value: String,
        /// What the filter accepts.
        expected: String,
    },
}

impl Query {
    /// Parses a query. Days and times are those of UTC.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        Self::parse_with(text, &filter::utc_range)
    }

    /// Parses a query, with the caller's idea of dates: `range` returns the first millisecond of what a text names and the first
    /// one after it.
    pub fn parse_with(
        text: &str,
        range: &dyn Fn(&str) -> Option<std::ops::Range<i64>>,
    ) -> Result<Self, QueryError> {
        let mut query = Self::default();
        let mut waits_for_other = false;
        for token in tokens(text)? {
            if token.is_bare && token.text == "OR" && !token.is_not {
                if query.all.is_empty() || waits_for_other {
                    return Err(QueryError::DanglingOr);
                }
                waits_for_other = true;
                continue;
            }
            if let Some(filter) = Filter::of(&token, range)? {
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
            return Err(QueryError::DanglingOr);
        }
        if query.all.is_empty() && query.filters.is_empty() {
            let is_not = !query.none.is_empty() || !query.excluded.is_empty();
            return Err(if is_not { QueryError::OnlyExcluded } else { QueryError::Empty });
        }
        if query.all.is_empty() && !query.none.is_empty() {
            return Err(QueryError::OnlyExcluded);
        }
        Ok(query)
    }
}

/// A part of a query that looks like a filter and is none: it is searched as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFilter {
    /// The part as typed.
    pub text: String,
    /// The name of the filter that may be meant.
    pub nearest: Option<&'static str>,
}

/// The parts of a query that look like filters and are none. Addresses, times and paths of code look otherwise.
pub fn unknown_filters(text: &str) -> Vec<UnknownFilter> {
    let bare =
        tokens(text).unwrap_or_default().into_iter().filter(|token| token.is_bare && token.name.is_none());
    let unknown = |token: tokens::Token| {
        let (name, value) = token.text.split_once(':')?;
        let is_name = name.len() > 1 && name.chars().all(|c| c.is_ascii_alphabetic() || c == '_' || c == '-');
        let is_value = value.starts_with(|c: char| c.is_alphanumeric() || c == '"' || c == '~' || c == '.');
        (is_name && is_value)
            .then(|| UnknownFilter { nearest: filter::nearest(name), text: token.text.clone() })
    };
    bare.filter_map(unknown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{MessageKind, MessageRole};

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
                Filter::Kinds(vec![MessageKind::Thinking]),
                Filter::Before(1_767_225_600_000),
                Filter::Error(true),
            ]
        );
        assert_eq!(query.excluded, [Filter::MessageRole(MessageRole::Human)]);
        assert_eq!(query.all.len(), 2);
        let leap = Query::parse("since:2024-02-29 until:2024-02-29T12:00:00Z").unwrap();
        assert_eq!(leap.filters, [Filter::After(1_709_164_800_000), Filter::Before(1_709_208_000_000)]);
        let quoted = Query::parse(r#"file:"a b/c.rs""#).unwrap();
        assert_eq!(quoted.filters, [Filter::File("a b/c.rs".into())]);
    }

    #[test]
    fn what_looks_like_a_filter_and_is_none_is_found() {
        let found = |text: &str| -> Vec<_> {
            unknown_filters(text).into_iter().map(|filter| (filter.text, filter.nearest)).collect()
        };
        assert_eq!(found("foo:bar word"), [("foo:bar".to_owned(), None)]);
        assert_eq!(
            found("tools:Bash -projekt:x sesion:19 Until:7d"),
            [
                ("tools:Bash".to_owned(), Some("tool")),
                ("projekt:x".to_owned(), Some("project")),
                ("sesion:19".to_owned(), Some("session")),
                ("Until:7d".to_owned(), Some("until")),
            ]
        );
        assert_eq!(found("https://x.y std::fs 12:30 \"foo:bar\" tool:Bash C:\\x note:"), []);
    }

    #[test]
    fn what_cannot_be_meant_is_said() {
        for (text, error) in [
            ("", QueryError::Empty),
            ("  ... ", QueryError::Empty),
            ("-x", QueryError::OnlyExcluded),
            ("OR x", QueryError::DanglingOr),
            ("x OR", QueryError::DanglingOr),
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
