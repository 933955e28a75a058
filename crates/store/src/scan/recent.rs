//! The sessions and sub-agents that were written to lately: asked each time that a prompt is drawn.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::Path;

use super::SideFile;
use super::lean::{Visitor, visit};
use super::walk::{Roles, modified_millis, side_file};
use crate::layout::FileRole;
use crate::problem::FileProblem;

/// A folder that holds outputs of tools and never a session.
const OUTPUTS: &str = "tool-results";

/// The session and sub-agent files under a folder that were written to at or after an instant.
pub(super) fn files_since(
    roles: &Roles<'_>,
    folder: &Path,
    since: i64,
    problems: &mut Vec<FileProblem>,
) -> Vec<SideFile> {
    let mut recent = Recent { roles, since, found: Vec::new(), problems };
    visit(roles.root(), folder, 0, &mut recent);
    let mut found = recent.found;
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}

struct Recent<'w> {
    roles: &'w Roles<'w>,
    since: i64,
    found: Vec<SideFile>,
    problems: &'w mut Vec<FileProblem>,
}

impl Visitor for Recent<'_> {
    fn wants(&self, name: &OsStr) -> bool {
        name != OUTPUTS
    }

    fn file(&mut self, folder: &Path, name: &OsStr, metadata: &Metadata) {
        let is_lines = name.as_encoded_bytes().ends_with(b".jsonl");
        if !is_lines || modified_millis(metadata).is_none_or(|modified| modified < self.since) {
            return;
        }
        let path = folder.join(name);
        let file = side_file(self.roles.of(&path), path, metadata);
        if matches!(file.role, FileRole::Session { .. } | FileRole::SubAgent { .. }) {
            self.found.push(file);
        }
    }

    fn unlisted(&mut self, problem: FileProblem) {
        self.problems.push(problem);
    }
}
