//! Results without a call, which the API refuses and clients replace by an empty text: turns them into text.

use std::collections::{BTreeMap, HashSet};

use annals_json::edit::{EditError, Editor};
use annals_json::{ObjectWriter, Value, ValueKind};
use annals_transcript::content::Block;
use annals_transcript::pairing::ToolPairs;
use annals_transcript::record::Record;
use annals_transcript::transcript::NodeIndex;

use super::fix::{LineStep, RepairFindings, RepairView};

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    let mut orphans: BTreeMap<NodeIndex, HashSet<String>> = BTreeMap::new();
    for (id, node) in ToolPairs::new(view.transcript).orphans {
        orphans.entry(node).or_default().insert(id.to_string());
    }
    for (index, ids) in orphans {
        if view.node(index).is_sidechain {
            continue;
        }
        let line = view.line(index);
        let why = "orphan-tool-result: its call is not in the file, so it becomes text";
        let key = format!("{}:{line}", view.uuid(index));
        let steps = in_words(view, index, &ids).map(|bytes| vec![LineStep::Change { line, bytes }]);
        found.add(key, line, why, steps);
    }
    found
}

fn in_words(
    view: &RepairView<'_, '_>,
    index: NodeIndex,
    ids: &HashSet<String>,
) -> Result<Vec<u8>, EditError> {
    let Record::User(user) = view.transcript.record(index) else { return Err(EditError::PathNotFound) };
    let mut editor = Editor::new(view.raw(index))?;
    for block in user.content().blocks() {
        let Block::ToolResult(result) = &block else { continue };
        if !result.tool_use().is_some_and(|id| ids.contains(&*id.decode())) {
            continue;
        }
        let value = Value::parse(block.raw()).map_err(EditError::NotJson)?;
        editor.replace_value(value, &as_text(value))?;
    }
    editor.finish()
}

/// The content of a result as a text block.
fn as_text(result: Value<'_>) -> Vec<u8> {
    let text = match result.get("content") {
        Some(content) if content.kind() == ValueKind::String => {
            content.text().map(|text| text.decode().into_owned())
        }
        Some(content) => {
            let part = |item: Value<'_>| match item.get("text").and_then(|text| text.text()) {
                Some(text) => text.decode().into_owned(),
                None => "[not text]".to_owned(),
            };
            Some(content.items().map(part).collect::<Vec<_>>().join("\n"))
        }
        None => None,
    };
    let mut json = Vec::new();
    let mut object = ObjectWriter::begin(&mut json);
    let text = format!("[result of a tool call that is not in this file]\n{}", text.unwrap_or_default());
    object.string("type", "text").string("text", text.trim_end());
    object.end();
    json
}
