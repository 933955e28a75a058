//! Branch points: where the user went back, and where parallel tools, retries or side records share a parent.

use std::collections::BTreeMap;

use super::{Graph, Link};
use crate::record::RecordKind;
use crate::transcript::{NodeIndex, NodeMap, Transcript};
use crate::turn::Speaker;

/// Why a record has several children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BranchCause {
    /// Two prompts follow the same message: a rewind, an edited prompt, two clients.
    Person,
    /// Progress records are beside the conversation.
    Progress,
    /// Tools ran in parallel: the next block and the first result share a parent.
    ParallelTools,
    /// A request was retried.
    Retry,
    /// Attachments, hooks or system records are beside the conversation.
    Aside,
    /// A sub-agent starts here.
    Sidechain,
}

impl BranchCause {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Progress => "progress",
            Self::ParallelTools => "parallel-tools",
            Self::Retry => "retry",
            Self::Aside => "aside",
            Self::Sidechain => "sidechain",
        }
    }
}

/// A record with several continuations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BranchPoint {
    /// The record; `None` if several prompts start the file.
    pub at: Option<NodeIndex>,
    /// The continuations: the prompts for [`BranchCause::Person`], else the children.
    pub ways: Vec<NodeIndex>,
    /// Why.
    pub cause: BranchCause,
}

/// Returns all branch points, in the order of the file; for one record, that of the user first.
///
/// The user branched where two prompts follow the same message, regardless of attachments and notices in between.
/// Sub-agents and roots after a compaction are not branches of the user.
pub fn branch_points(transcript: &Transcript<'_>, graph: &Graph<'_>) -> Vec<BranchPoint> {
    let mut prompts = prompts_by_message(transcript, graph);
    let mut points: Vec<BranchPoint> = Vec::new();
    for at in std::iter::once(None).chain(transcript.indices().map(Some)) {
        if let Some(ways) = prompts.remove(&at).filter(|ways| ways.len() > 1) {
            points.push(BranchPoint { at, ways, cause: BranchCause::Person });
            continue;
        }
        let ways: Vec<_> = at.map(|at| graph.children(at).collect()).unwrap_or_default();
        if ways.len() > 1 {
            let cause = artifact_cause(transcript, &ways);
            points.push(BranchPoint { at, ways, cause });
        }
    }
    points
}

/// Groups the prompts by the message that each follows; `None` for those that open the file.
fn prompts_by_message(
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
) -> BTreeMap<Option<NodeIndex>, Vec<NodeIndex>> {
    let mut above = NearestMessages { known: NodeMap::new(transcript, None) };
    let mut prompts: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (index, node) in transcript.indexed_nodes() {
        if node.kind != RecordKind::User || node.is_sidechain || node.uuid.is_none() {
            continue;
        }
        if node.speaker.is_some_and(Speaker::opens_turn)
            && let Some(message) = above.find(transcript, graph, index)
        {
            prompts.entry(message).or_default().push(index);
        }
    }
    prompts
}

/// Caches the nearest user or assistant ancestor of each record.
struct NearestMessages {
    known: NodeMap<Option<MessageLookup>>,
}

/// `Some(None)`: the chain starts without one. `None`: unknown, because a parent is missing.
type MessageLookup = Option<Option<NodeIndex>>;

impl NearestMessages {
    fn find(&mut self, transcript: &Transcript<'_>, graph: &Graph<'_>, node: NodeIndex) -> MessageLookup {
        let mut trail = Vec::new();
        let mut here = node;
        let answer = loop {
            if let Some(known) = self.known[here] {
                break known;
            }
            // Until the answer is known, a cycle that comes back here finds it unknown.
            self.known[here] = Some(None);
            trail.push(here);
            match graph.link_of(transcript, here) {
                Link::Root => break Some(None),
                Link::Dangling => break None,
                Link::To(parent) => {
                    if matches!(transcript.nodes()[parent].kind, RecordKind::User | RecordKind::Assistant) {
                        break Some(Some(parent));
                    }
                    here = parent;
                }
            }
        };
        for passed in trail {
            self.known[passed] = Some(answer);
        }
        answer
    }
}

fn artifact_cause(transcript: &Transcript<'_>, ways: &[NodeIndex]) -> BranchCause {
    let nodes = transcript.nodes();
    let has = |kind: RecordKind| ways.iter().any(|&way| nodes[way].kind == kind);
    let sides = ways.iter().filter(|&&way| nodes[way].is_sidechain).count();
    if has(RecordKind::Progress) {
        BranchCause::Progress
    } else if sides > 0 && sides < ways.len() {
        BranchCause::Sidechain
    } else if has(RecordKind::Attachment) || has(RecordKind::System) {
        BranchCause::Aside
    } else if has(RecordKind::User) {
        BranchCause::ParallelTools
    } else {
        BranchCause::Retry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::file;

    fn check(lines: &str, expected: &[(usize, &[usize], BranchCause)]) {
        let transcript = Transcript::parse(lines.as_bytes());
        let graph = Graph::new(&transcript);
        let points = branch_points(&transcript, &graph);
        let ways = |p: &BranchPoint| p.ways.iter().map(|way| way.get()).collect::<Vec<_>>();
        let seen: Vec<_> =
            points.iter().map(|p| (p.at.map_or(99, NodeIndex::get), ways(p), p.cause)).collect();
        let expected: Vec<_> = expected.iter().map(|&(at, ways, cause)| (at, ways.to_vec(), cause)).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn two_prompts_after_one_message_are_a_persons_branch() {
        check(&file("a b>a c>a"), &[(0, &[1, 2], BranchCause::Person)]);
        let aside = r#"{"type":"attachment","uuid":"x","parentUuid":"a"}"#;
        check(&file("a b"), &[(99, &[0, 1], BranchCause::Person)]);
        let lines = file("a b>a") + aside + "\n" + &file("c>x");
        check(&lines, &[(0, &[1, 3], BranchCause::Person)]);
    }

    #[test]
    fn progress_and_parallel_tools_are_artefacts() {
        let call = r#"{"type":"assistant","uuid":"t1","parentUuid":"a","message":{"id":"m","content":[]}}"#;
        let next = r#"{"type":"assistant","uuid":"t2","parentUuid":"t1","message":{"id":"m","content":[]}}"#;
        let result =
            r#"{"type":"user","uuid":"r","parentUuid":"t1","message":{"content":[{"type":"tool_result"}]}}"#;
        let progress = r#"{"type":"progress","uuid":"p","parentUuid":"t1"}"#;
        let lines = file("a") + &[call, next, result].join("\n");
        check(&lines, &[(1, &[2, 3], BranchCause::ParallelTools)]);
        check(&(lines + "\n" + progress), &[(1, &[2, 3, 4], BranchCause::Progress)]);
    }
}
