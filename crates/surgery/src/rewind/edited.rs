//! What tools say that they did to files: the content before and after each edit.
//!
//! It tells whose a file's present content is, and mends the copies of a release that made them too late.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use annals_json::{Text, Value};
use annals_transcript::record::Record;
use annals_transcript::tool_result::ToolUseResult;
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::session::Session;

/// One edit of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// The line of the session that tells of it; none where a sub-agent made it.
    pub(super) node: Option<NodeIndex>,
    /// When, in milliseconds since 1970.
    pub(super) time: Option<i64>,
    /// The file.
    pub(super) path: PathBuf,
    /// The content before, where it is told.
    pub(super) before: Option<String>,
    /// The content after, where it follows.
    pub(super) after: Option<String>,
    /// What was replaced by what; newer clients tell no more of large files.
    replaced: Option<(String, String, Occurrences)>,
}

/// The edits of a session and of its sub-agents, in the order in which they were made as far as that is known.
pub(super) fn edits(session: &Session, transcript: &Transcript<'_>) -> Vec<Edited> {
    let mut found = of_file(transcript);
    for agent in &session.agents {
        let theirs = of_file(&Transcript::parse(&agent.bytes)).into_iter();
        found.extend(theirs.map(|edit| Edited { node: None, ..edit }));
    }
    // A stable sort: lines without a time stay where they are told.
    found.sort_by_key(|edit| edit.time);
    follow(&mut found);
    found
}

/// What one edit left is what the next one found, where that is not told.
fn follow(edits: &mut [Edited]) {
    let mut left: BTreeMap<PathBuf, String> = BTreeMap::new();
    for edit in edits {
        if edit.before.is_none()
            && let (Some(found), Some((old, new, occurrences))) = (left.get(&edit.path), &edit.replaced)
        {
            edit.after = Some(occurrences.replace(found, old, new));
            edit.before = Some(found.clone());
        }
        match &edit.after {
            Some(after) => drop(left.insert(edit.path.clone(), after.clone())),
            None => drop(left.remove(&edit.path)),
        }
    }
}

fn of_file(transcript: &Transcript<'_>) -> Vec<Edited> {
    let mut found = Vec::new();
    for (node, record) in transcript.records() {
        let Record::User(user) = record else { continue };
        let Some(result) = user.tool_use_result() else { continue };
        let time = transcript.nodes()[node].millis;
        let edit = |path: &str, before, after| Edited {
            node: Some(node),
            time,
            path: PathBuf::from(path),
            before,
            after,
            replaced: None,
        };
        let text = |text: Option<Text<'_>>| text.map(|text| text.to_string());
        match &result {
            ToolUseResult::Edit(result) => {
                let Some(path) = text(result.path()) else { continue };
                let occurrences = Occurrences::of(result.replace_all() == Some(true));
                let pair = text(result.old_string()).zip(text(result.new_string()));
                let replaced = pair.map(|(old, new)| (old, new, occurrences));
                let replaced = replaced.filter(|_| result.user_modified() != Some(true));
                let before = text(result.original_file());
                let after = before.as_deref().zip(replaced.as_ref());
                let after =
                    after.map(|(before, (old, new, occurrences))| occurrences.replace(before, old, new));
                found.push(Edited { replaced, ..edit(&path, before, after) });
            }
            ToolUseResult::MultiEdit(result) => {
                let Some(path) = text(result.path()) else { continue };
                let before = text(result.original_file());
                let after = before.as_deref().and_then(|before| all(before, result.edits()?));
                found.push(edit(&path, before, after.filter(|_| result.user_modified() != Some(true))));
            }
            ToolUseResult::Write(result) => {
                let Some(path) = text(result.path()) else { continue };
                let after = text(result.content()).filter(|_| result.user_modified() != Some(true));
                found.push(edit(&path, text(result.original_file()), after));
            }
            ToolUseResult::NotebookEdit(result) => {
                let path = result.fields().get("notebook_path").and_then(Value::text);
                if let Some(path) = text(path) {
                    let after = text(result.fields().get("updated_file").and_then(Value::text));
                    let before = text(result.fields().get("original_file").and_then(Value::text));
                    found.push(edit(&path, before, after));
                }
            }
            _ => {}
        }
    }
    found
}

/// Which occurrences are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occurrences {
    First,
    Every,
}

impl Occurrences {
    fn of(is_every: bool) -> Self {
        if is_every { Self::Every } else { Self::First }
    }

    fn replace(self, before: &str, old: &str, new: &str) -> String {
        match self {
            // An edit of nothing makes the file.
            _ if old.is_empty() => new.to_owned(),
            Self::Every => before.replace(old, new),
            Self::First => before.replacen(old, new, 1),
        }
    }
}

fn all<'a>(before: &str, edits: impl IntoIterator<Item = Value<'a>>) -> Option<String> {
    let mut content = before.to_owned();
    for edit in edits {
        let text = |key: &str| edit.get(key).and_then(Value::text).map(|text| text.to_string());
        let occurrences =
            Occurrences::of(edit.get("replace_all").is_some_and(|value| value.raw() == b"true"));
        content = occurrences.replace(&content, &text("old_string")?, &text("new_string")?);
    }
    Some(content)
}

impl Edited {
    /// Whether it is about this file.
    pub(super) fn is_of(&self, path: &Path) -> bool {
        self.path == path
    }
}

/// Whether two contents are the same to a client, which takes the line breaks of all systems for one.
pub(super) fn is_same(left: &[u8], right: &[u8]) -> bool {
    let plain = |bytes: &[u8]| -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for (at, &byte) in bytes.iter().enumerate() {
            if byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
                out.push(byte);
            }
        }
        out
    };
    left == right || plain(left) == plain(right)
}
