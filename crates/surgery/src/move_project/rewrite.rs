//! Rewrites records after a move: fields with project folders, and paths to moved files.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use annals_json::Value;
use annals_json::edit::{EditError, Editor, PathStep};
use annals_store::{FileBytes, Slug};
use annals_transcript::line::lines;
use annals_transcript::objects::LineSharing;
use annals_transcript::transcript::Transcript;

use super::load::ProjectEntry;
use super::{CwdMode, MovePlanError};
use crate::clone::blocks;
use crate::edit::FileEdit;
use crate::folder_move::FolderMove;

/// Fields of records and meta files that name a folder of the project.
const FOLDERS: [&[&str]; 4] =
    [&["cwd"], &["worktreeSession", "originalCwd"], &["worktreeSession", "worktreePath"], &["worktreePath"]];

/// Rewrites paths in records.
#[derive(Debug)]
pub(super) struct PathRewriter<'r> {
    moved: Option<&'r FolderMove>,
    /// Folders of the store with their new names and the entries that move.
    store: HashMap<&'r str, (&'r Slug, HashSet<&'r str>)>,
    /// How many records over several lines name the old folder, and are left as they are.
    left: Cell<usize>,
}

impl<'r> PathRewriter<'r> {
    pub(super) fn new(moved: Option<&'r FolderMove>, cwd: CwdMode, entries: &'r [ProjectEntry]) -> Self {
        let mut store: HashMap<&str, (&Slug, HashSet<&str>)> = HashMap::new();
        for entry in entries.iter().filter(|entry| entry.folder != entry.to) {
            let (_, names) =
                store.entry(entry.folder.as_str()).or_insert_with(|| (&entry.to, HashSet::new()));
            names.insert(stem(&entry.name));
        }
        Self { moved: moved.filter(|_| cwd == CwdMode::Follows), store, left: Cell::new(0) }
    }

    /// The edits of a file of lines.
    pub(super) fn lines(&self, path: &Path, bytes: &FileBytes) -> Result<FileEdit, MovePlanError> {
        let fault = |line, source| MovePlanError::Edit { path: path.to_path_buf(), line, source };
        let mut edit = FileEdit::new(path, bytes).keeping_mtime();
        let transcript = Transcript::parse(bytes);
        let mut nodes = transcript.indexed_nodes().peekable();
        for line in lines(bytes) {
            let start = line.offset + line.body_start();
            let (mut new, mut at) = (Vec::new(), start);
            while let Some((index, node)) = nodes.next_if(|(_, node)| node.line as usize == line.number) {
                let raw = transcript.fields(index).raw();
                // `annals repair` puts records on lines of their own.
                if node.sharing == LineSharing::Spanning {
                    let is_left = self.record(raw).is_ok_and(|record| record.is_some());
                    self.left.set(self.left.get() + usize::from(is_left));
                    continue;
                }
                if let Some(record) = self.record(raw).map_err(|source| fault(line.number, source))? {
                    new.extend_from_slice(&bytes[at..node.span.offset]);
                    new.extend(record);
                    at = node.span.offset + raw.len();
                }
            }
            if at > start {
                new.extend_from_slice(&bytes[at..start + line.body().len()]);
                edit.change(line.number, new, "it names the old folder");
            }
        }
        Ok(edit)
    }

    /// How many records that name the old folder are left as they are, since they are over several lines.
    pub(super) fn left(&self) -> usize {
        self.left.get()
    }

    /// Rewrites a side file: one object, or lines of them.
    pub(super) fn json(&self, bytes: &[u8]) -> Vec<u8> {
        let whole = || match self.record(bytes) {
            Ok(new) => new.unwrap_or_else(|| bytes.to_vec()),
            Err(_) => bytes.to_vec(),
        };
        match Value::parse(bytes) {
            Ok(_) => whole(),
            Err(_) => self.lines(Path::new(""), &bytes.into()).map_or_else(|_| whole(), |edit| edit.result()),
        }
    }

    /// The rewritten record; `None` if nothing changes.
    fn record(&self, raw: &[u8]) -> Result<Option<Vec<u8>>, EditError> {
        let mut edited = None;
        if let Some(moved) = self.moved {
            edited = follow(raw, moved, &FOLDERS)?;
        }
        let now = edited.as_deref().unwrap_or(raw);
        Ok(self.mentions(now).or(edited))
    }

    /// Replaces paths to moved files, except in thinking blocks, whose signature covers their bytes, and in tool calls,
    /// which are history.
    pub(super) fn mentions(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut splices = self.paths(bytes);
        if splices.is_empty() {
            return None;
        }
        if let Ok(value) = Value::parse(bytes) {
            let kept = blocks(value, bytes, &["thinking", "redacted_thinking", "tool_use"]);
            splices.retain(|(start, end, _)| !kept.iter().any(|(from, to)| from <= start && end <= to));
        }
        let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
        for (start, end, slug) in &splices {
            out.extend_from_slice(&bytes[at..*start]);
            out.extend_from_slice(slug.as_str().as_bytes());
            at = *end;
        }
        out.extend_from_slice(&bytes[at..]);
        Some(out).filter(|_| !splices.is_empty())
    }

    /// Finds `projects/<folder>/<moved entry>`: the range of the folder's name, and its new name.
    fn paths(&self, bytes: &[u8]) -> Vec<(usize, usize, &'r Slug)> {
        let mut found = Vec::new();
        if self.store.is_empty() {
            return found;
        }
        let mut from = 0;
        while let Some(at) = find(&bytes[from..], PROJECTS).map(|at| from + at + PROJECTS.len()) {
            from = at;
            let start = at + separators(&bytes[at..]);
            let end = start + name(&bytes[start..]);
            let inside = end + separators(&bytes[end..]);
            let what = &bytes[inside..inside + name(&bytes[inside..])];
            let (Ok(folder), Ok(what)) = (std::str::from_utf8(&bytes[start..end]), std::str::from_utf8(what))
            else {
                continue;
            };
            if let Some((to, names)) = self.store.get(folder)
                && start > at
                && inside > end
                && names.contains(stem(what))
            {
                found.push((start, end, *to));
            }
        }
        found
    }
}

const PROJECTS: &[u8] = b"projects";

/// Replaces those of these fields that name the moved folder; `None` if there are none.
pub(super) fn follow(
    raw: &[u8],
    moved: &FolderMove,
    places: &[&[&str]],
) -> Result<Option<Vec<u8>>, EditError> {
    let value = Value::parse(raw).map_err(EditError::NotAnObject)?;
    let mut editor = None;
    for place in places {
        let text = place.iter().try_fold(value, |value, key| value.get(key)).and_then(Value::text);
        let Some(new) = text.and_then(|text| moved.follow(&text.decode())) else { continue };
        let path: Vec<_> = place.iter().map(|key| PathStep::Key(key)).collect();
        let editor = match &mut editor {
            Some(editor) => editor,
            none => none.insert(Editor::new(raw)?),
        };
        editor.replace_string(&path, &new)?;
    }
    editor.map(Editor::finish).transpose()
}

/// A name up to its first dot, by which sessions, sub-agents and meta files are known.
fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn separators(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b'/' | b'\\')).count()
}

fn name(bytes: &[u8]) -> usize {
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    bytes.iter().take_while(is_of_name).count()
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::super::load::FolderScope;
    use super::*;

    const SESSION: &str = "3f2a0000-1111-4222-8333-444444444444";

    fn entry(name: &str) -> ProjectEntry {
        let (folder, to) = ("-a-old".into(), "-b-new".into());
        ProjectEntry { folder, to, name: name.to_owned(), scope: FolderScope::Part, index: None }
    }

    fn check(raw: &str, expected: &str) {
        let moved = FolderMove::new("/a/old", "/b/new");
        let entries = [entry(&format!("{SESSION}.jsonl")), entry("agent-a1.jsonl"), entry("memory")];
        let rewriter = PathRewriter::new(Some(&moved), CwdMode::Follows, &entries);
        let (raw, expected) = (raw.replace("$S", SESSION), expected.replace("$S", SESSION));
        let new = rewriter.record(raw.as_bytes()).unwrap().unwrap_or(raw.into_bytes());
        assert_eq!(String::from_utf8(new).unwrap(), expected);
    }

    #[test]
    fn folders_of_the_project_follow() {
        check(r#"{"cwd":"/a/old/sub","x":"/a/old"}"#, r#"{"cwd":"/b/new/sub","x":"/a/old"}"#);
        check(r#"{"cwd":"/a/older"}"#, r#"{"cwd":"/a/older"}"#);
        check(
            r#"{"worktreeSession":{"originalCwd":"/a/old","worktreePath":"/a/old/w"}}"#,
            r#"{"worktreeSession":{"originalCwd":"/b/new","worktreePath":"/b/new/w"}}"#,
        );
        check(
            r#"{"worktreeSession":null,"toolUseResult":{"cwd":"/a/old"}}"#,
            r#"{"worktreeSession":null,"toolUseResult":{"cwd":"/a/old"}}"#,
        );
    }

    #[test]
    fn paths_into_what_moves_follow() {
        let path = |slug: &str| format!(r#"{{"p":"/c/projects/{slug}/$S/tool-results/b.txt. See"}}"#);
        check(&path("-a-old"), &path("-b-new"));
        check(&path("-a-old-sub"), &path("-a-old-sub"));
        check(r#"{"p":"C:\\projects\\-a-old\\$S.jsonl"}"#, r#"{"p":"C:\\projects\\-b-new\\$S.jsonl"}"#);
        check(
            r#"["/projects/-a-old/agent-a1.jsonl","projects/-a-old/x"]"#,
            r#"["/projects/-b-new/agent-a1.jsonl","projects/-a-old/x"]"#,
        );
        check(r#"{"p":"projects/-a-old\nmemory"}"#, r#"{"p":"projects/-a-old\nmemory"}"#);
        let said =
            |kind: &str| format!(r#"{{"m":[{{"type":"{kind}","x":"/projects/-a-old/memory/M.md"}}]}}"#);
        for kind in ["thinking", "tool_use"] {
            check(&said(kind), &said(kind));
        }
        check(&said("text"), &said("text").replace("-a-old", "-b-new"));
    }
}
