//! `--compare`: compares our figures with those that the client recorded, and explains differences.

use std::collections::BTreeSet;

use annals_json::ObjectWriter;
use annals_store::stats_cache::{StatsCache, read_stats_cache};
use annals_store::usage::{
    MismatchReason, StatsComparison, StoreUsage, UsageComparison, UsageFile, compare_noted_costs,
    compare_stats_cache, read_noted,
};
use annals_transcript::time::format_millis;
use annals_transcript::usage::{Period, Thread, Tokens};

use super::items::reading;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::json;
use crate::output::Paint;
use crate::selection::Selection;
use crate::table::{Align, Table};
use crate::words;

pub(super) fn run(selection: &Selection, context: &mut Context) -> Result<Outcome, Fault> {
    let discovery = context.discover();
    let files = UsageFile::all(&discovery);
    let (usage, noted) = reading(&files, context, |advance| {
        StoreUsage::read_with(&files, advance, |file| read_noted(&file.entry))
    });
    context.note_unread(usage.problems.iter().cloned());
    let of_sessions = files.iter().zip(noted).filter(|(file, _)| file.thread == Thread::Main);
    let noted: Vec<_> = of_sessions.filter_map(|(file, cost)| Some((file.session.clone(), cost?))).collect();
    let sessions = compare_noted_costs(&noted, &usage, &context.prices);
    let file = read_stats_cache(context.store.config_dir())?;
    let stats = match file.as_ref().map(StatsCache::of_file) {
        Some(Ok(stats)) => {
            let day = |millis| Period::Day.name(selection.local(millis));
            Some(compare_stats_cache(&stats, &usage, &context.prices, day))
        }
        Some(Err(problem)) => {
            context.say(format!("stats-cache.json is ignored: {}", problem));
            None
        }
        None => None,
    };
    if context.json {
        write(stats.as_ref(), &sessions, context)?;
    } else {
        draw(stats.as_ref(), &sessions, selection, context)?;
    }
    Ok(if stats.is_none() && sessions.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn draw(
    stats: Option<&StatsComparison>,
    sessions: &[UsageComparison],
    selection: &Selection,
    context: &mut Context,
) -> std::io::Result<()> {
    context.out.page();
    match stats {
        None => context.out.line("no stats-cache.json")?,
        Some(stats) => {
            let until = stats.computed.as_deref().unwrap_or("an unknown day");
            let head = context.out.paint(Paint::Bold, format!("stats-cache.json, up to {until}"));
            context.out.line(head)?;
            table("model", &stats.models, context)?;
            context.out.line("")?;
            context.out.line(format!(
                "after that day: {} in {}",
                words::dollars(stats.after.cost.dollars()),
                words::plural(stats.after.responses, "response", "responses"),
            ))?;
            if let (Some(theirs), Some(ours)) = (stats.first_theirs, stats.first_ours)
                && Period::Day.name(selection.local(theirs)) < Period::Day.name(selection.local(ours))
            {
                let day = |millis| words::day(millis, &selection.zone);
                context.out.line(format!(
                    "the client counts from {}; the oldest response in the store is from {}",
                    day(theirs),
                    day(ours)
                ))?;
            }
        }
    }
    context.out.line("")?;
    let models = stats.iter().flat_map(|stats| &stats.models);
    if sessions.is_empty() {
        context.out.line("no session has a cost-state record")?;
        return legend(models, context);
    }
    let head = context.out.paint(Paint::Bold, "cost-state, the last of each session");
    context.out.line(head)?;
    table("session", sessions, context)?;
    legend(models.chain(sessions), context)
}

fn table(key: &'static str, rows: &[UsageComparison], context: &mut Context) -> std::io::Result<()> {
    let heads = [
        (key, Align::Left),
        ("tokens", Align::Right),
        ("client's", Align::Right),
        ("cost", Align::Right),
        ("client's", Align::Right),
        ("why", Align::Left),
    ];
    let mut table = Table::new(&heads).paint(0, Paint::Cyan).paint(3, Paint::Green);
    for row in rows {
        let name = if key == "session" { row.key.chars().take(8).collect() } else { row.key.clone() };
        let their_cost = if row.their_usd == 0.0 { "–".to_owned() } else { words::dollars(row.their_usd) };
        table.row(vec![
            name,
            words::short_count(row.ours.total()),
            words::short_count(row.theirs.total()),
            words::dollars(row.our_usd),
            their_cost,
            why(row),
        ]);
    }
    table.draw(&mut context.out)
}

fn why(row: &UsageComparison) -> String {
    if row.only_theirs.is_empty() || row.reason == MismatchReason::None {
        return row.reason.name().to_owned();
    }
    let names: Vec<_> = row.only_theirs.iter().cloned().collect();
    format!("{}; no line of {}", row.reason.name(), names.join(", "))
}

/// Explains the words in the last column.
fn legend<'a>(rows: impl Iterator<Item = &'a UsageComparison>, context: &mut Context) -> std::io::Result<()> {
    let gaps: BTreeSet<MismatchReason> = rows.map(|row| row.reason).collect();
    context.out.line("")?;
    for reason in gaps {
        context.out.line(format!("{:<15}  {}", reason.name(), reason.explanation()))?;
    }
    Ok(())
}

fn write(
    stats: Option<&StatsComparison>,
    sessions: &[UsageComparison],
    context: &mut Context,
) -> std::io::Result<()> {
    context.out.json(|object| {
        match stats {
            None => object.raw("statsCache", b"null"),
            Some(stats) => object.object("statsCache", |object| {
                object.string_or_null("lastComputedDate", stats.computed.as_deref());
                list(object, "models", &stats.models);
                object.object("after", |object| {
                    object.number("responses", stats.after.responses);
                    json::tokens(object, "tokens", &stats.after.tokens);
                    json::cost(object, &stats.after);
                });
                object.string_or_null("firstSession", stats.first_theirs.map(format_millis).as_deref());
                object.string_or_null("firstResponse", stats.first_ours.map(format_millis).as_deref());
            }),
        };
        list(object, "costStates", sessions);
    })
}

fn list(object: &mut ObjectWriter<'_>, key: &str, rows: &[UsageComparison]) {
    object.array(key, |list| {
        for row in rows {
            list.object(|object| {
                object.string("key", &row.key);
                side(object, "ours", &row.ours, row.our_usd);
                side(object, "client", &row.theirs, row.their_usd);
                object.string("why", row.reason.name()).string("explanation", row.reason.explanation());
                json::names(object, "onlyClient", &row.only_theirs);
            });
        }
    });
}

fn side(object: &mut ObjectWriter<'_>, key: &str, tokens: &Tokens, usd: f64) {
    object.object(key, |object| {
        object.number("input", tokens.input).number("output", tokens.output);
        object.number("cacheRead", tokens.cache_read).number("cacheWrite", tokens.cache_write());
        object.float("costUsd", usd);
    });
}
