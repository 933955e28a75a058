//! One file per command, each of the same shape: resolve, check, do, report.

mod append;
mod archive;
mod bench;
mod chat;
mod check;
mod clone;
mod collect;
mod complete;
mod completions;
mod compress;
mod config;
mod demo;
mod doctor;
mod drift;
mod export;
mod files;
mod fork;
mod gc;
mod help;
mod history;
mod hook;
mod import;
mod index;
mod ls;
mod man;
mod mcp;
mod merge;
mod mock_api;
mod move_project;
mod new;
mod overview;
mod plans;
#[cfg(feature = "serve")]
mod receive;
mod redact;
mod rename;
mod repair;
mod reset_project;
mod restore;
mod rewind;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod show;
mod sql;
mod stats;
mod strip;
mod tag;
mod tail;
mod team;
mod todos;
mod trash;
#[cfg(feature = "tui")]
mod tui;
mod undo;
mod usage;

use crate::args::{Command, McpCommand};
use crate::context::Context;
use crate::error::{Fault, Outcome};

/// Whether a command has to do with the store.
fn uses_store(command: Option<&Command>) -> bool {
    !matches!(
        command,
        Some(
            Command::Demo(_)
                | Command::MockApi(_)
                | Command::Completions(_)
                | Command::Man
                | Command::Help(_)
                | Command::Config(_)
                | Command::Receive(_)
                // It checks them itself: nothing may end it with 2.
                | Command::Hook(_)
                | Command::Team(_)
        )
    ) && !matches!(command, Some(Command::Doctor(args)) if args.sessions.is_empty())
}

/// Whether a command is for one store, and neither a session nor the id of a change tells which.
fn needs_one_store(command: &Command) -> bool {
    match command {
        Command::Collect(_)
        | Command::Gc(_)
        | Command::Import(_)
        | Command::MoveProject(_)
        | Command::ResetProject(_) => true,
        Command::Archive(args) => args.all || args.watch || args.forget,
        Command::Index(args) => args.watch,
        Command::Trash(args) => args.empty && !args.all_stores,
        Command::Undo(args) => !args.list && args.id.is_none(),
        Command::Usage(args) => args.compare,
        Command::Mcp(args) => !matches!(args.command, McpCommand::Serve(_)),
        _ => false,
    }
}

/// Runs a command; without one, the overview.
pub(crate) fn run(command: Option<Command>, context: &mut Context) -> Result<Outcome, Fault> {
    if uses_store(command.as_ref()) {
        context.check_configuration()?;
        context.check_stores()?;
    }
    if command.as_ref().is_some_and(needs_one_store) {
        context.check_one_store()?;
    }
    match command {
        None => overview::run(context),
        Some(Command::Ls(args)) => ls::run(&args, context),
        Some(Command::Show(args)) => show::run(&args, context),
        Some(Command::Export(args)) => export::run(&args, context),
        #[cfg(feature = "tui")]
        Some(Command::Tui(args)) => tui::run(&args, context),
        #[cfg(not(feature = "tui"))]
        Some(Command::Tui(_)) => Err(not_built_in("tui")),
        Some(Command::Tail(args)) => tail::run(&args, context),
        Some(Command::Search(args)) => search::run(&args, context),
        #[cfg(feature = "serve")]
        Some(Command::Serve(args)) => serve::run(&args, context),
        #[cfg(not(feature = "serve"))]
        Some(Command::Serve(_)) => Err(not_built_in("serve")),
        Some(Command::Index(args)) => index::run(&args, context),
        Some(Command::Sql(args)) => sql::run(&args, context),
        Some(Command::Check(args)) => check::run(&args, context),
        Some(Command::Usage(args)) => usage::run(&args, context),
        Some(Command::Stats(args)) => stats::run(&args, context),
        Some(Command::Todos(args)) => todos::run(&args, context),
        Some(Command::Plans(args)) => plans::run(&args, context),
        Some(Command::Doctor(args)) => doctor::run(&args, context),
        Some(Command::Drift(args)) => drift::run(&args, context),
        Some(Command::History(args)) => history::run(&args, context),
        Some(Command::Files(args)) => files::run(&args, context),
        Some(Command::New(args)) => new::run(&args, context),
        Some(Command::Append(args)) => append::run(&args, context),
        Some(Command::Rename(args)) => rename::run(&args, context),
        Some(Command::Tag(args)) => tag::run(&args, context),
        Some(Command::Clone(args)) => clone::run(&args, context),
        Some(Command::Import(args)) => import::run(&args, context),
        Some(Command::Fork(args)) => fork::run(&args, context),
        Some(Command::Strip(args)) => strip::run(&args, context),
        Some(Command::Compress(args)) => compress::run(&args, context),
        Some(Command::Repair(args)) => repair::run(&args, context),
        Some(Command::MoveProject(args)) => move_project::run(&args, context),
        Some(Command::Merge(args)) => merge::run(&args, context),
        Some(Command::ResetProject(args)) => reset_project::run(&args, context),
        Some(Command::Redact(args)) => redact::run(&args, context),
        Some(Command::Trash(args)) => trash::run(&args, context),
        Some(Command::Restore(args)) => restore::run(&args, context),
        Some(Command::Archive(args)) => archive::run(&args, context),
        Some(Command::Collect(args)) => collect::run(&args, context),
        #[cfg(feature = "serve")]
        Some(Command::Receive(args)) => receive::run(&args, context),
        #[cfg(not(feature = "serve"))]
        Some(Command::Receive(_)) => Err(not_built_in("receive")),
        Some(Command::Team(args)) => team::run(&args, context),
        Some(Command::Gc(args)) => gc::run(&args, context),
        Some(Command::Rewind(args)) => rewind::run(&args, context),
        Some(Command::Undo(args)) => undo::run(&args, context),
        Some(Command::Chat(args)) => chat::run(*args.0, context),
        Some(Command::Hook(args)) => hook::run(&args, context),
        Some(Command::Mcp(args)) => mcp::run(&args, context),
        Some(Command::Config(args)) => config::run(&args, context),
        Some(Command::MockApi(args)) => mock_api::run(&args, context),
        Some(Command::Demo(args)) => demo::run(&args, context),
        Some(Command::Completions(args)) => completions::run(&args, context),
        Some(Command::Complete(args)) => complete::run(&args, context).or(Ok(Outcome::Done)),
        Some(Command::Man) => man::run(context),
        Some(Command::Help(args)) => help::run(&args, context),
        Some(Command::Bench) => bench::run(context),
    }
}

/// Why a command of a smaller build does nothing.
#[cfg(not(all(feature = "serve", feature = "tui")))]
fn not_built_in(command: &str) -> Fault {
    Fault::usage(format!("annals {command} is not built in"))
        .hint("it comes with the usual features, serve and tui")
}
