//! What a person would miss after a resume: messages that are left out though nobody asked for it.

use std::collections::HashSet;

use crate::graph::Graph;
use crate::record::{Record, RecordKind};
use crate::resume::{Reason, Resumed};
use crate::transcript::{NodeIndex, Transcript};
use crate::turn::Speaker;

/// The prompts, replies and results that a client would not send and that a person would miss, in the order of the file.
///
/// What a compaction has summarised, what a sub-agent did, and a branch that the person left by going back are not
/// missed; a message that cannot be reached, read or paired is.
pub fn losses<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>, resumed: &Resumed<'a>) -> Vec<NodeIndex> {
    let left: HashSet<NodeIndex> = resumed.left_out.iter().map(|left| left.node).collect();
    let is_message = |node: NodeIndex| {
        let node = &transcript.nodes()[node];
        matches!(node.kind, RecordKind::User | RecordKind::Assistant) && !node.is_sidechain
    };
    let is_missed = |node: NodeIndex, reason: Reason| match reason {
        Reason::Unread
        | Reason::NotConnected
        | Reason::UnansweredCall
        | Reason::UnansweredServerCall
        | Reason::ResultWithoutCall => true,
        Reason::OtherBranch => !is_left_by_person(transcript, graph, &left, node),
        Reason::Replaced
        | Reason::Sidechain
        | Reason::BeforeCompaction
        | Reason::DroppedByCompaction
        | Reason::BehindLastMessage
        | Reason::Progress
        | Reason::Notice
        | Reason::AttachmentNotWorded
        | Reason::ApiError
        | Reason::Empty
        | Reason::BlankReply
        | Reason::ThinkingAlone
        | Reason::RepeatedCall
        | Reason::RepeatedResult
        | Reason::Fallback => false,
    };
    let missed =
        resumed.left_out.iter().filter(|left| is_message(left.node) && is_missed(left.node, left.reason));
    let mut nodes: Vec<_> = missed.map(|left| left.node).collect();
    nodes.dedup();
    nodes
}

/// Whether the branch that a record stands on begins with a prompt: then a person went back and sent another.
fn is_left_by_person(
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
    left: &HashSet<NodeIndex>,
    node: NodeIndex,
) -> bool {
    let mut top = node;
    // No chain is longer than the file: a circle ends the walk.
    for _ in 0..transcript.nodes().len() {
        match graph.parent(top).filter(|parent| left.contains(parent)) {
            Some(parent) => top = parent,
            None => break,
        }
    }
    match transcript.record(top) {
        Record::User(user) => Speaker::of(&user) != Speaker::Tool,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resume::{Client, resume};

    fn line(kind: &str, uuid: &str, parent: &str, second: u32, content: &str) -> String {
        let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
        format!(
            r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"timestamp":"2026-01-01T00:00:{second:02}Z","sessionId":"s","message":{{"role":"{kind}","id":"m{uuid}","content":{content}}}}}"#
        ) + "\n"
    }

    fn check(file: &str, expected: &[NodeIndex]) {
        let transcript = Transcript::parse(file.as_bytes());
        let graph = Graph::new(&transcript);
        let resumed = resume(&transcript, Client::NEWEST);
        assert_eq!(losses(&transcript, &graph, &resumed), expected, "{:?}", resumed.left_out);
    }

    #[test]
    fn going_back_is_no_loss_and_a_cut_is() {
        let text = r#"[{"type":"text","text":"ok"}]"#;
        let start = line("user", "a", "", 0, "\"one\"") + &line("assistant", "b", "a", 1, text);
        check(
            &(start.clone()
                + &line("user", "c", "b", 2, "\"two\"")
                + &line("user", "d", "b", 3, "\"three\"")),
            &[],
        );
        let cut = line("user", "e", "gone", 50, "\"after\"") + &line("assistant", "f", "e", 51, text);
        check(&(start + &cut), &[0, 1]);
    }
}
