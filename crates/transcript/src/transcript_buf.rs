//! A parsed session file that owns its bytes and grows with the file.
//!
//! Nodes are kept as byte ranges instead of slices. [`TranscriptBuf::transcript`] turns them back into slices without
//! looking at the JSON again, and [`TranscriptBuf::append`] parses the appended lines alone.

use crate::id::{AgentId, MessageId, RecordId, SessionId};
use crate::parse::{LinePosition, parse_lines};
use crate::problem::{Problem, Span};
use crate::time::Timestamp;
use crate::transcript::{Node, Parent, Transcript};
use annals_json::Text;

/// An owned, growable [`Transcript`], as `String` is to `str`.
///
/// ```
/// use annals_transcript::TranscriptBuf;
///
/// let mut session = TranscriptBuf::parse(b"{\"type\":\"user\",\"uuid\":\"a\"}\n".to_vec());
/// session.append(b"{\"type\":\"assistant\",\"uuid\":\"b\",\"parentUuid\":\"a\"}\n");
/// assert_eq!(session.transcript().nodes().len(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct TranscriptBuf {
    bytes: Vec<u8>,
    nodes: Vec<NodeSpans>,
    /// Problems of the lines; those of nodes follow from the nodes.
    problems: Vec<Problem>,
    line_count: usize,
    /// What comes before stays as it is, whatever is appended.
    settled: LinePosition,
}

impl TranscriptBuf {
    /// Parses a whole file. Never fails, like [`Transcript::parse`].
    pub fn parse(bytes: Vec<u8>) -> Self {
        let mut parsed = Self { bytes, ..Self::default() };
        parsed.parse_rest();
        parsed
    }

    /// Appends bytes that were written to the end of the file, and parses the lines that are new or were not finished.
    pub fn append(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let lines = self.settled.lines;
        self.nodes.retain(|node| node.head.line as usize <= lines);
        self.problems.retain(|problem| problem.line <= lines);
        self.bytes.extend_from_slice(bytes);
        self.parse_rest();
    }

    fn parse_rest(&mut self) {
        let mut nodes = Vec::new();
        let end = parse_lines(&self.bytes, self.settled, &mut nodes, &mut self.problems);
        self.nodes.extend(nodes.iter().map(|node| NodeSpans::new(node, &self.bytes)));
        (self.line_count, self.settled) = (end.line_count, end.settled);
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes of the file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Borrows the file as a [`Transcript`]. Takes time for each record, but none of the JSON is parsed again.
    pub fn transcript(&self) -> Transcript<'_> {
        let nodes = self.nodes.iter().map(|node| node.resolve(&self.bytes)).collect();
        Transcript::from_parts(&self.bytes, nodes, self.problems.clone(), self.line_count)
    }
}

/// A [`Node`] with byte ranges in place of its texts.
#[derive(Clone, Debug)]
struct NodeSpans {
    /// All fields that do not borrow from the file.
    head: Node<'static>,
    uuid: Option<Span>,
    parent: Option<Span>,
    message: Option<Span>,
    agent: Option<Span>,
    session: Option<Span>,
    timestamp: Option<Span>,
}

impl NodeSpans {
    fn new(node: &Node<'_>, bytes: &[u8]) -> Self {
        let span = |text: Text<'_>| {
            let offset = text.raw().as_ptr() as usize - bytes.as_ptr() as usize;
            Span { offset, length: text.raw().len() }
        };
        Self {
            head: node.without_texts(),
            uuid: node.uuid.map(|id| span(id.text())),
            parent: node.parent.id().map(|id| span(id.text())),
            message: node.message.map(|id| span(id.text())),
            agent: node.agent.map(|id| span(id.text())),
            session: node.session.map(|id| span(id.text())),
            timestamp: node.timestamp.map(|time| span(time.text())),
        }
    }

    fn resolve<'a>(&self, bytes: &'a [u8]) -> Node<'a> {
        let text = |span: Span| Text::from_raw(&bytes[span.offset..span.offset + span.length]);
        Node {
            uuid: self.uuid.map(text).map(RecordId::new),
            parent: self.parent.map_or(self.head.parent, |span| Parent::Of(RecordId::new(text(span)))),
            message: self.message.map(text).map(MessageId::new),
            agent: self.agent.map(text).map(AgentId::new),
            session: self.session.map(text).map(SessionId::new),
            timestamp: self.timestamp.map(text).map(Timestamp::new),
            ..self.head.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(
        "\u{feff}",
        r#"{"type":"user","uuid":"a","parentUuid":null,"timestamp":"2026-01-01T00:00:00Z","message":{}}"#,
        "\n\n",
        r#"{"type":"assistant","uuid":"b","parentUuid":"a","agentId":"x","message":{"id":"m1"}}{"type":"tag"}"#,
        "\r\n",
        r#"{"type":"user","uu{"type":"user","uuid":"c"}"#,
        "\n[1]\n{\n\"type\":\"user\",\n\"uuid\":\"e\"} {\"type\":\"tag\"}\n[\n",
        r#"{"type":"from-the-future","uuid":"d"}"#,
    );

    #[test]
    fn a_file_that_grows_is_parsed_as_if_at_once() {
        let whole = format!("{:?}", Transcript::parse(FILE.as_bytes()));
        for first in 0..=FILE.len() {
            for second in [first, first + 1, first.midpoint(FILE.len()), FILE.len()] {
                let second = second.min(FILE.len());
                let mut parsed = TranscriptBuf::parse(FILE.as_bytes()[..first].to_vec());
                parsed.append(&FILE.as_bytes()[first..second]);
                parsed.append(&FILE.as_bytes()[second..]);
                assert_eq!(format!("{:?}", parsed.transcript()), whole, "cut at {first} and {second}");
            }
        }
    }
}
