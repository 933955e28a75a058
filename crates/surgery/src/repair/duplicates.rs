//! One uuid on several lines: the last counts. Earlier ones that say the same go, others get an id of their own.

use annals_json::Value;
use annals_json::edit::{EditError, Editor, Step as Path};
use annals_store::digest::sha256_bytes;
use annals_store::source::uuid_text;
use annals_transcript::transcript::NodeIndex;

use super::mend::{Found, Step, View};

pub(super) fn find(view: &View<'_, '_>) -> Found {
    let mut found = Found::default();
    for &index in view.graph.duplicates() {
        let Some(last) = view.node(index).uuid.and_then(|uuid| view.graph.find(uuid)) else { continue };
        let line = view.line(index);
        let key = format!("{}:{line}", view.uuid(index));
        if says_the_same(view, index, last) {
            let why = format!("duplicate-uuid: line {} says the same", view.line(last));
            found.add(key, line, why, Ok(vec![Step::Remove { line }]));
        } else {
            let why = "duplicate-uuid: it says something else than the later line, and gets an id of its own";
            found.add(
                key,
                line,
                why,
                with_own_id(view, index).map(|bytes| vec![Step::Change { line, bytes }]),
            );
        }
    }
    found
}

/// Whether a client would lose nothing with the earlier of two lines.
fn says_the_same(view: &View<'_, '_>, index: NodeIndex, last: NodeIndex) -> bool {
    if view.raw(index) == view.raw(last) {
        return true;
    }
    let said = |node: NodeIndex| view.transcript.fields(node).get("message").map(Value::raw);
    let same_kind = view.node(index).kind == view.node(last).kind;
    same_kind && said(index).is_some() && said(index) == said(last)
}

fn with_own_id(view: &View<'_, '_>, index: NodeIndex) -> Result<Vec<u8>, EditError> {
    let mut editor = Editor::new(view.raw(index))?;
    editor.replace_string(&[Path::Key("uuid")], &derived_id(&view.uuid(index), view.line(index)))?;
    editor.finish()
}

/// A new id that is the same whenever the plan is made: from the old one and the line.
pub(super) fn derived_id(old: &str, line: usize) -> String {
    let digest = sha256_bytes(format!("annals repair {old} {line}").as_bytes());
    let mut bytes: [u8; 16] = std::array::from_fn(|at| digest[at]);
    // Version 8 is for ids that are made in ways of one's own.
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    uuid_text(bytes)
}
