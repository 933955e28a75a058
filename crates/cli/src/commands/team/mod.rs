//! `annals team`: sets up and looks after a team's engine.

mod audit;
mod check;
mod forget;
mod machines;
mod rebuild;
mod retention;
mod token;

use annals_store::source::Clock as _;
use annals_team::rights::{apply_rights, rights_statements};
use annals_team::{Engine, schema};

use crate::args::{EngineAtArgs, TeamArgs, TeamCommand};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::team;

pub(crate) fn run(args: &TeamArgs, context: &mut Context) -> Result<Outcome, Fault> {
    match &args.command {
        TeamCommand::Init { at, rights, apply } => {
            let what = if *rights { Statements::Rights } else { Statements::Tables };
            init(at, what, *apply, context)
        }
        TeamCommand::Machines { at, scope } => {
            machines::list(&open_checked(at, context)?, &scope.scope(), context)
        }
        TeamCommand::Assign { machine, person, team, at } => {
            let assignment = machines::Assignment { machine, person, team };
            machines::assign(&open_checked(at, context)?, &assignment, context)
        }
        TeamCommand::Forget { subject, apply, wait, at } => {
            let apply = apply.then(|| wait.patience());
            forget::run(&open_checked(at, context)?, subject, apply, context)
        }
        TeamCommand::Retention { days, apply, wait, at } => {
            let apply = apply.then(|| wait.patience());
            retention::run(&open_checked(at, context)?, days.as_deref(), apply, context)
        }
        TeamCommand::Token { command } => token::run(command, context),
        TeamCommand::Audit { limit, at } => audit::run(&open_checked(at, context)?, *limit, context),
        TeamCommand::Rebuild { apply, wait, at } => {
            let apply = apply.then(|| wait.patience());
            rebuild::run(&open_checked(at, context)?, apply, context)
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

/// What `init` makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Statements {
    Tables,
    Rights,
}

fn init(at: &EngineAtArgs, what: Statements, apply: bool, context: &mut Context) -> Result<Outcome, Fault> {
    let engine = open(at, context)?;
    let statements = match what {
        Statements::Tables => schema::statements(&engine.address().database),
        Statements::Rights => rights_statements(&engine.address().database),
    };
    match what {
        _ if !apply => {}
        Statements::Tables => schema::apply(&engine)?,
        Statements::Rights => {
            schema::check(&engine)?;
            apply_rights(&engine, context.source.now())?;
        }
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
        let name = engine.address().name();
        context.out.line(match what {
            Statements::Tables => format!("{name}: tables of schema {} exist", schema::SCHEMA),
            Statements::Rights => format!("{name}: roles and row policies exist"),
        })?;
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
