//! Records of what belongs to a prompt: files and folders that it mentions, and the output of a line for the shell.

use annals_json::{ObjectWriter, object};
use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, PromptContent};

use super::{Conversation, Grouping};
use crate::api::request::Role;
use crate::mcp::MentionedResource;
use crate::protocol::WrittenLine;

/// What a prompt or a command mentions.
pub(crate) enum Attachment {
    File(AttachedFile),
    Folder(AttachedFolder),
    /// A resource of an MCP server.
    Resource(MentionedResource),
}

/// A file that is mentioned, with what Read returned.
pub(crate) struct AttachedFile {
    /// The absolute path.
    pub(crate) path: String,
    /// The path as shown to people.
    pub(crate) shown: String,
    /// The stored result of the Read tool: JSON.
    pub(crate) kept: Vec<u8>,
}

/// A folder that is mentioned.
pub(crate) struct AttachedFolder {
    /// The absolute path.
    pub(crate) path: String,
    /// The path as shown to people.
    pub(crate) shown: String,
    /// The names in it, one per line.
    pub(crate) names: String,
}

impl Attachment {
    fn json(&self) -> Vec<u8> {
        object(|json| match self {
            Self::File(file) => write_file(file, json),
            Self::Folder(folder) => {
                json.string("type", "directory").string("path", &folder.path);
                json.string("content", &folder.names).string("displayPath", &folder.shown);
            }
            Self::Resource(resource) => {
                json.string("type", "mcp_resource").string("server", &resource.server);
                json.string("uri", &resource.uri).string("name", &resource.name);
                json.string_if("description", resource.description.as_deref());
                json.raw("content", &resource.content);
            }
        })
    }
}

/// Returns the record of a file.
pub(super) fn file_json(file: &AttachedFile) -> Vec<u8> {
    object(|json| write_file(file, json))
}

fn write_file(file: &AttachedFile, json: &mut ObjectWriter<'_>) {
    json.string("type", "file").string("filename", &file.path).raw("content", &file.kept);
    json.string("displayPath", &file.shown);
}

impl Conversation<'_> {
    /// Writes what a prompt mentions, behind the prompt.
    pub(crate) fn append_attachments(&mut self, attachments: &[Attachment]) -> Result<(), AppendError> {
        for attachment in attachments {
            self.append(Draft::attachment(&attachment.json()))?;
            self.mark_stale();
        }
        Ok(())
    }

    /// Writes a line for the shell, which opens a turn, and its output.
    pub(crate) fn append_shell_line(
        &mut self,
        command: &str,
        stdout: &str,
        stderr: &str,
    ) -> Result<(WrittenLine, WrittenLine), AppendError> {
        self.answer_open_calls()?;
        let input = format!("<bash-input>{command}</bash-input>");
        let line =
            self.open_turn(Draft::prompt(PromptContent::Text(&input)), Some(&format!("!{command}")))?;
        let output = format!("<bash-stdout>{stdout}</bash-stdout><bash-stderr>{stderr}</bash-stderr>");
        let output = Draft::prompt(PromptContent::Text(&output));
        let output = self.append_and_send(output, Role::User, Grouping::NewMessage)?;
        self.mark_stale();
        Ok((line, output))
    }
}
