//! Discovers projects, sessions, sub-agents and side files of a store in parallel; lists them in a fixed order.
//!
//! Discovery uses names and sizes. It reads only the first lines of sub-agents next to their session, because only these
//! name the session.

mod discovery;
mod near;
mod recent;
mod rescan;
mod snapshot;
mod stat;
mod walk;

use std::path::{Path, PathBuf};

pub use discovery::{AgentEntry, Discovery, Project, SessionEntry, SideFile};
pub use rescan::Scan;
pub use snapshot::{ScanDiff, StoreChanges, StoreSnapshot};
use walk::RoleRules;
pub(crate) use walk::{is_link_followed, modified_millis, session_named_in};

use crate::layout::ConfigDir;
use crate::parallel;
use crate::problem::FileProblem;
use crate::project_path;
use crate::read::ReadError;

/// The folders of a config dir that are walked; the others are not ours to look into.
const SIDE_FOLDERS: [&str; 8] =
    ["todos", "tasks", "file-history", "paste-cache", "sessions", "plans", "session-env", "image-cache"];

/// A store on disk.
#[derive(Clone, Debug)]
pub struct Store {
    config_dir: ConfigDir,
}

impl Store {
    /// A store under this folder. Nothing is read yet, and the folder need not exist.
    pub fn open(config_dir: impl Into<PathBuf>) -> Self {
        Self { config_dir: ConfigDir::new(config_dir) }
    }

    /// Its paths.
    pub fn config_dir(&self) -> &ConfigDir {
        &self.config_dir
    }

    /// Finds everything. What cannot be listed or opened is a problem, and the rest is there.
    pub fn discover(&self) -> Discovery {
        let mut problems = Vec::new();
        let root = self.config_dir.path();
        let roles = RoleRules::Config(&self.config_dir);
        let mut folders = walk::folders(&roles, &self.config_dir.projects(), &mut problems);
        let project_count = folders.len();
        for folder in SIDE_FOLDERS.iter().map(|name| root.join(name)).filter(|path| path.is_dir()) {
            match folder.is_symlink() {
                true => problems.push(walk::not_followed(&folder)),
                false => folders.push(folder),
            }
        }
        let walks = parallel::map(&folders, |folder| {
            let mut problems = Vec::new();
            let files = walk::files(&roles, folder, &mut problems);
            let agents = walk::agents(&files, &mut problems);
            (files, agents, problems)
        });
        let mut discovery = Discovery::new(self.config_dir.clone());
        for (index, (folder, (files, agents, more))) in folders.iter().zip(walks).enumerate() {
            if index < project_count {
                discovery.add_project(folder);
            }
            discovery.add_files(files, agents);
            problems.extend(more);
        }
        discovery.add_files(walk::top_files(&self.config_dir, &mut problems), Vec::new());
        discovery.finish(problems);
        discovery
    }

    /// The files directly in a folder of the config dir that discovery does not look into, by name; links are left out.
    pub fn files_in(&self, folder: &str) -> Vec<SideFile> {
        let folder = self.config_dir.path().join(folder);
        let mut found = walk::files_in(&RoleRules::Config(&self.config_dir), &folder, &mut Vec::new());
        found.retain(|file| !file.path.is_symlink());
        found
    }

    /// Finds the sessions and sub-agents written at or after a time (milliseconds since 1970), using names and times of
    /// files; hardly any file is opened.
    pub fn discover_since(&self, since: i64) -> Discovery {
        let mut problems = Vec::new();
        let roles = RoleRules::Config(&self.config_dir);
        let folders = walk::folders(&roles, &self.config_dir.projects(), &mut problems);
        let walks = parallel::map(&folders, |folder| {
            let mut problems = Vec::new();
            let files = recent::files_since(&roles, folder, since, &mut problems);
            let agents = walk::agents(&files, &mut problems);
            (files, agents, problems)
        });
        let mut discovery = Discovery::new(self.config_dir.clone());
        for (files, agents, more) in walks {
            discovery.add_files(files, agents);
            problems.extend(more);
        }
        discovery.finish(problems);
        discovery
    }

    /// The working directory of a project, and how we know: see [`project_path`].
    pub fn project_path(
        &self,
        discovery: &Discovery,
        project: &Project,
    ) -> (Option<project_path::ProjectPath>, Vec<FileProblem>) {
        project_path::of_project(discovery, project)
    }
}

/// A path for a problem about a folder that cannot be listed.
fn unlisted(path: &Path, error: std::io::Error) -> FileProblem {
    ReadError::new(path, error).session_problem()
}
