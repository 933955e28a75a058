//! `annals` without a command: an overview of the store, and what to try next.

use annals_store::{Discovery, Summary};
use annals_transcript::problem::Severity;
use annals_transcript::usage::{Report, UsageRow, group, group_items};
use annals_ui::text;

use super::ls::{project_name, short_id, title};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::full_overview::{FullOverview, SessionOverview};
use crate::indexed_overview::IndexedOverview;
use crate::output::Paint;
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
}

pub(crate) fn run(context: &mut Context) -> Result<Outcome, Fault> {
    let (totals, newest) = match IndexedOverview::of(context) {
        Some(overview) => from_index(&overview, context),
        None => from_files(FullOverview::of(&context.store, &context.prices), context),
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
    sessions.sort_by_key(|summary| std::cmp::Reverse(summary.last_activity()));
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
    sessions.sort_by_key(|session| std::cmp::Reverse(session.full.summary.last_activity()));
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
    }
}

fn welcome(context: &mut Context) -> std::io::Result<()> {
    let place = context.store.config_dir().path().display().to_string();
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
    let place = context.store.config_dir().path().display().to_string();
    let zone = context.zone.clone();
    let out = &mut context.out;
    let heading = out.paint(Paint::Bold, &place);
    let counts = format!(
        "  {}, {}, {}, {}",
        words::plural(totals.projects as u64, "project", "projects"),
        words::plural(totals.sessions as u64, "session", "sessions"),
        words::plural(totals.sub_agents as u64, "sub-agent", "sub-agents"),
        words::bytes(totals.bytes),
    );
    out.line(heading + counts)?;
    out.line("")?;
    for (name, row) in [("today", &totals.today), ("this month", &totals.month), ("in total", &totals.all)] {
        let cost = out.paint(Paint::Green, format!("{:>10}", words::dollars(row.cost.dollars())));
        let tokens = words::short_count(row.tokens.total());
        let responses = words::plural(row.responses, "response", "responses");
        let rest = format!("  {tokens:>6} tokens in {responses}");
        out.line(text![format!("  {name:<10}  "), cost, rest])?;
    }
    if !totals.all.unpriced.is_empty() {
        let names: Vec<_> = totals.all.unpriced.iter().map(|name| name.to_string()).collect();
        let text = out.paint(Paint::Dim, format!("  no price known for {}", names.join(", ")));
        out.line(text)?;
    }
    if let Some(note) = uncounted::note(&totals.uncounted) {
        let text = out.paint(Paint::Dim, format!("  {note}"));
        out.line(text)?;
    }
    out.line("")?;
    let heads = [
        ("session", Align::Left),
        ("active", Align::Left),
        ("turns", Align::Right),
        ("cost", Align::Right),
        ("project", Align::Left),
        ("title", Align::Left),
    ];
    let mut table = Table::new(&heads)
        .paint(0, Paint::Cyan)
        .paint(1, Paint::Dim)
        .paint(3, Paint::Green)
        .keys(&[0, 1])
        .optional(&[2]);
    for session in newest {
        let summary = &session.full.summary;
        table.row(vec![
            short_id(summary),
            summary.last_activity().map(|ms| words::moment(ms, &zone)).unwrap_or_default(),
            words::count(session.full.turns as u64),
            words::dollars(session.usage.cost.dollars()),
            project_name(summary),
            title(summary),
        ]);
    }
    table.draw(out)?;
    out.line("")?;
    if totals.damaged > 0 {
        let files = words::plural(totals.damaged as u64, "file has", "files have");
        let text =
            out.paint(Paint::Yellow, format!("{files} damaged or unreadable lines: annals check --all"));
        out.line(text)?;
    }
    out.line("Next: annals show last, annals search WORDS, annals usage, annals help")
}

fn write_json(totals: &StoreTotals, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.string("configDir", &context.store.config_dir().path().display().to_string());
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
    })
}
