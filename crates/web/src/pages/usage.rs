//! Usage: what was spent by day, model, project and tool, as charts, tables and CSV.

use std::collections::BTreeMap;

use annals_index::IndexError;
use annals_index::sql::SqlValue;
use annals_transcript::usage::{NO_MODEL, Period, UsageItem, UsageRow, UsageSource, blocks, group_items};
use annals_ui::chart::{bars, calendar};
use annals_ui::figures;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use super::tool_costs::ToolCosts;
use super::{PageError, Params, Section, Site, blocking, chart, dollars, html_response, line, moment, shell};
use crate::library::{Library, RemoteError, RemoteSessions, ToolCount};

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;
/// Days that have a column of their own.
const DAYS: i64 = 60;
/// Weeks of the calendar.
const WEEKS: usize = 53;
/// Rows of a table of models, projects or tools.
const ROWS: usize = 20;

/// What there is CSV by.
const CSV: [&str; 6] = ["day", "month", "model", "project", "session", "tool"];

/// What there is CSV by here: what results cost is only known of files.
fn csv_kinds(library: &Library) -> &'static [&'static str] {
    if library.is_local() { &CSV } else { &CSV[..CSV.len() - 1] }
}

/// Everything that was spent.
struct AllUsage {
    items: Vec<(UsageItem, Option<UsageSource>)>,
    tools: Vec<ToolCount>,
}

impl AllUsage {
    fn read(library: &Library, params: &Params) -> Result<Self, PageError> {
        let mut all = match &library.remote {
            Some(remote) => Self::of_remote(&**remote).map_err(|error| PageError::busy(error.to_string()))?,
            None => Self::of_stores(library).map_err(|error| PageError::unreadable(&error))?,
        };
        if let Some(project) = params.get("project") {
            let is_it = |source: &UsageSource| source.project_name() == project;
            all.items.retain(|(_, source)| source.as_ref().is_some_and(is_it));
        }
        all.tools
            .sort_by(|left, right| right.calls.cmp(&left.calls).then_with(|| left.tool.cmp(&right.tool)));
        Ok(all)
    }

    fn of_remote(remote: &dyn RemoteSessions) -> Result<Self, RemoteError> {
        let usage = remote.usage()?;
        let (sources, items) = &*usage;
        let with_source = |item: &UsageItem| (item.clone(), sources.get(item.file.get()).cloned());
        Ok(Self { items: items.iter().map(with_source).collect(), tools: remote.tool_counts()? })
    }

    fn of_stores(library: &Library) -> Result<Self, IndexError> {
        library.refresh_indexes()?;
        let (mut all, mut tools) = (Vec::new(), BTreeMap::<String, (u64, u64)>::new());
        for store in 0..library.stores.len() {
            let Some(index) = library.index_as_it_is(store) else { continue };
            let (sources, items) = index.usage()?;
            all.extend(items.into_iter().map(|item| {
                let source = sources.get(item.file.get()).cloned();
                (item, source)
            }));
            let counted = index.sql("SELECT tool, count(*), sum(is_error) FROM tool_calls GROUP BY tool");
            for row in counted.map(|table| table.rows).unwrap_or_default() {
                if let [SqlValue::Text(tool), SqlValue::Integer(calls), errors] = row.as_slice() {
                    let errors = if let SqlValue::Integer(errors) = errors { *errors } else { 0 };
                    let sums = tools.entry(tool.clone()).or_default();
                    sums.0 += u64::try_from(*calls).unwrap_or_default();
                    sums.1 += u64::try_from(errors).unwrap_or_default();
                }
            }
        }
        let count = |(tool, (calls, failures))| ToolCount { tool, calls, failures };
        Ok(Self { items: all, tools: tools.into_iter().map(count).collect() })
    }

    fn by(&self, key: impl Fn(&UsageItem, Option<&UsageSource>) -> Option<String>) -> Vec<UsageRow> {
        let mut rows: BTreeMap<String, UsageRow> = BTreeMap::new();
        for (item, source) in &self.items {
            let Some(key) = key(item, source.as_ref()) else { continue };
            rows.entry(key.clone()).or_insert_with(|| UsageRow::new(key)).add_item(item);
        }
        rows.into_values().collect()
    }

    /// The rows of a grouping that has a name in addresses.
    fn named(&self, library: &Library, by: &str) -> Vec<UsageRow> {
        let local = |item: &UsageItem| {
            item.millis().map(|millis| millis + i64::from(library.minutes_from_utc(millis)) * 60_000)
        };
        match by {
            "model" => self.by(|item, _| Some(item.model.as_deref().unwrap_or(NO_MODEL).to_owned())),
            "project" => self.by(|_, source| Some(source?.project_name().to_owned())),
            "session" => self.by(|_, source| Some(source?.session.to_string())),
            "month" => self.by(|item, _| local(item).map(|local| Period::Month.name(local))),
            _ => self.by(|item, _| local(item).map(|local| Period::Day.name(local))),
        }
    }
}

pub(crate) async fn page(State(site): State<Site>, RawQuery(query): RawQuery) -> Result<Response, PageError> {
    let params = Params::parse(query.as_deref());
    let page = blocking(&site, move |library| {
        let spending = AllUsage::read(library, &params)?;
        Ok(shell(library, "Usage", Section::Usage, &body(library, &spending, &params)))
    });
    Ok(html_response(page.await?))
}

fn body(library: &Library, spending: &AllUsage, params: &Params) -> Markup {
    let all = group_items(spending.items.iter().map(|(item, _)| item), |_| Some(String::new())).total;
    let mut unpriced: Vec<String> = all.unpriced.iter().map(|model| line(library, model)).collect();
    unpriced.sort();
    html! {
        h1 { "Usage" }
        @if let Some(project) = params.get("project") { p class="notice" { "Of the project " b { (line(library, project)) } ". " a href="/usage" { "All projects" } } }
        section class="sums" aria-label="Sums" {
            div { b { (dollars(all.cost.dollars())) } " " span { "in total" } }
            div { b { (figures::amount(all.tokens.total())) } " " span { "tokens" } }
            div { b { (figures::amount(all.responses)) } " " span { "responses" } }
        }
        @if !unpriced.is_empty() { p class="notice" { "No price is known for " (unpriced.join(", ")) ": not in the sums." } }
        p class="facts" { "CSV by " @for by in csv_kinds(library) { span { a href={ "/usage.csv?by=" (by) } { (by) } } } }
        (by_day(library, spending))
        div class="grid" {
            (by_cost(library, spending, "model", "By model"))
            (by_cost(library, spending, "project", "By project"))
            (by_tool(library, spending))
        }
        (by_block(library, spending))
    }
}

fn by_day(library: &Library, spending: &AllUsage) -> Markup {
    let mut days: BTreeMap<i64, f64> = BTreeMap::new();
    let day_of =
        |millis: i64| (millis + i64::from(library.minutes_from_utc(millis)) * 60_000).div_euclid(DAY);
    for (item, _) in &spending.items {
        if let Some(millis) = item.millis() {
            *days.entry(day_of(millis)).or_default() += item.cost.dollars();
        }
    }
    // A store that nobody uses any more still shows its last days.
    let last = days.keys().next_back().copied().unwrap_or_default().max(0);
    let name = |day: i64| Period::Day.name(day * DAY);
    let columns =
        bars((last - DAYS + 1..=last).map(|day| (name(day), days.get(&day).copied().unwrap_or_default())));
    let most = columns.iter().max_by(|left, right| left.value.total_cmp(&right.value)).cloned();
    html! {
        figure {
            figcaption { "Cost by day, the last " (DAYS) " until " (name(last))
                @if let Some(most) = most.filter(|most| most.value > 0.0) { "; most on " (most.label) ", " (dollars(most.value)) } }
            (chart::columns(&columns, "Cost by day"))
        }
        figure {
            figcaption { "A year of days" }
            div class="wide" tabindex="0" role="region" aria-label="Calendar of costs" {
                (chart::calendar(&calendar(&days, last, WEEKS), name, "Cost by day over a year"))
            }
        }
    }
}

fn by_cost(library: &Library, spending: &AllUsage, by: &str, caption: &str) -> Markup {
    let mut rows = spending.named(library, by);
    rows.sort_by(|left, right| right.cost.cmp(&left.cost).then_with(|| left.key.cmp(&right.key)));
    let rows =
        rows.iter().take(ROWS).map(|row| (line(library, figures::model(&row.key)), row.cost.dollars()));
    chart::rows(&bars(rows), caption)
}

fn by_tool(library: &Library, spending: &AllUsage) -> Markup {
    html! {
        table {
            caption { "By tool: calls" @if library.is_local() { "; " a href="/usage/tools" { "what their results cost" } } }
            tr { th scope="col" { "Tool" } th scope="col" class="right" { "Calls" } th scope="col" class="right" { "Failed" } }
            @for ToolCount { tool, calls, failures } in spending.tools.iter().take(ROWS) {
                tr { th scope="row" { (line(library, tool)) } td class="right" { (calls) } td class="right" { (failures) } }
            }
        }
    }
}

fn by_block(library: &Library, spending: &AllUsage) -> Markup {
    let blocks = blocks(spending.items.iter().map(|(item, _)| item));
    let now = library.now();
    html! {
        table {
            caption { "Blocks of five hours, newest first" }
            tr { th scope="col" { "From" } th scope="col" { "To" } th scope="col" class="right" { "Tokens" } th scope="col" class="right" { "Cost" } td {} }
            @for block in blocks.iter().rev().take(ROWS) {
                tr {
                    th scope="row" { (moment(library, block.start)) } td { (moment(library, block.end)) }
                    td class="right" { (figures::amount(block.row.tokens.total())) } td class="right" { (dollars(block.row.cost.dollars())) }
                    td { @if let Some(burn) = block.burn(now) { "now: " (dollars(burn.usd_per_hour)) " an hour" } }
                }
            }
        }
    }
}

/// The same numbers for a spreadsheet.
pub(crate) async fn csv(State(site): State<Site>, RawQuery(query): RawQuery) -> Result<Response, PageError> {
    let params = Params::parse(query.as_deref());
    let by = params.get("by").unwrap_or("day").to_owned();
    let kinds = csv_kinds(&site.library);
    if !kinds.contains(&by.as_str()) {
        return Err(PageError::bad_request(format!("There is CSV by {}.", kinds.join(", "))));
    }
    let name = format!("attachment; filename=\"usage-by-{by}.csv\"");
    let text = blocking(&site, move |library| {
        if by == "tool" {
            return Ok(ToolCosts::read(library, params.get("project")).csv(library));
        }
        let mut out =
            format!("{by},responses,input,output,cache_read,cache_write_5m,cache_write_1h,cost_usd\n");
        for row in AllUsage::read(library, &params)?.named(library, &by) {
            let tokens = &row.tokens;
            let numbers = [
                tokens.input,
                tokens.output,
                tokens.cache_read,
                tokens.cache_write_5m,
                tokens.cache_write_1h,
            ];
            let numbers = numbers.map(|number| number.to_string()).join(",");
            out.push_str(&format!(
                "{},{},{numbers},{:.6}\n",
                cell(&line(library, &row.key)),
                row.responses,
                row.cost.dollars()
            ));
        }
        Ok(out)
    })
    .await?;
    Ok((
        [(header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, name)],
        text,
    )
        .into_response())
}

/// A cell. A spreadsheet takes what begins with certain characters for a formula.
pub(super) fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_cell_is_never_a_formula() {
        assert_eq!(cell("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
        assert_eq!(cell("plain"), "\"plain\"");
    }
}
