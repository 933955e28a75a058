//! `annals help`: the list of commands, the page of a command, or a topic.

use annals_ui::TerminalText;

use crate::args::HelpArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::help::{self, Topic};

pub(crate) fn run(args: &HelpArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if let Some(topic) = args.name.as_deref().and_then(Topic::named) {
        context.out.page();
        context.out.text(TerminalText::block(topic.text))?;
        return Ok(Outcome::Done);
    }
    let mut command = help::command();
    command.build();
    let mut page = &mut command;
    for name in args.name.iter().chain(&args.subcommand) {
        page = page.find_subcommand_mut(name).ok_or_else(|| {
            Fault::usage(format!("no command {name:?}")).hint("annals help lists commands and topics")
        })?;
    }
    let text = if args.name.is_some() { page.render_long_help() } else { page.render_help() };
    context.out.page();
    let text = if context.out.color.is_colored() { text.ansi().to_string() } else { text.to_string() };
    context.out.text(TerminalText::keeping_styles(&text))?;
    Ok(Outcome::Done)
}
