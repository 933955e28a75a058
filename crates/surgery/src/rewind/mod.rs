//! Rewinds a session to a prompt: files to their state at that time, the conversation to before it.
//!
//! [`turns`] lists the turns to rewind to, [`plan`] plans it without changes, [`apply`] does it.
//!
//! # A session that this process has open
//!
//! The lock of a session belongs to its writer. Files are changed without it: a plan of [`RewindScope::Code`] takes no lock
//! and does not change the session, so an open conversation can apply it between two turns. For the conversation itself
//! such a caller needs no plan: a client that rewinds writes nothing, and its next prompt follows
//! [`RewindTurn::goes_on_from`]. A plan with [`RewindScope::Conversation`] or [`RewindScope::Both`] is for sessions that no
//! process has open: it takes the lock, and fails if another holds it.
//!
//! # Limits
//!
//! Tools that edit files leave copies in the store; of commands that annals ran, the changes are recorded in its own folder.
//! What commands of other clients and people did to files is not recorded.

mod command_edits;
mod conversation;
mod file_history;
pub(crate) mod files;
pub(crate) mod tool_edits;
mod turns;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::command_changes::CommandHistory;
use annals_store::journal::JournalEntry;
use annals_store::{DataDir, Source};

use crate::apply::ApplyError;
use crate::fork::ForkPlanError;
use crate::plan::Plan;
use crate::session::Session;
use crate::session_files::SessionFile;

pub use conversation::Conversation;
use conversation::ConversationRewinder;
pub use files::{FileOutcome, FileRewind, SkipReason};
pub use turns::{RewindTurn, TurnRef, find, turns};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewindScope {
    /// Files only.
    Code,
    /// The conversation only.
    Conversation,
    /// Files and conversation.
    Both,
}

/// What to do with files that something else has changed since, and with files that configure programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignChanges {
    /// Leave them as they are.
    Left,
    /// Rewind them like the others.
    Overwritten,
}

#[derive(Clone, Copy, Debug)]
pub struct RewindOptions<'w> {
    pub scope: RewindScope,
    /// What to do with files that something else has changed since, and with files that configure programs.
    pub foreign: ForeignChanges,
    /// The user's home folder: sessions that claim to work in it change no files.
    pub home: Option<&'w Path>,
    /// What commands changed, if that was recorded.
    pub commands: Option<&'w CommandHistory>,
}

/// A planned rewind.
#[derive(Clone, Debug)]
pub struct RewindPlan {
    /// The changes to make.
    pub plan: Plan,
    pub turn: RewindTurn,
    /// What happens to each file that the session changed.
    pub files: Vec<FileRewind>,
    /// What happens to the conversation.
    pub conversation: Conversation,
}

impl RewindPlan {
    /// The files that are skipped because something else has changed them since.
    pub fn foreign(&self) -> impl Iterator<Item = &FileRewind> {
        self.files.iter().filter(|file| file.outcome == FileOutcome::Skipped(SkipReason::ChangedSince))
    }
}

/// Why a rewind cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum RewindError {
    /// There is no such turn.
    #[error("{}: no turn {to}; the session has {turns}", path.display())]
    NoSuchTurn {
        /// The session's file.
        path: PathBuf,
        /// The turn as given.
        to: String,
        /// How many turns there are.
        turns: usize,
    },
    /// Several prompts have this id prefix.
    #[error("{}: {count} prompts have ids that start with {to}", path.display())]
    Ambiguous {
        /// The session's file.
        path: PathBuf,
        /// The prefix as given.
        to: String,
        /// How many prompts match.
        count: usize,
    },
    /// There is no conversation before the prompt.
    #[error("{}: no conversation before the first prompt", path.display())]
    NothingBefore {
        /// The session's file.
        path: PathBuf,
    },
    /// The session's working directory cannot be used.
    #[error("{}: {why}", folder.display())]
    WorkFolder {
        /// The folder that the session names.
        folder: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The conversation could not be forked.
    #[error(transparent)]
    Fork(#[from] ForkPlanError),
}

/// Plans a rewind to a turn.
pub fn plan(
    session: &Session,
    session_files: &[SessionFile],
    to: &TurnRef,
    options: RewindOptions<'_>,
    source: &dyn Source,
) -> Result<RewindPlan, RewindError> {
    let transcript = session.transcript();
    let turn = find(session, to)?;
    let what = format!("rewind {} to turn {}", session.key, turn.number);
    let mut plan = Plan::new(what, &session.root());
    let mut files = Vec::new();
    if options.scope != RewindScope::Conversation {
        files = files::rewind(session, &transcript, &turn, options, &mut plan)?;
    }
    let conversation = match options.scope {
        RewindScope::Code => Conversation::Stays,
        RewindScope::Conversation | RewindScope::Both => {
            let rewinder =
                ConversationRewinder { session, session_files, transcript: &transcript, turn: &turn, source };
            rewinder.rewind(options.scope, &mut plan)?
        }
    };
    Ok(RewindPlan { plan, turn, files, conversation })
}

/// Applies a plan, as [`apply`](crate::apply::apply) does.
pub fn apply(
    rewinding: &RewindPlan,
    data: &DataDir,
    source: &dyn Source,
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<JournalEntry, ApplyError> {
    crate::apply::apply(&rewinding.plan, data, source, watch)
}

/// Replaces or creates a file.
pub(crate) fn write(path: &Path, old: Option<&[u8]>, new: Vec<u8>, plan: &mut Plan) {
    match old {
        Some(old) => plan.replace(path, old, new),
        None => create(path, new, None, plan),
    }
}

/// Creates a file with these permission bits.
fn create(path: &Path, new: Vec<u8>, mode: Option<u32>, plan: &mut Plan) {
    plan.changes.push(Change::Create { path: path.to_path_buf(), bytes: new.into(), mode });
}
