//! `annals`: the command line over the libraries. This crate parses arguments, reads the environment, prints and exits;
//! everything else is done elsewhere.

mod args;
mod change;
mod commands;
mod context;
mod error;
mod glance;
mod graph;
mod indexed;
mod json;
mod output;
mod pager;
mod progress;
mod selection;
mod session;
mod source;
mod stderr;
mod surgery;
mod surroundings;
mod survey;
mod table;
mod vault;
mod when;
mod words;
mod zone;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = args::Args::parse();
    let surroundings = surroundings::Surroundings::of_process();
    let outcome = context::Context::new(&args.global, surroundings).and_then(|mut context| {
        commands::run(args.command, &mut context).and_then(|done| context.finish(done))
    });
    match outcome {
        Ok(outcome) => outcome.exit_code(),
        Err(fault) => fault.report(),
    }
}
