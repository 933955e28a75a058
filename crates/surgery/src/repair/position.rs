//! Finds the parent of a record that lost it: by its tool call, its response, its time, its position in the file.

use std::collections::HashSet;

use annals_transcript::content::Block;
use annals_transcript::id::ToolUseId;
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::transcript::NodeIndex;

use super::fix::RepairView;

/// How far back clients look for a record in place of a missing parent.
const NEAR_MILLIS: i64 = 5_000;

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

/// Finds the parent of a record, which is never one of its descendants.
pub(super) fn position_of(view: &RepairView<'_, '_>, node: NodeIndex) -> Position {
    let below = below(view, node);
    let is_free = |index: NodeIndex| view.can_be_named(index) && !below.contains(&index);
    let before = NodeIndex::FIRST.until(node).rev().find(|&index| is_free(index));
    if let Some(group) = ResponseGroup::of(view, node) {
        let evidence = if group.is_result { PositionEvidence::ToolId } else { PositionEvidence::Response };
        // In a chain as far as the file goes: every client follows a chain.
        if let Some(index) = before.filter(|&index| group.has(view, index)) {
            return Position::After(index, evidence);
        }
        if let Some(&index) = group.lines.iter().rev().find(|&&index| is_free(index)) {
            return Position::After(index, evidence);
        }
    }
    let Some(millis) = view.node(node).millis else {
        return before.map_or(Position::First, |index| Position::After(index, PositionEvidence::Time));
    };
    let mut newest: Option<(i64, NodeIndex)> = None;
    for index in view.transcript.indices().filter(|&index| index != node && is_free(index)) {
        if let Some(time) = view.node(index).millis.filter(|&time| time <= millis)
            && newest.is_none_or(|(best, _)| time > best)
        {
            newest = Some((time, index));
        }
    }
    match (newest, before) {
        (Some((time, index)), _) if millis - time <= NEAR_MILLIS => {
            Position::After(end_of_branch(view, index, node, &is_free), PositionEvidence::Near)
        }
        (Some((time, _)), Some(before)) if view.node(before).millis.is_none_or(|at| at == time) => {
            Position::After(before, PositionEvidence::Time)
        }
        (None, None) => Position::First,
        _ => Position::Ambiguous,
    }
}

/// Where a branch ends before a position in the file. Clients stamp some records with the time at which they were begun, so
/// the newest record is not always the last of its branch.
fn end_of_branch(
    view: &RepairView<'_, '_>,
    from: NodeIndex,
    up_to: NodeIndex,
    is_free: &dyn Fn(NodeIndex) -> bool,
) -> NodeIndex {
    let mut end = from;
    // Each step goes forward in the file, so that a cycle ends the loop.
    while let Some(next) =
        view.graph.children(end).filter(|&child| end < child && child < up_to && is_free(child)).last()
    {
        end = next;
    }
    end
}

/// A record and all its descendants.
fn below(view: &RepairView<'_, '_>, node: NodeIndex) -> HashSet<NodeIndex> {
    let mut below = HashSet::from([node]);
    let mut waiting = vec![node];
    while let Some(index) = waiting.pop() {
        waiting.extend(view.graph.children(index).filter(|&child| below.insert(child)));
    }
    below
}

/// The response that a record belongs to, with its calls.
struct ResponseGroup<'a> {
    lines: Vec<NodeIndex>,
    calls: HashSet<ToolUseId<'a>>,
    is_result: bool,
}

impl<'a> ResponseGroup<'a> {
    fn of(view: &RepairView<'_, 'a>, node: NodeIndex) -> Option<Self> {
        let answered = answered(view, node);
        let nodes = view.transcript.nodes();
        let is_assistant = |&index: &NodeIndex| nodes[index].kind == RecordKind::Assistant;
        let assistants = || view.transcript.indices().filter(is_assistant);
        let (message, of_call) = match nodes[node].kind {
            RecordKind::Assistant => (nodes[node].message?, None),
            _ => {
                let first = *answered.first()?;
                let call = assistants().rev().find(|&index| calls(view, index).contains(&first))?;
                match nodes[call].message {
                    Some(message) => (message, Some(call)),
                    None => {
                        let calls = calls(view, call).into_iter().collect();
                        return Some(Self { lines: vec![call], calls, is_result: true });
                    }
                }
            }
        };
        let mut lines: Vec<_> = assistants()
            .filter(|&index| index != node && nodes[index].message == Some(message))
            .filter(|&index| of_call.is_some() || index < node)
            .collect();
        let calls = lines.iter().flat_map(|&index| calls(view, index)).collect();
        // A result follows its call if it cannot follow the whole response.
        if let Some(call) = of_call {
            lines.retain(|&index| index != call);
            lines.push(call);
        }
        (!lines.is_empty()).then_some(Self { lines, calls, is_result: of_call.is_some() })
    }

    fn has(&self, view: &RepairView<'_, 'a>, index: NodeIndex) -> bool {
        self.lines.contains(&index) || answered(view, index).iter().any(|id| self.calls.contains(id))
    }
}

/// The calls that a record answers.
pub(super) fn answered<'a>(view: &RepairView<'_, 'a>, index: NodeIndex) -> Vec<ToolUseId<'a>> {
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
