//! `/rewind`: restores the conversation, the files or both to before an earlier prompt, or has one side of it summarized.
//! Rewinding the conversation writes nothing.

use std::path::Path;

use annals_agent::conversation::{Conversation, PastTurn};
use annals_agent::protocol::{SummaryDirection, SummaryRange};
use annals_ui::figures;
use annals_ui::terminal::{Span, Style, clip};

use super::chat_ui::{ChatUi, Choice, ChoiceForm, ChoiceRow};
use super::terminal_ui::{ERROR, PromptInput};
use crate::error::Outcome;

/// Restores the files of a session to before a prompt.
pub(super) trait FileRestorer {
    /// Returns what would change, one line per file.
    fn preview(&self, session: &Path, prompt: &str) -> Result<Vec<String>, String>;

    /// Restores the files, and returns what was done.
    fn apply(&self, session: &Path, prompt: &str) -> Result<String, String>;
}

/// What to rewind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RewindScope {
    Conversation,
    Files,
    Both,
    /// One side of the prompt is summarized, and nothing is rewound.
    Summary(SummaryDirection),
}

impl RewindScope {
    fn parse(answer: &str) -> Option<Self> {
        match answer {
            "b" | "both" => Some(Self::Both),
            "c" | "conversation" => Some(Self::Conversation),
            "f" | "files" => Some(Self::Files),
            "s" | "since" => Some(Self::Summary(SummaryDirection::From)),
            "u" | "until" => Some(Self::Summary(SummaryDirection::UpTo)),
            _ => None,
        }
    }
}

/// One side of a prompt that is to be summarized.
pub(super) struct ChosenSummary {
    pub(super) range: SummaryRange,
    /// The text of the prompt.
    pub(super) text: String,
}

/// Asks how far to rewind, does it, and puts the prompt back into the editor. A summary is left to the caller.
pub(super) async fn rewind(
    conversation: &mut Conversation<'_>,
    files: &dyn FileRestorer,
    now: i64,
    ui: &mut impl ChatUi,
) -> Result<Option<ChosenSummary>, Outcome> {
    let turns = match conversation.turns() {
        Ok(turns) => turns,
        Err(error) => {
            ui.note(ERROR, &error.to_string());
            return Ok(None);
        }
    };
    if turns.is_empty() {
        ui.note(Style::DIM, "nothing to rewind to");
        return Ok(None);
    }
    let Some(turn) = chosen(&turns, now, ui).await? else { return Ok(None) };
    let scope = match conversation.path().map(Path::to_path_buf) {
        Some(session) => match scope(files, &session, turn, ui).await? {
            Some(scope) => scope,
            None => return Ok(None),
        },
        // A session that is not stored has no copies of files.
        None => {
            ui.note(
                Style::DIM,
                "this session is not stored: only the conversation is rewound, not the files",
            );
            RewindScope::Conversation
        }
    };
    if let RewindScope::Summary(direction) = scope {
        let range = SummaryRange { prompt: turn.prompt.clone(), direction };
        return Ok(Some(ChosenSummary { range, text: turn.text.clone() }));
    }
    if scope != RewindScope::Files {
        if let Err(error) = conversation.rewind_to(&turn.prompt) {
            ui.note(ERROR, &error.to_string());
            return Ok(None);
        }
        ui.show_rewind(&turn.prompt);
        ui.note(Style::DIM, "rewound to before that prompt; what followed it stays in the session file");
        ui.edit(&turn.text);
    }
    Ok(None)
}

async fn chosen<'t>(
    turns: &'t [PastTurn],
    now: i64,
    ui: &mut impl ChatUi,
) -> Result<Option<&'t PastTurn>, Outcome> {
    let choice = Choice {
        rows: listed(turns, now),
        question: "rewind to before which prompt? ".to_owned(),
        preset: turns.len().saturating_sub(1),
        ..Choice::default()
    };
    match ui.choose(choice).await {
        PromptInput::Leave(outcome) => Err(outcome),
        PromptInput::Nothing | PromptInput::SetMode(_) => Ok(None),
        PromptInput::Line(text) => {
            let turn = text.parse::<usize>().ok().and_then(|number| turns.get(number.wrapping_sub(1)));
            if turn.is_none() {
                ui.note(Style::DIM, "nothing changed");
            }
            Ok(turn)
        }
    }
}

/// Shows what would change, asks, and restores the files.
async fn scope(
    files: &dyn FileRestorer,
    session: &Path,
    turn: &PastTurn,
    ui: &mut impl ChatUi,
) -> Result<Option<RewindScope>, Outcome> {
    let mut choice = Choice {
        rows: vec![
            ChoiceRow::new("b", vec![Span::plain("files and conversation")]),
            ChoiceRow::new("c", vec![Span::plain("only the conversation")]),
            ChoiceRow::new("f", vec![Span::plain("only the files")]),
            ChoiceRow::new("s", vec![Span::plain("summarize from here")]),
            ChoiceRow::new("u", vec![Span::plain("summarize up to here")]),
        ],
        form: ChoiceForm::InQuestion,
        warning: "what goes back to before this prompt?".to_owned(),
        question: "(b)oth, (c)onversation, (f)iles; (s)ummarize from here, or (u)p to here? ".to_owned(),
        ..Choice::default()
    };
    match files.preview(session, &turn.prompt) {
        Ok(lines) if lines.is_empty() => choice.remarks.push("no files would change".to_owned()),
        Ok(lines) => choice.about = lines.into_iter().map(|line| vec![Span::plain(line)]).collect(),
        Err(error) => ui.note(ERROR, &error),
    }
    let scope = match ui.choose(choice).await {
        PromptInput::Leave(outcome) => return Err(outcome),
        PromptInput::Nothing | PromptInput::SetMode(_) => None,
        PromptInput::Line(text) => RewindScope::parse(&text),
    };
    let Some(scope) = scope else {
        ui.note(Style::DIM, "nothing changed");
        return Ok(None);
    };
    if matches!(scope, RewindScope::Files | RewindScope::Both) {
        match files.apply(session, &turn.prompt) {
            Ok(done) => ui.note(Style::DIM, &done),
            Err(error) => {
                ui.note(ERROR, &error);
                return Ok(None);
            }
        }
    }
    Ok(Some(scope))
}

fn listed(turns: &[PastTurn], now: i64) -> Vec<ChoiceRow> {
    let line = |(number, turn): (usize, &PastTurn)| {
        let age = turn.millis.and_then(|at| u64::try_from(now.saturating_sub(at)).ok());
        let age = age.map_or_else(String::new, |millis| format!(" · {} ago", figures::duration(millis)));
        let line = vec![
            Span::new(format!("{:>2} ", number + 1), Style::BOLD),
            Span::new(clip(&turn.text, 60), Style::PLAIN),
            Span::new(age, Style::DIM),
        ];
        let preview = turn.text.lines().map(|line| vec![Span::plain(line)]).collect();
        ChoiceRow { answer: (number + 1).to_string(), line, preview, is_elsewhere: false }
    };
    turns.iter().enumerate().map(line).collect()
}
