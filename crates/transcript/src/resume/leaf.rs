//! Chooses the record that the conversation ends with.

use super::lines::{Children, ClientLines, ParentLink};
use super::refusal::Refusal;
use super::rules::{ClientRules, LeafRule, TrailRule};
use super::{chain, parallel};
use crate::record::{RecordKind, SystemKind};
use crate::transcript::{NodeIndex, NodeMap};

/// Chooses the leaf.
pub(super) fn choose(lines: &ClientLines<'_, '_>, rules: &ClientRules) -> Result<NodeIndex, Refusal> {
    if lines.known.is_empty() {
        return Err(Refusal::NoMessages);
    }
    let last = lines.known.iter().rev().copied().find(|&index| !lines.node(index).is_sidechain);
    let last = last.ok_or(Refusal::OnlySidechains)?;
    let leaf = match rules.leaf {
        LeafRule::NewestTimestamp => {
            newest(lines, lines.known.iter().copied()).ok_or(Refusal::NoTimestamp)?
        }
        LeafRule::LoneTipElseLastLine => lone_tip_else_last(lines, last)?,
        LeafRule::LastLineThenLastPrompt => {
            let children = lines.children();
            let file_leaf = file_leaf(lines, &children, last)?;
            // With a record that names a leaf, the last line itself counts, not its descendants.
            let end = if lines.restored.is_some() { file_leaf } else { last };
            match last_prompt(lines, rules, end) {
                Some(chosen) if lines.node(chosen).is_sidechain => return Err(Refusal::LeafIsSidechain),
                Some(chosen) => chosen,
                None => file_leaf,
            }
        }
    };
    match rules.trail {
        TrailRule::Kept => Ok(leaf),
        TrailRule::CutToMessage => nearest_message(lines, leaf).ok_or(Refusal::NoMessages),
    }
}

/// The newest record that is not a sidechain; the first in the file of equally new ones.
fn newest(lines: &ClientLines<'_, '_>, candidates: impl Iterator<Item = NodeIndex>) -> Option<NodeIndex> {
    let mut best: Option<(i64, NodeIndex)> = None;
    for index in candidates {
        let node = lines.node(index);
        if let Some(millis) = node.millis
            && !node.is_sidechain
            && best.is_none_or(|(newest, _)| millis > newest)
        {
            best = Some((millis, index));
        }
    }
    best.map(|(_, index)| index)
}

/// The records without children.
fn tips(lines: &ClientLines<'_, '_>, children: &Children) -> Vec<NodeIndex> {
    lines.known.iter().copied().filter(|&index| children.of_line(index).is_empty()).collect()
}

fn lone_tip_else_last(lines: &ClientLines<'_, '_>, last: NodeIndex) -> Result<NodeIndex, Refusal> {
    let tips = tips(lines, &lines.children());
    let leaf = match tips.as_slice() {
        [] => return Err(Refusal::Cycle),
        &[tip] if lines.node(tip).is_sidechain => return Err(Refusal::LeafIsSidechain),
        &[tip] => tip,
        _ if nearest_message(lines, last).is_some() => last,
        _ => return newest_with_message(lines, &tips).ok_or(Refusal::NoMessages),
    };
    if lines.node(leaf).millis.is_none() { Err(Refusal::LeafWithoutTimestamp) } else { Ok(leaf) }
}

/// The last record of the file, or its newest descendant: a parent may come after its child.
fn file_leaf(
    lines: &ClientLines<'_, '_>,
    children: &Children,
    last: NodeIndex,
) -> Result<NodeIndex, Refusal> {
    let Some(mut newest) = lines.node(last).millis else { return Err(Refusal::LeafWithoutTimestamp) };
    if lines.restored.is_some()
        && let &[tip] = tips(lines, children).as_slice()
        && lines.node(tip).is_sidechain
    {
        return Err(Refusal::LeafIsSidechain);
    }
    let mut leaf = last;
    for index in descendants(lines, children, last) {
        let node = lines.node(index);
        if let Some(millis) = node.millis
            && !node.is_sidechain
            && millis >= newest
        {
            (newest, leaf) = (millis, index);
        }
    }
    if let Some((anchor, tail)) = lines.restored
        && leaf == anchor
    {
        // Nothing was written since the compaction: the preserved messages, older than the summary, are the end.
        leaf = tail;
    }
    if nearest_message(lines, leaf).is_some() {
        return Ok(leaf);
    }
    Ok(newest_with_message(lines, &tips(lines, children)).unwrap_or(leaf))
}

/// The descendants of a record, in the order of the file.
fn descendants(lines: &ClientLines<'_, '_>, children: &Children, from: NodeIndex) -> Vec<NodeIndex> {
    let mut found = Vec::new();
    let mut seen = NodeMap::new(lines.transcript, false);
    seen[from] = true;
    let mut open = vec![from];
    while let Some(index) = open.pop() {
        for &child in children.of_line(index) {
            if !std::mem::replace(&mut seen[child], true) {
                found.push(child);
                open.push(child);
            }
        }
    }
    found.sort_unstable();
    found
}

/// The newest tip that has a message above it.
fn newest_with_message(lines: &ClientLines<'_, '_>, tips: &[NodeIndex]) -> Option<NodeIndex> {
    // The answer for each record that was visited, so that tips which share ancestors do not visit them again.
    let mut known = NodeMap::new(lines.transcript, None);
    let mut path = Vec::new();
    let mut has_message = |tip: NodeIndex| {
        let mut at = tip;
        let answer = loop {
            if let Some(answer) = known[at] {
                break answer;
            }
            known[at] = Some(false);
            path.push(at);
            match lines.link(at) {
                _ if lines.is_message(at) => break true,
                ParentLink::To(parent) => at = parent,
                ParentLink::Start | ParentLink::Missing => break false,
            }
        };
        path.drain(..).for_each(|passed| known[passed] = Some(answer));
        answer
    };
    newest(lines, tips.iter().copied().filter(|&tip| has_message(tip)))
}

/// The record itself or its nearest ancestor that is a message.
fn nearest_message(lines: &ClientLines<'_, '_>, from: NodeIndex) -> Option<NodeIndex> {
    // A walk longer than the file is a cycle.
    let mut left = lines.known.len();
    let mut at = from;
    while !lines.is_message(at) {
        match lines.link(at) {
            ParentLink::To(parent) if left > 0 => at = parent,
            _ => return None,
        }
        left -= 1;
    }
    Some(at)
}

/// The leaf that `last-prompt` records name, else the last line if it belongs to the same conversation; `None` if they name
/// none.
fn last_prompt(lines: &ClientLines<'_, '_>, rules: &ClientRules, last: NodeIndex) -> Option<NodeIndex> {
    let said = LastPromptTarget::read(lines)?;
    let named = said.leaf?;
    nearest_message(lines, named)?;
    // A record that the user went back to stays the leaf until something is written after it.
    if said.is_explicit && last < said.at {
        return Some(named);
    }
    // A record of the conversation that ends with the last line is only an earlier leaf; results of parallel calls
    // belong to it.
    let conversation = parallel::gather_parallel(lines, rules, chain::linked(lines, last));
    Some(if conversation.contains(&named) { last } else { named })
}

/// The leaf of the last `last-prompt` record.
struct LastPromptTarget {
    leaf: Option<NodeIndex>,
    is_explicit: bool,
    at: NodeIndex,
}

impl LastPromptTarget {
    fn read(lines: &ClientLines<'_, '_>) -> Option<Self> {
        let mut said: Option<(&[u8], Self)> = None;
        for (at, node) in lines.transcript.indexed_nodes() {
            if node.system == Some(SystemKind::CompactBoundary) {
                // Records before a compaction name leaves before it.
                said = None;
            }
            if node.kind != RecordKind::LastPrompt {
                continue;
            }
            let fields = lines.transcript.fields(at);
            let Some(leaf) = fields.get("leafUuid").filter(|leaf| !leaf.is_null()) else { continue };
            let is_explicit = fields.is_true("explicit");
            match &mut said {
                // The client repeats its side records: a copy without `explicit` does not reset it.
                Some((before, _)) if *before == leaf.raw() && !is_explicit => {}
                _ => {
                    let named = leaf.text().and_then(|id| lines.find(crate::id::RecordId::new(id)));
                    said = Some((leaf.raw(), Self { leaf: named, is_explicit, at }));
                }
            }
        }
        said.map(|(_, said)| said)
    }
}
