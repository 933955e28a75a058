//! `--by tool`: what the results of each tool cost in the context.

use annals_index::SummaryKind;
use annals_store::source::Clock;
use annals_store::usage::{UsageFile, read_trail};
use annals_transcript::usage::{
    FileIndex, ResponseUsage, ToolFilter, ToolUsage, UsageRow, UsageSource, tool_report,
};

use super::brief_cache;
use super::items::{UsageItems, UsageOrigin};
use super::rows::{ReportRow, RowDetail};
use super::{Precision, UsageReport, month};
use crate::args::UsageBy;
use crate::context::Context;
use crate::selection::Selection;
use crate::uncounted::UncountedUsage;

pub(super) fn page(origin: UsageOrigin, selection: &Selection, context: &Context) -> UsageReport {
    let discovery = context.discover_all();
    let files = UsageFile::all(&discovery);
    let (usage, trails) =
        brief_cache::read(origin, SummaryKind::Tools, &files, context, |file| read_trail(&file.entry));
    let filter = ToolSelection { selection, sources: &usage.sources };
    let report = tool_report(&trails, &usage.ledger, &context.prices, &filter);
    let mut rows: Vec<ReportRow> = report.tools.into_values().map(row).collect();
    rows.sort_by(|left, right| {
        let order = |row: &ReportRow| (row.usage.cost, row.usage.tokens.total());
        order(right).cmp(&order(left)).then_with(|| left.usage.key.cmp(&right.usage.key))
    });
    let items = usage.items(&context.prices);
    context.note_unread(usage.problems.iter().cloned());
    let mut problems = discovery.problems;
    problems.extend(usage.problems);
    // What the results of tools cost is an estimate from the requests that are there.
    let uncounted = UncountedUsage::default();
    let account = UsageItems { sources: usage.sources, items, problems, uncounted, team: None };
    UsageReport {
        by: UsageBy::Tool,
        rows,
        total: row(report.total),
        month: month(&account, selection, context.source.now()),
        zone: selection.zone_name().to_owned(),
        unread: account.problems.len(),
        uncounted: UsageRow::new("uncounted"),
        precision: Precision::Fitted,
    }
}

fn row(usage: ToolUsage) -> ReportRow {
    let ToolUsage { calls, errors, result_tokens, mut carried, .. } = usage;
    // All of it is an estimate, not only that of some models.
    carried.estimated.clear();
    ReportRow { detail: RowDetail::Tool { calls, errors, result_tokens }, ..ReportRow::plain(carried) }
}

/// Filters calls and requests by the options.
struct ToolSelection<'a> {
    selection: &'a Selection,
    sources: &'a [UsageSource],
}

impl ToolFilter for ToolSelection<'_> {
    fn keeps_file(&self, file: FileIndex) -> bool {
        let source = self.sources.get(file.get());
        source.is_none_or(|source| self.selection.keeps_project(&source.slug, source.project.as_deref()))
    }

    fn keeps_call(&self, millis: Option<i64>) -> bool {
        self.selection.keeps_time(millis)
    }

    fn keeps_request(&self, response: &ResponseUsage) -> bool {
        self.selection.keeps_time(response.millis)
            && self.selection.keeps_model(response.reading.model.as_deref())
    }
}
