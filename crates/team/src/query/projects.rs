//! The working directories of projects, found as in a store.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use annals_index::IndexedFile;
use annals_store::project_path::{MAX_HEAD_LINES, first_named};

use super::moves::Moves;
use super::scope::Scope;
use crate::wire::{Engine, EngineError, Parameter};

/// A machine, a store and the folder of a project.
pub(super) type ProjectKey = (String, String, String);

/// The working directory of each project.
pub(super) fn project_paths(
    engine: &Engine,
    scope: &Scope,
    moves: &Moves,
) -> Result<HashMap<ProjectKey, Arc<str>>, EngineError> {
    let question = format!(
        "SELECT machine, store, file, generation, cwd, min(line) AS first_line FROM {{db}}.lines
         WHERE tenant = {{tenant:String}} AND role = 'session' AND line <= {{head:Int64}} AND cwd != ''{}
         GROUP BY machine, store, file, generation, cwd",
        scope.condition()
    );
    let mut parameters = scope.parameters();
    parameters.push(("head", Parameter::Integer(MAX_HEAD_LINES as i64)));
    let found = engine.select(&question, &parameters)?;
    let mut heads: BTreeMap<(String, String, String), SessionHead> = BTreeMap::new();
    for row in found.rows() {
        let (machine, store, file) = (row.text("machine"), row.text("store"), row.text("file"));
        let name = moves.target(&machine, &store, &file).map(str::to_owned).unwrap_or(file);
        let head = heads.entry((machine, store, name)).or_default();
        head.add(row.millis("generation").unwrap_or(0), row.count("first_line"), row.text("cwd"));
    }
    // In the order of paths.
    let mut named: HashMap<ProjectKey, Vec<String>> = HashMap::new();
    for ((machine, store, name), head) in heads {
        let slug = IndexedFile::of_relative(&name).map(|file| file.slug).unwrap_or_default();
        named.entry((machine, store, slug)).or_default().extend(head.named.into_values());
    }
    let paths = named.into_iter();
    Ok(paths.filter_map(|(key, named)| Some((key.clone(), first_named(&key.2, named)?.into()))).collect())
}

/// What the first lines of a session name, by line: those of its newest generation.
#[derive(Default)]
struct SessionHead {
    generation: i64,
    named: BTreeMap<(u64, String), String>,
}

impl SessionHead {
    fn add(&mut self, generation: i64, line: u64, name: String) {
        if generation > self.generation {
            *self = Self { generation, named: BTreeMap::new() };
        }
        if generation == self.generation {
            self.named.insert((line, name.clone()), name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_generation_counts_in_the_order_of_its_lines() {
        let mut head = SessionHead::default();
        for (generation, line, name) in [(1, 1, "/old"), (2, 9, "/b"), (2, 2, "/c"), (1, 3, "/older")] {
            head.add(generation, line, name.to_owned());
        }
        assert_eq!(head.named.into_values().collect::<Vec<_>>(), ["/c", "/b"]);
    }
}
