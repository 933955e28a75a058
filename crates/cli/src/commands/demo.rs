//! `annals demo`: writes a made-up store; the same seed gives the same store.

use annals_demo::Plan;
use annals_store::write_tree::{DemoError, DemoWriter};

use crate::args::DemoArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::words;

pub(crate) fn run(args: &DemoArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let writer = DemoWriter::create(&args.out).map_err(fault)?;
    let plan = Plan { sessions: args.sessions, bytes: args.bytes, seed: args.seed };
    let mut progress = context.progress("writing", args.bytes);
    let tally = annals_demo::generate(&plan, &mut |file| {
        progress.advance(file.bytes.len() as u64, words::bytes);
        writer.write(&file.path, &file.bytes, Some(file.modified_ms)).map(drop)
    })
    .map_err(fault)?;
    drop(progress);
    let wanted = (args.sessions.map_or(u64::MAX, u64::from), args.bytes.unwrap_or(u64::MAX));
    if tally.sessions > wanted.0 || tally.bytes > wanted.1.saturating_mul(2) {
        context.say("a made-up store has one session of each kind; it cannot be smaller");
    }
    if context.json {
        context.out.json(|object| {
            object.string("out", &args.out.display().to_string());
            object
                .number("files", tally.files)
                .number("sessions", tally.sessions)
                .number("subAgents", tally.sub_agents);
            object.number("lines", tally.lines).number("bytes", tally.bytes);
        })?;
        return Ok(Outcome::Done);
    }
    let place = args.out.display();
    context.out.line(format!(
        "{place}: {}, {}, {} in {}",
        words::plural(tally.sessions, "session", "sessions"),
        words::plural(tally.sub_agents, "sub-agent", "sub-agents"),
        words::bytes(tally.bytes),
        words::plural(tally.files, "file", "files"),
    ))?;
    context.out.line("")?;
    context.out.line("Try:")?;
    for command in ["", " ls", " show last", " check --all"] {
        let text = context.out.paint(Paint::Cyan, format!("  annals --config-dir {place}{command}"));
        context.out.line(text)?;
    }
    Ok(Outcome::Done)
}

fn fault(error: DemoError) -> Fault {
    match error {
        DemoError::Write(error) => error.into(),
        error => Fault::usage(error.to_string()).hint("name a new or empty folder"),
    }
}
