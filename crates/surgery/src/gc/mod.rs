//! Finds leftovers that nothing needs any more, and moves them to the trash on request.
//!
//! Nothing is removed that a session, an index or a running client may need, or that is newer than requested; doubtful
//! files are kept and reported.

mod find;
mod kind;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use annals_store::Discovery;
use annals_store::read::ReadError;

pub use kind::LeftoverKind;

use crate::discards::discards;
use crate::mentions::referenced_files;
use crate::plan::Plan;

/// What to search for.
#[derive(Clone, Debug)]
pub struct GcOptions {
    /// Only these kinds; if empty, all that need not be requested explicitly.
    pub kinds: BTreeSet<LeftoverKind>,
    /// Only files last written before this time, in milliseconds since 1970.
    pub cutoff: i64,
}

impl GcOptions {
    fn wants(&self, kind: LeftoverKind) -> bool {
        match self.kinds.is_empty() {
            true => !kind.must_be_named(),
            false => self.kinds.contains(&kind),
        }
    }
}

/// A file or empty folder that nothing needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leftover {
    pub kind: LeftoverKind,
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub modified: Option<i64>,
}

/// A file that looks like a leftover but is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkippedLeftover {
    /// The kind that it would be.
    pub kind: LeftoverKind,
    pub path: PathBuf,
    /// Why it is kept.
    pub why: String,
}

/// The leftovers that were found, and the plan to remove them.
#[derive(Clone, Debug)]
pub struct GcPlan {
    /// What is removed, by kind and path.
    pub leftovers: Vec<Leftover>,
    /// What is kept because something may need it, by kind and path.
    pub skipped: Vec<SkippedLeftover>,
    /// Moves all leftovers to the trash.
    pub plan: Plan,
}

/// Finds the leftovers of a store and plans their removal.
pub fn plan(discovery: &Discovery, options: &GcOptions) -> Result<GcPlan, ReadError> {
    let find::GcFindings { mut leftovers, mut skipped } = find::leftovers(discovery, options)?;
    let paths: Vec<PathBuf> = leftovers.iter().map(|leftovers| leftovers.path.clone()).collect();
    let removed: HashSet<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let referenced = referenced_files(&paths, &removed, discovery)?;
    leftovers.retain(|leftovers| match referenced.get(&leftovers.path) {
        None => true,
        Some(referrer) => {
            let why = format!("{} refers to it", referrer.display());
            skipped.push(SkippedLeftover { kind: leftovers.kind, path: leftovers.path.clone(), why });
            false
        }
    });
    leftovers.sort();
    skipped.sort();
    let files: Vec<PathBuf> = leftovers.iter().map(|leftovers| leftovers.path.clone()).collect();
    let count = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
    let mut plan = Plan::new(format!("gc: {count}"), discovery.config_dir.path());
    plan.changes = discards(&files, &folders(&files, discovery), discovery);
    let is_going = |path: &PathBuf| files.contains(path);
    let sessions = discovery.sessions.iter().map(|session| session.path.clone());
    let agents = discovery.agents.iter().map(|agent| agent.path.clone());
    plan.locked = sessions.chain(agents).filter(is_going).collect();
    Ok(GcPlan { leftovers, skipped, plan })
}

/// The folders of single sessions that files are in: a folder goes with the last of its files.
fn folders(files: &[PathBuf], discovery: &Discovery) -> Vec<PathBuf> {
    let config = &discovery.config_dir;
    let owners = [config.tasks(), config.file_history(), config.path().join("session-env")];
    let owners = owners.into_iter().chain([config.path().join("image-cache")]);
    let owners: HashSet<PathBuf> =
        owners.chain(discovery.projects.iter().map(|project| project.path.clone())).collect();
    let owned = |file: &PathBuf| {
        let mut above = file.ancestors();
        above
            .find(|folder| folder.parent().is_some_and(|parent| owners.contains(parent)))
            .map(Path::to_path_buf)
    };
    let mut found: Vec<PathBuf> = files.iter().filter_map(owned).filter(|folder| folder.is_dir()).collect();
    found.sort();
    found.dedup();
    found
}
