//! The surroundings of one session file, in a store or not: its sub-agents and side files, without a look at the rest.

use std::path::Path;

use super::discovery::Discovery;
use super::walk::{self, RoleRules};
use crate::layout::{ConfigDir, FileRole};
use crate::read::ReadError;
use crate::scan::{SessionEntry, SideFile};

impl Discovery {
    /// Finds a session's file and the files next to it and in its folder. The containing folder is treated as a project's,
    /// regardless of its name; only [`Store::discover`](crate::Store::discover) finds sub-agents in other projects.
    pub fn near(path: &Path) -> Result<Self, ReadError> {
        let session = SessionEntry::of_path(path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let config = ConfigDir::containing(path);
        let roles = RoleRules::Project(folder);
        let mut problems = Vec::new();
        let mut files: Vec<SideFile> = walk::files_in(&roles, folder, &mut problems);
        files.retain(|file| matches!(file.role, FileRole::SubAgent { .. } | FileRole::SubAgentMeta { .. }));
        files.extend(walk::files(&roles, &session.folder(), &mut problems));
        let mut agents = walk::agents(&files, &mut problems);
        agents.retain(|agent| agent.session.as_ref() == Some(&session.key));
        files.retain(|file| !matches!(file.role, FileRole::Session { .. }));
        let mut discovery = Self::new(config.unwrap_or_else(|| ConfigDir::new(folder)));
        discovery.add_files(files, agents);
        discovery.sessions.push(session);
        discovery.finish(problems);
        Ok(discovery)
    }
}
