//! Slash commands of a session: what each does to the conversation, and what it shows.

use std::ops::ControlFlow;

use annals_agent::conversation::ApiMessage;
use annals_agent::protocol::{Command, SummaryDirection, TurnEnd, TurnError};
use annals_store::source::Clock;
use annals_ui::terminal::{Span, Style, StyledLine};

use super::super::model::ModelNames;
use super::chat_ui::{ChatUi, Choice, ChoiceRow};
use super::file_restore::CheckpointRestorer;
use super::reports::ContextBreakdown;
use super::rewind::ChosenSummary;
use super::session::{ChatSession, NextSession};
use super::slash::SlashCommand;
use super::terminal_ui::{ERROR, Exit, PromptInput, WARNING};
use super::{rewind, session_picker};
use crate::context::Context;
use crate::error::{Fault, Outcome};

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
        let opens_editor = slash == SlashCommand::Memory && ui.has_pictures();
        if slash.runs_during_a_turn() && !slash.offers_choices() && !opens_editor {
            let mut reports = self.reports()?;
            let logs = (&self.permission_log, &self.unrecorded);
            if let Some((name, output)) = reports.show(slash, logs, ui)? {
                self.record(name, "", &output)?;
            }
            return Ok(ControlFlow::Continue(()));
        }
        match slash {
            SlashCommand::Clear => return Ok(ControlFlow::Break(NextSession::New)),
            SlashCommand::Exit => return Ok(ControlFlow::Break(NextSession::Exit(Outcome::Done))),
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
                self.show_state(ui);
                ui.note(Style::DIM, &format!("the session is now called {title}"));
            }
            SlashCommand::AddDir(folder) => self.add_folder(folder, context, ui),
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
            SlashCommand::Resume(wanted) => return Ok(self.resume(wanted, context, ui).await),
            // What only shows something is shown above.
            _ => {}
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
        let choice = model_choice(&self.agent.turn_config.model, &self.models);
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
    pub(super) fn context_breakdown(&mut self) -> Result<ContextBreakdown, Fault> {
        let system = self.agent.turn_config.system.iter().map(String::len).sum();
        let tools = self.agent.tools.iter().map(|tool| tool.spec().json.len()).sum();
        let size = |message: &ApiMessage| message.blocks.iter().map(Vec::len).sum::<usize>();
        let messages = self.agent.conversation.messages()?.iter().map(size).sum();
        Ok(ContextBreakdown { system, tools, messages })
    }
}

/// The models to choose from.
pub(super) fn model_choice(current: &str, models: &ModelNames) -> Choice {
    let row = |name: &str| {
        let line = vec![Span::plain(format!("{name:<8}")), Span::dim(models.named(name))];
        ChoiceRow::new(name, line)
    };
    Choice {
        rows: ["opus", "sonnet", "haiku"].map(row).to_vec(),
        question: format!("the model is {current}; which one from now on?"),
        ..Choice::default()
    }
}

pub(super) fn plain_text(lines: &[StyledLine]) -> String {
    let line = |line: &StyledLine| line.iter().map(|span| span.text.as_str()).collect::<String>();
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}
