//! From nothing, a session or a session's copy to a conversation. Opening one writes nothing but a copy that was asked for.

use std::path::{Path, PathBuf};

use annals_store::read::{ReadError, read_file};
use annals_store::session::{
    AgentFolder, AgentStart, AppendError, ForkError, NewSession, Patience, WRITTEN_FORM, fork,
};
use annals_store::source::{Source, is_uuid, new_uuid};
use annals_store::{ConfigDir, DataDir, SessionWriter, git};
use annals_transcript::draft::{Continuation, Origin, Thread};
use annals_transcript::transcript::Transcript;

use super::keep::Keeping;
use super::{Conversation, Copies, State};
use crate::event::Notice;

/// Where conversations are written, and time and chance.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'s> {
    /// The store.
    pub config: &'s ConfigDir,
    /// Our own folder, for locks.
    pub data: &'s DataDir,
    /// Time and chance.
    pub source: &'s dyn Source,
}

/// Whether a session is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// To its file.
    File,
    /// Nowhere.
    Memory,
}

/// How a conversation begins.
#[derive(Clone, Debug)]
pub enum Start {
    /// A new session.
    New(NewSession),
    /// Where this session stands.
    Resume(PathBuf),
    /// In a copy of this session.
    Fork(PathBuf),
}

/// Where the sub-agents of a conversation are written.
#[derive(Clone, Debug)]
pub enum Lineage {
    /// In files of their own.
    Files(AgentFolder),
    /// Nowhere, as their parent.
    Memory(Box<Origin>),
}

impl Lineage {
    /// What the lines of the parent have in common.
    fn origin(&self) -> &Origin {
        match self {
            Self::Files(folder) => folder.origin(),
            Self::Memory(origin) => origin,
        }
    }
}

/// Why a conversation cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The session cannot be written to.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The session cannot be copied.
    #[error(transparent)]
    Fork(#[from] ForkError),
    /// The session cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl<'s> Conversation<'s> {
    /// Opens one in a working folder, which is absolute.
    pub fn open(
        ground: Ground<'s>,
        start: Start,
        cwd: &Path,
        persistence: Persistence,
    ) -> Result<Self, OpenError> {
        let path = match start {
            Start::New(new) => return Ok(Self::new(ground, new, cwd, persistence)?),
            Start::Resume(path) => path,
            Start::Fork(path) if persistence == Persistence::Memory => path,
            Start::Fork(path) => fork(&path, None, ground.source)?.path,
        };
        let keeping = match persistence {
            Persistence::File => {
                let opened = SessionWriter::open_at_end(&path, ground.data, ground.source, Patience::Refuse);
                let (mut writer, gist) = opened?;
                writer.set_surroundings(cwd.to_string_lossy().into_owned(), git::branch(cwd));
                Keeping::opened_file(writer, gist)
            }
            Persistence::Memory => {
                let bytes = read_file(&path)?;
                let session = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let known = Continuation::of(&Transcript::parse(&bytes), Thread::Main);
                let origin = match known.origin() {
                    Some(known) => Origin { session, ..known.clone() },
                    None => origin_of(session, cwd),
                };
                Keeping::memory(bytes, origin, ground.source)
            }
        };
        let session = keeping.origin().session.clone();
        Ok(Self::over(ground, session, cwd, State::Open(keeping)))
    }

    /// Begins the conversation of a sub-agent.
    pub(crate) fn of_agent(
        ground: Ground<'s>,
        lineage: &Lineage,
        start: &AgentStart,
    ) -> Result<Self, AppendError> {
        let origin = Origin { agent: Some(start.id.clone()), ..lineage.origin().clone() };
        let (session, cwd) = (origin.session.clone(), PathBuf::from(&origin.cwd));
        let made = match lineage {
            Lineage::Files(folder) => folder.open(ground.data, ground.source, start).map(Keeping::file),
            Lineage::Memory(_) => Ok(Keeping::memory(Vec::new(), origin.clone(), ground.source)),
        };
        let (keeping, notices) = match made {
            // A disk that cannot be written is no reason to be silent.
            Err(AppendError::Write(error)) => {
                let keeping = Keeping::memory(Vec::new(), origin, ground.source);
                (keeping, vec![Notice::NotKept(error.to_string())])
            }
            made => (made?, Vec::new()),
        };
        Ok(Self { notices, ..Self::over(ground, session, &cwd, State::Open(keeping)) })
    }

    /// Where the sub-agents of this conversation are written.
    pub(crate) fn lineage(&self) -> Lineage {
        match &self.state {
            State::Open(Keeping::File { writer, .. }) => Lineage::Files(writer.agents()),
            State::Open(Keeping::Memory { origin, .. }) => Lineage::Memory(origin.clone()),
            State::NotYet(..) => Lineage::Memory(Box::new(origin_of(self.session.clone(), &self.cwd))),
        }
    }

    fn new(
        ground: Ground<'s>,
        new: NewSession,
        cwd: &Path,
        persistence: Persistence,
    ) -> Result<Self, AppendError> {
        let id = new.id.clone().unwrap_or_else(|| new_uuid(ground.source));
        if !is_uuid(&id) {
            return Err(AppendError::NotAUuid { id });
        }
        let new = NewSession { id: Some(id.clone()), cwd: cwd.to_path_buf(), ..new };
        Ok(Self::over(ground, id, cwd, State::NotYet(new, persistence)))
    }

    fn over(ground: Ground<'s>, session: String, cwd: &Path, state: State<'s>) -> Self {
        let is_stale = matches!(state, State::Open(_));
        let thread = match &state {
            State::Open(keeping) if keeping.origin().agent.is_some() => Thread::Agent,
            _ => Thread::Main,
        };
        let copies = match &state {
            // What a sub-agent changes is taken back with the prompt that it worked for.
            _ if thread == Thread::Agent => Copies::default(),
            State::NotYet(_, Persistence::Memory) | State::Open(Keeping::Memory { .. }) => Copies::default(),
            State::NotYet(_, Persistence::File) => Copies::of_session(ground.config, &session, cwd, &[]),
            State::Open(keeping @ Keeping::File { .. }) => {
                // A file that cannot be read is told of where it is needed.
                Copies::of_session(ground.config, &session, cwd, &keeping.gist().unwrap_or_default())
            }
        };
        Self {
            ground,
            session,
            thread,
            cwd: cwd.to_path_buf(),
            state,
            messages: Vec::new(),
            is_stale,
            notices: Vec::new(),
            last_prompt: None,
            last_message: None,
            copies,
            prompt_line: None,
            went_back: None,
            thinking_from: None,
            responses: Default::default(),
        }
    }

    /// Where lines go; a session that has none yet is begun.
    pub(super) fn keeping(&mut self) -> Result<&mut Keeping<'s>, AppendError> {
        if let State::NotYet(new, persistence) = &self.state {
            let origin = || origin_of(self.session.clone(), &self.cwd);
            let Ground { config, data, source } = self.ground;
            let made = match persistence {
                Persistence::File => {
                    SessionWriter::create(config, data, source, new.clone()).map(Keeping::file)
                }
                Persistence::Memory => Ok(Keeping::memory(Vec::new(), origin(), source)),
            };
            let keeping = match made {
                // A disk that cannot be written is no reason to be silent.
                Err(AppendError::Write(error)) => {
                    self.notices.push(Notice::NotKept(error.to_string()));
                    Keeping::memory(Vec::new(), origin(), source)
                }
                made => made?,
            };
            self.state = State::Open(keeping);
        }
        match &mut self.state {
            State::Open(keeping) => Ok(keeping),
            State::NotYet(new, _) => Err(AppendError::NotAUuid { id: new.id.clone().unwrap_or_default() }),
        }
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
