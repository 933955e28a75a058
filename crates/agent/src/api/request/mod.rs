//! Request bodies: equal requests have equal bytes, and a growing conversation keeps its prefix.
//!
//! The API caches a prefix of tools, system and messages. So tools are sorted, nothing depends on time or randomness, and
//! blocks are written as given: only the cache marks move as the conversation grows.

mod cache_marks;
mod clean;
mod thinking;

use std::borrow::Cow;

use annals_json::{ArrayWriter, ObjectWriter, Value};

use super::model::Model;
pub use thinking::{Effort, Thinking, ThinkingDisplay};

/// The largest body that the API accepts.
pub const MAX_BYTES: usize = 32 << 20;

/// The role of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person, and tool results.
    User,
    /// The model.
    Assistant,
}

/// A message of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    pub role: Role,
    /// The content blocks: each a JSON object, sent as it is except for cache marks and lone surrogates.
    pub blocks: Vec<Cow<'a, [u8]>>,
}

/// The definition of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// The name, by which tools are sorted.
    pub name: String,
    /// The whole definition: a JSON object.
    pub json: Vec<u8>,
}

/// How long the API caches the prefix of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptCaching {
    /// No caching.
    Off,
    /// Five minutes after the last use.
    Minutes,
    /// An hour after the last use.
    Hour,
}

/// A request to the Messages API.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The model, as people name it.
    pub model: &'a str,
    /// The limit of the response, capped by the model's own.
    pub max_tokens: u64,
    /// The system prompt, in blocks of text.
    pub system: Vec<Cow<'a, str>>,
    /// The tools, in any order.
    pub tools: Vec<ToolSpec>,
    /// The conversation.
    pub messages: Vec<Message<'a>>,
    /// Whether and how the model thinks.
    pub thinking: Thinking,
    /// How hard the model tries, if it supports that.
    pub effort: Option<Effort>,
    /// How long the prefix is cached.
    pub caching: PromptCaching,
    /// `metadata.user_id`.
    pub user: Option<&'a str>,
    /// Betas besides those that the model needs.
    pub betas: Vec<Cow<'a, str>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestBody {
    /// The bytes to post.
    pub bytes: Vec<u8>,
    /// The values of the header `anthropic-beta`.
    pub betas: Vec<String>,
}

/// Why a request cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The body is larger than the API accepts.
    #[error("the request is {bytes} bytes; the API limit is {MAX_BYTES}")]
    TooLarge {
        /// The size of the body.
        bytes: usize,
    },
    /// A tool or a content block is not a JSON object.
    #[error("{place} is not a JSON object")]
    NotAnObject {
        /// Which tool or block.
        place: String,
    },
}

impl Request<'_> {
    /// Builds the body for a model and a limit: those of the request, or others for a retry.
    pub fn body(&self, model: &str, max_tokens: u64) -> Result<RequestBody, RequestError> {
        let known = Model::of(model);
        let max_tokens = max_tokens.min(known.max_output).max(1);
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
        if bytes.len() > MAX_BYTES {
            return Err(RequestError::TooLarge { bytes: bytes.len() });
        }
        Ok(RequestBody { bytes, betas: self.all_betas(model) })
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
        // The API refuses blocks without text.
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
        let marked = cache_marks::places(&self.messages);
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
                cache_marks::write(list.item(), &block, mark);
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
