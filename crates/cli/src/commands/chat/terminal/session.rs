//! One session in the terminal: prompts and slash commands until the person exits or changes the session.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use annals_agent::commands::CustomCommand;
use annals_agent::conversation::ApiMessage;
use annals_agent::protocol::{Command, Commands, Event, Prompt, TurnEnd, TurnError, TurnReport};
use annals_agent::tools::bash::Shells;
use annals_agent::turn::{SessionExit, WaitReason};
use annals_store::source::Clock;
use annals_store::todos::{TodoItem, TodoStatus};
use annals_ui::chat::WorkStatus;
use annals_ui::figures;
use annals_ui::terminal::{Span, Style, StyledLine, todos};
use annals_ui::view::{Todo, TodoState};

use super::super::model::ModelNames;
use super::super::{ChatAgent, stopped_command};
use super::auto_title::TitleTask;
use super::cost::{self, AgentFiles, UnrecordedUsage};
use super::file_restore::CheckpointRestorer;
use super::reports::{self, ContextBreakdown};
use super::slash::{Completions, SlashCommand};
use super::terminal_ui::{ERROR, Exit, PromptInput, TerminalUi, WARNING};
use super::ui_event::UiEvent;
use super::{rewind, session_picker};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;

/// How long a session waits for a prompt before hooks are told.
const IDLE_AFTER: Duration = Duration::from_secs(60);

/// What follows after a session.
pub(super) enum NextSession {
    /// The program ends.
    Exit(Outcome),
    /// A new session.
    New,
    /// Another session.
    Resume(PathBuf),
}

impl NextSession {
    /// Returns why the session ends.
    pub(super) fn exit(&self) -> SessionExit {
        match self {
            Self::Exit(_) => SessionExit::Prompt,
            Self::New => SessionExit::Clear,
            Self::Resume(_) => SessionExit::Resume,
        }
    }
}

/// A session in the terminal.
pub(super) struct ChatSession<'b> {
    pub(super) agent: ChatAgent<'b>,
    pub(super) shells: Arc<Shells>,
    pub(super) title_task: TitleTask<'b>,
    /// Whether its sub-agents have session files.
    pub(super) files: AgentFiles,
    /// Usage that its files do not record.
    pub(super) unrecorded: UnrecordedUsage,
    /// The names of models.
    pub(super) models: ModelNames,
}

impl ChatSession<'_> {
    /// Runs prompts and commands until another session follows.
    pub(super) async fn run(
        &mut self,
        first: Option<String>,
        context: &Context,
        ui: &mut TerminalUi,
    ) -> Result<NextSession, Fault> {
        ui.queue.extend(first);
        loop {
            let mut told = None;
            let input = {
                let mut idle = pin!(self.agent.notification(WaitReason::Idle, IDLE_AFTER));
                let mut prompt = pin!(ui.prompt());
                std::future::poll_fn(|context| {
                    if told.is_none()
                        && let Poll::Ready(messages) = idle.as_mut().poll(context)
                    {
                        told = Some(messages);
                    }
                    self.title_task.poll(context);
                    if let Some((model, spent)) = self.title_task.write(&mut self.agent.conversation) {
                        self.unrecorded.title(&model, spent);
                    }
                    prompt.as_mut().poll(context)
                })
                .await
            };
            told.into_iter().flatten().for_each(|message| ui.note(WARNING, &message));
            let line = match input {
                PromptInput::Line(line) => line,
                PromptInput::Nothing => continue,
                PromptInput::Leave(outcome) => return Ok(NextSession::Exit(outcome)),
            };
            // Servers that have connected meanwhile have prompts.
            ui.completions = Completions::of(&self.commands());
            let next = match SlashCommand::parse(&line) {
                Some(slash) if !ui.completions.is_prompt(&line) => {
                    self.run_slash_command(slash, context, ui).await?
                }
                _ => self.send_prompt(line, ui).await,
            };
            if let ControlFlow::Break(next) = next {
                return Ok(next);
            }
        }
    }

    /// Returns the commands of files and of servers.
    fn commands(&self) -> Vec<CustomCommand> {
        self.agent.custom.iter().cloned().chain(self.agent.mcp.commands()).collect()
    }

    /// Sends a prompt, and runs its turn.
    async fn send_prompt(&mut self, text: String, ui: &mut TerminalUi) -> ControlFlow<NextSession> {
        ui.editor.remember(&text);
        let shell = text.strip_prefix('!').map(str::trim).filter(|line| !line.is_empty());
        let prompt = shell.map_or_else(|| Prompt::Text(text.clone()), |line| Prompt::Shell(line.to_owned()));
        let command = Command::Prompt(prompt);
        let (finished, produced) = match self.run_command(command, "working", ui).await {
            ControlFlow::Continue(done) => done,
            ControlFlow::Break(outcome) => return ControlFlow::Break(NextSession::Exit(outcome)),
        };
        match finished {
            Some(TurnReport { ending: TurnEnd::Done, .. }) => {
                self.title_task.begin(&self.agent, &self.models.small(), &text)
            }
            Some(TurnReport { ending: TurnEnd::Interrupted, prompt, .. }) => {
                self.title_task.cancel();
                if !produced {
                    self.restore_prompt(&text, prompt.as_deref(), ui);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Puts a prompt without an answer back into the editor. In the file, if it was written, it becomes an abandoned
    /// branch.
    fn restore_prompt(&mut self, text: &str, line: Option<&str>, ui: &mut TerminalUi) {
        let is_back = line.is_none_or(|line| self.agent.conversation.rewind_to(line).is_ok());
        if is_back && ui.editor.text().is_empty() && ui.queue.is_empty() {
            ui.editor.set(text);
        }
    }

    /// Runs a command while the user can type, answer and interrupt.
    async fn run_command(
        &mut self,
        command: Command,
        what: &str,
        ui: &mut TerminalUi,
    ) -> ControlFlow<Outcome, (Option<TurnReport>, bool)> {
        let files = self.files;
        let (sender, mut commands) = Commands::channel();
        let events = ui.sender();
        let mut report = move |event: Event| {
            // The receiver lives as long as the turn.
            let _ = events.send(UiEvent::Agent(Box::new(event)));
        };
        ui.work = Some(WorkStatus::new(what, Instant::now()));
        let finished = {
            let mut work = pin!(self.agent.handle(command, &mut commands, &mut report));
            loop {
                let first = {
                    let mut next = pin!(ui.next());
                    std::future::poll_fn(|context| {
                        self.title_task.poll(context);
                        if let Poll::Ready(done) = work.as_mut().poll(context) {
                            return Poll::Ready(Err(done));
                        }
                        next.as_mut().poll(context).map(Ok)
                    })
                    .await
                };
                match first {
                    Err(finished) => break finished,
                    Ok(event) => {
                        self.unrecorded.add_ui_event(&event, files);
                        ui.handle_while_busy(event, &sender)?;
                    }
                }
            }
        };
        while let Some(event) = ui.try_next() {
            self.unrecorded.add_ui_event(&event, files);
            ui.handle_while_busy(event, &sender)?;
        }
        let produced = ui.work.as_ref().is_some_and(|work| work.has_output);
        ui.finish_work();
        ControlFlow::Continue((finished, produced))
    }

    /// Runs a slash command.
    async fn run_slash_command(
        &mut self,
        slash: SlashCommand,
        context: &Context,
        ui: &mut TerminalUi,
    ) -> Result<ControlFlow<NextSession>, Fault> {
        match slash {
            SlashCommand::Help => ui.notes(&reports::help(&self.commands())),
            SlashCommand::Mcp => ui.notes(&reports::servers(&self.agent.mcp)),
            SlashCommand::Clear => return Ok(ControlFlow::Break(NextSession::New)),
            SlashCommand::Exit => return Ok(ControlFlow::Break(NextSession::Exit(Outcome::Done))),
            SlashCommand::Unknown(name) => {
                ui.note(WARNING, &format!("unknown command {name}; /help lists all"));
            }
            SlashCommand::Compact(focus) => {
                match self.run_command(Command::Compact(focus), "compacting", ui).await {
                    ControlFlow::Break(outcome) => {
                        return Ok(ControlFlow::Break(NextSession::Exit(outcome)));
                    }
                    // A notice has said why.
                    ControlFlow::Continue((
                        Some(TurnReport { ending: TurnEnd::Failed(TurnError::NotCompacted(_)), .. }),
                        _,
                    )) => {}
                    ControlFlow::Continue((Some(TurnReport { ending: TurnEnd::Failed(error), .. }), _)) => {
                        ui.note(ERROR, &error.to_string());
                    }
                    ControlFlow::Continue(_) => {}
                }
            }
            SlashCommand::Model(None) => {
                let model = self.agent.turn_config.model.clone();
                let said = format!(
                    "current model: {model}; /model NAME changes it (opus, sonnet, haiku or a full name)"
                );
                ui.note(Style::PLAIN, &said);
                self.record("model", "", &said)?;
            }
            SlashCommand::Model(Some(name)) => {
                let (given, name) = (name.clone(), self.models.named(&name));
                let done = self.run_command(Command::SetModel(name.clone()), "working", ui).await;
                if let ControlFlow::Break(outcome) = done {
                    return Ok(ControlFlow::Break(NextSession::Exit(outcome)));
                }
                let said = format!("model set to {name}");
                ui.note(Style::PLAIN, &said);
                self.record("model", &given, &said)?;
            }
            SlashCommand::Cost => {
                let mut files = vec![self.agent.conversation.bytes()?];
                if let Some(path) = self.agent.conversation.path() {
                    let session = ResolvedSession::find(context, &path.to_string_lossy())?;
                    files.extend(session.agents().into_iter().map(|agent| agent.bytes));
                }
                let lines = cost::report(&files, &self.unrecorded, &context.prices);
                ui.notes(&lines);
                self.record("cost", "", &plain_text(&lines))?;
            }
            SlashCommand::Context => {
                let breakdown = self.context_breakdown()?;
                let lines = reports::context(&self.agent.turn_config.model, self.agent.context(), breakdown);
                ui.notes(&lines);
                self.record("context", "", &plain_text(&lines))?;
            }
            SlashCommand::Todos if ui.todos.is_empty() => {
                ui.note(Style::DIM, "no todos");
                self.record("todos", "", "no todos")?;
            }
            SlashCommand::Todos => {
                let items: Vec<Todo> = ui.todos.iter().map(todo).collect();
                let lines = todos(&items, ui.screen.width().saturating_sub(2), &ui.options);
                ui.notes(&lines);
                self.record("todos", "", &plain_text(&lines))?;
            }
            SlashCommand::Rewind => {
                let now = Clock::now(&context.source);
                if let Err(outcome) =
                    rewind::rewind(&mut self.agent.conversation, &CheckpointRestorer(context), now, ui).await
                {
                    return Ok(ControlFlow::Break(NextSession::Exit(outcome)));
                }
            }
            SlashCommand::Resume(wanted) => return Ok(self.resume(wanted, context, ui).await),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Records a command that shows something: the session has what the person has seen.
    fn record(&mut self, name: &str, arguments: &str, output: &str) -> Result<(), Fault> {
        Ok(self.agent.conversation.append_local_command(name, arguments, output)?)
    }

    async fn resume(
        &self,
        wanted: Option<String>,
        context: &Context,
        ui: &mut TerminalUi,
    ) -> ControlFlow<NextSession> {
        let cwd = self.agent.conversation.cwd().to_path_buf();
        let store = context.store.in_use();
        match session_picker::choose(wanted.as_deref(), &cwd, context, ui).await {
            Ok(Some(path)) if self.agent.conversation.path() == Some(&path) => {
                ui.note(Style::DIM, "this session is already open");
            }
            Ok(Some(path)) => return ControlFlow::Break(NextSession::Resume(path)),
            Ok(None) => {}
            Err(Exit::Fault(fault)) => ui.note(ERROR, fault.message()),
            Err(Exit::Leave(outcome)) => return ControlFlow::Break(NextSession::Exit(outcome)),
        }
        // This session goes on, in its own store.
        context.store.select(store);
        ControlFlow::Continue(())
    }

    /// Returns what fills the context window.
    fn context_breakdown(&mut self) -> Result<ContextBreakdown, Fault> {
        let system = self.agent.turn_config.system.iter().map(String::len).sum();
        let tools = self.agent.tools.iter().map(|tool| tool.spec().json.len()).sum();
        let size = |message: &ApiMessage| message.blocks.iter().map(Vec::len).sum::<usize>();
        let messages = self.agent.conversation.messages()?.iter().map(size).sum();
        Ok(ContextBreakdown { system, tools, messages })
    }

    /// Tells hooks that the session ends.
    pub(super) async fn tell_end(&mut self, exit: SessionExit, ui: &mut TerminalUi) {
        let mut said = Vec::new();
        self.agent.end(exit, &mut |event| said.push(event)).await;
        for event in said {
            if let Event::Notice(notice) = event {
                ui.note(WARNING, &notice.to_string());
            }
        }
    }

    /// Ends background commands, and reports them.
    pub(super) fn stop_background(&self, ui: &mut TerminalUi) {
        for command in self.shells.end_all() {
            ui.note(Style::DIM, &stopped_command(&command));
        }
    }

    /// Prints how to resume this session, if it is stored.
    pub(super) fn print_resume_hint(&self, ui: &mut TerminalUi) {
        let session = self.agent.conversation.session();
        if self.agent.conversation.path().is_some() {
            ui.note(Style::DIM, &format!("resume with: annals chat --resume {session}"));
            ui.note(Style::DIM, &format!("         or: claude --resume {session}"));
        }
    }

    /// Prints the header: model, mode, folder, session.
    pub(super) fn print_header(&self, ui: &mut TerminalUi) {
        let (agent, cwd) = (&self.agent, ui.cwd.clone());
        let model = figures::model(&agent.turn_config.model).to_owned();
        let mode = agent.policy.mode.name();
        ui.screen.line(
            2,
            &[
                Span::new("annals", Style::BOLD),
                Span::new(format!(" · {model} · mode {mode} · {cwd}"), Style::PLAIN),
            ],
        );
        let session = agent.conversation.session().to_owned();
        let what = if agent.conversation.path().is_some() { "resumed" } else { "new" };
        ui.screen.line(2, &[Span::new(format!("session {session} · {what} · /help"), Style::DIM)]);
    }
}

fn plain_text(lines: &[StyledLine]) -> String {
    let line = |line: &StyledLine| line.iter().map(|span| span.text.as_str()).collect::<String>();
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn todo(item: &TodoItem) -> Todo {
    let state = match item.status {
        TodoStatus::Pending => TodoState::Pending,
        TodoStatus::InProgress => TodoState::InProgress,
        TodoStatus::Completed => TodoState::Completed,
    };
    Todo { text: item.content.clone(), state }
}
