//! `--by tool`: what the results of each tool cost to carry.

use annals_index::BriefKind;
use annals_store::source::Clock;
use annals_store::usage::{UsageFile, read_trail};
use annals_transcript::usage::{
    FileIndex, ResponseUsage, ToolFilter, ToolUsage, UsageRow, UsageSource, tool_report,
};

use super::account::{Account, Origin};
use super::briefs;
use super::rows::{Detail, Row};
use super::{Page, month};
use crate::args::UsageBy;
use crate::context::Context;
use crate::selection::Selection;

pub(super) fn page(origin: Origin, selection: &Selection, context: &Context) -> Page {
    let discovery = context.store.discover();
    let files = UsageFile::all(&discovery);
    let (usage, trails) =
        briefs::read(origin, BriefKind::Tools, &files, context, |file| read_trail(&file.entry));
    let filter = Looked { selection, sources: &usage.sources };
    let report = tool_report(&trails, &usage.ledger, &context.prices, &filter);
    let mut rows: Vec<Row> = report.tools.into_values().map(row).collect();
    rows.sort_by(|left, right| {
        let order = |row: &Row| (row.usage.cost, row.usage.tokens.total());
        order(right).cmp(&order(left)).then_with(|| left.usage.key.cmp(&right.usage.key))
    });
    let items = usage.items(&context.prices);
    let mut problems = discovery.problems;
    problems.extend(usage.problems);
    let account = Account { sources: usage.sources, items, problems };
    Page {
        by: UsageBy::Tool,
        rows,
        total: row(report.total),
        month: month(&account, selection, context.source.now()),
        zone: selection.zone_name().to_owned(),
        unread: account.problems.len(),
    }
}

fn row(usage: ToolUsage) -> Row {
    let ToolUsage { calls, errors, result_tokens, carried } = usage;
    // That it is an estimate goes for all of it, and not for some models.
    let usage = UsageRow { estimated: Default::default(), ..carried };
    Row { usage, detail: Detail::Tool { calls, errors, result_tokens }, course: Vec::new() }
}

/// The options as a filter of calls and requests.
struct Looked<'a> {
    selection: &'a Selection,
    sources: &'a [UsageSource],
}

impl ToolFilter for Looked<'_> {
    fn keeps_file(&self, file: FileIndex) -> bool {
        let source = self.sources.get(file as usize);
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
