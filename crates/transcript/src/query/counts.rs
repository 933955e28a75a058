//! How much of everything a session has.

use std::collections::BTreeMap;

use crate::graph::{Graph, Marks, segments};
use crate::message::{Role, groups};
use crate::pairing::Pairs;
use crate::record::{Record, RecordKind};
use crate::response::responses;
use crate::transcript::Transcript;
use crate::turn::turns;
use crate::usage::{ResponseUsage, Tokens, responses_usage};

/// Counts over a whole file, all branches and sub-agents inside it included. Records are counted as they stand in the file;
/// of a line that was written twice (same uuid) the messages, responses, calls and tokens count once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records.
    pub records: usize,
    /// Records by type.
    pub kinds: BTreeMap<RecordKind, usize>,
    /// Plain messages.
    pub messages: MessageCounts,
    /// Prompts by a person: as many as there are turns.
    pub prompts: usize,
    /// Responses by a model.
    pub responses: usize,
    /// Calls of tools.
    pub tool_calls: usize,
    /// Results of tools.
    pub tool_results: usize,
    /// Calls that failed.
    pub tool_errors: usize,
    /// Errors of the API that the client wrote into the conversation.
    pub api_errors: usize,
    /// Lines of sub-agents.
    pub sidechain_lines: usize,
    /// Compactions.
    pub compactions: usize,
    /// What the responses used, each once.
    pub tokens: Tokens,
}

/// Plain messages by role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounts {
    /// In the user's name.
    pub user: usize,
    /// By a model, or by the client in its name.
    pub assistant: usize,
    /// By the client.
    pub system: usize,
}

impl MessageCounts {
    /// All of them.
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
        let pairs = Pairs::new(transcript);
        let answered = pairs.pairs.iter().filter(|pair| pair.result.is_some()).count();
        counts.tool_calls = pairs.pairs.len();
        counts.tool_results = answered + pairs.orphans.len() + pairs.repeated.len();
        counts.tool_errors = pairs.pairs.iter().filter(|pair| pair.is_error).count();
        counts.prompts = turns(transcript).len();
        counts.responses = responses(transcript).iter().filter(|response| !response.is_synthetic).count();
        counts.compactions = segments(transcript, graph).len() - 1;
        counts.tokens = responses_usage(transcript).iter().map(ResponseUsage::tokens).sum();
        counts
    }

    fn count_messages<'a>(&mut self, transcript: &Transcript<'a>, graph: &Graph<'a>) {
        let count = transcript.nodes().len();
        let replaced = Marks::of(count, graph.duplicates());
        let once = (0..count).filter(|&node| !replaced.has(node));
        for group in groups(transcript, once) {
            let kind = group.first().map(|&first| transcript.nodes()[first].kind);
            match kind.and_then(Role::of) {
                Some(Role::User) => self.messages.user += 1,
                Some(Role::Assistant) => self.messages.assistant += 1,
                Some(Role::System) => self.messages.system += 1,
                None => {}
            }
            let is_error = |&node: &usize| match transcript.record(node) {
                Record::Assistant(line) => line.is_api_error() == Some(true),
                _ => false,
            };
            self.api_errors += usize::from(group.iter().any(is_error));
        }
    }
}
