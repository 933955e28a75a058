//! Hooks in the front matter of a Markdown file: which events have one.

/// Events whose hooks decide whether a tool call runs.
const GUARDS: [&str; 2] = ["PreToolUse", "PermissionRequest"];

/// Returns whether hooks of this event decide about tool calls.
pub(super) fn is_guard(event: &str) -> bool {
    GUARDS.contains(&event)
}

/// Returns the events that have a hook by the front matter of an agent, a skill or a command. A form that is not understood
/// counts as a guard.
pub(super) fn front_matter_events(text: &str) -> Vec<String> {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    if lines.next().is_none_or(|first| first.trim_end() != "---") {
        return Vec::new();
    }
    let front_matter: Vec<&str> = lines.take_while(|line| line.trim_end() != "---").collect();
    let is_hooks = |line: &&str| ["hooks:", "\"hooks\":", "'hooks':"].iter().any(|key| line.starts_with(key));
    let Some(place) = front_matter.iter().position(is_hooks) else { return Vec::new() };
    let inline = front_matter[place].split_once(':').map_or("", |(_, value)| value).trim();
    let is_below = |line: &&&str| line.trim().is_empty() || line.starts_with([' ', '\t', '#', '}', ']']);
    let below: Vec<&str> = front_matter[place + 1..].iter().take_while(is_below).copied().collect();
    if matches!(inline, "" | "{}" | "null" | "~" | "[]") && below.iter().all(|line| line.trim().is_empty()) {
        return Vec::new();
    }
    let is_event = |word: &&str| {
        word.starts_with(|letter: char| letter.is_ascii_uppercase())
            && word.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    // A name before a colon, first in its line or after a bracket or a comma.
    let keys = |line: &str| {
        let parts: Vec<&str> = line.split([',', '{']).collect();
        let key = |part: &&str| {
            part.split_once(':').map(|(key, _)| key.trim().trim_matches(['"', '\'']).to_owned())
        };
        parts.iter().filter_map(key).filter(|key| is_event(&key.as_str())).collect::<Vec<_>>()
    };
    let mut events: Vec<String> = std::iter::once(inline).chain(below).flat_map(keys).collect();
    events.dedup();
    if events.is_empty() { vec![GUARDS[0].to_owned()] } else { events }
}
