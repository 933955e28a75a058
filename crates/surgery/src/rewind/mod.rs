//! Going back to a prompt: files get the state that they had when it was sent, the conversation goes on from before it.
//!
//! [`turns`] lists what can be gone back to, [`plan`] says what would happen and touches nothing, [`apply`] does it.
//!
//! # A session that this process has open
//!
//! The lock of a session is its writer's. Files are changed without it: a plan of [`Scope::Code`] locks nothing and writes
//! nothing to the session, so a conversation that is open can carry it out between two turns. For the conversation itself
//! such a caller needs no plan at all: a client that goes back writes nothing, and its next prompt follows
//! [`Turn::goes_on_from`]. A plan with [`Scope::Conversation`] or [`Scope::Both`] is for sessions that nobody has open: it
//! takes the lock, and is refused where somebody has it.
//!
//! # What is not known
//!
//! Only tools that edit files leave copies. What commands did to files, and what people did, was not kept.

mod code;
mod edited;
mod talk;
mod told;
mod turns;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::journal::Entry;
use annals_store::{DataDir, Source};

use crate::apply::ApplyError;
use crate::belongings::Belonging;
use crate::fork::ForkPlanError;
use crate::plan::Plan;
use crate::session::Session;

pub use code::{FileFate, FileRewind, Skipped};
pub use talk::Conversation;
use talk::Talk;
pub use turns::{To, Turn, find, turns};

/// What goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Files.
    Code,
    /// The conversation.
    Conversation,
    /// Both.
    Both,
}

/// What becomes of files that somebody else changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// They are left.
    Left,
    /// They go back like the others.
    Overwritten,
}

/// How to go back.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'w> {
    /// What goes back.
    pub scope: Scope,
    /// What becomes of files that somebody else changed since.
    pub foreign: Foreign,
    /// The person's home folder: sessions that claim to work in it change no files.
    pub home: Option<&'w Path>,
}

/// A plan, and what it means.
#[derive(Clone, Debug)]
pub struct Rewinding {
    /// What is to be done.
    pub plan: Plan,
    /// The turn that is gone back to.
    pub turn: Turn,
    /// What becomes of each file that the session has changed.
    pub files: Vec<FileRewind>,
    /// What becomes of the conversation.
    pub conversation: Conversation,
}

impl Rewinding {
    /// The files that are left because somebody else changed them since.
    pub fn foreign(&self) -> impl Iterator<Item = &FileRewind> {
        self.files.iter().filter(|file| file.fate == FileFate::Skipped(Skipped::ChangedSince))
    }
}

/// Why there is no going back.
#[derive(Debug, thiserror::Error)]
pub enum RewindError {
    /// There is no such turn.
    #[error("{}: it has no turn {to}: there are {turns}", path.display())]
    NoSuchTurn {
        /// The session's file.
        path: PathBuf,
        /// What was asked for.
        to: String,
        /// How many turns there are.
        turns: usize,
    },
    /// Several prompts begin so.
    #[error("{}: {count} prompts have an id that begins with {to}", path.display())]
    Ambiguous {
        /// The session's file.
        path: PathBuf,
        /// What was asked for.
        to: String,
        /// How many there are.
        count: usize,
    },
    /// Nothing is left of the conversation.
    #[error("{}: there is no conversation before its first prompt", path.display())]
    NothingBefore {
        /// The session's file.
        path: PathBuf,
    },
    /// The files of the session are nowhere, or everywhere.
    #[error("{}: {why}", folder.display())]
    WorkFolder {
        /// The folder that the session claims to work in.
        folder: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The conversation cannot be forked.
    #[error(transparent)]
    Fork(#[from] ForkPlanError),
}

/// Plans to go back to a turn.
pub fn plan(
    session: &Session,
    belongings: &[Belonging],
    to: &To,
    wish: Wish<'_>,
    source: &dyn Source,
) -> Result<Rewinding, RewindError> {
    let transcript = session.transcript();
    let turn = find(session, to)?;
    let what = format!("rewind {} to turn {}", session.key, turn.number);
    let mut plan = Plan::new(what, &session.root());
    let mut files = Vec::new();
    if wish.scope != Scope::Conversation {
        files = code::rewind(session, &transcript, &turn, wish, &mut plan)?;
        plan.notes.push("what commands changed was not kept, and stays".to_owned());
    }
    let conversation = match wish.scope {
        Scope::Code => Conversation::Stays,
        Scope::Conversation | Scope::Both => {
            let talk = Talk { session, belongings, transcript: &transcript, turn: &turn, source };
            talk.rewind(wish.scope, &mut plan)?
        }
    };
    Ok(Rewinding { plan, turn, files, conversation })
}

/// Carries a plan out, as [`apply`](crate::apply::apply) does.
pub fn apply(
    rewinding: &Rewinding,
    data: &DataDir,
    source: &dyn Source,
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Entry, ApplyError> {
    crate::apply::apply(&rewinding.plan, data, source, watch)
}

/// A file gets bytes that it does not have.
fn write(path: &Path, old: Option<&[u8]>, new: Vec<u8>, plan: &mut Plan) {
    match old {
        Some(old) => plan.replace(path, old, new),
        None => plan.changes.push(Change::Create { path: path.to_path_buf(), bytes: new }),
    }
}
