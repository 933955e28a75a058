//! `--as usage`: tokens and cost of a session, by thread: the conversation itself and each of its sub-agents.

use annals_transcript::transcript::Transcript;
use annals_transcript::usage::{FileIndex, Report, UsageLedger, UsageRow, group, responses_usage};

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::ResolvedSession;
use crate::table::{Align, Table};
use crate::{json, words};

pub(crate) fn run(target: &ResolvedSession, context: &mut Context) -> Result<Outcome, Fault> {
    let bytes = target.read()?;
    let files = target.agents();
    // One ledger over all files: an agent's line that was copied into the session counts once.
    let mut ledger = UsageLedger::new();
    let mut names = vec![target.key.to_string()];
    ledger.add_file(FileIndex::new(0), responses_usage(&Transcript::parse(&bytes)));
    for (index, file) in (1..).map(FileIndex::new).zip(&files) {
        ledger.add_file(index, responses_usage(&Transcript::parse(&file.bytes)));
        names.push(format!("agent-{}", file.entry.key));
    }
    let report = group(ledger.charges(), &context.prices, |file, _| names.get(file.get()).cloned());
    if context.json {
        write_json(&report, context)?;
    } else {
        draw(&report, context)?;
    }
    Ok(Outcome::Done)
}

fn write_json(report: &Report, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.array("rows", |list| {
            for row in &report.rows {
                list.object(|object| json::usage_row(object, row));
            }
        });
        object.object("total", |object| json::usage_row(object, &report.total));
        json::names(object, "unpriced", &report.total.unpriced);
        object.string("pricesAsOf", context.prices.as_of());
    })
}

fn draw(report: &Report, context: &mut Context) -> std::io::Result<()> {
    let heads = [
        ("thread", Align::Left),
        ("responses", Align::Right),
        ("input", Align::Right),
        ("output", Align::Right),
        ("cache read", Align::Right),
        ("write 5m", Align::Right),
        ("write 1h", Align::Right),
        ("cost", Align::Right),
    ];
    let mut table = Table::new(&heads).paint(0, Paint::Cyan).paint(7, Paint::Green).optional(&[5, 6, 2, 1]);
    let cells = |row: &UsageRow| {
        let tokens = &row.tokens;
        let counts =
            [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write_5m, tokens.cache_write_1h];
        let mut cells = vec![row.key.clone(), words::count(row.responses)];
        cells.extend(counts.map(words::count));
        cells.push(words::cost(row));
        cells
    };
    report.rows.iter().for_each(|row| table.row(cells(row)));
    table.row(cells(&report.total));
    table.draw(&mut context.out)?;
    if !report.total.unpriced.is_empty() {
        let names: Vec<_> = report.total.unpriced.iter().map(|name| name.to_string()).collect();
        context.out.line("")?;
        context.out.line(format!("no price known for: {}", names.join(", ")))?;
    }
    context.out.line("")?;
    let as_of = format!("prices as of {}", context.prices.as_of());
    let as_of = context.out.paint(Paint::Dim, as_of);
    context.out.line(as_of)
}
