//! The query language: words, "phrases", prefix*, -not, OR, and filters such as `tool:Bash`.
//!
//! All terms must be met by one message; `OR` stands between two terms of which one is enough, and binds closer: `a b OR c`
//! is a, and b or c.

use annals_transcript::time::parse_millis;

use crate::extract::{Kind, Role, stands_alone};

/// One thing to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The words, as typed, without quotes and star.
    pub words: String,
    /// Whether the last word may go on.
    pub is_prefix: bool,
}

/// What a message must be besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Who speaks.
    Role(Role),
    /// What is said: one of these.
    Kinds(Vec<Kind>),
    /// The tool that is called or answers.
    Tool(String),
    /// Part of the project's folder.
    Project(String),
    /// The beginning of a session's id.
    Session(String),
    /// Part of the path that a tool was called for.
    File(String),
    /// Before this time, in milliseconds since 1970.
    Before(i64),
    /// At or after this time.
    After(i64),
    /// Whether it is an error.
    Error(bool),
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

impl Filter {
    /// Where to look, by its word: prompts, replies, thinking, tools, all, or a kind.
    pub fn place(name: &str) -> Option<Self> {
        place(name).map(Self::Kinds)
    }
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
            if let Some(filter) = filter(&token)? {
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

    /// The query as the word tables understand it; none where it has filters alone.
    pub(super) fn expression(&self) -> Option<String> {
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

struct Token {
    text: String,
    is_not: bool,
    /// Nothing of it was quoted.
    is_bare: bool,
    /// `name` of `name:value`.
    name: Option<String>,
}

fn tokens(text: &str) -> Result<Vec<Token>, QueryError> {
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

const FILTERS: [&str; 12] = [
    "role", "in", "kind", "tool", "project", "session", "file", "before", "until", "after", "since", "error",
];

fn is_filter(name: &str) -> bool {
    FILTERS.contains(&name)
}

fn filter(token: &Token) -> Result<Option<Filter>, QueryError> {
    let Some(name) = &token.name else { return Ok(None) };
    let value = token.text.clone();
    let bad = |expected: String| QueryError::BadValue { name: name.clone(), value: value.clone(), expected };
    if value.is_empty() {
        return Err(bad("a value is missing".to_owned()));
    }
    Ok(Some(match name.as_str() {
        "role" if value == "user" => Filter::Role(Role::Human),
        "role" => Filter::Role(
            Role::named(&value)
                .ok_or_else(|| bad(words("one of user", Role::ALL.iter().map(|role| role.name()))))?,
        ),
        "in" | "kind" => Filter::Kinds(place(&value).ok_or_else(|| {
            bad(words(
                "one of prompts, replies, thinking, tools, all",
                Kind::ALL.iter().map(|kind| kind.name()),
            ))
        })?),
        "tool" => Filter::Tool(value),
        "project" => Filter::Project(value),
        "session" => Filter::Session(value),
        "file" => Filter::File(value),
        "error" => match value.as_str() {
            "true" | "yes" => Filter::Error(true),
            "false" | "no" => Filter::Error(false),
            _ => return Err(bad("true or false".to_owned())),
        },
        "before" | "until" => Filter::Before(time(&value).ok_or_else(|| bad(DAY.to_owned()))?),
        _ => Filter::After(time(&value).ok_or_else(|| bad(DAY.to_owned()))?),
    }))
}

const DAY: &str = "a day (2026-01-31) or a time (2026-01-31T12:00:00Z)";

fn words<'w>(first: &str, all: impl Iterator<Item = &'w str>) -> String {
    format!("{first}, {}", all.collect::<Vec<_>>().join(", "))
}

/// The kinds that a place stands for.
fn place(name: &str) -> Option<Vec<Kind>> {
    Some(match name {
        "prompts" => vec![Kind::Prompt],
        "replies" => vec![Kind::Response, Kind::Error],
        "thinking" => vec![Kind::Thinking],
        "tools" => vec![Kind::ToolCall, Kind::ToolResult],
        "all" => Kind::ALL.to_vec(),
        other => vec![Kind::named(other)?],
    })
}

fn time(text: &str) -> Option<i64> {
    let is_day = text.len() == 10;
    parse_millis(&if is_day { format!("{text}T00:00:00Z") } else { text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for text in ["role:nobody", "before:yesterday", "error:maybe", "tool:"] {
            assert!(matches!(Query::parse(text), Err(QueryError::BadValue { .. })), "{text}");
        }
    }
}
