//! Files that have another name now: what was sent under the old one belongs to the new one.

use std::collections::HashMap;

use crate::wire::{Engine, EngineError};

/// How often a file can be moved before its name is given up on: marks may lead in a circle.
const MAX_MOVES: usize = 64;

/// A machine, a store and a file.
type FilePlace = (String, String, String);

/// The new names of files that were moved.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves(HashMap<FilePlace, String>);

impl Moves {
    /// Asks for the moves that hold.
    pub(super) fn of(engine: &Engine) -> Result<Self, EngineError> {
        let found = engine.select(
            "SELECT machine, store, file, argMax(moved_to, generation) AS target FROM {db}.files
             WHERE tenant = {tenant:String} GROUP BY machine, store, file HAVING argMax(state, generation) = 'moved'",
            &[],
        )?;
        let name = |row: &crate::wire::Row<'_>| (row.text("machine"), row.text("store"), row.text("file"));
        Ok(Self(found.rows().map(|row| (name(&row), row.text("target"))).collect()))
    }

    /// The name that a file has now, if it was moved.
    pub(super) fn target(&self, machine: &str, store: &str, file: &str) -> Option<&str> {
        let next = |file: &str| self.0.get(&(machine.to_owned(), store.to_owned(), file.to_owned()));
        let mut target = next(file)?;
        for _ in 0..MAX_MOVES {
            match next(target) {
                Some(further) => target = further,
                None => break,
            }
        }
        Some(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_moved_twice_has_its_last_name() {
        let name = |file: &str| ("m".to_owned(), String::new(), file.to_owned());
        let moves = Moves(
            [("a", "b"), ("b", "c"), ("x", "y"), ("y", "x")]
                .map(|(from, to)| (name(from), to.to_owned()))
                .into(),
        );
        assert_eq!(moves.target("m", "", "a"), Some("c"));
        assert_eq!(moves.target("m", "", "c"), None);
        assert_eq!(moves.target("other", "", "a"), None);
        assert!(moves.target("m", "", "x").is_some());
    }
}
