//! Parents that are not in the file: attaches the record where it belongs, if that is known.

use super::fix::{RepairFindings, RepairView};
use super::position::{Position, PositionIndex};

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    if view.graph.dangling().is_empty() {
        return found;
    }
    let mut positions = PositionIndex::new(view);
    let dangling = view.graph.dangling().iter().copied();
    // Records of a sub-agent are not part of this conversation; only its own file tells where they belong.
    for index in dangling.filter(|&index| !view.node(index).is_sidechain) {
        let (line, key) = (view.line(index), view.uuid(index));
        match positions.position_of(index) {
            Position::After(parent, evidence) => {
                let why =
                    format!("dangling-parent: it follows line {}: {}", view.line(parent), evidence.text());
                positions.attach(index, parent);
                let step = view.set_parent(index, Some(&view.uuid(parent)));
                found.add(key, line, why, step.map(|step| vec![step]));
            }
            Position::First => found.skip(key, line, "left as it is: what came before is not in this file"),
            Position::Ambiguous => {
                found.skip(key, line, "left as it is: time and position in the file disagree");
            }
        }
    }
    found
}
