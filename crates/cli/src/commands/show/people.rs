//! `--as transcript` and `--as markdown`: the conversation for people.

use std::io::Write;

use annals_ui::terminal::{Color, Look, Thinking};
use annals_ui::view::{AgentThread, Conversation, Options};

use crate::args::ShowArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::{Family, Target};
use crate::words;

pub(crate) fn transcript(args: &ShowArgs, target: &Target, context: &mut Context) -> Result<Outcome, Fault> {
    let zone = context.zone.clone();
    let minutes = move |millis: i64| words::minutes_from_utc(millis, &zone);
    let look = Look {
        color: if context.out.color { Color::Ansi } else { Color::Plain },
        unicode: context.out.unicode,
        full: args.full,
        thinking: if args.no_thinking { Thinking::Hidden } else { Thinking::Shown },
        zone: &minutes,
        ..Look::plain(context.out.width)
    };
    let mut text = String::new();
    with_conversation(args, target, |conversation| {
        annals_ui::terminal::draw(conversation, &look, &mut text)
    })?;
    context.out.write_all(text.as_bytes())?;
    Ok(Outcome::Done)
}

pub(crate) fn markdown(args: &ShowArgs, target: &Target, context: &mut Context) -> Result<Outcome, Fault> {
    let mut text = String::new();
    with_conversation(args, target, |conversation| annals_ui::markdown::write(conversation, &mut text))?;
    context.out.write_all(text.as_bytes())?;
    Ok(Outcome::Done)
}

fn with_conversation(
    args: &ShowArgs,
    target: &Target,
    show: impl FnOnce(&Conversation),
) -> Result<(), Fault> {
    let bytes = target.read()?;
    let files = if args.no_agents { Vec::new() } else { target.agents() };
    let family = Family::new(&bytes, &files);
    let threads: Vec<_> = family
        .agents
        .iter()
        .map(|(file, said, link)| AgentThread {
            id: file.entry.key.to_string(),
            tool_use: family.spawn_of(link).map(|(_, spawn)| spawn.tool_use.clone()),
            label: file.label(),
            transcript: said,
        })
        .collect();
    show(&Conversation::build(&family.main, &threads, Options::default()));
    Ok(())
}
