//! Reports a pass of `annals collect`: what was sent, and what was not.

use annals_collect::{PassReport, RefusedItem, UnclaimedBacklog};

use super::destination::Destination;
use super::waits;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::words;

/// How many refused items are named one by one.
const MAX_NAMED: usize = 20;

pub(super) fn outcome(passed: &PassReport) -> Outcome {
    let is_whole = passed.unread.is_empty() && passed.too_large.is_empty() && passed.withheld == 0;
    let is_whole = is_whole && passed.set_aside.is_empty() && passed.unlisted.is_empty();
    let is_whole = is_whole && passed.unclaimed.is_none() && passed.absent == 0;
    if is_whole { Outcome::Done } else { Outcome::ProblemsFound }
}

/// Whether a pass of a command that keeps running is reported.
pub(super) fn is_worth_a_line(passed: &PassReport) -> bool {
    let marks = passed.gone + passed.moved + passed.back;
    passed.items + marks + passed.absent > 0 || !passed.set_aside.is_empty() || passed.unclaimed.is_some()
}

/// Reports what waits of a store that no run sends.
fn report_unclaimed(unclaimed: &UnclaimedBacklog, context: &Context) {
    let whose = match &unclaimed.store {
        Some(store) => format!("of {}, which is gone", store.display()),
        None => "of another store".to_owned(),
    };
    context.say(format!("{} {whose}; annals collect --all-stores sends it", waits(&unclaimed.backlog)));
}

pub(super) fn report_unread(passed: &PassReport, context: &Context) {
    let unread = passed.unread.iter().map(|error| error.problem());
    context.note_unread(unread.chain(passed.unlisted.iter().cloned()));
    context.report_unread();
}

fn report_refused(refused: &[RefusedItem], context: &Context) {
    for item in refused.iter().take(MAX_NAMED) {
        let RefusedItem { file, line, bytes, reason, path, .. } = item;
        let bytes = words::bytes(*bytes);
        context
            .say(format!("{file}, line {line}: not sent ({bytes}): {reason}; saved to {}", path.display()));
    }
    if let Some(more) = refused.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        let items = words::plural(more as u64, "more item was", "more items were");
        context.say(format!("{items} not sent; annals collect --status lists all of them"));
    }
}

/// The files that were deleted, moved or restored, as a sentence; empty if there are none.
fn marks(passed: &PassReport) -> String {
    let counts = [(passed.gone, "deleted"), (passed.moved, "moved"), (passed.back, "restored")];
    let said = counts.iter().filter(|(count, _)| *count > 0);
    let said: Vec<_> =
        said.map(|(count, what)| format!("{} {what}", words::plural(*count, "file", "files"))).collect();
    if said.is_empty() { String::new() } else { format!("; {}", said.join(", ")) }
}

pub(super) fn report(
    passed: &PassReport,
    to: &Destination,
    done: &str,
    context: &mut Context,
) -> Result<(), Fault> {
    report_unread(passed, context);
    if let Some(unclaimed) = &passed.unclaimed {
        report_unclaimed(unclaimed, context);
    }
    if passed.absent > 0 {
        let files = words::plural(passed.absent, "known file is", "known files are");
        context.say(format!("the store is empty or missing; {files} not reported as deleted"));
    }
    for path in &passed.too_large {
        context.say(format!("{}: too large to send", path.display()));
    }
    report_refused(&passed.set_aside, context);
    let items = words::plural(passed.items, "item", "items");
    let files = words::plural(passed.files, "file", "files");
    let said = format!("{items} of {files} {done}, {}{}", words::bytes(passed.bytes), marks(passed));
    // Standard output may be the sink.
    if *to == Destination::Output {
        context.say(said);
    } else if context.json {
        context.out.json(|object| {
            object.number("items", passed.items).number("files", passed.files);
            object.number("bytes", passed.bytes).number("batches", passed.batches);
            object.number("retries", passed.retries).number("restarted", passed.restarted);
            object.number("withheld", passed.withheld).number("spooled", passed.spooled);
            object.number("tooLarge", passed.too_large.len() as u64);
            object.number("unread", (passed.unread.len() + passed.unlisted.len()) as u64);
            object.number("setAside", passed.set_aside.len() as u64);
            let unclaimed = passed.unclaimed.as_ref().map_or(0, |unclaimed| unclaimed.backlog.batches);
            object.number("unclaimed", unclaimed);
            object.number("gone", passed.gone).number("moved", passed.moved).number("back", passed.back);
            object.number("torn", passed.torn).number("absent", passed.absent);
        })?;
    } else {
        context.out.line(said)?;
    }
    Ok(context.out.flush()?)
}
