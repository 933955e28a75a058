//! Re-attaches sessions after a project folder was moved or renamed, including projects below it.
//!
//! Messages stay unchanged, even if they name a path. What changes is what clients use: folders of the store, working
//! directories of records, the sessions index, `history.jsonl`, and paths into moved files.

mod evidence;
mod load;
mod mover;
mod rewrite;
mod side;

use std::collections::BTreeSet;
use std::path::PathBuf;

use annals_json::edit::EditError;
use annals_store::changes::Change;
use annals_store::read::ReadError;
use annals_store::{ConfigDir, SessionKey, Slug};

pub use evidence::Route;
pub use load::{ProjectFile, ProjectFileKind, Projects};

use crate::plan::{Plan, PreviewDetail};
use mover::FileMover;
use rewrite::PathRewriter;

/// What happens to the working directories in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CwdMode {
    /// Those at and below the old folder are changed.
    Follows,
    /// They stay.
    Kept,
}

/// A planned move.
#[derive(Clone, Debug)]
pub struct MovePlan {
    /// The changes to make.
    pub plan: Plan,
    /// The sessions that are moved.
    pub sessions: Vec<SessionKey>,
    /// Old and new folders of the store.
    pub folders: Vec<(Slug, Slug)>,
    /// The size of all moved transcripts in bytes.
    pub bytes: u64,
    /// How many lines change.
    pub lines: usize,
}

/// Why a project cannot be moved.
#[derive(Debug, thiserror::Error)]
pub enum MovePlanError {
    /// The path is not absolute.
    #[error("{path:?}: the folder of a project must be an absolute path")]
    NotAbsolute {
        /// The path as given.
        path: String,
    },
    /// Old and new folder are the same.
    #[error("{path}: the old folder and the new one are the same")]
    Same { path: String },
    /// The new folder is inside the old one.
    #[error("{new} is inside {old}: a folder cannot be moved into itself")]
    IntoItself {
        /// The old folder.
        old: String,
        /// The new folder.
        new: String,
    },
    /// The store has no sessions of this folder.
    #[error("{old}: the store has no sessions of this folder")]
    Nothing {
        /// Its path.
        old: String,
    },
    /// Both projects have a session of one id.
    #[error("{}: {} already has a session of this name", from.display(), to.display())]
    Session {
        /// The file to move.
        from: PathBuf,
        /// The existing file.
        to: PathBuf,
    },
    /// Both projects have a file of one name with different content.
    #[error("{}: {} already exists with other content", from.display(), to.display())]
    Clash {
        /// The file to move.
        from: PathBuf,
        /// The existing file.
        to: PathBuf,
    },
    /// A record could not be rewritten.
    #[error("{}: line {line}: {source}", path.display())]
    Edit {
        /// The path of the file.
        path: PathBuf,
        /// The line number.
        line: usize,
        source: EditError,
    },
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

pub fn plan(projects: &Projects, cwd: CwdMode) -> Result<MovePlan, MovePlanError> {
    let route = &projects.route;
    if projects.entries.is_empty() {
        return Err(MovePlanError::Nothing { old: route.old_name() });
    }
    let mut plan =
        Plan::new(format!("move {} to {}", route.old_name(), route.new_folder()), projects.config.path());
    plan.detail = PreviewDetail::ByFile;
    let rewriter = PathRewriter::new(route.moved(), cwd, &projects.entries);
    let mut bytes = 0;
    for file in &projects.files {
        match file.kind {
            ProjectFileKind::Session | ProjectFileKind::SubAgent => {
                bytes += file.bytes.len() as u64;
                let edit = rewriter.lines(&file.path, &file.bytes)?;
                // One lock per session is enough; there can be thousands of sub-agents.
                if file.kind == ProjectFileKind::Session {
                    plan.locked.push(file.path.clone());
                }
                plan.edits.extend(Some(edit).filter(|edit| !edit.is_empty()));
            }
            ProjectFileKind::Json => {
                let new = rewriter.json(&file.bytes);
                if *new != *file.bytes {
                    plan.replace(&file.path, &file.bytes, new);
                }
            }
        }
    }
    if let Some((path, old)) = &projects.history {
        plan.edit(side::history(path, old, route.moved())?);
    }
    let lines = plan.edits.iter().map(|edit| edit.line_edits().count()).sum();
    for entry in &projects.entries {
        if let Some(index) = &entry.index {
            side::index(index, &rewriter, route.moved(), &mut plan);
        }
    }
    FileMover::new(&mut plan).all(&projects.config, &projects.entries)?;
    let folders: BTreeSet<_> =
        projects.entries.iter().map(|entry| (entry.folder.clone(), entry.to.clone())).collect();
    notes(&mut plan, &projects.config, cwd);
    if rewriter.left() > 0 {
        let count = rewriter.left();
        let records = if count == 1 { "1 record".to_owned() } else { format!("{count} records") };
        plan.notes.push(format!(
            "{records} over several lines still name the old folder: annals repair puts each on one line; do that first"
        ));
    }
    Ok(MovePlan { plan, sessions: projects.sessions(), folders: folders.into_iter().collect(), bytes, lines })
}

fn notes(plan: &mut Plan, config: &ConfigDir, cwd: CwdMode) {
    if cwd == CwdMode::Kept {
        plan.notes.push("the working directories that records name stay as they are".to_owned());
    }
    plan.notes.push("paths inside messages, calls and results stay: they are history".to_owned());
    let beside = config.path().with_file_name(".claude.json");
    let inside = config.path().join(".claude.json");
    if beside.is_file() || inside.is_file() {
        plan.notes.push(
            ".claude.json is not touched: the client will ask whether it can trust the new folder".to_owned(),
        );
    }
    if !plan.changes.iter().any(|change| matches!(change, Change::Move { .. })) {
        plan.notes.push("the folder of the store keeps its name: nothing is moved".to_owned());
    }
}
