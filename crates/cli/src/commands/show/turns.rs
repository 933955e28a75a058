//! `--as turns`: the turns, with duration, tools and cost.

use annals_json::ObjectWriter;
use annals_transcript::pairing::ToolPairs;
use annals_transcript::record::Record;
use annals_transcript::response::{Response, responses};
use annals_transcript::time::format_millis;
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::{Turn, prompt_opening, prompt_text, turns};
use annals_transcript::usage::{ResponseUsage, UsageRow, responses_usage};

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::ResolvedSession;
use crate::table::{Align, Table};
use crate::{json, words};

pub(crate) fn run(target: &ResolvedSession, context: &mut Context) -> Result<Outcome, Fault> {
    let bytes = target.read()?;
    let transcript = Transcript::parse(&bytes);
    let turns = turns(&transcript);
    let usage = responses_usage(&transcript);
    let rows: Vec<_> = turns.iter().map(|turn| (turn, usage_of(turn, &usage, context))).collect();
    if context.json {
        write_json(&transcript, &rows, context)?;
    } else {
        draw(&transcript, &rows, context)?;
    }
    Ok(if turns.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

/// What the responses that began in a turn used.
fn usage_of(turn: &Turn, usage: &[ResponseUsage], context: &Context) -> UsageRow {
    let mut row = UsageRow::new("turn");
    let records = turn.prompt..turn.end;
    let within = usage.iter().filter(|response| records.contains(&NodeIndex::new(response.position)));
    within.flat_map(ResponseUsage::charges).for_each(|charge| row.add(&charge, &context.prices));
    row
}

fn prompt(transcript: &Transcript<'_>, turn: &Turn) -> String {
    match transcript.record(turn.prompt) {
        Record::User(user) => prompt_text(&user),
        _ => String::new(),
    }
}

/// As much of the prompt as a table can show.
fn opening(transcript: &Transcript<'_>, turn: &Turn) -> String {
    match transcript.record(turn.prompt) {
        Record::User(user) => prompt_opening(&user),
        _ => String::new(),
    }
}

fn write_json(
    transcript: &Transcript<'_>,
    rows: &[(&Turn, UsageRow)],
    context: &mut Context,
) -> std::io::Result<()> {
    let parts = TurnParts::of(transcript);
    context.out.json(|object| {
        object.array("turns", |list| {
            for (index, (turn, row)) in rows.iter().enumerate() {
                list.object(|object| {
                    object.number("index", index as u64 + 1);
                    let uuid = transcript.node(turn.prompt).uuid.map(|uuid| uuid.to_string());
                    object.string_or_null("promptUuid", uuid.as_deref());
                    object.string("prompt", &prompt(transcript, turn));
                    object.string_or_null("started", turn.started.map(format_millis).as_deref());
                    object.string_or_null("ended", turn.ended.map(format_millis).as_deref());
                    json::number_or_null(object, "durationMs", turn.duration_ms());
                    object
                        .number("responses", turn.responses as u64)
                        .number("toolCalls", turn.tool_calls as u64);
                    json::tokens(object, "tokens", &row.tokens);
                    json::cost(object, row);
                    object.boolean("interrupted", turn.interrupted);
                    parts.write(turn, object);
                });
            }
        });
    })
}

/// The responses and calls of a file, to be divided among its turns.
struct TurnParts<'t, 'a> {
    transcript: &'t Transcript<'a>,
    responses: Vec<Response<'a>>,
    calls: ToolPairs<'a>,
}

impl<'t, 'a> TurnParts<'t, 'a> {
    fn of(transcript: &'t Transcript<'a>) -> Self {
        Self { transcript, responses: responses(transcript), calls: ToolPairs::new(transcript) }
    }

    /// Writes the last record of each response that began in a turn, and the calls that were made in it.
    fn write(&self, turn: &Turn, object: &mut ObjectWriter<'_>) {
        let records = turn.prompt..turn.end;
        let uuid = |node: NodeIndex| self.transcript.node(node).uuid.map(|uuid| uuid.to_string());
        let began_here = |response: &&Response<'_>| {
            !response.is_synthetic && response.nodes.first().is_some_and(|first| records.contains(first))
        };
        let last = |response: &Response<'_>| response.nodes.last().copied().and_then(uuid);
        let uuids: Vec<String> = self.responses.iter().filter(began_here).filter_map(last).collect();
        json::names(object, "responseUuids", uuids.iter().map(String::as_str));
        object.array("calls", |list| {
            for pair in self.calls.pairs.iter().filter(|pair| records.contains(&pair.call)) {
                list.object(|object| {
                    object.string("id", &pair.id.decode());
                    object.string_or_null("name", pair.name.map(|name| name.decode()).as_deref());
                    object.string_or_null("toolUseUuid", uuid(pair.call).as_deref());
                    object.string_or_null("resultUuid", pair.result.and_then(uuid).as_deref());
                });
            }
        });
    }
}

fn draw(
    transcript: &Transcript<'_>,
    rows: &[(&Turn, UsageRow)],
    context: &mut Context,
) -> std::io::Result<()> {
    let heads = [
        ("#", Align::Right),
        ("started", Align::Left),
        ("took", Align::Right),
        ("tools", Align::Right),
        ("tokens", Align::Right),
        ("cost", Align::Right),
        ("prompt", Align::Left),
    ];
    let mut table = Table::new(&heads).paint(1, Paint::Dim).keys(&[1]).optional(&[4, 3, 2]);
    for (index, (turn, row)) in rows.iter().enumerate() {
        let mark = if turn.interrupted { " [interrupted]" } else { "" };
        table.row(vec![
            (index + 1).to_string(),
            turn.started.map(|ms| words::moment(ms, &context.zone)).unwrap_or_default(),
            turn.duration_ms().map(words::duration).unwrap_or_default(),
            words::count(turn.tool_calls as u64),
            words::short_count(row.tokens.total()),
            words::cost(row),
            opening(transcript, turn) + mark,
        ]);
    }
    if table.is_empty() {
        context.out.line("no turns: the session has no prompt")
    } else {
        table.draw(&mut context.out)
    }
}
