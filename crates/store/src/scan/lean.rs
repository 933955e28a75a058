//! Walking with as few questions to the system as that takes: for what is asked before every answer.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::path::Path;

use super::unlisted;
use super::walk::{MOST_DEPTH, leads_back};
use crate::problem::FileProblem;

/// Who is told of what a walk finds.
pub(super) trait Visitor {
    /// Whether a folder of this name is looked into.
    fn wants(&self, name: &OsStr) -> bool;
    /// A file, by the folder that it is in and its name.
    fn file(&mut self, folder: &Path, name: &OsStr, metadata: &Metadata);
    /// A folder that cannot be listed.
    fn unlisted(&mut self, problem: FileProblem);
}

/// Visits the files under a folder, in no order. What goes away meanwhile was not there.
pub(super) fn visit(root: &Path, folder: &Path, depth: usize, visitor: &mut dyn Visitor) {
    let list = match fs::read_dir(folder) {
        Ok(list) => list,
        Err(error) => return visitor.unlisted(unlisted(folder, error)),
    };
    for entry in list.flatten() {
        // The kind stands in the listing itself; only links must be asked where they lead.
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name();
        let is_link = kind.is_symlink();
        let found = if kind.is_dir() {
            None
        } else if is_link {
            let Ok(metadata) = fs::metadata(entry.path()) else { continue };
            Some(metadata).filter(|metadata| !metadata.is_dir())
        } else {
            let Ok(metadata) = entry.metadata() else { continue };
            Some(metadata)
        };
        match found {
            Some(metadata) if metadata.is_file() => visitor.file(folder, &name, &metadata),
            Some(_) => {}
            None if depth < MOST_DEPTH && visitor.wants(&name) => {
                let path = entry.path();
                if !(is_link && leads_back(root, &path)) {
                    visit(root, &path, depth + 1, visitor);
                }
            }
            None => {}
        }
    }
}
