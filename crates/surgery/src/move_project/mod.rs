//! A project that has another folder on the disk now: its sessions, and those of the projects below it, follow.
//!
//! What was said stays as it was said, also where it names a path. What follows is what clients go by: the folders of the
//! store, the working directories of records, the index, the history of prompts, and paths into what moves.

mod bring;
mod evidence;
mod load;
mod rewrite;
mod side;

use std::collections::BTreeSet;
use std::path::PathBuf;

use annals_json::edit::EditError;
use annals_store::changes::Change;
use annals_store::read::ReadError;
use annals_store::{ConfigDir, SessionKey, Slug};

pub use evidence::Route;
pub use load::{Form, ProjectFile, Projects};

use crate::plan::{Detail, Plan};
use bring::Bringing;
use rewrite::Rewriting;

/// What becomes of the working directories that records name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cwd {
    /// Those at and below the old folder follow.
    Follows,
    /// They stay.
    Kept,
}

/// A move that is planned.
#[derive(Clone, Debug)]
pub struct Moving {
    /// What is to be done.
    pub plan: Plan,
    /// The sessions that follow.
    pub sessions: Vec<SessionKey>,
    /// The folders of the store that they are in, and will be in.
    pub folders: Vec<(Slug, Slug)>,
    /// Bytes of their files and of their sub-agents' files.
    pub bytes: u64,
    /// How many lines change.
    pub lines: usize,
}

/// Why a project cannot be moved so.
#[derive(Debug, thiserror::Error)]
pub enum MovePlanError {
    /// A path that a project cannot have.
    #[error("{path:?}: the folder of a project must be an absolute path")]
    NotAbsolute {
        /// The path.
        path: String,
    },
    /// It is there already.
    #[error("{path}: the old folder and the new one are the same")]
    Same {
        /// The folder.
        path: String,
    },
    /// A folder cannot be moved into itself.
    #[error("{new} is inside {old}: a folder cannot be moved into itself")]
    IntoItself {
        /// The old folder.
        old: String,
        /// The new one.
        new: String,
    },
    /// The store knows no such project.
    #[error("{old}: the store has no sessions of this folder")]
    Nothing {
        /// The folder.
        old: String,
    },
    /// Both projects have a session of one name.
    #[error("{}: there is a session of this name in {} already", from.display(), to.display())]
    Session {
        /// The session's file.
        from: PathBuf,
        /// The file that is there.
        to: PathBuf,
    },
    /// Both projects have a file of one name that says different things.
    #[error("{}: {} is there already, and says something else", from.display(), to.display())]
    Clash {
        /// The file.
        from: PathBuf,
        /// The file that is there.
        to: PathBuf,
    },
    /// A record that could not be rewritten.
    #[error("{}: line {line}: {source}", path.display())]
    Edit {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// Why.
        source: EditError,
    },
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Plans the move of what was found.
pub fn plan(projects: &Projects, cwd: Cwd) -> Result<Moving, MovePlanError> {
    let route = &projects.route;
    if projects.entries.is_empty() {
        return Err(MovePlanError::Nothing { old: route.old_name() });
    }
    let mut plan =
        Plan::new(format!("move {} to {}", route.old_name(), route.new_folder()), projects.config.path());
    plan.detail = Detail::ByFile;
    let rewriting = Rewriting::new(route.moved(), cwd, &projects.entries);
    let mut bytes = 0;
    for file in &projects.files {
        match file.form {
            Form::Session | Form::SubAgent => {
                bytes += file.bytes.len() as u64;
                let edit = rewriting.lines(&file.path, &file.bytes)?;
                // One lock a session is enough, and there can be thousands of sub-agents.
                if file.form == Form::Session {
                    plan.locked.push(file.path.clone());
                }
                plan.edits.extend(Some(edit).filter(|edit| !edit.is_empty()));
            }
            Form::Json => {
                let new = rewriting.json(&file.bytes);
                if new != file.bytes {
                    plan.replace(&file.path, &file.bytes, new);
                }
            }
        }
    }
    if let Some((path, old)) = &projects.history {
        plan.edit(side::history(path, old, route.moved())?);
    }
    let lines = plan.edits.iter().map(|edit| edit.fates().count()).sum();
    for entry in &projects.entries {
        if let Some(index) = &entry.index {
            side::index(index, &rewriting, route.moved(), &mut plan);
        }
    }
    Bringing::new(&mut plan).all(&projects.config, &projects.entries)?;
    let folders: BTreeSet<_> =
        projects.entries.iter().map(|entry| (entry.folder.clone(), entry.to.clone())).collect();
    notes(&mut plan, &projects.config, cwd);
    Ok(Moving { plan, sessions: projects.sessions(), folders: folders.into_iter().collect(), bytes, lines })
}

fn notes(plan: &mut Plan, config: &ConfigDir, cwd: Cwd) {
    if cwd == Cwd::Kept {
        plan.notes.push("the working directories that records name stay as they are".to_owned());
    }
    plan.notes.push("paths inside what was said, called and answered stay: that is what happened".to_owned());
    let beside = config.path().with_file_name(".claude.json");
    let inside = config.path().join(".claude.json");
    if beside.is_file() || inside.is_file() {
        plan.notes.push(
            ".claude.json is not touched: the client will ask whether it can trust the new folder".to_owned(),
        );
    }
    if !plan.changes.iter().any(|change| matches!(change, Change::Move { .. })) {
        plan.notes.push("the folder of the store keeps its name: nothing is moved there".to_owned());
    }
}
