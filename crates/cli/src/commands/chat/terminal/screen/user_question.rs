//! Questions of the model on the chat screen: one after another, each with its options, own words, and a way to decline.

use annals_agent::protocol::{PermissionRequest, Permit};
use annals_agent::tools::InputError;
use annals_agent::tools::question::{self, UserQuestion};
use annals_tui::chat::{Question, QuestionAnswer, QuestionChoice, QuestionKind};
use annals_ui::terminal::{Span, Style};

use super::super::question::{answered, one_line};
use super::super::terminal_ui::WARNING;

/// What declines all questions.
const DECLINE: &str = "n";

/// Returns whether a request is a question of the model.
pub(super) fn is_user_question(asked: &PermissionRequest) -> bool {
    asked.tool == question::NAME
}

/// The questions of a call, and the answers so far.
#[derive(Clone, Debug)]
pub(super) struct UserQuestions {
    id: String,
    input: Vec<u8>,
    questions: Vec<UserQuestion>,
    answers: Vec<String>,
}

impl UserQuestions {
    pub(super) fn read(asked: &PermissionRequest) -> Result<Self, InputError> {
        let questions = UserQuestion::read(&asked.input)?;
        Ok(Self { id: asked.id.clone(), input: asked.input.clone(), questions, answers: Vec::new() })
    }

    /// Returns the question that is next.
    pub(super) fn next(&self) -> Question {
        let Some(asked) = self.questions.get(self.answers.len()) else { return Question::default() };
        let choice =
            |label: String, kind, answer: &str| QuestionChoice { label, kind, answer: answer.to_owned() };
        let options = asked.options.iter().map(|(label, about)| {
            let shown = match about.is_empty() {
                true => one_line(label),
                false => format!("{}: {}", one_line(label), one_line(about)),
            };
            choice(shown, QuestionKind::Pick, label)
        });
        let others = [
            choice("in your own words".to_owned(), QuestionKind::Words, ""),
            choice("decline to answer".to_owned(), QuestionKind::Refuse, DECLINE),
        ];
        let count = match self.questions.len() {
            1 => String::new(),
            all => format!(" ({} of {all})", self.answers.len() + 1),
        };
        Question {
            id: self.id.clone(),
            title: vec![
                Span::new("? ", WARNING),
                Span::new(one_line(&asked.question), Style::BOLD),
                Span::dim(count),
            ],
            choices: options.chain(others).collect(),
            is_multiple: asked.is_multiple,
            ..Question::default()
        }
    }

    /// Takes an answer, and returns what the model gets; `None` if another question follows.
    pub(super) fn answer(&mut self, answer: QuestionAnswer) -> Option<Permit> {
        if answer.answer == DECLINE && answer.comment.is_none() && !self.is_option(DECLINE) {
            return Some(Permit::Deny(None));
        }
        let labels = || answer.answer.split('\n').collect::<Vec<_>>().join(", ");
        self.answers.push(answer.comment.clone().unwrap_or_else(labels));
        let is_last = self.answers.len() == self.questions.len();
        is_last.then(|| answered(&self.input, &self.questions, &self.answers).unwrap_or(Permit::Deny(None)))
    }

    fn is_option(&self, label: &str) -> bool {
        let asked = self.questions.get(self.answers.len());
        asked.is_some_and(|asked| asked.options.iter().any(|(known, _)| known == label))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use super::*;

    const INPUT: &str = r#"{"questions":[{"question":"Color?","header":"C","options":[{"label":"Red","description":"r"},{"label":"Bl\u001bue","description":""}]},
        {"question":"Size?","header":"S","options":[{"label":"S","description":""},{"label":"L","description":""}],"multiSelect":true}]}"#;

    fn asked() -> UserQuestions {
        UserQuestions::read(&PermissionRequest {
            id: "q".into(),
            call: "c".into(),
            tool: question::NAME.into(),
            input: INPUT.as_bytes().to_vec(),
            why: String::new(),
            suggestions: Vec::new(),
            path: None,
        })
        .unwrap()
    }

    fn said(answer: &str, comment: Option<&str>) -> QuestionAnswer {
        QuestionAnswer { id: "q".into(), answer: answer.into(), comment: comment.map(str::to_owned) }
    }

    #[test]
    fn questions_follow_each_other_and_the_model_gets_all_answers() {
        let mut questions = asked();
        let first = questions.next();
        let labels: Vec<&str> = first.choices.iter().map(|choice| choice.label.as_str()).collect();
        assert_eq!(labels, ["Red: r", "Bl‹U+001B›ue", "in your own words", "decline to answer"]);
        assert!(!first.is_multiple && questions.answer(said("", Some("green; or so"))).is_none());
        assert!(questions.next().is_multiple);
        let Some(Permit::AllowChanged(changes)) = questions.answer(said("S\nL", None)) else { panic!() };
        let input = String::from_utf8(changes.input.unwrap()).unwrap();
        assert!(input.ends_with(r#""answers":{"Color?":"green; or so","Size?":"S, L"}}"#), "{input}");
    }

    #[test]
    fn questions_can_be_declined() {
        assert_eq!(asked().answer(said(DECLINE, None)), Some(Permit::Deny(None)));
    }
}
