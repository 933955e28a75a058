//! A content block while it streams: its start, its deltas, and the JSON of both.
//!
//! Strings are joined as written, with their escapes, so that a character split over two deltas becomes whole and nothing is
//! re-encoded.

use annals_json::{ObjectWriter, RawJson, Value, ValueKind, write_string};

/// The type of a content block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Text for the person.
    Text,
    /// Thinking, with a signature.
    Thinking,
    /// Encrypted thinking.
    RedactedThinking,
    /// A call of a tool of the client.
    ToolUse,
    /// A call of a tool of the server.
    ServerToolUse,
    /// Any other type, by its name.
    Other(String),
}

impl BlockKind {
    fn parse(name: &str) -> Self {
        match name {
            "text" => Self::Text,
            "thinking" => Self::Thinking,
            "redacted_thinking" => Self::RedactedThinking,
            "tool_use" => Self::ToolUse,
            "server_tool_use" => Self::ServerToolUse,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Returns whether the block is thinking, which counts only with a block after it.
    pub fn is_thinking(&self) -> bool {
        matches!(self, Self::Thinking | Self::RedactedThinking)
    }
}

/// A complete content block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The index in the response.
    pub index: u64,
    /// The type of the block.
    pub kind: BlockKind,
    /// The block: a JSON object, with strings and input as served.
    pub json: Vec<u8>,
    /// The input of a call if it is not a JSON object (the response was cut inside it, or the model wrote something else): then
    /// the block holds `{}`, since the API accepts nothing else back, and the tool must not run.
    pub unreadable_input: Option<String>,
}

impl Block {
    /// Returns a string of the block, or an empty one.
    pub fn text(&self, key: &str) -> String {
        let found = Value::parse(&self.json).ok().and_then(|block| block.get(key)).and_then(Value::text);
        found.map_or_else(String::new, |text| text.to_string())
    }
}

/// A block that is not complete.
#[derive(Debug)]
pub(super) struct OpenBlock {
    pub(super) kind: BlockKind,
    opening: RawJson,
    /// Additions to strings, as written between the quotes, by key.
    strings: Vec<(&'static str, Vec<u8>)>,
    /// Input deltas, as written between the quotes.
    input: Vec<u8>,
    citations: Vec<RawJson>,
}

impl OpenBlock {
    pub(super) fn new(opening: Value<'_>) -> Self {
        let kind =
            opening.get("type").and_then(Value::text).map_or_else(String::new, |kind| kind.to_string());
        Self {
            kind: BlockKind::parse(&kind),
            opening: RawJson::of(opening),
            strings: Vec::new(),
            input: Vec::new(),
            citations: Vec::new(),
        }
    }

    /// Returns a string of the block's start.
    pub(super) fn opened_with(&self, key: &str) -> Option<String> {
        self.opening.value().get(key).and_then(Value::text).map(|text| text.to_string())
    }

    pub(super) fn add_string(&mut self, key: &'static str, raw: &[u8]) {
        match self.strings.iter_mut().find(|(known, _)| *known == key) {
            Some((_, whole)) => whole.extend_from_slice(raw),
            None => self.strings.push((key, raw.to_vec())),
        }
    }

    pub(super) fn add_input(&mut self, raw: &[u8]) {
        self.input.extend_from_slice(raw);
    }

    pub(super) fn add_citation(&mut self, citation: Value<'_>) {
        self.citations.push(RawJson::of(citation));
    }

    /// Completes the block.
    pub(super) fn close(self, index: u64) -> Block {
        let added = Some(decode(&self.input)).filter(|input| !input.trim().is_empty());
        // Without deltas the initial input counts: usually `{}`.
        let input = added.clone().or_else(|| self.opened_input());
        let unreadable_input = input.filter(|input| !is_object(input.as_bytes()));
        let input_json: Option<&[u8]> = match (&unreadable_input, &added) {
            (Some(_), _) => Some(b"{}"),
            (None, Some(added)) => Some(added.as_bytes()),
            (None, None) => None,
        };
        let mut json = Vec::with_capacity(self.opening.raw().len() + self.input.len());
        self.write(&mut json, input_json);
        Block { index, kind: self.kind, json, unreadable_input }
    }

    /// Returns the initial input of a call, as written.
    fn opened_input(&self) -> Option<String> {
        let is_call = matches!(self.kind, BlockKind::ToolUse | BlockKind::ServerToolUse);
        let input = self.opening.value().get("input").filter(|_| is_call)?;
        Some(String::from_utf8_lossy(input.raw()).into_owned())
    }

    fn write(&self, out: &mut Vec<u8>, input: Option<&[u8]>) {
        let mut object = ObjectWriter::begin(out);
        let opening = self.opening.value().fields();
        let has = |key: &str| opening.as_ref().is_some_and(|fields| fields.get(key).is_some());
        for field in opening.iter().flat_map(|fields| fields.iter()) {
            let key = field.key.decode();
            let added = self.strings.iter().find(|(known, _)| *known == key);
            let place = object.key(&key);
            match (added, &*key) {
                (Some((_, added)), _) => {
                    let before = field.value.text().map_or(&b""[..], |text| text.raw());
                    write_joined(place, &[before, added]);
                }
                (None, "input") => place.extend_from_slice(input.unwrap_or(field.value.raw())),
                (None, "citations") if !self.citations.is_empty() => {
                    self.write_citations(place, Some(field.value));
                }
                (None, _) => place.extend_from_slice(field.value.raw()),
            }
        }
        for (key, added) in self.strings.iter().filter(|(key, _)| !has(key)) {
            write_joined(object.key(key), &[added]);
        }
        if let Some(input) = input.filter(|_| !has("input")) {
            object.raw("input", input);
        }
        if !self.citations.is_empty() && !has("citations") {
            self.write_citations(object.key("citations"), None);
        }
        object.end();
    }

    fn write_citations(&self, out: &mut Vec<u8>, before: Option<Value<'_>>) {
        let before = before.iter().flat_map(|list| list.items()).map(Value::raw);
        let all: Vec<&[u8]> = before.chain(self.citations.iter().map(RawJson::raw)).collect();
        out.push(b'[');
        out.extend_from_slice(&all.join(&b","[..]));
        out.push(b']');
    }
}

/// Writes a JSON string from raw contents of JSON strings.
fn write_joined(out: &mut Vec<u8>, parts: &[&[u8]]) {
    out.push(b'"');
    for part in parts {
        out.extend_from_slice(part);
    }
    out.push(b'"');
}

/// Decodes the raw content of a JSON string.
fn decode(raw: &[u8]) -> String {
    let mut quoted = Vec::with_capacity(raw.len() + 2);
    write_joined(&mut quoted, &[raw]);
    let text = Value::parse(&quoted).ok().and_then(Value::text);
    text.map_or_else(String::new, |text| text.to_string())
}

fn is_object(json: &[u8]) -> bool {
    Value::parse(json).is_ok_and(|value| value.kind() == ValueKind::Object)
}

/// Wraps an invalid input in the object that the API expects.
fn as_invalid_json(input: &str) -> Vec<u8> {
    let mut out = b"{\"INVALID_JSON\":".to_vec();
    write_string(&mut out, input);
    out.push(b'}');
    out
}

impl Block {
    /// Returns an invalid input in the object that the API expects.
    pub fn unreadable_input_json(&self) -> Option<Vec<u8>> {
        self.unreadable_input.as_deref().map(as_invalid_json)
    }
}
