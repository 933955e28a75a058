//! `annals usage`: tokens and cost over the store, summed by whatever is asked for.

pub(crate) mod account;
pub(crate) mod briefs;
mod compare;
mod draw;
mod rows;
mod statusline;
mod tools;
mod write;

use annals_store::source::Clock;
use annals_transcript::usage::{Projection, UsageRow, project_month};

use crate::args::{UsageArgs, UsageBy};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::selection::Selection;
use crate::when;
use account::{Account, Origin};
use rows::{Detail, Row};

/// Everything that is shown.
struct Page {
    by: UsageBy,
    rows: Vec<Row>,
    total: Row,
    month: Projection,
    zone: String,
    unread: usize,
}

pub(crate) fn run(args: &UsageArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let selection = Selection::new(&args.selection, context)?;
    if args.statusline {
        return statusline::run(&selection, context);
    }
    if args.compare {
        return compare::run(&selection, context);
    }
    let origin = Origin::of(args.no_index);
    let page = match args.by {
        UsageBy::Tool => tools::page(origin, &selection, context),
        by => page(by, &Account::of(origin, context), &selection, context),
    };
    if context.json {
        write::page(&page, context)?;
    } else if page.rows.is_empty() {
        context.out.line("no usage")?;
    } else {
        draw::page(&page, context)?;
    }
    Ok(if page.rows.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn page(by: UsageBy, account: &Account, selection: &Selection, context: &Context) -> Page {
    let now = context.source.now();
    let rows = rows::rows(by, account, selection, now, context);
    let mut total = UsageRow::new("total");
    account.selected(selection).for_each(|item| total.add_item(item));
    let total = Row::plain(total);
    let zone = selection.zone_name().to_owned();
    Page { by, rows, total, month: month(account, selection, now), zone, unread: account.problems.len() }
}

/// The projection of the running month, of what is looked at but for its days.
fn month(account: &Account, selection: &Selection, now: i64) -> Projection {
    let (start, end) = when::month_of(now, &selection.zone);
    let of_any_day = account.items.iter().filter(|item| {
        let source = account.source(item);
        selection.keeps_model(item.model.as_deref())
            && source.is_none_or(|source| selection.keeps_project(&source.slug, source.project.as_deref()))
    });
    project_month(of_any_day, start, end, now)
}
