//! An overview of the store by the index: titles from the ends of files, usage from the index. Whole files are read only for
//! what is shown. Without an index, a [`FullOverview`](crate::full_overview::FullOverview) has the same, more slowly.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use annals_index::Index;
use annals_store::{Discovery, FileProblem, SessionEntry, Summary};
use annals_transcript::problem::{ProblemKind, Severity};
use annals_transcript::usage::{UsageItem, UsageRow};

use crate::context::Context;
use crate::full_overview::SessionOverview;
use crate::indexed;
use crate::uncounted::UncountedUsage;

/// The overview of a store, without reading all files.
pub(crate) struct IndexedOverview {
    pub(crate) discovery: Discovery,
    /// Every session, summarized from the ends of its file.
    pub(crate) summaries: Vec<Summary>,
    /// Usage, including that of deleted files.
    pub(crate) items: Vec<UsageItem>,
    /// What is known of deleted sub-agents, and not in the items.
    pub(crate) uncounted: UncountedUsage,
    /// How many files could not be read.
    pub(crate) unread: usize,
    usage: HashMap<String, UsageRow>,
    sub_agents: HashMap<String, usize>,
    problem_kinds: HashMap<PathBuf, BTreeSet<ProblemKind>>,
}

impl IndexedOverview {
    /// Reads it, if there is an index, which is brought up to date first. An index is not built for this: that takes too long.
    pub(crate) fn of(context: &Context) -> Option<Self> {
        let discovery = context.discover_all();
        // Copies of a session share an id, but have separate sums that only the files tell apart.
        let ids: HashSet<_> = discovery.sessions.iter().map(|session| &session.key).collect();
        if ids.len() < discovery.sessions.len()
            || !context.each_store(indexed::exists).into_iter().all(|is| is)
        {
            return None;
        }
        let question =
            |index: &Index| Ok((index.usage()?, index.irregular_sessions()?, index.agents_without_file()?));
        let mut usage: HashMap<String, UsageRow> = HashMap::new();
        let (mut items, mut problem_kinds, mut missing) = (Vec::new(), HashMap::new(), BTreeMap::new());
        let mut unread: HashSet<PathBuf> = HashSet::new();
        for answer in context.each_store(|context| indexed::query_complete(context, question)) {
            let (((sources, more), kinds, without_file), refreshed) = answer.ok()??;
            for item in &more {
                if let Some(source) = sources.get(item.file.get()) {
                    usage.entry(source.session.to_string()).or_default().add_item(item);
                }
            }
            items.extend(more);
            problem_kinds.extend(kinds);
            missing.extend(without_file);
            unread.extend(refreshed.missing().map(|problem| problem.path));
        }
        let uncounted = UncountedUsage::of_index(&missing, context);
        let (summaries, problems) = context.store.summaries(&discovery);
        let mut sub_agents = HashMap::new();
        for session in discovery.agents.iter().filter_map(|agent| agent.session.as_ref()) {
            *sub_agents.entry(session.as_str().to_owned()).or_default() += 1;
        }
        unread.extend(paths(&problems).chain(paths(&discovery.problems)));
        let unread = unread.len();
        context.note_unread(problems);
        Some(Self { discovery, summaries, items, uncounted, unread, usage, sub_agents, problem_kinds })
    }

    /// The usage of a session and its sub-agents; a response that a fork copied counts where it appeared first.
    pub(crate) fn usage(&self, summary: &Summary) -> UsageRow {
        self.usage.get(summary.session.as_str()).cloned().unwrap_or_default()
    }

    /// Whether a session has a damaged line.
    pub(crate) fn is_damaged(&self, summary: &Summary) -> bool {
        let kinds = self.problem_kinds.get(&summary.path);
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind.severity() >= Severity::Warning))
    }

    /// Reads these sessions in full.
    pub(crate) fn read(&self, summaries: &[&Summary], context: &Context) -> Vec<SessionOverview> {
        let entries: HashMap<_, &SessionEntry> =
            self.discovery.sessions.iter().map(|session| (&session.path, session)).collect();
        let wanted: Vec<_> =
            summaries.iter().filter_map(|summary| entries.get(&summary.path).copied()).collect();
        let (read, _) = context.store.full_summaries(&wanted);
        let brief: HashMap<_, _> = summaries.iter().map(|summary| (&summary.path, summary)).collect();
        let overviews = read.into_iter().map(|mut full| {
            if let Some(brief) = brief.get(&full.summary.path) {
                full.summary.adopt(brief);
            }
            let sub_agents = self.sub_agents.get(full.summary.session.as_str()).copied().unwrap_or_default();
            SessionOverview { usage: self.usage(&full.summary), sub_agents, full }
        });
        overviews.collect()
    }
}

fn paths(problems: &[FileProblem]) -> impl Iterator<Item = PathBuf> + '_ {
    problems.iter().map(|problem| problem.path.clone())
}
