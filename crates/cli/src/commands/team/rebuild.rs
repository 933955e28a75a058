//! `annals team rebuild`: makes all rows again from the lines.

use std::time::Duration;

use annals_store::source::Clock as _;
use annals_team::Engine;
use annals_team::rebuild::{RebuildSize, rebuild, rebuild_size};

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::words;

pub(super) fn run(engine: &Engine, apply: Option<Duration>, context: &mut Context) -> Result<Outcome, Fault> {
    let RebuildSize { lines, bytes } = rebuild_size(engine)?;
    if let Some(patience) = apply {
        let mut progress = context.progress("rebuilding", Some(bytes));
        let when = (context.source.now(), patience);
        rebuild(engine, &context.prices, when, |read| progress.advance(read, words::bytes))?;
    }
    let apply = apply.is_some();
    if context.json {
        context.out.json(|object| {
            object.boolean("applied", apply).number("lines", lines).number("bytes", bytes);
        })?;
    } else {
        let what = format!("{}, {}", words::plural(lines, "line", "lines"), words::bytes(bytes));
        context.out.line(match apply {
            true => format!("rebuilt the rows from {what}"),
            false => format!("would rebuild the rows from {what}"),
        })?;
        if !apply {
            context.say("nothing was changed; --apply rebuilds them");
        }
    }
    Ok(Outcome::Done)
}
