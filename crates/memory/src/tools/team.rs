//! `search_team`, `read_team_session` and `team_usage`: the sessions of a team, there if the server was started with `--at URL`.
//! Commands ask the team, so that its rights hold and answers are those of `annals search --at` and its like.

use annals_json::Value;
use annals_transcript::time::parse_millis;

use super::schema::{CURSOR, MAX_TOKENS, Parameter};
use super::usage::UsageSum;
use super::{Tool, ToolGroup};
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::memory::{Memory, MemoryStore, id_word, moment};
use crate::page::{Entry, continuation};

const PERSON: Parameter = Parameter::text("person", "Only sessions of this person's machines");

pub(super) const SEARCH: Tool = Tool {
    name: "search_team",
    title: "Search the team's sessions",
    description: "Full-text search over the sessions of all colleagues that you may read. Use it when this machine's sessions have no answer: somebody else may have solved it. Takes the words and filters of search_sessions. Continue with read_team_session.",
    parameters: &[
        Parameter::required("query", "Words to find; names and identifiers work best"),
        PERSON,
        Parameter::number("limit", "How many passages (default 10, at most 50)"),
        CURSOR,
        MAX_TOKENS,
    ],
    group: ToolGroup::Team,
};

pub(super) const READ: Tool = Tool {
    name: "read_team_session",
    title: "Read a session of the team",
    description: "Reads a session that search_team found: around a line of it, or from its beginning.",
    parameters: &[
        Parameter::required("session", "Its id or the beginning of it"),
        Parameter::text("around", "A line number or the uuid of a record"),
        CURSOR,
        MAX_TOKENS,
    ],
    group: ToolGroup::Team,
};

pub(super) const USAGE: Tool = Tool {
    name: "team_usage",
    title: "Cost of the team",
    description: "Tokens and cost of the team's sessions at list prices, by person, project, model or day.",
    parameters: &[
        Parameter::text("by", "person (default), team, project, model, day, week or month"),
        PERSON,
        Parameter::text("since", "Only from this date on, such as 2026-05-01 or 7d"),
        MAX_TOKENS,
    ],
    group: ToolGroup::Team,
};

const DEFAULT_PASSAGES: u64 = 10;
const MAX_PASSAGES: u64 = 50;
const PASSAGE_BYTES: usize = 320;
/// How many messages are read before and after a line.
const AROUND: &str = "6";
/// The spans and groups by which usage can be asked for.
const GROUPS: [&str; 7] = ["person", "team", "project", "model", "day", "week", "month"];

/// Adds an option that was given. A value never begins an option of its own.
fn option(command: &mut Vec<String>, name: &str, value: Option<String>) {
    command.extend(value.map(|value| format!("--{name}={value}")));
}

pub(super) fn search<S: MemoryStore>(
    memory: &mut Memory<S>,
    arguments: &Arguments,
) -> Result<String, ToolError> {
    let limit = arguments.number("limit")?.unwrap_or(DEFAULT_PASSAGES).clamp(1, MAX_PASSAGES) as usize;
    let (skipped, max_tokens) = (arguments.skipped()?, arguments.max_tokens()?);
    let mut command =
        vec!["search".to_owned(), "--json".to_owned(), format!("--limit={}", skipped.saturating_add(limit))];
    option(&mut command, "person", arguments.text("person")?);
    command.extend(["--".to_owned(), arguments.required("query")?]);
    let answer = memory.ask_team(&command)?;
    let found = document(&answer)?;
    let hits: Vec<Value<'_>> = found.get("hits").map(Value::items).into_iter().flatten().collect();
    let total = found.get("total").and_then(Value::count).unwrap_or_default();
    let heading = match hits.len() {
        0 => "No session of the team matches.".to_owned(),
        _ => format!("{total} messages of the team match."),
    };
    let mut page = memory.page(&heading, max_tokens);
    let mut next = (total > hits.len() as u64).then_some(hits.len());
    for (number, hit) in hits.iter().enumerate().skip(skipped) {
        if !page.push(&passage(memory, *hit)) {
            next = Some(number);
            break;
        }
    }
    Ok(page.finish(&next.map(continuation).into_iter().collect::<Vec<_>>()))
}

/// A hit of `annals search --json`.
fn passage<S: MemoryStore>(memory: &mut Memory<S>, hit: Value<'_>) -> Entry {
    let text =
        |key: &str| hit.get(key).and_then(Value::text).map(|text| text.to_string()).unwrap_or_default();
    let line = hit.get("line").and_then(Value::count).unwrap_or_default();
    let parts = [
        format!("session {} line {line}", id_word(&text("session"))),
        id_word(&text("role")),
        moment(parse_millis(&text("timestamp"))),
    ];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let whose = [text("person"), text("machine")].into_iter().find(|name| !name.is_empty());
    let about = [whose.unwrap_or_default(), text("title"), text("project")];
    let about: Vec<String> =
        about.iter().filter(|part| !part.is_empty()).map(|part| memory.cleaner.line(part, 100)).collect();
    Entry::new(parts.join(" · "))
        .quote(about.join(" — "))
        .quote(memory.cleaner.line(&text("snippet"), PASSAGE_BYTES))
}

pub(super) fn read<S: MemoryStore>(
    memory: &mut Memory<S>,
    arguments: &Arguments,
) -> Result<String, ToolError> {
    let session = arguments.required("session")?;
    let (offset, max_tokens) = (arguments.skipped()?, arguments.max_tokens()?);
    let mut command = vec!["show".to_owned()];
    if let Some(place) = arguments.text("around")? {
        command.extend([format!("--around={place}"), format!("--context={AROUND}")]);
    }
    command.extend(["--".to_owned(), session.clone()]);
    let shown = memory.ask_team(&command)?;
    let shown = String::from_utf8_lossy(&shown);
    let mut page = memory.page(&format!("Session {} of the team.", id_word(&session)), max_tokens);
    let offset = shown.ceil_char_boundary(offset.min(shown.len()));
    let room = page.room().saturating_sub(200);
    // A bar and a blank before each line.
    let bars = 2 * shown[offset..].lines().take(room / 20).count();
    let end = shown.ceil_char_boundary((offset + room.saturating_sub(bars).max(room / 3)).min(shown.len()));
    let part = memory.cleaner.part(&shown, offset, end - offset);
    page.push(&Entry::new(format!("bytes {offset} to {end} of {}", shown.len())).quote(part));
    let next = (end < shown.len()).then(|| continuation(end));
    Ok(page.finish(&next.into_iter().collect::<Vec<_>>()))
}

pub(super) fn usage<S: MemoryStore>(
    memory: &mut Memory<S>,
    arguments: &Arguments,
) -> Result<String, ToolError> {
    let by = arguments.text("by")?.unwrap_or_else(|| GROUPS[0].to_owned());
    if !GROUPS.contains(&by.as_str()) {
        return Err(ToolError::Argument(format!("by must be one of {}", GROUPS.join(", "))));
    }
    let max_tokens = arguments.max_tokens()?;
    let mut command = vec!["usage".to_owned(), "--json".to_owned(), format!("--by={by}")];
    option(&mut command, "person", arguments.text("person")?);
    option(&mut command, "since", arguments.text("since")?);
    let answer = memory.ask_team(&command)?;
    let found = document(&answer)?;
    let is_incomplete = found.get("unpriced").is_some_and(|models| models.items().next().is_some());
    let total = found.get("total").map(|total| sum(total, is_incomplete)).unwrap_or_default();
    let mut page = memory.page(&format!("Usage of the team by {by}: {total}."), max_tokens);
    let rows: Vec<Value<'_>> = found.get("rows").map(Value::items).into_iter().flatten().collect();
    let shown = rows.iter().take_while(|row| {
        let key = row.get("key").and_then(Value::text).map(|key| key.to_string()).unwrap_or_default();
        page.push(&Entry::new(sum(**row, false)).quote(format!("{by} {}", memory.cleaner.line(&key, 120))))
    });
    let left = rows.len() - shown.count();
    let note = (left > 0).then(|| format!("{left} more did not fit: use since, or a larger max_tokens"));
    Ok(page.finish(&note.into_iter().collect::<Vec<_>>()))
}

/// A row of `annals usage --json` in words. Only the whole answer says whether a model has no price.
fn sum(row: Value<'_>, is_incomplete: bool) -> String {
    let count = |key: &str| row.get(key).and_then(Value::count).unwrap_or_default();
    let dollars = row.get("costUsd").map(|cost| String::from_utf8_lossy(cost.raw()).into_owned());
    let sum = UsageSum {
        responses: count("responses"),
        input: ["input", "cacheRead", "cacheWrite5m", "cacheWrite1h"].into_iter().map(count).sum(),
        output: count("output"),
        dollars: dollars.and_then(|text| text.parse().ok()).unwrap_or_default(),
        is_incomplete,
    };
    sum.text()
}

fn document(answer: &[u8]) -> Result<Value<'_>, ToolError> {
    Value::parse(answer).map_err(|_| ToolError::Store("the team's answer is not JSON".to_owned()))
}
