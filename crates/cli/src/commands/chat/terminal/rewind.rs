//! `/rewind`: back to before an earlier prompt. The conversation goes back by itself, and writes nothing; files go back by
//! whoever can do that.

use std::path::Path;

use annals_agent::conversation::{Conversation, PastTurn};
use annals_ui::figures;

use super::desk::{Desk, Said};
use super::screen::{Ink, Styled, clipped};
use crate::error::Outcome;

/// Takes the files of a session back to how they were when a prompt was said.
pub(super) trait FilesBack {
    /// What would change, a line each.
    fn preview(&self, session: &Path, prompt: &str) -> Result<Vec<String>, String>;

    /// Does it, and says what was done.
    fn apply(&self, session: &Path, prompt: &str) -> Result<String, String>;
}

/// What goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Conversation,
    Files,
    Both,
}

impl Scope {
    fn of(answer: &str) -> Option<Self> {
        match answer {
            "b" | "both" => Some(Self::Both),
            "c" | "conversation" => Some(Self::Conversation),
            "f" | "files" => Some(Self::Files),
            _ => None,
        }
    }
}

/// Asks how far, does it, and puts the prompt back to where it can be written anew.
pub(super) async fn rewind(
    conversation: &mut Conversation<'_>,
    files: &dyn FilesBack,
    now: i64,
    desk: &mut Desk,
) -> Result<(), Outcome> {
    let turns = match conversation.turns() {
        Ok(turns) => turns,
        Err(error) => {
            desk.note(Ink::Red, &error.to_string());
            return Ok(());
        }
    };
    if turns.is_empty() {
        desk.note(Ink::Dim, "there is nothing to go back to");
        return Ok(());
    }
    desk.notes(&listed(&turns, now));
    let Some(turn) = chosen(&turns, desk).await? else { return Ok(()) };
    let scope = match conversation.path().map(Path::to_path_buf) {
        Some(session) => match scope(files, &session, turn, desk).await? {
            Some(scope) => scope,
            None => return Ok(()),
        },
        // Nothing is kept, and no copy of a file either.
        None => {
            desk.note(Ink::Dim, "files stay as they are: only the conversation goes back");
            Scope::Conversation
        }
    };
    if scope != Scope::Files {
        if let Err(error) = conversation.go_back_to(&turn.prompt) {
            desk.note(Ink::Red, &error.to_string());
            return Ok(());
        }
        desk.note(
            Ink::Dim,
            "the conversation goes on from before that prompt; what followed it stays in the file",
        );
        desk.editor.set(&turn.text);
    }
    Ok(())
}

async fn chosen<'t>(turns: &'t [PastTurn], desk: &mut Desk) -> Result<Option<&'t PastTurn>, Outcome> {
    match desk.ask("to before which one? ").await {
        Said::Leave(outcome) => Err(outcome),
        Said::Nothing => Ok(None),
        Said::Line(text) => {
            let turn = text.parse::<usize>().ok().and_then(|number| turns.get(number.wrapping_sub(1)));
            if turn.is_none() {
                desk.note(Ink::Dim, "nothing was changed");
            }
            Ok(turn)
        }
    }
}

/// Shows what would change, asks, and takes files back.
async fn scope(
    files: &dyn FilesBack,
    session: &Path,
    turn: &PastTurn,
    desk: &mut Desk,
) -> Result<Option<Scope>, Outcome> {
    match files.preview(session, &turn.prompt) {
        Ok(lines) if lines.is_empty() => desk.note(Ink::Dim, "no file would change"),
        Ok(lines) => {
            let lines: Vec<Styled> = lines.into_iter().map(|line| vec![(Ink::Plain, line)]).collect();
            desk.notes(&lines);
        }
        Err(error) => desk.note(Ink::Red, &error),
    }
    let scope = match desk.ask("(b)oth, (c)onversation or (f)iles? ").await {
        Said::Leave(outcome) => return Err(outcome),
        Said::Nothing => None,
        Said::Line(text) => Scope::of(&text),
    };
    let Some(scope) = scope else {
        desk.note(Ink::Dim, "nothing was changed");
        return Ok(None);
    };
    if scope != Scope::Conversation {
        match files.apply(session, &turn.prompt) {
            Ok(done) => desk.note(Ink::Dim, &done),
            Err(error) => {
                desk.note(Ink::Red, &error);
                return Ok(None);
            }
        }
    }
    Ok(Some(scope))
}

fn listed(turns: &[PastTurn], now: i64) -> Vec<Styled> {
    let line = |(number, turn): (usize, &PastTurn)| {
        let age = turn.millis.and_then(|at| u64::try_from(now.saturating_sub(at)).ok());
        let age = age.map_or_else(String::new, |millis| format!(" · {} ago", figures::duration(millis)));
        vec![
            (Ink::Bold, format!("{:>2} ", number + 1)),
            (Ink::Plain, clipped(&turn.text, 60)),
            (Ink::Dim, age),
        ]
    };
    turns.iter().enumerate().map(line).collect()
}
