//! The chat screen during a turn: events are drawn, questions are answered, prompts are queued, and interrupts are passed on.

use std::ops::ControlFlow;

use annals_agent::protocol::{Command, PermissionRequest, Permit, PermitChanges, Prompt as AgentPrompt};
use annals_policy::Mode;
use annals_tui::chat::{ChatEffect, QuestionAnswer};
use annals_tui::editor::Prompt;
use annals_ui::terminal::Style;
use tokio::sync::mpsc::UnboundedSender;

use super::super::folder_rules::SETTINGS;
use super::super::slash::SlashCommand;
use super::super::terminal_ui::ERROR;
use super::super::ui_event::UiEvent;
use super::ScreenUi;
use super::permission::{GrantOptions, PermissionOutcome, question};
use super::sent::sent;
use super::ui::sign;
use super::user_question::{UserQuestions, is_user_question};
use crate::error::Outcome;

impl ScreenUi {
    /// Handles what the person does during a turn.
    pub(super) fn handle_input(
        &mut self,
        input: UiEvent,
        commands: &UnboundedSender<Command>,
    ) -> ControlFlow<Outcome> {
        let UiEvent::Input(input) = input else { return ControlFlow::Continue(()) };
        for effect in self.apply(input) {
            self.carry_out(effect, commands)?;
        }
        ControlFlow::Continue(())
    }

    /// Asks about a call, or what the model wants to know.
    pub(super) fn ask_about(&mut self, asked: &PermissionRequest, commands: &UnboundedSender<Command>) {
        self.calls.insert(asked.call.clone(), (asked.tool.clone(), asked.input.clone()));
        let question = match is_user_question(asked) {
            true => match UserQuestions::read(asked) {
                Ok(questions) => {
                    let first = questions.next();
                    self.asked.insert(asked.id.clone(), questions);
                    first
                }
                Err(error) => {
                    let permit = Permit::Deny(Some(error.to_string()));
                    let _ = commands.send(Command::Permit { question: asked.id.clone(), permit });
                    return;
                }
            },
            false => {
                let options = GrantOptions {
                    has_folder_rules: self.folder_rules.is_possible(),
                    has_bypass: self.has_bypass,
                };
                let (question, rules) = question(asked, &self.cwd, self.screen.columns(), options);
                self.grantable.insert(asked.id.clone(), rules);
                question
            }
        };
        self.screen.end_text();
        self.screen.ask(question);
    }

    /// Removes a question that needs no answer any more.
    pub(super) fn withdraw(&mut self, id: &str) {
        self.asked.remove(id);
        self.screen.withdraw(id);
    }

    fn carry_out(&mut self, effect: ChatEffect, commands: &UnboundedSender<Command>) -> ControlFlow<Outcome> {
        // Of whatever is sent here: the turn may have just ended.
        match effect {
            ChatEffect::Submit(typed) => self.take_while_busy(typed, commands),
            ChatEffect::Unqueue => {
                let _ = commands.send(Command::Unqueue);
                // What is still in the queue waits as before.
                for prompt in self.waiting_prompts() {
                    let _ = commands.send(Command::Prompt(prompt));
                }
            }
            ChatEffect::Choose(choice) => {
                if let Some(prompt) = self.offered_command(choice) {
                    self.screen.enqueue(prompt);
                }
            }
            ChatEffect::CycleMode => self.set_mode(self.next_mode(), commands),
            ChatEffect::Interrupt => self.interrupt(commands),
            // To turn away from a question ends the turn.
            ChatEffect::Refuse(_) => self.interrupt(commands),
            ChatEffect::Stop => {
                if self.screen.work().is_some_and(|work| work.interrupts > 0) {
                    return ControlFlow::Break(Outcome::Interrupted);
                }
                self.interrupt(commands);
            }
            ChatEffect::Answer(answer) if self.asked.contains_key(&answer.id) => {
                self.answer_model(answer, commands);
            }
            ChatEffect::Answer(answer) => {
                let question = answer.id.clone();
                let rules = self.grantable.remove(&question).unwrap_or_default();
                let permit = match rules.outcome(answer) {
                    PermissionOutcome::Permit(permit) => permit,
                    PermissionOutcome::AcceptEdits => {
                        self.set_mode(Mode::AcceptEdits, commands);
                        let mode = Some(Mode::AcceptEdits);
                        Permit::AllowChanged(PermitChanges { mode, ..PermitChanges::default() })
                    }
                    PermissionOutcome::AllowInFolder(rules) => {
                        match self.folder_rules.add(&rules) {
                            Ok(done) => self.screen.note(Style::DIM, &done),
                            Err(why) => self.screen.note(ERROR, &format!("{SETTINGS} is unchanged: {why}")),
                        }
                        // Whatever became of the file, the answer holds for this session.
                        Permit::AllowAlways(rules)
                    }
                };
                let _ = commands.send(Command::Permit { question, permit });
            }
            ChatEffect::Exit => return ControlFlow::Break(Outcome::Terminated),
            ChatEffect::Rewind
            | ChatEffect::ReadTask(_)
            | ChatEffect::StopTask(_)
            | ChatEffect::LoadEarlier
            | ChatEffect::Suspend
            | ChatEffect::Redraw
            | ChatEffect::EditElsewhere
            | ChatEffect::PasteImage => {}
        }
        ControlFlow::Continue(())
    }

    /// Takes what was sent during a turn; it is the last of the queue. A command that only shows something runs at once. A prompt is
    /// given to the model in this turn, unless a command waits before it.
    fn take_while_busy(&mut self, typed: Prompt, commands: &UnboundedSender<Command>) {
        let line = typed.line();
        if !self.completions.is_prompt(&line) {
            let command = SlashCommand::parse(&line).filter(SlashCommand::runs_during_a_turn);
            if let Some(command) = command {
                self.screen.dequeue_last();
                self.without_images_of_command(typed);
                self.commands.push_back(command);
            }
            return;
        }
        let typed = self.without_images_of_command(typed);
        let queue = self.screen.queue();
        let before = &queue[..queue.len().saturating_sub(1)];
        if before.iter().all(|prompt| self.completions.is_prompt(&prompt.line())) {
            // The session records when a prompt was queued. The model may get it in this turn: then the history keeps it as
            // it was typed.
            let _ = commands.send(Command::Prompt(sent(&typed)));
        }
    }

    /// The prompts of the queue before the first command.
    fn waiting_prompts(&self) -> Vec<AgentPrompt> {
        let prompts = self.screen.queue().iter();
        prompts.take_while(|prompt| self.completions.is_prompt(&prompt.line())).map(sent).collect()
    }

    /// The command that a choice was offered for, with the choice.
    pub(super) fn offered_command(&mut self, choice: Option<String>) -> Option<Prompt> {
        let (command, choice) = self.offered.take().zip(choice)?;
        Some(Prompt::of_line(&format!("{command} {choice}")))
    }

    /// Takes the answer to a question of the model; after the last one, the model gets them.
    fn answer_model(&mut self, answer: QuestionAnswer, commands: &UnboundedSender<Command>) {
        let id = answer.id.clone();
        let Some(mut questions) = self.asked.remove(&id) else { return };
        match questions.answer(answer) {
            Some(permit) => drop(commands.send(Command::Permit { question: id, permit })),
            None => {
                self.screen.ask(questions.next());
                self.asked.insert(id, questions);
            }
        }
    }

    fn interrupt(&mut self, commands: &UnboundedSender<Command>) {
        if let Some(work) = self.screen.work() {
            work.interrupts += 1;
        }
        let _ = commands.send(Command::Interrupt);
        self.screen.withdraw_all();
    }

    /// Shows another permission mode.
    pub(super) fn show_mode(&mut self, mode: Mode) {
        self.mode = mode;
        self.screen.footer().mode = sign(mode);
    }

    fn set_mode(&mut self, mode: Mode, commands: &UnboundedSender<Command>) {
        self.show_mode(mode);
        let _ = commands.send(Command::SetMode(mode));
    }
}
