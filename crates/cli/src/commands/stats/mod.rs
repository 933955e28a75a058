//! `annals stats`: reports activity over the store.

mod client;
mod draw;
mod write;

use std::collections::BTreeSet;
use std::sync::Arc;

use annals_index::SummaryKind;
use annals_store::source::Clock as _;
use annals_store::usage::{UsageFile, read_activity};
use annals_transcript::activity::{
    Activity, ActivityWindow, ContextGrowth, Quantiles, Streaks, context_growth, streaks,
};
use annals_transcript::usage::{NO_MODEL, Report, Thread, UsageRow, group_items};

use self::client::ClientStats;
use super::usage::brief_cache;
use super::usage::items::{UsageItems, UsageOrigin};
use crate::args::StatsArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::selection::Selection;
use crate::team_store;
use crate::uncounted::UncountedUsage;

const DAY_MILLIS: i64 = 86_400_000;

/// Everything that is printed.
struct StatsReport {
    sessions: u64,
    projects: u64,
    activity: Activity,
    turns: Option<Quantiles>,
    models: Report,
    agents: UsageRow,
    agent_count: u64,
    growth: ContextGrowth,
    streaks: Streaks,
    limit: usize,
    zone: String,
    unread: usize,
    /// What the client's own statistics say, for the whole store.
    client: Option<ClientStats>,
}

impl ActivityWindow for Selection {
    fn keeps(&self, millis: Option<i64>) -> bool {
        self.keeps_time(millis)
    }

    fn local(&self, millis: i64) -> i64 {
        Self::local(self, millis)
    }
}

pub(crate) fn run(args: &StatsArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if let Some(engine) = args.at.open(context)? {
        team_store::fetch_all(&engine, &args.at.scope.scope(), context)?;
    }
    let selection = Selection::new(&args.selection, context)?;
    let page = page(args, &selection, context);
    let is_empty = page.activity.turns == 0 && page.models.rows.is_empty();
    if context.json {
        write::page(&page, context)?;
    } else if is_empty {
        context.out.line(format!("no activity found in {}", context.store.names()))?;
    } else {
        draw::page(&page, context)?;
    }
    Ok(if is_empty { Outcome::NothingFound } else { Outcome::Done })
}

fn page(args: &StatsArgs, selection: &Selection, context: &Context) -> StatsReport {
    let discovery = context.discover_all();
    let files = UsageFile::all(&discovery);
    let origin = UsageOrigin::of(args.no_index);
    let (usage, done) = brief_cache::read(origin, SummaryKind::Activity, &files, context, read_activity);
    let mut activity = Activity::default();
    let mut with_turns: Vec<(Arc<str>, Arc<str>)> = Vec::new();
    for (source, file) in usage.sources.iter().zip(&done) {
        if selection.keeps_project(&source.slug, source.project.as_deref()) {
            let before = activity.turns;
            activity.add(file, selection);
            if activity.turns > before {
                with_turns.push((Arc::clone(&source.session), Arc::clone(&source.slug)));
            }
        }
    }
    let growth = context_growth(&usage.ledger, &usage.sources, |source, response| {
        selection.keeps_project(&source.slug, source.project.as_deref())
            && selection.keeps_time(response.millis)
            && selection.keeps_model(response.reading.model.as_deref())
    });
    let items = usage.items(&context.prices);
    context.note_unread(usage.problems.iter().cloned());
    let unread = discovery.problems.len() + usage.problems.len();
    let account = UsageItems {
        sources: usage.sources,
        items,
        problems: Vec::new(),
        uncounted: UncountedUsage::default(),
        team: None,
    };
    let mut agents = UsageRow::new("sub-agents");
    let (mut named, mut sessions, mut projects) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (session, slug) in &with_turns {
        sessions.insert(&**session);
        projects.insert(&**slug);
    }
    for item in account.selected(selection) {
        if item.thread != Thread::Main {
            agents.add_item(item);
            named.insert((item.file, &item.thread));
        }
        if let Some(source) = account.source(item) {
            sessions.insert(&*source.session);
            projects.insert(&*source.slug);
        }
    }
    let model = |item: &annals_transcript::usage::UsageItem| {
        Some(item.model.as_deref().unwrap_or(NO_MODEL).to_owned())
    };
    let today = selection.local(context.source.now()).div_euclid(DAY_MILLIS);
    StatsReport {
        sessions: sessions.len() as u64,
        projects: projects.len() as u64,
        turns: Quantiles::of(activity.durations.iter().copied()),
        models: group_items(account.selected(selection), model),
        agent_count: named.len() as u64,
        agents,
        growth,
        streaks: streaks(activity.days.keys().copied(), today),
        activity,
        limit: args.limit,
        zone: selection.zone_name().to_owned(),
        unread,
        client: if context.store.are_several() { None } else { ClientStats::read(context) },
    }
}
