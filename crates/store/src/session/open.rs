//! Opens writers: of new sessions, existing ones and sub-agents.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annals_json::ObjectWriter;
use annals_transcript::TranscriptBuf;
use annals_transcript::draft::{Continuation, Origin, ThreadKind};
use annals_transcript::transcript::Transcript;

use super::error::AppendError;
use super::lock_note::LockNote;
use super::tail::SessionTail;
use super::writer::{Concurrency, IndexMode, SessionWriter, WriteMode};
use super::{WRITTEN_FORM, lock_file, other_writer};
use crate::agents::AgentMeta;
use crate::data_dir::DataDir;
use crate::files::{AppendFile, PlainName, WriteError, create_file};
use crate::git;
use crate::json_file::JsonFile;
use crate::key::{SessionKey, Slug};
use crate::layout::ConfigDir;
use crate::lock::FileLock;
use crate::read::{ReadError, read_below, read_file, read_file_if_there};
use crate::readable_name::new_name;
use crate::scan::session_named_in;
use crate::source::{Source, SourceRef, is_uuid, new_uuid};

/// A session to begin.
#[derive(Clone, Debug, Default)]
pub struct NewSession {
    /// Its id; by default a random UUID.
    pub id: Option<String>,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// The git branch; by default that of the working directory.
    pub git_branch: Option<String>,
    /// The client release that written records imitate; by default [`WRITTEN_FORM`].
    pub version: Option<String>,
    /// How it is used; by default `cli`, so that pickers list it.
    pub entrypoint: Option<String>,
}

/// What to do about a session that a client seems to be writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBusy {
    /// Refuse: records that continue the conversation would make a second branch.
    Refuse,
    /// Append anyway: titles, tags and other records outside the chain do no harm.
    Append,
}

/// A sub-agent to write.
#[derive(Clone, Debug, Default)]
pub struct AgentStart {
    /// The agent's id: the file will be `agent-<id>.jsonl`.
    pub id: String,
    /// What kind of agent it is.
    pub agent_type: Option<String>,
    /// What it is for, in a few words.
    pub description: Option<String>,
    /// The call that started it.
    pub tool_use: Option<String>,
    /// The agent that started it, if not the session itself.
    pub parent: Option<AgentParent>,
}

/// The agent that started another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentParent {
    /// The agent's id, as in the name of its file.
    pub id: String,
    /// How deep the one that it started is nested; those that a session starts are 1 deep.
    pub depth: u64,
}

/// Where the sub-agents of a session are written, and what their lines have in common with its own.
///
/// Each sub-agent has a file and a lock of its own, so any number of them can be written at once, while somebody else writes
/// the session itself.
#[derive(Clone, Debug)]
pub struct AgentFolder {
    folder: PathBuf,
    origin: Origin,
}

impl AgentFolder {
    /// The sub-agents of a session that somebody else may be writing: its file is read, and not locked.
    pub fn of_session(path: &Path, data: &DataDir) -> Result<Self, ReadError> {
        let tail = SessionTail::read(path)?;
        let state = Continuation::of(&Transcript::parse(&tail.bytes), ThreadKind::Main);
        // A session without lines has its origin in the note of its first writer.
        let noted = || LockNote::read(&read_file_if_there(&data.lock_of(path)).ok()??).origin;
        let session = SessionKey::new(path.file_stem().unwrap_or_default().to_string_lossy());
        let origin = origin_of(state.origin().cloned().or_else(noted), &session, path);
        Ok(Self { folder: path.with_extension("").join("subagents"), origin })
    }

    /// The parent of a sub-agent that another sub-agent of this session starts; `None` if there is no agent with this id.
    pub fn parent(&self, id: &str) -> Result<Option<AgentParent>, AppendError> {
        let id = PlainName::new(id, "the id of an agent")?;
        let path = self.path_of(id.as_str());
        if !path.exists() {
            return Ok(None);
        }
        let meta = JsonFile::read_below(self.project(), &path.with_extension("meta.json")).ok();
        let depth = meta.as_ref().and_then(|file| AgentMeta::new(file.object().ok()?).spawn_depth());
        Ok(Some(AgentParent { id: id.to_string(), depth: depth.unwrap_or(1).saturating_add(1) }))
    }

    /// The folder for results that are too large for their lines.
    pub fn tool_results(&self) -> PathBuf {
        self.folder.with_file_name("tool-results")
    }

    /// The project's folder.
    fn project(&self) -> &Path {
        self.folder.ancestors().nth(2).unwrap_or(&self.folder)
    }

    /// The file of a sub-agent: in the session's folder, or next to the session where older releases made it.
    fn path_of(&self, id: &str) -> PathBuf {
        let name = format!("agent-{id}.jsonl");
        let path = self.folder.join(&name);
        let beside = self.project().join(&name);
        let is_of_session = |beside: &PathBuf| {
            let named = session_named_in(beside).ok().flatten();
            named.is_some_and(|named| named == self.origin.session.as_str())
        };
        let is_beside = !path.exists() && beside.exists() && is_of_session(&beside);
        if is_beside { beside } else { path }
    }

    /// What the lines of the session have in common.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Continues or creates a sub-agent: its transcript and its metadata.
    pub fn open<'s>(
        &self,
        data: &DataDir,
        source: &'s dyn Source,
        start: &AgentStart,
    ) -> Result<SessionWriter<'s>, AppendError> {
        self.open_with(data, SourceRef::Borrowed(source), start)
    }

    fn open_with<'s>(
        &self,
        data: &DataDir,
        source: SourceRef<'s>,
        start: &AgentStart,
    ) -> Result<SessionWriter<'s>, AppendError> {
        let id = PlainName::new(&start.id, "the id of an agent")?;
        let path = self.path_of(id.as_str());
        let lock = lock_file(&path, data)?;
        let mut origin = Origin { agent: Some(id.to_string()), ..self.origin.clone() };
        if path.exists() {
            let bytes = read_below(self.project(), &path)?;
            let state = Continuation::of(&Transcript::parse(&bytes), ThreadKind::Agent);
            // It may work in another folder than its session.
            if let Some(own) = state.origin().filter(|own| !own.cwd.is_empty()) {
                (origin.cwd, origin.git_branch) = (own.cwd.clone(), own.git_branch.clone());
            }
            let mut writer = SessionWriter::over(AppendFile::existing(path), lock, state, origin, source);
            writer.known_length = bytes.len() as u64;
            return Ok(writer);
        }
        match create_file(&self.folder.join(format!("agent-{id}.meta.json")), &meta(start)) {
            // Left by an interrupted start, with the same content.
            Ok(()) | Err(WriteError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let file = AppendFile::create(path)?;
        Ok(SessionWriter::over(file, lock, Continuation::new(ThreadKind::Agent), origin, source))
    }
}

impl<'s> SessionWriter<'s> {
    /// Begins a session: an empty file, 0600, at its place in the store.
    pub fn create(
        config: &ConfigDir,
        data: &DataDir,
        source: &'s dyn Source,
        new: NewSession,
    ) -> Result<Self, AppendError> {
        Self::create_with(config, data, SourceRef::Borrowed(source), new)
    }

    pub(super) fn create_with(
        config: &ConfigDir,
        data: &DataDir,
        source: SourceRef<'s>,
        new: NewSession,
    ) -> Result<Self, AppendError> {
        let id = new.id.unwrap_or_else(|| new_uuid(&*source));
        if !is_uuid(&id) {
            return Err(AppendError::NotAUuid { id });
        }
        // The client takes the real path; a folder that is not there (yet) has only the path that was given.
        let cwd = new.cwd.canonicalize().unwrap_or(new.cwd);
        let origin = Origin {
            session: id.clone(),
            agent: None,
            cwd: cwd.to_string_lossy().into_owned(),
            version: new.version.unwrap_or_else(|| WRITTEN_FORM.to_owned()),
            git_branch: new.git_branch.unwrap_or_else(|| git::branch(&cwd)),
            entrypoint: Some(new.entrypoint.unwrap_or_else(|| "cli".to_owned())),
            slug: Some(new_name(config, &*source)),
        };
        let path = config.session(&Slug::of_path(&origin.cwd), &SessionKey::new(id));
        let lock = lock_file(&path, data)?;
        let file = AppendFile::create(path)?;
        let mut writer = Self::over(file, lock, Continuation::new(ThreadKind::Main), origin, source);
        writer.note_open(None);
        Ok(writer)
    }

    /// Opens an existing session to append to it.
    pub fn open(
        path: &Path,
        data: &DataDir,
        source: &'s dyn Source,
        on_busy: OnBusy,
    ) -> Result<Self, AppendError> {
        let (writer, _) = Self::open_with(path, data, SourceRef::Borrowed(source), on_busy)?;
        Ok(writer)
    }

    /// Opens a session of any length at its end, and returns the part that was read: records before the last compaction are
    /// not parents of new ones.
    pub fn open_at_end(
        path: &Path,
        data: &DataDir,
        source: &'s dyn Source,
        on_busy: OnBusy,
    ) -> Result<(Self, SessionTail), AppendError> {
        let claim = Claim::new(path, data, source, on_busy)?;
        let tail = SessionTail::read(path)?;
        let writer = claim.writer(&Transcript::parse(&tail.bytes), &tail, SourceRef::Borrowed(source));
        Ok((writer, tail))
    }

    /// Opens a session, and returns the whole file parsed.
    pub(super) fn open_with(
        path: &Path,
        data: &DataDir,
        source: SourceRef<'s>,
        on_busy: OnBusy,
    ) -> Result<(Self, TranscriptBuf), AppendError> {
        let claim = Claim::new(path, data, &*source, on_busy)?;
        let parsed = TranscriptBuf::parse(read_file(path)?);
        let tail = SessionTail::position_in(parsed.bytes());
        let writer = claim.writer(&parsed.transcript(), &tail, source);
        Ok((writer, parsed))
    }

    /// Continues or creates a sub-agent of this session: its transcript in the session's folder, and its metadata. The
    /// session refers to it by the result of the call
    /// ([`Draft::agent_result`](annals_transcript::draft::Draft::agent_result)).
    pub fn open_agent(&self, data: &DataDir, start: &AgentStart) -> Result<SessionWriter<'s>, AppendError> {
        self.agents().open_with(data, self.source.clone(), start)
    }

    /// The folder for sub-agents of this session; those of a sub-agent share its folder.
    pub fn agents(&self) -> AgentFolder {
        let beside = self.path().parent().filter(|_| self.origin.agent.is_some());
        let folder = match beside {
            Some(folder) => folder.to_path_buf(),
            None => self.path().with_extension("").join("subagents"),
        };
        AgentFolder { folder, origin: self.origin.clone() }
    }

    fn over(
        file: AppendFile,
        lock: FileLock,
        state: Continuation,
        origin: Origin,
        source: SourceRef<'s>,
    ) -> Self {
        Self {
            file,
            lock,
            state,
            origin,
            source,
            joined: HashSet::new(),
            known_length: 0,
            repeated_at: 0,
            unsettled: false,
            mode: WriteMode::Writing,
            concurrency: Concurrency::Exclusive,
            is_noted: false,
            index: IndexMode::Writer,
        }
    }
}

/// A locked session file that is about to be read.
struct Claim<'p> {
    path: &'p Path,
    lock: FileLock,
    lock_note: LockNote,
    concurrency: Concurrency,
}

impl<'p> Claim<'p> {
    fn new(
        path: &'p Path,
        data: &DataDir,
        source: &dyn Source,
        on_busy: OnBusy,
    ) -> Result<Self, AppendError> {
        let mut lock = lock_file(path, data)?;
        let lock_note = LockNote::read(&lock.read_note());
        let concurrency = match (other_writer(path, &mut lock, source), on_busy) {
            (None, _) => Concurrency::Exclusive,
            (Some(_), OnBusy::Append) => Concurrency::Shared,
            (Some(busy), OnBusy::Refuse) => {
                return Err(AppendError::Busy { path: path.to_path_buf(), busy });
            }
        };
        Ok(Self { path, lock, lock_note, concurrency })
    }

    fn writer<'s>(
        self,
        transcript: &Transcript<'_>,
        tail: &SessionTail,
        source: SourceRef<'s>,
    ) -> SessionWriter<'s> {
        let state = Continuation::of(transcript, ThreadKind::Main);
        let session = SessionKey::new(self.path.file_stem().unwrap_or_default().to_string_lossy());
        let known = state.origin().cloned().or(self.lock_note.origin);
        let origin = origin_of(known, &session, self.path);
        let mut writer =
            SessionWriter::over(AppendFile::existing(self.path), self.lock, state, origin, source);
        (writer.known_length, writer.repeated_at) = (tail.length, tail.repeated_at);
        writer.concurrency = self.concurrency;
        writer
    }
}

/// The context of new lines: that of the last line, with the session from the file's name.
fn origin_of(known: Option<Origin>, session: &SessionKey, path: &Path) -> Origin {
    let known = known.unwrap_or_else(|| Origin {
        session: String::new(),
        agent: None,
        cwd: folder_of(path).unwrap_or_default(),
        version: WRITTEN_FORM.to_owned(),
        git_branch: git::NO_BRANCH.to_owned(),
        entrypoint: Some("cli".to_owned()),
        slug: None,
    });
    let version = if known.version.is_empty() { WRITTEN_FORM.to_owned() } else { known.version };
    let git_branch = if known.git_branch.is_empty() { git::NO_BRANCH.to_owned() } else { known.git_branch };
    Origin { session: session.to_string(), agent: None, version, git_branch, ..known }
}

/// The working directory of a session without lines: the folder on disk that has its project's slug.
fn folder_of(path: &Path) -> Option<String> {
    let slug = path.parent()?.file_name()?.to_str()?;
    let found = crate::project_path::folders_of_slug(Path::new("/"), slug).into_iter().next()?;
    Some(found.to_string_lossy().into_owned())
}

fn meta(start: &AgentStart) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.string("agentType", start.agent_type.as_deref().unwrap_or("general-purpose"));
    object.string_if("description", start.description.as_deref());
    object.string_if("toolUseId", start.tool_use.as_deref());
    if let Some(parent) = &start.parent {
        object.number("spawnDepth", parent.depth).string("parentAgentId", &parent.id);
    }
    object.end();
    out
}
