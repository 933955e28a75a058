//! The question about hooks in front matter that decide about tool calls: they are not run, and a person who relies on them
//! must know.

use super::super::setup::Setup;
use super::chat_ui::{ChatUi, Choice, ChoiceForm};
use super::terminal_ui::{Exit, PromptInput};
use super::trust::yes_or_no;
use crate::args::ChatArgs;
use crate::error::{Fault, Outcome};

/// Asks if there are such hooks and no option says to start without them.
pub(super) async fn ask(setup: &Setup, args: &ChatArgs, ui: &mut impl ChatUi) -> Result<(), Exit> {
    if setup.guard_hooks().is_none() || args.ignore_hooks {
        return Ok(());
    }
    let choice = Choice {
        rows: yes_or_no("no: do not start", "yes, start without these hooks"),
        form: ChoiceForm::InQuestion,
        question: "start without these hooks? (y/n) ".to_owned(),
        ..Choice::default()
    };
    match ui.choose(choice).await {
        PromptInput::Line(text) if matches!(text.as_str(), "y" | "yes") => Ok(()),
        PromptInput::Leave(outcome @ Outcome::Terminated) => Err(Exit::Leave(outcome)),
        _ => Err(Exit::Fault(
            Fault::usage("not started: hooks that decide about tool calls are not run")
                .hint("--ignore-hooks starts without them; permission rules still apply"),
        )),
    }
}
