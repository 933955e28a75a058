//! Finds ids in JSON bytes, also inside longer texts.

use annals_store::source::is_uuid;

use super::id_map::IdMap;

/// Bytes to replace: start, end, and the new text.
pub(super) type Splice = (usize, usize, String);

const UUID: usize = 36;

/// Folders of a config dir in which a session has a folder or file with its id.
const OF_SESSIONS: [&[u8]; 5] = [b"todos", b"tasks", b"file-history", b"session-env", b"image-cache"];
/// Names inside a session's folder.
const IN_SESSION: [&[u8]; 4] = [b"subagents", b"tool-results", b"workflows", b"custom-title"];

/// Whether an id cannot be mistaken for a common word or number.
pub(super) fn is_distinctive(id: &str) -> bool {
    let is_word = id.len() >= 7
        && id.bytes().all(is_of_word)
        && id.bytes().any(|byte| byte.is_ascii_digit())
        && id.bytes().any(|byte| byte.is_ascii_alphabetic())
        && id.parse::<f64>().is_err();
    is_uuid(id) || is_word
}

/// Every id in these bytes that has a new one.
///
/// Ids of records and sub-agents are unique, so every mention is replaced. The id of a session also names things that a
/// clone does not have (a scratch folder, a log, a conversation about it), so it is replaced only if it is a whole string
/// or part of a path into something that the clone has.
pub(super) fn ids(bytes: &[u8], names: &IdMap) -> Vec<Splice> {
    let mut found = Vec::new();
    for (start, end) in words(bytes) {
        let word = &bytes[start..end];
        if let Some(new) = text(word).and_then(|word| names.new_id(word)) {
            // The output of a background task is in a temporary folder, which a clone does not have.
            if !bytes[end..].starts_with(b".output") {
                found.push((start, end, new.to_owned()));
            }
            continue;
        }
        uuids(bytes, (start, end), names, &mut found);
        if let Some(at) = find(word, b"agent-").map(|at| start + at + b"agent-".len())
            && let Some(new) = text(&bytes[at..end]).and_then(|agent| names.agent(agent))
        {
            found.push((at, end, new.to_owned()));
        }
    }
    found
}

/// The UUIDs in a word: file names join them with other words.
fn uuids(bytes: &[u8], (start, end): (usize, usize), names: &IdMap, found: &mut Vec<Splice>) {
    let mut at = start;
    while at + UUID <= end {
        let ends = at + UUID == end || !bytes[at + UUID].is_ascii_alphanumeric();
        let begins = at == start || !bytes[at - 1].is_ascii_alphanumeric();
        let id = text(&bytes[at..at + UUID]).filter(|_| begins && ends);
        match id {
            Some(id) if id == names.old_session().as_str() => {
                found.extend(session(bytes, at, names));
                at += UUID;
            }
            Some(id) if names.new_id(id).is_some() => {
                found.extend(names.new_id(id).map(|new| (at, at + UUID, new.to_owned())));
                at += UUID;
            }
            _ => at += 1,
        }
    }
}

/// The session's id at an offset, if it names something that the clone has.
fn session(bytes: &[u8], at: usize, names: &IdMap) -> Option<Splice> {
    let (new, end) = (names.session().as_str(), at + UUID);
    if at > 0 && bytes[at - 1] == b'"' && bytes.get(end) == Some(&b'"') && (at < 2 || bytes[at - 2] != b'\\')
    {
        return Some((at, end, new.to_owned()));
    }
    // The todo list of the main agent has the session's id twice.
    if let Some(first) =
        bytes[..at].strip_suffix(b"-agent-").and_then(|before| before.len().checked_sub(UUID))
        && bytes[first..first + UUID] == bytes[at..end]
    {
        return session(bytes, first, names).map(|_| (at, end, new.to_owned()));
    }
    if let Some((folder, start)) = folder_before(bytes, at) {
        if OF_SESSIONS.contains(&folder) {
            return Some((at, end, new.to_owned()));
        }
        if folder_before(bytes, start).is_some_and(|(above, _)| above == b"projects") {
            let between = &bytes[start + folder.len()..at];
            let moved = text(folder).and_then(|slug| names.project(slug));
            return Some(match (moved, text(between)) {
                (Some(slug), Some(between)) => (start, end, format!("{slug}{between}{new}")),
                _ => (at, end, new.to_owned()),
            });
        }
    }
    let inside = bytes[end..].iter().position(|byte| !is_separator(*byte)).filter(|&gap| gap > 0)?;
    let holds = IN_SESSION.iter().any(|name| bytes[end + inside..].starts_with(name));
    holds.then(|| (at, end, new.to_owned()))
}

/// The folder name right before an offset, and where it starts.
fn folder_before(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let end = bytes[..at].iter().rposition(|byte| !is_separator(*byte))? + 1;
    let is_name = |byte: &u8| !is_separator(*byte) && !matches!(byte, b'"' | b' ' | b'\'' | b'`');
    let start = bytes[..end].iter().rposition(|byte| !is_name(byte)).map_or(0, |before| before + 1);
    (end < at && start < end).then(|| (&bytes[start..end], start))
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Runs of letters, digits, `-` and `_`. An escape ends a run: the `n` of `\n` is not part of a word.
fn words(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !is_of_word(bytes[at]) {
            at += match (bytes[at], bytes.get(at + 1)) {
                (b'\\', Some(b'u')) => 6,
                (b'\\', Some(_)) => 2,
                _ => 1,
            };
        }
        let start = at;
        while at < bytes.len() && is_of_word(bytes[at]) {
            at += 1;
        }
        (start < at).then_some((start, at))
    })
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = "3f2a0000-1111-4222-8333-444444444444";
    const RECORD: &str = "00000000-0000-4000-8000-00000000000a";
    const AGENT: &str = "a0123456789abcdef";

    fn names() -> IdMap {
        IdMap::for_test(
            (SESSION, "SESSION"),
            [(RECORD, "RECORD"), ("word", "WORD"), ("1234e56", "NUMBER")],
            [(AGENT, "AGENT"), ("short1", "SHORT")],
            ("-old", "-new"),
        )
    }

    /// `S`, `R` and `A` stand for the old ids.
    fn check(text: &str, expected: &str) {
        let text = text.replace("$S", SESSION).replace("$R", RECORD).replace("$A", AGENT);
        let expected = expected.replace("$S", SESSION).replace("$R", RECORD).replace("$A", AGENT);
        let mut seen = text.clone();
        for (start, end, new) in ids(text.as_bytes(), &names()).into_iter().rev() {
            seen.replace_range(start..end, &new);
        }
        assert_eq!(seen, expected);
    }

    #[test]
    fn records_and_agents_are_known_anywhere() {
        check(r#"{"x":"$R","$R":1}"#, r#"{"x":"RECORD","RECORD":1}"#);
        check(r#""line\n$R, ($A)\u00e9$A""#, r#""line\nRECORD, (AGENT)\u00e9AGENT""#);
        check("agent-$A.jsonl $R-agent-$A agent-short1", "agent-AGENT.jsonl RECORD-agent-AGENT agent-SHORT");
        check("x$R y$A $Az $R0", "x$R y$A $Az $R0");
    }

    #[test]
    fn what_could_be_anything_is_left() {
        check(r#"{"a":"word","b":1234e56,"c":"short1"}"#, r#"{"a":"word","b":1234e56,"c":"short1"}"#);
        check("/tmp/$S/tasks/$A.output", "/tmp/$S/tasks/$A.output");
    }

    #[test]
    fn a_session_is_changed_where_the_clone_has_the_thing_too() {
        check(r#"{"sessionId":"$S"}"#, r#"{"sessionId":"SESSION"}"#);
        check("we spoke of $S and $S-agent-$S", "we spoke of $S and $S-agent-$S");
        check(r#""{\"id\":\"$S\"}""#, r#""{\"id\":\"$S\"}""#);
        check("/c/projects/-other/$S/tool-results/b.txt", "/c/projects/-other/SESSION/tool-results/b.txt");
        check("/c/projects/-old/$S.jsonl", "/c/projects/-new/SESSION.jsonl");
        check(r"C:\\projects\\-old\\$S\\x", r"C:\\projects\\-new\\SESSION\\x");
        check("todos/$S-agent-$S.json", "todos/SESSION-agent-SESSION.json");
        check("\"$S/subagents/x\"", "\"SESSION/subagents/x\"");
        check("/tmp/claude/-old/$S/scratchpad", "/tmp/claude/-old/$S/scratchpad");
    }
}
