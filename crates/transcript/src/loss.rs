//! Messages that a resume loses although the user did not ask for it.

use crate::graph::Graph;
use crate::record::{Record, RecordKind};
use crate::resume::{BlockOrigin, OmissionReason, ResumeResult};
use crate::transcript::{NodeIndex, NodeMap, Parent, Transcript};
use crate::turn::{Speaker, prompt_text};

/// Returns the prompts, replies and results that a client would lose, in the order of the file.
///
/// Messages that a compaction summarised, that belong to a sub-agent or to a branch that the user left are not lost; those
/// that cannot be reached, read or paired are. A conversation of its own that opens with the same prompt was left, too.
pub fn losses<'a>(
    transcript: &Transcript<'a>,
    graph: &Graph<'a>,
    resumed: &ResumeResult<'a>,
) -> Vec<NodeIndex> {
    losses_by(Choices::new(transcript, graph, resumed), transcript, resumed)
}

/// Returns those losses that only damage explains. Clients write a prompt without a parent if the user starts over, so a
/// conversation that starts like this may have been left; one whose parent is missing was cut off.
pub fn losses_by_damage<'a>(
    transcript: &Transcript<'a>,
    graph: &Graph<'a>,
    resumed: &ResumeResult<'a>,
) -> Vec<NodeIndex> {
    let mut choices = Choices::new(transcript, graph, resumed);
    choices.starts_over = choices.first.is_some_and(|first| choices.is_start(first));
    losses_by(choices, transcript, resumed)
}

fn losses_by<'a>(
    mut choices: Choices<'_, 'a>,
    transcript: &Transcript<'a>,
    resumed: &ResumeResult<'a>,
) -> Vec<NodeIndex> {
    let is_message = |node: NodeIndex| {
        let node = &transcript.nodes()[node];
        matches!(node.kind, RecordKind::User | RecordKind::Assistant) && !node.is_sidechain
    };
    let mut is_missed = |node: NodeIndex, reason: OmissionReason| match reason {
        OmissionReason::NotConnected => !choices.is_summarized(node) && !choices.is_sent_again(node),
        OmissionReason::Unread
        | OmissionReason::UnansweredCall
        | OmissionReason::UnansweredServerCall
        | OmissionReason::ResultWithoutCall => true,
        OmissionReason::OtherBranch => !choices.is_left_by_person(node),
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

/// Which branches the user left.
struct Choices<'t, 'a> {
    transcript: &'t Transcript<'a>,
    graph: &'t Graph<'a>,
    places: NodeMap<Membership>,
    /// The first prompt of what is resumed.
    opening: Option<String>,
    /// The first record of it.
    first: Option<NodeIndex>,
    /// Whether the user may have started over with it.
    starts_over: bool,
    /// The summary that opens what is resumed: the oldest clients wrote no boundary before it.
    summary: Option<NodeIndex>,
    /// The first record of the branch of each that was visited: no record is visited twice.
    tops: NodeMap<Option<Option<NodeIndex>>>,
    /// Whether each of those opens with the prompt of what is resumed.
    is_again: NodeMap<Option<bool>>,
}

impl<'t, 'a> Choices<'t, 'a> {
    fn new(transcript: &'t Transcript<'a>, graph: &'t Graph<'a>, resumed: &ResumeResult<'a>) -> Self {
        let mut places = NodeMap::new(transcript, Membership::Within);
        for left in &resumed.left_out {
            match left.reason {
                OmissionReason::Progress => places[left.node] = Membership::Progress,
                OmissionReason::OtherBranch | OmissionReason::NotConnected | OmissionReason::Replaced => {
                    places[left.node] = Membership::Outside;
                }
                _ => {}
            }
        }
        let mut blocks = resumed.messages().iter().flat_map(|message| &message.blocks);
        let first = blocks.find_map(|block| match block.origin {
            BlockOrigin::Record(node) => Some(node),
            BlockOrigin::Filler(_) => None,
        });
        let mut choices = Self {
            transcript,
            graph,
            places,
            opening: None,
            first,
            starts_over: false,
            summary: first.filter(|&first| transcript.node(first).is_compact_summary),
            tops: NodeMap::new(transcript, None),
            is_again: NodeMap::new(transcript, None),
        };
        choices.opening = first.and_then(|first| choices.prompt(first));
        choices
    }

    /// Whether the branch of a record starts with a prompt: then the user went back and sent another.
    fn is_left_by_person(&mut self, node: NodeIndex) -> bool {
        match self.transcript.record(self.top(node)) {
            Record::User(user) => Speaker::of(&user) != Speaker::Tool,
            _ => false,
        }
    }

    /// Whether a record comes before the summary that opens what is resumed.
    fn is_summarized(&self, node: NodeIndex) -> bool {
        self.summary.is_some_and(|summary| node < summary)
    }

    /// Whether a conversation starts with the prompt with which the resumed one starts: then the user started over.
    fn is_sent_again(&mut self, node: NodeIndex) -> bool {
        let top = self.top(node);
        let known = self.is_again[top];
        let answer = known.unwrap_or_else(|| match (&self.opening, self.prompt(top)) {
            (Some(opening), Some(prompt)) => *opening == prompt || (self.starts_over && self.is_start(top)),
            _ => false,
        });
        self.is_again[top] = Some(answer);
        answer
    }

    fn is_start(&self, node: NodeIndex) -> bool {
        self.transcript.node(node).parent == Parent::Null
    }

    /// The prompt of a record that opens a conversation.
    fn prompt(&self, node: NodeIndex) -> Option<String> {
        match self.transcript.record(node) {
            Record::User(user) if self.graph.parent(node).is_none() && Speaker::of(&user).opens_turn() => {
                Some(prompt_text(&user))
            }
            _ => None,
        }
    }

    /// The first record of the branch of one that is outside the conversation. Progress belongs to what is above it.
    fn top(&mut self, node: NodeIndex) -> NodeIndex {
        let mut path = Vec::new();
        let mut at = node;
        let mut top = loop {
            if let Some(known) = self.tops[at] {
                break known;
            }
            // A cycle ends where it comes back.
            self.tops[at] = Some(None);
            path.push(at);
            match self.graph.parent(at).filter(|&parent| self.places[parent] != Membership::Within) {
                Some(parent) => at = parent,
                None => break None,
            }
        };
        for passed in path.into_iter().rev() {
            if top.is_none() && self.places[passed] == Membership::Outside {
                top = Some(passed);
            }
            self.tops[passed] = Some(top);
        }
        top.unwrap_or(node)
    }
}

/// Where a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Membership {
    /// In the conversation, sent or not.
    Within,
    /// Not in the conversation.
    Outside,
    /// Either.
    Progress,
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
        check(&(start.clone() + &cut), &[0, 1]);
        // The user started over with the same prompt, or with another one: that may as well be a cut.
        let again = |prompt: &str| line("user", "g", "", 50, prompt) + &line("assistant", "h", "g", 51, text);
        check(&(start.clone() + &again("\"one\"")), &[]);
        check(&(start.clone() + &again("\"another\"")), &[0, 1]);
        let summary = again("\"so far\"").replacen('{', "{\"isCompactSummary\":true,", 1);
        check(&(start + &summary), &[]);
    }

    #[test]
    fn starting_over_is_no_damage_and_loose_replies_are() {
        let text = r#"[{"type":"text","text":"ok"}]"#;
        let damage = |file: &str| {
            let transcript = Transcript::parse(file.as_bytes());
            let resumed = resume(&transcript, Client::NEWEST);
            losses_by_damage(&transcript, &Graph::new(&transcript), &resumed).len()
        };
        let start = line("user", "a", "", 0, "\"one\"") + &line("assistant", "b", "a", 1, text);
        let other =
            |parent| line("user", "c", parent, 50, "\"two\"") + &line("assistant", "d", "c", 51, text);
        assert_eq!(damage(&(start.clone() + &other(""))), 0);
        assert_eq!(damage(&(start.clone() + &other("gone"))), 2);
        let loose = start.replace("\"parentUuid\":\"a\"", "\"parentUuid\":null");
        assert_eq!(damage(&(loose + &other(""))), 1);
    }
}
