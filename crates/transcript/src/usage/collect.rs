//! Lines to responses: one usage each, however many lines a response has and wherever they stand.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::key::{KeyHashing, ResponseKey};
use super::response::{Aside, AsideKind, Reading, ResponseUsage, ServiceTier, Speed};
use super::tokens::Tokens;
use super::view::Usage;
use crate::record::{AssistantMessage, RecordKind};
use crate::time::Timestamp;
use crate::transcript::{NodeIndex, Transcript};
use annals_json::{Fields, Text};

/// What each response of a file used, in the order of their first lines.
pub fn responses_usage(transcript: &Transcript<'_>) -> Vec<ResponseUsage> {
    let mut collector = UsageCollector::new();
    for (index, node) in transcript.nodes().iter().enumerate() {
        if node.kind == RecordKind::Assistant {
            collector.feed(index, &transcript.fields(index));
        }
    }
    collector.finish()
}

/// Collects the responses of a file that is streamed, record by record.
///
/// Lines of one response share a key. Their usage repeats and its output grows while the response streams, so the line
/// with the most output counts, and of equals the last.
///
/// ```
/// use annals_json::Fields;
/// use annals_transcript::usage::UsageCollector;
///
/// let mut collector = UsageCollector::new();
/// for (index, output) in [2, 40].into_iter().enumerate() {
///     let line = format!(
///         r#"{{"type":"assistant","message":{{"id":"m","model":"x","usage":{{"output_tokens":{output}}}}}}}"#
///     );
///     let (fields, _) = Fields::scan(line.as_bytes()).unwrap();
///     collector.feed(index, &fields);
/// }
/// let responses = collector.finish();
/// assert_eq!(responses.len(), 1);
/// assert_eq!(responses[0].tokens().output, 40);
/// ```
#[derive(Clone, Debug, Default)]
pub struct UsageCollector {
    places: HashMap<ResponseKey, usize, KeyHashing>,
    found: Vec<ResponseUsage>,
    names: Vec<Arc<str>>,
}

impl UsageCollector {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next record of the file. Any record may come: only those that cost something count. `node` is its place,
    /// whatever the caller counts by, as long as it grows.
    ///
    /// What costs nothing: records that are no assistant's (so `agent_progress`, which repeats whole messages of
    /// sub-agents, never counts), lines without usage, API errors and what the client says itself (`<synthetic>`).
    pub fn feed(&mut self, node: NodeIndex, fields: &Fields<'_>) {
        if RecordKind::of(fields.text("type")) == RecordKind::Assistant
            && let Some(message) = fields.object("message")
        {
            self.feed_message(node, fields, message);
        }
    }

    /// The same for a record whose message has been read with it.
    pub(super) fn feed_message(&mut self, node: NodeIndex, fields: &Fields<'_>, message: Fields<'_>) {
        if RecordKind::of(fields.text("type")) != RecordKind::Assistant || fields.is_true("isApiErrorMessage")
        {
            return;
        }
        let message = AssistantMessage::new(message);
        let model = message.model();
        if model.is_some_and(|model| model.is("<synthetic>")) {
            return;
        }
        let Some(usage) = message.usage() else { return };
        let reading = self.reading(&usage, model);
        let millis = fields.text("timestamp").and_then(|text| Timestamp::new(text).millis());
        match self.places.entry(ResponseKey::of(fields, &message)) {
            Entry::Occupied(place) => {
                self.found[*place.get()].go_on(reading, millis);
            }
            Entry::Vacant(place) => {
                let key = *place.key();
                place.insert(self.found.len());
                let agent = fields.text("agentId").map(|text| intern(&mut self.names, text));
                self.found.push(ResponseUsage {
                    key,
                    reading,
                    millis,
                    is_sidechain: fields.is_true("isSidechain"),
                    is_copy: fields.object("forkedFrom").is_some(),
                    agent,
                    node,
                });
            }
        }
    }

    /// The responses so far, in the order of their first lines.
    pub fn responses(&self) -> &[ResponseUsage] {
        &self.found
    }

    /// The responses, in the order of their first lines.
    pub fn finish(self) -> Vec<ResponseUsage> {
        self.found
    }

    fn reading(&mut self, usage: &Usage<'_>, model: Option<Text<'_>>) -> Reading {
        let mut asides = Vec::new();
        for call in usage.iterations().into_iter().flatten().filter_map(|value| value.fields()) {
            let call = Usage::new(call);
            if let Some(kind) = AsideKind::of(call.call()) {
                let model = call.model().map(|text| intern(&mut self.names, text));
                asides.push(Aside { kind, model, tokens: Tokens::of(&call) });
            }
        }
        Reading {
            tokens: Tokens::of(usage),
            model: model.filter(|text| !text.is_empty()).map(|text| intern(&mut self.names, text)),
            tier: ServiceTier::of(usage.service_tier()),
            speed: Speed::of(usage.speed()),
            asides: (!asides.is_empty()).then(|| asides.into()),
        }
    }
}

/// One copy of a name for all the responses that share it; a file has a handful of models and agents, the newest last.
fn intern(names: &mut Vec<Arc<str>>, text: Text<'_>) -> Arc<str> {
    match names.iter().rev().find(|name| text.is(name)) {
        Some(name) => Arc::clone(name),
        None => {
            let name: Arc<str> = text.decode().into();
            names.push(Arc::clone(&name));
            name
        }
    }
}
