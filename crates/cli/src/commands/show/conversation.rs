//! `--as transcript` and `--as markdown`: the conversation as text.

use annals_store::overflow::with_outputs;
use annals_ui::TerminalText;
use annals_ui::terminal::{ColorMode, RenderOptions, ThinkingDisplay};
use annals_ui::view::{AgentThread, Conversation, ViewOptions};

use crate::args::ShowArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::{ResolvedSession, SessionWithAgents};
use crate::words;

pub(crate) fn transcript(
    args: &ShowArgs,
    target: &ResolvedSession,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let zone = context.zone.clone();
    let minutes = move |millis: i64| words::minutes_from_utc(millis, &zone);
    let look = RenderOptions {
        color: if context.out.color { ColorMode::Ansi } else { ColorMode::Plain },
        unicode: context.out.unicode,
        full: args.full,
        thinking: if args.no_thinking { ThinkingDisplay::Hidden } else { ThinkingDisplay::Shown },
        zone: &minutes,
        ..RenderOptions::plain(context.out.width)
    };
    let mut text = TerminalText::default();
    with_conversation(args, target, |conversation| {
        annals_ui::terminal::draw(conversation, &look, &mut text)
    })?;
    context.out.text(text)?;
    Ok(Outcome::Done)
}

pub(crate) fn markdown(
    args: &ShowArgs,
    target: &ResolvedSession,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let mut text = TerminalText::default();
    with_conversation(args, target, |conversation| annals_ui::markdown::write(conversation, &mut text))?;
    context.out.text(text)?;
    Ok(Outcome::Done)
}

fn with_conversation(
    args: &ShowArgs,
    target: &ResolvedSession,
    show: impl FnOnce(&Conversation),
) -> Result<(), Fault> {
    let mut bytes = target.read()?;
    let mut files = if args.no_agents { Vec::new() } else { target.agents() };
    if args.full {
        bytes = with_outputs(bytes, &target.path);
        for file in &mut files {
            file.bytes = with_outputs(std::mem::take(&mut file.bytes), &file.entry.path);
        }
    }
    let family = SessionWithAgents::new(&bytes, &files);
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
    show(&Conversation::build(&family.main, &threads, ViewOptions::default()));
    Ok(())
}
