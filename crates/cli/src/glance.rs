//! The store at a glance: what sessions are called from the ends of their files, what was spent from the index. Whole files are
//! read only for what is shown. Where there is no index, a [`Survey`](crate::survey::Survey) says the same and takes longer.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use annals_index::Index;
use annals_store::{Discovery, FileProblem, SessionEntry, Summary};
use annals_transcript::problem::{ProblemKind, Severity};
use annals_transcript::usage::{UsageItem, UsageRow};

use crate::context::Context;
use crate::indexed;
use crate::survey::Surveyed;

/// What is known without reading everything.
pub(crate) struct Glance {
    /// What is in the store.
    pub(crate) discovery: Discovery,
    /// Every session, by the ends of its file.
    pub(crate) summaries: Vec<Summary>,
    /// What was spent, also by files that are gone.
    pub(crate) items: Vec<UsageItem>,
    /// What could not be read.
    pub(crate) unread: usize,
    usage: HashMap<String, UsageRow>,
    sub_agents: HashMap<String, usize>,
    irregular: HashMap<PathBuf, BTreeSet<ProblemKind>>,
}

impl Glance {
    /// Looks, where there is an index; it is brought up to date first. One is not made for this: that takes longer than the answer.
    pub(crate) fn of(context: &Context) -> Option<Self> {
        let discovery = context.store.discover();
        // Copies of a session have one id, and each has its own sums: only their files tell which is whose.
        let ids: HashSet<_> = discovery.sessions.iter().map(|session| &session.key).collect();
        if ids.len() < discovery.sessions.len() || !indexed::is_there(context) {
            return None;
        }
        let question = |index: &Index| Ok((index.usage()?, index.irregular_sessions()?));
        let (((sources, items), irregular), refreshed) = indexed::ask_whole(context, question).ok()??;
        let (summaries, problems) = context.store.summaries(&discovery);
        let mut usage: HashMap<String, UsageRow> = HashMap::new();
        for item in &items {
            if let Some(source) = sources.get(item.file as usize) {
                usage.entry(source.session.to_string()).or_default().add_item(item);
            }
        }
        let mut sub_agents = HashMap::new();
        for session in discovery.agents.iter().filter_map(|agent| agent.session.as_ref()) {
            *sub_agents.entry(session.as_str().to_owned()).or_default() += 1;
        }
        let unread: HashSet<PathBuf> =
            paths(&problems).chain(refreshed.unread.iter().map(|error| error.problem().path)).collect();
        let unread = unread.len() + discovery.problems.len();
        Some(Self { discovery, summaries, items, unread, usage, sub_agents, irregular })
    }

    /// What a session and its sub-agents used; a response that a fork copied counts where it appeared first.
    pub(crate) fn usage(&self, summary: &Summary) -> UsageRow {
        self.usage.get(summary.session.as_str()).cloned().unwrap_or_default()
    }

    /// Whether a line of a session is damaged or cannot be read.
    pub(crate) fn is_damaged(&self, summary: &Summary) -> bool {
        let kinds = self.irregular.get(&summary.path);
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind.severity() >= Severity::Warning))
    }

    /// These sessions, read whole.
    pub(crate) fn read(&self, summaries: &[&Summary], context: &Context) -> Vec<Surveyed> {
        let entries: HashMap<_, &SessionEntry> =
            self.discovery.sessions.iter().map(|session| (&session.path, session)).collect();
        let wanted: Vec<_> =
            summaries.iter().filter_map(|summary| entries.get(&summary.path).copied()).collect();
        let (read, _) = context.store.full_summaries(&wanted);
        let surveyed = read.into_iter().map(|full| {
            let sub_agents = self.sub_agents.get(full.summary.session.as_str()).copied().unwrap_or_default();
            Surveyed { usage: self.usage(&full.summary), sub_agents, full }
        });
        surveyed.collect()
    }
}

fn paths(problems: &[FileProblem]) -> impl Iterator<Item = PathBuf> {
    problems.iter().map(|problem| problem.path.clone())
}
