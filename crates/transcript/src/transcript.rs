//! A whole session file, read once: its records with what the graph needs to know of each, and its problems.
//!
//! A node is small and borrows from the file; the record itself is read again from its bytes when somebody wants it.

use crate::id::{AgentId, MessageId, RecordId};
use crate::line::{Line, lines};
use crate::objects::{Standing, read_objects};
use crate::problem::{Problem, ProblemKind, Span};
use crate::record::{Record, RecordKind, SystemKind};
use crate::time::Timestamp;
use annals_json::Fields;

/// The place of a record in its transcript.
pub type NodeIndex = usize;

/// What `parentUuid` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parent<'a> {
    /// The key is not there.
    Absent,
    /// `null`: a chain starts here.
    Null,
    /// The line before.
    Of(RecordId<'a>),
}

impl<'a> Parent<'a> {
    /// The id, if there is one.
    pub fn id(self) -> Option<RecordId<'a>> {
        match self {
            Self::Of(id) => Some(id),
            _ => None,
        }
    }
}

/// What the graph knows of a record.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// The line, counted from 1.
    pub line: u32,
    /// Whether it stands alone on its line, as clients expect.
    pub standing: Standing,
    /// Its type.
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
    /// The bytes of the object.
    pub span: Span,
    /// Its own id.
    pub uuid: Option<RecordId<'a>>,
    /// The line before it.
    pub parent: Parent<'a>,
    /// The response that an assistant line belongs to.
    pub message: Option<MessageId<'a>>,
    /// The sub-agent that wrote it.
    pub agent: Option<AgentId<'a>>,
    /// When, as written.
    pub timestamp: Option<Timestamp<'a>>,
    /// When, in milliseconds since 1970.
    pub millis: Option<i64>,
}

impl<'a> Node<'a> {
    fn new(fields: &Fields<'a>, line: &Line<'a>, standing: Standing) -> Self {
        let kind = RecordKind::of(fields.text("type"));
        let offset = line.offset + (fields.raw().as_ptr() as usize - line.raw().as_ptr() as usize);
        let mut node = Self {
            line: u32::try_from(line.number).unwrap_or(u32::MAX),
            standing,
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
            timestamp: None,
            millis: None,
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
                b"agentId" => node.agent = text.map(AgentId::new),
                b"subtype" if kind == RecordKind::System => node.system = Some(SystemKind::of(text)),
                b"message" => {
                    node.has_message = value.fields().is_some();
                    if kind == RecordKind::Assistant {
                        node.message = value.get("id").and_then(|id| id.text()).map(MessageId::new);
                    }
                }
                _ => {}
            }
        }
        if kind == RecordKind::System && node.system.is_none() {
            node.system = Some(SystemKind::Plain);
        }
        node.millis = node.timestamp.and_then(Timestamp::millis);
        node
    }

    /// Whether it can stand in the chain: a chain type with an id.
    pub fn is_chain(&self) -> bool {
        self.kind.is_chain() && self.uuid.is_some()
    }
}

/// A session file, read.
#[derive(Clone, Debug)]
pub struct Transcript<'a> {
    bytes: &'a [u8],
    nodes: Vec<Node<'a>>,
    problems: Vec<Problem>,
    line_count: usize,
}

impl<'a> Transcript<'a> {
    /// Reads a whole file. Never fails: what cannot be read is a problem, and the rest is there.
    pub fn parse(bytes: &'a [u8]) -> Self {
        let mut transcript = Self { bytes, nodes: Vec::new(), problems: Vec::new(), line_count: 0 };
        let Self { nodes, problems, line_count, .. } = &mut transcript;
        for line in lines(bytes) {
            *line_count = line.number;
            read_objects(
                &line,
                |fields, standing| nodes.push(Node::new(&fields, &line, standing)),
                |problem| problems.push(problem),
            );
        }
        for node in &transcript.nodes {
            if !node.kind.is_known() {
                transcript.problems.push(node.problem(ProblemKind::UnknownRecord));
            }
        }
        transcript
    }

    /// The same, read as the file of a sub-agent: its lines, which a session would pass over, are the conversation.
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

    /// Every record, in the order of the file.
    pub fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }

    /// What was irregular about the lines.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// How many lines the file has, whatever is on them.
    pub fn line_count(&self) -> usize {
        self.line_count
    }

    /// The fields of a record, read again from its bytes.
    pub fn fields(&self, index: NodeIndex) -> Fields<'a> {
        let span = self.nodes[index].span;
        Fields::of_checked(&self.bytes[span.offset..span.offset + span.length])
    }

    /// A record in its typed view, read again from its bytes.
    pub fn record(&self, index: NodeIndex) -> Record<'a> {
        Record::new(self.fields(index))
    }

    /// All records in their typed views.
    pub fn records(&self) -> impl Iterator<Item = (NodeIndex, Record<'a>)> + '_ {
        (0..self.nodes.len()).map(|index| (index, self.record(index)))
    }
}

impl Node<'_> {
    /// A problem about this record.
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
        assert!(matches!(transcript.record(2), Record::Unknown(_)));
        let kinds: Vec<_> =
            transcript.problems().iter().map(|problem| (problem.kind, problem.line)).collect();
        use ProblemKind::{Blank, NoFinalNewline, UnknownRecord};
        assert_eq!(kinds, [(Blank, 2), (NoFinalNewline, 4), (UnknownRecord, 4)]);
    }
}
