//! Questions of the model to the person: numbered options, and an answer of numbers or words.

use annals_agent::protocol::{Permit, PermitChanges};
use annals_agent::tools::question::UserQuestion;
use annals_json::{Value, object};
use annals_policy::screen::visible;
use annals_ui::terminal::{Span, Style, StyledLine};

/// Returns the questions with their options.
pub(super) fn lines(questions: &[UserQuestion]) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    for question in questions {
        lines.push(vec![Span::new(format!("  {}", one_line(&question.question)), Style::BOLD)]);
        for (number, (label, about)) in (1..).zip(&question.options) {
            let mut line = vec![Span::new(format!("  {number}  {}", one_line(label)), Style::PLAIN)];
            if !about.is_empty() {
                line.push(Span::new(format!(": {}", one_line(about)), Style::DIM));
            }
            lines.push(line);
        }
    }
    let several =
        if questions.iter().any(|question| question.is_multiple) { ", or several: 1,2" } else { "" };
    let between = if questions.len() > 1 { "; answers are separated by ;" } else { "" };
    let how = format!("  a number{several}, or your own words{between} · n declines · ctrl-c interrupts");
    lines.push(vec![Span::new(how, Style::DIM)]);
    lines
}

/// Reads the answer to the questions of a call; `None` if it is invalid.
pub(super) fn permit(input: &[u8], questions: &[UserQuestion], text: &str) -> Option<Permit> {
    let text = text.trim();
    if matches!(text, "n" | "no") {
        return Some(Permit::Deny(None));
    }
    let parts: Vec<&str> = if questions.len() == 1 { vec![text] } else { text.split(';').collect() };
    if parts.len() != questions.len() {
        return None;
    }
    let answers = questions.iter().zip(parts).map(|(question, part)| answer(question, part.trim()));
    answered(input, questions, &answers.collect::<Option<Vec<_>>>()?)
}

/// Returns what tells the model the answers to its questions, in their order.
pub(super) fn answered(input: &[u8], questions: &[UserQuestion], answers: &[String]) -> Option<Permit> {
    let asked = Value::parse(input).ok()?.get("questions")?;
    let changed = object(|changed| {
        changed.raw("questions", asked.raw()).object("answers", |list| {
            for (question, answer) in questions.iter().zip(answers) {
                list.string(&question.question, answer);
            }
        });
    });
    Some(Permit::AllowChanged(PermitChanges { input: Some(changed), ..PermitChanges::default() }))
}

fn answer(question: &UserQuestion, text: &str) -> Option<String> {
    let numbers: Option<Vec<usize>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers {
        None => Some(text.to_owned()).filter(|text| !text.is_empty()),
        Some(numbers) if numbers.len() > 1 && !question.is_multiple => None,
        Some(numbers) => {
            let label = |number: &usize| Some(question.options.get(number.checked_sub(1)?)?.0.clone());
            let labels: Option<Vec<String>> = numbers.iter().map(label).collect();
            labels.map(|labels| labels.join(", "))
        }
    }
}

/// A text of the model on one line; nothing in it is hidden.
pub(super) fn one_line(text: &str) -> String {
    visible(&text.replace('\n', " "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use super::*;

    const INPUT: &str = r#"{"questions":[{"question":"Color?","header":"C","options":[{"label":"Red","description":"r"},{"label":"Bl\u001bue","description":"b"}]},
        {"question":"Size?","header":"S","options":[{"label":"S","description":""},{"label":"L","description":""}],"multiSelect":true}],"answers":{"Color?":"made up"}}"#;

    fn said(text: &str) -> Option<String> {
        let questions = UserQuestion::read(INPUT.as_bytes()).unwrap();
        match permit(INPUT.as_bytes(), &questions, text)? {
            Permit::AllowChanged(changes) => {
                let input = changes.input.unwrap();
                let answers = Value::parse(&input).unwrap().get("answers").unwrap();
                Some(String::from_utf8(answers.raw().to_vec()).unwrap())
            }
            Permit::Deny(None) => Some("declined".to_owned()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn answers_are_numbers_or_words() {
        assert_eq!(said("1; 1,2").unwrap(), r#"{"Color?":"Red","Size?":"S, L"}"#);
        assert_eq!(said("green please; 2").unwrap(), r#"{"Color?":"green please","Size?":"L"}"#);
        assert_eq!(said("n").unwrap(), "declined");
        for invalid in ["", "1", "1;2;1", "3;1", "0;1", "1,2;1", "1;"] {
            assert_eq!(said(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn options_are_numbered_and_nothing_in_them_hides() {
        let questions = UserQuestion::read(INPUT.as_bytes()).unwrap();
        let text = |line: &StyledLine| line.iter().map(|span| span.text.as_str()).collect::<String>();
        let shown: Vec<String> = lines(&questions).iter().map(text).collect();
        assert_eq!(shown[..3], ["  Color?", "  1  Red: r", "  2  Bl‹U+001B›ue: b"]);
        assert!(shown.last().unwrap().contains("separated by ;"), "{shown:?}");
    }
}
