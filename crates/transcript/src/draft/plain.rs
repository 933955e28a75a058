//! From a plain message to the records that say it: for programs that do not care for the format.

use super::{Draft, ResponseDraft, Said};
use crate::content::Block;
use crate::message::{Message, MessageContent, MessageFault, Role};
use annals_json::edit::EditError;
use annals_json::{RawJson, Text, Value};

/// What is made up where a response does not say it; other messages have none of it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PlainDefaults {
    /// `message.id` of a response.
    pub message: String,
    /// `requestId` of a response.
    pub request: String,
    /// The model of a response.
    pub model: String,
}

/// Why a plain message has no records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainError {
    /// The records that it came from cannot be made again.
    Fault(MessageFault),
    /// A record that it came from is none.
    Record(super::GivenError),
    /// A block that could not be changed.
    Edit(EditError),
    /// A message that says nothing: clients drop it, or the API refuses it.
    Empty,
}

impl std::fmt::Display for PlainError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fault(fault) => fault.fmt(formatter),
            Self::Record(error) => error.fmt(formatter),
            Self::Edit(error) => error.fmt(formatter),
            Self::Empty => formatter.write_str("content: it is empty"),
        }
    }
}

impl std::error::Error for PlainError {}

/// Fields of a record that a message says elsewhere, or that its place decides.
const DECIDED: [&str; 7] =
    ["type", "message", "uuid", "parentUuid", "timestamp", "sessionId", "toolUseResult"];

/// The records of a message, in order: those that it came from, or new ones: a line a result, a line a block of a response,
/// one line for anything else.
pub fn drafts_of(message: &Message, defaults: &PlainDefaults) -> Result<Vec<Draft>, PlainError> {
    if !message.records.is_empty() {
        let lines = message.restore().map_err(PlainError::Fault)?;
        return lines.iter().map(|line| Draft::given(line).map_err(PlainError::Record)).collect();
    }
    let drafts = match message.role {
        Role::User => user(message)?,
        Role::Assistant => response(message, defaults)?,
        Role::System => vec![Draft::informational(&message.text())],
    };
    let mut drafts: Vec<_> = drafts.into_iter().map(|draft| with_metadata(draft, message)).collect();
    // The message hangs from where it says, by its first record, and is known by its last.
    if let (Some(first), Some(parent)) = (drafts.first_mut(), &message.parent_uuid) {
        *first = first.clone().with_parent(string(Some(parent)).as_deref());
    }
    if let (Some(last), Some(uuid)) = (drafts.last_mut(), string(message.uuid.as_ref())) {
        *last = last.clone().with_uuid(&uuid);
    }
    Ok(drafts)
}

fn string(json: Option<&RawJson>) -> Option<String> {
    json?.value().text().map(|text: Text<'_>| text.to_string())
}

fn with_metadata(mut draft: Draft, message: &Message) -> Draft {
    if let Some(time) = string(message.timestamp.as_ref()) {
        draft = draft.with_timestamp(&time);
    }
    for field in message.metadata_fields().iter().flat_map(|fields| fields.iter()) {
        let key = field.key.decode();
        if !DECIDED.contains(&&*key) {
            draft = draft.field(key.into_owned(), field.value.raw());
        }
    }
    draft
}

fn user(message: &Message) -> Result<Vec<Draft>, PlainError> {
    let blocks = match &message.content {
        MessageContent::Text(text) => {
            let text = text.value().text().map(|text| text.to_string()).unwrap_or_default();
            return if text.is_empty() {
                Err(PlainError::Empty)
            } else {
                Ok(vec![Draft::prompt(Said::Text(&text))])
            };
        }
        MessageContent::Blocks(blocks) if blocks.is_empty() => return Err(PlainError::Empty),
        MessageContent::Blocks(blocks) => blocks,
    };
    let is_result = |block: &&RawJson| matches!(Block::new(block.value()), Block::ToolResult(_));
    // The API wants results before anything else that a person says; a line holds one.
    let (results, rest): (Vec<_>, Vec<_>) = blocks.iter().partition(is_result);
    let mut drafts = Vec::new();
    for (at, result) in results.iter().enumerate() {
        let draft = Draft::prompt(Said::Blocks(&array(&[result])));
        drafts.push(match shown(message, at, results.len()) {
            Some(json) => draft.field("toolUseResult", json.raw()),
            None => draft,
        });
    }
    if !rest.is_empty() {
        drafts.push(Draft::prompt(Said::Blocks(&array(&rest))));
    }
    Ok(drafts)
}

/// What the interface shows of the n-th of several results: the whole of `toolUseResult` for one, an item of it for each.
fn shown(message: &Message, at: usize, count: usize) -> Option<Value<'_>> {
    let all = message.metadata.as_ref()?.value().get("toolUseResult")?;
    if count == 1 || all.items().count() != count {
        return Some(all).filter(|_| at == 0);
    }
    all.items().nth(at)
}

fn array(blocks: &[&RawJson]) -> Vec<u8> {
    let mut out = b"[".to_vec();
    for (at, block) in blocks.iter().enumerate() {
        out.extend_from_slice(if at > 0 { b"," } else { b"" });
        out.extend_from_slice(block.raw());
    }
    out.push(b']');
    out
}

fn response(message: &Message, defaults: &PlainDefaults) -> Result<Vec<Draft>, PlainError> {
    let text_block = match &message.content {
        MessageContent::Text(text) => [&br#"{"type":"text","text":"#[..], text.raw(), b"}"].concat(),
        MessageContent::Blocks(_) => Vec::new(),
    };
    let blocks: Vec<&[u8]> = match &message.content {
        MessageContent::Text(text) if text.raw() == b"\"\"" => Vec::new(),
        MessageContent::Text(_) => vec![&text_block],
        MessageContent::Blocks(blocks) => blocks.iter().map(RawJson::raw).collect(),
    };
    if blocks.is_empty() {
        return Err(PlainError::Empty);
    }
    let usual_end = if message.tool_calls().next().is_some() { "tool_use" } else { "end_turn" };
    let id = string(message.id.as_ref());
    let request = string(message.request_id.as_ref());
    let model = string(message.model.as_ref());
    let stop_reason = string(message.stop_reason.as_ref());
    Ok(ResponseDraft {
        message: id.as_deref().unwrap_or(&defaults.message),
        request: Some(request.as_deref().unwrap_or(&defaults.request)),
        model: model.as_deref().unwrap_or(&defaults.model),
        blocks: &blocks,
        stop_reason: Some(stop_reason.as_deref().unwrap_or(usual_end)),
        usage: message.usage.as_ref().map(RawJson::raw),
    }
    .drafts())
}
