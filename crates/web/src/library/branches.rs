//! The graph of a session for its page: forks, compactions and sub-agents.

use std::collections::{HashMap, HashSet};

use annals_transcript::graph::{BranchCause, Graph, branch_points};
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::transcript::{NodeIndex, NodeMap, Transcript};
use annals_transcript::turn::prompt_text;

use super::Outline;

/// The most nodes of a graph; more could not be told apart.
const MAX_NODES: usize = 160;
/// Characters of a prompt in a label.
const OPENING: usize = 80;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GraphNodeKind {
    /// The first prompt that is shown.
    Start,
    /// Several branches continue from here.
    Fork,
    /// The first prompt of a way that is not shown.
    Way,
    /// The last record of a way.
    End,
    /// The conversation was compacted.
    Compaction,
    /// A call that started sub-agents.
    Agent,
}

/// A node: a record that a person would look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GraphNode {
    pub(crate) kind: GraphNodeKind,
    pub(crate) line: u32,
    /// 0 is what the page shows; each other branch has a lane below it.
    pub(crate) lane: usize,
    /// The node that it follows.
    pub(crate) parent: Option<usize>,
    /// The record that the branch of its page goes through; `None` on the page that is shown.
    pub(crate) branch: Option<String>,
    pub(crate) label: String,
}

/// The nodes of a session, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SessionGraph {
    pub(crate) nodes: Vec<GraphNode>,
    /// Ways that are not shown.
    pub(crate) ways: usize,
    /// Nodes that did not fit.
    pub(crate) left_out: usize,
}

/// A way: a prompt beside which there are others.
struct BranchPath {
    prompt: NodeIndex,
    /// The record that it goes on from.
    fork: Option<NodeIndex>,
    /// The way that the fork is on.
    parent: Option<usize>,
    is_shown: bool,
    last: u32,
    messages: usize,
    lane: usize,
}

impl SessionGraph {
    /// Builds the graph; there is none if nothing but prompts follow each other.
    pub(super) fn build(
        transcript: &Transcript<'_>,
        outline: &Outline,
        clean: &dyn Fn(&str) -> String,
    ) -> Self {
        // Most sessions have one way only: for them nothing is computed.
        let mut ways = if outline.forks > 0 { all_ways(transcript, outline) } else { Vec::new() };
        assign_lanes(transcript, &mut ways);
        let mut nodes = trunk_nodes(outline);
        add_ways(transcript, &ways, clean, &mut nodes);
        if nodes.iter().all(|node| matches!(node.kind, GraphNodeKind::Start | GraphNodeKind::End)) {
            return Self::default();
        }
        nodes.sort_by_key(|node| (node.line, node.lane));
        let left_out = nodes.len().saturating_sub(MAX_NODES);
        nodes.truncate(MAX_NODES);
        let mut graph = Self { nodes, ways: ways.iter().filter(|way| !way.is_shown).count(), left_out };
        graph.connect(transcript, &ways);
        graph
    }

    /// Links each node to the last one before it on its lane, and the first of a way to the fork.
    fn connect(&mut self, transcript: &Transcript<'_>, ways: &[BranchPath]) {
        let fork_of: HashMap<u32, Option<u32>> = ways
            .iter()
            .filter(|way| !way.is_shown)
            .map(|way| {
                let fork = way.fork.map(|fork| transcript.node(fork).line);
                (transcript.node(way.prompt).line, fork)
            })
            .collect();
        let mut last: HashMap<usize, usize> = HashMap::new();
        for at in 0..self.nodes.len() {
            let (kind, line, lane) = (self.nodes[at].kind, self.nodes[at].line, self.nodes[at].lane);
            self.nodes[at].parent = match fork_of.get(&line).filter(|_| kind == GraphNodeKind::Way) {
                Some(fork) => self.nodes.iter().position(|node| Some(node.line) == *fork),
                None => last.get(&lane).copied(),
            };
            last.insert(lane, at);
        }
    }
}

/// What is on the way that the page shows.
fn trunk_nodes(outline: &Outline) -> Vec<GraphNode> {
    let node =
        |kind, line: u32, label: String| GraphNode { kind, line, lane: 0, parent: None, branch: None, label };
    let mut nodes = Vec::new();
    let first = outline.turns.first();
    nodes.extend(
        first.map(|turn| node(GraphNodeKind::Start, turn.line as u32, format!("Start: {}", turn.opening))),
    );
    nodes.extend(
        outline.compactions.iter().map(|&line| node(GraphNodeKind::Compaction, line, "Compacted".to_owned())),
    );
    for (line, count) in &outline.agent_calls {
        nodes.push(node(GraphNodeKind::Agent, *line, annals_ui::figures::counted(*count, "sub-agent")));
    }
    let last = outline.places.iter().map(|(line, _)| *line).max();
    nodes.extend(last.map(|line| node(GraphNodeKind::End, line, "End".to_owned())));
    nodes
}

/// The branches of a session, in the order of their prompts.
fn all_ways(transcript: &Transcript<'_>, outline: &Outline) -> Vec<BranchPath> {
    let graph = Graph::new(transcript);
    let shown: HashSet<usize> = outline.turns.iter().map(|turn| turn.line).collect();
    let mut ways: Vec<BranchPath> = Vec::new();
    for point in
        branch_points(transcript, &graph).into_iter().filter(|point| point.cause == BranchCause::Person)
    {
        ways.extend(point.ways.iter().map(|&prompt| BranchPath {
            prompt,
            fork: point.at,
            parent: None,
            is_shown: shown.contains(&(transcript.node(prompt).line as usize)),
            last: transcript.node(prompt).line,
            messages: 0,
            lane: 0,
        }));
    }
    ways.sort_by_key(|way| way.prompt);
    let places: HashMap<NodeIndex, usize> =
        ways.iter().enumerate().map(|(at, way)| (way.prompt, at)).collect();
    // A record belongs to the way of its parent, which is nearly always before it in the file.
    let mut owners: NodeMap<Option<usize>> = NodeMap::new(transcript, None);
    for (index, node) in transcript.indexed_nodes() {
        let inherited =
            graph.parent(index).filter(|parent| *parent < index).and_then(|parent| owners[parent]);
        let owner = places.get(&index).copied().or(inherited);
        owners[index] = owner;
        if let Some(way) = owner.and_then(|at| ways.get_mut(at))
            && matches!(node.kind, RecordKind::User | RecordKind::Assistant)
        {
            way.last = way.last.max(node.line);
            way.messages += 1;
        }
    }
    for way in &mut ways {
        way.parent = way.fork.and_then(|fork| owners[fork]);
    }
    ways
}

/// Gives each way that is not shown the first lane that is free when it begins.
fn assign_lanes(transcript: &Transcript<'_>, ways: &mut [BranchPath]) {
    let mut ends: Vec<u32> = Vec::new();
    for way in ways.iter_mut().filter(|way| !way.is_shown) {
        let begin = transcript.node(way.prompt).line;
        let free = ends.iter().position(|end| *end < begin);
        let lane = free.unwrap_or(ends.len());
        match free {
            Some(lane) => ends[lane] = way.last,
            None => ends.push(way.last),
        }
        way.lane = lane + 1;
    }
}

/// Adds the fork, the first and the last record of each way that is not shown.
fn add_ways(
    transcript: &Transcript<'_>,
    ways: &[BranchPath],
    clean: &dyn Fn(&str) -> String,
    nodes: &mut Vec<GraphNode>,
) {
    let uuid = |node: NodeIndex| transcript.node(node).uuid.map(|uuid| uuid.to_string());
    let page = |way: Option<usize>| way.and_then(|at| ways.get(at)).filter(|way| !way.is_shown);
    let mut forks = HashSet::new();
    for way in ways.iter().filter(|way| !way.is_shown) {
        let parent = page(way.parent);
        if let Some(fork) = way.fork.filter(|fork| forks.insert(*fork)) {
            nodes.push(GraphNode {
                kind: GraphNodeKind::Fork,
                line: transcript.node(fork).line,
                lane: parent.map_or(0, |way| way.lane),
                parent: None,
                branch: parent.and_then(|way| uuid(way.prompt)),
                label: "Branch point".to_owned(),
            });
        }
        let opening = match transcript.record(way.prompt) {
            Record::User(user) => {
                annals_ui::one_line(&clean(&prompt_text(&user))).chars().take(OPENING).collect()
            }
            _ => String::new(),
        };
        let messages = annals_ui::figures::counted(way.messages, "message");
        let node = |kind, line, label| GraphNode {
            kind,
            line,
            lane: way.lane,
            parent: None,
            branch: uuid(way.prompt),
            label,
        };
        nodes.push(node(
            GraphNodeKind::Way,
            transcript.node(way.prompt).line,
            format!("Branch, {messages}: {opening}"),
        ));
        if way.last > transcript.node(way.prompt).line {
            nodes.push(node(GraphNodeKind::End, way.last, "End of the branch".to_owned()));
        }
    }
}
