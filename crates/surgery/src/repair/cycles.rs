//! Parents that lead in a circle: it is cut above the line that stands first in the file.

use super::mend::{Found, View};
use super::place::{Place, place};

pub(super) fn find(view: &View<'_, '_>) -> Found {
    let mut found = Found::default();
    for index in view.graph.cycles() {
        let (line, key) = (view.line(index), view.uuid(index));
        let (parent, why) = match place(view, index) {
            Place::Behind(parent, evidence) if parent < index => (
                Some(view.uuid(parent)),
                format!("it follows line {}: {}", view.line(parent), evidence.words()),
            ),
            _ => (None, "the circle starts here".to_owned()),
        };
        let step = view.hang(index, parent.as_deref());
        found.add(key, line, format!("cycle: {why}"), step.map(|step| vec![step]));
    }
    found
}
