//! Prints the report as text.

use annals_transcript::activity::{Quantiles, ToolActivity};

use super::StatsReport;
use crate::context::Context;
use crate::graph::{self, Glyphs};
use crate::output::Paint;
use crate::table::{Align, Table};
use crate::words;

pub(super) fn page(page: &StatsReport, context: &mut Context) -> std::io::Result<()> {
    context.out.page();
    turns(page, context)?;
    tools(page, context)?;
    models(page, context)?;
    files(page, context)?;
    if let Some(client) = &page.client {
        context.out.line(format!("\n{}", client.line()))?;
    }
    if page.unread > 0 {
        let unread = words::plural(page.unread as u64, "file", "files");
        context.out.line("")?;
        context.out.line(format!("{unread} could not be read: annals check --all"))?;
    }
    context.out.line("")?;
    let note = context.out.paint(Paint::Dim, format!("times in {}", page.zone));
    context.out.line(note)
}

fn turns(page: &StatsReport, context: &mut Context) -> std::io::Result<()> {
    let glyphs = Glyphs::of(&context.out);
    let done = &page.activity;
    context.out.line(format!(
        "turns      {} in {} of {}; {} interrupted",
        words::count(done.turns),
        words::plural(page.sessions, "session", "sessions"),
        words::plural(page.projects, "project", "projects"),
        words::count(done.interrupted),
    ))?;
    let time = words::duration;
    if let Some(turns) = page.turns {
        let (median, p90, max) = (time(turns.median), time(turns.p90), time(turns.max));
        context.out.line(format!("took       median {median}, p90 {p90}, longest {max}"))?;
    }
    context.out.line(format!(
        "days       {}; longest streak {}, current {}",
        words::plural(done.days.len() as u64, "active day", "active days"),
        words::count(page.streaks.longest),
        words::count(page.streaks.current),
    ))?;
    let hours: Vec<f64> = done.hours.iter().map(|count| *count as f64).collect();
    context.out.line(format!("hours      0 {} 23", graph::ticks(&hours, glyphs)))?;
    let size = |quantiles: Option<Quantiles>| match quantiles {
        Some(found) => {
            format!("{} (p90 {})", words::short_count(found.median), words::short_count(found.p90))
        }
        None => "–".to_owned(),
    };
    context.out.line(format!(
        "context    starts at {}, grows to {}, by {} per response; {}",
        size(page.growth.first),
        size(page.growth.peak),
        page.growth.per_response.map_or("–".to_owned(), |found| words::short_count(found.median)),
        words::plural(done.compactions, "compaction", "compactions"),
    ))?;
    let kinds: Vec<String> =
        done.agent_kinds.iter().map(|(kind, count)| format!("{} {kind}", words::count(*count))).collect();
    let started: u64 = done.agent_kinds.values().sum();
    if page.agent_count == 0 && started > 0 {
        let calls = words::plural(started, "call", "calls");
        return context.out.line(format!("sub-agents {calls}: {}; their files are gone", kinds.join(", ")));
    }
    context.out.line(format!(
        "sub-agents {}, {}, {}{}",
        words::count(page.agent_count),
        words::plural(page.agents.responses, "response", "responses"),
        words::cost(&page.agents),
        if kinds.is_empty() { String::new() } else { format!("; {}", kinds.join(", ")) },
    ))
}

fn tools(page: &StatsReport, context: &mut Context) -> std::io::Result<()> {
    let glyphs = Glyphs::of(&context.out);
    let heads = ["calls", "failed", "rate", "unanswered", "median", "p90"].map(|head| (head, Align::Right));
    let mut heads = [&[("tool", Align::Left)], heads.as_slice()].concat();
    heads.push(("", Align::Left));
    let mut table = Table::new(&heads).paint(0, Paint::Cyan).optional(&[7, 4, 6, 5]);
    let tools = by_calls(page);
    let max = tools.first().map_or(0, |(_, tool)| tool.calls) as f64;
    for (name, tool) in tools.iter().take(page.limit) {
        let took = Quantiles::of(tool.durations.iter().copied());
        table.row(vec![
            (*name).to_owned(),
            words::count(tool.calls),
            words::count(tool.errors),
            format!("{:.1}%", tool.errors as f64 * 100.0 / tool.calls.max(1) as f64),
            words::count(tool.unanswered),
            took.map(|took| words::duration(took.median)).unwrap_or_default(),
            took.map(|took| words::duration(took.p90)).unwrap_or_default(),
            graph::bar(tool.calls as f64, max, glyphs),
        ]);
    }
    section(table, tools.len(), page.limit, context)
}

/// The tools, most called first.
pub(super) fn by_calls(page: &StatsReport) -> Vec<(&str, &ToolActivity)> {
    let mut tools: Vec<_> = page.activity.tools.iter().map(|(name, tool)| (&**name, tool)).collect();
    tools.sort_by(|(left, one), (right, other)| other.calls.cmp(&one.calls).then_with(|| left.cmp(right)));
    tools
}

fn models(page: &StatsReport, context: &mut Context) -> std::io::Result<()> {
    let heads = [
        ("model", Align::Left),
        ("responses", Align::Right),
        ("output", Align::Right),
        ("cost", Align::Right),
    ];
    let mut table = Table::new(&heads).paint(0, Paint::Cyan).paint(3, Paint::Green);
    let mut rows: Vec<_> = page.models.rows.iter().collect();
    rows.sort_by(|left, right| right.responses.cmp(&left.responses).then_with(|| left.key.cmp(&right.key)));
    for row in rows.iter().take(page.limit) {
        table.row(vec![
            row.key.clone(),
            words::count(row.responses),
            words::short_count(row.tokens.output),
            words::cost(row),
        ]);
    }
    section(table, rows.len(), page.limit, context)
}

fn files(page: &StatsReport, context: &mut Context) -> std::io::Result<()> {
    let heads = [("changed", Align::Right), ("read", Align::Right), ("file", Align::Left)];
    let mut table = Table::new(&heads);
    let touched = page.activity.most_touched();
    for (path, touches) in touched.iter().take(page.limit) {
        table.row(vec![words::count(touches.changes), words::count(touches.reads), path.to_string()]);
    }
    section(table, touched.len(), page.limit, context)
}

/// Prints a table after a blank line, and how many rows are not shown.
fn section(table: Table, total: usize, limit: usize, context: &mut Context) -> std::io::Result<()> {
    if table.is_empty() {
        return Ok(());
    }
    context.out.line("")?;
    table.draw(&mut context.out)?;
    if total > limit {
        let more = context
            .out
            .paint(Paint::Dim, format!("{} more: --limit N", words::count((total - limit) as u64)));
        context.out.line(more)?;
    }
    Ok(())
}
