//! A custom command opens a turn: what it has the shell say is asked about and run as calls of Bash are, and the files that it
//! mentions are read as calls of Read are. What it allows, and its model, hold for this turn.

use annals_json::{ObjectWriter, Value};
use annals_store::source::new_uuid;

use super::calls::{Approval, Asked, Ran};
use super::news::Noting;
use super::{Agent, Report, TurnError};
use crate::api::call::Surroundings;
use crate::api::transport::Transport;
use crate::command::Commands;
use crate::commands::{Invocation, Piece, mentioned, pieces};
use crate::conversation::{Attached, Expanded};
use crate::event::Line;
use crate::tools::{Outcome, Shown};
use annals_policy::paths::Kind;

/// So many files one command brings.
const MOST_FILES: usize = 20;

/// Whether a command has opened its turn.
pub(super) enum Begun {
    /// It has, by this line: the model is asked next.
    Said(Line),
    /// It came to nothing, as this line and those behind it say.
    Failed(Line, TurnError),
    /// The person stopped it: nothing was said yet, and the command is its owner's again.
    Interrupted,
}

/// What holds again behind a command.
pub(super) struct Usual {
    model: Option<String>,
}

/// What came of a call that a command makes.
enum Came {
    Done(Outcome),
    Failed(Outcome),
    Interrupted,
}

impl<T: Transport, S: Surroundings> Agent<'_, T, S> {
    /// From now on the command's rules count, and its model answers.
    pub(super) fn lend(&mut self, invoked: &Invocation) -> Usual {
        let command = &invoked.command;
        self.granted.lend(&command.allowed, command.author.source());
        let model = command.model.clone().map(|model| std::mem::replace(&mut self.wishes.model, model));
        Usual { model }
    }

    /// Everything is as it was before.
    pub(super) fn take_back(&mut self, usual: Usual) {
        self.granted.take_back();
        if let Some(model) = usual.model {
            self.wishes.model = model;
        }
    }

    /// Carries a command out as far as it is ours, and writes it. Where a call of it is refused or fails, nothing is sent.
    pub(super) async fn begin(
        &mut self,
        invoked: &Invocation,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Result<Begun, TurnError> {
        let pieces = pieces(&invoked.command.body, &invoked.arguments);
        let mut text = String::new();
        for piece in &pieces {
            let command = match piece {
                Piece::Words(words) => {
                    text.push_str(words);
                    continue;
                }
                Piece::Shell(command) => command,
            };
            match self.call("Bash", &[("command", command)], commands, report).await {
                Came::Done(outcome) => text.push_str(words(&outcome).trim_end()),
                Came::Failed(outcome) => {
                    let why = format!(
                        "/{} was not carried out, because of `{command}` in it: {}",
                        invoked.command.name,
                        words(&outcome)
                    );
                    let line = self.conversation.command_failed(invoked, &why)?;
                    return Ok(Begun::Failed(line, TurnError::Command(why)));
                }
                Came::Interrupted => return Ok(Begun::Interrupted),
            }
        }
        let mut files = Vec::new();
        for path in mentioned(&pieces).into_iter().take(MOST_FILES) {
            match self.attach(&path, commands, report).await {
                Ok(attached) => files.extend(attached),
                Err(Stopped) => return Ok(Begun::Interrupted),
            }
        }
        let line = self.conversation.command(&Expanded { invoked, text: &text, files: &files })?;
        Ok(Begun::Said(line))
    }

    /// A file that is mentioned; none where it is no file, or may not be read: then its name is all that is said.
    async fn attach(
        &mut self,
        path: &str,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Result<Option<Attached>, Stopped> {
        let Some(real) = self.leads_to(path) else { return Ok(None) };
        if self.policy.files.kind(&real) != Kind::File {
            return Ok(None);
        }
        match self.call("Read", &[("file_path", path)], commands, report).await {
            Came::Interrupted => Err(Stopped),
            Came::Failed(_) => Ok(None),
            Came::Done(outcome) => {
                let named =
                    Value::parse(&outcome.kept).ok().and_then(|kept| kept.get("file")?.get("filePath"));
                let named = named.and_then(|path| path.text()).map(|path| path.to_string());
                let path = named.unwrap_or_else(|| real.display().to_string());
                let folder = self.policy.workspace.working();
                let shown = std::path::Path::new(&path).strip_prefix(folder);
                let shown = shown.map_or_else(|_| path.clone(), |path| path.display().to_string());
                Ok(Some(Attached { path, shown, kept: outcome.kept }))
            }
        }
    }

    /// One call, in the sequence of all calls.
    async fn call(
        &mut self,
        tool: &str,
        input: &[(&str, &str)],
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Came {
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        for (key, value) in input {
            object.string(key, value);
        }
        object.end();
        let id = format!("command-{}", new_uuid(self.conversation.ground().source));
        let call = Asked::of_command(id, tool, json);
        let approval = self.approve(&call, commands, report).await;
        if matches!(approval, Approval::Interrupted) {
            return Came::Interrupted;
        }
        let calls = std::slice::from_ref(&call);
        let (mut outcomes, ran) =
            self.attempt(calls, vec![approval], Noting::Nowhere, commands, report).await;
        match (outcomes.pop().flatten(), ran) {
            (Some(outcome), Ran::All) if outcome.is_error => Came::Failed(outcome),
            (Some(outcome), Ran::All) => Came::Done(outcome),
            _ => Came::Interrupted,
        }
    }
}

/// The person stopped it.
struct Stopped;

fn words(outcome: &Outcome) -> String {
    match &outcome.shown {
        Shown::Text(text) => text.clone(),
        Shown::Blocks(_) => String::new(),
    }
}
