//! API responses, merged from their records.

use std::collections::HashMap;

use crate::content::Block;
use crate::id::{MessageId, RequestId};
use crate::record::{Assistant, Record, RecordKind};
use crate::transcript::{NodeIndex, Transcript};
use crate::usage::Usage;
use annals_json::Text;

/// One API response.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response<'a> {
    /// Its id; a record without one is a separate response.
    pub message: Option<MessageId<'a>>,
    /// The id that the API gave the request, for its support.
    pub request: Option<RequestId<'a>>,
    /// The model that answered, as the API names it.
    pub model: Option<Text<'a>>,
    /// Its records, in the order of the file, which is the order of its blocks.
    pub nodes: Vec<NodeIndex>,
    /// The stop reason, if any record has one.
    pub stop_reason: Option<Text<'a>>,
    /// Its usage: that of the record with the most output, the last of several.
    pub usage: Option<Usage<'a>>,
    /// Whether the client wrote it (`<synthetic>`).
    pub is_synthetic: bool,
}

impl<'a> Response<'a> {
    /// Iterates over its blocks, in order.
    pub fn blocks<'t>(
        &'t self,
        transcript: &'t Transcript<'a>,
    ) -> impl Iterator<Item = (NodeIndex, Block<'a>)> + 't {
        self.nodes.iter().flat_map(|&node| {
            let blocks: Vec<_> = match transcript.record(node) {
                Record::Assistant(assistant) => assistant.content().blocks().collect(),
                _ => Vec::new(),
            };
            blocks.into_iter().map(move |block| (node, block))
        })
    }

    fn add(&mut self, node: NodeIndex, line: &Assistant<'a>) {
        self.nodes.push(node);
        self.request = self.request.or(line.request());
        let Some(message) = line.message() else { return };
        // Some programs name the model next to the message.
        self.model = self.model.or_else(|| message.model().or_else(|| line.fields().text("model")));
        self.stop_reason = message.stop_reason().or(self.stop_reason);
        let output = |usage: &Usage<'_>| usage.output().unwrap_or(0);
        if let Some(usage) = message.usage()
            && self.usage.as_ref().is_none_or(|before| output(&usage) >= output(before))
        {
            self.usage = Some(usage);
        }
    }
}

/// Returns the responses of a file, in the order of their first records. Records are merged by message id, even if others
/// come between or they are on another branch. A record that was written twice (same uuid) counts once, the last time.
pub fn responses<'a>(transcript: &Transcript<'a>) -> Vec<Response<'a>> {
    let mut latest = HashMap::new();
    for (index, node) in transcript.indexed_nodes() {
        if let (RecordKind::Assistant, Some(uuid)) = (node.kind, node.uuid) {
            latest.insert(uuid, index);
        }
    }
    let is_latest = |&index: &NodeIndex| {
        transcript.nodes()[index].uuid.is_none_or(|uuid| latest.get(&uuid).is_none_or(|&last| last == index))
    };
    responses_of(transcript, transcript.indices().filter(is_latest))
}

/// Returns the responses of some records, in the order of their first records. Other records than assistant ones are
/// skipped.
pub fn responses_of<'a>(
    transcript: &Transcript<'a>,
    nodes: impl IntoIterator<Item = NodeIndex>,
) -> Vec<Response<'a>> {
    let mut responses: Vec<Response<'a>> = Vec::new();
    let mut places = HashMap::new();
    for index in nodes {
        let node = &transcript.nodes()[index];
        if node.kind != RecordKind::Assistant {
            continue;
        }
        let Record::Assistant(line) = transcript.record(index) else { continue };
        let new = responses.len();
        let place = node.message.map_or(new, |message| *places.entry(message).or_insert(new));
        if place == new {
            responses.push(Response {
                message: node.message,
                request: None,
                model: None,
                nodes: Vec::new(),
                stop_reason: None,
                usage: None,
                is_synthetic: line.is_synthetic(),
            });
        }
        responses[place].add(index, &line);
    }
    responses
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(uuid: &str, message: &str, text: &str, output: u64, stop: &str) -> String {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","requestId":"r","message":{{"id":"{message}","model":"m","content":[{{"type":"text","text":"{text}"}}],"stop_reason":{stop},"usage":{{"output_tokens":{output}}}}}}}"#
        )
    }

    #[test]
    fn interleaved_lines_become_one_response_with_one_usage() {
        let file = [
            line("a", "m1", "one", 2, "null"),
            line("b", "m2", "other", 5, "\"end_turn\""),
            line("c", "m1", "two", 40, "\"tool_use\""),
            line("c", "m1", "two", 40, "\"tool_use\""),
        ]
        .join("\n");
        let transcript = Transcript::parse(file.as_bytes());
        let responses = responses(&transcript);
        assert_eq!(responses.len(), 2);
        assert_eq!(responses[0].nodes, [0, 3]);
        assert_eq!(responses[0].usage.as_ref().unwrap().output(), Some(40));
        assert!(responses[0].stop_reason.unwrap().is("tool_use"));
        let texts: Vec<_> =
            responses[0].blocks(&transcript).filter_map(|(_, block)| block.plain_text()).collect();
        assert_eq!(texts, ["one", "two"]);
    }
}
