//! Litter: what nobody needs any more, found, and moved to the trash on request.
//!
//! Nothing goes that a session, an index or a running client may need, and nothing that is younger than was asked for; what is
//! in doubt is left, and said.

mod find;
mod kind;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use annals_store::Discovery;
use annals_store::read::ReadError;

pub use kind::LitterKind;

use crate::discards::discards;
use crate::mentions::spoken_of;
use crate::plan::Plan;

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only these kinds; all that need not be named where there is none.
    pub kinds: BTreeSet<LitterKind>,
    /// Only what was last written to before this, in milliseconds since 1970.
    pub cutoff: i64,
}

impl Options {
    fn wants(&self, kind: LitterKind) -> bool {
        match self.kinds.is_empty() {
            true => !kind.must_be_named(),
            false => self.kinds.contains(&kind),
        }
    }
}

/// A file, or an empty folder, that nobody needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Litter {
    /// What it is.
    pub kind: LitterKind,
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub modified: Option<i64>,
}

/// Something that looks like litter and is left.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Doubtful {
    /// What it would be.
    pub kind: LitterKind,
    /// Where it is.
    pub path: PathBuf,
    /// Why it is left.
    pub why: String,
}

/// What was found, and the plan that takes it away.
#[derive(Clone, Debug)]
pub struct Collected {
    /// What goes, by kind and path.
    pub litter: Vec<Litter>,
    /// What is left because somebody may need it, by kind and path.
    pub doubtful: Vec<Doubtful>,
    /// The plan: all of it to the trash.
    pub plan: Plan,
}

/// Looks for litter in a store.
pub fn plan(discovery: &Discovery, options: &Options) -> Result<Collected, ReadError> {
    let find::Found { mut litter, mut doubtful } = find::litter(discovery, options)?;
    let paths: Vec<PathBuf> = litter.iter().map(|litter| litter.path.clone()).collect();
    let goes: HashSet<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let spoken = spoken_of(&paths, &goes, discovery)?;
    litter.retain(|litter| match spoken.get(&litter.path) {
        None => true,
        Some(speaker) => {
            let why = format!("{} speaks of it", speaker.display());
            doubtful.push(Doubtful { kind: litter.kind, path: litter.path.clone(), why });
            false
        }
    });
    litter.sort();
    doubtful.sort();
    let files: Vec<PathBuf> = litter.iter().map(|litter| litter.path.clone()).collect();
    let count = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
    let mut plan = Plan::new(format!("gc: {count}"), discovery.config_dir.path());
    plan.changes = discards(&files, &folders(&files, discovery), discovery);
    let is_going = |path: &PathBuf| files.contains(path);
    let sessions = discovery.sessions.iter().map(|session| session.path.clone());
    let agents = discovery.agents.iter().map(|agent| agent.path.clone());
    plan.locked = sessions.chain(agents).filter(is_going).collect();
    Ok(Collected { litter, doubtful, plan })
}

/// The folders of single sessions that files lie in: one goes with the last of its files.
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
