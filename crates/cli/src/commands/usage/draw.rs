//! Prints a report as text: a table with bars, the total, and notes.

use annals_transcript::price::Usd;
use annals_transcript::usage::UsageRow;
use annals_ui::figures;

use super::{Precision, ReportRow, RowDetail, UsageReport};
use crate::args::UsageBy;
use crate::context::Context;
use crate::graph::{self, Glyphs};
use crate::output::Paint;
use crate::short_ids::ShortIds;
use crate::table::{Align, Table};
use crate::{uncounted, words};

/// Why a fork can cost nothing.
pub(crate) const FORK_NOTE: &str = "what a fork copied counts in the session that it was copied from";

pub(super) fn page(page: &UsageReport, context: &mut Context) -> std::io::Result<()> {
    if page.by == UsageBy::Tool {
        return tools(page, context);
    }
    let is_of_sessions = matches!(page.by, UsageBy::Session | UsageBy::Agent);
    let ids = is_of_sessions.then(|| ShortIds::new(&context.discover_all(), context));
    // Exact numbers are for wide terminals, for pipes, and for those who ask.
    let exact = table(page, Figures::Exact, ids.as_ref(), context);
    let is_exact = page.precision == Precision::Exact || exact.fits(context.out.table_width);
    let table = if is_exact { exact } else { table(page, Figures::Short, ids.as_ref(), context) };
    context.out.page();
    table.draw(&mut context.out)?;
    context.out.line("")?;
    notes(page, &table, context)
}

/// How the numbers of a table are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figures {
    /// `403k`, all writes to the cache in one column.
    Short,
    /// `403,117`, writes to the cache by how long they last.
    Exact,
}

impl Figures {
    fn heads(self) -> &'static [&'static str] {
        match self {
            Self::Short => &["responses", "input", "output", "read", "written", "cached", "cost"],
            Self::Exact => {
                &["responses", "input", "output", "read", "written 5m", "written 1h", "cached", "cost"]
            }
        }
    }

    fn numbers(self, row: &UsageRow) -> Vec<String> {
        let tokens = &row.tokens;
        let number =
            |count: u64| if self == Self::Exact { words::count(count) } else { words::short_count(count) };
        let mut cells = vec![words::count(row.responses)];
        cells.extend([tokens.input, tokens.output, tokens.cache_read].map(number));
        match self {
            Self::Short => cells.push(number(tokens.cache_write())),
            Self::Exact => cells.extend([tokens.cache_write_5m, tokens.cache_write_1h].map(number)),
        }
        cells.extend([share(tokens.cache_read, tokens.context()), words::cost(row)]);
        cells
    }
}

fn table(page: &UsageReport, format: Figures, ids: Option<&ShortIds>, context: &Context) -> Table {
    let glyphs = Glyphs::of(&context.out);
    let has_course = page.rows.iter().any(|row| !row.course.is_empty());
    let is_blocks = page.by == UsageBy::Block;
    let mut heads = vec![(page.by.name(), Align::Left)];
    match page.by {
        UsageBy::Session => heads.push(("title", Align::Left)),
        UsageBy::Agent => heads.push(("project", Align::Left)),
        _ if page.rows.iter().any(|row| !row.models.is_empty()) => heads.push(("model", Align::Left)),
        _ => {}
    }
    let names = heads.len();
    heads.extend(format.heads().iter().map(|head| (*head, Align::Right)));
    if is_blocks {
        heads.push(("share", Align::Right));
    }
    heads.push((if has_course { "cost over time" } else { "" }, Align::Left));
    let at = |name: &&str| heads.iter().rposition(|(head, _)| head == name);
    let optional: Vec<usize> =
        ["cached", "input", "written 5m", "written 1h", "written", "responses", "read", "share"]
            .iter()
            .filter_map(at)
            .collect();
    let optional = [&[heads.len() - 1][..], &optional].concat();
    let cost = at(&"cost").unwrap_or_default();
    let mut table = Table::new(&heads).paint(0, Paint::Cyan).paint(cost, Paint::Green).optional(&optional);
    let most = page.rows.iter().map(|row| row.usage.cost.dollars()).fold(0.0, f64::max);
    let all = page.total.usage.tokens.total();
    let numbers = |row: &UsageRow| {
        let mut cells = format.numbers(row);
        cells.extend(is_blocks.then(|| share(row.tokens.total(), all)));
        cells
    };
    for row in &page.rows {
        if let RowDetail::Block { gap: Some(gap), .. } = row.detail {
            let gap = words::duration(u64::try_from(gap).unwrap_or(0));
            let mut cells = vec![format!("nothing for {gap}")];
            cells.resize(heads.len(), String::new());
            table.row(cells);
        }
        let mut cells = vec![name(row, ids, context)];
        cells.extend((names > 1).then(|| about(row, ids)));
        cells.extend(numbers(&row.usage));
        cells.push(match row.course.is_empty() {
            true => graph::bar(row.usage.cost.dollars(), most, glyphs),
            false => graph::ticks(&row.course, glyphs),
        });
        table.row(cells);
        for model in row.models.iter().filter(|_| row.models.len() > 1) {
            let mut cells = vec![String::new(), figures::model(&model.key).to_owned()];
            cells.extend(numbers(model));
            cells.push(String::new());
            table.row(cells);
        }
    }
    let mut cells = vec!["total".to_owned()];
    cells.resize(names, String::new());
    cells.extend(numbers(&page.total.usage));
    cells.push(String::new());
    table.row(cells);
    table
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
            words::cost(&row.usage),
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

/// `93%`
pub(super) fn share(part: u64, whole: u64) -> String {
    if whole == 0 { String::new() } else { format!("{:.0}%", part as f64 * 100.0 / whole as f64) }
}

fn name(row: &ReportRow, ids: Option<&ShortIds>, context: &Context) -> String {
    let shown = |id: &str| ids.map_or_else(|| id.to_owned(), |ids| ids.shown(id));
    match &row.detail {
        RowDetail::Session { .. } => shown(&row.usage.key),
        RowDetail::Agent { .. } => {
            let id = row.usage.key.trim_start_matches("agent-");
            if context.out.table_width.is_none() { id.to_owned() } else { id.chars().take(8).collect() }
        }
        RowDetail::Block { start, end, .. } => {
            let clock = |millis| words::moment(millis, &context.zone);
            let until: String = clock(*end).chars().skip(11).collect();
            let dash = if context.out.unicode { "–" } else { "-" };
            format!("{} {dash} {until}", clock(*start))
        }
        _ => row.usage.key.clone(),
    }
}

fn about(row: &ReportRow, ids: Option<&ShortIds>) -> String {
    let shown = |id: &str| ids.map_or_else(|| id.to_owned(), |ids| ids.shown(id));
    match &row.detail {
        RowDetail::Session { title, forked_from, .. } => {
            let fork = forked_from.as_ref().map(|origin| format!("[fork of {}] ", shown(origin)));
            fork.unwrap_or_default() + title.as_deref().unwrap_or_default()
        }
        RowDetail::Agent { session, project } => {
            let folder = project.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(project);
            format!("{folder}, session {}", shown(session))
        }
        _ => match row.models.as_slice() {
            [] => String::new(),
            [model] => figures::model(&model.key).to_owned(),
            several => format!("{} models", several.len()),
        },
    }
}

fn notes(page: &UsageReport, table: &Table, context: &mut Context) -> std::io::Result<()> {
    let total = &page.total.usage;
    let shows_course =
        page.rows.iter().any(|row| !row.course.is_empty()) && table.shows_last(context.out.table_width);
    if let Some(RowDetail::Block { burn: Some(burn), .. }) = page.rows.last().map(|row| &row.detail) {
        context.out.note(format!(
            "block    {} left; {}/hour, {} tokens/minute; projected {} at its end",
            words::duration(u64::try_from(burn.left).unwrap_or(0)),
            words::dollars(burn.usd_per_hour),
            words::short_count(burn.tokens_per_minute as u64),
            words::dollars(burn.projected.dollars()),
        ))?;
    }
    let is_fork = |row: &ReportRow| matches!(&row.detail, RowDetail::Session { forked_from: Some(_), .. });
    if page.rows.iter().any(is_fork) {
        context.out.note(FORK_NOTE)?;
    }
    if shows_course && let (Some(first), Some(last)) = (total.first, total.last) {
        let day = |millis| words::day(millis, &context.zone);
        context.out.note(format!("cost over time is from {} to {}", day(first), day(last)))?;
    }
    let saved = total.without_cache.minus(total.cost);
    if total.tokens.context() > 0 {
        let (verb, amount) = if saved < 0.0 { ("cost", -saved) } else { ("saved", saved) };
        context.out.note(format!(
            "cache    {} of the input was read from the cache, which {verb} {}",
            share(total.tokens.cache_read, total.tokens.context()),
            words::dollars(amount),
        ))?;
    }
    if page.month.projected > Usd::ZERO {
        context.out.note(format!(
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
        context.out.note(format!("no price known for {}", names(&total.unpriced)))?;
    }
    if !total.estimated.is_empty() {
        context.out.note(format!("some prices estimated for {}", names(&total.estimated)))?;
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
