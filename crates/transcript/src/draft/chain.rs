//! Lines of the chain: prompts, tool results, attachments, progress, and the envelope around all of them.

use super::{Draft, Origin, Part, Stamp, checked_or_string};
use crate::record::RecordKind;
use annals_json::{ObjectWriter, write_string};

/// What a user line says.
#[derive(Clone, Copy, Debug)]
pub enum Said<'a> {
    /// Words.
    Text(&'a str),
    /// Content blocks: a JSON array. What is not JSON is said as words.
    Blocks(&'a [u8]),
}

impl Said<'_> {
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

/// What a tool answered.
#[derive(Clone, Copy, Debug)]
pub struct ToolAnswer<'a> {
    /// The call.
    pub tool_use: &'a str,
    /// What the model sees: a JSON string or an array of blocks. What is not JSON is taken as words.
    pub content: &'a [u8],
    /// Whether the tool failed.
    pub outcome: ToolOutcome,
    /// What the interface shows: JSON, not sent to the model.
    pub shown: Option<&'a [u8]>,
}

/// How a tool ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    /// It did what it should; nothing is said.
    Done,
    /// It failed.
    Failed,
}

fn user(said: &[u8]) -> Draft {
    Draft::made(RecordKind::User).object("message", |message| {
        message.string("role", "user").raw("content", said);
    })
}

impl Draft {
    /// What a person says.
    pub fn prompt(said: Said<'_>) -> Self {
        user(&said.json())
    }

    /// What the client says in the person's name, such as the text of a command. The model sees it.
    pub fn meta_prompt(said: Said<'_>) -> Self {
        user(&said.json()).boolean("isMeta", true)
    }

    /// The summary that opens a compacted conversation: the line after its boundary.
    pub fn compact_summary(text: &str) -> Self {
        user(&Said::Text(text).json())
            .boolean("isVisibleInTranscriptOnly", true)
            .boolean("isCompactSummary", true)
    }

    /// A tool's result: one line a result.
    pub fn tool_result(answer: ToolAnswer<'_>) -> Self {
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

    /// What the client shows the model beside a prompt: a JSON object with a `type` of its own.
    pub fn attachment(json: &[u8]) -> Self {
        Draft::made(RecordKind::Attachment).field("attachment", json)
    }

    /// News of a tool that takes long: a small JSON object with a `type` of its own. Nobody is ever its child.
    pub fn progress(data: &[u8], tool_use: &str, parent_tool_use: &str) -> Self {
        Draft::made(RecordKind::Progress)
            .field("data", data)
            .string("toolUseID", tool_use)
            .string("parentToolUseID", parent_tool_use)
    }
}

/// A chain line, its keys in the order of recent releases.
pub(super) fn line(kind: RecordKind, parts: &[Part], origin: &Origin, stamp: &Stamp) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.string_or_null("parentUuid", stamp.parent.as_deref());
    object.string_if("logicalParentUuid", stamp.logical_parent.as_deref());
    object.boolean("isSidechain", origin.agent.is_some()).string_if("agentId", origin.agent.as_deref());
    object.string("type", kind.name());
    for part in parts {
        if let Part::Field(key, json) = part {
            object.raw(key, json);
        }
    }
    object.string("uuid", &stamp.uuid).string("timestamp", &stamp.timestamp);
    // What a draft says of its surroundings itself stays.
    let lacks = |key: &str| !parts.iter().any(|part| matches!(part, Part::Field(name, _) if name == key));
    let surroundings = [
        ("sourceToolAssistantUUID", stamp.source_assistant.as_deref()),
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
