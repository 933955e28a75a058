//! An overview of the store by reading every file: sessions summarized in full, each response counted once.

use std::collections::HashMap;

use annals_store::{AgentEntry, Discovery, FileProblem, FullSummary, SessionEntry, Store};
use annals_transcript::price::Prices;
use annals_transcript::usage::{FileIndex, UsageLedger, UsageRow};

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

/// One session in an overview.
pub(crate) struct SessionOverview {
    pub(crate) full: FullSummary,
    pub(crate) sub_agents: usize,
    /// Its usage with that of its sub-agents; a response that a fork copied counts where it appeared first.
    pub(crate) usage: UsageRow,
}

impl FullOverview {
    /// Reads all files, on all cores.
    pub(crate) fn of(store: &Store, prices: &Prices) -> Self {
        let discovery = store.discover();
        let entries: Vec<&SessionEntry> = discovery.sessions.iter().collect();
        let (summaries, mut problems) = store.full_summaries(&entries);
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
            .map(|(at, session)| (session.full.summary.session.clone(), at))
            .collect();
        let owners_of_agents: HashMap<_, _> = discovery
            .agents
            .iter()
            .filter_map(|agent| Some((agent.path.clone(), *positions.get(agent.session.as_ref()?)?)))
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
