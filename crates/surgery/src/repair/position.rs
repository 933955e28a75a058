//! Finds the parent of a record that lost it: by its tool call, its response, its time, its position in the file. By time
//! and position, only a record of the same session is one.

use std::collections::HashMap;

use annals_transcript::content::Block;
use annals_transcript::id::{MessageId, SessionId, ToolUseId};
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::transcript::{NodeIndex, NodeMap};

use super::fix::RepairView;
use super::trees::Trees;

/// How far back clients look for a record in place of a missing parent.
const NEAR_MILLIS: i64 = 5_000;

/// How far a branch is followed from a record that is near in time.
const MAX_BRANCH_STEPS: usize = 1_000;

/// Where a record belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// After this record.
    After(NodeIndex, PositionEvidence),
    /// Nothing comes before it.
    First,
    /// Time and position in the file disagree.
    Ambiguous,
}

/// Why a record belongs there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PositionEvidence {
    /// It answers a call there.
    ToolId,
    /// It is part of the same response.
    Response,
    /// The nearest record within five seconds, where newer clients look.
    Near,
    /// The record before it, in time and in the file.
    Time,
}

impl PositionEvidence {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::ToolId => "it answers a call there",
            Self::Response => "it is part of the same response",
            Self::Near => "the nearest line in time",
            Self::Time => "the line before it",
        }
    }
}

/// Answers where records belong. Made once for a file, so that many questions take about the time of one.
pub(super) struct PositionIndex<'v, 'a> {
    view: &'v RepairView<'v, 'a>,
    trees: Trees,
    /// Whether the records name several sessions.
    is_mixed: bool,
    /// The records of each session that can be parents, by time; of several at one time the first in the file is the last
    /// here.
    by_time: HashMap<Option<SessionId<'a>>, Vec<(i64, NodeIndex)>>,
    /// The nearest record of the session before each that can be a parent.
    before: NodeMap<Option<NodeIndex>>,
    /// The records of each response, in the order of the file.
    responses: HashMap<MessageId<'a>, Vec<NodeIndex>>,
    /// The last record that makes each call.
    calls: HashMap<ToolUseId<'a>, NodeIndex>,
}

impl<'v, 'a> PositionIndex<'v, 'a> {
    pub(super) fn new(view: &'v RepairView<'v, 'a>) -> Self {
        let mut sessions = view.transcript.nodes().iter().filter_map(|node| node.session);
        let first = sessions.next();
        let mut index = Self {
            view,
            trees: Trees::new(view),
            is_mixed: sessions.any(|session| Some(session) != first),
            by_time: HashMap::new(),
            before: NodeMap::new(view.transcript, None),
            responses: HashMap::new(),
            calls: HashMap::new(),
        };
        let mut last = HashMap::new();
        for (at, node) in view.transcript.indexed_nodes() {
            let session = index.session_of(at);
            index.before[at] = last.get(&session).copied();
            if node.kind == RecordKind::Assistant {
                if let Some(message) = node.message {
                    index.responses.entry(message).or_default().push(at);
                }
                index.calls.extend(calls(view, at).into_iter().map(|call| (call, at)));
            }
            if view.can_be_named(at) {
                last.insert(session, at);
                let times = index.by_time.entry(session).or_default();
                times.extend(node.millis.map(|millis| (millis, at)));
            }
        }
        for times in index.by_time.values_mut() {
            times.sort_unstable_by_key(|&(millis, at)| (millis, std::cmp::Reverse(at)));
        }
        index
    }

    /// Finds the parent of a record that has none, or that is part of a cycle. It is never one of its descendants.
    pub(super) fn position_of(&mut self, node: NodeIndex) -> Position {
        let before = self.free_before(node);
        if let Some(position) = self.position_in_response(node, before) {
            return position;
        }
        let Some(millis) = self.view.node(node).millis else {
            return before.map_or(Position::First, |index| Position::After(index, PositionEvidence::Time));
        };
        let newest = self.newest_before(node, millis).map(|newest| self.last_of_its_time(newest, before));
        match (newest, before) {
            (Some((time, index)), _) if millis - time <= NEAR_MILLIS => {
                Position::After(self.end_of_branch(index, node), PositionEvidence::Near)
            }
            (Some((time, _)), Some(before)) if self.view.node(before).millis.is_none_or(|at| at == time) => {
                Position::After(before, PositionEvidence::Time)
            }
            (None, None) => Position::First,
            _ => Position::Ambiguous,
        }
    }

    /// The session of a record, if that makes a difference.
    fn session_of(&self, node: NodeIndex) -> Option<SessionId<'a>> {
        self.view.node(node).session.filter(|_| self.is_mixed)
    }

    /// Notes that a record becomes a child of another: no later answer makes a cycle of them.
    pub(super) fn attach(&mut self, child: NodeIndex, parent: NodeIndex) {
        self.trees.join(child, parent);
    }

    /// Whether a record can become the parent of another. What is connected with it are its descendants.
    fn is_free(&mut self, index: NodeIndex, node: NodeIndex) -> bool {
        self.view.can_be_named(index) && !self.trees.is_connected(index, node)
    }

    fn free_before(&mut self, node: NodeIndex) -> Option<NodeIndex> {
        let mut at = self.before[node];
        while let Some(index) = at.filter(|&index| self.trees.is_connected(index, node)) {
            at = self.before[index];
        }
        at
    }

    fn newest_before(&mut self, node: NodeIndex, millis: i64) -> Option<(i64, NodeIndex)> {
        let times = self.by_time.get(&self.session_of(node))?;
        let end = times.partition_point(|&(time, _)| time <= millis);
        let trees = &mut self.trees;
        let is_later = |&(time, index): &(i64, NodeIndex)| time == millis && index > node;
        let mut earlier = times[..end].iter().rev().copied().filter(|found| !is_later(found));
        earlier.find(|&(_, index)| !trees.is_connected(index, node))
    }

    /// Of several records at one time that have nothing to do with each other, the file tells which is the last.
    fn last_of_its_time(
        &mut self,
        (time, first): (i64, NodeIndex),
        before: Option<NodeIndex>,
    ) -> (i64, NodeIndex) {
        match before.filter(|&before| self.view.node(before).millis == Some(time)) {
            Some(before) if !self.trees.is_connected(before, first) => (time, before),
            _ => (time, first),
        }
    }

    /// Where a branch ends before a position in the file. Clients stamp some records with the time at which they were begun,
    /// so the newest record is not always the last of its branch.
    fn end_of_branch(&mut self, from: NodeIndex, up_to: NodeIndex) -> NodeIndex {
        let view = self.view;
        let mut end = from;
        // Each step goes forward in the file, so that a cycle ends the loop.
        for _ in 0..MAX_BRANCH_STEPS {
            let children = view.graph.children(end).filter(|&child| end < child && child < up_to);
            match children.filter(|&child| self.is_free(child, up_to)).last() {
                Some(next) => end = next,
                None => break,
            }
        }
        end
    }

    /// The position of a record that is part of a response, or answers a call of one.
    fn position_in_response(&mut self, node: NodeIndex, before: Option<NodeIndex>) -> Option<Position> {
        let view = self.view;
        let nodes = view.transcript.nodes();
        let (call, evidence) = match nodes[node].kind {
            RecordKind::Assistant => (None, PositionEvidence::Response),
            _ => {
                let first = answered(view, node).into_iter().next()?;
                (Some(*self.calls.get(&first)?), PositionEvidence::ToolId)
            }
        };
        let message = nodes[call.unwrap_or(node)].message;
        if call.is_none() {
            message?;
        }
        let is_part = |index: NodeIndex| match message {
            Some(_) => nodes[index].kind == RecordKind::Assistant && nodes[index].message == message,
            None => Some(index) == call,
        };
        let answers = |index: NodeIndex| {
            let calls = answered(view, index);
            calls.iter().filter_map(|id| self.calls.get(id)).any(|&call| is_part(call))
        };
        // In a chain as far as the file goes: every client follows a chain.
        if let Some(index) = before.filter(|&index| is_part(index) || answers(index)) {
            return Some(Position::After(index, evidence));
        }
        // A result follows its call if it cannot follow the whole response.
        if let Some(call) = call.filter(|&call| self.is_free(call, node)) {
            return Some(Position::After(call, evidence));
        }
        let lines = self.responses.get(&message?)?;
        let end = if call.is_some() { lines.len() } else { lines.partition_point(|&index| index < node) };
        let mut others = lines[..end].iter().rev().copied().filter(|&index| index != node);
        let trees = &mut self.trees;
        let last = others.find(|&index| view.can_be_named(index) && !trees.is_connected(index, node));
        last.map(|index| Position::After(index, evidence))
    }
}

/// The calls that a record answers.
pub(super) fn answered<'a>(view: &RepairView<'_, 'a>, index: NodeIndex) -> Vec<ToolUseId<'a>> {
    if view.node(index).kind != RecordKind::User {
        return Vec::new();
    }
    let Record::User(user) = view.transcript.record(index) else { return Vec::new() };
    let of_block = |block: Block<'a>| match block {
        Block::ToolResult(result) => result.tool_use(),
        _ => None,
    };
    user.content().blocks().filter_map(of_block).collect()
}

/// The calls in a record.
pub(super) fn calls<'a>(view: &RepairView<'_, 'a>, index: NodeIndex) -> Vec<ToolUseId<'a>> {
    let Record::Assistant(assistant) = view.transcript.record(index) else { return Vec::new() };
    let of_block = |block: Block<'a>| match block {
        Block::ToolUse(call) => call.id(),
        _ => None,
    };
    assistant.content().blocks().filter_map(of_block).collect()
}
