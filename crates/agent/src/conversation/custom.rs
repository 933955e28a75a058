//! Custom commands in a session, in the records that the original writes: what was said, as tags; the text that it stands
//! for; the files that it mentions; what it allows.

use annals_json::{ArrayWriter, ObjectWriter};
use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, Said};

use super::Conversation;
use crate::commands::Invocation;
use crate::event::Line;

/// What we tell the model of a command that came to nothing.
const CAVEAT: &str = "The person wanted to use a command of their own, and it could not be carried out. Nothing is asked of you.";

/// A command with its text.
pub(crate) struct Expanded<'e> {
    pub(crate) invoked: &'e Invocation,
    pub(crate) text: &'e str,
    pub(crate) files: &'e [Attached],
}

/// A file that a command mentions, as it was read.
pub(crate) struct Attached {
    /// The whole path.
    pub(crate) path: String,
    /// The path as people write it.
    pub(crate) shown: String,
    /// What the tool Read keeps of it: JSON.
    pub(crate) kept: Vec<u8>,
}

impl Conversation<'_> {
    /// Writes a command, with the line that opens the turn first.
    pub(crate) fn command(&mut self, said: &Expanded<'_>) -> Result<Line, AppendError> {
        self.heal()?;
        let invoked = said.invoked;
        let name = &invoked.command.name;
        let mut words =
            format!("<command-message>{name}</command-message>\n<command-name>/{name}</command-name>");
        if !invoked.arguments.is_empty() {
            words.push_str(&format!("\n<command-args>{}</command-args>", invoked.arguments));
        }
        let line = self.open_turn(Draft::prompt(Said::Text(&words)), &invoked.text())?;
        self.record(Draft::meta_prompt(Said::Blocks(&text_block(said.text))))?;
        for file in said.files {
            self.record(Draft::attachment(&attached(file)))?;
        }
        self.record(Draft::attachment(&permissions(invoked)))?;
        self.read_again();
        Ok(line)
    }

    /// Writes that a command came to nothing, and why.
    pub(crate) fn command_failed(&mut self, invoked: &Invocation, why: &str) -> Result<Line, AppendError> {
        self.heal()?;
        let name = &invoked.command.name;
        let caveat = format!("<local-command-caveat>{CAVEAT}</local-command-caveat>");
        // The order and the room between them are how readers know what the client did itself.
        let room = " ".repeat(12);
        let words = format!(
            "<command-name>/{name}</command-name>\n{room}<command-message>{name}</command-message>\n{room}<command-args>{}</command-args>",
            invoked.arguments
        );
        self.record(Draft::meta_prompt(Said::Text(&caveat)))?;
        let line = self.open_turn(Draft::prompt(Said::Text(&words)), &invoked.text())?;
        let output = format!("<local-command-stderr>{why}</local-command-stderr>");
        self.record(Draft::local_command(&output))?;
        self.read_again();
        Ok(line)
    }
}

fn text_block(text: &str) -> Vec<u8> {
    let mut json = Vec::new();
    let mut list = ArrayWriter::begin(&mut json);
    list.object(|block| {
        block.string("type", "text").string("text", text);
    });
    list.end();
    json
}

fn attached(file: &Attached) -> Vec<u8> {
    let mut json = Vec::new();
    let mut object = ObjectWriter::begin(&mut json);
    object.string("type", "file").string("filename", &file.path).raw("content", &file.kept);
    object.string("displayPath", &file.shown);
    object.end();
    json
}

fn permissions(invoked: &Invocation) -> Vec<u8> {
    let command = &invoked.command;
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
