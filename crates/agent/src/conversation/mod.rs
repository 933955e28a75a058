//! A conversation: the session that it is written to, and the messages of the next request.
//!
//! Every line is written here, so that the requests can be rebuilt from the file at any time, by us or by the original.

mod append;
mod backend;
mod backups;
mod custom_command;
mod messages;
mod open;
mod rewind;

pub(crate) use append::failed_result;
pub use backups::FileBackups;
pub(crate) use custom_command::{AttachedFile, ExpandedCommand};
pub use messages::ApiMessage;
pub(crate) use messages::{Grouping, is_thought};
pub use open::{ConversationStart, OpenError, Persistence, StoreContext};
pub use rewind::{PastTurn, RewindError};

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annals_store::session::{AppendError, NewSession};
use annals_store::source::new_uuid;
use annals_transcript::draft::{Draft, ThreadKind};

use crate::protocol::Notice;
use backend::Backend;
use rewind::RewindPoint;

/// A conversation and its session.
#[derive(Debug)]
pub struct Conversation<'s> {
    store: StoreContext<'s>,
    session: String,
    /// The session itself or one of its sub-agents.
    thread: ThreadKind,
    cwd: PathBuf,
    state: SessionState<'s>,
    messages: Vec<ApiMessage>,
    /// Whether `messages` must be rebuilt from the file.
    is_stale: bool,
    notices: Vec<Notice>,
    last_prompt: Option<String>,
    /// The last line that is a message: clients resume there.
    last_message: Option<String>,
    backups: FileBackups,
    /// The line of the prompt that opened the current turn.
    prompt_line: Option<String>,
    /// Where the person rewound to: the parent of the next line.
    rewind_point: Option<RewindPoint>,
    /// The line before which no thinking is sent, since the model refuses it.
    thinking_from: Option<String>,
    /// The ids of all responses of the conversation.
    responses: HashSet<String>,
}

#[derive(Debug)]
enum SessionState<'s> {
    /// No line is written: the file is created with the first prompt.
    NotYet(NewSession, Persistence),
    Open(Backend<'s>),
}

impl<'s> Conversation<'s> {
    /// Returns the id of the session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Returns the working folder.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Returns the store that the session is written to.
    pub fn store(&self) -> StoreContext<'s> {
        self.store
    }

    /// Returns the session's file, once it exists.
    pub fn path(&self) -> Option<&Path> {
        match &self.state {
            SessionState::Open(backend) => backend.path(),
            SessionState::NotYet(..) => None,
        }
    }

    /// Returns the model that answered last.
    pub fn model(&self) -> Option<&str> {
        match &self.state {
            SessionState::Open(backend) => backend.state().model(),
            SessionState::NotYet(..) => None,
        }
    }

    /// Returns the lines of the session, including queued ones.
    pub fn bytes(&self) -> Result<Vec<u8>, AppendError> {
        match &self.state {
            SessionState::Open(backend) => backend.bytes(),
            SessionState::NotYet(..) => Ok(Vec::new()),
        }
    }

    /// Returns the messages of the next request.
    pub fn messages(&mut self) -> Result<&[ApiMessage], AppendError> {
        if std::mem::take(&mut self.is_stale)
            && let SessionState::Open(backend) = &self.state
        {
            let rebuilt = messages::rebuild(&backend.tail()?, self.thread, self.thinking_from.as_deref());
            self.responses.extend(rebuilt.responses);
            self.messages = rebuilt.messages;
        }
        Ok(&self.messages)
    }

    /// Returns the id under which a response is written: the given one, or a new one if that is empty or already used. Readers
    /// take lines with one id for one response.
    pub(crate) fn response_id(&mut self, given: &str) -> String {
        let is_free = !given.is_empty() && !self.responses.contains(given);
        let id = if is_free { given.to_owned() } else { format!("msg_{}", new_uuid(self.store.source)) };
        self.responses.insert(id.clone());
        id
    }

    /// Takes the messages for the duration of a request; [`Self::restore_messages`] gives them back.
    pub(crate) fn take_messages(&mut self) -> Result<Vec<ApiMessage>, AppendError> {
        self.messages()?;
        Ok(std::mem::take(&mut self.messages))
    }

    pub(crate) fn restore_messages(&mut self, messages: Vec<ApiMessage>) {
        self.messages = messages;
    }

    /// Marks the cached messages stale; the next request rebuilds them from the file.
    pub(crate) fn mark_stale(&mut self) {
        self.is_stale = true;
    }

    /// Leaves the thinking of earlier turns out of all further requests. The file keeps it.
    pub(crate) fn drop_older_thinking(&mut self) -> Result<(), AppendError> {
        let SessionState::Open(backend) = &self.state else { return Ok(()) };
        self.thinking_from = messages::rebuild(&backend.tail()?, self.thread, None).last_prompt;
        self.is_stale = true;
        self.messages().map(drop)
    }

    pub(crate) fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Sets a title made by a model; a title set by a person has precedence.
    pub fn set_ai_title(&mut self, title: &str) -> Result<(), AppendError> {
        self.append_metadata(Draft::ai_title(title))
    }

    /// Returns the file backups, for the tools.
    pub fn backups(&self) -> FileBackups {
        self.backups.clone()
    }
}
