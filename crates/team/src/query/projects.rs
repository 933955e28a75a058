//! The working directories of projects, found as in a store.

use std::collections::HashMap;
use std::sync::Arc;

use annals_store::project_path::PathCollector;

use super::scope::Scope;
use crate::wire::{Engine, EngineError};

/// A machine, a store and the folder of a project.
pub(super) type ProjectKey = (String, String, String);

/// The working directory of each project.
pub(super) fn project_paths(
    engine: &Engine,
    scope: &Scope,
) -> Result<HashMap<ProjectKey, Arc<str>>, EngineError> {
    let question = format!(
        "SELECT machine, store, project, cwd, count() AS times FROM {{db}}.lines
         WHERE tenant = {{tenant:String}} AND role = 'session' AND cwd != ''{}
         GROUP BY machine, store, project, cwd ORDER BY machine, store, project, times DESC, cwd",
        scope.condition()
    );
    let found = engine.select(&question, &scope.parameters())?;
    let mut folders: HashMap<ProjectKey, Vec<String>> = HashMap::new();
    for row in found.rows() {
        let key = (row.text("machine"), row.text("store"), row.text("project"));
        folders.entry(key).or_default().push(row.text("cwd"));
    }
    let settled = |slug: &str, folders: &[String]| {
        let mut collector = PathCollector::new(slug);
        // Most common first: the first that settles it counts, else the first of all.
        let _ = folders.iter().any(|folder| collector.add(folder));
        collector.path().map(|path| Arc::from(path.path))
    };
    let paths = folders.into_iter().filter_map(|(key, folders)| {
        let path = settled(&key.2, &folders)?;
        Some((key, path))
    });
    Ok(paths.collect())
}
