//! A compact boundary without its summary hides history: attaches the summary to it, or removes the boundary.

use std::collections::HashMap;

use annals_json::Value;
use annals_json::edit::{EditError, Editor};
use annals_transcript::record::{Record, SystemKind};
use annals_transcript::transcript::NodeIndex;

use super::fix::{LineStep, RepairFindings, RepairView, string_or_null};
use crate::relink::references;

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    let nodes = view.transcript.nodes();
    let is_summary = |index: NodeIndex| nodes[index].is_compact_summary;
    let is_boundary = |&index: &NodeIndex| nodes[index].system == Some(SystemKind::CompactBoundary);
    let mut mentions = None;
    for boundary in view.transcript.indices().filter(is_boundary) {
        if nodes[boundary].is_sidechain || view.graph.children(boundary).any(is_summary) {
            continue;
        }
        let (line, key) = (view.line(boundary), view.uuid(boundary));
        let next = boundary.next().until(view.transcript.end()).find(|&index| view.is_main(index));
        if let Some(summary) = next.filter(|&index| is_summary(index)) {
            let why = format!("boundary-without-summary: it is the summary of line {line}");
            let step = view.set_parent(summary, Some(&key));
            found.add(key, view.line(summary), why, step.map(|step| vec![step]));
            continue;
        }
        let Record::System(system) = view.transcript.record(boundary) else { continue };
        let named = system.logical_parent().and_then(|id| view.graph.find(id));
        let mut earlier = NodeIndex::FIRST.until(boundary).rev();
        let above = named.or_else(|| earlier.find(|&index| view.is_main(index)));
        match above {
            Some(above) => {
                let why = "boundary-without-summary: it hid history without a summary";
                let mentions = mentions.get_or_insert_with(|| mentions_of_boundaries(view));
                found.add(key, line, why, removal(view, mentions, boundary, above));
            }
            None => found.skip(key, line, "left as it is: what it summarizes is not in this file"),
        }
    }
    found
}

/// The records that mention each boundary.
fn mentions_of_boundaries(view: &RepairView<'_, '_>) -> HashMap<String, Vec<NodeIndex>> {
    let is_boundary = |&index: &NodeIndex| view.node(index).system == Some(SystemKind::CompactBoundary);
    let mut mentions: HashMap<_, Vec<_>> =
        view.transcript.indices().filter(is_boundary).map(|index| (view.uuid(index), Vec::new())).collect();
    for index in view.transcript.indices() {
        for reference in references(Value::from_checked(view.raw(index))) {
            if let Some(list) = mentions.get_mut(&reference.uuid).filter(|list| list.last() != Some(&index)) {
                list.push(index);
            }
        }
    }
    mentions
}

/// Removes the boundary and points references to it at the record before the compaction.
fn removal(
    view: &RepairView<'_, '_>,
    mentions: &HashMap<String, Vec<NodeIndex>>,
    boundary: NodeIndex,
    above: NodeIndex,
) -> Result<Vec<LineStep>, EditError> {
    let (gone, target) = (view.uuid(boundary), view.uuid(above));
    let mut steps = vec![LineStep::Remove { line: view.line(boundary) }];
    let mentions = mentions.get(&gone).into_iter().flatten().copied();
    for index in mentions.filter(|&index| index != boundary) {
        let raw = view.raw(index);
        let mut editor = Editor::new(raw)?;
        for reference in references(Value::from_checked(raw)).into_iter().filter(|found| found.uuid == gone) {
            editor.replace(&reference.path, &string_or_null(Some(&target)))?;
        }
        steps.push(LineStep::Change { line: view.line(index), bytes: editor.finish()? });
    }
    Ok(steps)
}
