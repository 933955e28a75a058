//! The edits of files by tools: the content before and after each.
//!
//! They tell whether the session wrote a file's current content, and correct the copies of a release that made them too
//! late.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use annals_json::{Text, Value};
use annals_transcript::record::Record;
use annals_transcript::tool_result::ToolUseResult;
use annals_transcript::transcript::{NodeIndex, Transcript};

use super::turns::RewindTurn;
use crate::session::Session;

/// One edit of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolEdit {
    /// The record of the edit; `None` if a sub-agent made it.
    pub(crate) node: Option<NodeIndex>,
    pub(crate) time: Option<i64>,
    pub(crate) path: PathBuf,
    pub(crate) tool: &'static str,
    /// The content before, if known.
    pub(crate) before: Option<String>,
    /// The content after, if known.
    pub(crate) after: Option<String>,
    /// The replaced and the new text; newer clients record no more for large files.
    pub(crate) replaced: Option<(String, String, Occurrences)>,
}

/// The edits of a session and its sub-agents, in order as far as known.
pub(crate) fn edits(session: &Session, transcript: &Transcript<'_>) -> Vec<ToolEdit> {
    let mut found = of_file(transcript);
    for agent in &session.agents {
        let agent_edits = of_file(&Transcript::parse(&agent.bytes)).into_iter();
        found.extend(agent_edits.map(|edit| ToolEdit { node: None, ..edit }));
    }
    // A stable sort keeps records without a time in their place.
    found.sort_by_key(|edit| edit.time);
    fill_gaps(&mut found);
    found
}

/// Fills unknown contents in: what one edit left is what the next one found.
fn fill_gaps(edits: &mut [ToolEdit]) {
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

fn of_file(transcript: &Transcript<'_>) -> Vec<ToolEdit> {
    let mut found = Vec::new();
    for (node, record) in transcript.records() {
        let Record::User(user) = record else { continue };
        let Some(result) = user.tool_use_result() else { continue };
        let time = transcript.node(node).millis;
        let edit = |tool: &'static str, path: &str, before, after| ToolEdit {
            node: Some(node),
            time,
            path: PathBuf::from(path),
            tool,
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
                found.push(ToolEdit { replaced, ..edit("Edit", &path, before, after) });
            }
            ToolUseResult::MultiEdit(result) => {
                let Some(path) = text(result.path()) else { continue };
                let before = text(result.original_file());
                let after = before.as_deref().and_then(|before| all(before, result.edits()?));
                found.push(edit(
                    "MultiEdit",
                    &path,
                    before,
                    after.filter(|_| result.user_modified() != Some(true)),
                ));
            }
            ToolUseResult::Write(result) => {
                let Some(path) = text(result.path()) else { continue };
                let after = text(result.content()).filter(|_| result.user_modified() != Some(true));
                found.push(edit("Write", &path, text(result.original_file()), after));
            }
            ToolUseResult::NotebookEdit(result) => {
                let path = result.fields().get("notebook_path").and_then(Value::text);
                if let Some(path) = text(path) {
                    let after = text(result.fields().get("updated_file").and_then(Value::text));
                    let before = text(result.fields().get("original_file").and_then(Value::text));
                    found.push(edit("NotebookEdit", &path, before, after));
                }
            }
            _ => {}
        }
    }
    found
}

/// Which occurrences are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occurrences {
    First,
    Every,
}

impl Occurrences {
    fn of(is_every: bool) -> Self {
        if is_every { Self::Every } else { Self::First }
    }

    fn replace(self, before: &str, old: &str, new: &str) -> String {
        match self {
            // Replacing nothing creates the file.
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

impl ToolEdit {
    /// Whether it was made in a turn or after it.
    pub(crate) fn is_since(&self, turn: &RewindTurn) -> bool {
        match self.node {
            Some(node) => node >= turn.node,
            None => self.time.zip(turn.time).is_some_and(|(time, start)| time >= start),
        }
    }

    pub(crate) fn is_of(&self, path: &Path) -> bool {
        self.path == path
    }
}

/// Whether two contents are the same to a client, which ignores the kind of line breaks.
pub(crate) fn is_same(left: &[u8], right: &[u8]) -> bool {
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
