//! The sessions index and `history.jsonl` after a move.

use std::path::Path;

use annals_json::edit::{Editor, PathStep};
use annals_json::{Value, ValueKind};
use annals_store::changes::Change;
use annals_transcript::line::lines;

use super::MovePlanError;
use super::load::ProjectFile;
use super::rewrite::{PathRewriter, follow};
use crate::edit::FileEdit;
use crate::folder_move::FolderMove;
use crate::plan::Plan;

/// Assigns the prompts in `history.jsonl` to the new folder.
pub(super) fn history(
    path: &Path,
    bytes: &[u8],
    moved: Option<&FolderMove>,
) -> Result<FileEdit, MovePlanError> {
    let mut edit = FileEdit::new(path, bytes).keeping_mtime();
    let Some(moved) = moved else { return Ok(edit) };
    for line in lines(bytes) {
        // Unreadable lines belong to no project.
        if let Ok(Some(new)) = follow(line.body(), moved, &[&["project"]]) {
            edit.change(line.number, new, "a prompt of the project");
        }
    }
    Ok(edit)
}

/// Updates the paths in a sessions index.
pub(super) fn index(
    index: &ProjectFile,
    rewriter: &PathRewriter<'_>,
    moved: Option<&FolderMove>,
    plan: &mut Plan,
) {
    let new = rewritten(&index.bytes, rewriter, moved);
    if *new != *index.bytes {
        plan.replace(&index.path, &index.bytes, new);
    }
}

fn rewritten(bytes: &[u8], rewriter: &PathRewriter<'_>, moved: Option<&FolderMove>) -> Vec<u8> {
    let with_paths = rewriter.mentions(bytes).unwrap_or_else(|| bytes.to_vec());
    let Some(moved) = moved else { return with_paths };
    let followed = || {
        let value = Value::parse(&with_paths).ok()?;
        let mut editor = Editor::new(&with_paths).ok()?;
        let new_path = |value: Value<'_>| moved.follow(&value.text()?.decode());
        if let Some(new) = value.get("originalPath").and_then(new_path) {
            editor.replace_string(&[PathStep::Key("originalPath")], &new).ok()?;
        }
        for (at, entry) in value.get("entries").into_iter().flat_map(Value::items).enumerate() {
            if let Some(new) = entry.get("projectPath").and_then(new_path) {
                let place = [PathStep::Key("entries"), PathStep::Item(at), PathStep::Key("projectPath")];
                editor.replace_string(&place, &new).ok()?;
            }
        }
        editor.finish().ok()
    };
    followed().unwrap_or(with_paths)
}

/// The entries of two indexes in one; `None` if one cannot be read.
pub(super) fn joined(existing: &[u8], moved_bytes: &[u8]) -> Option<Vec<u8>> {
    let entries = |bytes| {
        let list = Value::parse(bytes).ok()?.get("entries")?;
        (list.kind() == ValueKind::Array).then_some(list)
    };
    let (old, new): (Value<'_>, Value<'_>) = (entries(existing)?, entries(moved_bytes)?);
    let gap: &[u8] = if existing.contains(&b'\n') { b",\n    " } else { b"," };
    let items: Vec<_> = old.items().chain(new.items()).map(|item| item.raw()).collect();
    let list = match existing.contains(&b'\n') && !items.is_empty() {
        true => [b"[\n    ", items.join(gap).as_slice(), b"\n  ]"].concat(),
        false => [b"[", items.join(gap).as_slice(), b"]"].concat(),
    };
    let mut editor = Editor::new(existing).ok()?;
    editor.replace(&[PathStep::Key("entries")], &list).ok()?;
    editor.finish().ok()
}

/// The content of a file after the planned changes to it.
pub(super) fn planned(plan: &Plan, path: &Path) -> Option<Vec<u8>> {
    let edited = plan.edits.iter().find(|edit| edit.path() == path).map(FileEdit::result);
    edited.or_else(|| {
        plan.changes.iter().find_map(|change| match change {
            Change::Replace { path: of, bytes } if of == path => Some(bytes.to_vec()),
            _ => None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_behind_those_that_are_there() {
        let one = br#"{"version":1,"entries":[{"a":1}],"originalPath":"/b"}"#;
        let two = br#"{"version":1,"entries":[{"b":2},{"c":3}],"originalPath":"/a"}"#;
        let expected = r#"{"version":1,"entries":[{"a":1},{"b":2},{"c":3}],"originalPath":"/b"}"#;
        assert_eq!(String::from_utf8(joined(one, two).unwrap()).unwrap(), expected);
        let lines = b"{\n  \"entries\": [],\n  \"x\": 1\n}";
        let expected = "{\n  \"entries\": [\n    {\"a\":1}\n  ],\n  \"x\": 1\n}";
        assert_eq!(String::from_utf8(joined(lines, one).unwrap()).unwrap(), expected);
        assert_eq!(joined(b"[]", one), None);
    }
}
