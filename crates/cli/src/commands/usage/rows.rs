//! Groups items into rows, names and sorts them.

use std::collections::{BTreeMap, HashMap};

use annals_store::Summary;
use annals_transcript::time::format_millis;
use annals_transcript::usage::{
    BillingBlock, BurnRate, NO_MODEL, Period, Thread, UsageItem, UsageRow, blocks,
};

use super::breakdown::ModelSums;
use super::items::UsageItems;
use crate::args::UsageBy;
use crate::context::Context;
use crate::graph;
use crate::selection::Selection;

/// The key of items without a time.
const NO_TIME: &str = "(no time)";

pub(crate) struct ReportRow {
    /// The sums.
    pub(crate) usage: UsageRow,
    pub(crate) detail: RowDetail,
    /// Cost over time, from the first selected item to the last.
    pub(crate) course: Vec<f64>,
    /// The sums of its models, in a report by time.
    pub(crate) models: Vec<UsageRow>,
}

/// What is known of a row besides its sums.
pub(crate) enum RowDetail {
    None,
    Session {
        title: Option<String>,
        project: String,
        /// The session that it was forked from.
        forked_from: Option<String>,
        /// The folder of its store, if several are read and its file is there; of copies, that of the first.
        store: Option<String>,
        /// The machine and the person, if a team's engine was asked.
        machine: Option<(String, String)>,
    },
    Agent {
        session: String,
        project: String,
    },
    Tool {
        calls: u64,
        errors: u64,
        /// Tokens that its results added to contexts, estimated.
        result_tokens: u64,
    },
    Block {
        end: i64,
        start: i64,
        /// How long nothing happened before it, in milliseconds.
        gap: Option<i64>,
        /// The burn rate, if the block is not over.
        burn: Option<BurnRate>,
    },
}

/// Groups items into rows: periods in order, everything else by cost.
pub(crate) fn rows(
    by: UsageBy,
    account: &UsageItems,
    selection: &Selection,
    now: i64,
    context: &Context,
) -> Vec<ReportRow> {
    let items = || account.selected(selection);
    let by_time = |period: Period| of_period(period, items(), selection);
    let source = |item: &UsageItem| account.source(item);
    match by {
        UsageBy::Hour => by_time(Period::Hour),
        UsageBy::Day => by_time(Period::Day),
        UsageBy::Week => by_time(Period::Week),
        UsageBy::Month => by_time(Period::Month),
        UsageBy::Block => of_blocks(account, selection, now),
        UsageBy::Project => {
            courses(items(), |item| Some(source(item)?.project_name().to_owned()), |_| RowDetail::None)
        }
        UsageBy::Model => courses(
            items(),
            |item| Some(item.model.as_deref().unwrap_or(NO_MODEL).to_owned()),
            |_| RowDetail::None,
        ),
        UsageBy::Session => sessions(account, selection, context),
        UsageBy::Agent => agents(account, selection),
        UsageBy::Person => {
            courses(items(), |item| Some(account.owner(item)?.person.clone()), |_| RowDetail::None)
        }
        UsageBy::Team => {
            courses(items(), |item| Some(account.owner(item)?.team.clone()), |_| RowDetail::None)
        }
        // The cost of tools is not a sum of items: see `tools`.
        UsageBy::Tool => Vec::new(),
    }
}

impl ReportRow {
    pub(crate) fn plain(usage: UsageRow) -> Self {
        Self { usage, detail: RowDetail::None, course: Vec::new(), models: Vec::new() }
    }

    fn of_block(block: BillingBlock, gap: Option<i64>, now: i64) -> Self {
        let burn = block.burn(now);
        let detail = RowDetail::Block { start: block.start, end: block.end, gap, burn };
        Self { detail, ..Self::plain(block.row) }
    }
}

/// Rows by time, each the sum of its models.
fn of_period<'a>(
    period: Period,
    items: impl Iterator<Item = &'a UsageItem>,
    selection: &Selection,
) -> Vec<ReportRow> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut place_of = |name: String| {
        let next = places.len();
        *places.entry(name).or_insert(next)
    };
    // All of an hour is in one row, whatever the period.
    let (mut hours, mut sums) = (HashMap::new(), ModelSums::default());
    for item in items {
        let local = item.millis().map(|millis| selection.local(millis));
        let place = hours.entry(local.map(|local| local.div_euclid(3_600_000))).or_insert_with(|| {
            place_of(local.map_or_else(|| NO_TIME.to_owned(), |local| period.name(local)))
        });
        sums.add(*place, item);
    }
    let row = |(name, place)| {
        let (mut row, models) = (UsageRow::new(name), sums.take(place));
        models.iter().for_each(|model| row.absorb(model));
        ReportRow { models, ..ReportRow::plain(row) }
    };
    places.into_iter().map(row).collect()
}

/// Blocks, each with the time since the one before.
fn of_blocks(account: &UsageItems, selection: &Selection, now: i64) -> Vec<ReportRow> {
    let blocks = blocks(account.selected(selection));
    let spans: Vec<(i64, i64)> = blocks.iter().map(|block| (block.start, block.end)).collect();
    let mut sums = ModelSums::default();
    for item in account.selected(selection) {
        let Some(millis) = item.millis() else { continue };
        let at = spans.partition_point(|(start, _)| *start <= millis).checked_sub(1);
        if let Some(at) = at.filter(|at| millis < spans[*at].1) {
            sums.add(at, item);
        }
    }
    let mut end_before = None;
    let row = |(at, block): (usize, BillingBlock)| {
        let gap = end_before.replace(block.end).map(|end| block.start - end).filter(|gap| *gap > 0);
        ReportRow { models: sums.take(at), ..ReportRow::of_block(block, gap, now) }
    };
    blocks.into_iter().enumerate().map(row).collect()
}

fn sessions(account: &UsageItems, selection: &Selection, context: &Context) -> Vec<ReportRow> {
    // Of copies of a session, those that count say which project it is of: not what happens to be read last.
    let mut projects: HashMap<&str, &str> = HashMap::new();
    for source in account.selected(selection).filter_map(|item| account.source(item)) {
        let project = projects.entry(&source.session).or_insert_with(|| source.project_name());
        *project = (*project).min(source.project_name());
    }
    let project = |key: &str| projects.get(key).copied().unwrap_or_default().to_owned();
    if let Some(team) = &account.team {
        let detail = |key: &str| team.session(key, project(key));
        return courses(account.selected(selection), |item| key(account, item), detail);
    }
    let discovery = context.discover_all();
    let (summaries, problems) = context.store.summaries(&discovery);
    context.note_unread(problems);
    let known: HashMap<&str, &Summary> =
        summaries.iter().rev().map(|summary| (summary.session.as_str(), summary)).collect();
    let detail = |key: &str| RowDetail::Session {
        title: known.get(key).and_then(|summary| summary.display_title()).map(str::to_owned),
        forked_from: known.get(key).and_then(|summary| Some(summary.forked_from.as_ref()?.to_string())),
        project: project(key),
        store: known.get(key).and_then(|summary| context.store.name_of(&summary.path)),
        machine: None,
    };
    courses(account.selected(selection), |item| key(account, item), detail)
}

/// The session of an item.
fn key(account: &UsageItems, item: &UsageItem) -> Option<String> {
    Some(account.source(item)?.session.to_string())
}

fn agents(account: &UsageItems, selection: &Selection) -> Vec<ReportRow> {
    let mut places: HashMap<String, (String, String)> = HashMap::new();
    let key = |item: &UsageItem| match &item.thread {
        Thread::Main => "main".to_owned(),
        Thread::Inline => "inline".to_owned(),
        Thread::Agent(id) => format!("agent-{id}"),
    };
    for item in account.selected(selection) {
        if let (Thread::Agent(_), Some(source)) = (&item.thread, account.source(item)) {
            let place = (source.session.to_string(), source.project_name().to_owned());
            let known = places.entry(key(item)).or_insert_with(|| place.clone());
            *known = place.min(known.clone());
        }
    }
    let detail = |key: &str| match places.get(key) {
        Some((session, project)) => RowDetail::Agent { session: session.clone(), project: project.clone() },
        None => RowDetail::None,
    };
    courses(account.selected(selection), |item| Some(key(item)), detail)
}

/// Groups items by key, sorted by cost, each with its cost over time.
fn courses<'a>(
    items: impl Iterator<Item = &'a UsageItem>,
    key: impl Fn(&UsageItem) -> Option<String>,
    detail: impl Fn(&str) -> RowDetail,
) -> Vec<ReportRow> {
    let items: Vec<&UsageItem> = items.collect();
    let times = items.iter().filter_map(|item| item.millis());
    let (first, last) = (times.clone().min().unwrap_or(0), times.max().unwrap_or(0));
    let span = (last - first) as f64 + 1.0;
    let mut rows: BTreeMap<String, (UsageRow, Vec<f64>)> = BTreeMap::new();
    for item in items {
        let Some(key) = key(item) else { continue };
        let (row, course) = rows.entry(key).or_insert_with(|| (UsageRow::default(), vec![0.0; graph::WIDTH]));
        row.add_item(item);
        if let Some(millis) = item.millis() {
            let at = ((millis - first) as f64 / span * graph::WIDTH as f64) as usize;
            course[at.min(graph::WIDTH - 1)] += item.cost.dollars();
        }
    }
    let mut rows: Vec<ReportRow> = rows
        .into_iter()
        .map(|(key, (mut usage, course))| {
            let detail = detail(&key);
            usage.key = key;
            ReportRow { detail, course, ..ReportRow::plain(usage) }
        })
        .collect();
    rows.sort_by(|left, right| {
        let order = |row: &ReportRow| (row.usage.cost, row.usage.tokens.total());
        order(right).cmp(&order(left)).then_with(|| left.usage.key.cmp(&right.usage.key))
    });
    rows
}

/// Formats an instant for JSON.
pub(crate) fn instant(millis: i64) -> String {
    format_millis(millis)
}
