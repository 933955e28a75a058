//! A conversation: the session that it is written to, and the messages of the next request.
//!
//! Every line is written here, so that the requests can be rebuilt from the file at any time, by us or by the original.

mod append;
mod attachment;
mod backend;
mod backups;
mod custom_command;
mod deferred;
mod history;
mod messages;
mod open;
mod plan;
mod rewind;
mod servers;
mod surroundings;

pub(crate) use append::failed_result;
pub(crate) use attachment::{AttachedFile, AttachedFolder, Attachment};
pub use backups::FileBackups;
pub(crate) use custom_command::ExpandedCommand;
pub(crate) use history::PastContext;
pub use messages::ApiMessage;
pub(crate) use messages::{Grouping, is_thought};
pub use open::{ConversationStart, OpenError, Persistence, StoreContext};
pub(crate) use plan::PlanRecord;
pub use rewind::{PastTurn, RewindError};

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annals_policy::Mode;
use annals_store::session::{AppendError, NewSession};
use annals_store::source::new_uuid;
use annals_store::{SessionKey, Slug};
use annals_transcript::draft::{Draft, ThreadKind};

use crate::protocol::{Notice, TypedText};
use backend::Backend;
use messages::{RebuiltMessages, ThinkingFilter};
use rewind::RewindPoint;
pub(crate) use rewind::SplitLines;

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
    /// What was attached and not told yet: JSON objects.
    attached: Vec<Vec<u8>>,
    last_prompt: Option<String>,
    /// How the next prompt was typed.
    typed: Option<TypedText>,
    /// The last line that is a message: clients resume there.
    last_message: Option<String>,
    backups: FileBackups,
    /// The line of the prompt that opened the current turn.
    prompt_line: Option<String>,
    /// Where the person rewound to: the parent of the next line.
    rewind_point: Option<RewindPoint>,
    thinking: ThinkingFilter,
    /// Whether a fallback model answered in the last turn.
    has_other_author: bool,
    /// The permission mode of the next prompt.
    mode: Option<Mode>,
    /// The tool calls that an aborted turn left without a result.
    open_calls: Vec<String>,
    /// The tokens in the context window after the last response.
    context: u64,
    /// The past, until the agent knows it: after opening and after a rewind.
    past: PastCalls,
    /// The ids of all responses of the conversation.
    responses: HashSet<String>,
}

/// Whether the agent knows the past.
#[derive(Debug)]
enum PastCalls {
    /// The next rebuild collects it.
    Unread,
    /// It waits for the agent.
    Collected(PastContext),
    /// The agent knows it.
    Known,
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

    /// Returns where the session's file is, or will be.
    pub fn transcript_path(&self) -> PathBuf {
        let slug = Slug::of_path(&self.cwd.to_string_lossy());
        let planned = || self.store.config.session_folder(&slug, &SessionKey::new(self.session.as_str()));
        self.path().map_or_else(|| planned().with_extension("jsonl"), Path::to_path_buf)
    }

    /// Returns the file of the session, also for one of its sub-agents.
    pub(crate) fn session_path(&self) -> PathBuf {
        let own = self.transcript_path();
        let is_agents = |folder: &&Path| folder.file_name().is_some_and(|name| name == "subagents");
        let session = own.ancestors().find(is_agents).and_then(Path::parent);
        match session.filter(|_| self.thread == ThreadKind::Agent) {
            Some(folder) => folder.with_extension("jsonl"),
            None => own,
        }
    }

    /// Returns the folder for texts that are too long for a line; `None` if the session is not stored.
    pub(crate) fn overflow_folder(&self) -> Option<PathBuf> {
        let is_stored = match &self.state {
            SessionState::Open(backend) => backend.path().is_some(),
            SessionState::NotYet(_, persistence) => *persistence == Persistence::File,
        };
        is_stored.then(|| self.session_path().with_extension(""))
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
        if self.is_stale
            && let SessionState::Open(backend) = &self.state
        {
            let rebuilt = messages::rebuild(&backend.tail()?, self.thread, &self.thinking);
            self.adopt(rebuilt);
        }
        self.is_stale = false;
        Ok(&self.messages)
    }

    fn adopt(&mut self, rebuilt: RebuiltMessages) {
        self.messages = rebuilt.messages;
        self.open_calls = rebuilt.open_calls;
        self.responses.extend(rebuilt.responses);
        self.context = rebuilt.context;
        if matches!(self.past, PastCalls::Unread) {
            self.past = PastCalls::Collected(rebuilt.past);
        }
    }

    /// Returns the tokens in the context window after the last response; 0 before the first one.
    pub fn context(&self) -> u64 {
        self.context
    }

    pub(crate) fn set_context(&mut self, tokens: u64) {
        self.context = tokens;
    }

    /// Returns the past if the agent does not know it yet.
    pub(crate) fn take_past(&mut self) -> Option<PastContext> {
        match std::mem::replace(&mut self.past, PastCalls::Known) {
            PastCalls::Collected(past) => Some(past),
            state => {
                self.past = state;
                None
            }
        }
    }

    /// Prepares the next turn: its model gets back its own thinking alone, and its prompt records the mode.
    pub(crate) fn prepare_turn(&mut self, model: &str, mode: Mode) {
        self.mode = Some(mode);
        self.thinking.turn = None;
        if std::mem::take(&mut self.has_other_author) || self.thinking.model.as_deref() != Some(model) {
            self.thinking.model = Some(model.to_owned());
            self.is_stale |= matches!(self.state, SessionState::Open(_)) && self.rewind_point.is_none();
        }
    }

    /// Notes which model answers when the one of this turn is asked.
    pub(crate) fn note_author(&mut self, author: &str) {
        let Some(model) = self.thinking.model.clone().filter(|_| !self.has_other_author) else { return };
        let pair = (model, author.to_owned());
        if !self.thinking.authors.contains(&pair) {
            self.thinking.authors.push(pair);
        }
    }

    /// Notes that another model answers in the rest of this turn.
    pub(crate) fn note_other_author(&mut self) {
        self.has_other_author = true;
    }

    /// Adds a paused response to the next request as it is.
    pub(crate) fn push_paused(&mut self, blocks: Vec<Vec<u8>>) {
        messages::add_paused(&mut self.messages, blocks);
        self.is_stale = false;
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
        self.thinking.from =
            messages::rebuild(&backend.tail()?, self.thread, &ThinkingFilter::default()).last_prompt;
        self.is_stale = true;
        self.messages().map(drop)
    }

    /// Adds a notice for the person.
    pub(crate) fn add_notice(&mut self, notice: Notice) {
        self.notices.push(notice);
    }

    /// Sets how the next prompt was typed, for the history.
    pub(crate) fn set_typed(&mut self, typed: Option<TypedText>) {
        self.typed = typed;
    }

    /// Takes what was attached since the last call: JSON objects.
    pub(crate) fn take_attached(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.attached)
    }

    pub(crate) fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Returns the title that a person gave.
    pub fn title(&self) -> Option<&str> {
        match &self.state {
            SessionState::Open(backend) => backend.state().custom_title(),
            SessionState::NotYet(..) => None,
        }
    }

    /// Sets the title that a person gives.
    pub fn set_title(&mut self, title: &str) -> Result<(), AppendError> {
        self.append_metadata(Draft::custom_title(title))
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
