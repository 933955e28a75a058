//! `annals`: the command line over the libraries. This crate parses arguments, reads the environment, prints and exits;
//! everything else is in the libraries.

// A smaller build leaves commands out, and what only they use is unused then.
#![cfg_attr(not(all(feature = "serve", feature = "tui")), allow(dead_code, unused_imports))]
#![cfg_attr(
    windows,
    allow(dead_code, reason = "interactive screens, which Windows does not have yet, need it")
)]

mod answer_process;
mod args;
mod browser;
mod change;
mod commands;
mod configuration;
mod confirm;
mod context;
mod deletion;
mod drafts;
mod environment;
mod error;
mod facts;
mod full_overview;
mod graph;
mod help;
mod indexed;
mod indexed_overview;
mod json;
mod output;
mod pager;
mod platform;
mod progress;
mod remote;
mod selection;
mod session;
mod short_ids;
mod source;
mod stderr;
mod stores;
mod surgery;
mod table;
mod team;
mod team_store;
mod trust;
mod uncounted;
mod unread;
mod vault;
mod when;
mod words;
mod zone;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::OsString;
use std::panic::PanicHookInfo;
use std::process::ExitCode;

use annals_ui::TerminalText;
use clap::FromArgMatches;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(report_panic));
    if std::env::args_os().nth(1).is_some_and(|first| first == annals_sandbox::STAGE) {
        return become_command();
    }
    let arguments = args::spelled_out(std::env::args_os().collect());
    let (args, ignored) = match args::parse_leniently(arguments, parse) {
        Ok(parsed) => parsed,
        Err(error) => return report_arguments(&error),
    };
    for option in ignored {
        stderr::say(TerminalText::block(&format!("annals: ignoring an unknown option: {option}")));
    }
    let environment = environment::Environment::of_process();
    let outcome = context::Context::new(&args.global, environment).and_then(|mut context| {
        let done = match &args.question {
            Some(question) => remote::ask(question, &mut context),
            None => commands::run(args.command, &mut context),
        };
        done.and_then(|done| context.finish(done))
    });
    match outcome {
        Ok(outcome) => outcome.exit_code(),
        Err(fault) => fault.report(),
    }
}

/// Restricts this process and becomes a command of `annals chat`: it runs before anything else is read.
fn become_command() -> ExitCode {
    let program = std::env::current_exe().unwrap_or_default();
    let Err(error) = annals_sandbox::run_stage(program, std::env::args_os().skip(2));
    stderr::say(TerminalText::block(&format!("annals: {error}")));
    ExitCode::from(126)
}

/// Parses arguments. Nearly all name their command first and are right; help and errors come from the whole command line.
fn parse(arguments: &[OsString]) -> Result<args::Args, clap::Error> {
    let named = arguments.get(1).and_then(|name| args::command_line_of(name));
    let matches = match named.map(|command| command.try_get_matches_from(arguments)) {
        Some(Ok(matches)) => matches,
        Some(Err(_)) | None => help::command().try_get_matches_from(arguments)?,
    };
    let args = args::Args::from_arg_matches(&matches)?;
    Ok(args::Args { question: remote::Question::of(&matches), ..args })
}

/// Prints help, or what is wrong with the arguments; they are quoted, and may come from names of files.
fn report_arguments(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        stderr::say(TerminalText::block(error.render().to_string().trim_end()));
    } else {
        // Help is our own text; if its reader is gone, nothing else is to be done.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Prints a panic, which may quote what it was about. A screen has put the terminal back before.
fn report_panic(panic: &PanicHookInfo<'_>) {
    stderr::say_at_once(TerminalText::block(&format!("annals: internal error: {panic}")));
    let trace = Backtrace::capture();
    if trace.status() == BacktraceStatus::Captured {
        stderr::say_at_once(TerminalText::block(&trace.to_string()));
    }
}
