//! Records to responses: one usage for each response, however many records it has.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::key::{KeyHashing, ResponseKey};
use super::response::{ResponseUsage, ServiceTier, SideCall, SideCallKind, Speed, UsageReading};
use super::tokens::Tokens;
use super::view::Usage;
use crate::record::{AssistantMessage, RecordKind};
use crate::time::Timestamp;
use crate::transcript::Transcript;
use annals_json::{Fields, Text};

/// Returns the usage of each response of a file, in the order of their first records.
pub fn responses_usage(transcript: &Transcript<'_>) -> Vec<ResponseUsage> {
    let mut collector = UsageCollector::new();
    for (index, node) in transcript.indexed_nodes() {
        if node.kind == RecordKind::Assistant {
            collector.feed(index.get(), &transcript.fields(index));
        }
    }
    collector.finish()
}

/// Collects the usage of responses, record by record.
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
    /// Makes an empty collector.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next record of the file; records without cost are ignored. `position` is its index, its byte
    /// offset or any other growing number.
    ///
    /// Without cost are: records other than assistant ones (such as `agent_progress`, which repeats messages of sub-agents),
    /// records without usage, API errors and messages of the client (`<synthetic>`).
    pub fn feed(&mut self, position: usize, fields: &Fields<'_>) {
        if RecordKind::of(fields.text("type")) == RecordKind::Assistant
            && let Some(message) = fields.object("message")
            && let Some(usage) = message.object("usage")
        {
            self.feed_message(position, fields, message, Usage::new(usage));
        }
    }

    /// Adds a record whose message has been parsed.
    pub(super) fn feed_message(
        &mut self,
        position: usize,
        fields: &Fields<'_>,
        message: Fields<'_>,
        usage: Usage<'_>,
    ) {
        if RecordKind::of(fields.text("type")) != RecordKind::Assistant || fields.is_true("isApiErrorMessage")
        {
            return;
        }
        let message = AssistantMessage::new(message);
        let model = message.model().or_else(|| fields.text("model"));
        if model.is_some_and(|model| model.is("<synthetic>")) {
            return;
        }
        let reading = self.reading(&usage, model);
        let millis = fields.text("timestamp").and_then(|text| Timestamp::new(text).millis());
        match self.places.entry(ResponseKey::of(fields, &message)) {
            Entry::Occupied(place) => {
                self.found[*place.get()].update(reading, millis);
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
                    position,
                });
            }
        }
    }

    /// The responses so far, in the order of their first records.
    pub fn responses(&self) -> &[ResponseUsage] {
        &self.found
    }

    /// Returns the responses, in the order of their first records.
    pub fn finish(self) -> Vec<ResponseUsage> {
        self.found
    }

    fn reading(&mut self, usage: &Usage<'_>, model: Option<Text<'_>>) -> UsageReading {
        let mut side_calls = Vec::new();
        for call in usage.iterations().into_iter().flatten().filter_map(|value| value.fields()) {
            let call = Usage::new(call);
            if let Some(kind) = SideCallKind::of(call.call()) {
                let model = call.model().map(|text| intern(&mut self.names, text));
                side_calls.push(SideCall { kind, model, tokens: Tokens::of(&call) });
            }
        }
        UsageReading {
            tokens: Tokens::of(usage),
            model: model.filter(|text| !text.is_empty()).map(|text| intern(&mut self.names, text)),
            tier: ServiceTier::of(usage.service_tier()),
            speed: Speed::of(usage.speed()),
            side_calls: (!side_calls.is_empty()).then(|| side_calls.into()),
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
