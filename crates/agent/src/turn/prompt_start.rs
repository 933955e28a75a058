//! Turns opened by a prompt: the files and folders that it mentions are attached, and a line for the shell is run.
//!
//! What is mentioned is attached where rules allow reading it without a question; hooks are not told, as in the original. A
//! line for the shell was typed by the person, who is not asked about it again.

use annals_json::{Value, object};
use annals_policy::paths::FileKind;
use annals_store::source::new_uuid;

use super::agent::Agent;
use super::approve::Approval;
use super::attempt::RunOutcome;
use super::custom_command::Interruption;
use super::pending::PendingCall;
use super::progress::ProgressLog;
use super::wait::{Either, either};
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::context::{Mention, prompt_mentions};
use crate::conversation::{AttachedFile, AttachedFolder, Attachment};
use crate::protocol::{Commands, Event, EventSink, Notice, Prompt, TurnError, WrittenLine};
use crate::tools::{Outcome, ToolContent};

/// The most files and folders that one prompt attaches.
const MAX_MENTIONS: usize = 20;
/// The most names of a folder that are attached.
const MAX_NAMES: usize = 1_000;

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Writes a prompt; `None` if the person interrupted before anything was written.
    pub(super) async fn open_prompt(
        &mut self,
        prompt: &Prompt,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Option<WrittenLine>, TurnError> {
        if let Prompt::Shell(command) = prompt.plain() {
            let command = command.clone();
            return self.open_shell_line(&command, commands, report).await;
        }
        let mut attachments = Vec::new();
        // A sub-agent's answer attaches nothing.
        let is_typed = !matches!(prompt.plain(), Prompt::Notification(_) | Prompt::Message(_));
        if self.conversation.is_main() && is_typed {
            let mentions = prompt_mentions(&prompt.text());
            if mentions.len() > MAX_MENTIONS {
                let left = mentions.len() - MAX_MENTIONS;
                report(Event::Notice(Notice::NotAttached(
                    format!("{left} more mentions"),
                    "there are too many".into(),
                )));
            }
            for mention in mentions.iter().take(MAX_MENTIONS) {
                match self.attach_mention(mention, commands, report).await {
                    Ok(attached) => attachments.extend(attached),
                    Err(Interruption) => return Ok(None),
                }
            }
        }
        let line = self.conversation.append_prompt(prompt)?;
        self.conversation.append_attachments(&attachments)?;
        if let Some(typed) = prompt.typed() {
            self.conversation.append_image_sources(typed)?;
        }
        Ok(Some(line))
    }

    /// Reads what a prompt mentions; `None` if there is no such file or folder, or it may not be read.
    async fn attach_mention(
        &mut self,
        mention: &Mention,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Option<Attachment>, Interruption> {
        let Some(real) = self.resolve_path(&mention.path) else { return Ok(None) };
        let kind = self.policy.files.kind(&real);
        if !matches!(kind, FileKind::File | FileKind::Folder) {
            return self.attach_resource(mention, commands, report).await;
        }
        let input = object(|input| {
            input.string("file_path", &mention.path);
            if let Some((first, last)) = mention.lines {
                input.number("offset", first).number("limit", last - first + 1);
            }
        });
        let call = self.own_call("Read", input);
        let Some(approval) = self.approve_unasked(&call) else {
            let why = "reading it needs permission".to_owned();
            report(Event::Notice(Notice::NotAttached(mention.path.clone(), why)));
            return Ok(None);
        };
        let folder = self.policy.workspace.working();
        let shown = |path: &str| {
            let inside = std::path::Path::new(path).strip_prefix(folder);
            inside.map_or_else(|_| path.to_owned(), |path| path.display().to_string())
        };
        if kind == FileKind::Folder {
            let path = real.display().to_string();
            let Some(names) = names_in(&real) else { return Ok(None) };
            let shown = shown(&path);
            return Ok(Some(Attachment::Folder(AttachedFolder { path, shown, names })));
        }
        match self.run_own_call(&call, approval, commands, &mut |_| {}).await {
            None => Err(Interruption),
            Some(outcome) if outcome.is_error => {
                report(Event::Notice(Notice::NotAttached(mention.path.clone(), words(&outcome))));
                Ok(None)
            }
            Some(outcome) => {
                let kept = Value::parse(&outcome.kept).ok();
                let named = kept.and_then(|kept| kept.get("file")?.get("filePath")?.text());
                let path = named.map_or_else(|| real.display().to_string(), |path| path.to_string());
                let shown = shown(&path);
                Ok(Some(Attachment::File(AttachedFile { path, shown, kept: outcome.kept })))
            }
        }
    }

    /// Reads a resource of a server, where somebody typed its name: elsewhere it stays text, as in the original.
    async fn attach_resource(
        &mut self,
        mention: &Mention,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Option<Attachment>, Interruption> {
        if self.is_headless {
            return Ok(None);
        }
        match either(self.mcp.mentioned(&mention.path), commands.interrupt()).await {
            Either::First(None) => Ok(None),
            Either::First(Some(Ok(resource))) => Ok(Some(Attachment::Resource(resource))),
            Either::First(Some(Err(why))) => {
                report(Event::Notice(Notice::NotAttached(mention.path.clone(), why)));
                Ok(None)
            }
            Either::Second(()) => Err(Interruption),
        }
    }

    /// Runs a line for the shell, and writes it with its output.
    async fn open_shell_line(
        &mut self,
        command: &str,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Option<WrittenLine>, TurnError> {
        let input = object(|input| {
            input.string("command", command);
        });
        let call = self.own_call("Bash", input);
        let approval = Approval::Run(Default::default());
        let Some(outcome) = self.run_own_call(&call, approval, commands, report).await else {
            return Ok(None);
        };
        let kept = Value::parse(&outcome.kept).ok().filter(|_| !outcome.is_error);
        let part = |key: &str| kept.and_then(|kept| kept.get(key)?.text()).map(|text| text.to_string());
        let (stdout, stderr) = match (part("stdout"), part("stderr")) {
            (None, None) => (String::new(), words(&outcome)),
            (stdout, stderr) => (stdout.unwrap_or_default(), stderr.unwrap_or_default()),
        };
        let (line, mut output) = self.conversation.append_shell_line(command, &stdout, &stderr)?;
        output.result = outcome.kept;
        report(Event::ToolDone { call: call.id, line: output });
        Ok(Some(line))
    }

    /// Builds a call that the person caused, not the model.
    fn own_call(&self, tool: &str, input: Vec<u8>) -> PendingCall {
        let id = format!("prompt-{}", new_uuid(self.conversation.store().source));
        PendingCall::from_command(id, tool, input)
    }

    /// Runs one approved call; `None` if it was interrupted.
    async fn run_own_call(
        &mut self,
        call: &PendingCall,
        approval: Approval,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<Outcome> {
        if self.tool(&call.name).is_none() {
            let why = format!("The tool {} is not available in this session.", call.name);
            return Some(Outcome::refused(why));
        }
        let calls = std::slice::from_ref(call);
        let (mut outcomes, ran) = self.attempt(calls, &[approval], ProgressLog::Off, commands, report).await;
        let outcome = outcomes.pop().flatten().map(|(outcome, _)| outcome);
        outcome.filter(|_| ran == RunOutcome::All)
    }
}

/// Returns the names in a folder in their order, and how many are left out; `None` if it cannot be read.
fn names_in(folder: &std::path::Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort_unstable();
    let left = names.len().saturating_sub(MAX_NAMES);
    names.truncate(MAX_NAMES);
    if left > 0 {
        names.push(format!("… and {left} more"));
    }
    Some(names.join("\n"))
}

fn words(outcome: &Outcome) -> String {
    match &outcome.shown {
        ToolContent::Text(text) => text.clone(),
        ToolContent::Blocks(_) => String::new(),
    }
}
