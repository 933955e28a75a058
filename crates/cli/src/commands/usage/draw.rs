//! Prints a report as text: a table with bars, the total, and notes.

use annals_transcript::price::Usd;
use annals_transcript::usage::UsageRow;

use super::{ReportRow, RowDetail, UsageReport};
use crate::args::UsageBy;
use crate::context::Context;
use crate::graph::{self, Glyphs};
use crate::output::Paint;
use crate::table::{Align, Table};
use crate::{uncounted, words};

pub(super) fn page(page: &UsageReport, context: &mut Context) -> std::io::Result<()> {
    if page.by == UsageBy::Tool {
        return tools(page, context);
    }
    let glyphs = Glyphs::of(&context.out);
    let has_names = matches!(page.by, UsageBy::Session | UsageBy::Agent);
    let mut heads = vec![(page.by.name(), Align::Left)];
    if has_names {
        heads.push((if page.by == UsageBy::Session { "title" } else { "project" }, Align::Left));
    }
    let first_number = heads.len();
    heads.extend(
        ["responses", "input", "output", "read", "written", "cached", "cost"]
            .map(|head| (head, Align::Right)),
    );
    heads.push(("", Align::Left));
    let at = |name: &str| heads.iter().position(|(head, _)| *head == name).unwrap_or_default();
    let optional = ["", "cached", "input", "written", "responses", "read"].map(at);
    let mut table =
        Table::new(&heads).paint(0, Paint::Cyan).paint(first_number + 6, Paint::Green).optional(&optional);
    let most = page.rows.iter().map(|row| row.usage.cost.dollars()).fold(0.0, f64::max);
    for row in &page.rows {
        let mut cells = vec![name(row, context)];
        if has_names {
            cells.push(about(row));
        }
        cells.extend(numbers(&row.usage));
        cells.push(match row.course.is_empty() {
            true => graph::bar(row.usage.cost.dollars(), most, glyphs),
            false => graph::ticks(&row.course, glyphs),
        });
        table.row(cells);
    }
    let mut cells = vec!["total".to_owned()];
    if has_names {
        cells.push(String::new());
    }
    cells.extend(numbers(&page.total.usage));
    cells.push(String::new());
    table.row(cells);
    context.out.page();
    table.draw(&mut context.out)?;
    context.out.line("")?;
    notes(page, context)
}

/// Prints what the results of tools cost.
fn tools(page: &UsageReport, context: &mut Context) -> std::io::Result<()> {
    let glyphs = Glyphs::of(&context.out);
    let heads = ["calls", "failed", "results", "written", "read", "cost"].map(|head| (head, Align::Right));
    let mut heads = [&[("tool", Align::Left)], heads.as_slice()].concat();
    heads.push(("", Align::Left));
    let mut table = Table::new(&heads).paint(0, Paint::Cyan).paint(6, Paint::Green).optional(&[7, 4, 5, 2]);
    let most = page.rows.iter().map(|row| row.usage.cost.dollars()).fold(0.0, f64::max);
    for row in page.rows.iter().chain([&page.total]) {
        let RowDetail::Tool { calls, errors, result_tokens } = row.detail else { continue };
        let tokens = &row.usage.tokens;
        let is_total = std::ptr::eq(row, &page.total);
        table.row(vec![
            row.usage.key.clone(),
            words::count(calls),
            share(errors, calls),
            words::short_count(result_tokens),
            words::short_count(tokens.input + tokens.cache_write()),
            words::short_count(tokens.cache_read),
            words::dollars(row.usage.cost.dollars()),
            if is_total { String::new() } else { graph::bar(row.usage.cost.dollars(), most, glyphs) },
        ]);
    }
    context.out.page();
    table.draw(&mut context.out)?;
    context.out.line("")?;
    let notes = [
        "An estimate: what the results of each tool added to contexts and cost until a compaction or the end.",
        "It is part of what the other reports show (annals help prices).",
    ];
    notes.into_iter().try_for_each(|note| {
        let note = context.out.paint(Paint::Dim, note);
        context.out.line(note)
    })
}

fn numbers(row: &UsageRow) -> [String; 7] {
    let tokens = &row.tokens;
    [
        words::count(row.responses),
        words::short_count(tokens.input),
        words::short_count(tokens.output),
        words::short_count(tokens.cache_read),
        words::short_count(tokens.cache_write()),
        share(tokens.cache_read, tokens.context()),
        words::dollars(row.cost.dollars()),
    ]
}

/// `93%`
pub(super) fn share(part: u64, whole: u64) -> String {
    if whole == 0 { String::new() } else { format!("{:.0}%", part as f64 * 100.0 / whole as f64) }
}

fn name(row: &ReportRow, context: &Context) -> String {
    match &row.detail {
        RowDetail::Session { .. } => row.usage.key.chars().take(8).collect(),
        RowDetail::Agent { .. } => row.usage.key.trim_start_matches("agent-").chars().take(8).collect(),
        RowDetail::Block { start, end, .. } => {
            let clock = |millis| words::moment(millis, &context.zone);
            let until: String = clock(*end).chars().skip(11).collect();
            format!("{} – {until}", clock(*start))
        }
        _ => row.usage.key.clone(),
    }
}

fn about(row: &ReportRow) -> String {
    match &row.detail {
        RowDetail::Session { title, .. } => title.clone().unwrap_or_default(),
        RowDetail::Agent { session, project } => {
            let folder = project.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(project);
            format!("{folder}, session {}", session.chars().take(8).collect::<String>())
        }
        _ => String::new(),
    }
}

fn notes(page: &UsageReport, context: &mut Context) -> std::io::Result<()> {
    let total = &page.total.usage;
    if let Some(RowDetail::Block { burn: Some(burn), .. }) = page.rows.last().map(|row| &row.detail) {
        context.out.line(format!(
            "block    {} left; {}/hour, {} tokens/minute; projected {} at its end",
            words::duration(u64::try_from(burn.left).unwrap_or(0)),
            words::dollars(burn.usd_per_hour),
            words::short_count(burn.tokens_per_minute as u64),
            words::dollars(burn.projected.dollars()),
        ))?;
    }
    let saved = total.without_cache.minus(total.cost);
    if total.tokens.context() > 0 {
        let (verb, amount) = if saved < 0.0 { ("cost", -saved) } else { ("saved", saved) };
        context.out.line(format!(
            "cache    {} of the input was read from the cache, which {verb} {}",
            share(total.tokens.cache_read, total.tokens.context()),
            words::dollars(amount),
        ))?;
    }
    if page.month.projected > Usd::ZERO {
        context.out.line(format!(
            "month    {} so far; projected {} by month end ({}/day over the last 7 days)",
            words::dollars(page.month.so_far.dollars()),
            words::dollars(page.month.projected.dollars()),
            words::dollars(page.month.per_day.dollars()),
        ))?;
    }
    let names = |names: &std::collections::BTreeSet<std::sync::Arc<str>>| {
        names.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(", ")
    };
    if !total.unpriced.is_empty() {
        context.out.line(format!("no price known for {}", names(&total.unpriced)))?;
    }
    if !total.estimated.is_empty() {
        context.out.line(format!("some prices estimated for {}", names(&total.estimated)))?;
    }
    if let Some(note) = uncounted::note(&page.uncounted) {
        let text = context.out.paint(Paint::Yellow, note);
        context.out.line(text)?;
    }
    if page.unread > 0 {
        let files = words::plural(page.unread as u64, "file", "files");
        let text = context.out.paint(Paint::Yellow, format!("{files} could not be read: annals check --all"));
        context.out.line(text)?;
    }
    let as_of = format!("prices as of {}; times in {}", context.prices.as_of(), page.zone);
    let as_of = context.out.paint(Paint::Dim, as_of);
    context.out.line(as_of)
}
