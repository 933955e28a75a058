//! Plain messages to drafts.

use super::{Draft, PromptContent, ResponseDraft};
use crate::content::Block;
use crate::message::{Message, MessageContent, MessageError, MessageRole};
use annals_json::edit::EditError;
use annals_json::{RawJson, Text, Value};

/// Ids and model for a response that does not name them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ResponseDefaults {
    /// `message.id` of a response.
    pub message: String,
    /// `requestId` of a response.
    pub request: String,
    /// The model of a response.
    pub model: String,
}

/// Why a plain message cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DraftError {
    /// The records that it came from cannot be restored.
    ParseError(MessageError),
    /// A record that it came from is invalid.
    Record(super::RecordError),
    /// A block could not be edited.
    Edit(EditError),
    /// A message without content: clients drop it, or the API rejects it.
    Empty,
}

impl std::fmt::Display for DraftError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ParseError(fault) => fault.fmt(formatter),
            Self::Record(error) => error.fmt(formatter),
            Self::Edit(error) => error.fmt(formatter),
            Self::Empty => formatter.write_str("content: must not be empty"),
        }
    }
}

impl std::error::Error for DraftError {}

/// Record fields that the message or the placement sets.
const RESERVED_FIELDS: [&str; 7] =
    ["type", "message", "uuid", "parentUuid", "timestamp", "sessionId", "toolUseResult"];

/// Returns the drafts of a message, in order: the records that it came from, or new ones. New ones are one per tool result,
/// one per block of a response, and one for anything else.
pub fn drafts_from_message(message: &Message, defaults: &ResponseDefaults) -> Result<Vec<Draft>, DraftError> {
    if !message.records.is_empty() {
        let lines = message.restore().map_err(DraftError::ParseError)?;
        return lines.iter().map(|line| Draft::from_json(line).map_err(DraftError::Record)).collect();
    }
    let drafts = match message.role {
        MessageRole::User => user(message)?,
        MessageRole::Assistant => response(message, defaults)?,
        MessageRole::System => vec![Draft::informational(&message.text())],
    };
    let mut drafts: Vec<_> = drafts.into_iter().map(|draft| with_metadata(draft, message)).collect();
    // The first record has the parent of the message, the last one its uuid.
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
        if !RESERVED_FIELDS.contains(&&*key) {
            draft = draft.field(key.into_owned(), field.value.raw());
        }
    }
    draft
}

fn user(message: &Message) -> Result<Vec<Draft>, DraftError> {
    let blocks = match &message.content {
        MessageContent::Text(text) => {
            let text = text.value().text().map(|text| text.to_string()).unwrap_or_default();
            return if text.is_empty() {
                Err(DraftError::Empty)
            } else {
                Ok(vec![Draft::prompt(PromptContent::Text(&text))])
            };
        }
        MessageContent::Blocks(blocks) if blocks.is_empty() => return Err(DraftError::Empty),
        MessageContent::Blocks(blocks) => blocks,
    };
    let is_result = |block: &&RawJson| matches!(Block::new(block.value()), Block::ToolResult(_));
    // The API requires results before other content; a record holds one.
    let (results, rest): (Vec<_>, Vec<_>) = blocks.iter().partition(is_result);
    let mut drafts = Vec::new();
    for (at, result) in results.iter().enumerate() {
        let draft = Draft::prompt(PromptContent::Blocks(&array(&[result])));
        drafts.push(match shown(message, at, results.len()) {
            Some(json) => draft.field("toolUseResult", json.raw()),
            None => draft,
        });
    }
    if !rest.is_empty() {
        drafts.push(Draft::prompt(PromptContent::Blocks(&array(&rest))));
    }
    Ok(drafts)
}

/// `toolUseResult` of the n-th of several results: the whole value for one, an item for each of several.
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

fn response(message: &Message, defaults: &ResponseDefaults) -> Result<Vec<Draft>, DraftError> {
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
        return Err(DraftError::Empty);
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
