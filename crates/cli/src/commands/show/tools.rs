//! `--as tools`: every tool call and its result.

use annals_json::{Fields, ObjectWriter, Value};
use annals_transcript::content::{Block, ToolResult};
use annals_transcript::pairing::{ToolPair, ToolPairs};
use annals_transcript::record::Record;
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::ResolvedSession;
use crate::table::{Align, Table};
use crate::{json, words};

pub(crate) fn run(target: &ResolvedSession, context: &mut Context) -> Result<Outcome, Fault> {
    let bytes = target.read()?;
    let transcript = Transcript::parse(&bytes);
    let pairs = ToolPairs::new(&transcript);
    if context.json {
        write_json(&transcript, &pairs, context)?;
    } else {
        draw(&transcript, &pairs, context)?;
    }
    Ok(if pairs.pairs.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn write_json(
    transcript: &Transcript<'_>,
    pairs: &ToolPairs<'_>,
    context: &mut Context,
) -> std::io::Result<()> {
    let uuid = |node: NodeIndex| transcript.node(node).uuid.map(|uuid| uuid.to_string());
    context.out.json(|object| {
        object.array("tools", |list| {
            for pair in &pairs.pairs {
                list.object(|object| {
                    object.string("id", &pair.id.decode());
                    object.string_or_null("name", pair.name.map(|name| name.decode()).as_deref());
                    object.raw("input", pair.input.as_ref().map_or(b"null".as_slice(), Fields::raw));
                    object.string_or_null("toolUseUuid", uuid(pair.call).as_deref());
                    object.string_or_null("resultUuid", pair.result.and_then(uuid).as_deref());
                    object.boolean("isError", pair.is_error);
                    json::number_or_null(object, "durationMs", pair.duration_ms(transcript));
                    let agent = pair.agent.map(|agent| agent.decode());
                    object.string_or_null("agentId", agent.as_deref());
                    write_result(transcript, pair, object);
                });
            }
        });
        if !pairs.orphans.is_empty() {
            object.array("orphanResults", |list| {
                for (id, node) in &pairs.orphans {
                    list.object(|object| {
                        object
                            .string("id", &id.decode())
                            .string_or_null("resultUuid", uuid(*node).as_deref());
                    });
                }
            });
        }
    })
}

/// Writes the text that the model got, and what the client stored beside it, in the tool's own form.
fn write_result(transcript: &Transcript<'_>, pair: &ToolPair<'_>, object: &mut ObjectWriter<'_>) {
    let record = pair.result.map(|node| transcript.record(node));
    let (text, stored) = match &record {
        Some(Record::User(user)) => {
            let is_of_call =
                |result: &ToolResult<'_>| result.tool_use().is_some_and(|id| id.decode() == pair.id.decode());
            let results = user.content().blocks().filter_map(|block| match block {
                Block::ToolResult(result) => Some(result),
                _ => None,
            });
            let text = results.into_iter().find(is_of_call).map(|result| match result.content() {
                Some(content) => content.plain_text(),
                None => String::new(),
            });
            (text, user.tool_use_result_value())
        }
        _ => (None, None),
    };
    object.string_or_null("result", text.as_deref());
    object.raw("toolUseResult", stored.as_ref().map_or(b"null".as_slice(), |value| value.raw()));
}

fn draw(transcript: &Transcript<'_>, pairs: &ToolPairs<'_>, context: &mut Context) -> std::io::Result<()> {
    let heads = [
        ("line", Align::Right),
        ("tool", Align::Left),
        ("took", Align::Right),
        ("result", Align::Left),
        ("input", Align::Left),
    ];
    let mut table = Table::new(&heads).paint(0, Paint::Dim).paint(1, Paint::Cyan);
    for pair in &pairs.pairs {
        let result = match (pair.result, pair.is_error) {
            (None, _) => "unanswered",
            (Some(_), true) => "error",
            (Some(_), false) => "ok",
        };
        table.row(vec![
            transcript.node(pair.call).line.to_string(),
            pair.name.map(|name| name.to_string()).unwrap_or_default(),
            pair.duration_ms(transcript).map(words::duration).unwrap_or_default(),
            result.to_owned(),
            main_argument(pair),
        ]);
    }
    if table.is_empty() {
        return context.out.line("no tool calls");
    }
    table.draw(&mut context.out)?;
    let (errors, open) =
        (pairs.pairs.iter().filter(|pair| pair.is_error).count(), pairs.unanswered().count());
    let calls = words::plural(pairs.pairs.len() as u64, "call", "calls");
    context.out.line("")?;
    context.out.line(format!("{calls}, {errors} failed, {open} unanswered"))
}

/// The most telling argument of a call.
fn main_argument(pair: &ToolPair<'_>) -> String {
    const TELLING: [&str; 11] = [
        "command",
        "file_path",
        "path",
        "notebook_path",
        "pattern",
        "url",
        "query",
        "description",
        "skill",
        "prompt",
        "subject",
    ];
    let Some(input) = &pair.input else { return String::new() };
    let known = TELLING.iter().find_map(|key| input.text(key)).map(|text| text.head(200).into_owned());
    let first = || {
        input.iter().next().map(|field| field.value).and_then(Value::text).map(|t| t.head(200).into_owned())
    };
    known.or_else(first).unwrap_or_default()
}
