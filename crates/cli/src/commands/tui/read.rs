//! What the viewer shows, from the same functions that the commands use.

use std::path::PathBuf;

use annals_index::search::{Hit, Query, SessionLimits};
use annals_store::Summary;
use annals_store::source::Clock as _;
use annals_transcript::usage::{UsageItem, UsageRow};
use annals_tui::{SearchHit, SessionNumbers, SessionRow, UsageLine, UsageReport};

use crate::commands::ls::{project_name, title};
use crate::commands::usage::items::{UsageItems, UsageOrigin};
use crate::context::Context;
use crate::error::Fault;
use crate::full_overview::{FullOverview, SessionOverview};
use crate::indexed_overview::IndexedOverview;
use crate::session::ResolvedSession;
use crate::{indexed, when, words};

/// How many sessions a search lists, and how many passages of each.
const LIMITS: SessionLimits = SessionLimits { sessions: 200, passages: 3 };

/// The sessions, newest first, from the ends of their files.
pub(super) fn rows(context: &Context) -> Vec<SessionRow> {
    let discovery = context.discover_all();
    let (mut summaries, _) = context.store.summaries(&discovery);
    summaries.retain(|summary| !summary.is_empty() && !summary.is_warm_up);
    summaries.iter().map(row).collect()
}

fn row(summary: &Summary) -> SessionRow {
    SessionRow {
        id: summary.session.to_string(),
        path: summary.path.clone(),
        title: title(summary),
        project: project_name(summary),
        folder: summary.project.as_ref().map(|project| project.path.clone()),
        branch: summary.git_branch.clone(),
        tag: summary.tag.clone(),
        first_prompt: summary.first_prompt.clone(),
        last_prompt: summary.last_prompt.clone(),
        models: summary.models.clone(),
        created: summary.created_millis,
        active: summary.last_activity(),
        bytes: summary.bytes,
        fork_of: summary.forked_from.as_ref().map(ToString::to_string),
        numbers: None,
    }
}

/// The session that an argument names.
pub(super) fn row_of(context: &Context, argument: &str) -> Result<SessionRow, Fault> {
    let session = ResolvedSession::find_to_change(context, argument)?;
    let path = std::path::absolute(&session.path).unwrap_or_else(|_| session.path.clone());
    Ok(row(&Summary::read_path(&path)?))
}

/// Turns, sub-agents and cost of every session.
pub(super) fn numbers(context: &Context) -> Vec<(PathBuf, SessionNumbers)> {
    let sessions = match IndexedOverview::of(context) {
        Some(overview) => overview.read(&overview.summaries.iter().collect::<Vec<_>>(), context),
        None => FullOverview::of_stores(context).sessions,
    };
    let numbers = |session: &SessionOverview| SessionNumbers {
        turns: session.full.turns as u64,
        agents: session.sub_agents as u64,
        cost: cost(&session.usage),
    };
    sessions.iter().map(|session| (session.full.summary.path.clone(), numbers(session))).collect()
}

/// Dollars; `None` if no model has a price.
fn cost(usage: &UsageRow) -> Option<f64> {
    let dollars = usage.cost.dollars();
    (dollars > 0.0 || usage.unpriced.is_empty()).then_some(dollars)
}

/// The best passages of the best sessions.
pub(super) fn search(text: &str, context: &Context) -> Result<Vec<SearchHit>, Fault> {
    let range = |text: &str| when::parse(text, &context.zone).ok().map(|range| range.start..range.end);
    let query = Query::parse_with(text, &range).map_err(|error| Fault::usage(error.to_string()))?;
    let now = context.source.now();
    let (found, _) =
        indexed::query(context, |index| index.search_sessions(&query, LIMITS, now, &mut |_, _| None))?;
    let mut hits = Vec::new();
    for session in found.sessions {
        let passages = session.hits.iter().chain(&session.title_hit);
        hits.extend(passages.map(|hit| search_hit(hit, session.count)));
    }
    Ok(hits)
}

fn search_hit(hit: &Hit, count: u64) -> SearchHit {
    let is_own = hit.agent.is_none() && hit.file.file_stem().is_some_and(|stem| stem == hit.session.as_str());
    SearchHit {
        session: hit.session.clone(),
        line: usize::try_from(hit.line).ok().filter(|_| is_own),
        snippet: hit.snippet.text.clone(),
        count,
    }
}

/// Usage by day, model and project.
pub(super) fn usage(context: &Context) -> UsageReport {
    let account = UsageItems::of(UsageOrigin::Index, context);
    let day = |item: &UsageItem| {
        item.millis().map_or_else(|| "(no time)".to_owned(), |millis| words::day(millis, &context.zone))
    };
    let model = |item: &UsageItem| item.model.as_deref().unwrap_or("(no model)").to_owned();
    let project = |item: &UsageItem| {
        account
            .source(item)
            .map_or_else(|| "(no project)".to_owned(), |source| source.project_name().to_owned())
    };
    let mut total = UsageRow::new("total");
    account.items.iter().for_each(|item| total.add_item(item));
    UsageReport {
        days: by_key(&account.items, &day),
        models: most_first(by_key(&account.items, &model)),
        projects: most_first(by_key(&account.items, &project)),
        total: line(&total),
        today: when::today(&context.zone).to_string(),
    }
}

/// Sums by a key, in the order of the keys.
fn by_key(items: &[UsageItem], key: &dyn Fn(&UsageItem) -> String) -> Vec<UsageLine> {
    let mut rows: std::collections::BTreeMap<String, UsageRow> = std::collections::BTreeMap::new();
    for item in items {
        let key = key(item);
        rows.entry(key.clone()).or_insert_with(|| UsageRow::new(key)).add_item(item);
    }
    rows.values().map(line).collect()
}

fn most_first(mut lines: Vec<UsageLine>) -> Vec<UsageLine> {
    let weight = |line: &UsageLine| line.cost.unwrap_or(0.0);
    lines.sort_by(|left, right| weight(right).total_cmp(&weight(left)).then(right.tokens.cmp(&left.tokens)));
    lines
}

fn line(row: &UsageRow) -> UsageLine {
    UsageLine { key: row.key.clone(), cost: cost(row), tokens: row.tokens.total(), responses: row.responses }
}
