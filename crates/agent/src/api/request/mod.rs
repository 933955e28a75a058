//! The bytes of a request: the same parts give the same bytes, and a conversation that grows keeps its beginning.
//!
//! What the API caches is a beginning of tools, system and messages. So tools are sorted, nothing here depends on time or
//! chance, and blocks are written as they were handed in: only cache marks move as the conversation grows.

mod clean;
mod marks;
mod thinking;

use std::borrow::Cow;

use annals_json::{ArrayWriter, ObjectWriter, Value};

use super::model::Model;
pub use thinking::{Display, Effort, Thinking};

/// The largest body that the API takes.
pub const MOST_BYTES: usize = 32 << 20;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person, and the results of tools.
    User,
    /// The model.
    Assistant,
}

/// One message of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Who speaks.
    pub role: Role,
    /// The content blocks: each a JSON object, sent as it is, but for cache marks and half characters.
    pub blocks: Vec<Cow<'a, [u8]>>,
}

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// Its name, by which tools are sorted.
    pub name: String,
    /// The whole definition: a JSON object.
    pub json: Vec<u8>,
}

/// How long the API shall remember the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caching {
    /// Not at all.
    Off,
    /// Five minutes after its last use.
    Minutes,
    /// An hour after its last use.
    Hour,
}

/// Everything that a request says.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The model, as people name it.
    pub model: &'a str,
    /// How much it may write; no more than the model can is asked for.
    pub max_tokens: u64,
    /// The system prompt, in blocks of text.
    pub system: Vec<Cow<'a, str>>,
    /// The tools, in any order.
    pub tools: Vec<ToolSpec>,
    /// The conversation.
    pub messages: Vec<Message<'a>>,
    /// How it shall think.
    pub thinking: Thinking,
    /// How hard it shall try, where the model can be told.
    pub effort: Option<Effort>,
    /// What the API shall remember.
    pub caching: Caching,
    /// `metadata.user_id`.
    pub user: Option<&'a str>,
    /// Betas besides those that the model needs.
    pub betas: Vec<Cow<'a, str>>,
}

/// A request, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// What is posted.
    pub bytes: Vec<u8>,
    /// What the header `anthropic-beta` lists.
    pub betas: Vec<String>,
}

/// Why a request cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// More than the API takes.
    #[error("the request has {bytes} bytes, and the API takes {MOST_BYTES}")]
    TooLarge {
        /// How large it would be.
        bytes: usize,
    },
    /// A tool or a content block is not what it must be.
    #[error("{place} is no JSON object")]
    NotAnObject {
        /// Which one.
        place: String,
    },
}

impl Request<'_> {
    /// The request as it is sent to this model, with this limit: the same one, or those of a second try.
    pub fn body(&self, model: &str, max_tokens: u64) -> Result<Body, RequestError> {
        let known = Model::of(model);
        let max_tokens = max_tokens.min(known.most_output).max(1);
        let mut bytes = Vec::new();
        let mut object = ObjectWriter::begin(&mut bytes);
        object.string("model", Model::api_name(model)).number("max_tokens", max_tokens);
        self.write_tools(&mut object)?;
        self.write_system(&mut object);
        self.write_messages(&mut object)?;
        if let Some(thinking) = self.thinking.to_json(known.thinking, max_tokens) {
            object.raw("thinking", thinking.as_bytes());
        }
        if let Some(effort) = self.effort.filter(|_| known.takes_effort()) {
            object.object("output_config", |config| {
                config.string("effort", effort.name());
            });
        }
        if let Some(user) = self.user {
            object.object("metadata", |metadata| {
                metadata.string("user_id", user);
            });
        }
        object.boolean("stream", true);
        object.end();
        if bytes.len() > MOST_BYTES {
            return Err(RequestError::TooLarge { bytes: bytes.len() });
        }
        Ok(Body { bytes, betas: self.all_betas(model) })
    }

    fn all_betas(&self, model: &str) -> Vec<String> {
        let needed = Model::betas(model).into_iter().map(str::to_owned);
        let mut betas: Vec<String> = needed.chain(self.betas.iter().map(|beta| beta.to_string())).collect();
        betas.sort();
        betas.dedup();
        betas
    }

    fn write_tools(&self, object: &mut ObjectWriter<'_>) -> Result<(), RequestError> {
        if self.tools.is_empty() {
            return Ok(());
        }
        let mut sorted: Vec<&ToolSpec> = self.tools.iter().collect();
        sorted.sort_by(|left, right| left.name.cmp(&right.name));
        for tool in &sorted {
            is_object(&tool.json).ok_or_else(|| not_an_object(format!("the tool {:?}", tool.name)))?;
        }
        object.array("tools", |list| {
            for tool in sorted {
                list.item().extend_from_slice(tool.json.trim_ascii());
            }
        });
        Ok(())
    }

    fn write_system(&self, object: &mut ObjectWriter<'_>) {
        // A block without text is refused.
        let blocks: Vec<_> = self.system.iter().filter(|text| !text.trim().is_empty()).collect();
        if blocks.is_empty() {
            return;
        }
        let mark = self.caching.mark();
        object.array("system", |list| {
            for (number, text) in blocks.iter().enumerate() {
                list.object(|block| {
                    block.string("type", "text").string("text", text);
                    if let Some(mark) = mark.filter(|_| number + 1 == blocks.len()) {
                        block.raw("cache_control", mark.as_bytes());
                    }
                });
            }
        });
    }

    fn write_messages(&self, object: &mut ObjectWriter<'_>) -> Result<(), RequestError> {
        for (number, message) in self.messages.iter().enumerate() {
            for (place, block) in message.blocks.iter().enumerate() {
                let named = || not_an_object(format!("block {place} of message {number}"));
                is_object(block).ok_or_else(named)?;
            }
        }
        let marked = marks::places(&self.messages);
        object.array("messages", |list| {
            for (number, message) in self.messages.iter().enumerate() {
                let mark = self.caching.mark();
                let marked = marked.iter().find(|(at, _)| *at == number).map(|(_, block)| *block);
                write_message(list, message, mark.zip(marked));
            }
        });
        Ok(())
    }
}

fn write_message(list: &mut ArrayWriter<'_>, message: &Message<'_>, marked: Option<(&str, usize)>) {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    list.object(|object| {
        object.string("role", role).array("content", |list| {
            for (place, block) in clean::without_last_thoughts(message).iter().enumerate() {
                let block = clean::sendable(block.trim_ascii());
                let mark = marked.filter(|(_, at)| *at == place).map(|(mark, _)| mark);
                marks::write(list.item(), &block, mark);
            }
        });
    });
}

fn is_object(json: &[u8]) -> Option<()> {
    Value::parse(json).ok()?.fields().map(|_| ())
}

fn not_an_object(place: String) -> RequestError {
    RequestError::NotAnObject { place }
}

#[cfg(test)]
mod tests;
