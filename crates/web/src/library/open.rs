//! Opens sessions: the map of each is kept, its text is not.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use annals_store::read::{ReadError, read_file};
use annals_store::{AgentEntry, parallel};
use annals_transcript::usage::responses_usage;
use annals_ui::view::{ConversationMap, Item, WindowPlan};

use super::branches::SessionGraph;
use super::{AgentRef, Library, Outline};

/// Maps that are kept, whatever their size.
const MAX_OPEN: usize = 24;
/// Records of all maps that are kept, besides those of the last: 100,000 take about 30 megabytes.
const MAX_RECORDS: usize = 100_000;

/// A session that was read, without its text.
#[derive(Debug)]
pub(crate) struct OpenSession {
    pub(crate) path: PathBuf,
    pub(crate) map: ConversationMap,
    pub(crate) outline: Outline,
    pub(crate) graph: SessionGraph,
    /// Sub-agents with files of their own, by the call that started them.
    pub(crate) agents: HashMap<String, Vec<AgentRef>>,
    /// Sub-agents that no call started.
    pub(crate) loose_agents: Vec<AgentRef>,
    /// How many bytes of the file this is about.
    pub(crate) bytes: u64,
    /// Size and time of the file when it was read.
    stamp: FileStamp,
}

type FileStamp = (u64, Option<std::time::SystemTime>);

/// What is opened: a file, and the record that its branch goes through.
type OpenKey = (PathBuf, Option<String>);

/// The sessions that were opened last.
#[derive(Debug, Default)]
pub(super) struct SessionCache(VecDeque<(OpenKey, Arc<OpenSession>)>);

impl SessionCache {
    /// What is known of a file as it is now, or of its first bytes: a page keeps to what it showed first, however the file
    /// has grown.
    fn find(&mut self, key: &OpenKey, now: FileStamp, bytes: Option<u64>) -> Option<Arc<OpenSession>> {
        let is_it = |session: &OpenSession| match bytes {
            Some(bytes) => session.bytes == bytes,
            None => session.stamp == now,
        };
        let at = self.0.iter().position(|(known, session)| known == key && is_it(session))?;
        let found = self.0.remove(at)?;
        let session = Arc::clone(&found.1);
        self.0.push_front(found);
        Some(session)
    }

    /// Drops what was used least recently.
    fn shrink(&mut self) {
        let mut records = 0;
        let fitting = self.0.iter().take_while(|(_, session)| {
            records += session.map.record_count();
            records <= MAX_RECORDS
        });
        let fitting = fitting.count();
        self.0.truncate(fitting.clamp(1, MAX_OPEN));
    }
}

fn stamp(path: &Path) -> FileStamp {
    std::fs::metadata(path).map_or((0, None), |metadata| (metadata.len(), metadata.modified().ok()))
}

impl OpenSession {
    /// The window that shows a line, and that line.
    pub(crate) fn window_of(&self, line: u32) -> Option<(u32, u32)> {
        let shown = self.outline.places.iter().find(|(at, _)| *at == line).copied();
        let has = |window: &&WindowPlan| window.records.iter().any(|record| record.line == line);
        shown.or_else(|| {
            let window = self.map.windows.iter().enumerate().find(|(_, window)| has(window));
            window.map(|(number, _)| (line, number as u32))
        })
    }
}

impl Library {
    /// Opens a file, or returns what is known of it if it has not changed.
    pub(crate) fn open(
        &self,
        path: &Path,
        agents: &[AgentEntry],
        branch: Option<&str>,
        bytes: Option<u64>,
    ) -> Result<Arc<OpenSession>, ReadError> {
        let now = stamp(path);
        let bytes = bytes.filter(|bytes| *bytes < now.0);
        let key = (path.to_path_buf(), branch.map(str::to_owned));
        let known = || self.open.lock().unwrap_or_else(PoisonError::into_inner).find(&key, now, bytes);
        if let Some(found) = known() {
            return Ok(found);
        }
        // One at a time: each holds a whole file, and several parts of a page ask for the same one.
        let _one = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known() {
            return Ok(found);
        }
        // In a thread that ends: the next takes over its memory, where threads that stay would each keep some.
        let read = || self.read(path, agents, branch, bytes, now);
        let opened = std::thread::scope(|scope| scope.spawn(read).join());
        let opened = Arc::new(opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        let mut cache = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        cache.0.push_front((key, Arc::clone(&opened)));
        cache.shrink();
        Ok(opened)
    }

    fn read(
        &self,
        path: &Path,
        agents: &[AgentEntry],
        branch: Option<&str>,
        limit: Option<u64>,
        stamp: FileStamp,
    ) -> Result<OpenSession, ReadError> {
        let mut bytes = read_file(path)?;
        bytes.truncate(limit.unwrap_or(u64::MAX).try_into().unwrap_or(usize::MAX));
        let transcript = parallel::parse(&bytes);
        let through = branch
            .and_then(|uuid| transcript.position(|node| node.uuid.is_some_and(|id| id.to_string() == uuid)));
        let found = self.sub_agents(&transcript, agents);
        let mut outline = Outline::default();
        let (used, map) = parallel::both(
            || responses_usage(&transcript),
            || {
                let mut see = |item: &Item, place| outline.see(item, place, &found.linked);
                ConversationMap::build(&transcript, through, &mut see)
            },
        );
        // The page of a sub-agent is about its own file only.
        let is_agent_file = agents.iter().any(|agent| agent.path == path);
        let others = if is_agent_file { Vec::new() } else { found.responses };
        outline.add_usage(&transcript, used, others, &self.prices);
        outline.shrink();
        let clean = |text: &str| self.clean(text).into_owned();
        if self.redaction.is_some() {
            for turn in &mut outline.turns {
                turn.opening = clean(&turn.opening);
            }
        }
        let graph = SessionGraph::build(&transcript, &outline, &clean);
        let (agents, loose_agents) = (found.linked, found.loose);
        let read = bytes.len() as u64;
        Ok(OpenSession {
            path: path.to_path_buf(),
            map,
            outline,
            graph,
            agents,
            loose_agents,
            bytes: read,
            stamp,
        })
    }
}
