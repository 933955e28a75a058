//! `annals team machines` and `annals team assign`.

use annals_store::source::Clock as _;
use annals_team::Engine;
use annals_team::query::{Machine, Scope, assign as write_assignment, machines};
use annals_transcript::time::format_millis;

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::table::{Align, Table};
use crate::words;

/// Whose a machine is said to be.
pub(super) struct Assignment<'a> {
    pub(super) machine: &'a str,
    pub(super) person: &'a str,
    pub(super) team: &'a str,
}

pub(super) fn list(engine: &Engine, scope: &Scope, context: &mut Context) -> Result<Outcome, Fault> {
    let found = machines(engine, scope)?;
    if context.json {
        context.out.json(|object| {
            object.array("machines", |list| {
                for machine in &found {
                    list.object(|object| {
                        object.string("machine", &machine.id).string_or_null("person", machine.person());
                        object.string_or_null("team", machine.team()).number("sessions", machine.sessions);
                        object.number("lines", machine.lines).number("bytes", machine.bytes);
                        object.string_or_null("received", machine.received.map(format_millis).as_deref());
                    });
                }
            });
        })?;
    } else if found.is_empty() {
        context.out.line("no machine has sent anything")?;
    } else {
        let mut table = Table::new(&[
            ("machine", Align::Left),
            ("person", Align::Left),
            ("team", Align::Left),
            ("sessions", Align::Right),
            ("lines", Align::Right),
            ("size", Align::Right),
            ("received", Align::Left),
        ]);
        for machine in &found {
            table.row(vec![
                machine.id.clone(),
                machine.person().unwrap_or_default().to_owned(),
                machine.team().unwrap_or_default().to_owned(),
                words::count(machine.sessions),
                words::count(machine.lines),
                words::bytes(machine.bytes),
                machine.received.map(|at| words::moment(at, &context.zone)).unwrap_or_default(),
            ]);
        }
        table.draw(&mut context.out)?;
    }
    Ok(if found.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

pub(super) fn assign(
    engine: &Engine,
    assignment: &Assignment<'_>,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let &Assignment { machine, person, team } = assignment;
    let scope = Scope { machine: Some(machine.to_owned()), ..Scope::default() };
    let found = machines(engine, &scope)?;
    let id = match found.as_slice() {
        [one] => one.id.clone(),
        // One that has not sent yet is named in full.
        [] if annals_store::source::is_uuid(machine) => machine.to_owned(),
        [] => {
            return Err(Fault::nothing_found(format!("no machine {machine:?} has sent anything"))
                .hint("annals team machines lists them; a new machine needs its whole id"));
        }
        several => {
            let fault = Fault::usage(format!("{machine:?} matches {} machines", several.len()));
            return Err(several.iter().fold(fault, |fault, Machine { id, .. }| fault.hint(id)));
        }
    };
    write_assignment(engine, &id, person, team, context.source.now())?;
    if context.json {
        context.out.json(|object| {
            object.string("machine", &id).string("person", person).string("team", team);
        })?;
    } else {
        let team = if team.is_empty() { String::new() } else { format!(", team {team}") };
        let person = if person.is_empty() { "nobody" } else { person };
        context.out.line(format!("{id}: {person}{team}"))?;
    }
    Ok(Outcome::Done)
}
