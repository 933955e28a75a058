//! `annals usage`: reports tokens and cost over the store.

mod breakdown;
pub(crate) mod brief_cache;
mod compare;
mod draw;
pub(crate) mod items;
mod rows;
mod statusline;
mod team;
mod tools;
mod write;

use annals_store::source::Clock;
use annals_transcript::usage::{MonthProjection, UsageRow, project_month};

use crate::args::{UsageArgs, UsageBy};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::selection::Selection;
use crate::{team_store, when};
pub(crate) use draw::FORK_NOTE;
use items::{UsageItems, UsageOrigin};
use rows::{ReportRow, RowDetail};

/// Everything that is printed.
struct UsageReport {
    by: UsageBy,
    rows: Vec<ReportRow>,
    total: ReportRow,
    month: MonthProjection,
    zone: String,
    unread: usize,
    /// The selected usage that is not in the rows.
    uncounted: UsageRow,
    precision: Precision,
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    /// `403k` where there is no room for more.
    Fitted,
    /// `403,117`, always.
    Exact,
}

pub(crate) fn run(args: &UsageArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let selection = Selection::new(&args.selection, context)?;
    if args.at.at.is_some() && (args.statusline || args.compare) {
        return Err(Fault::usage("--statusline and --compare report on this machine, but --at asks a team"));
    }
    if args.statusline {
        return statusline::run(&selection, context);
    }
    if args.compare {
        return compare::run(&selection, context);
    }
    let engine = args.at.open(context)?;
    if engine.is_none() && matches!(args.by, UsageBy::Person | UsageBy::Team) {
        return Err(Fault::usage(format!("--by {} needs --at URL", args.by.name())));
    }
    let origin = UsageOrigin::of(args.no_index);
    let mut page = match (&engine, args.by) {
        (Some(engine), UsageBy::Tool) => {
            team_store::fetch_all(engine, &args.at.scope.scope(), context)?;
            tools::page(origin, &selection, context)
        }
        (Some(engine), by) => {
            page(by, &UsageItems::of_team(engine, &args.at.scope.scope(), by, context)?, &selection, context)
        }
        (None, UsageBy::Tool) => tools::page(origin, &selection, context),
        (None, by) => page(by, &UsageItems::of(origin, context), &selection, context),
    };
    if args.exact {
        page.precision = Precision::Exact;
    }
    if args.no_models {
        page.rows.iter_mut().for_each(|row| row.models.clear());
    }
    if context.json {
        write::page(&page, context)?;
    } else if page.rows.is_empty() {
        let place = args.at.at.clone().unwrap_or_else(|| context.store.names());
        context.out.line(format!("no usage found in {place}"))?;
    } else {
        draw::page(&page, context)?;
    }
    Ok(if page.rows.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn page(by: UsageBy, account: &UsageItems, selection: &Selection, context: &Context) -> UsageReport {
    let now = context.source.now();
    let rows = rows::rows(by, account, selection, now, context);
    let mut total = UsageRow::new("total");
    account.selected(selection).for_each(|item| total.add_item(item));
    let total = ReportRow::plain(total);
    let zone = selection.zone_name().to_owned();
    UsageReport {
        by,
        rows,
        total,
        month: month(account, selection, now),
        zone,
        unread: account.problems.len(),
        uncounted: account.uncounted.sum(|item, source| selection.keeps(item, source)),
        precision: Precision::Fitted,
    }
}

/// The projection of the current month, for the selection without its days.
fn month(account: &UsageItems, selection: &Selection, now: i64) -> MonthProjection {
    let (start, end) = when::month_of(now, &selection.zone);
    let of_any_day = account.items.iter().filter(|item| {
        let source = account.source(item);
        selection.keeps_model(item.model.as_deref())
            && source.is_none_or(|source| selection.keeps_project(&source.slug, source.project.as_deref()))
    });
    project_month(of_any_day, start, end, now)
}
