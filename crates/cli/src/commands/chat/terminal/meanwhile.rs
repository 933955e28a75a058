//! What happens at the desk while something runs: events are told, questions are put and answered, lines wait, and whoever
//! wants it to stop is heard.

use std::ops::ControlFlow;

use annals_agent::command::Command;
use annals_agent::event::{Event, Question};
use tokio::sync::mpsc::UnboundedSender;

use super::desk::Desk;
use super::editor::Edited;
use super::happening::Happening;
use super::keys::Key;
use super::question::Asking;
use super::screen::Ink;
use super::tty::Skill;
use crate::error::Outcome;

/// Before an answer.
const MARK: &str = "? ";

impl Desk {
    /// Something happens while work goes on.
    pub(super) fn meanwhile(
        &mut self,
        happening: Happening,
        commands: &UnboundedSender<Command>,
    ) -> ControlFlow<Outcome> {
        match happening {
            Happening::Event(event) => match event.innermost() {
                // Whoever asks, the person answers.
                Event::Asked(question) => self.put(question),
                _ => self.tell(*event),
            },
            Happening::Terminated => return ControlFlow::Break(Outcome::Terminated),
            Happening::Key(Key::Interrupt | Key::Escape) => return self.stop(commands),
            Happening::Key(Key::EndOfInput) if self.questions.is_empty() && self.editor.text().is_empty() => {
                self.queue.push_back("/exit".to_owned());
            }
            Happening::Key(key) => {
                if let Edited::Sent(text) = self.editor.press(&key) {
                    self.screen.answered();
                    self.typed(text, commands);
                }
            }
            Happening::Tick | Happening::Resized | Happening::Continued => {}
        }
        ControlFlow::Continue(())
    }

    fn put(&mut self, question: &Question) {
        self.screen.end_line();
        let asking = Asking::new(question, &self.cwd, self.screen.size());
        self.calls.insert(question.call.clone(), (question.tool.clone(), question.input.clone()));
        self.questions.push_back(asking);
        if self.questions.len() == 1 {
            self.put_question();
        }
    }

    /// Somebody wants it to stop: at the second time, the program.
    fn stop(&mut self, commands: &UnboundedSender<Command>) -> ControlFlow<Outcome> {
        let Some(work) = &mut self.work else { return ControlFlow::Continue(()) };
        work.stops += 1;
        if work.stops > 1 {
            return ControlFlow::Break(Outcome::Interrupted);
        }
        // Nobody listens any more where it ended by itself in this moment.
        let _ = commands.send(Command::Interrupt);
        if !self.questions.is_empty() {
            self.questions.clear();
            self.turn_back();
        }
        ControlFlow::Continue(())
    }

    /// A line was typed while something runs: an answer, or the next prompt.
    fn typed(&mut self, text: String, commands: &UnboundedSender<Command>) {
        let Some(asking) = self.questions.front() else {
            if !text.trim().is_empty() {
                if self.screen.skill() == Skill::Lines {
                    self.note(Ink::Dim, &format!("queued: {text}"));
                }
                self.queue.push_back(text);
            }
            return;
        };
        let Some(permit) = asking.answered(&text) else {
            self.note(Ink::Yellow, "y, n or one of the others above; ctrl-c stops the turn");
            return;
        };
        let question = asking.id.clone();
        self.note(Ink::Dim, &format!("{MARK}{}", text.trim()));
        let _ = commands.send(Command::Permit { question, permit });
        self.questions.pop_front();
        self.turn_back();
        if !self.questions.is_empty() {
            self.put_question();
        }
    }

    fn put_question(&mut self) {
        let Some(asking) = self.questions.front() else { return };
        let lines = asking.lines.clone();
        self.screen.lines(0, &lines);
        self.turn_to(MARK);
    }

    /// Work is over: nothing is asked any more.
    pub(super) fn rest(&mut self) {
        self.screen.end_line();
        self.work = None;
        self.calls.clear();
        self.last_call = None;
        if !self.questions.is_empty() {
            self.questions.clear();
            self.turn_back();
        }
    }
}
