//! The terminal UI during a turn: events are drawn, permission questions are answered, prompts are queued, and
//! interrupts are passed on.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use annals_agent::protocol::{Command, PermissionRequest, Prompt};
use annals_ui::chat::{EditOutcome, Key, TermCaps};
use annals_ui::terminal::Style;
use tokio::sync::mpsc::UnboundedSender;

use super::folder_rules::SETTINGS;
use super::permission::PermissionPrompt;
use super::slash::SlashCommand;
use super::terminal_ui::{ERROR, TerminalUi, WARNING};
use super::ui_event::UiEvent;
use crate::error::Outcome;

/// The mark of an answer.
const MARK: &str = "? ";

/// A pause of this length ends the typing of a prompt: what is typed before was not meant for a question that has appeared.
const PAUSE: Duration = Duration::from_millis(700);

impl TerminalUi {
    /// Handles a key during a turn.
    pub(super) fn handle_input(
        &mut self,
        input: UiEvent,
        commands: &UnboundedSender<Command>,
    ) -> ControlFlow<Outcome> {
        match input {
            UiEvent::Key(Key::Interrupt | Key::Escape) => return self.stop(commands),
            UiEvent::Key(Key::EndOfInput) if self.questions.is_empty() && self.editor.text().is_empty() => {
                self.queue.push_back("/exit".to_owned());
            }
            UiEvent::Key(key) => {
                if self.is_typing() {
                    self.typed = Some(Instant::now());
                } else if !self.questions.is_empty() && !self.is_answering() {
                    self.begin_question(MARK);
                } else if self.questions.is_empty() {
                    self.typed = Some(Instant::now());
                }
                if let EditOutcome::Submitted(text) = self.editor.press(&key) {
                    self.screen.line_submitted();
                    self.typed(text, commands);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Asks about a call.
    pub(super) fn ask_about(&mut self, question: &PermissionRequest, _: &UnboundedSender<Command>) {
        self.end_text();
        let asking =
            PermissionPrompt::new(question, &self.cwd, self.screen.size(), self.folder_rules.is_possible());
        self.calls.insert(question.call.clone(), (question.tool.clone(), question.input.clone()));
        self.questions.push_back(asking);
        if self.questions.len() == 1 {
            self.show_question();
        }
    }

    /// Removes a question that needs no answer any more; the next one follows.
    pub(super) fn withdraw(&mut self, id: &str) {
        let is_shown = self.questions.front().is_some_and(|first| first.id == id);
        self.questions.retain(|question| question.id != id);
        if is_shown {
            self.end_question();
            self.show_question();
        }
    }

    /// Interrupts the turn; the second time, ends the program.
    fn stop(&mut self, commands: &UnboundedSender<Command>) -> ControlFlow<Outcome> {
        let Some(work) = &mut self.work else { return ControlFlow::Continue(()) };
        work.interrupts += 1;
        if work.interrupts > 1 {
            return ControlFlow::Break(Outcome::Interrupted);
        }
        // The turn may have just ended.
        let _ = commands.send(Command::Interrupt);
        if !self.questions.is_empty() {
            self.questions.clear();
            self.end_question();
        }
        ControlFlow::Continue(())
    }

    /// Handles a line that was typed during a turn: an answer, or the next prompt.
    fn typed(&mut self, text: String, commands: &UnboundedSender<Command>) {
        let Some(asking) = self.questions.front().filter(|asking| self.is_answer(asking, &text)) else {
            let is_prompt = self.completions.is_prompt(&text);
            let command = SlashCommand::parse(&text).filter(|_| !is_prompt);
            // Nothing is offered from a list here.
            let command = command.filter(|command| command.runs_during_a_turn() && !command.offers_choices());
            if let Some(command) = command {
                self.end_text();
                return self.commands.push_back(command);
            }
            if !text.trim().is_empty() {
                if self.screen.caps() == TermCaps::Lines {
                    self.print_note(Style::DIM, &format!("queued: {text}"));
                }
                let is_next = self.queue.iter().all(|line| self.completions.is_prompt(line));
                if is_prompt && is_next {
                    // The session records when a prompt was queued; it is sent from the queue here.
                    let _ = commands.send(Command::Prompt(Prompt::Text(text.clone())));
                }
                self.queue.push_back(text);
            }
            return;
        };
        let Some(permit) = asking.answered(&text) else {
            self.print_note(WARNING, "answer y, n or one of the keys above; ctrl-c interrupts");
            return;
        };
        let question = asking.id.clone();
        let folder_rules = asking.folder_rules(&text).map(<[String]>::to_vec);
        self.print_note(Style::DIM, &format!("{MARK}{}", text.trim()));
        if let Some(rules) = folder_rules {
            match self.folder_rules.add(&rules) {
                Ok(done) => self.print_note(Style::DIM, &done),
                Err(why) => self.print_note(ERROR, &format!("{SETTINGS} is unchanged: {why}")),
            }
        }
        let _ = commands.send(Command::Permit { question, permit });
        self.questions.pop_front();
        self.end_question();
        if !self.questions.is_empty() {
            self.show_question();
        }
    }

    fn show_question(&mut self) {
        let Some(asking) = self.questions.front() else { return };
        let lines = asking.lines.clone();
        self.screen.lines(0, &lines);
        self.page.interrupt();
        self.asked = Some(Instant::now());
        if self.is_typing() {
            self.print_note(Style::DIM, "what you are typing goes to the prompt until you pause");
        } else {
            self.begin_question(MARK);
        }
    }

    /// Whether the person was typing a prompt when the question appeared, and has not paused since.
    fn is_typing(&self) -> bool {
        let is_recent = self.typed.is_some_and(|typed| typed.elapsed() < PAUSE);
        !self.questions.is_empty() && !self.is_answering() && is_recent && !self.editor.text().is_empty()
    }

    /// Whether a line answers the question. Where lines come whole, words that come as soon as the question appears were typed before.
    fn is_answer(&self, asking: &PermissionPrompt, text: &str) -> bool {
        let is_early = || self.asked.is_some_and(|asked| asked.elapsed() < PAUSE);
        let is_typed_ahead =
            self.screen.caps() == TermCaps::Lines && asking.takes_as_words(text) && is_early();
        self.is_answering() && !is_typed_ahead
    }

    /// Ends the turn and its open questions.
    pub(super) fn end_work(&mut self) {
        self.end_text();
        self.work = None;
        self.calls.clear();
        self.last_call = None;
        if !self.questions.is_empty() {
            self.questions.clear();
            self.end_question();
        }
    }
}
