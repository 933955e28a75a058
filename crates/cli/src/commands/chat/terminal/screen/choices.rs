//! Choices on the chat screen: a list of rows, or a question with a few answers.

use annals_policy::screen::visible;
use annals_tui::chat::{Picker, PickerRow, Question, QuestionChoice, QuestionKind};
use annals_ui::terminal::{Span, StyledLine};

use super::super::chat_ui::{Choice, ChoiceRow};
use super::super::terminal_ui::WARNING;

/// A list of rows, of which one is chosen.
pub(super) fn picker(choice: Choice) -> Picker {
    let has_elsewhere = choice.rows.iter().any(|row| row.is_elsewhere);
    let row = |row: ChoiceRow| PickerRow {
        answer: row.answer,
        line: row.line,
        preview: row.preview,
        is_elsewhere: row.is_elsewhere,
    };
    Picker {
        title: choice.question.trim_end().to_owned(),
        about: choice.about,
        rows: choice.rows.into_iter().map(row).collect(),
        preset: choice.preset,
        elsewhere: if has_elsewhere { "all projects" } else { "" }.to_owned(),
    }
}

/// A question with a few answers. Nothing in it is hidden, and all of it must be seen before it is allowed.
pub(super) fn question(choice: Choice) -> Question {
    let shown = |span: &Span| Span::new(visible(&span.text), span.style);
    let mut body: Vec<StyledLine> =
        choice.about.iter().map(|line| line.iter().map(shown).collect()).collect();
    body.extend(choice.remarks.iter().map(|remark| vec![Span::dim(visible(remark))]));
    let title = if choice.warning.is_empty() { choice.question.trim_end() } else { &choice.warning };
    let choices = choice.rows.iter().map(|row| QuestionChoice {
        label: row.line.iter().map(|span| span.text.as_str()).collect(),
        kind: if row.answer == "n" { QuestionKind::Refuse } else { QuestionKind::Allow },
        answer: row.answer.clone(),
    });
    Question {
        id: String::new(),
        title: vec![Span::new(visible(title), WARNING)],
        body,
        choices: choices.collect(),
        preset: choice.preset,
        ..Question::default()
    }
}
