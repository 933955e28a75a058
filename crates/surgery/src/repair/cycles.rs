//! Parents that form a cycle: cuts it above the record that comes first in the file.

use super::fix::{RepairFindings, RepairView};
use super::position::{Position, PositionIndex};

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    let cycles = view.graph.cycles();
    if cycles.is_empty() {
        return found;
    }
    let mut positions = PositionIndex::new(view);
    for index in cycles {
        let (line, key) = (view.line(index), view.uuid(index));
        let (parent, why) = match positions.position_of(index) {
            Position::After(parent, evidence) if parent < index => {
                positions.attach(index, parent);
                let why = format!("it follows line {}: {}", view.line(parent), evidence.text());
                (Some(view.uuid(parent)), why)
            }
            _ => (None, "the cycle starts here".to_owned()),
        };
        let step = view.set_parent(index, parent.as_deref());
        found.add(key, line, format!("cycle: {why}"), step.map(|step| vec![step]));
    }
    found
}
