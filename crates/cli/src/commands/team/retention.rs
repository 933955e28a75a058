//! `annals team retention`: after how many days rows are removed.

use std::time::Duration;

use annals_store::source::Clock as _;
use annals_team::Engine;
use annals_team::query::{retention, retention_statements, set_retention};

use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(super) fn run(
    engine: &Engine,
    days: Option<&str>,
    apply: Option<Duration>,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let wanted = days.map(parse).transpose()?;
    let mut now = retention(engine)?;
    let statements = match wanted {
        Some(wanted) => retention_statements(engine, wanted)?,
        None => Vec::new(),
    };
    if let (Some(wanted), Some(patience)) = (wanted, apply) {
        set_retention(engine, wanted, context.source.now(), patience)?;
        now = wanted;
    }
    if context.json {
        context.out.json(|object| {
            match now {
                Some(days) => object.number("days", days),
                None => object.raw("days", b"null"),
            };
            object.boolean("applied", apply.is_some());
            object.array("statements", |list| {
                for statement in &statements {
                    list.string(statement);
                }
            });
        })?;
        return Ok(Outcome::Done);
    }
    match now {
        Some(days) => context.out.line(format!("rows are removed after {days} days"))?,
        None => context.out.line("rows are kept forever")?,
    }
    if apply.is_none() && !statements.is_empty() {
        for statement in &statements {
            context.out.line(format!("{statement};"))?;
        }
        context.say("nothing was run; --apply runs these statements");
    }
    Ok(Outcome::Done)
}

fn parse(days: &str) -> Result<Option<u32>, Fault> {
    match (days, days.parse()) {
        ("forever", _) => Ok(None),
        (_, Ok(days)) if days > 0 => Ok(Some(days)),
        _ => Err(Fault::usage(format!("{days:?} is not a number of days"))
            .hint("use a number such as 365, or forever")),
    }
}
