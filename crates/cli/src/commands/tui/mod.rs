//! `annals tui`: connects the full-screen viewer with the store, the index and the commands that change sessions.

#[cfg(unix)]
mod changes;
#[cfg(unix)]
mod content;
#[cfg(unix)]
mod host;
#[cfg(unix)]
mod read;
#[cfg(unix)]
mod warnings;

#[cfg(unix)]
use std::time::Duration;

use crate::args::TuiArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
#[cfg(unix)]
use crate::platform::stdout_file;
#[cfg(unix)]
use crate::stderr::{self, ScreenMessages};

#[cfg(unix)]
const LONG_WAIT: Duration = Duration::from_secs(3600);
#[cfg(unix)]
const SHORT_WAIT: Duration = Duration::from_millis(200);

#[cfg(not(unix))]
pub(crate) fn run(_: &TuiArgs, _: &mut Context) -> Result<Outcome, Fault> {
    Err(Fault::usage("annals tui does not run on this system yet").hint("annals ls, annals show"))
}

#[cfg(unix)]
pub(crate) fn run(args: &TuiArgs, context: &mut Context) -> Result<Outcome, Fault> {
    use annals_tui::{AppOptions, ExitReason};

    check_terminal(context)?;
    let open = match &args.session {
        Some(argument) => Some(read::row_of(context, argument)?),
        None => None,
    };
    let zone = context.zone.clone();
    let mut options =
        AppOptions::new(context.out.unicode, move |millis| crate::words::minutes_from_utc(millis, &zone));
    options.keymap = context.config.keymap();
    let warnings = warnings::ViewerWarnings::default();
    let host = host::StoreHost::new(context, warnings.clone());
    let changes = changes_of(context);
    let to_viewer = warnings.clone();
    let (taken_over, _) = ScreenMessages::take_over(move |message| {
        to_viewer.add(message);
        true
    });
    let exit =
        annals_tui::run(options, context.out.color, stdout_file()?, open, || Box::new(host.clone()), changes);
    drop(taken_over);
    warnings.all().into_iter().for_each(stderr::say);
    let exit = exit.map_err(|error| Fault::of_io(&error, format!("cannot use the terminal: {error}")))?;
    Ok(match exit {
        ExitReason::Quit => Outcome::Done,
        ExitReason::Signal(_) | ExitReason::TerminalGone => Outcome::Terminated,
        ExitReason::Panic => return Err(Fault::internal("the viewer ended early, as reported above")),
    })
}

/// Waits for a change of any store.
#[cfg(unix)]
fn changes_of(context: &Context) -> impl FnMut() -> bool + Send + use<> {
    use annals_store::watch::{Watch, WatchTarget};

    let stores = context.store.all().iter();
    let targets: Vec<_> = stores.map(|store| WatchTarget::Tree(store.config_dir().projects())).collect();
    let mut watches: Vec<Watch> = Vec::new();
    move || {
        // Made here, on the thread that waits: a large store takes a moment.
        if watches.is_empty() {
            watches.extend(targets.iter().cloned().map(Watch::new));
        }
        // Waits for one watch, for several in turn.
        let patience = if watches.len() == 1 { LONG_WAIT } else { SHORT_WAIT };
        while !watches.iter_mut().any(|watch| watch.wait(patience).is_change()) {}
        // A session that is being written changes many times a second, and the list is not read that often.
        std::thread::sleep(SHORT_WAIT);
        true
    }
}

/// Fails unless a person sits at a terminal that can be drawn on.
#[cfg(unix)]
fn check_terminal(context: &Context) -> Result<(), Fault> {
    if context.json {
        return Err(Fault::usage("annals tui has no JSON; use annals ls --json or annals show --json"));
    }
    let is_dumb = context.variables.iter().any(|(name, value)| name == "TERM" && value == "dumb");
    if !context.out.is_terminal || !context.stdin_is_terminal() || is_dumb {
        return Err(Fault::usage("annals tui needs a terminal; annals ls and annals show do not"));
    }
    Ok(())
}
