//! One uuid on several lines: the last counts. Removes earlier copies, and gives other records a new id.

use annals_json::Value;
use annals_json::edit::{EditError, Editor, PathStep as Path};
use annals_store::digest::sha256_bytes;
use annals_store::source::uuid_text;
use annals_transcript::transcript::NodeIndex;

use super::fix::{LineStep, RepairFindings, RepairView};

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    for &index in view.graph.duplicates() {
        let Some(last) = view.node(index).uuid.and_then(|uuid| view.graph.find(uuid)) else { continue };
        let line = view.line(index);
        let key = format!("{}:{line}", view.uuid(index));
        if is_same_record(view, index, last) {
            let why = format!("duplicate-uuid: line {} is the same", view.line(last));
            found.add(key, line, why, Ok(vec![LineStep::Remove { line }]));
        } else {
            let why = "duplicate-uuid: it differs from the later line and gets a new id";
            found.add(
                key,
                line,
                why,
                with_own_id(view, index).map(|bytes| vec![LineStep::Change { line, bytes }]),
            );
        }
    }
    found
}

/// Whether the earlier of two records can be removed without loss.
fn is_same_record(view: &RepairView<'_, '_>, index: NodeIndex, last: NodeIndex) -> bool {
    if view.raw(index) == view.raw(last) {
        return true;
    }
    let message = |node: NodeIndex| view.transcript.fields(node).get("message").map(Value::raw);
    let same_kind = view.node(index).kind == view.node(last).kind;
    same_kind && message(index).is_some() && message(index) == message(last)
}

fn with_own_id(view: &RepairView<'_, '_>, index: NodeIndex) -> Result<Vec<u8>, EditError> {
    let mut editor = Editor::new(view.raw(index))?;
    editor.replace_string(&[Path::Key("uuid")], &derived_id(&view.uuid(index), view.line(index)))?;
    editor.finish()
}

/// A new id derived from the old one and the line, so that the plan is reproducible.
pub(super) fn derived_id(old: &str, line: usize) -> String {
    let digest = sha256_bytes(format!("annals repair {old} {line}").as_bytes());
    let mut bytes: [u8; 16] = std::array::from_fn(|at| digest[at]);
    // UUID version 8 is for custom ids.
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    uuid_text(bytes)
}
