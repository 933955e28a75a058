//! Messages that a resume loses although the user did not ask for it.

use std::collections::HashSet;

use crate::graph::Graph;
use crate::record::{Record, RecordKind};
use crate::resume::{OmissionReason, ResumeResult};
use crate::transcript::{NodeIndex, Transcript};
use crate::turn::Speaker;

/// Returns the prompts, replies and results that a client would lose, in the order of the file.
///
/// Messages that a compaction summarised, that belong to a sub-agent or to a branch that the user left are not lost; those
/// that cannot be reached, read or paired are.
pub fn losses<'a>(
    transcript: &Transcript<'a>,
    graph: &Graph<'a>,
    resumed: &ResumeResult<'a>,
) -> Vec<NodeIndex> {
    let left: HashSet<NodeIndex> = resumed.left_out.iter().map(|left| left.node).collect();
    let is_message = |node: NodeIndex| {
        let node = &transcript.nodes()[node];
        matches!(node.kind, RecordKind::User | RecordKind::Assistant) && !node.is_sidechain
    };
    let is_missed = |node: NodeIndex, reason: OmissionReason| match reason {
        OmissionReason::Unread
        | OmissionReason::NotConnected
        | OmissionReason::UnansweredCall
        | OmissionReason::UnansweredServerCall
        | OmissionReason::ResultWithoutCall => true,
        OmissionReason::OtherBranch => !is_left_by_person(transcript, graph, &left, node),
        OmissionReason::Replaced
        | OmissionReason::Sidechain
        | OmissionReason::BeforeCompaction
        | OmissionReason::DroppedByCompaction
        | OmissionReason::BehindLastMessage
        | OmissionReason::Progress
        | OmissionReason::Notice
        | OmissionReason::AttachmentNotWorded
        | OmissionReason::ApiError
        | OmissionReason::Empty
        | OmissionReason::BlankReply
        | OmissionReason::ThinkingAlone
        | OmissionReason::RepeatedCall
        | OmissionReason::RepeatedResult
        | OmissionReason::Fallback => false,
    };
    let missed =
        resumed.left_out.iter().filter(|left| is_message(left.node) && is_missed(left.node, left.reason));
    let mut nodes: Vec<_> = missed.map(|left| left.node).collect();
    nodes.dedup();
    nodes
}

/// Whether the branch of a record starts with a prompt: then the user went back and sent another.
fn is_left_by_person(
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
    left: &HashSet<NodeIndex>,
    node: NodeIndex,
) -> bool {
    let mut top = node;
    // No chain is longer than the file, so cycles end.
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

    fn check(file: &str, expected: &[usize]) {
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
