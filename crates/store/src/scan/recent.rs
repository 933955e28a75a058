//! The recently written sessions and sub-agents: needed for each prompt of a status line, so with as few system calls as
//! possible.

use std::fs;
use std::path::Path;

use super::walk::{LinkTarget, MAX_DEPTH, RoleRules, link_target, modified_millis, side_file};
use super::{SideFile, unlisted};
use crate::layout::FileRole;
use crate::problem::FileProblem;

/// A folder that holds outputs of tools and never a session.
const OUTPUTS: &str = "tool-results";

/// The session and sub-agent files under a folder that were written to at or after an instant.
pub(super) fn files_since(
    roles: &RoleRules<'_>,
    folder: &Path,
    since: i64,
    problems: &mut Vec<FileProblem>,
) -> Vec<SideFile> {
    let mut found = Vec::new();
    descend(roles, folder, since, 0, &mut found, problems);
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}

fn descend(
    roles: &RoleRules<'_>,
    folder: &Path,
    since: i64,
    depth: usize,
    found: &mut Vec<SideFile>,
    problems: &mut Vec<FileProblem>,
) {
    let list = match fs::read_dir(folder) {
        Ok(list) => list,
        Err(error) => return problems.push(unlisted(folder, error)),
    };
    for entry in list.flatten() {
        // The listing has the file type; only links need another call.
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() {
            if entry.file_name() != OUTPUTS && depth < MAX_DEPTH {
                descend(roles, &path, since, depth + 1, found, problems);
            }
            continue;
        }
        if kind.is_symlink() && (path.is_dir() || link_target(roles, &path) != LinkTarget::SameKind) {
            continue;
        }
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let metadata = if kind.is_symlink() { fs::metadata(&path) } else { entry.metadata() };
        let Ok(metadata) = metadata else { continue };
        if !metadata.is_file() || modified_millis(&metadata).is_none_or(|modified| modified < since) {
            continue;
        }
        let file = side_file(roles.of(&path), path, &metadata);
        if matches!(file.role, FileRole::Session { .. } | FileRole::SubAgent { .. }) {
            found.push(file);
        }
    }
}
