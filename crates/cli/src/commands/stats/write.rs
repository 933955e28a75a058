//! Prints the report as JSON.

use annals_json::ObjectWriter;
use annals_transcript::activity::Quantiles;
use annals_transcript::usage::Period;

use super::{DAY_MILLIS, StatsReport, draw};
use crate::context::Context;
use crate::json;

pub(super) fn page(page: &StatsReport, context: &mut Context) -> std::io::Result<()> {
    let done = &page.activity;
    context.out.json(|object| {
        object.string("timeZone", &page.zone);
        object.number("sessions", page.sessions).number("projects", page.projects);
        object.number("turns", done.turns).number("interrupted", done.interrupted);
        quantiles(object, "turnMs", page.turns);
        object.number("daysActive", done.days.len() as u64);
        object.number("longestStreak", page.streaks.longest).number("currentStreak", page.streaks.current);
        object.array("hours", |list| {
            for count in &done.hours {
                list.item().extend_from_slice(count.to_string().as_bytes());
            }
        });
        object.array("days", |list| {
            for (day, turns) in &done.days {
                list.object(|object| {
                    object.string("day", &Period::Day.name(day * DAY_MILLIS)).number("turns", *turns);
                });
            }
        });
        object.object("context", |object| {
            quantiles(object, "first", page.growth.first);
            quantiles(object, "peak", page.growth.peak);
            quantiles(object, "perResponse", page.growth.per_response);
            object.number("compactions", done.compactions);
        });
        tools(page, object);
        object.array("models", |list| {
            for row in &page.models.rows {
                list.object(|object| json::usage_row(object, row));
            }
        });
        object.object("subAgents", |object| {
            object.number("count", page.agent_count).number("responses", page.agents.responses);
            json::tokens(object, "tokens", &page.agents.tokens);
            json::cost(object, &page.agents);
            object.array("kinds", |list| {
                for (kind, count) in &done.agent_kinds {
                    list.object(|object| {
                        object.string("kind", kind).number("started", *count);
                    });
                }
            });
        });
        object.array("files", |list| {
            for (path, touches) in done.most_touched() {
                list.object(|object| {
                    object
                        .string("file", path)
                        .number("changes", touches.changes)
                        .number("reads", touches.reads);
                });
            }
        });
        object.number("unreadFiles", page.unread as u64);
        match &page.client {
            Some(client) => object.object("clientStats", |object| client.write(object)),
            None => object.raw("clientStats", b"null"),
        };
    })
}

fn tools(page: &StatsReport, object: &mut ObjectWriter<'_>) {
    object.array("tools", |list| {
        for (name, tool) in draw::by_calls(page) {
            list.object(|object| {
                object.string("name", name).number("calls", tool.calls).number("errors", tool.errors);
                object.number("unanswered", tool.unanswered);
                object.float("errorRate", tool.errors as f64 / tool.calls.max(1) as f64);
                quantiles(object, "ms", Quantiles::of(tool.durations.iter().copied()));
            });
        }
    });
}

fn quantiles(object: &mut ObjectWriter<'_>, key: &str, found: Option<Quantiles>) {
    match found {
        None => object.raw(key, b"null"),
        Some(found) => object.object(key, |object| {
            object.number("count", found.count).number("median", found.median).number("p90", found.p90);
            object.number("most", found.max).number("sum", found.sum);
        }),
    };
}
