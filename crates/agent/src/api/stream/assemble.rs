//! Assembles blocks from stream events.

use std::collections::{BTreeMap, BTreeSet};

use annals_json::{Fields, RawJson, Value};

use super::super::failure::ApiError;
use super::super::sse::{ServerEvent, SseError};
use super::super::usage::Usage;
use super::block::{BlockKind, OpenBlock};
use super::event::{MessageStart, StreamEvent};
use super::stop::{StopInfo, StopReason};

/// Why a stream failed. The blocks completed before are valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// The API sent an error.
    #[error("the API ended the response: {0}")]
    Api(ApiError),
    /// The bytes are not valid events.
    #[error(transparent)]
    Sse(#[from] SseError),
    /// An event is malformed.
    #[error("the stream event {event:?} is malformed: {what}")]
    Malformed {
        /// The name of the event.
        event: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Two tool calls of one response have the same id, so their results could not be told apart.
    #[error("two tool calls of one response have the id {id:?}")]
    ToolIdTwice {
        /// The id of both calls.
        id: String,
    },
    /// The stream ended before the message did.
    #[error("the stream ended before the message was complete")]
    Unfinished,
}

/// Assembles a message from the events of its stream.
#[derive(Debug, Default)]
pub struct Assembler {
    has_begun: bool,
    open: BTreeMap<u64, OpenBlock>,
    /// All indexes used so far.
    seen: BTreeSet<u64>,
    tool_ids: BTreeSet<String>,
    usage: Usage,
    stop: Option<StopInfo>,
    is_over: bool,
}

impl Assembler {
    /// Handles the next event and appends what it means. After an error the stream is over.
    pub fn take(&mut self, sent: &ServerEvent, events: &mut Vec<StreamEvent>) -> Result<(), StreamError> {
        if self.is_over {
            return Ok(());
        }
        let taken = self.handle(sent, events);
        self.is_over |= taken.is_err();
        taken
    }

    /// Returns whether the message is complete; further events are ignored.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns whether the message may end here. It is complete with a stop reason and without open blocks, even if the last
    /// event is missing.
    pub fn end(&self) -> Result<(), StreamError> {
        let is_whole = self.is_over || (self.stop.is_some() && self.open.is_empty());
        if is_whole { Ok(()) } else { Err(StreamError::Unfinished) }
    }

    fn handle(&mut self, sent: &ServerEvent, events: &mut Vec<StreamEvent>) -> Result<(), StreamError> {
        let parsed = Value::parse(sent.data.as_bytes()).ok().and_then(Value::fields);
        let told = parsed.as_ref().and_then(|fields| fields.text("type")).map(|kind| kind.to_string());
        // Some gateways omit the name; the data has it too.
        let name = if sent.name.is_empty() { told.unwrap_or_default() } else { sent.name.clone() };
        let known = ["message_start", "content_block_start", "content_block_delta", "content_block_stop"];
        let known = known.contains(&name.as_str()) || ["message_delta", "error"].contains(&name.as_str());
        let Some(fields) = parsed else {
            return match name.as_str() {
                "message_stop" => self.message_stop(),
                _ if known || name.is_empty() => Err(malformed(&name, "its data is not a JSON object")),
                _ => {
                    events.push(other(name));
                    Ok(())
                }
            };
        };
        if known && !self.has_begun && !["message_start", "error"].contains(&name.as_str()) {
            return Err(malformed(&name, "no message has started"));
        }
        match name.as_str() {
            "message_start" => self.message_start(&fields, events),
            "content_block_start" => self.block_start(&fields, events),
            "content_block_delta" => self.block_delta(&fields, events),
            "content_block_stop" => self.block_stop(&fields, events),
            "message_delta" => self.message_delta(&fields, events),
            "message_stop" => self.message_stop(),
            "error" => Err(StreamError::Api(ApiError::of_body(fields.raw()))),
            _ => {
                events.push(other(name));
                Ok(())
            }
        }
    }

    fn message_start(
        &mut self,
        fields: &Fields<'_>,
        events: &mut Vec<StreamEvent>,
    ) -> Result<(), StreamError> {
        if self.has_begun {
            return Err(malformed("message_start", "a message has already started"));
        }
        let Some(message) = fields.object("message") else {
            return Err(malformed("message_start", "it has no message"));
        };
        self.has_begun = true;
        if let Some(usage) = message.object("usage") {
            self.usage.overwrite(&usage);
        }
        let text = |key: &str| message.text(key).map_or_else(String::new, |text| text.to_string());
        let start = MessageStart { id: text("id"), model: text("model"), usage: self.usage.clone() };
        events.push(StreamEvent::MessageStart(start));
        Ok(())
    }

    fn block_start(&mut self, fields: &Fields<'_>, events: &mut Vec<StreamEvent>) -> Result<(), StreamError> {
        let index = index_of("content_block_start", fields)?;
        let opening = fields.get("content_block").filter(|block| block.get("type").is_some());
        let Some(opening) = opening else {
            return Err(malformed("content_block_start", "it has no block"));
        };
        if !self.seen.insert(index) {
            return Err(malformed("content_block_start", "its index was used before"));
        }
        let block = OpenBlock::new(opening);
        if let (BlockKind::ToolUse | BlockKind::ServerToolUse, Some(id)) =
            (&block.kind, block.opened_with("id"))
            && !self.tool_ids.insert(id.clone())
        {
            return Err(StreamError::ToolIdTwice { id });
        }
        let tool = block.opened_with("name");
        events.push(StreamEvent::BlockStart { index, kind: block.kind.clone(), tool });
        self.open.insert(index, block);
        Ok(())
    }

    fn block_delta(&mut self, fields: &Fields<'_>, events: &mut Vec<StreamEvent>) -> Result<(), StreamError> {
        let index = index_of("content_block_delta", fields)?;
        let Some(delta) = fields.object("delta") else {
            return Err(malformed("content_block_delta", "it has no delta"));
        };
        // A completed block does not change any more, and deltas for unknown blocks are ignored.
        let Some(block) = self.open.get_mut(&index) else { return Ok(()) };
        let kind = delta.text("type").map_or_else(String::new, |kind| kind.to_string());
        let text = |key: &str| match delta.text(key) {
            Some(text) => Ok(text),
            None => Err(malformed("content_block_delta", "its delta does not match its type")),
        };
        match kind.as_str() {
            "text_delta" => {
                let text = text("text")?;
                block.add_string("text", text.raw());
                events.push(StreamEvent::TextDelta { index, text: text.to_string() });
            }
            "thinking_delta" => {
                let text = text("thinking")?;
                block.add_string("thinking", text.raw());
                events.push(StreamEvent::ThinkingDelta { index, thinking: text.to_string() });
            }
            "signature_delta" => block.add_string("signature", text("signature")?.raw()),
            "input_json_delta" => {
                let text = text("partial_json")?;
                block.add_input(text.raw());
                events.push(StreamEvent::InputDelta { index, partial: text.to_string() });
            }
            "citations_delta" => {
                if let Some(citation) = delta.get("citation") {
                    block.add_citation(citation);
                }
            }
            newer => events.push(StreamEvent::Unknown(newer.to_owned())),
        }
        Ok(())
    }

    fn block_stop(&mut self, fields: &Fields<'_>, events: &mut Vec<StreamEvent>) -> Result<(), StreamError> {
        let index = index_of("content_block_stop", fields)?;
        if let Some(block) = self.open.remove(&index) {
            events.push(StreamEvent::BlockDone(block.close(index)));
        }
        Ok(())
    }

    fn message_delta(
        &mut self,
        fields: &Fields<'_>,
        events: &mut Vec<StreamEvent>,
    ) -> Result<(), StreamError> {
        if let Some(usage) = fields.object("usage") {
            self.usage.overwrite(&usage);
            events.push(StreamEvent::Usage(self.usage.clone()));
        }
        let delta = fields.object("delta");
        let Some(delta) = delta.as_ref() else { return Ok(()) };
        if let Some(reason) = delta.text("stop_reason") {
            let stop = StopInfo {
                reason: StopReason::parse(&reason.decode()),
                sequence: delta.text("stop_sequence").map(|sequence| sequence.to_string()),
                details: delta.get("stop_details").filter(|details| !details.is_null()).map(RawJson::of),
            };
            self.stop = Some(stop.clone());
            events.push(StreamEvent::Stop(stop));
        }
        Ok(())
    }

    fn message_stop(&mut self) -> Result<(), StreamError> {
        if !self.open.is_empty() {
            return Err(malformed("message_stop", "a block is still open"));
        }
        if self.stop.is_none() {
            return Err(malformed("message_stop", "it has no stop reason"));
        }
        self.is_over = true;
        Ok(())
    }
}

fn other(name: String) -> StreamEvent {
    if name == "ping" { StreamEvent::Ping } else { StreamEvent::Unknown(name) }
}

fn index_of(event: &str, fields: &Fields<'_>) -> Result<u64, StreamError> {
    fields.count("index").ok_or_else(|| malformed(event, "it has no index"))
}

fn malformed(event: &str, what: &'static str) -> StreamError {
    StreamError::Malformed { event: event.to_owned(), what }
}
