//! The conversation in a terminal: lines that are said and stay, and below them what is being typed.
//!
//! | module | owns |
//! |---|---|
//! | `tty` | the device: raw, put back, stopped and continued |
//! | `keys`, `editor`, `layout` | from bytes to keys, to a text, to rows |
//! | `screen` | what stands on the terminal |
//! | `happening` | keys, events and signals in one queue |
//! | `desk`, `meanwhile` | whoever sits there: prompts and answers; and what happens while something runs |
//! | `telling`, `tool_lines`, `question`, `status` | what a conversation tells, as lines |
//! | `talk`, `naming` | one session: prompts and commands; what it is called |
//! | `slash`, `reports`, `spent`, `sessions`, `rewind`, `files_back`, `trust` | the commands, and what they ask and say |
//!
//! All goes through [`Event`](annals_agent::event::Event) and [`Command`](annals_agent::command::Command): another
//! interface needs nothing else.

mod agents;
mod desk;
mod editor;
mod files_back;
mod happening;
mod keys;
mod layout;
mod meanwhile;
mod naming;
mod question;
mod reports;
mod rewind;
mod screen;
mod sessions;
mod slash;
mod spent;
mod status;
mod talk;
mod telling;
mod tool_lines;
mod trust;
mod tty;

use std::ops::ControlFlow;
use std::path::Path;

use annals_agent::conversation::Start;
use annals_agent::turn::Asking;
use annals_store::history::stream_history;
use annals_store::session::NewSession;
use annals_store::todos::TodoItem;
use annals_store::{AgentKey, SessionKey};

use self::desk::{Away, Desk};
use self::naming::Naming;
use self::screen::{Color, Ink};
use self::spent::{Files, Unwritten};
use self::talk::{Next, Talk};
use self::tty::Skill;
use super::{Bench, going_on, runtime, start};
use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};

/// So many earlier prompts can be called up.
const REMEMBERED: usize = 500;

/// Has a conversation with whoever sits at the terminal.
pub(super) fn run(args: &ChatArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let cwd = context.current_dir.clone();
    let cwd = cwd.ok_or_else(|| Fault::usage("this folder is not there any more"))?;
    let variable =
        |name: &str| context.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let skill = match variable("TERM").and_then(|term| term.to_str()) {
        None | Some("" | "dumb") => Skill::Lines,
        Some(_) => Skill::Moving,
    };
    let color = if context.out.color && skill == Skill::Moving { Color::Yes } else { Color::No };
    let runtime = runtime::new()?;
    let mut desk = Desk::sit(skill, color, cwd.to_string_lossy().into_owned())?;
    let outcome = runtime::carry_out(runtime, async {
        happening::listen_to_signals(&desk.sender());
        desk.last_resort.listen();
        converse(args, &cwd, context, &mut desk).await
    });
    desk.screen.end_line();
    // Where the terminal is gone, there is nobody to tell.
    let _ = desk.screen.show(None);
    outcome
}

async fn converse(args: &ChatArgs, cwd: &Path, context: &Context, desk: &mut Desk) -> Result<Outcome, Fault> {
    if !args.trust {
        match trust::ask(cwd, context, desk).await {
            Ok(()) => {}
            Err(Away::Fault(fault)) => return Err(fault),
            Err(Away::Leave(outcome)) => return Ok(outcome),
        }
    }
    let begin = match args.resume {
        Some(None) => match sessions::choose(None, cwd, context, desk).await {
            Ok(Some(path)) => going_on(path, args),
            Ok(None) => return Ok(Outcome::Done),
            Err(Away::Fault(fault)) => return Err(fault),
            Err(Away::Leave(outcome)) => return Ok(outcome),
        },
        _ => start(args, context)?,
    };
    let bench = Bench::new(args, context)?;
    desk.editor = editor::Editor::with_history(history(cwd, context));
    desk.offer = slash::Offer::of(&bench.custom);
    let open = |start: Start| -> Result<Talk<'_>, Fault> {
        let (agent, shells) = bench.agent(args, start, Asking::Person, context)?;
        let files = if args.no_session_persistence { Files::Nowhere } else { Files::There };
        Ok(Talk { agent, shells, naming: Naming::default(), files, unwritten: Unwritten::default() })
    };
    let mut talk = open(begin)?;
    let mut first = args.prompt.clone().filter(|prompt| !prompt.trim().is_empty());
    let outcome = loop {
        desk.last_resort.watch_over(&talk.shells);
        desk.todos = todos(&talk, context);
        talk.greet(desk);
        // Nothing of another session's begins this one.
        let next = loop {
            match talk.have(first.take(), context, desk).await {
                Ok(next) => break next,
                Err(fault) => desk.note(Ink::Red, fault.message()),
            }
        };
        let other = match next {
            Next::Leave(outcome) => break outcome,
            Next::Clear => open(Start::New(NewSession::default())).map(|mut new| {
                new.agent.wishes.model.clone_from(&talk.agent.wishes.model);
                new
            }),
            Next::Resume(path) => open(Start::Resume(path)),
        };
        match other {
            Ok(other) => {
                talk.end_commands(desk);
                talk.take_leave(desk);
                talk = other;
            }
            Err(fault) => desk.note(Ink::Red, fault.message()),
        }
    };
    // Whatever runs in the background ends with the conversation.
    talk.end_commands(desk);
    desk.rest();
    talk.take_leave(desk);
    Ok(outcome)
}

/// What was on the session's list.
fn todos(talk: &Talk<'_>, context: &Context) -> Vec<TodoItem> {
    let session = SessionKey::new(talk.agent.conversation.session());
    let agent = AgentKey::new(session.as_str());
    let list = std::fs::read(context.store.config_dir().todo(&session, &agent)).ok();
    list.and_then(|bytes| TodoItem::list(&bytes).ok()).unwrap_or_default()
}

/// The prompts of this folder, oldest first.
fn history(cwd: &Path, context: &Context) -> Vec<String> {
    let cwd = cwd.to_string_lossy();
    let mut prompts: std::collections::VecDeque<String> = std::collections::VecDeque::new();
    // Whoever cannot read it has no earlier prompts.
    let _ = stream_history(context.store.config_dir(), |_, entry| {
        let is_ours = entry.project().is_some_and(|project| project.is(&cwd));
        if let Some(prompt) = entry.display().filter(|_| is_ours).map(|text| text.to_string())
            && prompts.back() != Some(&prompt)
        {
            prompts.push_back(prompt);
            if prompts.len() > REMEMBERED {
                prompts.pop_front();
            }
        }
        ControlFlow::Continue(())
    });
    prompts.into()
}
