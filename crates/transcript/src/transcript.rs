//! A parsed session file: its records, with the fields that the graph needs, and its problems.
//!
//! A node is small and borrows from the file; the whole record is scanned again from its bytes on demand.

use crate::content::Content;
use crate::id::{AgentId, MessageId, RecordId, SessionId};
use crate::line::Line;
use crate::objects::LineSharing;
use crate::parse::{LinePosition, parse_lines};
use crate::problem::{Problem, ProblemKind, Span};
use crate::record::{Record, RecordKind, SystemKind};
use crate::time::Timestamp;
use crate::turn::Speaker;
use crate::view::FromValue as _;
use annals_json::{Fields, KnownSpans, Value};

pub use crate::node_index::{NodeIndex, NodeMap};

/// How many bytes that are scanned again count as a step.
const SCAN_STEP_BYTES: usize = 256;

/// The value of `parentUuid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parent<'a> {
    /// The key is absent.
    Absent,
    /// `null`: a chain starts here.
    Null,
    /// The parent.
    Of(RecordId<'a>),
}

impl<'a> Parent<'a> {
    /// The id of the parent, if there is one.
    pub fn id(self) -> Option<RecordId<'a>> {
        match self {
            Self::Of(id) => Some(id),
            _ => None,
        }
    }
}

/// The fields of a record that the graph needs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Node<'a> {
    /// The line, counted from 1.
    pub line: u32,
    /// Whether it is alone on its line, as clients expect.
    pub sharing: LineSharing,
    /// Whether a client finds it that reads the file as a stream of values, not line by line.
    pub is_streamed: bool,
    /// The record kind.
    pub kind: RecordKind,
    /// The subtype of a system record.
    pub system: Option<SystemKind>,
    /// Whether it belongs to a sub-agent.
    pub is_sidechain: bool,
    /// Whether the client wrote it.
    pub is_meta: bool,
    /// Whether it is the summary that opens a compacted conversation.
    pub is_compact_summary: bool,
    /// Whether it has a `message` (user and assistant lines need one).
    pub has_message: bool,
    /// The byte range of the object.
    pub span: Span,
    /// Its own id.
    pub uuid: Option<RecordId<'a>>,
    /// Which record it continues.
    pub parent: Parent<'a>,
    /// The response that an assistant line belongs to.
    pub message: Option<MessageId<'a>>,
    /// The sub-agent that wrote it.
    pub agent: Option<AgentId<'a>>,
    /// The session that it names.
    pub session: Option<SessionId<'a>>,
    /// The timestamp, as written.
    pub timestamp: Option<Timestamp<'a>>,
    /// The timestamp in milliseconds since 1970.
    pub millis: Option<i64>,
    /// Who wrote a user record.
    pub speaker: Option<Speaker>,
    /// Where its long values end.
    pub(crate) known: KnownSpans,
}

impl<'a> Node<'a> {
    /// Reads a record; `message` has the fields of its message.
    pub(crate) fn new(
        fields: &Fields<'a>,
        message: Option<&Fields<'a>>,
        line: &Line<'a>,
        sharing: LineSharing,
    ) -> Self {
        let kind = RecordKind::of(fields.text("type"));
        let offset = line.offset + (fields.raw().as_ptr() as usize - line.raw().as_ptr() as usize);
        let mut node = Self {
            line: u32::try_from(line.number).unwrap_or(u32::MAX),
            sharing,
            is_streamed: false,
            kind,
            system: None,
            is_sidechain: false,
            is_meta: false,
            is_compact_summary: false,
            has_message: false,
            span: Span { offset, length: fields.raw().len() },
            uuid: None,
            parent: Parent::Absent,
            message: None,
            agent: None,
            session: None,
            timestamp: None,
            millis: None,
            speaker: None,
            known: known_spans(fields, message),
        };
        // One pass over the keys: looking each up by name would cost as many passes.
        for field in fields.iter() {
            let (value, text) = (field.value, field.value.text());
            match field.key.raw() {
                b"uuid" => node.uuid = text.map(RecordId::new),
                b"parentUuid" => node.parent = text.map_or(Parent::Null, |id| Parent::Of(RecordId::new(id))),
                b"timestamp" => node.timestamp = text.map(Timestamp::new),
                b"isSidechain" => node.is_sidechain = value.boolean() == Some(true),
                b"isMeta" => node.is_meta = value.boolean() == Some(true),
                b"isCompactSummary" => node.is_compact_summary = value.boolean() == Some(true),
                b"sessionId" => node.session = text.map(SessionId::new),
                b"agentId" => node.agent = text.map(AgentId::new),
                b"subtype" if kind == RecordKind::System => node.system = Some(SystemKind::of(text)),
                _ => {}
            }
        }
        if kind == RecordKind::System && node.system.is_none() {
            node.system = Some(SystemKind::Plain);
        }
        node.has_message = message.is_some();
        if kind == RecordKind::User {
            let content = match message.and_then(|message| Content::from_field(message, "content")) {
                Some(Content::Blocks(items)) => Content::Blocks(items.knowing(fields.raw(), node.known)),
                content => content.unwrap_or(Content::Absent),
            };
            let is_client = fields.is_true("isMeta") || fields.is_true("isVisibleInTranscriptOnly");
            let is_summary = fields.is_true("isCompactSummary");
            node.speaker = Some(Speaker::of_content(&content, is_summary, is_client));
        }
        if kind == RecordKind::Assistant {
            node.message = message.and_then(|message| message.text("id")).map(MessageId::new);
        }
        node.millis = node.timestamp.and_then(Timestamp::millis);
        node
    }

    /// Copies everything that does not borrow from the file.
    pub(crate) fn without_texts(&self) -> Node<'static> {
        Node {
            line: self.line,
            sharing: self.sharing,
            is_streamed: self.is_streamed,
            kind: self.kind,
            system: self.system,
            is_sidechain: self.is_sidechain,
            is_meta: self.is_meta,
            is_compact_summary: self.is_compact_summary,
            has_message: self.has_message,
            span: self.span,
            uuid: None,
            parent: if self.parent == Parent::Null { Parent::Null } else { Parent::Absent },
            message: None,
            agent: None,
            session: None,
            timestamp: None,
            millis: self.millis,
            speaker: self.speaker,
            known: self.known,
        }
    }

    /// Whether it belongs to the chain: a chain kind with an id.
    pub fn is_chain(&self) -> bool {
        self.kind.is_chain() && self.uuid.is_some()
    }
}

/// A parsed session file that borrows its bytes; [`TranscriptBuf`](crate::TranscriptBuf) owns them.
#[derive(Clone, Debug)]
pub struct Transcript<'a> {
    bytes: &'a [u8],
    nodes: Vec<Node<'a>>,
    problems: Vec<Problem>,
    line_count: usize,
}

impl<'a> Transcript<'a> {
    /// Parses a whole file. Never fails: unreadable content becomes a [`Problem`], and everything else is kept.
    pub fn parse(bytes: &'a [u8]) -> Self {
        let (mut nodes, mut problems) = (Vec::new(), Vec::new());
        let end = parse_lines(bytes, LinePosition::default(), &mut nodes, &mut problems);
        Self::from_parts(bytes, nodes, problems, end.line_count)
    }

    /// Puts a transcript together from parsed lines; `problems` are those of the lines.
    pub(crate) fn from_parts(
        bytes: &'a [u8],
        nodes: Vec<Node<'a>>,
        mut problems: Vec<Problem>,
        line_count: usize,
    ) -> Self {
        let unknown = nodes.iter().filter(|node| !node.kind.is_known());
        problems.extend(unknown.map(|node| node.problem(ProblemKind::UnknownRecord)));
        Self { bytes, nodes, problems, line_count }
    }

    /// Treats the file as that of a sub-agent: its sidechain records are the conversation.
    pub fn of_agent(mut self) -> Self {
        for node in &mut self.nodes {
            node.is_sidechain = false;
        }
        self
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// All records, in the order of the file.
    pub fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }

    /// The record with this index.
    ///
    /// # Panics
    ///
    /// If the transcript has no record with this index; indices are valid only for the transcript they come from.
    pub fn node(&self, index: NodeIndex) -> &Node<'a> {
        &self.nodes[index.get()]
    }

    /// The index after that of the last record.
    pub fn end(&self) -> NodeIndex {
        NodeIndex::new(self.nodes.len())
    }

    /// Iterates over the indices of all records.
    pub fn indices(
        &self,
    ) -> impl DoubleEndedIterator<Item = NodeIndex> + ExactSizeIterator + Clone + use<'a> {
        NodeIndex::FIRST.until(self.end())
    }

    /// Iterates over all records and their indices, in the order of the file.
    pub fn indexed_nodes(
        &self,
    ) -> impl DoubleEndedIterator<Item = (NodeIndex, &Node<'a>)> + ExactSizeIterator + Clone {
        self.nodes.iter().enumerate().map(|(number, node)| (NodeIndex::new(number), node))
    }

    /// Returns the first record that passes, like [`Iterator::position`].
    pub fn position(&self, passes: impl FnMut(&Node<'a>) -> bool) -> Option<NodeIndex> {
        self.nodes.iter().position(passes).map(NodeIndex::new)
    }

    /// Returns the last record that passes, like [`Iterator::rposition`].
    pub fn rposition(&self, passes: impl FnMut(&Node<'a>) -> bool) -> Option<NodeIndex> {
        self.nodes.iter().rposition(passes).map(NodeIndex::new)
    }

    /// Problems of the lines and records; [`inspect`](crate::inspect::inspect) finds more.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The number of lines, including blank and damaged ones.
    pub fn line_count(&self) -> usize {
        self.line_count
    }

    /// Returns the fields of a record, scanned again from its bytes.
    ///
    /// # Panics
    ///
    /// If the transcript has no record with this index; indices are valid only for the transcript they come from.
    pub fn fields(&self, index: NodeIndex) -> Fields<'a> {
        let node = self.node(index);
        let span = node.span;
        crate::work::count(1 + span.length / SCAN_STEP_BYTES);
        Fields::from_checked_knowing(&self.bytes[span.offset..span.offset + span.length], node.known)
    }

    /// Returns a record as its typed view, scanned again from its bytes.
    ///
    /// # Panics
    ///
    /// If the transcript has no record with this index; [`get`](Self::get) returns `None` instead.
    pub fn record(&self, index: NodeIndex) -> Record<'a> {
        Record::new(self.fields(index))
    }

    /// Returns a record as its typed view, or `None` if the transcript has no record with this index.
    pub fn get(&self, index: NodeIndex) -> Option<Record<'a>> {
        (index.get() < self.nodes.len()).then(|| self.record(index))
    }

    /// Iterates over all records as typed views, in the order of the file.
    pub fn records(&self) -> impl Iterator<Item = (NodeIndex, Record<'a>)> + '_ {
        self.indices().map(|index| (index, self.record(index)))
    }
}

/// Notes the long values of a record that are read again and again.
fn known_spans<'a>(fields: &Fields<'a>, message: Option<&Fields<'a>>) -> KnownSpans {
    let mut known = KnownSpans::default();
    let mut note = |value: Option<Value<'a>>| {
        if let Some(value) = value {
            known.note(fields.raw(), value.raw());
        }
    };
    note(fields.get("toolUseResult"));
    let Some(message) = message else { return known };
    note(Some(Value::from_checked(message.raw())));
    note(message.get("content"));
    note(message.get("usage"));
    // Most lines have one block, and most blocks one long text.
    if let Some(Ok(block)) = message.items("content").and_then(|mut items| items.next_fields()) {
        note(block.iter().map(|field| field.value).max_by_key(|value| value.raw().len()));
    }
    known
}

impl Node<'_> {
    /// Makes a problem of this record.
    pub fn problem(&self, kind: ProblemKind) -> Problem {
        Problem::new(kind, self.line as usize, self.span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_becomes_nodes_and_problems() {
        let file = concat!(
            r#"{"type":"user","uuid":"a","parentUuid":null,"timestamp":"2026-01-01T00:00:00Z","message":{"content":"hi"}}"#,
            "\n\n",
            r#"{"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"m1","content":[]}}"#,
            "\n",
            r#"{"type":"from-the-future"}"#,
        );
        let transcript = Transcript::parse(file.as_bytes());
        assert_eq!(transcript.nodes().len(), 3);
        assert_eq!(transcript.line_count(), 4);
        assert_eq!(transcript.nodes()[0].parent, Parent::Null);
        assert!(transcript.nodes()[1].message.unwrap().is("m1"));
        assert!(matches!(transcript.record(NodeIndex::new(2)), Record::Unknown(_)));
        let kinds: Vec<_> =
            transcript.problems().iter().map(|problem| (problem.kind, problem.line)).collect();
        use ProblemKind::{Blank, NoFinalNewline, UnknownRecord};
        assert_eq!(kinds, [(Blank, 2), (NoFinalNewline, 4), (UnknownRecord, 4)]);
    }
}
