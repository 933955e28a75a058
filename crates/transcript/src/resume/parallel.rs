//! Parallel calls: adds the other records of a response and their results from other branches.

use std::collections::{HashMap, HashSet};

use super::lines::{Children, ClientLines};
use super::rules::{ClientRules, ParallelRule};
use crate::content::Block;
use crate::id::{MessageId, ToolUseId};
use crate::record::{Record, RecordKind, SystemKind};
use crate::transcript::{NodeIndex, NodeMap};

/// Returns the chain with everything that belongs to its responses.
pub(super) fn gather_parallel(
    lines: &ClientLines<'_, '_>,
    rules: &ClientRules,
    chain: Vec<NodeIndex>,
) -> Vec<NodeIndex> {
    if rules.parallel == ParallelRule::OnlyChain {
        return chain;
    }
    let mut gatherer = CallGatherer::new(lines, rules.parallel, &chain);
    let mut whole = Vec::with_capacity(chain.len());
    let mut at = 0;
    while let Some(&index) = chain.get(at) {
        at += 1;
        whole.push(index);
        let Some(id) = response_of(lines, index) else { continue };
        gatherer.gather(index);
        let is_last = gatherer.last_on_chain.get(&id) == Some(&index);
        let goes_on = !is_last && chain.get(at).is_some_and(|&next| response_of(lines, next) == Some(id));
        match rules.parallel {
            ParallelRule::Children if !is_last => continue,
            ParallelRule::Descendants if goes_on => continue,
            _ => {}
        }
        let siblings = if is_last { gatherer.siblings(id) } else { Vec::new() };
        whole.extend(siblings);
        let results = gatherer.take_results();
        if rules.parallel == ParallelRule::Descendants && !results.is_empty() {
            let behind =
                chain[at..].iter().take_while(|&&next| !is_speech(lines, next) || is_result(lines, next));
            let behind = &chain[at..at + behind.count()];
            at += behind.len();
            merge(lines, &mut whole, behind, &results);
        } else {
            whole.extend(results);
        }
    }
    whole
}

/// Merges results with those that follow on the chain, in the order of the file.
fn merge(
    lines: &ClientLines<'_, '_>,
    whole: &mut Vec<NodeIndex>,
    behind: &[NodeIndex],
    results: &[NodeIndex],
) {
    let mut results = results.iter().copied().peekable();
    for &index in behind {
        if is_result(lines, index) {
            while let Some(earlier) = results.next_if(|&result| result < index) {
                whole.push(earlier);
            }
        }
        whole.push(index);
    }
    whole.extend(results);
}

fn response_of<'a>(lines: &ClientLines<'_, 'a>, index: NodeIndex) -> Option<MessageId<'a>> {
    let node = lines.node(index);
    if node.kind == RecordKind::Assistant { node.message } else { None }
}

/// Whether a record is a message of the user or a model, not of the client in the user's name.
fn is_speech(lines: &ClientLines<'_, '_>, index: NodeIndex) -> bool {
    lines.is_message(index) && !lines.node(index).is_meta
}

/// Whether a line carries a tool's result.
pub(super) fn is_result(lines: &ClientLines<'_, '_>, index: NodeIndex) -> bool {
    if lines.node(index).kind != RecordKind::User {
        return false;
    }
    let Record::User(user) = lines.transcript.record(index) else { return false };
    user.content().blocks().any(|block| matches!(block, Block::ToolResult(_)))
}

/// Which lines answer which calls.
fn answers<'a>(lines: &ClientLines<'_, 'a>) -> HashMap<ToolUseId<'a>, Vec<NodeIndex>> {
    let mut answers: HashMap<_, Vec<_>> = HashMap::new();
    for &index in &lines.known {
        if lines.node(index).kind != RecordKind::User {
            continue;
        }
        let Record::User(user) = lines.transcript.record(index) else { continue };
        for block in user.content().blocks() {
            if let Block::ToolResult(result) = block
                && let Some(call) = result.tool_use()
            {
                answers.entry(call).or_default().push(index);
            }
        }
    }
    answers
}

fn calls<'a>(lines: &ClientLines<'_, 'a>, index: NodeIndex) -> Vec<ToolUseId<'a>> {
    let Record::Assistant(assistant) = lines.transcript.record(index) else { return Vec::new() };
    let call = |block| match block {
        Block::ToolUse(call) => call.id(),
        _ => None,
    };
    assistant.content().blocks().filter_map(call).collect()
}

struct CallGatherer<'l, 't, 'a> {
    lines: &'l ClientLines<'t, 'a>,
    rule: ParallelRule,
    children: Children,
    members: HashMap<MessageId<'a>, Vec<NodeIndex>>,
    last_on_chain: HashMap<MessageId<'a>, NodeIndex>,
    /// On the chain, or added.
    is_taken: NodeMap<bool>,
    /// Results that were found but not yet added.
    results: Vec<NodeIndex>,
    /// The records that answer a call, on any branch.
    answers: HashMap<ToolUseId<'a>, Vec<NodeIndex>>,
}

impl<'l, 't, 'a> CallGatherer<'l, 't, 'a> {
    fn new(lines: &'l ClientLines<'t, 'a>, rule: ParallelRule, chain: &[NodeIndex]) -> Self {
        let mut members: HashMap<_, Vec<_>> = HashMap::new();
        for &index in &lines.known {
            if let Some(id) = response_of(lines, index) {
                members.entry(id).or_default().push(index);
            }
        }
        let answers = if rule == ParallelRule::Descendants { answers(lines) } else { HashMap::new() };
        let mut is_taken = NodeMap::new(lines.transcript, false);
        let mut last_on_chain = HashMap::new();
        for &index in chain {
            is_taken[index] = true;
            if let Some(id) = response_of(lines, index) {
                last_on_chain.insert(id, index);
            }
        }
        Self {
            lines,
            rule,
            children: lines.children(),
            members,
            last_on_chain,
            is_taken,
            results: Vec::new(),
            answers,
        }
    }

    /// The lines of a response that are not on the chain; their results are found, too.
    fn siblings(&mut self, id: MessageId<'a>) -> Vec<NodeIndex> {
        let members = self.members.remove(&id).unwrap_or_default();
        let mut siblings: Vec<_> = members.into_iter().filter(|&member| !self.is_taken[member]).collect();
        for &sibling in &siblings {
            self.is_taken[sibling] = true;
            self.gather(sibling);
        }
        if self.rule == ParallelRule::Children {
            siblings.sort_by_key(|&index| (self.lines.node(index).millis, index));
        }
        siblings
    }

    /// Returns the results found since the last call, in the order in which they are sent.
    fn take_results(&mut self) -> Vec<NodeIndex> {
        let mut results = std::mem::take(&mut self.results);
        match self.rule {
            ParallelRule::Children => results.sort_by_key(|&index| (self.lines.node(index).millis, index)),
            ParallelRule::Descendants | ParallelRule::OnlyChain => results.sort_unstable(),
        }
        results
    }

    /// Finds the results of one line's calls.
    fn gather(&mut self, member: NodeIndex) {
        let before = self.results.len();
        let mut has_result = false;
        let calls = calls(self.lines, member);
        // Each with whether it is known to be a dead end.
        let mut open = vec![(member, false)];
        for call in &calls {
            for answer in self.answers.remove(call).unwrap_or_default() {
                if !std::mem::replace(&mut self.is_taken[answer], true) {
                    has_result = true;
                    self.results.push(answer);
                    open.push((answer, false));
                }
            }
        }
        while let Some((index, is_dead_end)) = open.pop() {
            for at in 0..self.children.of_line(index).len() {
                let child = self.children.of_line(index)[at];
                if self.is_taken[child] {
                    continue;
                }
                let is_result = is_result(self.lines, child);
                let is_beside = || {
                    self.rule == ParallelRule::Descendants
                        && !is_speech(self.lines, child)
                        && (is_dead_end || self.is_dead_end(child))
                };
                if !is_result && !is_beside() {
                    continue;
                }
                self.is_taken[child] = true;
                has_result |= is_result;
                self.results.push(child);
                if self.rule == ParallelRule::Descendants {
                    open.push((child, !is_result));
                }
            }
        }
        if !has_result && calls.is_empty() {
            // Attachments after plain text belong to their branch.
            self.results.truncate(before);
        }
    }

    /// Whether all descendants of a notice, attachment or client message are results or more of these.
    fn is_dead_end(&self, from: NodeIndex) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![from];
        while let Some(index) = open.pop() {
            let goes_on = is_speech(self.lines, index) && !is_result(self.lines, index);
            if goes_on || self.lines.node(index).system == Some(SystemKind::CompactBoundary) {
                return false;
            }
            if seen.insert(index) {
                open.extend(self.children.of_line(index));
            }
        }
        true
    }
}
