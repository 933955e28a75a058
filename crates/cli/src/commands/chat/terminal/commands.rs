//! Slash commands of a session: what each does to the conversation, and what it shows.

use std::ops::ControlFlow;

use annals_agent::api::request::Effort;
use annals_agent::conversation::ApiMessage;
use annals_agent::protocol::{Command, SummaryDirection, TurnEnd, TurnError};
use annals_store::source::Clock;
use annals_ui::terminal::{Span, Style, StyledLine};

use super::chat_ui::{ChatUi, Choice, ChoiceRow};
use super::file_restore::CheckpointRestorer;
use super::reports::{self, ContextBreakdown};
use super::rewind::ChosenSummary;
use super::session::{ChatSession, NextSession};
use super::slash::SlashCommand;
use super::terminal_ui::{ERROR, Exit, PromptInput, WARNING};
use super::{cost, permission_log, rewind, session_picker, setup_reports};
use crate::commands::doctor;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;

impl ChatSession<'_> {
    pub(super) async fn run_slash_command(
        &mut self,
        slash: SlashCommand,
        context: &Context,
        ui: &mut impl ChatUi,
    ) -> Result<ControlFlow<NextSession>, Fault> {
        let slash = match slash {
            SlashCommand::Model(None) if ui.has_pictures() => match self.choose_model(ui).await {
                ControlFlow::Continue(Some(name)) => SlashCommand::Model(Some(name)),
                ControlFlow::Continue(None) => return Ok(ControlFlow::Continue(())),
                ControlFlow::Break(outcome) => return Ok(ControlFlow::Break(NextSession::Exit(outcome))),
            },
            other => other,
        };
        match slash {
            SlashCommand::Help => ui.report("help", &reports::help(&self.commands())),
            SlashCommand::Mcp => ui.report("MCP servers", &reports::servers(&self.agent.mcp)),
            SlashCommand::Clear => return Ok(ControlFlow::Break(NextSession::New)),
            SlashCommand::Exit => return Ok(ControlFlow::Break(NextSession::Exit(Outcome::Done))),
            SlashCommand::Unknown(name) => {
                ui.note(WARNING, &format!("unknown command {name}; /help lists all"));
            }
            SlashCommand::Compact(focus) => {
                if let ControlFlow::Break(outcome) =
                    self.compact(Command::Compact(focus), "compacting", ui).await
                {
                    return Ok(ControlFlow::Break(NextSession::Exit(outcome)));
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
                ui.report("cost", &lines);
                self.record("cost", "", &plain_text(&lines))?;
            }
            SlashCommand::Context => {
                let breakdown = self.context_breakdown()?;
                let lines = reports::context(&self.agent.turn_config.model, self.agent.context(), breakdown);
                if ui.has_pictures() {
                    let picture = reports::context_picture(
                        &self.agent.turn_config.model,
                        self.agent.context(),
                        breakdown,
                    );
                    ui.notes(&picture);
                }
                ui.report("context", &lines);
                self.record("context", "", &plain_text(&lines))?;
            }
            SlashCommand::Todos if ui.todos().is_empty() => {
                ui.note(Style::DIM, "no todos");
                self.record("todos", "", "no todos")?;
            }
            SlashCommand::Todos => {
                let lines = ui.todo_lines();
                ui.report("todos", &lines);
                self.record("todos", "", &plain_text(&lines))?;
            }
            SlashCommand::Rewind => {
                let now = Clock::now(&context.source);
                let files = CheckpointRestorer { context, shells: &self.shells };
                let chosen = match rewind::rewind(&mut self.agent.conversation, &files, now, ui).await {
                    Ok(chosen) => chosen,
                    Err(outcome) => return Ok(ControlFlow::Break(NextSession::Exit(outcome))),
                };
                if let Some(chosen) = chosen
                    && let ControlFlow::Break(outcome) = self.summarize(chosen, ui).await
                {
                    return Ok(ControlFlow::Break(NextSession::Exit(outcome)));
                }
            }
            SlashCommand::Rename(None) => ui.note(WARNING, "/rename TITLE sets the title of the session"),
            SlashCommand::Rename(Some(_)) if self.agent.conversation.path().is_none() => {
                ui.note(WARNING, "the session has no file yet: send a prompt first");
            }
            SlashCommand::Rename(Some(title)) => {
                self.agent.conversation.set_title(&title)?;
                ui.show_title(&title);
                ui.note(Style::DIM, &format!("the session is now called {title}"));
            }
            SlashCommand::Permissions(Some(call)) => {
                ui.report("permissions", &[permission_log::explain(&call, &self.agent)]);
            }
            SlashCommand::Permissions(None) => {
                let mut lines = reports::permissions(self.agent.policy.mode, self.agent.policy.rules);
                let cwd = self.agent.conversation.cwd().to_string_lossy();
                lines.extend(self.permission_log.lines(&cwd, &self.agent));
                ui.report("permissions", &lines);
            }
            SlashCommand::Hooks => {
                let mut lines =
                    setup_reports::hooks(&self.app.setup.effective.hooks, self.app.hooks.beside_settings());
                if self.app.hooks.settings.is_empty() && !self.app.setup.effective.hooks.is_empty() {
                    lines.push(vec![Span::plain("none of them runs: --ignore-hooks, or none is valid")]);
                }
                ui.report("hooks", &lines);
            }
            SlashCommand::Agents => ui.report("agents", &setup_reports::agents(&self.app.kinds)),
            SlashCommand::Config => ui.report("config", &setup_reports::config(&self.app.setup, context)),
            SlashCommand::Doctor => ui.report("doctor", &doctor::lines(context)),
            SlashCommand::Tasks(wanted) => self.show_tasks(wanted, ui),
            SlashCommand::AddDir(folder) => self.add_folder(folder, context, ui),
            SlashCommand::Export(file) => self.export(file, context, ui)?,
            SlashCommand::Copy => self.copy_answer(ui)?,
            SlashCommand::Branch(title) => return Ok(self.branch(title, ui)),
            SlashCommand::Memory => {
                if let ControlFlow::Break(outcome) = self.memory(ui).await {
                    return Ok(ControlFlow::Break(NextSession::Exit(outcome)));
                }
            }
            SlashCommand::Effort(level) => {
                if let ControlFlow::Break(outcome) = self.set_effort(level, ui).await? {
                    return Ok(ControlFlow::Break(NextSession::Exit(outcome)));
                }
            }
            SlashCommand::Status => {
                let agent = &self.agent;
                let file = agent.conversation.path().map(|path| path.display().to_string());
                let servers = agent.mcp.iter().count();
                let running = self.shells.background(0);
                let running = running.iter().filter(|task| task.status == "running").count();
                let roots = agent.policy.workspace.roots();
                let added: Vec<String> =
                    roots.iter().skip(1).map(|root| root.display().to_string()).collect();
                let lines = reports::status(&[
                    ("version", env!("CARGO_PKG_VERSION").to_owned()),
                    ("model", agent.turn_config.model.clone()),
                    ("effort", agent.turn_config.effort.map_or("default", Effort::name).to_owned()),
                    ("mode", agent.policy.mode.name().to_owned()),
                    ("session", agent.conversation.session().to_owned()),
                    ("file", file.unwrap_or_else(|| "none yet".to_owned())),
                    ("folder", agent.conversation.cwd().display().to_string()),
                    ("more folders", if added.is_empty() { "none".to_owned() } else { added.join(", ") }),
                    ("MCP servers", servers.to_string()),
                    ("background", running.to_string()),
                ]);
                ui.report("status", &lines);
            }
            SlashCommand::Resume(wanted) => return Ok(self.resume(wanted, context, ui).await),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Compacts the conversation; whether that was done.
    async fn compact(
        &mut self,
        command: Command,
        what: &str,
        ui: &mut impl ChatUi,
    ) -> ControlFlow<Outcome, bool> {
        let (report, _) = self.run_command(command, what, ui).await?;
        ControlFlow::Continue(match report.map(|report| report.ending) {
            Some(TurnEnd::Done) => true,
            // A notice has said why.
            Some(TurnEnd::Failed(TurnError::NotCompacted(_))) => false,
            Some(TurnEnd::Failed(error)) => {
                ui.note(ERROR, &error.to_string());
                false
            }
            _ => false,
        })
    }

    /// Has one side of a prompt summarized. What follows it is to be said again, so the prompt returns to the editor.
    async fn summarize(&mut self, chosen: ChosenSummary, ui: &mut impl ChatUi) -> ControlFlow<Outcome> {
        let direction = chosen.range.direction;
        let prompt = chosen.range.prompt.clone();
        let is_done = self.compact(Command::Summarize(chosen.range), "summarizing", ui).await?;
        if is_done && direction == SummaryDirection::From {
            ui.show_rewind(&prompt);
            ui.note(Style::DIM, "summarized from that prompt on; what it replaces stays in the session file");
            ui.edit(&chosen.text);
        }
        ControlFlow::Continue(())
    }

    /// Asks for a model; `None` if it stays.
    async fn choose_model(&self, ui: &mut impl ChatUi) -> ControlFlow<Outcome, Option<String>> {
        let row = |name: &str| {
            let line = vec![Span::plain(format!("{name:<8}")), Span::dim(self.models.named(name))];
            ChoiceRow::new(name, line)
        };
        let choice = Choice {
            rows: ["opus", "sonnet", "haiku"].map(row).to_vec(),
            question: format!("the model is {}; which one from now on?", self.agent.turn_config.model),
            ..Choice::default()
        };
        ControlFlow::Continue(match ui.choose(choice).await {
            PromptInput::Leave(outcome) => return ControlFlow::Break(outcome),
            PromptInput::Line(name) => Some(name),
            PromptInput::Nothing | PromptInput::SetMode(_) => None,
        })
    }

    /// Records a command that shows something: the session has what the person has seen.
    pub(super) fn record(&mut self, name: &str, arguments: &str, output: &str) -> Result<(), Fault> {
        Ok(self.agent.conversation.append_local_command(name, arguments, output)?)
    }

    async fn resume(
        &self,
        wanted: Option<String>,
        context: &Context,
        ui: &mut impl ChatUi,
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
}

fn plain_text(lines: &[StyledLine]) -> String {
    let line = |line: &StyledLine| line.iter().map(|span| span.text.as_str()).collect::<String>();
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}
