//! Filters: what a message must be besides having the words.

use annals_transcript::time::{format_millis, parse_millis};

use super::QueryError;
use super::tokens::Token;
use crate::extract::{Kind, Role};

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

impl Filter {
    /// Where to look, by its word: prompts, replies, thinking, tools, all, or a kind.
    pub fn place(name: &str) -> Option<Self> {
        place(name).map(Self::Kinds)
    }

    /// The filter that a word is, if it is one.
    pub(super) fn of(token: &Token) -> Result<Option<Self>, QueryError> {
        let Some(name) = &token.name else { return Ok(None) };
        let value = token.text.clone();
        let bad =
            |expected: String| QueryError::BadValue { name: name.clone(), value: value.clone(), expected };
        if value.is_empty() {
            return Err(bad("a value is missing".to_owned()));
        }
        Ok(Some(match name.as_str() {
            "role" if value == "user" => Self::Role(Role::Human),
            "role" => Self::Role(
                Role::named(&value)
                    .ok_or_else(|| bad(words("one of user", Role::ALL.iter().map(|role| role.name()))))?,
            ),
            "in" | "kind" => Self::Kinds(place(&value).ok_or_else(|| {
                bad(words(
                    "one of prompts, replies, thinking, tools, all",
                    Kind::ALL.iter().map(|kind| kind.name()),
                ))
            })?),
            "tool" => Self::Tool(value),
            "project" => Self::Project(value),
            "session" => Self::Session(value),
            "file" => Self::File(value),
            "error" => match value.as_str() {
                "true" | "yes" => Self::Error(true),
                "false" | "no" => Self::Error(false),
                _ => return Err(bad("true or false".to_owned())),
            },
            "before" | "until" => Self::Before(time(&value).ok_or_else(|| bad(DAY.to_owned()))?),
            _ => Self::After(time(&value).ok_or_else(|| bad(DAY.to_owned()))?),
        }))
    }
}

const FILTERS: [&str; 12] = [
    "role", "in", "kind", "tool", "project", "session", "file", "before", "until", "after", "since", "error",
];

/// Whether a word before a colon is a filter's name.
pub(super) fn is_filter(name: &str) -> bool {
    FILTERS.contains(&name)
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

/// A time, of a day that is in the calendar.
fn time(text: &str) -> Option<i64> {
    let day = text.get(..10)?;
    let is_there = format_millis(parse_millis(day)?).starts_with(day);
    is_there.then(|| parse_millis(text)).flatten()
}
