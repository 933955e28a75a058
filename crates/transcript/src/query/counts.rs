//! Counts of records, messages, calls and tokens of a session.

use std::collections::BTreeMap;

use crate::content::Content;
use crate::graph::{Graph, NodeSet, segments};
use crate::message::{MessageRole, groups};
use crate::pairing::ToolPairs;
use crate::record::{Record, RecordKind};
use crate::response::responses;
use crate::transcript::{NodeIndex, Transcript};
use crate::turn::turns;
use crate::usage::{ResponseUsage, Tokens, responses_usage};

/// Counts over a whole file, with all branches and inline sub-agents. All records are counted; of a record that was written
/// twice (same uuid), messages, responses, calls and tokens count once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// JSON objects of all lines.
    pub records: usize,
    /// Records by type.
    pub kinds: BTreeMap<RecordKind, usize>,
    /// Plain messages.
    pub messages: MessageCounts,
    /// Prompts of the user: one per turn.
    pub prompts: usize,
    /// Responses by a model.
    pub responses: usize,
    /// Blocks in which the model calls a tool.
    pub tool_calls: usize,
    /// Blocks that answer a call.
    pub tool_results: usize,
    /// Calls that failed.
    pub tool_errors: usize,
    /// Errors of the API that the client wrote into the conversation.
    pub api_errors: usize,
    /// Lines of sub-agents.
    pub sidechain_lines: usize,
    /// How often the context was compacted.
    pub compactions: usize,
    /// Tokens of the responses, each counted once.
    pub tokens: Tokens,
    /// Responses by the reason why they ended; `none` where no line says it.
    pub stop_reasons: BTreeMap<String, usize>,
    /// Content blocks of user and assistant messages by type; a content that is one text counts as a `text` block.
    pub blocks: BTreeMap<String, usize>,
}

/// Plain messages by role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageCounts {
    /// User messages.
    pub user: usize,
    /// Messages of a model, or of the client in its name.
    pub assistant: usize,
    /// Messages of the client.
    pub system: usize,
}

impl MessageCounts {
    /// The sum.
    pub fn total(&self) -> usize {
        self.user + self.assistant + self.system
    }
}

impl Counts {
    /// Counts a file.
    pub fn of<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>) -> Self {
        let nodes = transcript.nodes();
        let mut counts = Self { records: nodes.len(), ..Self::default() };
        for node in nodes {
            *counts.kinds.entry(node.kind).or_default() += 1;
            counts.sidechain_lines += usize::from(node.is_sidechain);
        }
        counts.count_messages(transcript, graph);
        let pairs = ToolPairs::new(transcript);
        let answered = pairs.pairs.iter().filter(|pair| pair.result.is_some()).count();
        counts.tool_calls = pairs.pairs.len();
        counts.tool_results = answered + pairs.orphans.len() + pairs.repeated.len();
        counts.tool_errors = pairs.pairs.iter().filter(|pair| pair.is_error).count();
        counts.prompts = turns(transcript).len();
        for response in responses(transcript).iter().filter(|response| !response.is_synthetic) {
            counts.responses += 1;
            let reason = response.stop_reason.map_or_else(|| "none".to_owned(), |reason| reason.to_string());
            *counts.stop_reasons.entry(reason).or_default() += 1;
        }
        counts.compactions = segments(transcript, graph).len() - 1;
        counts.tokens = responses_usage(transcript).iter().map(ResponseUsage::tokens).sum();
        counts
    }

    fn count_messages<'a>(&mut self, transcript: &Transcript<'a>, graph: &Graph<'a>) {
        let replaced = NodeSet::of(transcript.nodes().len(), graph.duplicates());
        let once = transcript.indices().filter(|&node| !replaced.has(node));
        for group in groups(transcript, once) {
            group.iter().for_each(|&node| self.count_blocks(&transcript.record(node)));
            let kind = group.first().map(|&first| transcript.nodes()[first].kind);
            match kind.and_then(MessageRole::of) {
                Some(MessageRole::User) => self.messages.user += 1,
                Some(MessageRole::Assistant) => self.messages.assistant += 1,
                Some(MessageRole::System) => self.messages.system += 1,
                None => {}
            }
            let is_error = |&node: &NodeIndex| match transcript.record(node) {
                Record::Assistant(line) => line.is_api_error() == Some(true),
                _ => false,
            };
            self.api_errors += usize::from(group.iter().any(is_error));
        }
    }

    fn count_blocks(&mut self, record: &Record<'_>) {
        let content = match record {
            Record::User(user) => user.content(),
            Record::Assistant(assistant) => assistant.content(),
            _ => return,
        };
        if let Content::Text(_) = content {
            *self.blocks.entry("text".to_owned()).or_default() += 1;
        }
        for block in content.blocks() {
            let name = block.type_name().map_or_else(|| "untyped".to_owned(), |name| name.to_string());
            *self.blocks.entry(name).or_default() += 1;
        }
    }
}
