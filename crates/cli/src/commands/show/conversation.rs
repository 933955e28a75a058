//! `--as transcript`, `--as markdown` and `--as html`: the conversation for people.

use annals_store::overflow::{with_outputs, with_own_outputs};
use annals_transcript::agents::AgentLink;
use annals_transcript::query::{RecordMatch, by_prefix};
use annals_transcript::transcript::Transcript;
use annals_ui::terminal::{RenderOptions, ThinkingDisplay};
use annals_ui::view::{AgentThread, BranchDetail, Conversation, ItemBody, ViewOptions};

use super::{NO_MESSAGES, header};
use crate::args::{ShowArgs, ShowFormat};
use crate::commands::export::show_page;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::facts::SessionFacts;
use crate::session::{AgentFile, ResolvedSession, SessionWithAgents};
use crate::words;

pub(crate) fn transcript(
    args: &ShowArgs,
    target: &ResolvedSession,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let zone = context.zone.clone();
    let minutes = move |millis: i64| words::minutes_from_utc(millis, &zone);
    let look = RenderOptions {
        color: context.out.color,
        unicode: context.out.unicode,
        full: args.full,
        thinking: if args.no_thinking { ThinkingDisplay::Hidden } else { ThinkingDisplay::Shown },
        zone: &minutes,
        ..RenderOptions::plain(context.out.width)
    };
    let is_whole = args.around.is_none();
    let summary = if is_whole { SessionFacts::summary(target) } else { None };
    let (conversation, above) = with_family(args, target, |family, _| {
        if is_whole { header::header(target, summary.as_ref(), family, context) } else { Vec::new() }
    })?;
    above.into_iter().try_for_each(|line| context.out.line(line))?;
    let mut written = Ok(());
    annals_ui::terminal::draw_pieces(&conversation, &look, &mut |piece| {
        if written.is_ok() {
            written = context.out.text(piece);
        }
    });
    written?;
    let outcome = outcome(&conversation, context);
    drop(conversation);
    header::footer(target, context).into_iter().try_for_each(|line| context.out.line(line))?;
    Ok(outcome)
}

pub(crate) fn markdown(
    args: &ShowArgs,
    target: &ResolvedSession,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let (conversation, ()) = with_family(args, target, |_, _| ())?;
    let mut written = Ok(());
    annals_ui::markdown::write_pieces(&conversation, &mut |piece| {
        if written.is_ok() {
            written = context.out.text(piece);
        }
    });
    written?;
    Ok(outcome(&conversation, context))
}

pub(crate) fn html(
    args: &ShowArgs,
    target: &ResolvedSession,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let page = |family: &SessionWithAgents<'_>, conversation: &Conversation| {
        show_page(target, family, conversation, context)
    };
    let (conversation, page) = with_family(args, target, page)?;
    context.out.exact(page.as_bytes())?;
    Ok(outcome(&conversation, context))
}

/// Says so where there is nothing to show: a file that is empty, or has only titles and snapshots.
fn outcome(conversation: &Conversation, context: &Context) -> Outcome {
    if conversation.items.is_empty() {
        context.say(NO_MESSAGES);
        return Outcome::NothingFound;
    }
    Outcome::Done
}

/// The sub-agents of a session, each with the call that started it.
pub(crate) fn threads<'f>(family: &'f SessionWithAgents<'f>) -> Vec<AgentThread<'f>> {
    let thread = |(file, said, link): &'f (&'f AgentFile, Transcript<'f>, AgentLink)| AgentThread {
        id: file.entry.key.to_string(),
        tool_use: family.spawn_of(link).map(|(_, spawn)| spawn.tool_use.clone()),
        label: file.label(),
        transcript: said,
    };
    family.agents.iter().map(thread).collect()
}

/// Builds the conversation, which holds all that is shown, and looks at the session once more before it is forgotten.
fn with_family<T>(
    args: &ShowArgs,
    target: &ResolvedSession,
    look: impl FnOnce(&SessionWithAgents<'_>, &Conversation) -> T,
) -> Result<(Conversation, T), Fault> {
    let mut bytes = target.read()?;
    let mut files = if args.no_agents { Vec::new() } else { target.agents() };
    if args.full || args.form == ShowFormat::Html {
        let add_outputs = if args.at.at.is_some() { with_own_outputs } else { with_outputs };
        bytes = add_outputs(bytes, &target.path);
        for file in &mut files {
            file.bytes = add_outputs(std::mem::take(&mut file.bytes), &file.entry.path);
        }
    }
    let family = SessionWithAgents::new(&bytes, &files);
    // A page shows everything: what is long is folded.
    let branches = match args.form {
        ShowFormat::Html => BranchDetail::Full,
        _ => BranchDetail::default(),
    };
    let mut conversation = Conversation::build(&family.main, &threads(&family), ViewOptions { branches });
    if args.no_thinking && args.form == ShowFormat::Html {
        conversation.items.retain(|item| !matches!(item.body, ItemBody::Thinking(_)));
    }
    if let Some(place) = &args.around {
        conversation.keep_around(line_of(place, &family.main)?, args.context);
        if conversation.items.is_empty() {
            return Err(Fault::nothing_found(format!("the conversation has nothing at line {place}"))
                .hint("annals show SESSION --as records lists all lines"));
        }
    }
    let found = look(&family, &conversation);
    Ok((conversation, found))
}

/// The line that a number or the id of a record names.
fn line_of(place: &str, transcript: &Transcript<'_>) -> Result<usize, Fault> {
    // An id may begin with digits, but has more of them than a file has lines.
    if let Some(line) = place.parse().ok().filter(|_| place.len() < 8) {
        return Ok(line);
    }
    match by_prefix(transcript, place) {
        RecordMatch::One(node) => Ok(transcript.node(node).line as usize),
        RecordMatch::Nothing => Err(Fault::nothing_found(format!("this session has no record {place:?}"))
            .hint("name a line, or the id of a record: annals show SESSION --as records")),
        RecordMatch::Several(count) => {
            Err(Fault::usage(format!("{count} records have ids that begin with {place:?}")))
        }
    }
}
