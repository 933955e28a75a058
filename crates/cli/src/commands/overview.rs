//! `annals` alone: the store at a glance, and what to try next.

use annals_store::{Discovery, Summary};
use annals_transcript::problem::Severity;
use annals_transcript::usage::{Report, UsageRow, group, group_items};

use super::ls::{project_name, short_id, title};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::glance::Glance;
use crate::output::Paint;
use crate::survey::{Survey, Surveyed};
use crate::table::{Align, Table};
use crate::{json, when, words};

/// How many of the newest sessions are shown.
const NEWEST: usize = 8;

/// The figures of the first lines.
struct Figures {
    projects: usize,
    sessions: usize,
    sub_agents: usize,
    bytes: u64,
    today: UsageRow,
    month: UsageRow,
    all: UsageRow,
    damaged: usize,
}

pub(crate) fn run(context: &mut Context) -> Result<Outcome, Fault> {
    let (figures, newest) = match Glance::of(context) {
        Some(glance) => of_glance(&glance, context),
        None => of_survey(Survey::of(&context.store, &context.prices), context),
    };
    if context.json {
        write_json(&figures, context)?;
    } else if newest.is_empty() {
        welcome(context)?;
    } else {
        draw(&newest, &figures, context)?;
    }
    Ok(Outcome::Done)
}

/// From the index, and the few files that are shown.
fn of_glance(glance: &Glance, context: &Context) -> (Figures, Vec<Surveyed>) {
    let mut sessions: Vec<_> = glance.summaries.iter().filter(|summary| is_real(summary)).collect();
    sessions.sort_by_key(|summary| std::cmp::Reverse(summary.modified));
    let by_day = group_items(&glance.items, |item| Some(day_of(item.millis(), context)));
    let damaged = sessions.iter().filter(|summary| glance.is_damaged(summary)).count() + glance.unread;
    let figures = figures(&glance.discovery, &by_day, sessions.len(), damaged, context);
    sessions.truncate(NEWEST);
    (figures, glance.read(&sessions, context))
}

/// From all files.
fn of_survey(survey: Survey, context: &Context) -> (Figures, Vec<Surveyed>) {
    let Survey { discovery, mut sessions, ledger, problems, .. } = survey;
    sessions.retain(|session| is_real(&session.full.summary));
    sessions.sort_by_key(|session| std::cmp::Reverse(session.full.summary.modified));
    let by_day =
        group(ledger.charges(), &context.prices, |_, charge| Some(day_of(charge.response.millis, context)));
    let is_damaged =
        |session: &&Surveyed| session.full.problems.keys().any(|kind| kind.severity() >= Severity::Warning);
    let damaged = sessions.iter().filter(is_damaged).count() + problems.len();
    let figures = figures(&discovery, &by_day, sessions.len(), damaged, context);
    sessions.truncate(NEWEST);
    (figures, sessions)
}

fn is_real(summary: &Summary) -> bool {
    !summary.is_empty() && !summary.is_warm_up
}

/// A response that does not say when it came has a key of its own, and counts in the total.
fn day_of(millis: Option<i64>, context: &Context) -> String {
    millis.map_or_else(|| "(no time)".to_owned(), |millis| words::day(millis, &context.zone))
}

fn figures(
    discovery: &Discovery,
    by_day: &Report,
    sessions: usize,
    damaged: usize,
    context: &Context,
) -> Figures {
    let today = when::today(&context.zone).to_string();
    let sum = |wanted: &dyn Fn(&str) -> bool| {
        let mut row = UsageRow::new("sum");
        by_day.rows.iter().filter(|day| wanted(&day.key)).for_each(|day| row.absorb(day));
        row
    };
    Figures {
        projects: discovery.projects.len(),
        sessions,
        sub_agents: discovery.agents.len(),
        bytes: discovery.sessions.iter().map(|session| session.bytes).sum::<u64>()
            + discovery.agents.iter().map(|agent| agent.bytes).sum::<u64>(),
        today: sum(&|day| day == today),
        month: sum(&|day| day.starts_with(&today[..7])),
        all: sum(&|_| true),
        damaged,
    }
}

fn welcome(context: &mut Context) -> std::io::Result<()> {
    let place = context.store.config_dir().path().display().to_string();
    let out = &mut context.out;
    out.line(format!("There are no sessions in {place}."))?;
    out.line("\nTo see what annals does, write a made-up store and look at it:\n")?;
    let steps =
        ["cargo run --release -- demo --out /tmp/demo", "cargo run --release -- --config-dir /tmp/demo"];
    for step in steps {
        let text = out.paint(Paint::Cyan, format!("  {step}"));
        out.line(text)?;
    }
    out.line("\nInstalled, that is `annals demo --out /tmp/demo`. Another store: --config-dir DIR, or CLAUDE_CONFIG_DIR.")
}

fn draw(newest: &[Surveyed], figures: &Figures, context: &mut Context) -> std::io::Result<()> {
    let place = context.store.config_dir().path().display().to_string();
    let zone = context.zone.clone();
    let out = &mut context.out;
    let heading = out.paint(Paint::Bold, &place);
    out.line(format!(
        "{heading}  {}, {}, {}, {}",
        words::plural(figures.projects as u64, "project", "projects"),
        words::plural(figures.sessions as u64, "session", "sessions"),
        words::plural(figures.sub_agents as u64, "sub-agent", "sub-agents"),
        words::bytes(figures.bytes),
    ))?;
    out.line("")?;
    for (name, row) in [("today", &figures.today), ("this month", &figures.month), ("in all", &figures.all)] {
        let cost = out.paint(Paint::Green, format!("{:>10}", words::dollars(row.cost.dollars())));
        let tokens = words::short_count(row.tokens.total());
        let responses = words::plural(row.responses, "response", "responses");
        out.line(format!("  {name:<10}  {cost}  {tokens:>6} tokens in {responses}"))?;
    }
    if !figures.all.unpriced.is_empty() {
        let names: Vec<_> = figures.all.unpriced.iter().map(|name| name.to_string()).collect();
        let text = out.paint(Paint::Dim, format!("  no price is known for {}", names.join(", ")));
        out.line(text)?;
    }
    out.line("")?;
    let heads = [
        ("session", Align::Left),
        ("modified", Align::Left),
        ("turns", Align::Right),
        ("cost", Align::Right),
        ("project", Align::Left),
        ("title", Align::Left),
    ];
    let mut table = Table::new(&heads).paint(0, Paint::Cyan).paint(1, Paint::Dim).paint(3, Paint::Green);
    for session in newest {
        let summary = &session.full.summary;
        table.row(vec![
            short_id(summary),
            summary.modified.map(|ms| words::moment(ms, &zone)).unwrap_or_default(),
            words::count(session.full.turns as u64),
            words::dollars(session.usage.cost.dollars()),
            project_name(summary),
            title(summary),
        ]);
    }
    table.draw(out)?;
    out.line("")?;
    if figures.damaged > 0 {
        let files = words::plural(figures.damaged as u64, "file has", "files have");
        let text =
            out.paint(Paint::Yellow, format!("{files} damaged or unreadable lines: annals check --all"));
        out.line(text)?;
    }
    out.line("Next: annals show last, annals ls --long, annals check last, annals --help")
}

fn write_json(figures: &Figures, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.string("configDir", &context.store.config_dir().path().display().to_string());
        object.number("projects", figures.projects as u64).number("sessions", figures.sessions as u64);
        object.number("subAgents", figures.sub_agents as u64).number("bytes", figures.bytes);
        for (key, row) in [("today", &figures.today), ("month", &figures.month), ("total", &figures.all)] {
            object.object(key, |object| {
                object.number("responses", row.responses);
                json::tokens(object, "tokens", &row.tokens);
                json::cost(object, row);
            });
        }
        object.number("damagedFiles", figures.damaged as u64);
    })
}
