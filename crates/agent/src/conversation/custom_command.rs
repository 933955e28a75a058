//! Records of custom commands, as the original writes them: the invocation as tags, the expanded text, the files that it
//! mentions, the rules that it allows.

use annals_json::{ArrayWriter, ObjectWriter, RawJson};
use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, PromptContent};

use super::Conversation;
use super::attachment::{AttachedFile, file_json};
use crate::commands::Invocation;
use crate::protocol::WrittenLine;

/// Tells the model that a command failed.
const CAVEAT: &str = "The person tried to use one of their own commands, and it could not be run. No action is needed from you.";

/// Tells the model that a command is not for it.
const OWN_CAVEAT: &str = "The person used a command that ran in a separate agent; they have seen its answer. No action is needed from you.";

/// A custom command with its expanded text.
pub(crate) struct ExpandedCommand<'e> {
    pub(crate) invocation: &'e Invocation,
    /// The text, in one or more pieces.
    pub(crate) texts: &'e [String],
    pub(crate) files: &'e [AttachedFile],
}

impl Conversation<'_> {
    /// Writes a command: the line that opens the turn, then its text, files and rules.
    pub(crate) fn append_command(&mut self, said: &ExpandedCommand<'_>) -> Result<WrittenLine, AppendError> {
        self.answer_open_calls()?;
        let invocation = said.invocation;
        let name = &invocation.command.name;
        let mut words =
            format!("<command-message>{name}</command-message>\n<command-name>/{name}</command-name>");
        if !invocation.arguments.is_empty() {
            words.push_str(&format!("\n<command-args>{}</command-args>", invocation.arguments));
        }
        let line = self.open_turn(Draft::prompt(PromptContent::Text(&words)), Some(&invocation.text()))?;
        self.append(Draft::meta_prompt(PromptContent::Blocks(&text_blocks(said.texts))))?;
        for file in said.files {
            self.append(Draft::attachment(&file_json(file)))?;
        }
        self.append(Draft::attachment(&permissions(invocation)))?;
        self.mark_stale();
        Ok(line)
    }

    /// Writes the text of a skill that a call of the model uses, its files and its rules.
    pub(crate) fn append_skill(
        &mut self,
        call: &str,
        invocation: &Invocation,
        text: &str,
        files: &[AttachedFile],
    ) -> Result<(), AppendError> {
        let blocks = text_blocks(&[text.to_owned()]);
        let draft = Draft::meta_prompt(PromptContent::Blocks(&blocks));
        self.append(draft.field("sourceToolUseID", RawJson::string(call).raw()))?;
        for file in files {
            self.append(Draft::attachment(&file_json(file)))?;
        }
        self.append(Draft::attachment(&permissions(invocation)))?;
        self.mark_stale();
        Ok(())
    }

    /// Writes a command that a sub-agent carries out: its output follows, and the model is not asked.
    pub(crate) fn append_own_command(&mut self, invocation: &Invocation) -> Result<WrittenLine, AppendError> {
        self.answer_open_calls()?;
        let caveat = format!("<local-command-caveat>{OWN_CAVEAT}</local-command-caveat>");
        let words = command_tags(&invocation.command.name, &invocation.arguments);
        self.append(Draft::meta_prompt(PromptContent::Text(&caveat)))?;
        self.open_turn(Draft::prompt(PromptContent::Text(&words)), Some(&invocation.text()))
    }

    /// Writes what such a command has answered: `stdout`, or `stderr` if it failed.
    pub(crate) fn append_command_output(&mut self, stream: &str, text: &str) -> Result<(), AppendError> {
        let output = format!("<local-command-{stream}>{text}</local-command-{stream}>");
        self.append(Draft::local_command(&output))?;
        self.mark_stale();
        Ok(())
    }

    /// Writes that a command failed, and why.
    pub(crate) fn append_failed_command(
        &mut self,
        invocation: &Invocation,
        why: &str,
    ) -> Result<WrittenLine, AppendError> {
        self.answer_open_calls()?;
        let name = &invocation.command.name;
        let caveat = format!("<local-command-caveat>{CAVEAT}</local-command-caveat>");
        let words = command_tags(name, &invocation.arguments);
        self.append(Draft::meta_prompt(PromptContent::Text(&caveat)))?;
        let line = self.open_turn(Draft::prompt(PromptContent::Text(&words)), Some(&invocation.text()))?;
        let output = format!("<local-command-stderr>{why}</local-command-stderr>");
        self.append(Draft::local_command(&output))?;
        self.mark_stale();
        Ok(line)
    }
}

/// Returns a command that the client ran itself. Readers recognize it by this order and this indentation.
pub(super) fn command_tags(name: &str, arguments: &str) -> String {
    let room = " ".repeat(12);
    format!(
        "<command-name>/{name}</command-name>\n{room}<command-message>{name}</command-message>\n{room}<command-args>{arguments}</command-args>"
    )
}

fn text_blocks(texts: &[String]) -> Vec<u8> {
    let mut json = Vec::new();
    let mut list = ArrayWriter::begin(&mut json);
    for text in texts {
        list.object(|block| {
            block.string("type", "text").string("text", text);
        });
    }
    list.end();
    json
}

fn permissions(invocation: &Invocation) -> Vec<u8> {
    let command = &invocation.command;
    let mut json = Vec::new();
    let mut object = ObjectWriter::begin(&mut json);
    object.string("type", "command_permissions").array("allowedTools", |list| {
        for rule in &command.allowed {
            list.string(rule);
        }
    });
    object.string_if("model", command.model.as_deref());
    object.end();
    json
}
