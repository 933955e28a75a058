//! Turns opened by a custom command: its shell commands run like Bash calls and its files are read like Read calls, with the
//! same approval. Its rules and its model apply to this turn.

use annals_json::{ObjectWriter, Value};
use annals_store::source::new_uuid;

use super::agent::Agent;
use super::approve::Approval;
use super::attempt::RunOutcome;
use super::pending::PendingCall;
use super::progress::ProgressLog;
use super::wait::{Either, either};
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::commands::{Invocation, Invoker, TemplatePart, mentioned};
use crate::conversation::{AttachedFile, ExpandedCommand};
use crate::mcp::McpServers;
use crate::protocol::{Commands, EventSink, TurnError, WrittenLine};
use crate::tools::{Outcome, ToolContent};
use annals_policy::paths::FileKind;

/// The most files that one command attaches.
const MAX_FILES: usize = 20;

/// The result of starting a custom command.
pub(super) enum CommandStart {
    /// The command is written by this line, and the model is next.
    Started(WrittenLine),
    /// A sub-agent has carried it out, and this is its answer; the model is not asked.
    Answered(WrittenLine, String),
    /// The command failed; this line and the next ones say so.
    Failed(WrittenLine, TurnError),
    /// The person interrupted it before anything was written.
    Interrupted,
}

/// The model to restore after the turn.
pub(super) struct SavedModel {
    model: Option<String>,
}

/// What came of a text with commands and files in it.
pub(super) enum Expansion {
    Done {
        text: String,
        files: Vec<AttachedFile>,
    },
    /// A command in it was denied or failed.
    Failed(String),
    Interrupted,
}

enum CallResult {
    Done(Outcome),
    Failed(Outcome),
    Interrupted,
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Applies the rules and the model of a command to this turn.
    pub(super) fn apply_command(&mut self, invocation: &Invocation) -> SavedModel {
        let command = &invocation.command;
        self.hooks.use_skill(&command.name);
        self.grants.allow_for_turn(&command.rules(), command.author.source());
        let model = command.model.clone().map(|model| std::mem::replace(&mut self.turn_config.model, model));
        SavedModel { model }
    }

    /// Ends what [`Self::apply_command`] applied.
    pub(super) fn restore(&mut self, saved: SavedModel) {
        if let Some(model) = saved.model {
            self.turn_config.model = model;
        }
    }

    /// Expands a command and writes it. If one of its calls is denied or fails, nothing is sent.
    pub(super) async fn begin(
        &mut self,
        invocation: &Invocation,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<CommandStart, TurnError> {
        // A file can have such a name, too; the prompt of a server has no text here.
        if invocation.command.body.is_empty() && McpServers::is_tool(&invocation.command.name) {
            return self.begin_prompt(invocation, commands).await;
        }
        let name = &invocation.command.name;
        let expansion = match invocation.command.invoker {
            Invoker::Model => Expansion::Failed(format!("/{name} is a skill that only the model can use")),
            Invoker::Anyone | Invoker::Person => self.expand(invocation, commands, report).await,
        };
        match expansion {
            Expansion::Done { text, files } => {
                if let Some(kind) = &invocation.command.fork {
                    return self.run_forked(invocation, (kind, text), commands, report).await;
                }
                let command = ExpandedCommand { invocation, texts: &[text], files: &files };
                Ok(CommandStart::Started(self.conversation.append_command(&command)?))
            }
            Expansion::Failed(why) => {
                let line = self.conversation.append_failed_command(invocation, &why)?;
                Ok(CommandStart::Failed(line, TurnError::Command(why)))
            }
            Expansion::Interrupted => Ok(CommandStart::Interrupted),
        }
    }

    /// Expands the text of a command or a skill: runs its commands, and reads the files that it mentions.
    pub(super) async fn expand(
        &mut self,
        invocation: &Invocation,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Expansion {
        let parts = invocation.parts(self.conversation.session());
        let mut text = String::new();
        for part in &parts {
            let command = match part {
                TemplatePart::Text(words) => {
                    text.push_str(words);
                    continue;
                }
                TemplatePart::Shell(command) => command,
            };
            match self.call("Bash", &[("command", command)], commands, report).await {
                CallResult::Done(outcome) => text.push_str(words(&outcome).trim_end()),
                CallResult::Failed(outcome) => {
                    return Expansion::Failed(format!(
                        "/{} was not run, because of `{command}` in it: {}",
                        invocation.command.name,
                        words(&outcome)
                    ));
                }
                CallResult::Interrupted => return Expansion::Interrupted,
            }
        }
        let mut files = Vec::new();
        for path in mentioned(&parts).into_iter().take(MAX_FILES) {
            match self.attach(&path, commands, report).await {
                Ok(attached) => files.extend(attached),
                Err(Interruption) => return Expansion::Interrupted,
            }
        }
        Expansion::Done { text, files }
    }

    /// Writes a prompt that a server fills in.
    async fn begin_prompt(
        &mut self,
        invocation: &Invocation,
        commands: &mut Commands,
    ) -> Result<CommandStart, TurnError> {
        let name = &invocation.command.name;
        let filled = either(self.mcp.prompt(name, &invocation.arguments), commands.interrupt()).await;
        let why = match filled {
            Either::First(Some(Ok(texts))) => {
                let command = ExpandedCommand { invocation, texts: &texts, files: &[] };
                return Ok(CommandStart::Started(self.conversation.append_command(&command)?));
            }
            Either::First(Some(Err(why))) => format!("/{name} was not run: {why}"),
            Either::First(None) => format!("/{name} was not run: its server no longer has it"),
            Either::Second(()) => return Ok(CommandStart::Interrupted),
        };
        let line = self.conversation.append_failed_command(invocation, &why)?;
        Ok(CommandStart::Failed(line, TurnError::Command(why)))
    }

    /// Reads a mentioned file; `None` if it is not a file or may not be read.
    async fn attach(
        &mut self,
        path: &str,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Option<AttachedFile>, Interruption> {
        let Some(real) = self.resolve_path(path) else { return Ok(None) };
        if self.policy.files.kind(&real) != FileKind::File {
            return Ok(None);
        }
        match self.call("Read", &[("file_path", path)], commands, report).await {
            CallResult::Interrupted => Err(Interruption),
            CallResult::Failed(_) => Ok(None),
            CallResult::Done(outcome) => {
                let named =
                    Value::parse(&outcome.kept).ok().and_then(|kept| kept.get("file")?.get("filePath"));
                let named = named.and_then(|path| path.text()).map(|path| path.to_string());
                let path = named.unwrap_or_else(|| real.display().to_string());
                let folder = self.policy.workspace.working();
                let shown = std::path::Path::new(&path).strip_prefix(folder);
                let shown = shown.map_or_else(|_| path.clone(), |path| path.display().to_string());
                Ok(Some(AttachedFile { path, shown, kept: outcome.kept }))
            }
        }
    }

    /// Makes one call, with approval like all calls.
    async fn call(
        &mut self,
        tool: &str,
        input: &[(&str, &str)],
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> CallResult {
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        for (key, value) in input {
            object.string(key, value);
        }
        object.end();
        let id = format!("command-{}", new_uuid(self.conversation.store().source));
        let call = PendingCall::from_command(id, tool, json);
        let approval = self.approve_alone(&call, commands, report).await;
        if matches!(approval, Approval::Interrupted) {
            return CallResult::Interrupted;
        }
        let calls = std::slice::from_ref(&call);
        let (mut outcomes, ran) = self.attempt(calls, &[approval], ProgressLog::Off, commands, report).await;
        match (outcomes.pop().flatten(), ran) {
            (Some((outcome, _)), RunOutcome::All) if outcome.is_error => CallResult::Failed(outcome),
            (Some((outcome, _)), RunOutcome::All) => CallResult::Done(outcome),
            _ => CallResult::Interrupted,
        }
    }
}

/// The person interrupted what happens before a turn is written.
pub(super) struct Interruption;

fn words(outcome: &Outcome) -> String {
    match &outcome.shown {
        ToolContent::Text(text) => text.clone(),
        ToolContent::Blocks(_) => String::new(),
    }
}
