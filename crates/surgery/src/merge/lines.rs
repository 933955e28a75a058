//! The lines of the second session, appended to the first under its id.

use std::collections::HashMap;

use annals_json::edit::{EditError, Editor, PathStep};
use annals_json::{Value, compact};
use annals_transcript::line::lines;

use super::comparison::{AttachPoint, Comparison};
use super::{MergePlanError, SessionPair};
use crate::clone::{ForkOrigin, IdMap, LineRewriter};
use crate::edit::FileEdit;

/// Old and new names of file copies.
pub(super) type CopyNames = HashMap<String, String>;

/// The edits of the first file: its lines stay, and lines are appended.
pub(super) fn edit(
    pair: &SessionPair,
    comparison: &Comparison<'_>,
    attach_point: AttachPoint,
    names: &IdMap,
    renamed: &CopyNames,
) -> Result<FileEdit, MergePlanError> {
    let (first, second) = (&pair.first, &pair.second);
    let rewriter = LineRewriter { names, fork_origin: ForkOrigin::Keep, moved: None };
    let mut edit = FileEdit::new(&first.path, &first.bytes);
    edit.add_source(&second.bytes);
    let last = lines(&first.bytes).count();
    let mut nodes = comparison.two.indexed_nodes().peekable();
    let mut has_begun = false;
    // Where the last record ends: one may take several lines.
    let mut end = 0;
    for line in lines(&second.bytes) {
        let mut is_readable = line.offset < end;
        while let Some((index, node)) = nodes.next_if(|(_, node)| node.line as usize == line.number) {
            is_readable = true;
            end = node.span.offset + node.span.length;
            if !comparison.own.contains(&index) {
                continue;
            }
            has_begun = true;
            let fault = |source| MergePlanError::Edit { path: second.path.clone(), line: node.line, source };
            let raw = comparison.two.fields(index).raw();
            let parent = attach_point.uuid.as_deref().filter(|_| attach_point.roots.contains(&index));
            let hung = prepared(raw, parent, renamed).map_err(fault)?;
            let mut record = Vec::new();
            compact_lines(&rewriter.record(&hung).map_err(fault)?, &mut record);
            let why = match parent {
                Some(_) => format!("line {} of the second, where the first ends", line.number),
                None => format!("line {} of the second", line.number),
            };
            edit.insert_after(last, record, why);
        }
        // Unreadable lines are kept, except among the shared lines.
        if !is_readable && has_begun && !line.body().is_empty() {
            edit.insert_after(last, line.body().to_vec(), format!("line {} of the second", line.number));
        }
    }
    Ok(edit)
}

/// Appends a record, on one line.
fn compact_lines(record: &[u8], out: &mut Vec<u8>) {
    match record.contains(&b'\n') {
        true => compact(Value::from_checked(record), out),
        false => out.extend_from_slice(record),
    }
}

/// A record with another parent and renamed file copies.
fn prepared(raw: &[u8], parent: Option<&str>, renamed: &CopyNames) -> Result<Vec<u8>, EditError> {
    let mut editor = Editor::new(raw)?;
    if let Some(parent) = parent {
        let mut json = Vec::new();
        annals_json::write_string(&mut json, parent);
        editor.set(&[], "parentUuid", &json)?;
    }
    let value = Value::parse(raw).map_err(EditError::NotAnObject)?;
    for place in [&["snapshot", "trackedFileBackups"][..], &["trackedFileBackups"]] {
        let copies =
            place.iter().try_fold(value, |value, key| value.get(key)).and_then(|copies| copies.fields());
        for copy in copies.iter().flat_map(|copies| copies.iter()) {
            let name = copy.value.get("backupFileName").and_then(Value::text).map(|name| name.to_string());
            let Some(new) = name.and_then(|name| renamed.get(&name)) else { continue };
            let key = copy.key.decode();
            let mut path: Vec<_> = place.iter().map(|key| PathStep::Key(key)).collect();
            path.push(PathStep::Key(&key));
            path.push(PathStep::Key("backupFileName"));
            editor.replace_string(&path, new)?;
            if let Some(version) = new.rsplit_once("@v").map(|(_, version)| version)
                && copy.value.get("version").is_some()
            {
                path.pop();
                path.push(PathStep::Key("version"));
                editor.replace(&path, version.as_bytes())?;
            }
        }
    }
    editor.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_get_their_new_names() {
        let renamed = CopyNames::from([("aa@v1".to_owned(), "aa@v3".to_owned())]);
        let raw = r#"{"parentUuid":null,"snapshot":{"trackedFileBackups":{"a.rs":{"backupFileName":"aa@v1","version":1},"b":{"backupFileName":null}}}}"#;
        let new = prepared(raw.as_bytes(), Some("p"), &renamed).unwrap();
        let expected = raw
            .replace(r#""aa@v1","version":1"#, r#""aa@v3","version":3"#)
            .replace(":null,\"snapshot", ":\"p\",\"snapshot");
        assert_eq!(String::from_utf8(new).unwrap(), expected);
    }
}
