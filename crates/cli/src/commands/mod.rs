//! One file a command, each of the same shape: resolve, check, do, report.

mod bench;
mod check;
mod completions;
mod demo;
mod history;
mod ls;
mod man;
mod overview;
mod plans;
mod show;
mod tail;
mod todos;

use crate::args::Command;
use crate::context::Context;
use crate::error::{Fault, Outcome};

/// Carries out a command; none is the overview.
pub(crate) fn run(command: Option<Command>, context: &mut Context) -> Result<Outcome, Fault> {
    match command {
        None => overview::run(context),
        Some(Command::Ls(args)) => ls::run(&args, context),
        Some(Command::Show(args)) => show::run(&args, context),
        Some(Command::Tail(args)) => tail::run(&args, context),
        Some(Command::Check(args)) => check::run(&args, context),
        Some(Command::Todos(args)) => todos::run(&args, context),
        Some(Command::Plans(args)) => plans::run(&args, context),
        Some(Command::History(args)) => history::run(&args, context),
        Some(Command::Demo(args)) => demo::run(&args, context),
        Some(Command::Completions(args)) => completions::run(&args, context),
        Some(Command::Man) => man::run(context),
        Some(Command::Bench) => bench::run(context),
    }
}
