//! `annals team check`: whether everything that was sent is there.

use annals_team::Engine;
use annals_team::query::{Scope, check};

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::words;

/// How many gaps are listed.
const MAX_LISTED: usize = 20;

pub(super) fn run(engine: &Engine, scope: &Scope, context: &mut Context) -> Result<Outcome, Fault> {
    let found = check(engine, scope)?;
    if context.json {
        context.out.json(|object| {
            object.number("schema", annals_team::schema::SCHEMA).string("engine", &found.engine);
            object.number("files", found.files).number("lines", found.lines);
            object.number("otherRows", found.older_rows + found.newer_rows);
            object.boolean("rebuildNeeded", found.older_rows > 0);
            object.boolean("gapsChecked", found.retention.is_none());
            object.array("gaps", |list| {
                for gap in &found.gaps {
                    list.object(|object| {
                        object.string("machine", &gap.machine).string("file", &gap.file);
                        object.number("offset", gap.offset).number("length", gap.length);
                    });
                }
            });
        })?;
    } else {
        let lines = words::plural(found.lines, "line", "lines");
        let files = words::plural(found.files, "file", "files");
        context.out.line(format!("engine {}: {lines} of {files}", found.engine))?;
        for gap in found.gaps.iter().take(MAX_LISTED) {
            context.out.line(format!(
                "{} {}: {} missing at byte {}",
                gap.machine,
                gap.file,
                words::bytes(gap.length),
                gap.offset
            ))?;
        }
        if found.gaps.len() > MAX_LISTED {
            context.out.line(format!("{} more gaps", found.gaps.len() - MAX_LISTED))?;
        }
        if let Some(days) = found.retention {
            context
                .out
                .line(format!("missing bytes were not looked for: rows are removed after {days} days"))?;
        }
        if found.older_rows > 0 {
            let rows = words::plural(found.older_rows, "row was", "rows were");
            let remedy = "annals team rebuild --apply rebuilds them";
            context.out.line(format!("{rows} made by an earlier release of annals: {remedy}"))?;
        }
        if found.newer_rows > 0 {
            let rows = words::plural(found.newer_rows, "row was", "rows were");
            context.out.line(format!("{rows} made by a later release of annals than this one"))?;
        }
    }
    let is_whole = found.gaps.is_empty() && found.older_rows == 0 && found.newer_rows == 0;
    Ok(if is_whole { Outcome::Done } else { Outcome::ProblemsFound })
}
