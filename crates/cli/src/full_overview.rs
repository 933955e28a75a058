//! An overview of the store by reading every file: sessions summarized in full, each response counted once.

use std::collections::HashMap;
use std::path::Path;

use annals_store::{
    AgentEntry, ConfigDir, Discovery, FileProblem, FullSummary, SessionEntry, SessionKey, Store,
};
use annals_transcript::price::Prices;
use annals_transcript::usage::{FileIndex, UsageLedger, UsageRow};

use crate::context::Context;

/// The overview of a store.
pub(crate) struct FullOverview {
    pub(crate) discovery: Discovery,
    /// Every readable session, in the order of the discovery.
    pub(crate) sessions: Vec<SessionOverview>,
    /// Every response of the store, once.
    pub(crate) ledger: UsageLedger,
    /// Files that could not be read.
    pub(crate) problems: Vec<FileProblem>,
    owners: Vec<Option<usize>>,
}

pub(crate) struct SessionOverview {
    pub(crate) full: FullSummary,
    pub(crate) sub_agents: usize,
    /// Its usage with that of its sub-agents; a response that a fork copied counts where it appeared first.
    pub(crate) usage: UsageRow,
}

impl FullOverview {
    /// Reads all files of all stores, on all cores; a response that two stores have counts once.
    pub(crate) fn of_stores(context: &Context) -> Self {
        Self::of(&context.store, context.discover_all(), &context.prices)
    }

    /// Reads all files that were found, on all cores.
    pub(crate) fn of(store: &Store, discovery: Discovery, prices: &Prices) -> Self {
        let entries: Vec<&SessionEntry> = discovery.sessions.iter().collect();
        let (mut summaries, mut problems) = store.full_summaries(&entries);
        let (brief, _) = store.summaries(&discovery);
        let brief: HashMap<_, _> = brief.iter().map(|summary| (&summary.path, summary)).collect();
        for full in &mut summaries {
            if let Some(brief) = brief.get(&full.summary.path) {
                full.summary.adopt(brief);
            }
        }
        let agents: Vec<SessionEntry> = discovery.agents.iter().map(AgentEntry::as_session).collect();
        let (agent_summaries, more) = store.full_summaries(&agents.iter().collect::<Vec<_>>());
        problems.extend(more);
        problems.extend(discovery.problems.iter().cloned());

        let mut ledger = UsageLedger::new();
        let mut owners = Vec::new();
        let mut sessions = Vec::new();
        for mut full in summaries {
            ledger.add_file(FileIndex::new(owners.len()), std::mem::take(&mut full.responses));
            owners.push(Some(sessions.len()));
            let usage = UsageRow::new(full.summary.session.as_str());
            sessions.push(SessionOverview { full, sub_agents: 0, usage });
        }
        let positions: HashMap<_, _> = sessions
            .iter()
            .enumerate()
            .map(|(at, session)| (owner(&session.full.summary.path, &session.full.summary.session), at))
            .collect();
        let owners_of_agents: HashMap<_, _> = discovery
            .agents
            .iter()
            .filter_map(|agent| {
                let owner = owner(&agent.path, agent.session.as_ref()?);
                Some((agent.path.clone(), *positions.get(&owner)?))
            })
            .collect();
        for full in agent_summaries {
            let owner = owners_of_agents.get(&full.summary.path).copied();
            if let Some(owner) = owner {
                sessions[owner].sub_agents += 1;
            }
            ledger.add_file(FileIndex::new(owners.len()), full.responses);
            owners.push(owner);
        }
        let mut overview = Self { discovery, sessions, ledger, problems, owners };
        overview.add_usage(prices);
        overview
    }

    fn add_usage(&mut self, prices: &Prices) {
        let Self { sessions, ledger, owners, .. } = self;
        for (file, charge) in ledger.charges() {
            if let Some(owner) = owners.get(file.get()).copied().flatten() {
                sessions[owner].usage.add(&charge, prices);
            }
        }
    }
}

/// A session and its store: two stores may hold a session of the same id, each with its sub-agents.
fn owner(file: &Path, session: &SessionKey) -> (Option<ConfigDir>, SessionKey) {
    (ConfigDir::containing(file), session.clone())
}
