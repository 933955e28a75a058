//! `annals` without a command: an overview of the store, and what to try next.

use annals_store::{Discovery, Summary};
use annals_transcript::problem::Severity;
use annals_transcript::usage::{Report, UsageRow, group, group_items};
use annals_ui::text;
use unicode_width::UnicodeWidthStr;

use super::ls::{MIN_NAME, MIN_TITLE, active, age, branch, project_name, told_apart};
use crate::context::Context;
use crate::deletion::Deletions;
use crate::error::{Fault, Outcome};
use crate::full_overview::{FullOverview, SessionOverview};
use crate::indexed_overview::IndexedOverview;
use crate::output::Paint;
use crate::short_ids::ShortIds;
use crate::table::{Align, Table};
use crate::uncounted::UncountedUsage;
use crate::{json, uncounted, when, words};

/// How many of the newest sessions are shown.
const NEWEST: usize = 8;

/// The sums of the first lines.
struct StoreTotals {
    projects: usize,
    sessions: usize,
    sub_agents: usize,
    bytes: u64,
    today: UsageRow,
    month: UsageRow,
    all: UsageRow,
    /// What is known of deleted sub-agents, and not in the sums.
    uncounted: UsageRow,
    damaged: usize,
    deletions: Deletions,
    ids: ShortIds,
}

pub(crate) fn run(context: &mut Context) -> Result<Outcome, Fault> {
    let (totals, newest) = match IndexedOverview::of(context) {
        Some(overview) => from_index(&overview, context),
        None => from_files(FullOverview::of_stores(context), context),
    };
    if context.json {
        write_json(&totals, context)?;
    } else if newest.is_empty() {
        welcome(context)?;
    } else {
        draw(&newest, &totals, context)?;
    }
    Ok(Outcome::Done)
}

/// Uses the index, and reads only the files that are shown.
fn from_index(overview: &IndexedOverview, context: &Context) -> (StoreTotals, Vec<SessionOverview>) {
    let mut sessions: Vec<_> = overview.summaries.iter().filter(|summary| is_real(summary)).collect();
    sessions.sort_by_key(|summary| std::cmp::Reverse(summary.recency()));
    let by_day = group_items(&overview.items, |item| Some(day_of(item.millis(), context)));
    let damaged = sessions.iter().filter(|summary| overview.is_damaged(summary)).count() + overview.unread;
    let mut totals = totals(&overview.discovery, &by_day, sessions.len(), damaged, context);
    totals.uncounted = overview.uncounted.sum(|_, _| true);
    sessions.truncate(NEWEST);
    (totals, overview.read(&sessions, context))
}

/// Reads all files.
fn from_files(overview: FullOverview, context: &Context) -> (StoreTotals, Vec<SessionOverview>) {
    let FullOverview { discovery, mut sessions, ledger, problems, .. } = overview;
    context.note_unread(problems.iter().cloned());
    sessions.retain(|session| is_real(&session.full.summary));
    sessions.sort_by_key(|session| std::cmp::Reverse(session.full.summary.recency()));
    let by_day =
        group(ledger.charges(), &context.prices, |_, charge| Some(day_of(charge.response.millis, context)));
    let is_damaged = |session: &&SessionOverview| {
        session.full.problems.keys().any(|kind| kind.severity() >= Severity::Warning)
    };
    let damaged = sessions.iter().filter(is_damaged).count() + problems.len();
    let mut totals = totals(&discovery, &by_day, sessions.len(), damaged, context);
    totals.uncounted = UncountedUsage::of_files(&discovery, context).sum(|_, _| true);
    sessions.truncate(NEWEST);
    (totals, sessions)
}

fn is_real(summary: &Summary) -> bool {
    !summary.is_empty() && !summary.is_warm_up
}

/// Responses without a time have their own key, and count in the total.
fn day_of(millis: Option<i64>, context: &Context) -> String {
    millis.map_or_else(|| "(no time)".to_owned(), |millis| words::day(millis, &context.zone))
}

fn totals(
    discovery: &Discovery,
    by_day: &Report,
    sessions: usize,
    damaged: usize,
    context: &Context,
) -> StoreTotals {
    let today = when::today(&context.zone).to_string();
    let sum = |wanted: &dyn Fn(&str) -> bool| {
        let mut row = UsageRow::new("sum");
        by_day.rows.iter().filter(|day| wanted(&day.key)).for_each(|day| row.absorb(day));
        row
    };
    StoreTotals {
        projects: discovery.projects.len(),
        sessions,
        sub_agents: discovery.agents.len(),
        bytes: discovery.sessions.iter().map(|session| session.bytes).sum::<u64>()
            + discovery.agents.iter().map(|agent| agent.bytes).sum::<u64>(),
        today: sum(&|day| day == today),
        month: sum(&|day| day.starts_with(&today[..7])),
        all: sum(&|_| true),
        uncounted: UsageRow::new("uncounted"),
        damaged,
        deletions: Deletions::of(discovery, context),
        ids: ShortIds::new(discovery, context),
    }
}

fn welcome(context: &mut Context) -> std::io::Result<()> {
    let place = context.store.names();
    let out = &mut context.out;
    out.line(format!("No sessions found in {place}."))?;
    out.line("")?;
    out.line("To try annals, write a made-up store and look at it:")?;
    out.line("")?;
    for step in ["annals demo --out /tmp/demo", "annals --config-dir /tmp/demo"] {
        let text = out.paint(Paint::Cyan, format!("  {step}"));
        out.line(text)?;
    }
    out.line("")?;
    out.line("To read another store: --config-dir DIR, or set CLAUDE_CONFIG_DIR.")
}

fn draw(newest: &[SessionOverview], totals: &StoreTotals, context: &mut Context) -> std::io::Result<()> {
    let place = context.store.names();
    let out = &mut context.out;
    let heading = out.paint(Paint::Bold, &place);
    let counts = format!(
        "  {}, {}, {}, {}",
        words::plural(totals.projects as u64, "project", "projects"),
        words::plural(totals.sessions as u64, "session", "sessions"),
        words::plural(totals.sub_agents as u64, "sub-agent", "sub-agents"),
        words::bytes(totals.bytes),
    );
    let is_wide = out.table_width.is_none_or(|width| place.width() + counts.width() <= width);
    if is_wide {
        out.line(heading + counts)?;
    } else {
        out.line(heading)?;
        out.note(counts)?;
    }
    out.line("")?;
    for (name, row) in [("today", &totals.today), ("this month", &totals.month), ("in total", &totals.all)] {
        let cost = out.paint(Paint::Green, format!("{:>10}", words::cost(row)));
        let tokens = words::short_count(row.tokens.total());
        let responses = words::plural(row.responses, "response", "responses");
        let rest = format!("  {tokens:>6} tokens in {responses}");
        out.line(text![format!("  {name:<10}  "), cost, rest])?;
    }
    if !totals.all.unpriced.is_empty() {
        let names: Vec<_> = totals.all.unpriced.iter().map(|name| name.to_string()).collect();
        out.painted_note(Some(Paint::Dim), format!("  no price known for {}", names.join(", ")))?;
    }
    if let Some(note) = uncounted::note(&totals.uncounted) {
        out.painted_note(Some(Paint::Dim), format!("  {note}"))?;
    }
    out.line("")?;
    let heads = [
        ("session", Align::Left),
        ("active", Align::Left),
        ("age", Align::Right),
        ("turns", Align::Right),
        ("cost", Align::Right),
        ("branch", Align::Left),
        ("project", Align::Left),
        ("title", Align::Left),
    ];
    let mut table = Table::new(&heads)
        .paint(0, Paint::Cyan)
        .paint(1, Paint::Dim)
        .paint(4, Paint::Green)
        .optional(&[3, 1, 5, 6])
        .at_least(5, MIN_NAME)
        .at_least(6, MIN_NAME)
        .at_least(7, MIN_TITLE);
    for session in newest {
        let summary = &session.full.summary;
        table.row(vec![
            totals.ids.shown(summary.session.as_str()),
            active(summary, context),
            age(summary, context),
            words::count(session.full.turns as u64),
            words::cost(&session.usage),
            branch(summary),
            project_name(summary),
            told_apart(summary, &totals.ids),
        ]);
    }
    table.add_stores(&context.store, newest.iter().map(|session| session.full.summary.path.as_path()));
    let out = &mut context.out;
    table.draw(out)?;
    out.line("")?;
    if totals.damaged > 0 {
        let files = words::plural(totals.damaged as u64, "file has", "files have");
        let text = format!("{files} damaged or unreadable lines: annals check --all");
        out.painted_note(Some(Paint::Yellow), text)?;
    }
    for warning in totals.deletions.warnings() {
        out.painted_note(Some(Paint::Yellow), warning)?;
    }
    out.note("Next: annals show last, annals search WORDS, annals usage, annals help")
}

fn write_json(totals: &StoreTotals, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.string("configDir", &context.store.config_dir().path().display().to_string());
        if context.store.are_several() {
            let stores = context.store.all().iter().map(|store| store.config_dir().path().to_string_lossy());
            json::names(object, "stores", stores);
        }
        object.number("projects", totals.projects as u64).number("sessions", totals.sessions as u64);
        object.number("subAgents", totals.sub_agents as u64).number("bytes", totals.bytes);
        let sums = [
            ("today", &totals.today),
            ("month", &totals.month),
            ("total", &totals.all),
            ("uncounted", &totals.uncounted),
        ];
        for (key, row) in sums {
            object.object(key, |object| {
                object.number("responses", row.responses);
                json::tokens(object, "tokens", &row.tokens);
                json::cost(object, row);
            });
        }
        object.number("damagedFiles", totals.damaged as u64);
        object.object("deletions", |object| {
            object.number("cleanupPeriodDays", u64::try_from(totals.deletions.days()).unwrap_or(0));
            object.number("sessions", totals.deletions.sessions() as u64);
            object.number("overdue", totals.deletions.overdue() as u64);
        });
    })
}
