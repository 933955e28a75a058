//! What a store keeps of a project beside its sessions: the index, and the history of prompts.

use std::path::Path;

use annals_json::edit::{Editor, Step};
use annals_json::{Kind, Value};
use annals_store::changes::Change;
use annals_transcript::line::lines;

use super::MovePlanError;
use super::load::ProjectFile;
use super::rewrite::{Rewriting, follow};
use crate::edit::FileEdit;
use crate::moved::Moved;
use crate::plan::Plan;

/// The edits of `history.jsonl`: prompts of the old folder are prompts of the new one.
pub(super) fn history(path: &Path, bytes: &[u8], moved: Option<&Moved>) -> Result<FileEdit, MovePlanError> {
    let mut edit = FileEdit::new(path, bytes).keeping_age();
    let Some(moved) = moved else { return Ok(edit) };
    for line in lines(bytes) {
        // What cannot be read is nobody's prompt.
        if let Ok(Some(new)) = follow(line.body(), moved, &[&["project"]]) {
            edit.change(line.number, new, "a prompt of the project");
        }
    }
    Ok(edit)
}

/// Makes an index say where its sessions will be.
pub(super) fn index(index: &ProjectFile, rewriting: &Rewriting<'_>, moved: Option<&Moved>, plan: &mut Plan) {
    let new = rewritten(&index.bytes, rewriting, moved);
    if new != index.bytes {
        plan.replace(&index.path, &index.bytes, new);
    }
}

fn rewritten(bytes: &[u8], rewriting: &Rewriting<'_>, moved: Option<&Moved>) -> Vec<u8> {
    let with_paths = rewriting.mentions(bytes).unwrap_or_else(|| bytes.to_vec());
    let Some(moved) = moved else { return with_paths };
    let followed = || {
        let value = Value::parse(&with_paths).ok()?;
        let mut editor = Editor::new(&with_paths).ok()?;
        let new_place = |value: Value<'_>| moved.follow(&value.text()?.decode());
        if let Some(new) = value.get("originalPath").and_then(new_place) {
            editor.replace_string(&[Step::Key("originalPath")], &new).ok()?;
        }
        for (at, entry) in value.get("entries").into_iter().flat_map(Value::items).enumerate() {
            if let Some(new) = entry.get("projectPath").and_then(new_place) {
                let place = [Step::Key("entries"), Step::Item(at), Step::Key("projectPath")];
                editor.replace_string(&place, &new).ok()?;
            }
        }
        editor.finish().ok()
    };
    followed().unwrap_or(with_paths)
}

/// Two indexes of one project: the entries of the second come behind those of the first. None where one is no index.
pub(super) fn joined(there: &[u8], coming: &[u8]) -> Option<Vec<u8>> {
    let entries = |bytes| {
        let list = Value::parse(bytes).ok()?.get("entries")?;
        (list.kind() == Kind::Array).then_some(list)
    };
    let (old, new): (Value<'_>, Value<'_>) = (entries(there)?, entries(coming)?);
    let gap: &[u8] = if there.contains(&b'\n') { b",\n    " } else { b"," };
    let items: Vec<_> = old.items().chain(new.items()).map(|item| item.raw()).collect();
    let list = match there.contains(&b'\n') && !items.is_empty() {
        true => [b"[\n    ", items.join(gap).as_slice(), b"\n  ]"].concat(),
        false => [b"[", items.join(gap).as_slice(), b"]"].concat(),
    };
    let mut editor = Editor::new(there).ok()?;
    editor.replace(&[Step::Key("entries")], &list).ok()?;
    editor.finish().ok()
}

/// What a file that is changed before it moves will hold.
pub(super) fn planned(plan: &Plan, path: &Path) -> Option<Vec<u8>> {
    let edited = plan.edits.iter().find(|edit| edit.path() == path).map(FileEdit::result);
    edited.or_else(|| {
        plan.changes.iter().find_map(|change| match change {
            Change::Replace { path: of, bytes } if of == path => Some(bytes.clone()),
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
