//! Queries on a session: find a record, its ancestors, the last messages, counts.

mod counts;
mod filter;

pub use counts::{Counts, MessageCounts};
pub use filter::{Filter, Inclusion, LineKind, Scope, select};

use std::collections::HashMap;

use crate::graph::{Graph, history};
use crate::message::{Message, groups};
use crate::resume::{self, Client};
use crate::transcript::{NodeIndex, Transcript};

/// Returns the chain record with this uuid; the last one of several.
pub fn by_uuid(transcript: &Transcript<'_>, uuid: &str) -> Option<NodeIndex> {
    transcript.rposition(|node| node.is_chain() && node.uuid.is_some_and(|id| id.is(uuid)))
}

/// The beginning of an id must have this many characters.
pub const MIN_PREFIX: usize = 4;

/// The record that a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordMatch {
    /// Exactly one record matches.
    One(NodeIndex),
    /// None.
    Nothing,
    /// This number of different ones begin so.
    Several(usize),
}

/// Returns the chain record with this uuid, or the only one whose uuid begins so. Of lines with the same uuid it is the
/// last.
pub fn by_prefix(transcript: &Transcript<'_>, text: &str) -> RecordMatch {
    if let Some(node) = by_uuid(transcript, text) {
        return RecordMatch::One(node);
    }
    if text.chars().count() < MIN_PREFIX {
        return RecordMatch::Nothing;
    }
    let mut found: HashMap<String, NodeIndex> = HashMap::new();
    for (index, node) in transcript.indexed_nodes().filter(|(_, node)| node.is_chain()) {
        if let Some(id) = node.uuid.map(|id| id.to_string()).filter(|id| id.starts_with(text)) {
            found.insert(id, index);
        }
    }
    match found.len() {
        0 => RecordMatch::Nothing,
        1 => found.into_values().next().map_or(RecordMatch::Nothing, RecordMatch::One),
        count => RecordMatch::Several(count),
    }
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
