//! Queries on an open session.

use annals_transcript::graph::Graph;
use annals_transcript::message::{Message, messages};
use annals_transcript::pairing::{ToolPair, ToolPairs};
use annals_transcript::price::Prices;
use annals_transcript::query::{self, Counts, Filter};
use annals_transcript::resume::{Client, ResumeResult, resume};
use annals_transcript::transcript::Transcript;
use annals_transcript::usage::{Report, group, responses_usage};

/// The records of a session, linked into a conversation. Borrows from a [`Session`](super::Session).
#[derive(Clone, Debug)]
pub struct SessionView<'a> {
    transcript: Transcript<'a>,
    graph: Graph<'a>,
}

impl<'a> SessionView<'a> {
    pub(super) fn new(transcript: Transcript<'a>, graph: Graph<'a>) -> Self {
        Self { transcript, graph }
    }

    /// Returns the records, in the order of the file.
    pub fn transcript(&self) -> &Transcript<'a> {
        &self.transcript
    }

    /// Returns parents, children and branches.
    pub fn graph(&self) -> &Graph<'a> {
        &self.graph
    }

    /// Returns the messages that a filter admits; the default filter admits every message of the file.
    pub fn messages(&self, filter: &Filter) -> Vec<Message> {
        messages(&self.transcript, query::select(&self.transcript, &self.graph, filter))
    }

    /// Returns the last messages of the live branch, oldest first.
    pub fn last_messages(&self, count: usize) -> Vec<Message> {
        query::last(&self.transcript, &self.graph, count)
    }

    /// Returns the message of the record with this uuid.
    pub fn message(&self, uuid: &str) -> Option<Message> {
        messages(&self.transcript, query::by_uuid(&self.transcript, uuid)).pop()
    }

    /// Returns the messages from the first one to the record with this uuid, following parents.
    pub fn ancestry(&self, uuid: &str) -> Option<Vec<Message>> {
        let nodes = query::ancestry(&self.transcript, &self.graph, uuid)?;
        Some(messages(&self.transcript, nodes))
    }

    /// Returns every tool call with its result, in the order of the file.
    pub fn tool_calls(&self) -> Vec<ToolPair<'a>> {
        ToolPairs::new(&self.transcript).pairs
    }

    /// Counts records, messages, responses, tool calls and tokens.
    pub fn counts(&self) -> Counts {
        Counts::of(&self.transcript, &self.graph)
    }

    /// Returns tokens and cost by model; each API response counts once.
    pub fn usage(&self, prices: &Prices) -> Report {
        let responses = responses_usage(&self.transcript);
        let charges = responses.iter().flat_map(|response| response.charges()).map(|charge| ((), charge));
        group(charges, prices, |_, charge| charge.model.map(|model| model.to_string()))
    }

    /// Returns what a client would send to the API if it resumed the session.
    pub fn resume(&self, client: Client) -> ResumeResult<'a> {
        resume(&self.transcript, client)
    }
}
