//! What the session tells about its past beside the messages: how full the context was, which calls were answered, what the
//! model was told.

use std::collections::HashMap;
use std::path::PathBuf;

use annals_json::Value;
use annals_transcript::content::Block;
use annals_transcript::resume::{ApiMessage, BlockBody, BlockOrigin, Role};
use annals_transcript::time::parse_millis;
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::api::usage::Usage;
use crate::protocol::PastCall;

/// Attachments that are not repeated as long as the model has them in its context.
const TOLD_ONCE: [&str; 4] = ["nested_memory", "plan_mode", "plan_mode_exit", "skill_listing"];

/// What the model has in its context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PastContext {
    /// The calls that are answered, in their order.
    pub(crate) calls: Vec<PastCall>,
    /// Attachments that are told once: JSON.
    pub(crate) attachments: Vec<Vec<u8>>,
}

impl PastContext {
    pub(super) fn of(transcript: &Transcript<'_>, messages: &[ApiMessage<'_>]) -> Self {
        Self { calls: past_calls(transcript, messages), attachments: attachments(transcript, messages) }
    }
}

fn attachments(transcript: &Transcript<'_>, messages: &[ApiMessage<'_>]) -> Vec<Vec<u8>> {
    let blocks = messages.iter().flat_map(|message| &message.blocks);
    let attachment = |node: NodeIndex| {
        let fields = transcript.fields(node);
        let attachment = fields.object("attachment")?;
        let kind = attachment.text("type")?;
        let is_told = TOLD_ONCE.iter().any(|known| kind.is(known));
        fields.get("attachment").filter(|_| is_told).map(|attachment| attachment.raw().to_vec())
    };
    blocks.filter_map(|block| node(block.origin)).filter_map(attachment).collect()
}

/// Returns the tokens in the context window after the last response; 0 without one.
pub(super) fn context(transcript: &Transcript<'_>, messages: &[ApiMessage<'_>]) -> u64 {
    let replies = messages.iter().rev().filter(|message| message.role == Role::Assistant);
    let nodes =
        replies.flat_map(|message| message.blocks.iter().rev()).filter_map(|block| node(block.origin));
    let tokens = |node: NodeIndex| {
        let usage = transcript.fields(node).object("message")?.object("usage")?;
        let mut counted = Usage::default();
        counted.overwrite(&usage);
        Some(counted.context().saturating_add(counted.output())).filter(|tokens| *tokens > 0)
    };
    nodes.into_iter().find_map(tokens).unwrap_or(0)
}

/// Returns the answered calls of these messages, and the files that prompts mention.
fn past_calls(transcript: &Transcript<'_>, messages: &[ApiMessage<'_>]) -> Vec<PastCall> {
    let mut open: HashMap<String, (String, Vec<u8>)> = HashMap::new();
    let (mut calls, mut last) = (Vec::new(), None);
    for block in messages.iter().flat_map(|message| &message.blocks) {
        let Some(node) = node(block.origin) else { continue };
        let raw = match &block.body {
            BlockBody::Block(raw) => Value::parse(raw).map(Block::new).ok(),
            BlockBody::Changed(raw) => Value::parse(raw).map(Block::new).ok(),
            _ => None,
        };
        match raw {
            Some(Block::ToolUse(call)) => {
                let (Some(id), Some(name), Some(input)) = (call.id(), call.name(), call.input()) else {
                    continue;
                };
                open.insert(id.to_string(), (name.to_string(), input.raw().to_vec()));
            }
            Some(Block::ToolResult(result)) => {
                let call = result.tool_use().and_then(|id| open.remove(&id.to_string()));
                let Some((tool, input)) = call.filter(|_| result.is_error() != Some(true)) else { continue };
                let kept = transcript.fields(node).get("toolUseResult").map(|kept| kept.raw().to_vec());
                calls.push(past_call(transcript, node, tool, input, kept.unwrap_or_default()));
            }
            _ if last != Some(node) => calls.extend(mentioned(transcript, node)),
            _ => {}
        }
        last = Some(node);
    }
    calls
}

/// Returns the file that an attachment shows, as if it had been read.
fn mentioned(transcript: &Transcript<'_>, node: NodeIndex) -> Option<PastCall> {
    let attachment = transcript.fields(node).object("attachment")?;
    attachment.text("type").filter(|kind| kind.is("file"))?;
    let kept = attachment.get("content")?.raw().to_vec();
    Some(past_call(transcript, node, "Read".to_owned(), Vec::new(), kept))
}

fn past_call(
    transcript: &Transcript<'_>,
    node: NodeIndex,
    tool: String,
    input: Vec<u8>,
    kept: Vec<u8>,
) -> PastCall {
    let fields = transcript.fields(node);
    let cwd = fields.text("cwd").map(|cwd| PathBuf::from(cwd.to_string())).unwrap_or_default();
    let millis = fields.text("timestamp").and_then(|time| parse_millis(&time.decode()));
    PastCall { tool, input, kept, cwd, millis }
}

fn node(origin: BlockOrigin) -> Option<NodeIndex> {
    match origin {
        BlockOrigin::Record(node) => Some(node),
        BlockOrigin::Filler(_) => None,
    }
}
