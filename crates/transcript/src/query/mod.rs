//! Queries on a session: find a record, its ancestors, the last messages, counts.

mod counts;
mod filter;

pub use counts::{Counts, MessageCounts};
pub use filter::{Filter, Inclusion, LineKind, Scope, select};

use crate::graph::{Graph, history};
use crate::message::{Message, groups};
use crate::resume::{self, Client};
use crate::transcript::{NodeIndex, Transcript};

/// Returns the chain record with this uuid; the last one of several.
pub fn by_uuid(transcript: &Transcript<'_>, uuid: &str) -> Option<NodeIndex> {
    transcript.rposition(|node| node.is_chain() && node.uuid.is_some_and(|id| id.is(uuid)))
}

/// Returns the record with this uuid and all its ancestors, first one first, across compactions; `None` if there is no such
/// record.
pub fn ancestry<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>, uuid: &str) -> Option<Vec<NodeIndex>> {
    by_uuid(transcript, uuid).map(|node| history(transcript, graph, node))
}

/// Returns the branch that the newest client resumes, first record first, with what compactions hide from the model.
pub fn live_branch<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>) -> Vec<NodeIndex> {
    resume::branch(transcript, graph, Client::NEWEST)
}

/// Returns the last messages of the live branch, oldest first.
pub fn last<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>, count: usize) -> Vec<Message> {
    let groups = groups(transcript, live_branch(transcript, graph));
    let from = groups.len().saturating_sub(count);
    groups[from..].iter().filter_map(|group| Message::of(transcript, group)).collect()
}

#[cfg(test)]
mod tests;
