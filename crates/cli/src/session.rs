//! Resolves the SESSION argument, and reads the session and its sub-agents.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_store::agents::{AgentCalls, AgentDetails, details};
use annals_store::find::{FindError, MIN_PREFIX, SessionMatch};
use annals_store::parallel;
use annals_store::read::{ReadError, read_file, stream_lines};
use annals_store::session_file::is_session_file;
use annals_store::{AgentEntry, ConfigDir, Discovery, SessionEntry, SessionKey, Store, Summary};
use annals_transcript::agents::{AgentLink, Spawn};
use annals_transcript::title::TitleSource;
use annals_transcript::transcript::Transcript;
use annals_vault::UnpackDir;

use crate::context::Context;
use crate::error::Fault;
use crate::table::one_line;
use crate::{vault, words};

/// The session that an argument names: its file, and the store that the file belongs to.
pub(crate) struct ResolvedSession {
    pub(crate) path: PathBuf,
    /// The file name without its extension.
    pub(crate) key: SessionKey,
    discovery: Option<Arc<Discovery>>,
    /// For a session of the vault: the folder it is unpacked to, and the store that it was in.
    unpacked: Option<(Arc<UnpackDir>, PathBuf)>,
}

/// The file of a sub-agent, read.
pub(crate) struct AgentFile {
    pub(crate) entry: AgentEntry,
    pub(crate) bytes: Vec<u8>,
    details: AgentDetails,
}

impl AgentFile {
    /// The files, without their bytes.
    pub(crate) fn unread(entries: Vec<AgentEntry>) -> Vec<Self> {
        let (details, _) = details(&entries.iter().collect::<Vec<_>>());
        let file = |(entry, details)| Self { entry, bytes: Vec::new(), details };
        entries.into_iter().zip(details).map(file).collect()
    }

    /// Its description or type, if its meta file has one.
    pub(crate) fn label(&self) -> Option<String> {
        self.details.label()
    }
}

impl ResolvedSession {
    /// Finds the session that an argument names.
    pub(crate) fn find(context: &Context, argument: &str) -> Result<Self, Fault> {
        // A path needs no discovery of the store, which may be large.
        if argument.ends_with(".jsonl") || argument.contains(std::path::is_separator) {
            context.store.select_for(Path::new(argument));
            context.name_session(Path::new(argument));
            return Ok(Self::of_path(Path::new(argument)));
        }
        let mut discoveries = context.each_store(|context| context.store.discover());
        let joined = context.store.are_several().then(|| joined(&discoveries));
        let all = joined.as_ref().unwrap_or(&discoveries[0]);
        let here = context.current_dir_text();
        let path = match context.store.find(argument, all, here.as_deref()) {
            Ok(SessionMatch::Path(path)) => {
                context.store.select_for(&path);
                context.name_session(&path);
                return Ok(Self::of_path(&path));
            }
            Ok(found) => found.path().to_path_buf(),
            Err(error) => return Err(not_resolved(context, error, all)),
        };
        // From here on the command is about the store that the session is in.
        context.store.select_for(&path);
        context.name_session(&path);
        let discovery = Some(Arc::new(discoveries.swap_remove(context.store.in_use())));
        Ok(Self { key: key_of(&path), path, discovery, unpacked: None })
    }

    /// Finds a session to change: a path may name any file, and only sessions are changed.
    pub(crate) fn find_to_change(context: &Context, argument: &str) -> Result<Self, Fault> {
        let found = Self::find(context, argument)?;
        context.check_same_store(&found.path)?;
        if is_session_file(&found.path)? {
            return Ok(found);
        }
        Err(Fault::usage(format!("{}: not a session", found.path.display())).hint("nothing was changed"))
    }

    /// Finds a session, and if the store has no such session, looks in the vault: for commands that only read.
    pub(crate) fn find_or_unpack(context: &Context, argument: &str) -> Result<Self, Fault> {
        match Self::find(context, argument) {
            Err(fault) if fault.is_nothing_found() => match Self::find_agent(context, argument)? {
                Some(agent) => Ok(agent),
                None => Self::unpack(context, argument, fault),
            },
            found => found,
        }
    }

    fn unpack(context: &Context, argument: &str, fault: Fault) -> Result<Self, Fault> {
        let mut found = Vec::new();
        for unpacked in context.each_store(|context| vault::unpack_deleted(context, argument)) {
            found.extend(unpacked?);
        }
        if found.len() > 1 {
            let fault = Fault::usage(format!("the vault has {argument:?} of {} stores", found.len()));
            return Err(found.iter().fold(fault, |fault, (_, version)| {
                fault.hint(format!("--config-dir {}", one_line(&version.store.to_string_lossy())))
            }));
        }
        let Some((unpacked, version)) = found.pop() else { return Err(fault) };
        context.store.select_for(&version.path());
        let path = unpacked.path().join(&version.file);
        let discovery = Some(Arc::new(Store::open(unpacked.path()).discover()));
        let unpacked = Some((Arc::new(unpacked), version.store));
        Ok(Self { key: key_of(&path), path, discovery, unpacked })
    }

    /// The file of the sub-agent with this id or beginning of one, with or without `agent-` before it.
    fn find_agent(context: &Context, argument: &str) -> Result<Option<Self>, Fault> {
        let id = argument.strip_prefix("agent-").unwrap_or(argument);
        let discovery = joined(&context.each_store(|context| context.store.discover()));
        let exact: Vec<_> = discovery.agents.iter().filter(|agent| agent.key == id).collect();
        let begins = |agent: &&AgentEntry| id.len() >= MIN_PREFIX && agent.key.as_str().starts_with(id);
        let named = if exact.is_empty() { discovery.agents.iter().filter(begins).collect() } else { exact };
        match named.as_slice() {
            [] => Ok(None),
            [agent] => {
                context.store.select_for(&agent.path);
                Ok(Some(Self::of_path(&agent.path)))
            }
            several => {
                let message = format!("{argument:?} matches {} files of sub-agents", several.len());
                Err(several.iter().take(10).fold(Fault::usage(message), |fault, agent| {
                    fault.hint(format!("annals show {}", one_line(&agent.path.display().to_string())))
                }))
            }
        }
    }

    /// The path to print for a file: one of the vault is read from a temporary folder.
    pub(crate) fn display_path(&self, path: &Path) -> PathBuf {
        let inside = self.unpacked.as_ref().and_then(|(folder, store)| {
            path.strip_prefix(folder.path()).ok().map(|inside| store.join(inside))
        });
        inside.unwrap_or_else(|| path.to_path_buf())
    }

    /// A file by its path, in any store or none.
    pub(crate) fn of_path(path: &Path) -> Self {
        Self { path: path.to_path_buf(), key: key_of(path), discovery: None, unpacked: None }
    }

    /// A session of a discovered store.
    pub(crate) fn of_entry(session: &SessionEntry, discovery: &Arc<Discovery>) -> Self {
        Self {
            path: session.path.clone(),
            key: session.key.clone(),
            discovery: Some(Arc::clone(discovery)),
            unpacked: None,
        }
    }

    /// What the file says about itself; the title as lists have it.
    pub(crate) fn summary(&self) -> Option<Summary> {
        let entry = SessionEntry::of_path(&self.path).ok()?;
        let mut summary = Summary::read(&entry).ok()?;
        let is_named = summary.title.as_ref().is_some_and(|(source, _)| *source <= TitleSource::Summary);
        if let Some(discovery) = self.discovery.as_ref().filter(|_| !is_named) {
            let store = Store::open(ConfigDir::containing(&self.path)?.path());
            let listed = store.summary_in_project(&entry, discovery);
            summary.title = listed.and_then(|listed| listed.title).or(summary.title);
        }
        Some(summary)
    }

    /// Reads the whole file.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Fault> {
        Ok(read_file(&self.path)?)
    }

    /// Fails if the file cannot be opened, before anything is printed.
    pub(crate) fn check_readable(&self) -> Result<(), Fault> {
        stream_lines(&self.path, |_| std::ops::ControlFlow::Break(())).map(drop).map_err(Fault::from)
    }

    /// Whether the file itself is a sub-agent's.
    pub(crate) fn is_agent_file(&self) -> bool {
        self.key.as_str().starts_with("agent-")
    }

    /// The session's sub-agents, wherever their files are.
    pub(crate) fn agent_entries(&self) -> Vec<AgentEntry> {
        let discovery = if self.is_agent_file() { None } else { self.find_discovery() };
        discovery.iter().flat_map(|discovery| discovery.agents_of(&self.key)).cloned().collect()
    }

    /// Reads the session's sub-agents; what cannot be read is left out.
    pub(crate) fn agents(&self) -> Vec<AgentFile> {
        self.agents_by(&mut read_file)
    }

    /// The same, with the bytes that `read` makes of each file.
    pub(crate) fn agents_by(
        &self,
        read: &mut dyn FnMut(&Path) -> Result<Vec<u8>, ReadError>,
    ) -> Vec<AgentFile> {
        let read = |file: AgentFile| Some(AgentFile { bytes: read(&file.entry.path).ok()?, ..file });
        AgentFile::unread(self.agent_entries()).into_iter().filter_map(read).collect()
    }

    /// In a store the files of sub-agents may be in another project; elsewhere only nearby files are searched.
    fn find_discovery(&self) -> Option<Arc<Discovery>> {
        match (&self.discovery, ConfigDir::containing(&self.path)) {
            (Some(discovery), _) => Some(Arc::clone(discovery)),
            (None, Some(config_dir)) => Some(Arc::new(Store::open(config_dir.path()).discover())),
            (None, None) => Discovery::near(&self.path).ok().map(Arc::new),
        }
    }

    /// How another command names it: by its id in the store, else by its path.
    pub(crate) fn argument(&self) -> String {
        match self.discovery.is_some() && self.unpacked.is_none() {
            true => self.key.as_str().to_owned(),
            false => self.display_path(&self.path).display().to_string(),
        }
    }
}

/// What several stores hold, to look a name up in all of them.
fn joined(discoveries: &[Discovery]) -> Discovery {
    let mut all = discoveries[0].clone();
    discoveries[1..].iter().for_each(|discovery| all.extend(discovery.clone()));
    all
}

fn key_of(path: &Path) -> SessionKey {
    SessionKey::new(path.file_stem().unwrap_or_default().to_string_lossy())
}

/// Explains why no session was found; it may be in a folder that cannot be read.
fn not_resolved(context: &Context, error: FindError<'_>, discovery: &Discovery) -> Fault {
    let is_found = matches!(error, FindError::Ambiguous { .. } | FindError::TooShort { .. });
    let fault = fault(context, error);
    match discovery.problems.first() {
        Some(problem) if !is_found => {
            let reason = problem.problem.detail.clone().unwrap_or_default();
            fault.hint(format!("could not read {}: {reason}", problem.path.display()))
        }
        _ => fault,
    }
}

fn fault(context: &Context, error: FindError<'_>) -> Fault {
    let message = error.to_string();
    match error {
        FindError::Ambiguous { candidates, .. } => {
            let mut hints: Vec<_> = candidates.iter().map(|session| candidate(session, context)).collect();
            hints.sort_by_key(|(active, _)| std::cmp::Reverse(*active));
            hints.into_iter().take(10).fold(Fault::usage(message), |fault, (_, hint)| fault.hint(hint))
        }
        FindError::TooShort { .. } => Fault::usage(message),
        FindError::NotFound { .. } => {
            Fault::nothing_found(message).hint("annals ls --all lists every session")
        }
        FindError::NoSessions => Fault::nothing_found(message)
            .hint("annals demo --out DIR writes a made-up store; read it with --config-dir DIR"),
        _ => Fault::usage(message),
    }
}

/// When a session that may be meant was last active, as the lists have it, and a line that tells it from others.
fn candidate(session: &SessionEntry, context: &Context) -> (Option<i64>, String) {
    let summary = Summary::read(session).ok();
    let title = summary.as_ref().and_then(Summary::display_title).unwrap_or_default();
    let active = summary.as_ref().and_then(Summary::last_activity).or(session.modified);
    let when = active.map(|millis| words::moment(millis, &context.zone)).unwrap_or_default();
    // Copies of a session differ by their place alone.
    let store = context.store.name_of(&session.path);
    let store = store.map(|store| format!("  --config-dir {}", one_line(&store))).unwrap_or_default();
    (active, format!("{}  {when}{store}  {}", session.key, one_line(title)))
}

/// A session and its sub-agents, parsed, each linked to the call that started it.
pub(crate) struct SessionWithAgents<'a> {
    pub(crate) main: Transcript<'a>,
    /// The sub-agents: file, transcript and link.
    pub(crate) agents: Vec<(&'a AgentFile, Transcript<'a>, AgentLink)>,
    calls: AgentCalls,
}

impl<'a> SessionWithAgents<'a> {
    pub(crate) fn new(bytes: &'a [u8], files: &'a [AgentFile]) -> Self {
        let main = parallel::parse(bytes);
        let transcripts: Vec<_> = files.iter().map(|file| Transcript::parse(&file.bytes)).collect();
        let mut calls = AgentCalls::default();
        // Without sub-agents nobody asks which call started which.
        if !files.is_empty() {
            calls.add(None, &main);
        }
        for (index, transcript) in transcripts.iter().enumerate() {
            calls.add(Some(index), transcript);
        }
        let details: Vec<_> = files.iter().map(|file| file.details.clone()).collect();
        let links = calls.link(&details);
        let agents =
            files.iter().zip(transcripts).zip(links).map(|((file, said), link)| (file, said, link)).collect();
        Self { main, agents, calls }
    }

    /// The call that started an agent, and the agent that made the call.
    pub(crate) fn spawn_of(&self, link: &AgentLink) -> Option<(Option<usize>, &Spawn)> {
        self.calls.call(link)
    }
}
