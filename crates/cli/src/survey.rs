//! One pass over the whole store: every session summarised exactly, every response counted once.

use std::collections::HashMap;

use annals_store::{AgentEntry, Discovery, FileProblem, FullSummary, SessionEntry, Store};
use annals_transcript::price::Prices;
use annals_transcript::usage::{Ledger, UsageRow};

/// What the pass found.
pub(crate) struct Survey {
    /// What is in the store.
    pub(crate) discovery: Discovery,
    /// Every session that could be read, in the order of the discovery.
    pub(crate) sessions: Vec<Surveyed>,
    /// Every response of the store, once.
    pub(crate) ledger: Ledger,
    /// What could not be read.
    pub(crate) problems: Vec<FileProblem>,
    owners: Vec<Option<usize>>,
}

/// A session with its sub-agents.
pub(crate) struct Surveyed {
    /// What its file says.
    pub(crate) full: FullSummary,
    /// How many sub-agents it has.
    pub(crate) sub_agents: usize,
    /// What it and its sub-agents used; a response that a fork copied counts where it appeared first.
    pub(crate) usage: UsageRow,
}

impl Survey {
    /// Reads everything, on every core.
    pub(crate) fn of(store: &Store, prices: &Prices) -> Self {
        let discovery = store.discover();
        let entries: Vec<&SessionEntry> = discovery.sessions.iter().collect();
        let (summaries, mut problems) = store.full_summaries(&entries);
        let agents: Vec<SessionEntry> = discovery.agents.iter().map(AgentEntry::as_session).collect();
        let (agent_summaries, more) = store.full_summaries(&agents.iter().collect::<Vec<_>>());
        problems.extend(more);
        problems.extend(discovery.problems.iter().cloned());

        let mut ledger = Ledger::new();
        let mut owners = Vec::new();
        let mut sessions = Vec::new();
        for mut full in summaries {
            ledger.add_file(owners.len() as u32, std::mem::take(&mut full.responses));
            owners.push(Some(sessions.len()));
            let usage = UsageRow::new(full.summary.session.as_str());
            sessions.push(Surveyed { full, sub_agents: 0, usage });
        }
        let places: HashMap<_, _> = sessions
            .iter()
            .enumerate()
            .map(|(at, session)| (session.full.summary.session.clone(), at))
            .collect();
        let owners_of_agents: HashMap<_, _> = discovery
            .agents
            .iter()
            .filter_map(|agent| Some((agent.path.clone(), *places.get(agent.session.as_ref()?)?)))
            .collect();
        for full in agent_summaries {
            let owner = owners_of_agents.get(&full.summary.path).copied();
            if let Some(owner) = owner {
                sessions[owner].sub_agents += 1;
            }
            ledger.add_file(owners.len() as u32, full.responses);
            owners.push(owner);
        }
        let mut survey = Self { discovery, sessions, ledger, problems, owners };
        survey.account(prices);
        survey
    }

    fn account(&mut self, prices: &Prices) {
        let Self { sessions, ledger, owners, .. } = self;
        for (file, charge) in ledger.charges() {
            if let Some(owner) = owners.get(file as usize).copied().flatten() {
                sessions[owner].usage.add(&charge, prices);
            }
        }
    }
}
