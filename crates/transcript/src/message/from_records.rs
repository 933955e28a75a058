//! Records to messages: one each, but all records of a response together.

use std::collections::HashMap;

use super::restore::distribute;
use super::template::{RecordContent, RecordTemplate};
use super::{Message, MessageContent, MessageField, MessageRole};
use crate::record::RecordKind;
use crate::response::{Response, responses_of};
use crate::transcript::{NodeIndex, Transcript};
use crate::usage::Usage;
use annals_json::{Fields, RawJson, Value, ValueKind};

/// Groups records, given in the order of a conversation, into messages.
///
/// User, system and attachment records are a message each. The assistant records of one response (same message id) are one
/// message, at the position of the first. Side records and progress are not messages.
pub fn groups(
    transcript: &Transcript<'_>,
    nodes: impl IntoIterator<Item = NodeIndex>,
) -> Vec<Vec<NodeIndex>> {
    let mut groups: Vec<Vec<NodeIndex>> = Vec::new();
    let mut places = HashMap::new();
    for index in nodes {
        let node = &transcript.nodes()[index];
        if MessageRole::of(node.kind).is_none() {
            continue;
        }
        let new = groups.len();
        let response = node.message.filter(|_| node.kind == RecordKind::Assistant);
        let place = response.map_or(new, |id| *places.entry(id).or_insert(new));
        if place == new {
            groups.push(Vec::new());
        }
        groups[place].push(index);
    }
    groups
}

/// Converts records to messages.
pub fn messages(transcript: &Transcript<'_>, nodes: impl IntoIterator<Item = NodeIndex>) -> Vec<Message> {
    let groups = groups(transcript, nodes);
    groups.iter().filter_map(|group| Message::of(transcript, group)).collect()
}

impl Message {
    /// Converts the records of one group to a message; see [`groups`].
    pub fn of(transcript: &Transcript<'_>, group: &[NodeIndex]) -> Option<Self> {
        let kind = transcript.nodes()[*group.first()?].kind;
        let lines: Vec<_> = group.iter().map(|&index| transcript.fields(index)).collect();
        let first = lines.first()?;
        let own: Vec<_> =
            lines.iter().map(|line| RecordContent::of(MessageField::Content.find(kind, line))).collect();
        let counts: Vec<_> = own.iter().map(RecordContent::count).collect();
        let mut message = Self::new(MessageRole::of(kind)?, content(&own));
        if let [response] = responses_of(transcript, group.iter().copied()).as_slice() {
            message.take_response(response);
        }
        message.timestamp = string(first, "timestamp");
        message.request_id = lines.iter().find_map(|line| string(line, "requestId"));
        message.uuid = lines.last().and_then(|line| string(line, "uuid"));
        let is_parent = |id: &Value<'_>| matches!(id.kind(), ValueKind::Null | ValueKind::String);
        message.parent_uuid = first.get("parentUuid").filter(is_parent).map(RawJson::of);
        let shares = distribute(&message.content, &counts).ok()?;
        message.records = lines
            .iter()
            .zip(counts.iter().zip(shares))
            .map(|(line, (&blocks, share))| RecordTemplate::of(line, kind, &message, blocks, share))
            .collect();
        Some(message)
    }

    fn take_response(&mut self, response: &Response<'_>) {
        self.model = response.model.map(RawJson::of_text);
        self.stop_reason = response.stop_reason.map(RawJson::of_text);
        let usage = |usage: &Usage<'_>| RawJson::of(Value::from_checked(usage.fields().raw()));
        self.usage = response.usage.as_ref().map(usage);
        self.id = response.message.map(|id| RawJson::of_text(id.text()));
    }
}

/// Joins the content of the records of one message.
fn content(own: &[RecordContent<'_>]) -> MessageContent {
    match own {
        [RecordContent::Text(text)] => MessageContent::Text(RawJson::of(*text)),
        [RecordContent::Nothing] => MessageContent::text(""),
        _ => MessageContent::Blocks(own.iter().flat_map(RecordContent::as_blocks).collect()),
    }
}

fn string(line: &Fields<'_>, key: &str) -> Option<RawJson> {
    line.text(key).map(RawJson::of_text)
}
