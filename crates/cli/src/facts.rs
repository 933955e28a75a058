//! What is known about a session as a whole: what stands above a conversation, on a terminal and on an exported page.

use std::collections::BTreeSet;

use annals_store::Summary;
use annals_transcript::activity::{Activity, ActivityWindow, FileActivity};
use annals_transcript::price::Prices;
use annals_transcript::usage::{FileIndex, UsageLedger, UsageRow, group, responses_usage};
use annals_ui::figures;

use crate::context::Context;
use crate::indexed;
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
    /// The same without responses that were copied from another session.
    originals: UsageRow,
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
        let (mut ledger, mut originals) = (UsageLedger::new(), UsageLedger::new());
        let mut activity = Activity::default();
        let transcripts = std::iter::once(&family.main).chain(family.agents.iter().map(|(_, said, _)| said));
        for (at, transcript) in transcripts.enumerate() {
            let responses = responses_usage(transcript);
            originals.add_file(FileIndex::new(at), responses.iter().filter(|own| !own.is_copy).cloned());
            ledger.add_file(FileIndex::new(at), responses);
            // The prompts of sub-agents are not those of a person.
            let own = FileActivity::of(transcript);
            activity.add(&if at == 0 { own } else { own.without_turns() }, &WholeSession);
        }
        let total = |ledger: &UsageLedger| group(ledger.charges(), prices, |_, _| Some(String::new())).total;
        let (usage, originals) = (total(&ledger), total(&originals));
        let agents = family.agents.len() as u64;
        Self { usage, originals, activity, agents, has_records: family.main.indices().next().is_some() }
    }
}

impl SessionFacts {
    /// What the file says about itself. It is read line by line: best done before the whole file is in memory.
    pub(crate) fn summary(target: &ResolvedSession) -> Option<Summary> {
        target.summary()
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
        let SessionTotals { usage, originals, activity, agents, has_records } = totals;
        let by_index = usage_by_index(target, context);
        let own = by_index.as_ref().unwrap_or(originals);
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
            cost: cost(own, usage),
            changed_files: activity.files.values().filter(|access| access.changes > 0).count() as u64,
            agents: *agents,
            is_described: summary.is_some() && *has_records,
        }
    }
}

/// What counts for a session of the store by the index, if there is one: without responses that count for another session.
fn usage_by_index(target: &ResolvedSession, context: &Context) -> Option<UsageRow> {
    let is_listed = target.argument() == target.key.as_str();
    if !is_listed || !indexed::exists(context) {
        return None;
    }
    let ((sources, items), _) = indexed::query_complete(context, |index| index.usage()).ok()??;
    let is_own = |file: FileIndex| {
        sources.get(file.get()).is_some_and(|source| *source.session == *target.key.as_str())
    };
    let mut usage = UsageRow::default();
    items.iter().filter(|item| is_own(item.file)).for_each(|item| usage.add_item(item));
    Some(usage)
}

/// What the session cost, as `annals ls` has it, and what it shares with the sessions that it was copied from or to.
fn cost(own: &UsageRow, all: &UsageRow) -> String {
    let shared = all.cost.dollars() - own.cost.dollars();
    if shared < 0.005 {
        return words::cost(if shared < 0.0 { own } else { all });
    }
    format!("{} and {} shared with other sessions", words::cost(own), words::dollars(shared))
}
