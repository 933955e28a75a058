//! What commands show of a session without changing anything. They are told while a turn runs, too, when the conversation itself is at
//! work: so this holds what they need.

use std::collections::VecDeque;
use std::path::PathBuf;

use annals_agent::api::request::Effort;
use annals_agent::commands::CustomCommand;
use annals_agent::mcp::McpServers;
use annals_agent::protocol::{Event, UsageStorage};
use annals_agent::turn::CallDecider;
use annals_json::Value;
use annals_policy::paths::Workspace;
use annals_ui::figures;
use annals_ui::terminal::{Span, Style, StyledLine};

use super::super::ChatApp;
use super::super::model::ModelNames;
use super::chat_ui::ChatUi;
use super::commands::{model_choice, plain_text};
use super::cost::{self, UnrecordedUsage};
use super::permission_log::{self, PermissionLog};
use super::reports::{self, ContextBreakdown};
use super::session::ChatSession;
use super::session_commands::{effort_choice, text_of_answer};
use super::setup_reports;
use super::slash::SlashCommand;
use super::tasks::TaskWatch;
use super::terminal_ui::{ERROR, WARNING};
use super::ui_event::UiEvent;
use crate::args::{ExportArgs, ExportDetail, ExportFormat};
use crate::commands::doctor;
use crate::commands::export::Document;
use crate::context::Context;
use crate::error::Fault;
use crate::session::ResolvedSession;

/// How many answers `/copy` can reach.
const MAX_ANSWERS: usize = 20;

/// What a command has shown, to be recorded in the session: its name and its output.
pub(super) type ShownOutput = Option<(&'static str, String)>;

/// What commands show of a session.
pub(super) struct SessionReports<'b> {
    context: &'b Context,
    app: &'b ChatApp,
    decider: CallDecider<'b>,
    workspace: &'b Workspace,
    tasks: TaskWatch,
    mcp: McpServers,
    commands: Vec<CustomCommand>,
    memory: Vec<StyledLine>,
    model: String,
    effort: Option<Effort>,
    session: String,
    /// Where the session is, or will be.
    file: PathBuf,
    cwd: PathBuf,
    /// Tokens in the context window, and what they are of.
    tokens: u64,
    breakdown: ContextBreakdown,
    /// The session itself, where it has no file.
    stored: Option<Vec<u8>>,
    /// The last answers, the last one at the end.
    answers: VecDeque<String>,
}

impl<'b> ChatSession<'b> {
    /// Returns what commands show of the session as it is now.
    pub(super) fn reports(&mut self) -> Result<SessionReports<'b>, Fault> {
        let breakdown = self.context_breakdown()?;
        let answers = self.last_answers(MAX_ANSWERS)?;
        let commands = self.commands();
        let agent = &self.agent;
        let file = agent.conversation.transcript_path();
        let memory = agent.system_prompt.as_ref().map(|prompt| setup_reports::memory(&prompt.memory));
        Ok(SessionReports {
            context: self.context,
            app: self.app,
            decider: agent.decider(),
            workspace: agent.policy.workspace,
            tasks: self.tasks(),
            mcp: agent.mcp.clone(),
            commands,
            memory: memory.unwrap_or_default(),
            model: agent.turn_config.model.clone(),
            effort: agent.turn_config.effort,
            session: agent.conversation.session().to_owned(),
            stored: if file.is_file() { None } else { agent.conversation.bytes().ok() },
            file,
            cwd: agent.conversation.cwd().to_path_buf(),
            tokens: agent.context(),
            breakdown,
            answers,
        })
    }
}

impl SessionReports<'_> {
    /// Follows a running turn.
    pub(super) fn add(&mut self, event: &UiEvent) {
        let UiEvent::Agent(event) = event else { return };
        match &**event {
            Event::Usage { usage, storage: UsageStorage::Session, .. } => {
                self.tokens = usage.context().saturating_add(usage.output());
            }
            Event::ModeChanged(mode) => self.decider.set_mode(*mode),
            Event::Replied(line) => {
                let blocks = Value::parse(&line.message).ok().and_then(|message| message.get("content"));
                let texts: Vec<String> =
                    blocks.iter().flat_map(|blocks| blocks.items()).filter_map(text_of_answer).collect();
                if !texts.is_empty() {
                    self.answers.push_back(texts.join("\n\n"));
                    if self.answers.len() > MAX_ANSWERS {
                        self.answers.pop_front();
                    }
                }
            }
            _ => {}
        }
    }

    /// Shows what a command shows that was given while the turn runs. Nothing is recorded: the session is being written.
    pub(super) fn show_during_turn(
        &mut self,
        command: SlashCommand,
        logs: (&PermissionLog, &UnrecordedUsage),
        models: &ModelNames,
        ui: &mut impl ChatUi,
    ) {
        match command {
            SlashCommand::Model(_) => ui.offer(model_choice(&self.model, models), "/model"),
            SlashCommand::Effort(_) => ui.offer(effort_choice(self.effort), "/effort"),
            command => {
                if let Err(fault) = self.show(command, logs, ui) {
                    ui.note(ERROR, fault.message());
                }
            }
        }
    }

    /// Shows what a command is to show.
    pub(super) fn show(
        &mut self,
        command: SlashCommand,
        (log, unrecorded): (&PermissionLog, &UnrecordedUsage),
        ui: &mut impl ChatUi,
    ) -> Result<ShownOutput, Fault> {
        if let Some(mode) = ui.mode() {
            self.decider.set_mode(mode);
        }
        match command {
            SlashCommand::Help => ui.report("help", &reports::help(&self.commands)),
            SlashCommand::Mcp => ui.report("MCP servers", &reports::servers(&self.mcp)),
            SlashCommand::Unknown(name) => {
                ui.note(WARNING, &format!("unknown command {name}; /help lists all"));
            }
            SlashCommand::Cost => {
                let lines = self.cost(unrecorded)?;
                ui.report("cost", &lines);
                return Ok(Some(("cost", plain_text(&lines))));
            }
            SlashCommand::Context => {
                let lines = reports::context(&self.model, self.tokens, self.breakdown);
                if ui.has_pictures() {
                    ui.notes(&reports::context_picture(&self.model, self.tokens, self.breakdown));
                }
                ui.report("context", &lines);
                return Ok(Some(("context", plain_text(&lines))));
            }
            SlashCommand::Todos if ui.todos().is_empty() => {
                ui.note(Style::DIM, "no todos");
                return Ok(Some(("todos", "no todos".to_owned())));
            }
            SlashCommand::Todos => {
                let lines = ui.todo_lines();
                ui.report("todos", &lines);
                return Ok(Some(("todos", plain_text(&lines))));
            }
            SlashCommand::Permissions(Some(call)) => {
                ui.report("permissions", &[permission_log::explain(&call, &self.cwd, &self.decider)]);
            }
            SlashCommand::Permissions(None) => {
                let mut lines = reports::permissions(self.decider.mode(), self.decider.rules());
                lines.extend(log.lines(&self.cwd.to_string_lossy()));
                ui.report("permissions", &lines);
            }
            SlashCommand::Hooks => ui.report("hooks", &self.hooks()),
            SlashCommand::Agents => ui.report("agents", &setup_reports::agents(&self.app.kinds)),
            SlashCommand::Memory => ui.report("memory", &self.memory),
            SlashCommand::Config => {
                ui.report("config", &setup_reports::config(&self.app.setup, self.context));
            }
            SlashCommand::Doctor => ui.report("doctor", &doctor::lines(self.context)),
            SlashCommand::Status => ui.report("status", &self.status()),
            SlashCommand::Tasks(wanted) => self.tasks.show(wanted, ui),
            SlashCommand::Copy(wanted) => self.copy(wanted.as_deref(), ui),
            SlashCommand::Export(file) => self.export(file, ui)?,
            // What changes something is not shown here.
            _ => {}
        }
        Ok(None)
    }

    /// Copies the last answer, or one before it.
    fn copy(&self, wanted: Option<&str>, ui: &mut impl ChatUi) {
        let position = match wanted.map(str::parse) {
            None => 1,
            Some(Ok(number)) if number > 0 => number,
            Some(_) => {
                return ui.note(WARNING, "/copy takes a number: 1 is the last answer, 2 the one before it");
            }
        };
        let at = self.answers.len().checked_sub(position);
        match at.and_then(|at| self.answers.get(at)).map(|text| ui.copy(text)) {
            None if self.answers.is_empty() => ui.note(Style::DIM, "there is no answer yet"),
            None => {
                let count = figures::counted(self.answers.len(), "answer");
                ui.note(WARNING, &format!("only {count} can be copied; there is no number {position}"));
            }
            Some(Err(why)) => ui.note(WARNING, &why),
            Some(Ok(())) if position == 1 => {
                ui.note(Style::DIM, "the terminal was asked to copy the last answer");
            }
            Some(Ok(())) => {
                ui.note(
                    Style::DIM,
                    &format!("the terminal was asked to copy answer {position} from the end"),
                );
            }
        }
    }

    fn cost(&self, unrecorded: &UnrecordedUsage) -> Result<Vec<StyledLine>, Fault> {
        let mut files: Vec<Vec<u8>> = self.stored.iter().cloned().collect();
        if self.file.is_file() {
            let session = ResolvedSession::find(self.context, &self.file.to_string_lossy())?;
            files.push(session.read()?);
            files.extend(session.agents().into_iter().map(|agent| agent.bytes));
        }
        Ok(cost::report(&files, unrecorded, &self.context.prices))
    }

    fn hooks(&self) -> Vec<StyledLine> {
        let settings = &self.app.setup.effective.hooks;
        let mut lines = setup_reports::hooks(settings, self.app.hooks.beside_settings());
        if self.app.hooks.settings.is_empty() && !settings.is_empty() {
            lines.push(vec![Span::plain("none of them will run: --ignore-hooks, or none is valid")]);
        }
        lines
    }

    fn status(&self) -> Vec<StyledLine> {
        let file = if self.file.is_file() { self.file.display().to_string() } else { "none yet".to_owned() };
        let running = self.tasks.statuses(0).iter().filter(|task| task.status == "running").count();
        let roots = self.workspace.roots();
        let added: Vec<String> = roots.iter().skip(1).map(|root| root.display().to_string()).collect();
        reports::status(&[
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("model", self.model.clone()),
            ("effort", self.effort.map_or("default", Effort::name).to_owned()),
            ("mode", self.decider.mode().name().to_owned()),
            ("session", self.session.clone()),
            ("file", file),
            ("folder", self.cwd.display().to_string()),
            ("more folders", if added.is_empty() { "none".to_owned() } else { added.join(", ") }),
            ("MCP servers", self.mcp.iter().count().to_string()),
            ("background", running.to_string()),
        ])
    }

    /// Writes the conversation to a file, and never over another one.
    fn export(&self, file: Option<String>, ui: &mut impl ChatUi) -> Result<(), Fault> {
        if !self.file.is_file() {
            ui.note(WARNING, "there is nothing to export yet, or the session is not stored");
            return Ok(());
        }
        let file = file.unwrap_or_else(|| format!("conversation-{}.md", self.session));
        let path = self.cwd.join(file);
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let formats = [ExportFormat::Markdown, ExportFormat::Html, ExportFormat::Text, ExportFormat::Json];
        let Some(form) = formats.into_iter().find(|form| form.extension() == ending) else {
            ui.note(WARNING, "the file name must end in .md, .html, .txt or .jsonl");
            return Ok(());
        };
        let args = ExportArgs {
            sessions: Vec::new(),
            all: false,
            project: None,
            to: PathBuf::new(),
            form,
            detail: ExportDetail::Full,
            redact: false,
            include_agents: form != ExportFormat::Json,
            force: false,
        };
        let target = ResolvedSession::find(self.context, &self.file.to_string_lossy())?;
        let document = Document::of(&args, &target, self.context)?;
        match annals_store::files::create_file(&path, &document.into_bytes()) {
            Ok(()) => {
                ui.note(Style::PLAIN, &format!("written to {}, with secrets if it has any", path.display()))
            }
            Err(error) => ui.note(ERROR, &error.to_string()),
        }
        Ok(())
    }
}
