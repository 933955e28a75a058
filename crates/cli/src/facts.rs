//! What is known about a session as a whole: what stands above a conversation, on a terminal and on an exported page.

use std::collections::BTreeSet;

use annals_store::{SessionEntry, Summary};
use annals_transcript::activity::{Activity, ActivityWindow, FileActivity};
use annals_transcript::price::Prices;
use annals_transcript::usage::{FileIndex, UsageLedger, UsageRow, group, responses_usage};
use annals_ui::figures;

use crate::context::Context;
use crate::session::{ResolvedSession, SessionWithAgents};
use crate::words;

/// What is known about a session; what the file does not say is empty.
pub(crate) struct SessionFacts {
    pub(crate) title: String,
    pub(crate) id: String,
    pub(crate) project: String,
    pub(crate) branch: String,
    /// The session that it was forked from.
    pub(crate) origin: String,
    /// The first and the last activity; a time that no calendar has is empty.
    pub(crate) first: String,
    pub(crate) last: String,
    pub(crate) models: Vec<String>,
    pub(crate) turns: u64,
    pub(crate) cost: String,
    /// How many files it changed.
    pub(crate) changed_files: u64,
    pub(crate) agents: u64,
    /// Whether the file says anything about itself.
    pub(crate) is_described: bool,
}

/// What is counted over all records of a session and its sub-agents.
pub(crate) struct SessionTotals {
    usage: UsageRow,
    activity: Activity,
    agents: u64,
    has_records: bool,
}

/// Everything counts.
struct WholeSession;

impl ActivityWindow for WholeSession {
    fn keeps(&self, _millis: Option<i64>) -> bool {
        true
    }

    fn local(&self, millis: i64) -> i64 {
        millis
    }
}

impl SessionTotals {
    /// Counts; no context is needed, so that another thread can do it.
    pub(crate) fn of(family: &SessionWithAgents<'_>, prices: &Prices) -> Self {
        let mut ledger = UsageLedger::new();
        let mut activity = Activity::default();
        let transcripts = std::iter::once(&family.main).chain(family.agents.iter().map(|(_, said, _)| said));
        for (at, transcript) in transcripts.enumerate() {
            ledger.add_file(FileIndex::new(at), responses_usage(transcript));
            // The prompts of sub-agents are not those of a person.
            let own = FileActivity::of(transcript);
            activity.add(&if at == 0 { own } else { own.without_turns() }, &WholeSession);
        }
        let usage = group(ledger.charges(), prices, |_, _| Some(String::new())).total;
        let agents = family.agents.len() as u64;
        Self { usage, activity, agents, has_records: family.main.indices().next().is_some() }
    }
}

impl SessionFacts {
    /// What the file says about itself. It is read line by line: best done before the whole file is in memory.
    pub(crate) fn summary(target: &ResolvedSession) -> Option<Summary> {
        SessionEntry::of_path(&target.path).and_then(|entry| Summary::read(&entry)).ok()
    }

    /// Gathers them from a session and its sub-agents.
    pub(crate) fn of(
        target: &ResolvedSession,
        summary: Option<&Summary>,
        family: &SessionWithAgents<'_>,
        context: &Context,
    ) -> Self {
        Self::with_totals(target, summary, &SessionTotals::of(family, &context.prices), context)
    }

    /// The same, from what was counted before.
    pub(crate) fn with_totals(
        target: &ResolvedSession,
        summary: Option<&Summary>,
        totals: &SessionTotals,
        context: &Context,
    ) -> Self {
        let SessionTotals { usage, activity, agents, has_records } = totals;
        let models: BTreeSet<&str> = usage.models.iter().map(|model| figures::model(model)).collect();
        let moment = |millis: Option<i64>| {
            millis.map(|millis| words::moment(millis, &context.zone)).unwrap_or_default()
        };
        let said = |of: fn(&Summary) -> Option<String>| summary.and_then(of).unwrap_or_default();
        let title = summary.and_then(|summary| summary.display_title());
        Self {
            title: title.map_or_else(|| target.key.to_string(), annals_ui::one_line),
            id: target.key.to_string(),
            project: said(|summary| summary.project.as_ref().map(|project| project.path.clone())),
            branch: said(|summary| summary.git_branch.clone().filter(|branch| branch != "HEAD")),
            origin: said(|summary| summary.forked_from.as_ref().map(ToString::to_string)),
            first: moment(summary.and_then(|summary| summary.created_millis)),
            last: moment(summary.and_then(Summary::last_activity)),
            models: models.into_iter().map(str::to_owned).collect(),
            turns: activity.turns,
            cost: words::dollars(usage.cost.dollars()),
            changed_files: activity.files.values().filter(|access| access.changes > 0).count() as u64,
            agents: *agents,
            is_described: summary.is_some() && *has_records,
        }
    }
}
