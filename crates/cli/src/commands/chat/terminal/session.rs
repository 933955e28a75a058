//! One session in the terminal: prompts and slash commands until the person exits or changes the session.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use annals_agent::api::model::Model;
use annals_agent::api::request::{Effort, Thinking};
use annals_agent::commands::CustomCommand;
use annals_agent::protocol::{Command, Commands, Event, Prompt, TurnEnd, TurnReport};
use annals_agent::tools::bash::Shells;
use annals_agent::turn::{SessionExit, WaitReason};
use annals_store::todos::{TodoItem, TodoStatus};
use annals_ui::terminal::Style;
use annals_ui::view::{Todo, TodoState};

use super::super::model::ModelNames;
use super::super::{ChatAgent, ChatApp, stopped_agent, stopped_command};
use super::auto_title::TitleTask;
use super::chat_ui::{ChatHeader, ChatUi};
use super::cost::{AgentFiles, UnrecordedUsage};
use super::past;
use super::permission_log::PermissionLog;
use super::slash::SlashCommand;
use super::status_line::{StatusFacts, StatusLineRunner};
use super::tasks::TaskWatch;
use super::terminal_ui::{PromptInput, WARNING};
use super::ui_event::UiEvent;
use crate::context::Context;
use crate::error::{Fault, Outcome};

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
    /// A copy of a session, with this title.
    Branch { path: PathBuf, title: Option<String> },
}

impl NextSession {
    /// Returns why the session ends.
    pub(super) fn exit(&self) -> SessionExit {
        match self {
            Self::Exit(_) => SessionExit::Prompt,
            Self::New => SessionExit::Clear,
            Self::Resume(_) | Self::Branch { .. } => SessionExit::Resume,
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
    /// Why the last calls were asked about, allowed or denied.
    pub(super) permission_log: PermissionLog,
    /// The status line, if the person has one.
    pub(super) status_line: Option<StatusLineRunner>,
    /// What all sessions of this run share.
    pub(super) app: &'b ChatApp,
    pub(super) context: &'b Context,
}

impl ChatSession<'_> {
    /// Runs prompts and commands until another session follows.
    pub(super) async fn run(
        &mut self,
        first: Option<String>,
        context: &Context,
        ui: &mut impl ChatUi,
    ) -> Result<NextSession, Fault> {
        ui.enqueue(first);
        loop {
            if let Some(line) = &mut self.status_line {
                line.set_vim(ui.vim_mode());
            }
            let mut told = None;
            let input = {
                let mut idle = pin!(self.agent.notification(WaitReason::Idle, IDLE_AFTER));
                let background = Arc::clone(&self.agent.background);
                let (mut ended, mut is_waiting) = (pin!(background.next_end()), true);
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
                    if let Poll::Ready(input) = prompt.as_mut().poll(context) {
                        return Poll::Ready(Ok(input));
                    }
                    if is_waiting && let Poll::Ready(notification) = ended.as_mut().poll(context) {
                        is_waiting = false;
                        if let Some(notification) = notification {
                            return Poll::Ready(Err(notification));
                        }
                    }
                    Poll::Pending
                })
                .await
            };
            told.into_iter().flatten().for_each(|message| ui.note(WARNING, &message));
            let input = match input {
                Ok(input) => input,
                // A sub-agent that has ended in the background opens a turn.
                Err(ended) => {
                    let turn = self.run_command(Command::Prompt(ended.into_prompt()), "working", ui).await;
                    match turn {
                        ControlFlow::Continue(_) => continue,
                        ControlFlow::Break(outcome) => return Ok(NextSession::Exit(outcome)),
                    }
                }
            };
            let line = match input {
                PromptInput::Line(line) => line,
                PromptInput::Nothing => continue,
                PromptInput::SetMode(mode) => {
                    let (_, mut commands) = Commands::channel();
                    self.agent.handle(Command::SetMode(mode), &mut commands, &mut |_| {}).await;
                    self.show_state(ui);
                    continue;
                }
                PromptInput::Leave(outcome) => return Ok(NextSession::Exit(outcome)),
            };
            // Servers that have connected meanwhile have prompts.
            ui.set_commands(&self.commands());
            let next = match SlashCommand::parse(&line) {
                Some(slash) if !ui.is_prompt(&line) => self.run_slash_command(slash, context, ui).await?,
                _ => self.send_prompt(line, ui).await,
            };
            if let ControlFlow::Break(next) = next {
                return Ok(next);
            }
        }
    }

    /// Returns what is in the background.
    pub(super) fn tasks(&self) -> TaskWatch {
        TaskWatch { shells: Arc::clone(&self.shells), agents: Arc::clone(&self.agent.background) }
    }

    /// Returns the commands of files and of servers.
    pub(super) fn commands(&self) -> Vec<CustomCommand> {
        self.agent.custom.iter().cloned().chain(self.agent.mcp.commands()).collect()
    }

    /// Sends a prompt, and runs its turn.
    async fn send_prompt(&mut self, text: String, ui: &mut impl ChatUi) -> ControlFlow<NextSession> {
        ui.remember(&text);
        let shell = text.strip_prefix('!').map(str::trim).filter(|line| !line.is_empty());
        let prompt = shell.map_or_else(|| Prompt::Text(text.clone()), |line| Prompt::Shell(line.to_owned()));
        let command = Command::Prompt(ui.typed_prompt().unwrap_or(prompt));
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
    fn restore_prompt(&mut self, text: &str, line: Option<&str>, ui: &mut impl ChatUi) {
        let is_back = line.is_none_or(|line| self.agent.conversation.rewind_to(line).is_ok());
        if is_back {
            ui.restore_prompt(text);
        }
    }

    /// Runs a command while the user can type, answer and interrupt.
    pub(super) async fn run_command(
        &mut self,
        command: Command,
        what: &str,
        ui: &mut impl ChatUi,
    ) -> ControlFlow<Outcome, (Option<TurnReport>, bool)> {
        let files = self.files;
        // A session that cannot be read says so in its turn.
        let mut reports = self.reports().ok();
        let models = self.models.clone();
        let (sender, mut commands) = Commands::channel();
        let events = ui.sender();
        let mut report = move |event: Event| {
            // The receiver lives as long as the turn.
            let _ = events.send(UiEvent::Agent(Box::new(event)));
        };
        ui.begin_work(what);
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
                        self.permission_log.add(&event);
                        if let Some(line) = &mut self.status_line {
                            line.add(&event);
                        }
                        self.unrecorded.add_ui_event(&event, files);
                        if let Some(reports) = &mut reports {
                            reports.add(&event);
                        }
                        ui.handle_while_busy(event, &sender)?;
                        if let Some(line) = &mut self.status_line {
                            line.set_vim(ui.vim_mode());
                        }
                    }
                }
                while let Some(command) = ui.next_command() {
                    let logs = (&self.permission_log, &self.unrecorded);
                    if let Some(reports) = &mut reports {
                        reports.show_during_turn(command, logs, &models, ui);
                    }
                }
            }
        };
        while let Some(event) = ui.try_next() {
            self.permission_log.add(&event);
            if let Some(line) = &mut self.status_line {
                line.add(&event);
            }
            self.unrecorded.add_ui_event(&event, files);
            ui.handle_while_busy(event, &sender)?;
        }
        // What was given in the last moment is shown, too.
        while let Some(command) = ui.next_command() {
            if let Some(reports) = &mut reports {
                reports.show_during_turn(command, (&self.permission_log, &self.unrecorded), &models, ui);
            }
        }
        // What was set in the last moment holds for what follows.
        drop(sender);
        while let Some(command) = commands.next().await {
            if matches!(command, Command::SetMode(_) | Command::SetModel(_)) {
                self.agent.handle(command, &mut commands, &mut |_| {}).await;
            }
        }
        let produced = ui.finish_work();
        ui.notify("annals is waiting for you");
        self.show_state(ui);
        ControlFlow::Continue((finished, produced))
    }

    /// Tells hooks that the session ends.
    pub(super) async fn tell_end(&mut self, exit: SessionExit, ui: &mut impl ChatUi) {
        let mut said = Vec::new();
        self.agent.end(exit, &mut |event| said.push(event)).await;
        for event in said {
            if let Event::Notice(notice) = event {
                ui.note(WARNING, &notice.to_string());
            }
        }
    }

    /// Ends background commands and sub-agents, and reports them.
    pub(super) fn stop_background(&self, ui: &mut impl ChatUi) {
        for command in self.shells.end_all() {
            ui.note(Style::DIM, &stopped_command(&command));
        }
        for agent in self.agent.background.running() {
            ui.note(Style::DIM, &stopped_agent(&agent));
        }
        self.agent.background.stop_all();
    }

    /// Prints how to resume this session, if it is stored.
    pub(super) fn print_resume_hint(&self, ui: &mut impl ChatUi) {
        let session = self.agent.conversation.session();
        if self.agent.conversation.path().is_some() {
            ui.note(Style::DIM, &format!("resume with: annals chat --resume {session}"));
            ui.note(Style::DIM, &format!("         or: claude --resume {session}"));
        }
    }

    /// Shows the header, and what was said before.
    pub(super) fn open(&mut self, ui: &mut impl ChatUi) {
        let agent = &self.agent;
        let is_resumed = agent.conversation.path().is_some();
        let header = ChatHeader {
            model: agent.turn_config.model.clone(),
            mode: agent.policy.mode,
            session: agent.conversation.session().to_owned(),
            is_resumed,
        };
        ui.show_header(&header);
        ui.watch_tasks(self.tasks());
        if let Some(title) = agent.conversation.title() {
            ui.show_title(title);
        }
        self.show_state(ui);
        if is_resumed {
            past::show(&self.agent.conversation, self.context, ui);
        }
    }

    /// Tells the interface what its footer shows.
    pub(super) fn show_state(&mut self, ui: &mut impl ChatUi) {
        let agent = &self.agent;
        let window = Model::of(&agent.turn_config.model).window;
        let used = agent.context().saturating_mul(100).checked_div(window).unwrap_or(0);
        let percent = u8::try_from(used.min(100)).ok().filter(|percent| *percent > 0);
        ui.show_state(&agent.turn_config.model, agent.policy.mode, percent);
        let state = self.status_line.is_some().then(|| self.status_state());
        let state = state.map(|state| StatusFacts { vim: ui.vim_mode(), ..state });
        if let (Some(line), Some(state), Some(size)) = (&mut self.status_line, state, ui.status_size()) {
            line.update(state, size);
        }
    }

    /// Returns what the status line is told of the session.
    fn status_state(&self) -> StatusFacts {
        let agent = &self.agent;
        let cwd = agent.conversation.cwd().display().to_string();
        let roots = agent.policy.workspace.roots();
        StatusFacts {
            session: agent.conversation.session().to_owned(),
            transcript: agent.conversation.transcript_path().display().to_string(),
            project: cwd.clone(),
            cwd,
            added: roots.iter().skip(1).map(|root| root.display().to_string()).collect(),
            model: agent.turn_config.model.clone(),
            effort: agent.turn_config.effort.map(Effort::name),
            thinks: agent.turn_config.thinking != Thinking::Off,
            title: agent.conversation.title().map(str::to_owned),
            vim: None,
        }
    }
}

/// Returns a todo as it is shown.
pub(super) fn todo(item: &TodoItem) -> Todo {
    let state = match item.status {
        TodoStatus::InProgress => TodoState::InProgress,
        TodoStatus::Completed => TodoState::Completed,
        _ => TodoState::Pending,
    };
    Todo { text: item.content.clone(), state }
}
