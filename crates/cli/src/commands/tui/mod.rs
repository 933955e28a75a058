//! `annals tui`: connects the full-screen viewer with the store, the index and the commands that change sessions.

#[cfg(unix)]
mod changes;
#[cfg(unix)]
mod host;
#[cfg(unix)]
mod read;

use crate::args::TuiArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};

#[cfg(not(unix))]
pub(crate) fn run(_: &TuiArgs, _: &mut Context) -> Result<Outcome, Fault> {
    Err(Fault::usage("annals tui does not run on this system yet").hint("annals ls, annals show"))
}

#[cfg(unix)]
pub(crate) fn run(args: &TuiArgs, context: &mut Context) -> Result<Outcome, Fault> {
    use annals_tui::{AppOptions, ExitReason};
    use annals_ui::terminal::ColorMode;

    check_terminal(context)?;
    let open = match &args.session {
        Some(argument) => Some(read::row_of(context, argument)?),
        None => None,
    };
    let zone = context.zone.clone();
    let options =
        AppOptions::new(context.out.unicode, move |millis| crate::words::minutes_from_utc(millis, &zone));
    let host = host::StoreHost::new(context);
    let mode = if context.out.color { ColorMode::Ansi } else { ColorMode::Plain };
    let exit = annals_tui::run(options, mode, terminal()?, open, || Box::new(host.clone()))
        .map_err(|error| Fault::of_io(&error, format!("cannot use the terminal: {error}")))?;
    Ok(match exit {
        ExitReason::Quit => Outcome::Done,
        ExitReason::Signal(_) | ExitReason::TerminalGone => Outcome::Terminated,
        ExitReason::Panic => return Err(Fault::internal("the viewer ended early, as reported above")),
    })
}

/// Fails unless a person sits at a terminal that can be drawn on.
#[cfg(unix)]
fn check_terminal(context: &Context) -> Result<(), Fault> {
    if context.json {
        return Err(Fault::usage("annals tui has no JSON; annals ls --json and annals show --json have"));
    }
    let is_dumb = context.variables.iter().any(|(name, value)| name == "TERM" && value == "dumb");
    if !context.out.is_terminal || !context.stdin_is_terminal() || is_dumb {
        return Err(Fault::usage("annals tui needs a terminal; annals ls and annals show need none"));
    }
    Ok(())
}

/// Standard output as a file: the viewer writes to it without a buffer that something else could flush.
#[cfg(unix)]
fn terminal() -> Result<std::fs::File, Fault> {
    use std::os::fd::AsFd;
    Ok(std::io::stdout().as_fd().try_clone_to_owned()?.into())
}
