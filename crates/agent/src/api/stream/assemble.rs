//! Events of a stream into blocks: what is taken, what is let pass, and what cannot be trusted any more.

use std::collections::{BTreeMap, BTreeSet};

use annals_json::{Fields, RawJson, Value};

use super::super::failure::ApiError;
use super::super::sse::{ServerEvent, SseFault};
use super::super::usage::Usage;
use super::block::{BlockKind, OpenBlock};
use super::event::{Event, MessageStart};
use super::stop::{Stop, StopReason};

/// Why a stream ended before its time. The blocks that were done before are as they were served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamFault {
    /// The API said that it failed.
    #[error("the API broke off: {0}")]
    Api(ApiError),
    /// The bytes are no events.
    #[error(transparent)]
    Sse(#[from] SseFault),
    /// An event is not what its name says.
    #[error("the event {event:?} of the stream makes no sense: {what}")]
    Malformed {
        /// Its name.
        event: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Two calls of one response go by the same id, so their results could not be told apart.
    #[error("two tool calls of one response have the id {id:?}")]
    ToolIdTwice {
        /// The id.
        id: String,
    },
    /// The stream ended before the message did.
    #[error("the stream ended before the message did")]
    Unfinished,
}

/// Puts a message together from the events of its stream.
#[derive(Debug, Default)]
pub struct Assembler {
    has_begun: bool,
    open: BTreeMap<u64, OpenBlock>,
    /// Every index that was ever opened.
    seen: BTreeSet<u64>,
    tool_ids: BTreeSet<String>,
    usage: Usage,
    stop: Option<Stop>,
    is_over: bool,
}

type Taken = Result<(), StreamFault>;

impl Assembler {
    /// Takes the next event and appends what it means. After an error the stream is over.
    pub fn take(&mut self, sent: &ServerEvent, events: &mut Vec<Event>) -> Taken {
        if self.is_over {
            return Ok(());
        }
        let taken = self.understand(sent, events);
        self.is_over |= taken.is_err();
        taken
    }

    /// Whether the message has come to its end: what follows is of no interest.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// What the end of the bytes means here: that the message is whole, or that it is not. A message that has told why it
    /// stops and has no open block is whole, whether or not the last event still came.
    pub fn end(&self) -> Taken {
        let is_whole = self.is_over || (self.stop.is_some() && self.open.is_empty());
        if is_whole { Ok(()) } else { Err(StreamFault::Unfinished) }
    }

    fn understand(&mut self, sent: &ServerEvent, events: &mut Vec<Event>) -> Taken {
        let parsed = Value::parse(sent.data.as_bytes()).ok().and_then(Value::fields);
        let told = parsed.as_ref().and_then(|fields| fields.text("type")).map(|kind| kind.to_string());
        // Some gateways leave the name out; the data has it too.
        let name = if sent.name.is_empty() { told.unwrap_or_default() } else { sent.name.clone() };
        let known = ["message_start", "content_block_start", "content_block_delta", "content_block_stop"];
        let known = known.contains(&name.as_str()) || ["message_delta", "error"].contains(&name.as_str());
        let Some(fields) = parsed else {
            return match name.as_str() {
                "message_stop" => self.message_stop(),
                _ if known || name.is_empty() => Err(malformed(&name, "its data is no JSON object")),
                _ => {
                    events.push(other(name));
                    Ok(())
                }
            };
        };
        if known && !self.has_begun && !["message_start", "error"].contains(&name.as_str()) {
            return Err(malformed(&name, "no message has begun"));
        }
        match name.as_str() {
            "message_start" => self.message_start(&fields, events),
            "content_block_start" => self.block_start(&fields, events),
            "content_block_delta" => self.block_delta(&fields, events),
            "content_block_stop" => self.block_stop(&fields, events),
            "message_delta" => self.message_delta(&fields, events),
            "message_stop" => self.message_stop(),
            "error" => Err(StreamFault::Api(ApiError::of_body(fields.raw()))),
            _ => {
                events.push(other(name));
                Ok(())
            }
        }
    }

    fn message_start(&mut self, fields: &Fields<'_>, events: &mut Vec<Event>) -> Taken {
        if self.has_begun {
            return Err(malformed("message_start", "a message has begun already"));
        }
        let Some(message) = fields.object("message") else {
            return Err(malformed("message_start", "there is no message in it"));
        };
        self.has_begun = true;
        if let Some(usage) = message.object("usage") {
            self.usage.overwrite(&usage);
        }
        let text = |key: &str| message.text(key).map_or_else(String::new, |text| text.to_string());
        let start = MessageStart { id: text("id"), model: text("model"), usage: self.usage.clone() };
        events.push(Event::MessageStart(start));
        Ok(())
    }

    fn block_start(&mut self, fields: &Fields<'_>, events: &mut Vec<Event>) -> Taken {
        let index = index_of("content_block_start", fields)?;
        let opening = fields.get("content_block").filter(|block| block.get("type").is_some());
        let Some(opening) = opening else {
            return Err(malformed("content_block_start", "there is no block in it"));
        };
        if !self.seen.insert(index) {
            return Err(malformed("content_block_start", "its index was used before"));
        }
        let block = OpenBlock::new(opening);
        if let (BlockKind::ToolUse | BlockKind::ServerToolUse, Some(id)) =
            (&block.kind, block.opened_with("id"))
            && !self.tool_ids.insert(id.clone())
        {
            return Err(StreamFault::ToolIdTwice { id });
        }
        let tool = block.opened_with("name");
        events.push(Event::BlockStart { index, kind: block.kind.clone(), tool });
        self.open.insert(index, block);
        Ok(())
    }

    fn block_delta(&mut self, fields: &Fields<'_>, events: &mut Vec<Event>) -> Taken {
        let index = index_of("content_block_delta", fields)?;
        let Some(delta) = fields.object("delta") else {
            return Err(malformed("content_block_delta", "there is no delta in it"));
        };
        // A block that is done stays as it was given out, and one that never began is nobody's.
        let Some(block) = self.open.get_mut(&index) else { return Ok(()) };
        let kind = delta.text("type").map_or_else(String::new, |kind| kind.to_string());
        let text = |key: &str| match delta.text(key) {
            Some(text) => Ok(text),
            None => Err(malformed("content_block_delta", "its delta lacks what it is named for")),
        };
        match kind.as_str() {
            "text_delta" => {
                let text = text("text")?;
                block.add_string("text", text.raw());
                events.push(Event::TextDelta { index, text: text.to_string() });
            }
            "thinking_delta" => {
                let text = text("thinking")?;
                block.add_string("thinking", text.raw());
                events.push(Event::ThinkingDelta { index, thinking: text.to_string() });
            }
            "signature_delta" => block.add_string("signature", text("signature")?.raw()),
            "input_json_delta" => {
                let text = text("partial_json")?;
                block.add_input(text.raw());
                events.push(Event::InputDelta { index, partial: text.to_string() });
            }
            "citations_delta" => {
                if let Some(citation) = delta.get("citation") {
                    block.add_citation(citation);
                }
            }
            newer => events.push(Event::Unknown(newer.to_owned())),
        }
        Ok(())
    }

    fn block_stop(&mut self, fields: &Fields<'_>, events: &mut Vec<Event>) -> Taken {
        let index = index_of("content_block_stop", fields)?;
        if let Some(block) = self.open.remove(&index) {
            events.push(Event::BlockDone(block.close(index)));
        }
        Ok(())
    }

    fn message_delta(&mut self, fields: &Fields<'_>, events: &mut Vec<Event>) -> Taken {
        if let Some(usage) = fields.object("usage") {
            self.usage.overwrite(&usage);
            events.push(Event::Usage(self.usage.clone()));
        }
        let delta = fields.object("delta");
        let Some(delta) = delta.as_ref() else { return Ok(()) };
        if let Some(reason) = delta.text("stop_reason") {
            let stop = Stop {
                reason: StopReason::parse(&reason.decode()),
                sequence: delta.text("stop_sequence").map(|sequence| sequence.to_string()),
                details: delta.get("stop_details").filter(|details| !details.is_null()).map(RawJson::of),
            };
            self.stop = Some(stop.clone());
            events.push(Event::Stop(stop));
        }
        Ok(())
    }

    fn message_stop(&mut self) -> Taken {
        if !self.open.is_empty() {
            return Err(malformed("message_stop", "a block is still open"));
        }
        if self.stop.is_none() {
            return Err(malformed("message_stop", "nobody has said why"));
        }
        self.is_over = true;
        Ok(())
    }
}

fn other(name: String) -> Event {
    if name == "ping" { Event::Ping } else { Event::Unknown(name) }
}

fn index_of(event: &str, fields: &Fields<'_>) -> Result<u64, StreamFault> {
    fields.count("index").ok_or_else(|| malformed(event, "it has no index"))
}

fn malformed(event: &str, what: &'static str) -> StreamFault {
    StreamFault::Malformed { event: event.to_owned(), what }
}
