//! `annals collect --status`: what waits for a sink, and what it refused.

use annals_collect::{RefusedItem, SinkStatus};
use annals_transcript::time::format_millis;

use super::waits;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::words;

/// Prints the status. Refused items, and what no run sends, are problems.
pub(super) fn print(status: &SinkStatus, context: &mut Context) -> Result<Outcome, Fault> {
    match context.json {
        true => print_json(status, context)?,
        false => print_text(status, context)?,
    }
    context.out.flush()?;
    let is_whole = status.refused.is_empty() && status.unclaimed.is_none();
    Ok(if is_whole { Outcome::Done } else { Outcome::ProblemsFound })
}

fn print_text(status: &SinkStatus, context: &mut Context) -> Result<(), Fault> {
    let files = words::plural(status.files, "file", "files");
    let gone =
        if status.gone > 0 { format!(", {} deleted", words::count(status.gone)) } else { String::new() };
    context.out.line(format!("{files} known{gone}; last batch: {}", status.batch))?;
    context.out.line(waits(&status.waiting))?;
    if let Some(unclaimed) = &status.unclaimed {
        context.out.line(format!("{} of another store", waits(&unclaimed.backlog)))?;
    }
    context.out.line(words::plural(status.refused.len() as u64, "item refused", "items refused"))?;
    for item in &status.refused {
        let RefusedItem { file, line, bytes, reason, .. } = item;
        context.out.line(format!("  {file}, line {line} ({}): {reason}", words::bytes(*bytes)))?;
    }
    Ok(())
}

fn print_json(status: &SinkStatus, context: &mut Context) -> Result<(), Fault> {
    context.out.json(|object| {
        object.string("machine", &status.machine).string("store", &status.store);
        object.number("files", status.files).number("gone", status.gone).number("batch", status.batch);
        object.object("waiting", |object| {
            object.number("batches", status.waiting.batches).number("bytes", status.waiting.bytes);
        });
        let unclaimed = status.unclaimed.as_ref().map_or(0, |unclaimed| unclaimed.backlog.batches);
        object.number("unclaimed", unclaimed);
        object.array("refused", |refused| {
            for item in &status.refused {
                refused.object(|object| {
                    object.string("file", &item.file).number("line", item.line);
                    object.number("bytes", item.bytes).string("reason", &item.reason);
                    object.string_or_null("time", item.time.map(format_millis).as_deref());
                    object.string("path", &item.path.to_string_lossy());
                });
            }
        });
    })?;
    Ok(())
}
