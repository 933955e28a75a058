//! Finds leftovers by kind; whether another session refers to them is checked afterwards.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use annals_store::agents::is_warm_up;
use annals_store::busy::is_client_alive;
use annals_store::files::is_left_over;
use annals_store::read::ReadError;
use annals_store::running::running;
use annals_store::source::is_uuid;
use annals_store::{
    AgentEntry, Discovery, FileRole, JsonFile, SessionEntry, SessionKey, SideFile, Store, Summary, parallel,
    sessions_index,
};

use super::{GcOptions, Leftover, LeftoverKind, SkippedLeftover};
use crate::prompts::pastes_named;

#[derive(Debug, Default)]
pub(super) struct GcFindings {
    pub(super) leftovers: Vec<Leftover>,
    pub(super) skipped: Vec<SkippedLeftover>,
}

/// Larger files did more than warm up the cache.
const MAX_WARM_UP_BYTES: u64 = 128 * 1024;

/// File endings of backups that people and programs make.
const BACKUP_ENDINGS: [&str; 3] = [".backup", ".bak", ".corrupted"];

/// Searches the whole store.
pub(super) fn leftovers(discovery: &Discovery, options: &GcOptions) -> Result<GcFindings, ReadError> {
    let mut search = LeftoverSearch::new(discovery, options);
    search.sessions();
    search.agents();
    for file in &discovery.side_files {
        search.side_file(file);
    }
    search.pastes()?;
    for (kind, folder) in [(LeftoverKind::Debug, "debug"), (LeftoverKind::ShellSnapshots, "shell-snapshots")]
    {
        if options.wants(kind) {
            let files = Store::open(discovery.config_dir.path()).files_in(folder);
            let is_of_running = |file: &SideFile| {
                let stem = file.path.file_stem().unwrap_or_default().to_string_lossy();
                search.shown.contains(&SessionKey::new(stem))
            };
            let files: Vec<_> = files.into_iter().filter(|file| !is_of_running(file)).collect();
            files.iter().for_each(|file| search.add(kind, &file.path, file.bytes, file.modified));
        }
    }
    Ok(search.found)
}

struct LeftoverSearch<'d> {
    discovery: &'d Discovery,
    options: &'d GcOptions,
    found: GcFindings,
    /// Sessions that are open in a running client.
    shown: HashSet<SessionKey>,
    /// Sessions that an index lists, whether their files exist or not.
    listed: HashSet<SessionKey>,
    /// Sessions whose file stays.
    staying: HashSet<&'d SessionKey>,
    /// When any file of a session was last written.
    newest: HashMap<&'d SessionKey, i64>,
}

impl<'d> LeftoverSearch<'d> {
    fn new(discovery: &'d Discovery, options: &'d GcOptions) -> Self {
        let (clients, _) = running(discovery);
        let shown = clients.iter().filter(|client| is_client_alive(client.pid));
        let shown = shown.filter_map(|file| Some(SessionKey::new(file.client().ok()?.session()?.decode())));
        let mut newest: HashMap<&SessionKey, i64> = HashMap::new();
        let sides =
            discovery.side_files.iter().filter_map(|file| Some((file.role.session()?, file.modified)));
        let agents =
            discovery.agents.iter().filter_map(|agent| Some((agent.session.as_ref()?, agent.modified)));
        for (session, modified) in sides.chain(agents) {
            let at = newest.entry(session).or_insert(i64::MIN);
            // A file without a time may be new.
            *at = (*at).max(modified.unwrap_or(i64::MAX));
        }
        Self {
            shown: shown.collect(),
            listed: listed(discovery),
            staying: discovery.sessions.iter().map(|session| &session.key).collect(),
            found: GcFindings::default(),
            newest,
            discovery,
            options,
        }
    }

    /// Adds a leftover that is old enough and requested.
    fn add(&mut self, kind: LeftoverKind, path: &Path, bytes: u64, modified: Option<i64>) {
        if self.options.wants(kind) && modified.is_some_and(|at| at < self.options.cutoff) {
            self.found.leftovers.push(Leftover { kind, path: path.to_path_buf(), bytes, modified });
        }
    }

    fn skip(&mut self, kind: LeftoverKind, path: &Path, why: impl Into<String>) {
        if self.options.wants(kind) {
            self.found.skipped.push(SkippedLeftover { kind, path: path.to_path_buf(), why: why.into() });
        }
    }

    /// Finds empty sessions and warm-ups; the side files of those that go are leftovers, too.
    fn sessions(&mut self) {
        let kinds = parallel::map(&self.discovery.sessions, kind_of);
        let mut going: HashSet<&Path> = HashSet::new();
        for (session, kind) in self.discovery.sessions.iter().zip(kinds) {
            let Some(kind) = kind else { continue };
            if self.shown.contains(&session.key) {
                continue;
            }
            if self.listed.contains(&session.key) {
                self.skip(kind, &session.path, "an index lists it");
            } else if let Some(what) = self.content_of(session) {
                self.skip(kind, &session.path, format!("it has {what}"));
            } else {
                let before = self.found.leftovers.len();
                self.add(kind, &session.path, session.bytes, session.modified);
                if self.found.leftovers.len() > before {
                    going.insert(&session.path);
                }
            }
        }
        let stays = self.discovery.sessions.iter().filter(|session| !going.contains(session.path.as_path()));
        self.staying = stays.map(|session| &session.key).collect();
    }

    /// What a session without a conversation has that is worth keeping.
    fn content_of(&self, session: &SessionEntry) -> Option<&'static str> {
        if self.discovery.sessions_named(&session.key).count() > 1 {
            return None;
        }
        let is_real = |agent: &AgentEntry| agent.bytes > 0 && !is_warm_up(agent);
        if self.discovery.agents_of(&session.key).any(is_real) {
            return Some("sub-agents");
        }
        self.discovery.side_files_of(&session.key).find_map(|file| match file.role {
            FileRole::ToolResult { .. } | FileRole::Workflow { .. } | FileRole::WorkflowJournal { .. } => {
                Some("outputs")
            }
            FileRole::FileHistory { .. } => Some("copies of files"),
            FileRole::Task { .. } => Some("tasks"),
            FileRole::ImageCache { .. } => Some("images"),
            FileRole::CustomTitleFile { .. } => Some("a title"),
            // An empty list is `[]`.
            FileRole::Todos { .. } if file.bytes > 2 => Some("todos"),
            _ => None,
        })
    }

    fn agents(&mut self) {
        let warm_ups = parallel::map(&self.discovery.agents, is_warm_up);
        for (agent, is_warm_up) in self.discovery.agents.iter().zip(warm_ups) {
            if agent.session.as_ref().is_some_and(|session| self.shown.contains(session)) {
                continue;
            }
            let kind = match (&agent.session, is_warm_up) {
                (_, true) => LeftoverKind::WarmUp,
                _ if agent.bytes == 0 => LeftoverKind::Empty,
                (Some(session), _) if self.staying.contains(session) => continue,
                (Some(_), _) => LeftoverKind::SubAgents,
                (None, _) => {
                    self.skip(LeftoverKind::SubAgents, &agent.path, "it names no session");
                    continue;
                }
            };
            if kind == LeftoverKind::SubAgents
                && !self.is_abandoned(agent.session.as_ref(), kind, &agent.path)
            {
                continue;
            }
            self.add(kind, &agent.path, agent.bytes, agent.modified);
            let is_going = self.found.leftovers.last().is_some_and(|last| last.path == agent.path);
            if let Some(meta) = agent.meta.as_ref().filter(|_| is_going) {
                let file = self.discovery.side_files.iter().find(|file| &file.path == meta);
                let (bytes, modified) = file.map_or((0, None), |file| (file.bytes, file.modified));
                self.add(kind, meta, bytes, modified);
            }
        }
    }

    /// Whether a deleted session has no recent files and is in no index.
    fn is_abandoned(&mut self, session: Option<&SessionKey>, kind: LeftoverKind, path: &Path) -> bool {
        let Some(session) = session else { return false };
        if self.staying.contains(session) || self.shown.contains(session) {
            return false;
        }
        if self.listed.contains(session) {
            self.skip(kind, path, format!("an index lists session {session}"));
            return false;
        }
        self.newest.get(session).is_some_and(|at| *at < self.options.cutoff)
    }

    fn side_file(&mut self, file: &SideFile) {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if is_left_over(&name) {
            return self.add(LeftoverKind::TempFiles, &file.path, file.bytes, file.modified);
        }
        let kind = match &file.role {
            FileRole::Todos { .. } => LeftoverKind::Todos,
            // A team's list has the team's name instead of a session.
            FileRole::Task { session, .. } if is_uuid(session.as_str()) => LeftoverKind::Tasks,
            FileRole::ToolResult { .. } | FileRole::Workflow { .. } | FileRole::WorkflowJournal { .. } => {
                LeftoverKind::Outputs
            }
            FileRole::CustomTitleFile { .. } => LeftoverKind::Titles,
            FileRole::FileHistory { .. } => LeftoverKind::Copies,
            FileRole::SessionEnv { .. } => LeftoverKind::Environments,
            FileRole::ImageCache { .. } => LeftoverKind::Images,
            FileRole::RunningClient { pid } if !is_client_alive(*pid) => {
                return self.add(LeftoverKind::Clients, &file.path, file.bytes, file.modified);
            }
            FileRole::SubAgentMeta { .. } => return self.meta(file),
            FileRole::Unknown => return self.backup(file, &name),
            _ => return,
        };
        if self.is_abandoned(file.role.session(), kind, &file.path) {
            self.add(kind, &file.path, file.bytes, file.modified);
        }
    }

    /// A meta file whose sub-agent was deleted.
    fn meta(&mut self, file: &SideFile) {
        let is_of = |agent: &AgentEntry| agent.meta.as_ref() == Some(&file.path);
        let is_shown = file.role.session().is_some_and(|session| self.shown.contains(session));
        if !is_shown && !self.discovery.agents.iter().any(is_of) {
            self.add(LeftoverKind::SubAgents, &file.path, file.bytes, file.modified);
        }
    }

    /// A backup of a file beside it; if the original is gone, the backup may be the only copy.
    fn backup(&mut self, file: &SideFile, name: &str) {
        let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let stem = if stem.len() < name.len() { stem.strip_suffix('.').unwrap_or(name) } else { name };
        let Some(original) = BACKUP_ENDINGS.iter().find_map(|ending| stem.strip_suffix(ending)) else {
            return;
        };
        let is_there = |path: &Path| path.metadata().is_ok_and(|data| data.is_file() && data.len() > 0);
        if original.ends_with(".json") || original.ends_with(".jsonl") {
            match is_there(&file.path.with_file_name(original)) {
                true => self.add(LeftoverKind::Backups, &file.path, file.bytes, file.modified),
                false => {
                    self.skip(LeftoverKind::Backups, &file.path, format!("{original} itself is missing"))
                }
            }
        }
    }

    fn pastes(&mut self) -> Result<(), ReadError> {
        if !self.options.wants(LeftoverKind::Pastes) {
            return Ok(());
        }
        let config = &self.discovery.config_dir;
        let history = config.read_if_there(&config.history())?;
        let named = history.map(|history| pastes_named(&history)).unwrap_or_default();
        for file in &self.discovery.side_files {
            if matches!(&file.role, FileRole::PasteCache { hash } if !named.contains(hash)) {
                self.add(LeftoverKind::Pastes, &file.path, file.bytes, file.modified);
            }
        }
        Ok(())
    }
}

/// The kind of a session without a conversation.
fn kind_of(session: &SessionEntry) -> Option<LeftoverKind> {
    if session.bytes == 0 {
        return Some(LeftoverKind::Empty);
    }
    let is_small = session.bytes < MAX_WARM_UP_BYTES;
    let is_warm_up = is_small && Summary::read(session).is_ok_and(|summary| summary.is_warm_up);
    is_warm_up.then_some(LeftoverKind::WarmUp)
}

/// The sessions that indexes list; unreadable indexes are ignored.
fn listed(discovery: &Discovery) -> HashSet<SessionKey> {
    let mut found = HashSet::new();
    for index in discovery.sessions_indexes() {
        let Ok(file) = JsonFile::read(&index.path) else { continue };
        let (entries, _) = sessions_index::entries(&file);
        found.extend(entries.iter().filter_map(|entry| Some(SessionKey::new(entry.session()?.decode()))));
    }
    found
}
