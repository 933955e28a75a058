//! Prints a report as JSON.

use annals_json::ObjectWriter;
use annals_transcript::usage::UsageRow;

use super::rows::instant;
use super::{ReportRow, RowDetail, UsageReport};
use crate::context::Context;
use crate::json;

pub(super) fn page(page: &UsageReport, context: &mut Context) -> std::io::Result<()> {
    let as_of = context.prices.as_of().to_owned();
    context.out.json(|object| {
        object.string("by", page.by.name()).string("timeZone", &page.zone);
        object.array("rows", |list| {
            for row in &page.rows {
                list.object(|object| write_row(row, object));
            }
        });
        object.object("total", |object| write_row(&page.total, object));
        json::names(object, "unpriced", &page.total.usage.unpriced);
        json::names(object, "estimated", &page.total.usage.estimated);
        object.object("month", |object| {
            object.float("costUsd", page.month.so_far.dollars());
            object.float("usdADay", page.month.per_day.dollars());
            object.float("projectedUsd", page.month.projected.dollars());
        });
        object.object("uncounted", |object| json::usage_row(object, &page.uncounted));
        object.number("unreadFiles", page.unread as u64).string("pricesAsOf", &as_of);
    })
}

fn sums(row: &UsageRow, object: &mut ObjectWriter<'_>) {
    json::usage_row(object, row);
    object.float("withoutCacheUsd", row.without_cache.dollars());
    object.float("savedUsd", row.without_cache.minus(row.cost));
    object.string_or_null("first", row.first.map(instant).as_deref());
    object.string_or_null("last", row.last.map(instant).as_deref());
}

fn write_row(row: &ReportRow, object: &mut ObjectWriter<'_>) {
    sums(&row.usage, object);
    if !row.models.is_empty() {
        object.array("breakdown", |list| {
            for model in &row.models {
                list.object(|object| {
                    json::usage_row(object, model);
                    json::names(object, "unpriced", &model.unpriced);
                });
            }
        });
    }
    match &row.detail {
        RowDetail::None => {}
        RowDetail::Session { title, project, forked_from, store, machine } => {
            object.string_or_null("title", title.as_deref()).string("project", project);
            object.string_or_null("forkedFrom", forked_from.as_deref());
            object.string_if("store", store.as_deref());
            if let Some((machine, person)) = machine {
                object.string("machine", machine).string("person", person);
            }
        }
        RowDetail::Agent { session, project } => {
            object.string("session", session).string("project", project);
        }
        RowDetail::Tool { calls, errors, result_tokens } => {
            object.number("calls", *calls).number("errors", *errors).number("resultTokens", *result_tokens);
        }
        RowDetail::Block { start, end, gap, burn } => {
            object.string("start", &instant(*start)).string("end", &instant(*end));
            if let Some(gap) = gap.and_then(|gap| u64::try_from(gap).ok()) {
                object.number("gapMs", gap);
            }
            object.boolean("active", burn.is_some());
            if let Some(burn) = burn {
                object.object("burn", |object| {
                    object.number("leftMs", u64::try_from(burn.left).unwrap_or(0));
                    object
                        .float("tokensAMinute", burn.tokens_per_minute)
                        .float("usdAnHour", burn.usd_per_hour);
                    object.float("projectedUsd", burn.projected.dollars());
                });
            }
        }
    }
}
