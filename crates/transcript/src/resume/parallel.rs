//! Parallel calls: a response's other lines and their results, pulled in from other branches.
//!
//! Owns the order of what is pulled in. Which results match which calls is not decided here.

use std::collections::HashMap;

use super::lines::{Children, Lines};
use super::rules::{ParallelRule, Rules};
use crate::content::Block;
use crate::id::MessageId;
use crate::record::{Record, RecordKind, SystemKind};
use crate::transcript::NodeIndex;

/// The chain with what belongs to its responses.
pub(super) fn pull_in(lines: &Lines<'_, '_>, rules: &Rules, chain: Vec<NodeIndex>) -> Vec<NodeIndex> {
    if rules.parallel == ParallelRule::OnlyChain {
        return chain;
    }
    let mut step = Step::new(lines, rules.parallel, &chain);
    let mut whole = Vec::with_capacity(chain.len());
    let mut at = 0;
    while let Some(&index) = chain.get(at) {
        at += 1;
        whole.push(index);
        let Some(id) = response_of(lines, index) else { continue };
        if step.last_on_chain.get(&id) != Some(&index) {
            continue;
        }
        let Found { siblings, mut results } = step.find(id);
        if rules.parallel == ParallelRule::Children || results.is_empty() {
            whole.extend(siblings);
            whole.extend(results);
            continue;
        }
        let mut stretch = take_stretch(lines, &mut whole, id);
        stretch.extend(siblings);
        while let Some(&next) =
            chain.get(at).filter(|&&next| !lines.is_message(next) || is_result(lines, next))
        {
            stretch.push(next);
            at += 1;
        }
        results.sort_unstable();
        merge(lines, &mut whole, &stretch, &results);
    }
    whole
}

/// Takes off the end what belongs to a response: its lines, and the results and notices between and behind them.
fn take_stretch<'a>(lines: &Lines<'_, 'a>, whole: &mut Vec<NodeIndex>, id: MessageId<'a>) -> Vec<NodeIndex> {
    let mut start = whole.len();
    for (at, &index) in whole.iter().enumerate().rev() {
        if response_of(lines, index) == Some(id) {
            start = at;
        } else if lines.is_message(index) && !is_result(lines, index) {
            break;
        }
    }
    whole.split_off(start)
}

/// Puts results among those of the stretch by their place in the file; calls and notices stay where they are.
fn merge(lines: &Lines<'_, '_>, whole: &mut Vec<NodeIndex>, stretch: &[NodeIndex], results: &[NodeIndex]) {
    let mut results = results.iter().copied().peekable();
    for &index in stretch {
        if is_result(lines, index) {
            while let Some(earlier) = results.next_if(|&result| result < index) {
                whole.push(earlier);
            }
        }
        whole.push(index);
    }
    whole.extend(results);
}

fn response_of<'a>(lines: &Lines<'_, 'a>, index: NodeIndex) -> Option<MessageId<'a>> {
    let node = lines.node(index);
    if node.kind == RecordKind::Assistant { node.message } else { None }
}

/// Whether a line carries a tool's result.
pub(super) fn is_result(lines: &Lines<'_, '_>, index: NodeIndex) -> bool {
    if lines.node(index).kind != RecordKind::User {
        return false;
    }
    let Record::User(user) = lines.transcript.record(index) else { return false };
    user.content().blocks().any(|block| matches!(block, Block::ToolResult(_)))
}

fn has_call(lines: &Lines<'_, '_>, index: NodeIndex) -> bool {
    let Record::Assistant(assistant) = lines.transcript.record(index) else { return false };
    assistant.content().blocks().any(|block| matches!(block, Block::ToolUse(_)))
}

/// What belongs to a response and is not on the chain.
#[derive(Default)]
struct Found {
    siblings: Vec<NodeIndex>,
    results: Vec<NodeIndex>,
}

struct Step<'l, 't, 'a> {
    lines: &'l Lines<'t, 'a>,
    rule: ParallelRule,
    children: Children,
    members: HashMap<MessageId<'a>, Vec<NodeIndex>>,
    last_on_chain: HashMap<MessageId<'a>, NodeIndex>,
    /// On the chain, or pulled in.
    is_taken: Vec<bool>,
}

impl<'l, 't, 'a> Step<'l, 't, 'a> {
    fn new(lines: &'l Lines<'t, 'a>, rule: ParallelRule, chain: &[NodeIndex]) -> Self {
        let mut members: HashMap<_, Vec<_>> = HashMap::new();
        for &index in &lines.known {
            if let Some(id) = response_of(lines, index) {
                members.entry(id).or_default().push(index);
            }
        }
        let mut is_taken = vec![false; lines.transcript.nodes().len()];
        let mut last_on_chain = HashMap::new();
        for &index in chain {
            is_taken[index] = true;
            if let Some(id) = response_of(lines, index) {
                last_on_chain.insert(id, index);
            }
        }
        Self { lines, rule, children: lines.children(), members, last_on_chain, is_taken }
    }

    fn find(&mut self, id: MessageId<'a>) -> Found {
        let mut found = Found::default();
        let members = self.members.remove(&id).unwrap_or_default();
        for &member in &members {
            if !std::mem::replace(&mut self.is_taken[member], true) {
                found.siblings.push(member);
            }
        }
        for &member in &members {
            self.find_results(member, &mut found.results);
        }
        if self.rule == ParallelRule::Children {
            let lines = self.lines;
            let by_time =
                |list: &mut Vec<NodeIndex>| list.sort_by_key(|&index| (lines.node(index).millis, index));
            by_time(&mut found.siblings);
            by_time(&mut found.results);
        }
        found
    }

    fn find_results(&mut self, member: NodeIndex, results: &mut Vec<NodeIndex>) {
        let before = results.len();
        let mut has_result = false;
        let mut open = vec![member];
        while let Some(index) = open.pop() {
            for at in 0..self.children.of_line(index).len() {
                let child = self.children.of_line(index)[at];
                if self.is_taken[child] {
                    continue;
                }
                let is_result = is_result(self.lines, child);
                let is_between = self.rule == ParallelRule::Descendants
                    && !self.lines.is_message(child)
                    && self.lines.node(child).system != Some(SystemKind::CompactBoundary);
                if !is_result && !is_between {
                    continue;
                }
                self.is_taken[child] = true;
                has_result |= is_result;
                results.push(child);
                if self.rule == ParallelRule::Descendants {
                    open.push(child);
                }
            }
        }
        if !has_result && !has_call(self.lines, member) {
            // Notices and attachments behind plain words belong to the branch that they are on.
            results.truncate(before);
        }
    }
}
