//! Drafts of chain records (prompts, tool results, attachments, progress) and their envelope.

use super::{Draft, DraftField, Origin, Placement, checked_or_string};
use crate::record::RecordKind;
use annals_json::{ObjectWriter, write_string};

/// What a user says: a text, or blocks.
#[derive(Clone, Copy, Debug)]
pub enum PromptContent<'a> {
    /// Plain text.
    Text(&'a str),
    /// Content blocks as a JSON array; invalid JSON is written as text.
    Blocks(&'a [u8]),
}

impl PromptContent<'_> {
    fn json(self) -> Vec<u8> {
        match self {
            Self::Text(text) => {
                let mut json = Vec::new();
                write_string(&mut json, text);
                json
            }
            Self::Blocks(json) => checked_or_string(json),
        }
    }
}

/// The result of a tool call.
#[derive(Clone, Copy, Debug)]
pub struct ToolResultDraft<'a> {
    /// The id of the tool call.
    pub tool_use: &'a str,
    /// What the model sees: a JSON string or an array of blocks; invalid JSON is written as text.
    pub content: &'a [u8],
    /// Whether the tool failed.
    pub outcome: ToolOutcome,
    /// `toolUseResult`: JSON for display, not sent to the model.
    pub shown: Option<&'a [u8]>,
}

/// Whether a tool succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    /// It succeeded; the record has no `is_error`.
    Done,
    /// The result is marked with `is_error`.
    Failed,
}

fn user(said: &[u8]) -> Draft {
    Draft::made(RecordKind::User).object("message", |message| {
        message.string("role", "user").raw("content", said);
    })
}

impl Draft {
    /// Drafts a prompt of the user.
    pub fn prompt(said: PromptContent<'_>) -> Self {
        user(&said.json())
    }

    /// Drafts a message of the client in the user's name, such as the text of a command. The model sees it.
    pub fn meta_prompt(said: PromptContent<'_>) -> Self {
        user(&said.json()).boolean("isMeta", true)
    }

    /// Drafts the summary that opens a compacted conversation, on the line after its boundary.
    pub fn compact_summary(text: &str) -> Self {
        user(&PromptContent::Text(text).json())
            .boolean("isVisibleInTranscriptOnly", true)
            .boolean("isCompactSummary", true)
    }

    /// Drafts a tool result: one record per result.
    pub fn tool_result(answer: ToolResultDraft<'_>) -> Self {
        let mut content = b"[".to_vec();
        let mut block = ObjectWriter::begin(&mut content);
        block
            .string("tool_use_id", answer.tool_use)
            .string("type", "tool_result")
            .raw("content", &checked_or_string(answer.content));
        if answer.outcome == ToolOutcome::Failed {
            block.boolean("is_error", true);
        }
        block.end();
        content.push(b']');
        let draft = user(&content);
        match answer.shown {
            Some(json) => draft.field("toolUseResult", json),
            None => draft,
        }
    }

    /// Drafts an attachment, which the model sees beside a prompt: a JSON object with its own `type`.
    pub fn attachment(json: &[u8]) -> Self {
        Draft::made(RecordKind::Attachment).field("attachment", json)
    }

    /// Drafts progress of a long-running tool: a small JSON object with its own `type`. No record has it as parent.
    pub fn progress(data: &[u8], tool_use: &str, parent_tool_use: &str) -> Self {
        Draft::made(RecordKind::Progress)
            .field("data", data)
            .string("toolUseID", tool_use)
            .string("parentToolUseID", parent_tool_use)
    }
}

/// Writes a chain record, its keys in the order of recent releases.
pub(super) fn line(
    kind: RecordKind,
    parts: &[DraftField],
    origin: &Origin,
    placement: &Placement,
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.string_or_null("parentUuid", placement.parent.as_deref());
    object.string_if("logicalParentUuid", placement.logical_parent.as_deref());
    object.boolean("isSidechain", origin.agent.is_some()).string_if("agentId", origin.agent.as_deref());
    object.string("type", kind.name());
    for part in parts {
        if let DraftField::Field(key, json) = part {
            object.raw(key, json);
        }
    }
    object.string("uuid", &placement.uuid).string("timestamp", &placement.timestamp);
    // Fields that the draft sets itself win.
    let lacks =
        |key: &str| !parts.iter().any(|part| matches!(part, DraftField::Field(name, _) if name == key));
    let surroundings = [
        ("sourceToolAssistantUUID", placement.source_assistant.as_deref()),
        ("userType", Some("external")),
        ("entrypoint", origin.entrypoint.as_deref()),
        ("cwd", Some(origin.cwd.as_str())),
        ("sessionId", Some(origin.session.as_str())),
        ("version", Some(origin.version.as_str())),
        ("gitBranch", Some(origin.git_branch.as_str())),
        ("slug", origin.slug.as_deref()),
    ];
    for (key, text) in surroundings.into_iter().filter(|(key, _)| lacks(key)) {
        object.string_if(key, text);
    }
    object.end();
    out
}
