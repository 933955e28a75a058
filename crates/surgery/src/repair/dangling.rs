//! Parents that are not in the file: the line is hung where it belongs, if that is known.

use super::mend::{Found, View};
use super::place::{Place, place};

pub(super) fn find(view: &View<'_, '_>) -> Found {
    let mut found = Found::default();
    let dangling = view.graph.dangling().iter().copied();
    // A sub-agent's lines are no conversation of this file's; only its own file tells where they belong.
    for index in dangling.filter(|&index| !view.node(index).is_sidechain) {
        let (line, key) = (view.line(index), view.uuid(index));
        match place(view, index) {
            Place::Behind(parent, evidence) => {
                let why =
                    format!("dangling-parent: it follows line {}: {}", view.line(parent), evidence.words());
                let step = view.hang(index, Some(&view.uuid(parent)));
                found.add(key, line, why, step.map(|step| vec![step]));
            }
            Place::First => found.leave(key, line, "left as it is: what came before is not in this file"),
            Place::Ambiguous => {
                found.leave(key, line, "left as it is: by time it follows another line than by its place");
            }
        }
    }
    found
}
