//! `/rewind`: restores the conversation, the files or both to before an earlier prompt, or has one side of it summarized.
//! Rewinding the conversation writes nothing.

use std::path::Path;

use annals_agent::conversation::{Conversation, PastTurn};
use annals_agent::protocol::{SummaryDirection, SummaryRange};
use annals_ui::figures;
use annals_ui::terminal::{Span, Style, StyledLine, clip};

use super::chat_ui::{ChatUi, Choice, ChoiceForm, ChoiceRow};
use super::terminal_ui::{ERROR, PromptInput};
use crate::error::Outcome;

/// Restores the files of a session to before a prompt.
pub(super) trait FileRestorer {
    /// Returns what would change: a line per file, and below it how its text changes.
    fn preview(&self, session: &Path, prompt: &str) -> Result<Vec<StyledLine>, String>;

    /// Restores the files, and returns what was done.
    fn apply(&self, session: &Path, prompt: &str) -> Result<String, String>;
}

/// What is answered to change nothing.
const CURRENT: &str = "current";
/// Prompts that are named before they go.
const MAX_NAMED: usize = 3;
/// Characters of each.
const MAX_NAME: usize = 60;

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
    let mut files_done = None;
    let scope = match conversation.path().map(Path::to_path_buf) {
        Some(session) => match scope(files, &session, (&turns, turn), ui).await? {
            Some((scope, done)) => {
                files_done = done;
                scope
            }
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
        match conversation.rewind_to(&turn.prompt) {
            Ok(()) => {
                ui.show_rewind(&turn.prompt);
                let what = "rewound to before that prompt; what followed it stays in the session file";
                ui.note(Style::DIM, what);
                ui.edit(&turn.text);
            }
            Err(error) => ui.note(ERROR, &error.to_string()),
        }
    }
    // A note from before would have gone with the conversation.
    files_done.iter().for_each(|done| ui.note(Style::DIM, done));
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
        PromptInput::Line(text) if text == CURRENT => Ok(None),
        PromptInput::Line(text) => {
            let turn = text.parse::<usize>().ok().and_then(|number| turns.get(number.wrapping_sub(1)));
            if turn.is_none() {
                ui.note(Style::DIM, "nothing changed");
            }
            Ok(turn)
        }
    }
}

/// Shows what would change, asks, and restores the files; returns also what was done to them.
async fn scope(
    files: &dyn FileRestorer,
    session: &Path,
    (turns, turn): (&[PastTurn], &PastTurn),
    ui: &mut impl ChatUi,
) -> Result<Option<(RewindScope, Option<String>)>, Outcome> {
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
        Ok(lines) => choice.about = lines,
        Err(error) => ui.note(ERROR, &error),
    }
    choice.about.extend(going(turns, turn));
    let scope = match ui.choose(choice).await {
        PromptInput::Leave(outcome) => return Err(outcome),
        PromptInput::Nothing | PromptInput::SetMode(_) => None,
        PromptInput::Line(text) => RewindScope::parse(&text),
    };
    let Some(scope) = scope else {
        ui.note(Style::DIM, "nothing changed");
        return Ok(None);
    };
    let mut files_done = None;
    if matches!(scope, RewindScope::Files | RewindScope::Both) {
        match files.apply(session, &turn.prompt) {
            Ok(done) => files_done = Some(done),
            Err(error) => {
                ui.note(ERROR, &error);
                return Ok(None);
            }
        }
    }
    Ok(Some((scope, files_done)))
}

/// How much of the conversation goes, and what it begins with.
fn going(turns: &[PastTurn], turn: &PastTurn) -> Vec<StyledLine> {
    let at = turns.iter().position(|known| known.prompt == turn.prompt).unwrap_or(turns.len());
    let gone = turns.get(at..).unwrap_or_default();
    let what = match gone.len() {
        1 => "1 prompt and its answer".to_owned(),
        count => format!("{count} prompts and their answers"),
    };
    let mut lines = vec![vec![Span::plain(format!("conversation: {what}"))]];
    lines.extend(gone.iter().take(MAX_NAMED).map(|turn| {
        let first = turn.text.trim().lines().next().unwrap_or_default();
        vec![Span::dim(format!("  > {}", clip(first, MAX_NAME)))]
    }));
    if gone.len() > MAX_NAMED {
        lines.push(vec![Span::dim(format!("  … {} more", gone.len() - MAX_NAMED))]);
    }
    lines
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
    let current = ChoiceRow::new(CURRENT, vec![Span::dim("   (current)")]);
    turns.iter().enumerate().map(line).chain([current]).collect()
}
