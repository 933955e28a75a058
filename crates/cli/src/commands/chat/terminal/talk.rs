//! One session at the desk: prompts and commands until the person leaves or wants another one.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use annals_agent::command::{Command, Commands, Prompt};
use annals_agent::conversation::Spoken;
use annals_agent::event::Event;
use annals_agent::tools::bash::Shells;
use annals_agent::turn::{Ending, Finished};
use annals_store::source::Clock;
use annals_ui::figures;

use super::super::{Talker, ended_with, model};
use super::desk::{Away, Desk, Said};
use super::files_back::KeptCopies;
use super::happening::Happening;
use super::naming::Naming;
use super::reports::{self, Room};
use super::screen::Ink;
use super::slash::Slash;
use super::spent::{self, Files, Unwritten};
use super::status::Work;
use super::{rewind, sessions, tool_lines};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::Target;

/// What follows a session.
pub(super) enum Next {
    /// The person leaves.
    Leave(Outcome),
    /// A new session.
    Clear,
    /// This session.
    Resume(PathBuf),
}

/// A session that is had.
pub(super) struct Talk<'b> {
    pub(super) agent: Talker<'b>,
    pub(super) shells: Arc<Shells>,
    pub(super) naming: Naming<'b>,
    /// Whether its sub-agents have files.
    pub(super) files: Files,
    /// What it has cost beside what its files say.
    pub(super) unwritten: Unwritten,
}

impl Talk<'_> {
    /// Says and does what the person wants until something else follows.
    pub(super) async fn have(
        &mut self,
        first: Option<String>,
        context: &Context,
        desk: &mut Desk,
    ) -> Result<Next, Fault> {
        desk.queue.extend(first);
        loop {
            let said = {
                let mut prompt = pin!(desk.prompt());
                std::future::poll_fn(|context| {
                    self.naming.go_on(context);
                    if let Some((model, spent)) = self.naming.write(&mut self.agent.conversation) {
                        self.unwritten.title(&model, spent);
                    }
                    prompt.as_mut().poll(context)
                })
                .await
            };
            let line = match said {
                Said::Line(line) => line,
                Said::Nothing => continue,
                Said::Leave(outcome) => return Ok(Next::Leave(outcome)),
            };
            let next = match Slash::parse(&line) {
                Some(Slash::Unknown(name)) if desk.offer.has_custom(&name) => self.say(line, desk).await,
                Some(slash) => self.obey(slash, context, desk).await?,
                None => self.say(line, desk).await,
            };
            if let ControlFlow::Break(next) = next {
                return Ok(next);
            }
        }
    }

    /// A prompt and its turn.
    async fn say(&mut self, text: String, desk: &mut Desk) -> ControlFlow<Next> {
        desk.editor.remember(&text);
        let command = Command::Prompt(Prompt::Text(text.clone()));
        let (finished, produced) = match self.carry_out(command, "working", desk).await {
            ControlFlow::Continue(done) => done,
            ControlFlow::Break(outcome) => return ControlFlow::Break(Next::Leave(outcome)),
        };
        match finished {
            Some(Finished { ending: Ending::Done, .. }) => self.naming.begin(&self.agent, &text),
            Some(Finished { ending: Ending::Interrupted, prompt, .. }) => {
                self.naming.drop_it();
                if !produced {
                    self.take_back(&text, prompt.as_deref(), desk);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// A prompt that nothing followed comes back to be written anew; in the file, where it got there, it is a branch that
    /// nobody goes on with.
    fn take_back(&mut self, text: &str, line: Option<&str>, desk: &mut Desk) {
        let is_back = line.is_none_or(|line| self.agent.conversation.go_back_to(line).is_ok());
        if is_back && desk.editor.text().is_empty() && desk.queue.is_empty() {
            desk.editor.set(text);
        }
    }

    /// Has a command carried out while the person may go on typing, answer and interrupt.
    async fn carry_out(
        &mut self,
        command: Command,
        what: &str,
        desk: &mut Desk,
    ) -> ControlFlow<Outcome, (Option<Finished>, bool)> {
        let files = self.files;
        let (sender, mut commands) = Commands::channel();
        let events = desk.sender();
        let mut report = move |event: Event| {
            // The desk is there for as long as the work is.
            let _ = events.send(Happening::Event(Box::new(event)));
        };
        desk.work = Some(Work::new(what, Instant::now()));
        let finished = {
            let mut work = pin!(self.agent.obey(command, &mut commands, &mut report));
            loop {
                let first = {
                    let mut next = pin!(desk.next());
                    std::future::poll_fn(|context| {
                        self.naming.go_on(context);
                        if let Poll::Ready(done) = work.as_mut().poll(context) {
                            return Poll::Ready(Err(done));
                        }
                        next.as_mut().poll(context).map(Ok)
                    })
                    .await
                };
                match first {
                    Err(finished) => break finished,
                    Ok(happening) => {
                        self.unwritten.hear_of(&happening, files);
                        desk.meanwhile(happening, &sender)?;
                    }
                }
            }
        };
        while let Some(happening) = desk.next_at_once() {
            self.unwritten.hear_of(&happening, files);
            desk.meanwhile(happening, &sender)?;
        }
        let produced = desk.work.as_ref().is_some_and(|work| work.produced);
        desk.rest();
        ControlFlow::Continue((finished, produced))
    }

    /// A command of the conversation.
    async fn obey(
        &mut self,
        slash: Slash,
        context: &Context,
        desk: &mut Desk,
    ) -> Result<ControlFlow<Next>, Fault> {
        match slash {
            Slash::Help => desk.notes(&reports::help(&self.agent.custom)),
            Slash::Clear => return Ok(ControlFlow::Break(Next::Clear)),
            Slash::Exit => return Ok(ControlFlow::Break(Next::Leave(Outcome::Done))),
            Slash::Unknown(name) => {
                desk.note(Ink::Yellow, &format!("there is no command {name}; /help names them all"));
            }
            Slash::Compact(focus) => {
                let done = self.carry_out(Command::Compact(focus), "summing up", desk).await;
                if let ControlFlow::Break(outcome) = done {
                    return Ok(ControlFlow::Break(Next::Leave(outcome)));
                }
            }
            Slash::Model(None) => {
                let model = self.agent.wishes.model.clone();
                desk.note(
                    Ink::Plain,
                    &format!("{model} answers; /model NAME for another: opus, sonnet, haiku, or a full name"),
                );
            }
            Slash::Model(Some(name)) => {
                let name = model::named(&name);
                let done = self.carry_out(Command::SetModel(name.clone()), "working", desk).await;
                if let ControlFlow::Break(outcome) = done {
                    return Ok(ControlFlow::Break(Next::Leave(outcome)));
                }
                desk.note(Ink::Plain, &format!("{name} answers from now on"));
            }
            Slash::Cost => {
                let mut files = vec![self.agent.conversation.bytes()?];
                if let Some(path) = self.agent.conversation.path() {
                    let session = Target::find(context, &path.to_string_lossy())?;
                    files.extend(session.agents().into_iter().map(|agent| agent.bytes));
                }
                desk.notes(&spent::report(&files, &self.unwritten, &context.prices));
            }
            Slash::Context => {
                let room = self.room()?;
                desk.notes(&reports::context(&self.agent.wishes.model, self.agent.context(), room));
            }
            Slash::Todos if desk.todos.is_empty() => desk.note(Ink::Dim, "nothing is on the list"),
            Slash::Todos => {
                let lines = tool_lines::todos(&desk.todos);
                desk.notes(&lines);
            }
            Slash::Rewind => {
                let now = Clock::now(&context.source);
                if let Err(outcome) =
                    rewind::rewind(&mut self.agent.conversation, &KeptCopies(context), now, desk).await
                {
                    return Ok(ControlFlow::Break(Next::Leave(outcome)));
                }
            }
            Slash::Resume(wanted) => return Ok(self.resume(wanted, context, desk).await),
        }
        Ok(ControlFlow::Continue(()))
    }

    async fn resume(&self, wanted: Option<String>, context: &Context, desk: &mut Desk) -> ControlFlow<Next> {
        let cwd = self.agent.conversation.cwd().to_path_buf();
        match sessions::choose(wanted.as_deref(), &cwd, context, desk).await {
            Ok(Some(path)) if self.agent.conversation.path() == Some(&path) => {
                desk.note(Ink::Dim, "that is this session");
            }
            Ok(Some(path)) => return ControlFlow::Break(Next::Resume(path)),
            Ok(None) => {}
            Err(Away::Fault(fault)) => desk.note(Ink::Red, fault.message()),
            Err(Away::Leave(outcome)) => return ControlFlow::Break(Next::Leave(outcome)),
        }
        ControlFlow::Continue(())
    }

    /// What takes room in the model's window.
    fn room(&mut self) -> Result<Room, Fault> {
        let system = self.agent.wishes.system.iter().map(String::len).sum();
        let tools = self.agent.tools.iter().map(|tool| tool.spec().json.len()).sum();
        let size = |message: &Spoken| message.blocks.iter().map(Vec::len).sum::<usize>();
        let messages = self.agent.conversation.messages()?.iter().map(size).sum();
        Ok(Room { system, tools, messages })
    }

    /// Ends what still runs in the background, and says so.
    pub(super) fn end_commands(&self, desk: &mut Desk) {
        for command in self.shells.end_all() {
            desk.note(Ink::Dim, &ended_with(&command));
        }
    }

    /// Says how to go on with this session later, where there is something to go on with.
    pub(super) fn take_leave(&self, desk: &mut Desk) {
        let session = self.agent.conversation.session();
        if self.agent.conversation.path().is_some() {
            desk.note(Ink::Dim, &format!("to go on: annals chat --resume {session}"));
            desk.note(Ink::Dim, &format!("      or: claude --resume {session}"));
        }
    }

    /// Two lines that say with whom and where.
    pub(super) fn greet(&self, desk: &mut Desk) {
        let (agent, cwd) = (&self.agent, desk.cwd.clone());
        let model = figures::model(&agent.wishes.model).to_owned();
        let mode = agent.policy.mode.name();
        desk.screen
            .line(2, &[(Ink::Bold, "annals"), (Ink::Plain, &format!(" · {model} · mode {mode} · {cwd}"))]);
        let session = agent.conversation.session().to_owned();
        let what = if agent.conversation.path().is_some() { "resumed" } else { "new" };
        desk.screen.line(2, &[(Ink::Dim, &format!("session {session} · {what} · /help"))]);
    }
}
