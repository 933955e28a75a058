//! Opens a conversation: a new session, an existing one or a fork. Only a fork writes to the store.

use std::path::{Path, PathBuf};

use annals_store::files::WriteError;
use annals_store::read::{ReadError, read_file};
use annals_store::session::{
    AgentStart, AppendError, ForkError, NewSession, OnBusy, WRITTEN_FORM, fork, fork_as,
};
use annals_store::source::{Source, is_uuid, new_uuid};
use annals_store::{ConfigDir, DataDir, SessionWriter, git};
use annals_transcript::draft::{Continuation, Origin, ThreadKind};
use annals_transcript::transcript::Transcript;

use super::backend::Backend;
use super::messages::ThinkingFilter;
use super::{Conversation, FileBackups, PastCalls, SessionState};
use crate::protocol::{Notice, SubagentStorage};

/// The store that conversations are written to, with its clock and randomness.
#[derive(Clone, Copy, Debug)]
pub struct StoreContext<'s> {
    /// The config directory of the client.
    pub config: &'s ConfigDir,
    /// Our own data directory, for locks.
    pub data: &'s DataDir,
    /// Clock and randomness.
    pub source: &'s dyn Source,
}

/// Whether a session is written to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// The session has a file.
    File,
    /// The session stays in memory.
    Memory,
}

/// How a conversation starts.
#[derive(Clone, Debug)]
pub enum ConversationStart {
    /// In a new session.
    New(NewSession),
    /// At the end of the session in this file.
    Resume(PathBuf),
    /// In a copy of the session in this file.
    Fork {
        path: PathBuf,
        /// The id of the copy; a new one if it is not given.
        id: Option<String>,
    },
}

/// Why a conversation cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The session cannot be written to.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The id of a new session belongs to one that is there.
    #[error("the session id {id} is already in use: {}", path.display())]
    IdInUse {
        id: String,
        /// The file of the session.
        path: PathBuf,
    },
    /// The session cannot be copied.
    #[error(transparent)]
    Fork(#[from] ForkError),
    /// The session cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl<'s> Conversation<'s> {
    /// Opens a conversation. `cwd` must be absolute.
    pub fn open(
        store: StoreContext<'s>,
        start: ConversationStart,
        cwd: &Path,
        persistence: Persistence,
    ) -> Result<Self, OpenError> {
        let path = match start {
            ConversationStart::New(new) => return Self::new(store, new, cwd, persistence),
            ConversationStart::Resume(path) => path,
            ConversationStart::Fork { path, .. } if persistence == Persistence::Memory => path,
            ConversationStart::Fork { path, id: None } => fork(&path, None, store.source)?.path,
            ConversationStart::Fork { path, id: Some(id) } => {
                check_id(store.config, &id)?;
                fork_as(&path, None, &id)?.path
            }
        };
        let backend = match persistence {
            Persistence::File => {
                let opened = SessionWriter::open_at_end(&path, store.data, store.source, OnBusy::Refuse);
                let (mut writer, gist) = opened?;
                writer.set_cwd_and_branch(cwd.to_string_lossy().into_owned(), git::branch(cwd));
                Backend::opened_file(writer, gist)
            }
            Persistence::Memory => {
                let bytes = read_file(&path)?;
                let session = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let known = Continuation::of(&Transcript::parse(&bytes), ThreadKind::Main);
                let origin = match known.origin() {
                    Some(known) => Origin { session, ..known.clone() },
                    None => origin_of(session, cwd),
                };
                Backend::memory(bytes, origin, store.source)
            }
        };
        let session = backend.origin().session.clone();
        Ok(Self::over(store, session, cwd, SessionState::Open(backend)))
    }

    /// Opens the conversation of a sub-agent.
    pub(crate) fn of_agent(
        store: StoreContext<'s>,
        subagent_storage: &SubagentStorage,
        start: &AgentStart,
    ) -> Result<Self, AppendError> {
        let origin = Origin { agent: Some(start.id.clone()), ..subagent_storage.origin().clone() };
        let (session, cwd) = (origin.session.clone(), PathBuf::from(&origin.cwd));
        let made = match subagent_storage {
            SubagentStorage::Files(folder) => folder.open(store.data, store.source, start).map(Backend::file),
            SubagentStorage::Memory(_) => Ok(Backend::memory(Vec::new(), origin.clone(), store.source)),
        };
        let (backend, notices) = match made {
            // A disk that cannot be written must not end the conversation.
            Err(AppendError::Write(error)) => {
                let backend = Backend::memory(Vec::new(), origin, store.source);
                (backend, vec![Notice::NotWritten(error.to_string())])
            }
            made => (made?, Vec::new()),
        };
        Ok(Self { notices, ..Self::over(store, session, &cwd, SessionState::Open(backend)) })
    }

    /// Returns where the sub-agents of this conversation are written.
    pub(crate) fn subagent_storage(&self) -> SubagentStorage {
        match &self.state {
            SessionState::Open(Backend::File { writer, .. }) => SubagentStorage::Files(writer.agents()),
            SessionState::Open(Backend::Memory { origin, .. }) => SubagentStorage::Memory(origin.clone()),
            SessionState::NotYet(..) => {
                SubagentStorage::Memory(Box::new(origin_of(self.session.clone(), &self.cwd)))
            }
        }
    }

    fn new(
        store: StoreContext<'s>,
        new: NewSession,
        cwd: &Path,
        persistence: Persistence,
    ) -> Result<Self, OpenError> {
        let id = new.id.clone().unwrap_or_else(|| new_uuid(store.source));
        match persistence {
            Persistence::File => check_id(store.config, &id)?,
            Persistence::Memory if !is_uuid(&id) => return Err(AppendError::NotAUuid { id }.into()),
            Persistence::Memory => {}
        }
        let new = NewSession { id: Some(id.clone()), cwd: cwd.to_path_buf(), ..new };
        Ok(Self::over(store, id, cwd, SessionState::NotYet(new, persistence)))
    }

    fn over(store: StoreContext<'s>, session: String, cwd: &Path, state: SessionState<'s>) -> Self {
        let is_stale = matches!(state, SessionState::Open(_));
        let thread = match &state {
            SessionState::Open(backend) if backend.origin().agent.is_some() => ThreadKind::Agent,
            _ => ThreadKind::Main,
        };
        let backups = match &state {
            // Changes by a sub-agent are undone with the prompt of its parent.
            _ if thread == ThreadKind::Agent => FileBackups::default(),
            SessionState::NotYet(_, Persistence::Memory) | SessionState::Open(Backend::Memory { .. }) => {
                FileBackups::default()
            }
            SessionState::NotYet(_, Persistence::File) => {
                FileBackups::of_session(store.config, &session, cwd, &[])
            }
            SessionState::Open(backend @ Backend::File { .. }) => {
                // A read error is reported where the file is needed.
                FileBackups::of_session(store.config, &session, cwd, &backend.tail().unwrap_or_default())
            }
        };
        Self {
            store,
            session,
            thread,
            cwd: cwd.to_path_buf(),
            state,
            messages: Vec::new(),
            is_stale,
            notices: Vec::new(),
            attached: Vec::new(),
            last_prompt: None,
            typed: None,
            last_message: None,
            backups,
            prompt_line: None,
            rewind_point: None,
            thinking: ThinkingFilter::default(),
            open_calls: Vec::new(),
            context: 0,
            past: if is_stale { PastCalls::Unread } else { PastCalls::Known },
            has_other_author: false,
            mode: None,
            responses: Default::default(),
        }
    }

    /// Returns where lines are written, and creates the session if it has no line yet.
    pub(super) fn backend(&mut self) -> Result<&mut Backend<'s>, AppendError> {
        if let SessionState::NotYet(new, persistence) = &self.state {
            let origin = || origin_of(self.session.clone(), &self.cwd);
            let StoreContext { config, data, source } = self.store;
            let made = match persistence {
                Persistence::File => {
                    SessionWriter::create(config, data, source, new.clone()).map(Backend::file)
                }
                Persistence::Memory => Ok(Backend::memory(Vec::new(), origin(), source)),
            };
            let backend = match made {
                // A disk that cannot be written must not end the conversation; a session that is not ours must.
                Err(AppendError::Write(error)) if !matches!(error, WriteError::Exists { .. }) => {
                    self.notices.push(Notice::NotWritten(error.to_string()));
                    Backend::memory(Vec::new(), origin(), source)
                }
                made => made?,
            };
            self.state = SessionState::Open(backend);
        }
        match &mut self.state {
            SessionState::Open(backend) => Ok(backend),
            SessionState::NotYet(new, _) => {
                Err(AppendError::NotAUuid { id: new.id.clone().unwrap_or_default() })
            }
        }
    }
}

/// Checks the id of a new session. An id that is in use, in whatever project, would mix two conversations.
fn check_id(config: &ConfigDir, id: &str) -> Result<(), OpenError> {
    if !is_uuid(id) {
        return Err(AppendError::NotAUuid { id: id.to_owned() }.into());
    }
    let projects = std::fs::read_dir(config.projects()).into_iter().flatten().flatten();
    // A UUID is the same in capitals, and on some file systems so is the file.
    let names = [id.to_owned(), id.to_ascii_lowercase()].map(|id| format!("{id}.jsonl"));
    let mut files = projects.flat_map(|project| names.each_ref().map(|name| project.path().join(name)));
    match files.find(|file| file.symlink_metadata().is_ok()) {
        Some(path) => Err(OpenError::IdInUse { id: id.to_owned(), path }),
        None => Ok(()),
    }
}

fn origin_of(session: String, cwd: &Path) -> Origin {
    Origin {
        session,
        agent: None,
        cwd: cwd.to_string_lossy().into_owned(),
        version: WRITTEN_FORM.to_owned(),
        git_branch: git::branch(cwd),
        entrypoint: None,
        slug: None,
    }
}
