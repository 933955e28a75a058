//! The question about hooks in front matter that decide about tool calls: they are not run, and a person who relies on them
//! must know.

use super::super::setup::Setup;
use super::terminal_ui::{Exit, PromptInput, TerminalUi};
use crate::args::ChatArgs;
use crate::error::{Fault, Outcome};

/// Asks if there are such hooks and no option says to start without them.
pub(super) async fn ask(setup: &Setup, args: &ChatArgs, ui: &mut TerminalUi) -> Result<(), Exit> {
    if setup.guard_hooks().is_none() || args.ignore_hooks {
        return Ok(());
    }
    match ui.ask("start without these hooks? (y/n) ").await {
        PromptInput::Line(text) if matches!(text.as_str(), "y" | "yes") => Ok(()),
        PromptInput::Leave(outcome @ Outcome::Terminated) => Err(Exit::Leave(outcome)),
        _ => Err(Exit::Fault(
            Fault::usage("not started: hooks that decide about tool calls are not run")
                .hint("--ignore-hooks starts without them; permission rules still apply"),
        )),
    }
}
