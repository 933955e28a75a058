//! Filters: conditions on messages besides their words.

use std::ops::Range;

use annals_transcript::time::{format_millis, parse_millis};

use super::QueryError;
use super::tokens::Token;
use crate::extract::{MessageKind, MessageRole};

/// A condition on messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Who produced the message.
    MessageRole(MessageRole),
    /// The kind of the message is one of these.
    Kinds(Vec<MessageKind>),
    /// The tool that was called or answered.
    Tool(String),
    /// A part of the project's folder or working directory.
    Project(String),
    /// The start of the session's id.
    Session(String),
    /// A part of the path that a tool was called with.
    File(String),
    /// Before this time, in milliseconds since 1970.
    Before(i64),
    /// At or after this time.
    After(i64),
    Error(bool),
}

impl Filter {
    /// The filter of a name for `in:`: prompts, replies, thinking, tools, all, or a kind.
    pub fn kinds_named(name: &str) -> Option<Self> {
        kinds_named(name).map(Self::Kinds)
    }

    /// The filter that a token is, if it has a filter's name.
    pub(super) fn of(
        token: &Token,
        range: &dyn Fn(&str) -> Option<Range<i64>>,
    ) -> Result<Option<Self>, QueryError> {
        let Some(name) = &token.name else { return Ok(None) };
        let value = token.text.clone();
        let bad =
            |expected: String| QueryError::BadValue { name: name.clone(), value: value.clone(), expected };
        if value.is_empty() {
            return Err(bad("a value is missing".to_owned()));
        }
        Ok(Some(match name.as_str() {
            "role" if value == "user" => Self::MessageRole(MessageRole::Human),
            "role" => {
                Self::MessageRole(MessageRole::from_name(&value).ok_or_else(|| {
                    bad(words("one of user", MessageRole::ALL.iter().map(|role| role.name())))
                })?)
            }
            "in" | "kind" => Self::Kinds(kinds_named(&value).ok_or_else(|| {
                bad(words(
                    "one of prompts, replies, thinking, tools, all",
                    MessageKind::ALL.iter().map(|kind| kind.name()),
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
            _ => {
                let range = range(&value).ok_or_else(|| bad(DAY.to_owned()))?;
                match name.as_str() {
                    "before" => Self::Before(range.start),
                    "until" => Self::Before(range.end),
                    _ => Self::After(range.start),
                }
            }
        }))
    }
}

const FILTERS: [&str; 12] = [
    "role", "in", "kind", "tool", "project", "session", "file", "before", "until", "after", "since", "error",
];

/// Whether a word before a colon names a filter.
pub(super) fn is_filter(name: &str) -> bool {
    FILTERS.contains(&name)
}

/// The filter that a mistyped name is closest to, if it is close.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let near = FILTERS.iter().map(|filter| (distance(&name, filter), *filter));
    // In short names two other letters make another word.
    let is_near = |far: usize, filter: &str| far <= if filter.len().min(name.len()) < 5 { 1 } else { 2 };
    near.filter(|(far, filter)| is_near(*far, filter)).min().map(|(_, filter)| filter)
}

/// How many letters must be put in, left out or replaced.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, letter) in left.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

const DAY: &str = "a date such as 2026-01-31, 2026-01, 7d or 2026-01-31T12:00:00Z";

fn words<'w>(first: &str, all: impl Iterator<Item = &'w str>) -> String {
    format!("{first}, {}", all.collect::<Vec<_>>().join(", "))
}

/// The kinds that a name for `in:` stands for.
fn kinds_named(name: &str) -> Option<Vec<MessageKind>> {
    Some(match name {
        "prompts" => vec![MessageKind::Prompt],
        "replies" => vec![MessageKind::Response, MessageKind::Error],
        "thinking" => vec![MessageKind::Thinking],
        "tools" => vec![MessageKind::ToolCall, MessageKind::ToolResult],
        "all" => MessageKind::ALL.to_vec(),
        other => vec![MessageKind::from_name(other)?],
    })
}

/// A day or a moment of UTC; the day must exist in the calendar.
pub(super) fn utc_range(text: &str) -> Option<Range<i64>> {
    const DAY_MILLIS: i64 = 86_400_000;
    let day = text.get(..10)?;
    let is_there = format_millis(parse_millis(day)?).starts_with(day);
    let start = is_there.then(|| parse_millis(text)).flatten()?;
    Some(start..if day.len() == text.len() { start + DAY_MILLIS } else { start })
}
