//! Which records a conversation shows, and where: on the main history, off it, under a call, or on an abandoned branch.

use std::collections::{HashMap, HashSet};

use annals_transcript::graph::{Sidechain, sidechains};
use annals_transcript::id::ToolUseId;
use annals_transcript::problem::{ProblemKind, Severity};
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::transcript::{NodeIndex, NodeMap};
use annals_transcript::turn::prompt_text;

use super::indexed::IndexedTranscript;
use super::side::unsent_prompts;

/// Something that comes at its place in the file, not in the chain.
#[derive(Clone, Copy, Debug)]
pub(super) enum SideItem {
    /// A record.
    Node(NodeIndex),
    /// A problem, by its place in the list.
    Problem(usize),
    /// A sub-agent inside the file, by its place in the list.
    Agent(usize),
}

/// Where everything goes.
pub(super) struct Layout<'a> {
    /// The main history.
    pub(super) path: Vec<NodeIndex>,
    /// Items off the main history, by line.
    pub(super) asides: Vec<(usize, SideItem)>,
    /// For a prompt on the main history: the other prompts from the same place.
    pub(super) ways: HashMap<NodeIndex, Vec<NodeIndex>>,
    /// Sub-agents inside the file.
    pub(super) sidechains: Vec<Sidechain>,
    /// Sub-agents inside the file, by the call that started them.
    pub(super) by_call: HashMap<ToolUseId<'a>, usize>,
    /// Whether a record is on a way that was not taken.
    pub(super) is_left: NodeMap<bool>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(source: &IndexedTranscript<'_, 'a>) -> Self {
        Self::along(source, source.path())
    }

    /// The layout of another history than the last.
    pub(super) fn along(source: &IndexedTranscript<'_, 'a>, path: Vec<NodeIndex>) -> Self {
        let mut on_path = NodeMap::new(source.transcript, false);
        path.iter().for_each(|&node| on_path[node] = true);
        let mut layout = Self {
            path,
            asides: Vec::new(),
            ways: HashMap::new(),
            sidechains: Vec::new(),
            by_call: HashMap::new(),
            is_left: NodeMap::new(source.transcript, false),
        };
        layout.leave_ways(source, &on_path);
        if !source.is_agent_file {
            layout.place_sidechains(source, &on_path);
        }
        layout.place_asides(source, &on_path);
        layout
    }

    /// Finds abandoned branches of the main history, and everything on them.
    fn leave_ways(&mut self, source: &IndexedTranscript<'_, 'a>, on_path: &NodeMap<bool>) {
        for point in &source.branches {
            let Some(&taken) = point.ways.iter().find(|&&way| on_path[way]) else { continue };
            let left: Vec<_> = point.ways.iter().copied().filter(|&way| !on_path[way]).collect();
            for &way in &left {
                for node in descendants(source, way) {
                    self.is_left[node] = !on_path[node];
                }
            }
            if !left.is_empty() {
                self.ways.insert(taken, left);
            }
        }
    }

    /// Assigns each sub-agent inside the file to the first call with the same prompt; the others stay at their line.
    fn place_sidechains(&mut self, source: &IndexedTranscript<'_, 'a>, on_path: &NodeMap<bool>) {
        let mut chains = sidechains(source.transcript, &source.graph);
        chains.retain(|chain| !on_path[chain.root]);
        let mut calls: Vec<_> = source.pairs.values().filter(|pair| starts_agent(pair.name)).collect();
        calls.sort_by_key(|pair| std::cmp::Reverse(pair.call));
        let mut by_prompt: HashMap<String, Vec<ToolUseId<'a>>> = HashMap::new();
        for pair in calls {
            if let Some(prompt) = pair.input.as_ref().and_then(|input| input.text("prompt")) {
                by_prompt.entry(prompt.decode().trim().to_owned()).or_default().push(pair.id);
            }
        }
        for (at, chain) in chains.iter().enumerate() {
            let asked = match source.transcript.record(chain.root) {
                Record::User(user) => prompt_text(&user),
                _ => String::new(),
            };
            match by_prompt.get_mut(asked.trim()).and_then(Vec::pop) {
                Some(call) => {
                    self.by_call.insert(call, at);
                }
                None => self.asides.push((source.position(chain.root).line, SideItem::Agent(at))),
            }
        }
        self.sidechains = chains;
    }

    fn place_asides(&mut self, source: &IndexedTranscript<'_, 'a>, on_path: &NodeMap<bool>) {
        let copies: HashSet<_> = source.graph.duplicates().iter().copied().collect();
        let unsent = unsent_prompts(source.transcript);
        for (index, node) in source.transcript.indexed_nodes() {
            let is_shown = match node.kind {
                RecordKind::Progress => false,
                kind if kind.is_chain() => {
                    let elsewhere = node.is_sidechain && !source.is_agent_file && node.is_chain();
                    !on_path[index] && !self.is_left[index] && !elsewhere && !copies.contains(&index)
                }
                RecordKind::QueueOperation => unsent.contains(&index),
                RecordKind::PrLink | RecordKind::CustomTitle | RecordKind::AiTitle | RecordKind::Tag => true,
                RecordKind::FrameLink | RecordKind::Relocated => true,
                kind => !kind.is_known(),
            };
            if is_shown {
                self.asides.push((node.line as usize, SideItem::Node(index)));
            }
        }
        for (at, problem) in source.transcript.problems().iter().enumerate() {
            if problem.kind.severity() > Severity::Note && problem.kind != ProblemKind::UnknownRecord {
                self.asides.push((problem.line, SideItem::Problem(at)));
            }
        }
        self.asides.sort_by_key(|&(line, _)| line);
    }
}

/// Whether calls of this tool start sub-agents.
fn starts_agent(name: Option<annals_json::Text<'_>>) -> bool {
    name.is_some_and(|name| name.is("Task") || name.is("Agent"))
}

/// A record and everything that follows from it, in the order of the file.
pub(super) fn descendants(source: &IndexedTranscript<'_, '_>, from: NodeIndex) -> Vec<NodeIndex> {
    let mut seen = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        open.extend(source.graph.children(node).filter(|&child| seen.insert(child)));
    }
    let mut all: Vec<_> = seen.into_iter().collect();
    all.sort_unstable();
    all
}
