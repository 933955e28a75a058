//! `annals team audit`: lists who changed rights, and what was forgotten.

use annals_team::Engine;
use annals_team::query::audit;
use annals_transcript::time::format_millis;

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::table::{Align, Table};
use crate::words;

pub(super) fn run(engine: &Engine, limit: usize, context: &mut Context) -> Result<Outcome, Fault> {
    let found = audit(engine, limit)?;
    if context.json {
        context.out.json(|object| {
            object.array("entries", |list| {
                for row in &found {
                    list.object(|object| {
                        object.string("timestamp", &format_millis(row.millis)).string("actor", &row.actor);
                        object.string("action", &row.action).string("subject", &row.subject);
                        object.string("detail", &row.detail);
                    });
                }
            });
        })?;
    } else if found.is_empty() {
        context.out.line("nothing was changed yet")?;
    } else {
        let mut table = Table::new(&[
            ("when", Align::Left),
            ("login", Align::Left),
            ("action", Align::Left),
            ("subject", Align::Left),
            ("detail", Align::Left),
        ]);
        for row in &found {
            table.row(vec![
                words::moment(row.millis, &context.zone),
                row.actor.clone(),
                row.action.clone(),
                row.subject.clone(),
                row.detail.replace('\t', " "),
            ]);
        }
        table.draw(&mut context.out)?;
    }
    Ok(if found.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}
