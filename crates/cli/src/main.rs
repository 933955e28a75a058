//! `annals`: the command line over the libraries. This crate parses arguments, reads the environment, prints and exits;
//! everything else is in the libraries.

mod args;
mod change;
mod commands;
mod confirm;
mod context;
mod environment;
mod error;
mod full_overview;
mod graph;
mod help;
mod indexed;
mod indexed_overview;
mod json;
mod output;
mod pager;
mod progress;
mod selection;
mod session;
mod source;
mod stderr;
mod surgery;
mod table;
mod uncounted;
mod unread;
mod vault;
mod when;
mod words;
mod zone;

use std::process::ExitCode;

use clap::FromArgMatches;

fn main() -> ExitCode {
    let matches = help::command().get_matches();
    let args = args::Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let environment = environment::Environment::of_process();
    let outcome = context::Context::new(&args.global, environment).and_then(|mut context| {
        commands::run(args.command, &mut context).and_then(|done| context.finish(done))
    });
    match outcome {
        Ok(outcome) => outcome.exit_code(),
        Err(fault) => fault.report(),
    }
}
