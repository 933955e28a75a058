//! `--as counts`: counts records, messages, calls and tokens of the session's own file.

use std::collections::BTreeMap;

use annals_transcript::graph::Graph;
use annals_transcript::query::Counts;
use annals_transcript::record::RecordKind;
use annals_transcript::transcript::Transcript;

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::ResolvedSession;
use crate::table::{Align, Table};
use crate::{json, words};

pub(crate) fn run(target: &ResolvedSession, context: &mut Context) -> Result<Outcome, Fault> {
    let bytes = target.read()?;
    let transcript = Transcript::parse(&bytes);
    let counts = Counts::of(&transcript, &Graph::new(&transcript));
    if context.json {
        write_json(&counts, context)?;
    } else {
        draw(&counts, context)?;
    }
    Ok(if counts.records == 0 { Outcome::NothingFound } else { Outcome::Done })
}

fn write_json(counts: &Counts, context: &mut Context) -> std::io::Result<()> {
    let messages = &counts.messages;
    context.out.json(|object| {
        object.number("records", counts.records as u64);
        object.object("kinds", |object| {
            for (kind, &count) in &counts.kinds {
                object.number(kind.name(), count as u64);
            }
        });
        object.object("messages", |object| {
            object.number("total", messages.total() as u64).number("user", messages.user as u64);
            object.number("assistant", messages.assistant as u64).number("system", messages.system as u64);
        });
        object.number("prompts", counts.prompts as u64).number("responses", counts.responses as u64);
        object.number("toolCalls", counts.tool_calls as u64);
        object.number("toolResults", counts.tool_results as u64);
        object.number("toolErrors", counts.tool_errors as u64).number("apiErrors", counts.api_errors as u64);
        object.number("sidechainLines", counts.sidechain_lines as u64);
        object.number("compactions", counts.compactions as u64);
        json::tokens(object, "tokens", &counts.tokens);
        for (key, found) in [("stopReasons", &counts.stop_reasons), ("contentBlocks", &counts.blocks)] {
            object.object(key, |object| {
                for (name, &count) in found {
                    object.number(name, count as u64);
                }
            });
        }
    })
}

fn draw(counts: &Counts, context: &mut Context) -> std::io::Result<()> {
    let heads = [("what", Align::Left), ("count", Align::Right), ("of which", Align::Left)];
    let mut table = Table::new(&heads).paint(0, Paint::Cyan).paint(2, Paint::Dim);
    let mut row = |what: &str, count: u64, parts: &[(u64, &str)]| {
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = parts.map(|(count, name)| format!("{} {name}", words::count(*count))).collect();
        table.row(vec![what.to_owned(), words::count(count), parts.join(", ")]);
    };
    let messages = &counts.messages;
    let tokens = &counts.tokens;
    let kinds = kinds(counts);
    row("records", counts.records as u64, &kinds);
    let roles = [(messages.user, "user"), (messages.assistant, "assistant"), (messages.system, "system")];
    row("messages", messages.total() as u64, &roles.map(|(count, name)| (count as u64, name)));
    row("prompts", counts.prompts as u64, &[]);
    row("responses", counts.responses as u64, &by_count(&counts.stop_reasons));
    let blocks = by_count(&counts.blocks);
    row("content blocks", blocks.iter().map(|(count, _)| count).sum(), &blocks);
    row("tool calls", counts.tool_calls as u64, &[(counts.tool_errors as u64, "failed")]);
    row("tool results", counts.tool_results as u64, &[]);
    row("API errors", counts.api_errors as u64, &[]);
    row("sub-agent lines", counts.sidechain_lines as u64, &[]);
    row("compactions", counts.compactions as u64, &[]);
    let classes = [
        (tokens.input, "input"),
        (tokens.output, "output"),
        (tokens.cache_read, "cache read"),
        (tokens.cache_write_5m, "cache write 5m"),
        (tokens.cache_write_1h, "cache write 1h"),
    ];
    row("tokens", tokens.total(), &classes);
    table.draw(&mut context.out)
}

/// Names and their counts, most frequent first.
fn by_count(found: &BTreeMap<String, usize>) -> Vec<(u64, &str)> {
    let mut found: Vec<_> = found.iter().map(|(name, &count)| (count as u64, name.as_str())).collect();
    found.sort_by_key(|(count, name)| (std::cmp::Reverse(*count), *name));
    found
}

/// The types of records, most frequent first.
fn kinds(counts: &Counts) -> Vec<(u64, &'static str)> {
    let mut kinds: Vec<(u64, RecordKind)> =
        counts.kinds.iter().map(|(&kind, &count)| (count as u64, kind)).collect();
    kinds.sort_by_key(|(count, kind)| (std::cmp::Reverse(*count), *kind));
    kinds.into_iter().map(|(count, kind)| (count, kind.name())).collect()
}
