//! What the results of tools cost: the estimate of `annals usage --by tool`, as a table and as CSV.

use annals_index::{SummaryCaches, SummaryKind};
use annals_store::usage::{UsageFile, read_trail};
use annals_transcript::usage::{FileIndex, ResponseUsage, ToolFilter, ToolUsage, UsageSource, tool_report};
use annals_ui::figures;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use maud::{Markup, html};

use super::usage::cell;
use super::{PageError, Params, Section, Site, blocking, dollars, html_response, line, shell};
use crate::library::Library;

/// The calls, results and estimated costs of all tools.
pub(super) struct ToolCosts {
    /// The most expensive first.
    tools: Vec<(String, ToolUsage)>,
    total: ToolUsage,
    /// Files that could not be read.
    unread: usize,
}

/// Keeps the files of a project.
struct ProjectFilter<'f> {
    project: Option<&'f str>,
    sources: &'f [UsageSource],
}

impl ToolFilter for ProjectFilter<'_> {
    fn keeps_file(&self, file: FileIndex) -> bool {
        let is_of = |project: &str| {
            self.sources.get(file.get()).is_some_and(|source| source.project_name() == project)
        };
        self.project.is_none_or(is_of)
    }

    fn keeps_call(&self, _: Option<i64>) -> bool {
        true
    }

    fn keeps_request(&self, _: &ResponseUsage) -> bool {
        true
    }
}

impl ToolCosts {
    /// Reads whole files, each again only after it has changed.
    pub(super) fn read(library: &Library, project: Option<&str>) -> Self {
        let listing = library.listing();
        let files: Vec<_> =
            listing.discoveries.iter().flat_map(|discovery| UsageFile::all(discovery)).collect();
        let configs = library.stores.iter().map(|store| store.config_dir().clone()).collect();
        let caches = SummaryCaches::of(configs, Some(&library.data), SummaryKind::Tools);
        let (usage, trails) = caches.read(&files, library.now(), |_| (), |file| read_trail(&file.entry));
        let filter = ProjectFilter { project, sources: &usage.sources };
        let report = tool_report(&trails, &usage.ledger, &library.prices, &filter);
        let mut tools: Vec<_> =
            report.tools.into_iter().map(|(name, usage)| (name.to_string(), usage)).collect();
        tools.sort_by(|(left_name, left), (right_name, right)| {
            let order = |usage: &ToolUsage| (usage.carried.cost, usage.carried.tokens.total());
            order(right).cmp(&order(left)).then_with(|| left_name.cmp(right_name))
        });
        Self { tools, total: report.total, unread: usage.problems.len() }
    }

    /// The table as CSV.
    pub(super) fn csv(&self, library: &Library) -> String {
        let mut out =
            "tool,calls,failed,result_tokens,requests,carried_tokens,estimated_cost_usd\n".to_owned();
        for (name, usage) in &self.tools {
            let carried = &usage.carried;
            out.push_str(&format!(
                "{},{},{},{},{},{},{:.6}\n",
                cell(&line(library, name)),
                usage.calls,
                usage.errors,
                usage.result_tokens,
                carried.responses,
                carried.tokens.total(),
                carried.cost.dollars()
            ));
        }
        out
    }

    fn table(&self, library: &Library) -> Markup {
        let row = |name: &str, usage: &ToolUsage| {
            html! {
                tr {
                    th scope="row" { (line(library, name)) }
                    td class="right" { (usage.calls) } td class="right" { (usage.errors) }
                    td class="right" { (figures::amount(usage.result_tokens)) }
                    td class="right" { (figures::amount(usage.carried.tokens.total())) }
                    td class="right" { (dollars(usage.carried.cost.dollars())) }
                }
            }
        };
        html! {
            div class="wide" tabindex="0" role="region" aria-label="Cost by tool" {
                table {
                    caption { "The most expensive first" }
                    thead { tr {
                        th scope="col" { "Tool" }
                        @for name in ["Calls", "Failed", "Tokens of results", "Tokens carried", "Estimated cost"] { th scope="col" class="right" { (name) } }
                    } }
                    tbody { @for (name, usage) in &self.tools { (row(name, usage)) } }
                    tfoot { (row("All tools", &self.total)) }
                }
            }
        }
    }
}

pub(crate) async fn page(State(site): State<Site>, RawQuery(query): RawQuery) -> Result<Response, PageError> {
    let params = Params::parse(query.as_deref());
    let page = blocking(&site, move |library| {
        let project = params.get("project");
        let costs = ToolCosts::read(library, project);
        let body = html! {
            h1 { "Cost by tool" }
            @if let Some(project) = project { p class="notice" { "Of the project " b { (line(library, project)) } ". " a href="/usage/tools" { "All projects" } } }
            p { "An estimate of what the results of each tool cost: every later request of a conversation carries them, until it is compacted. It is a part of the other sums, not in addition to them. A result counts as a token for each four bytes; a request is never charged with more than its own tokens." }
            p class="facts" { span { a href="/usage.csv?by=tool" { "CSV" } } span { a href="/usage" { "All usage" } } }
            @if costs.unread > 0 { p class="notice" { (figures::counted(costs.unread, "file")) " could not be read: annals check --all" } }
            (costs.table(library))
        };
        Ok(shell(library, "Cost by tool", Section::Usage, &body))
    });
    Ok(html_response(page.await?))
}
