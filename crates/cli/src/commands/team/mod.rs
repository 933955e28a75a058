//! `annals team`: sets up and looks after a team's engine.

mod check;
mod forget;
mod machines;
mod retention;

use annals_team::{Engine, schema};

use crate::args::{EngineAtArgs, TeamArgs, TeamCommand};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::team;

pub(crate) fn run(args: &TeamArgs, context: &mut Context) -> Result<Outcome, Fault> {
    match &args.command {
        TeamCommand::Init { at, apply } => init(at, *apply, context),
        TeamCommand::Machines { at, scope } => {
            machines::list(&open_checked(at, context)?, &scope.scope(), context)
        }
        TeamCommand::Assign { machine, person, team, at } => {
            let assignment = machines::Assignment { machine, person, team };
            machines::assign(&open_checked(at, context)?, &assignment, context)
        }
        TeamCommand::Forget { subject, apply, at } => {
            forget::run(&open_checked(at, context)?, subject, *apply, context)
        }
        TeamCommand::Retention { days, apply, at } => {
            retention::run(&open_checked(at, context)?, days.as_deref(), *apply, context)
        }
        TeamCommand::Check { at, scope } => check::run(&open_checked(at, context)?, &scope.scope(), context),
    }
}

fn open(at: &EngineAtArgs, context: &Context) -> Result<Engine, Fault> {
    team::engine(team::address("--at", &at.at)?, &at.engine, context)
}

fn open_checked(at: &EngineAtArgs, context: &Context) -> Result<Engine, Fault> {
    let engine = open(at, context)?;
    schema::check(&engine)?;
    Ok(engine)
}

fn init(at: &EngineAtArgs, apply: bool, context: &mut Context) -> Result<Outcome, Fault> {
    let engine = open(at, context)?;
    let statements = schema::statements(&engine.address().database);
    if apply {
        schema::apply(&engine)?;
    }
    if context.json {
        context.out.json(|object| {
            object.number("schema", schema::SCHEMA).boolean("applied", apply);
            object.array("statements", |list| {
                for statement in &statements {
                    list.string(statement);
                }
            });
        })?;
    } else if apply {
        context.out.line(format!(
            "{}: tables of schema {} are there",
            engine.address().name(),
            schema::SCHEMA
        ))?;
    } else {
        for statement in &statements {
            for line in statement.lines().chain([";", ""]) {
                context.out.line(line)?;
            }
        }
        context.say("nothing was run; --apply runs these statements");
    }
    Ok(Outcome::Done)
}
