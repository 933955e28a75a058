//! `annals team forget`: counts what a subject left, or removes it.

use std::time::Duration;

use annals_store::source::{Clock as _, is_uuid};
use annals_team::Engine;
use annals_team::query::{ForgetCount, Scope, Subject, count, forget, machines_assigned};

use crate::args::ForgetArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::words;

pub(super) fn run(
    engine: &Engine,
    args: &ForgetArgs,
    apply: Option<Duration>,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let subjects = subjects(engine, args)?;
    let counts = match apply {
        Some(patience) => forget(engine, &subjects, context.source.now(), patience)?,
        None => count(engine, &subjects)?,
    };
    let (counted, apply): (Vec<_>, _) = (subjects.into_iter().zip(counts).collect(), apply.is_some());
    let total: u64 = counted.iter().flat_map(|(_, counts)| counts).map(|count| count.rows).sum();
    if context.json {
        write_json(&counted, total, apply, context)?;
    } else {
        for (subject, counts) in &counted {
            let tables: Vec<String> = counts
                .iter()
                .filter(|count| count.rows > 0)
                .map(|count| format!("{} {}", words::count(count.rows), count.table))
                .collect();
            let tables = if tables.is_empty() { "nothing".to_owned() } else { tables.join(", ") };
            let done = if apply { "forgotten" } else { "to forget" };
            context.out.line(format!("{} {}: {tables} {done}", subject.kind(), subject.name()))?;
        }
        if !apply {
            context.say("nothing was removed; --apply removes them");
        }
    }
    Ok(if total == 0 && !apply { Outcome::NothingFound } else { Outcome::Done })
}

fn write_json(
    counted: &[(Subject, Vec<ForgetCount>)],
    total: u64,
    applied: bool,
    context: &mut Context,
) -> std::io::Result<()> {
    context.out.json(|object| {
        object.boolean("applied", applied).number("rows", total);
        object.array("subjects", |list| {
            for (subject, counts) in counted {
                list.object(|object| {
                    object.string("kind", subject.kind()).string("name", subject.name());
                    object.object("tables", |object| {
                        for count in counts {
                            object.number(count.table, count.rows);
                        }
                    });
                });
            }
        });
    })
}

/// What is meant. Ids are given in full: what is forgotten does not come back.
fn subjects(engine: &Engine, args: &ForgetArgs) -> Result<Vec<Subject>, Fault> {
    if let Some(person) = &args.person {
        let scope = Scope { person: Some(person.clone()), ..Scope::default() };
        let machines = machines_assigned(engine, &scope)?;
        if machines.is_empty() {
            return Err(Fault::nothing_found(format!("no machine is assigned to {person:?}"))
                .hint("annals team machines lists machines and people"));
        }
        return Ok(machines.into_iter().map(Subject::Machine).collect());
    }
    let whole = |id: &String| match is_uuid(id) {
        true => Ok(id.clone()),
        false => Err(Fault::usage(format!("{id:?} is not a whole id"))
            .hint("forgetting takes the whole id; annals ls --long and annals team machines print it")),
    };
    match (&args.machine, &args.session) {
        (Some(machine), _) => Ok(vec![Subject::Machine(whole(machine)?)]),
        (_, Some(session)) => Ok(vec![Subject::Session(whole(session)?)]),
        (None, None) => Err(Fault::usage("name a person, a machine or a session")),
    }
}
