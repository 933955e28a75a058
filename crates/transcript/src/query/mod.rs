//! Questions about a session: which record, what led to it, what was said last, how much of everything.
//!
//! Owns the questions; the answers come from the rooms that know: the graph, resume, turns, pairs, usage. It never
//! changes a session.

mod counts;
mod filter;

pub use counts::{Counts, MessageCounts};
pub use filter::{Filter, LineKind, Scope, Wanted, select};

use crate::graph::{Graph, history};
use crate::message::{Message, groups};
use crate::resume::{self, Client};
use crate::transcript::{NodeIndex, Transcript};

/// The chain record with this uuid; the last one where there are several.
pub fn by_uuid(transcript: &Transcript<'_>, uuid: &str) -> Option<NodeIndex> {
    transcript.nodes().iter().rposition(|node| node.is_chain() && node.uuid.is_some_and(|id| id.is(uuid)))
}

/// The record with this uuid and everything that led to it, first line first, by parents alone and across compactions;
/// none where there is no such record.
pub fn ancestry<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>, uuid: &str) -> Option<Vec<NodeIndex>> {
    by_uuid(transcript, uuid).map(|node| history(transcript, graph, node))
}

/// The live branch: the one that the newest client resumes, first line first, with what compactions hide from the model.
pub fn live_branch<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>) -> Vec<NodeIndex> {
    resume::branch(transcript, graph, Client::NEWEST)
}

/// The last messages of the live branch, oldest first.
pub fn last<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>, count: usize) -> Vec<Message> {
    let groups = groups(transcript, live_branch(transcript, graph));
    let from = groups.len().saturating_sub(count);
    groups[from..].iter().filter_map(|group| Message::of(transcript, group)).collect()
}

#[cfg(test)]
mod tests;
