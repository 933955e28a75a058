//! Plans moves into a folder that may have files already: equal ones are dropped, indexes joined, others refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::layout::FileRole;
use annals_store::read::ReadError;
use annals_store::{ConfigDir, Slug};

use super::MovePlanError;
use super::load::{FolderScope, ProjectEntry};
use super::side::{joined, planned};
use crate::plan::Plan;

/// Adds moves to a plan.
pub(super) struct FileMover<'p> {
    plan: &'p mut Plan,
}

impl<'p> FileMover<'p> {
    pub(super) fn new(plan: &'p mut Plan) -> Self {
        Self { plan }
    }

    /// Moves entries to their folders; a folder as a whole if nothing is in its way.
    pub(super) fn all(mut self, config: &ConfigDir, entries: &[ProjectEntry]) -> Result<(), MovePlanError> {
        let goals: BTreeSet<&Slug> = entries.iter().map(|entry| &entry.to).collect();
        let mut whole: BTreeSet<&Slug> = BTreeSet::new();
        for entry in entries.iter().filter(|entry| entry.folder != entry.to) {
            let (from, to) = (config.project(&entry.folder), config.project(&entry.to));
            let is_free = !exists(&to) && !goals.contains(&entry.folder);
            let is_only = !entries.iter().any(|other| other.to == entry.to && other.folder != entry.folder);
            match entry.scope == FolderScope::Whole && is_free && is_only {
                true if whole.insert(&entry.folder) => {
                    self.plan.changes.push(Change::Move { from, to });
                }
                true => {}
                false => self.move_to(config, &from.join(&entry.name), &to.join(&entry.name))?,
            }
        }
        Ok(())
    }

    fn move_to(&mut self, config: &ConfigDir, from: &Path, to: &Path) -> Result<(), MovePlanError> {
        if !exists(to) && !self.is_taken(to) {
            self.plan.changes.push(Change::Move { from: from.to_path_buf(), to: to.to_path_buf() });
            return Ok(());
        }
        let role = config.role(to);
        if matches!(role, FileRole::Session { .. }) {
            return Err(MovePlanError::Session { from: from.to_path_buf(), to: to.to_path_buf() });
        }
        if from.is_dir() && to.is_dir() {
            for name in names(from)? {
                self.move_to(config, &from.join(&name), &to.join(&name))?;
            }
            return Ok(());
        }
        let clash = || MovePlanError::Clash { from: from.to_path_buf(), to: to.to_path_buf() };
        if from.is_dir() || to.is_dir() {
            return Err(clash());
        }
        let existing = config.read(to)?;
        let moved_bytes = match planned(self.plan, from) {
            Some(bytes) => bytes,
            None => config.read(from)?,
        };
        let discard = Change::Discard { path: from.to_path_buf() };
        match role {
            FileRole::SessionsIndex { .. } => {
                // The index is a cache; losing an unreadable one does no harm.
                if let Some(bytes) = joined(&existing, &moved_bytes) {
                    self.plan.replace(to, &existing, bytes);
                }
                self.plan.changes.push(discard);
            }
            _ if existing == moved_bytes => self.plan.changes.push(discard),
            FileRole::Memory { .. } => {
                let beside = named_after(to, from);
                if exists(&beside) || self.is_taken(&beside) {
                    return Err(clash());
                }
                self.plan.notes.push(format!(
                    "{} already exists and stays; the moved one becomes {}",
                    to.display(),
                    beside.display()
                ));
                self.plan.changes.push(Change::Move { from: from.to_path_buf(), to: beside });
            }
            _ => return Err(clash()),
        }
        Ok(())
    }

    /// Whether something else is moved there.
    fn is_taken(&self, place: &Path) -> bool {
        self.plan.changes.iter().any(|change| matches!(change, Change::Move { to, .. } if to == place))
    }
}

/// A name for a memory file beside one of the same name, with the folder that it comes from.
fn named_after(to: &Path, from: &Path) -> PathBuf {
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let projects =
        from.ancestors().skip(1).find(|folder| part(folder.parent().and_then(Path::file_name)) == "projects");
    let project = part(projects.and_then(Path::file_name));
    let ending = to.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    to.with_file_name(format!("{}-from{project}{ending}", part(to.file_stem())))
}

fn names(folder: &Path) -> Result<Vec<std::ffi::OsString>, ReadError> {
    let entries = fs::read_dir(folder).map_err(|error| ReadError::new(folder, error))?;
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    Ok(names)
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
