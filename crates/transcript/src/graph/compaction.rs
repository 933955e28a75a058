//! Compactions: the segments they cut a conversation into, and the history across them.

use super::{Graph, NodeSet};
use crate::record::{Record, RecordKind, SystemKind};
use crate::transcript::{NodeIndex, Transcript};

/// A part of the conversation that fits one context window.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Segment {
    /// The boundary that opens it; `None` for the first segment.
    pub boundary: Option<NodeIndex>,
    /// The summary of what came before.
    pub summary: Option<NodeIndex>,
    /// The last record before the compaction, if it is in the file.
    pub before: Option<NodeIndex>,
    /// Tokens before the compaction.
    pub tokens_before: Option<u64>,
    /// The size of the context after the compaction, if the client noted it.
    pub tokens_after: Option<u64>,
    /// `auto` or `manual`.
    pub trigger: Option<String>,
}

/// Returns the segments of a file, in order: one more than there are compactions.
pub fn segments(transcript: &Transcript<'_>, graph: &Graph<'_>) -> Vec<Segment> {
    let first = Segment {
        boundary: None,
        summary: None,
        before: None,
        tokens_before: None,
        tokens_after: None,
        trigger: None,
    };
    let boundaries = transcript.indexed_nodes();
    let boundaries = boundaries.filter(|(_, node)| node.system == Some(SystemKind::CompactBoundary));
    let rest = boundaries.filter_map(|(index, _)| {
        let Record::System(system) = transcript.record(index) else { return None };
        let metadata = system.compact_metadata();
        Some(Segment {
            boundary: Some(index),
            summary: graph.children(index).find(|&child| transcript.nodes()[child].is_compact_summary),
            before: system.logical_parent().and_then(|id| graph.find(id)),
            tokens_before: metadata.as_ref().and_then(|metadata| metadata.pre_tokens()),
            tokens_after: metadata.as_ref().and_then(|metadata| metadata.post_tokens()),
            trigger: metadata.and_then(|metadata| metadata.trigger()).map(|text| text.to_string()),
        })
    });
    std::iter::once(first).chain(rest).collect()
}

/// Returns all ancestors of a record, first one first, across compactions.
///
/// At a boundary it continues with the logical parent or, if that is missing, with the nearest record of the main chain
/// before the boundary in the file.
pub fn history(transcript: &Transcript<'_>, graph: &Graph<'_>, leaf: NodeIndex) -> Vec<NodeIndex> {
    let nodes = transcript.nodes();
    let mut seen = NodeSet::new(nodes.len());
    let mut path = Vec::new();
    let mut here = Some(leaf);
    while let Some(node) = here.filter(|&node| seen.mark(node)) {
        path.push(node);
        let is_boundary = nodes[node].system == Some(SystemKind::CompactBoundary);
        let across = || is_boundary.then(|| line_across(transcript, graph, node)).flatten();
        here = graph.parent(node).or_else(across);
    }
    path.reverse();
    path
}

/// Returns the record before a boundary: its logical parent, else the nearest record of the main chain before it.
pub(crate) fn line_across(
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
    boundary: NodeIndex,
) -> Option<NodeIndex> {
    let named = match transcript.record(boundary) {
        Record::System(system) => system.logical_parent().and_then(|id| graph.find(id)),
        _ => None,
    };
    named.or_else(|| line_before(transcript, boundary))
}

fn line_before(transcript: &Transcript<'_>, node: NodeIndex) -> Option<NodeIndex> {
    let is_message = |index: &NodeIndex| {
        let node = &transcript.nodes()[*index];
        node.is_chain() && !node.is_sidechain && node.kind != RecordKind::Progress
    };
    NodeIndex::FIRST.until(node).rev().find(is_message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::file;

    #[test]
    fn history_runs_across_a_compaction() {
        for logical in ["b", "gone"] {
            let boundary = format!(
                r#"{{"type":"system","subtype":"compact_boundary","uuid":"x","parentUuid":null,"logicalParentUuid":"{logical}","compactMetadata":{{"trigger":"auto","preTokens":9}}}}"#
            );
            let summary = r#"{"type":"user","uuid":"s","parentUuid":"x","isCompactSummary":true,"message":{"content":"so far"}}"#;
            let lines = file("a b>a") + &boundary + "\n" + summary + "\n" + &file("c>s");
            let transcript = Transcript::parse(lines.as_bytes());
            let graph = Graph::new(&transcript);
            assert_eq!(history(&transcript, &graph, NodeIndex::new(4)), [0, 1, 2, 3, 4]);
            let segments = segments(&transcript, &graph);
            assert_eq!(segments.len(), 2);
            let (boundary, summary) = (NodeIndex::new(2), NodeIndex::new(3));
            assert_eq!((segments[1].boundary, segments[1].summary), (Some(boundary), Some(summary)));
            assert_eq!(segments[1].tokens_before, Some(9));
        }
    }
}
