//! Parents that form a cycle: cuts it above the record that comes first in the file.

use super::fix::{RepairFindings, RepairView};
use super::position::{Position, position_of};

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    for index in view.graph.cycles() {
        let (line, key) = (view.line(index), view.uuid(index));
        let (parent, why) = match position_of(view, index) {
            Position::After(parent, evidence) if parent < index => (
                Some(view.uuid(parent)),
                format!("it follows line {}: {}", view.line(parent), evidence.text()),
            ),
            _ => (None, "the cycle starts here".to_owned()),
        };
        let step = view.set_parent(index, parent.as_deref());
        found.add(key, line, format!("cycle: {why}"), step.map(|step| vec![step]));
    }
    found
}
