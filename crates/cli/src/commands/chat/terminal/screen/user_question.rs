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
/// What goes back to the previous question; no option is empty, and words are never alone.
const BACK: &str = "";

/// Returns whether a request is a question of the model.
pub(super) fn is_user_question(asked: &PermissionRequest) -> bool {
    asked.tool == question::NAME
}

/// What was answered to a question: options that were picked, and words.
#[derive(Clone, Debug, Default)]
struct GivenAnswer {
    picks: Vec<String>,
    words: Option<String>,
}

impl GivenAnswer {
    /// What the model gets.
    fn text(&self) -> String {
        self.picks.iter().chain(&self.words).map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// The questions of a call, and the answers so far.
#[derive(Clone, Debug)]
pub(super) struct UserQuestions {
    id: String,
    input: Vec<u8>,
    questions: Vec<UserQuestion>,
    answers: Vec<GivenAnswer>,
    /// What was answered to the next question, before the person came back to it.
    earlier: GivenAnswer,
}

impl UserQuestions {
    pub(super) fn read(asked: &PermissionRequest) -> Result<Self, InputError> {
        let questions = UserQuestion::read(&asked.input)?;
        let (id, input) = (asked.id.clone(), asked.input.clone());
        Ok(Self { id, input, questions, answers: Vec::new(), earlier: GivenAnswer::default() })
    }

    pub(super) fn next(&self) -> Question {
        let Some(asked) = self.questions.get(self.answers.len()) else { return Question::default() };
        let choice = |label: &str, kind, answer: &str| QuestionChoice {
            label: label.to_owned(),
            kind,
            answer: answer.to_owned(),
        };
        let options = asked.options.iter().map(|(label, about)| {
            let shown = match about.is_empty() {
                true => one_line(label),
                false => format!("{}: {}", one_line(label), one_line(about)),
            };
            choice(&shown, QuestionKind::Pick, label)
        });
        let words = match asked.is_multiple {
            true => "in your own words, with what is picked",
            false => "in your own words",
        };
        let mut others = vec![choice(words, QuestionKind::Words, "")];
        if !self.answers.is_empty() {
            others.push(choice("back to the previous question", QuestionKind::Back, BACK));
        }
        others.push(choice("decline to answer", QuestionKind::Refuse, DECLINE));
        let header = match one_line(&asked.header) {
            header if header.trim().is_empty() => String::new(),
            header => format!(" · {header}"),
        };
        let count = match self.questions.len() {
            1 => String::new(),
            all => format!(" ({} of {all})", self.answers.len() + 1),
        };
        let is_picked = |(label, _): &(String, String)| self.earlier.picks.contains(label);
        let picked: Vec<usize> = asked
            .options
            .iter()
            .enumerate()
            .filter(|(_, option)| is_picked(option))
            .map(|(at, _)| at)
            .collect();
        Question {
            id: self.id.clone(),
            title: vec![
                Span::new("? ", WARNING),
                Span::new(one_line(&asked.question), Style::BOLD),
                Span::dim(format!("{count}{header}")),
            ],
            choices: options.chain(others).collect(),
            preset: picked.first().copied().unwrap_or(0),
            picked: if asked.is_multiple { picked } else { Vec::new() },
            is_multiple: asked.is_multiple,
            ..Question::default()
        }
    }

    /// Takes an answer, and returns what the model gets; `None` if another question follows.
    pub(super) fn answer(&mut self, answer: QuestionAnswer) -> Option<Permit> {
        if answer.answer == DECLINE && answer.comment.is_none() && !self.is_option(DECLINE) {
            return Some(Permit::Deny(None));
        }
        if answer.answer == BACK && answer.comment.is_none() {
            self.earlier = self.answers.pop().unwrap_or_default();
            return None;
        }
        let picks = answer.answer.split('\n').filter(|label| !label.is_empty()).map(str::to_owned);
        self.answers.push(GivenAnswer { picks: picks.collect(), words: answer.comment });
        self.earlier = GivenAnswer::default();
        if self.answers.len() < self.questions.len() {
            return None;
        }
        let texts: Vec<String> = self.answers.iter().map(GivenAnswer::text).collect();
        Some(answered(&self.input, &self.questions, &texts).unwrap_or(Permit::Deny(None)))
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
            agent: None,
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
    fn picks_are_kept_beside_words_and_an_earlier_question_is_answered_again() {
        let mut questions = asked();
        assert!(questions.answer(said("Red", None)).is_none());
        let second = questions.next();
        let title: String = second.title.iter().map(|span| span.text.as_str()).collect();
        assert_eq!(title, "? Size? (2 of 2) · S");
        let labels: Vec<&str> = second.choices.iter().map(|choice| choice.label.as_str()).collect();
        let others =
            ["in your own words, with what is picked", "back to the previous question", "decline to answer"];
        assert_eq!(labels, [&["S", "L"][..], &others].concat());
        assert!(questions.answer(said(BACK, None)).is_none());
        assert!(questions.next().title[1].text.starts_with("Color?"));
        assert!(questions.answer(said("Bl\u{1b}ue", None)).is_none());
        let Some(Permit::AllowChanged(changes)) = questions.answer(said("S\nL", Some("or XL"))) else {
            panic!()
        };
        let input = String::from_utf8(changes.input.unwrap()).unwrap();
        assert!(input.ends_with(r#""answers":{"Color?":"Bl\u001bue","Size?":"S, L, or XL"}}"#), "{input}");
    }

    #[test]
    fn questions_can_be_declined() {
        assert_eq!(asked().answer(said(DECLINE, None)), Some(Permit::Deny(None)));
    }
}
