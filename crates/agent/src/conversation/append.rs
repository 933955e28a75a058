//! Writes the lines of a conversation: prompts, responses, tool results, and what ends a turn.

use annals_json::{ArrayWriter, RawJson, Value, object};
use annals_store::SessionKey;
use annals_store::history::{NewPrompt, append as append_to_history};
use annals_store::session::AppendError;
use annals_store::source::{is_uuid, new_uuid};
use annals_transcript::draft::{
    Draft, PromptContent, QueueStep, SnapshotKind, ThreadKind, ToolOutcome, ToolResultDraft,
};
use annals_transcript::record::RecordKind;
use annals_transcript::time::format_millis;

use super::backend::{AppendOutcome, Backend};
use super::custom_command::command_tags;
use super::messages::{self, Grouping};
use super::{Conversation, SessionState};
use crate::api::request::Role;
use crate::protocol::{Notice, Prompt, TypedText, WrittenLine};

/// The length of a prompt in lists, in characters.
const MAX_LISTED_PROMPT: usize = 200;
/// `origin` of a prompt that a background task caused.
const NOTIFICATION: &[u8] = br#"{"kind":"task-notification"}"#;

/// `origin` of a message for a sub-agent.
const COORDINATOR: &[u8] = br#"{"kind":"coordinator"}"#;

impl Conversation<'_> {
    /// Writes a line that the model does not see, or that [`Self::push_message`] adds.
    pub(crate) fn append(&mut self, draft: Draft) -> Result<(), AppendError> {
        let is_message = matches!(draft.kind(), RecordKind::User | RecordKind::Assistant);
        let draft = if is_message { self.with_uuid(draft).0 } else { draft };
        let draft = self.with_rewind_parent(draft);
        let message = draft.own_uuid().filter(|_| is_message).map(str::to_owned);
        let attached = draft.value("attachment").filter(|_| draft.kind() == RecordKind::Attachment);
        self.attached.extend(attached.map(|attached| attached.raw().to_vec()));
        let kept = self.backend()?.append(draft)?;
        self.last_message = message.or(self.last_message.take());
        match kept {
            AppendOutcome::Written => {}
            AppendOutcome::Recovered => self.notices.push(Notice::WrittenAgain),
            AppendOutcome::Queued(why) => self.notices.push(Notice::NotWritten(why)),
        }
        Ok(())
    }

    /// Writes a line about the session, and nothing for a sub-agent.
    pub(crate) fn append_metadata(&mut self, draft: Draft) -> Result<(), AppendError> {
        match self.thread {
            ThreadKind::Main => self.append(draft),
            ThreadKind::Agent => Ok(()),
        }
    }

    /// Adds a written line to the messages of the next request.
    pub(crate) fn push_message(&mut self, draft: &Draft, role: Role, grouping: Grouping) {
        if !self.is_stale && !messages::add(&mut self.messages, draft, role, grouping) {
            self.is_stale = true;
        }
    }

    /// Writes a line and adds it to the messages of the next request.
    pub(crate) fn append_and_send(
        &mut self,
        draft: Draft,
        role: Role,
        grouping: Grouping,
    ) -> Result<WrittenLine, AppendError> {
        let (draft, line) = self.with_uuid(draft);
        self.append(draft.clone())?;
        self.push_message(&draft, role, grouping);
        Ok(line)
    }

    /// Gives a line its uuid.
    pub(crate) fn with_uuid(&self, draft: Draft) -> (Draft, WrittenLine) {
        let uuid = draft.own_uuid().map_or_else(|| new_uuid(self.store.source), str::to_owned);
        let draft = draft.with_uuid(&uuid);
        let raw = |key: &str| draft.value(key).map_or_else(Vec::new, |value| value.raw().to_vec());
        let (message, result) = (raw("message"), told_result(&draft));
        let request = draft.value("requestId").and_then(Value::text).map(|id| id.to_string());
        (draft, WrittenLine { uuid, message, result, request })
    }

    /// Writes a prompt, after answering the tool calls that an aborted turn left open.
    pub(crate) fn append_prompt(&mut self, prompt: &Prompt) -> Result<WrittenLine, AppendError> {
        self.answer_open_calls()?;
        let plain = prompt.plain();
        let said = match plain {
            Prompt::Blocks(json) => PromptContent::Blocks(json),
            Prompt::Text(text) => PromptContent::Text(text),
            Prompt::Notification(ended) => {
                let text = ended.text();
                self.append_queue_steps(&text, QueueStep::Dequeue)?;
                let draft = Draft::prompt(PromptContent::Text(&text)).field("origin", NOTIFICATION);
                let line = self.open_turn(draft, None)?;
                // Clients do not send it as it is written.
                self.mark_stale();
                return Ok(line);
            }
            Prompt::Message(_) => {
                let draft =
                    Draft::meta_prompt(PromptContent::Text(&plain.text())).field("origin", COORDINATOR);
                return self.open_turn(draft, None);
            }
            Prompt::Named { .. } | Prompt::Typed { .. } | Prompt::Shell(_) => PromptContent::Text(""),
        };
        let draft = Draft::prompt(said);
        // An id that is known already would make two lines one.
        let uuid = prompt.uuid().filter(|uuid| is_uuid(uuid) && !self.knows(uuid));
        let draft = uuid.map_or(draft.clone(), |uuid| draft.with_uuid(uuid));
        let numbers = prompt.typed().and_then(TypedText::image_numbers);
        let draft = numbers.map_or(draft.clone(), |numbers| draft.field("imagePasteIds", &numbers));
        self.open_turn(draft, Some(&prompt.text()))
    }

    /// Tells the model which files the images of a prompt are, as the original does.
    pub(crate) fn append_image_sources(&mut self, typed: &TypedText) -> Result<(), AppendError> {
        let mut json = Vec::new();
        let mut blocks = ArrayWriter::begin(&mut json);
        for path in typed.images.iter().filter_map(|image| image.path.as_deref()) {
            blocks.object(|block| {
                block.string("type", "text").string("text", &format!("[Image: source: {path}]"));
            });
        }
        blocks.end();
        if json == b"[]" {
            return Ok(());
        }
        self.append(Draft::meta_prompt(PromptContent::Blocks(&json)))?;
        self.mark_stale();
        Ok(())
    }

    /// Writes what a sub-agent that has ended leaves, behind the results of the current calls.
    pub(crate) fn append_notification(&mut self, text: &str) -> Result<(), AppendError> {
        self.append_queue_steps(text, QueueStep::Remove)?;
        let attachment = object(|attachment| {
            attachment.string("type", "queued_command").string("prompt", text);
            attachment.string("commandMode", "task-notification");
        });
        self.append(Draft::attachment(&attachment))?;
        self.mark_stale();
        Ok(())
    }

    /// Writes a message that a sub-agent gets while it works, behind the results of its calls.
    pub(crate) fn append_message(&mut self, text: &str) -> Result<(), AppendError> {
        let attachment = object(|attachment| {
            attachment.string("type", "queued_command").string("prompt", text);
            attachment.raw("origin", COORDINATOR).boolean("isMeta", true);
        });
        self.append(Draft::attachment(&attachment))?;
        self.mark_stale();
        Ok(())
    }

    /// Records that something waited, and where it went.
    fn append_queue_steps(&mut self, text: &str, step: QueueStep) -> Result<(), AppendError> {
        let content = RawJson::string(text);
        self.append(Draft::queue_operation(QueueStep::Enqueue, Some(content.raw())))?;
        self.append(Draft::queue_operation(step, None))
    }

    /// Writes the line that opens a turn; `text` is what lists and the history show, if anybody typed it.
    pub(super) fn open_turn(&mut self, draft: Draft, text: Option<&str>) -> Result<WrittenLine, AppendError> {
        let (draft, line) = self.with_uuid(draft);
        self.thinking.turn = Some(line.uuid.clone());
        if self.thread == ThreadKind::Agent {
            self.append(draft.clone())?;
            self.push_message(&draft, Role::User, Grouping::NewMessage);
            return Ok(line);
        }
        let now = self.store.source.now();
        let kept = self.backups.begin_turn(now);
        let snapshot =
            Draft::file_history_snapshot(&line.uuid, SnapshotKind::New, &kept, &format_millis(now));
        self.append(snapshot)?;
        self.prompt_line = Some(line.uuid.clone());
        let draft = match self.mode {
            Some(mode) => draft.field("permissionMode", RawJson::string(mode.name()).raw()),
            None => draft,
        };
        self.append(draft.clone())?;
        self.push_message(&draft, Role::User, Grouping::NewMessage);
        if let Some(text) = text {
            self.append_history(text);
            self.last_prompt = Some(in_lists(text));
        }
        Ok(line)
    }

    /// Tells the model what happened since its last turn, behind the prompt.
    pub(crate) fn append_reminders(&mut self, notices: &[String]) -> Result<(), AppendError> {
        for notice in notices {
            let text = format!("<system-reminder>\n{notice}\n</system-reminder>");
            self.append(Draft::meta_prompt(PromptContent::Text(&text)))?;
            self.mark_stale();
        }
        Ok(())
    }

    /// Records a command that the client carried out itself, and what it showed. A session without a prompt stays unmade.
    pub fn append_local_command(
        &mut self,
        name: &str,
        arguments: &str,
        output: &str,
    ) -> Result<(), AppendError> {
        if self.thread == ThreadKind::Agent || matches!(self.state, SessionState::NotYet(..)) {
            return Ok(());
        }
        self.answer_open_calls()?;
        self.append(Draft::local_command(&command_tags(name, arguments)))?;
        self.append(Draft::local_command(&format!("<local-command-stdout>{output}</local-command-stdout>")))?;
        self.mark_stale();
        Ok(())
    }

    fn knows(&self, uuid: &str) -> bool {
        matches!(&self.state, SessionState::Open(backend) if backend.state().knows(uuid))
    }

    /// Returns whether this is the session itself, not one of its sub-agents.
    pub(crate) fn is_main(&self) -> bool {
        self.thread == ThreadKind::Main
    }

    /// Returns whether the session has a line.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, SessionState::Open(_))
    }

    /// Records backups made since the last call.
    pub(crate) fn append_backups(&mut self) -> Result<(), AppendError> {
        let (Some(kept), Some(prompt)) = (self.backups.news(), self.prompt_line.clone()) else {
            return Ok(());
        };
        let line = self.last_message.clone().unwrap_or_else(|| prompt.clone());
        let now = format_millis(self.store.source.now());
        self.append(Draft::file_history_snapshot(&line, SnapshotKind::UpdateOf(&prompt), &kept, &now))
    }

    /// Answers the tool calls that an aborted turn left open, so that a prompt can follow.
    pub(crate) fn answer_open_calls(&mut self) -> Result<(), AppendError> {
        if matches!(self.state, SessionState::NotYet(..)) {
            return Ok(());
        }
        let is_empty = self.messages()?.is_empty();
        let open_calls = std::mem::take(&mut self.open_calls);
        // Without open calls, further lines can be added; a file that clients refuse may become valid with the next line.
        self.is_stale = !open_calls.is_empty() || is_empty;
        for call in open_calls {
            let why = "The session ended before this call was answered. It is not known whether it ran.";
            self.append(failed_result(&call, why))?;
        }
        Ok(())
    }

    /// Ends a turn: writes its duration and where clients resume.
    pub(crate) fn end_turn(&mut self, millis: u64) -> Result<(), AppendError> {
        // Without a prompt there is no session yet.
        if self.thread == ThreadKind::Agent || matches!(self.state, SessionState::NotYet(..)) {
            return Ok(());
        }
        let messages = u64::try_from(self.messages.len()).ok();
        self.append(Draft::turn_duration(millis, messages))?;
        // Some clients use the last message as parent of the next prompt, not the line after it: if the leaf were not a message,
        // their prompt would open a branch that is overlooked.
        match (self.last_prompt.clone(), self.last_message.clone()) {
            (Some(prompt), Some(leaf)) => self.append(Draft::last_prompt(&prompt, Some(&leaf))),
            _ => Ok(()),
        }
    }

    /// Adds a prompt to the history of all prompts: as it was typed, if that is known.
    pub(crate) fn append_history(&mut self, text: &str) {
        let typed = self.typed.take();
        let SessionState::Open(Backend::File { .. }) = &self.state else { return };
        let pastes = typed.iter().flat_map(|typed| &typed.pastes);
        let session = SessionKey::new(self.session.as_str());
        let project = self.cwd.to_string_lossy();
        let display = typed.as_ref().map_or(text, |typed| &typed.display);
        let mut prompt = NewPrompt::new(display, &project, &session, self.store.source.now());
        prompt.pastes = pastes.map(|(number, text)| (*number, text.as_str())).collect();
        if let Err(error) = append_to_history(self.store.config, &prompt, self.store.source) {
            self.notices.push(Notice::NotWritten(error.to_string()));
        }
    }
}

/// Returns the result that programs are told: the stored one, with what a server said beside it.
fn told_result(draft: &Draft) -> Vec<u8> {
    let result = draft.value("toolUseResult").map_or_else(Vec::new, |value| value.raw().to_vec());
    let meta = draft.value("mcpMeta").and_then(Value::fields);
    match meta.filter(|_| !result.is_empty()) {
        Some(meta) => object(|merged| {
            merged.raw("content", &result);
            meta.iter().for_each(|field| {
                merged.raw(&field.key.decode(), field.value.raw());
            });
        }),
        None => result,
    }
}

/// Builds a tool result that is an error.
pub(crate) fn failed_result(call: &str, why: &str) -> Draft {
    let (content, shown) = (RawJson::string(why), RawJson::string(&format!("Error: {why}")));
    Draft::tool_result(ToolResultDraft {
        tool_use: call,
        content: content.raw(),
        outcome: ToolOutcome::Failed,
        shown: Some(shown.raw()),
    })
}

fn in_lists(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_LISTED_PROMPT) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
