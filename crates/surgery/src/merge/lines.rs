//! The second's lines, as they come behind the first's: under its name, hung where it ends.

use std::collections::HashMap;

use annals_json::Value;
use annals_json::edit::{EditError, Editor, Step};
use annals_transcript::line::lines;

use super::halves::{Halves, HungAt};
use super::{MergePlanError, Pair};
use crate::clone::{Lineage, Names, Rewriting};
use crate::edit::FileEdit;

/// Names of copies of files, and those that they get.
pub(super) type Renamed = HashMap<String, String>;

/// The edits of the first's file: nothing of it changes, and lines come behind it.
pub(super) fn edit(
    pair: &Pair,
    halves: &Halves<'_>,
    hung_at: HungAt,
    names: &Names,
    renamed: &Renamed,
) -> Result<FileEdit, MergePlanError> {
    let (first, second) = (&pair.first, &pair.second);
    let rewriting = Rewriting { names, lineage: Lineage::Kept, moved: None };
    let mut edit = FileEdit::new(&first.path, &first.bytes);
    edit.bring(&second.bytes);
    let last = lines(&first.bytes).count();
    let mut nodes = halves.two.nodes().iter().enumerate().peekable();
    let mut has_begun = false;
    for line in lines(&second.bytes) {
        let mut is_readable = false;
        while let Some((index, node)) = nodes.next_if(|(_, node)| node.line as usize == line.number) {
            is_readable = true;
            if !halves.own.contains(&index) {
                continue;
            }
            has_begun = true;
            let fault = |source| MergePlanError::Edit { path: second.path.clone(), line: node.line, source };
            let raw = halves.two.fields(index).raw();
            let parent = hung_at.uuid.as_deref().filter(|_| hung_at.roots.contains(&index));
            let hung = prepared(raw, parent, renamed).map_err(fault)?;
            let record = rewriting.record(&hung).map_err(fault)?;
            let why = match parent {
                Some(_) => format!("line {} of the second, where the first ends", line.number),
                None => format!("line {} of the second", line.number),
            };
            edit.insert_after(last, record, why);
        }
        // What cannot be read is kept in its place, but for what stood in the lines that both have.
        if !is_readable && has_begun && !line.body().is_empty() {
            edit.insert_after(last, line.body().to_vec(), format!("line {} of the second", line.number));
        }
    }
    Ok(edit)
}

/// A record with another parent, and with the new names of copies of files.
fn prepared(raw: &[u8], parent: Option<&str>, renamed: &Renamed) -> Result<Vec<u8>, EditError> {
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
            let mut path: Vec<_> = place.iter().map(|key| Step::Key(key)).collect();
            path.push(Step::Key(&key));
            path.push(Step::Key("backupFileName"));
            editor.replace_string(&path, new)?;
            if let Some(version) = new.rsplit_once("@v").map(|(_, version)| version)
                && copy.value.get("version").is_some()
            {
                path.pop();
                path.push(Step::Key("version"));
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
        let renamed = Renamed::from([("aa@v1".to_owned(), "aa@v3".to_owned())]);
        let raw = r#"{"parentUuid":null,"snapshot":{"trackedFileBackups":{"a.rs":{"backupFileName":"aa@v1","version":1},"b":{"backupFileName":null}}}}"#;
        let new = prepared(raw.as_bytes(), Some("p"), &renamed).unwrap();
        let expected = raw
            .replace(r#""aa@v1","version":1"#, r#""aa@v3","version":3"#)
            .replace(":null,\"snapshot", ":\"p\",\"snapshot");
        assert_eq!(String::from_utf8(new).unwrap(), expected);
    }
}
