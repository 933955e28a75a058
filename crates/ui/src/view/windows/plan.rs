//! Reads a whole file and notes what each window needs.

use std::collections::{BTreeMap, HashMap};

use annals_transcript::content::Block;
use annals_transcript::record::{Record, SystemKind, User};
use annals_transcript::transcript::{NodeIndex, NodeMap, Transcript};

use super::super::ViewOptions;
use super::super::builder::{ThreadBuilder, WalkStep};
use super::super::indexed::IndexedTranscript;
use super::super::item::{Item, ItemBody};
use super::super::layout::{Layout, SideItem};
use super::super::sub_agents::SubAgents;
use super::{ConversationMap, Entry, EntrySource, ItemPlace, PlannedItem, RecordSpan, WindowPlan, height};

/// A window is full at this height, in pixels: a few screens.
const MAX_HEIGHT: u32 = 4000;
/// A window is full with this many bytes of records.
const MAX_BYTES: u64 = 512 * 1024;
/// From half of that on, it ends before a prompt.
const MIN_HEIGHT: u32 = MAX_HEIGHT / 2;

impl ConversationMap {
    /// Maps the conversation of a file, without its sub-agents' files: the main history, or that through the record `through`.
    /// `see` gets every item once, in order; none is kept.
    pub fn build(
        transcript: &Transcript<'_>,
        through: Option<NodeIndex>,
        see: &mut dyn FnMut(&Item, ItemPlace),
    ) -> Self {
        let source = IndexedTranscript::new(transcript);
        let layout = match through {
            Some(node) => Layout::along(&source, source.path_through(node)),
            None => Layout::new(&source),
        };
        let mut agents = SubAgents::new(&[], ViewOptions::default());
        let mut plan = Plan::new(&source, &layout);
        ThreadBuilder::new(&source, &mut agents, &layout).walk(|builder, step| {
            let items = builder.take_items();
            let cwd = builder.cwd.as_deref();
            plan.add(step, &builder.turn_of, items, cwd, see);
        });
        plan.finish()
    }
}

/// A map in the making.
pub(super) struct Plan<'p, 't, 'a> {
    source: &'p IndexedTranscript<'t, 'a>,
    layout: &'p Layout<'a>,
    /// The results of the calls of each record, and the sub-agents inside the file that they started.
    answers: HashMap<NodeIndex, Vec<NodeIndex>>,
    agents: HashMap<NodeIndex, Vec<usize>>,
    map: ConversationMap,
    window: WindowPlan,
    /// The records of the window, with their turns.
    nodes: BTreeMap<NodeIndex, u32>,
    bytes: u64,
    /// The sources of the entries, by record of the file.
    steps: Vec<WalkStep>,
    turn: u32,
}

impl<'p, 't, 'a> Plan<'p, 't, 'a> {
    pub(super) fn new(source: &'p IndexedTranscript<'t, 'a>, layout: &'p Layout<'a>) -> Self {
        let mut answers: HashMap<NodeIndex, Vec<NodeIndex>> = HashMap::new();
        let mut agents: HashMap<NodeIndex, Vec<usize>> = HashMap::new();
        for pair in source.pairs.values() {
            answers.entry(pair.call).or_default().extend(pair.result);
            agents.entry(pair.call).or_default().extend(layout.by_call.get(&pair.id));
        }
        Self {
            source,
            layout,
            answers,
            agents,
            map: ConversationMap { windows: Vec::new(), is_agent_file: source.is_agent_file },
            window: WindowPlan::default(),
            nodes: BTreeMap::new(),
            bytes: 0,
            steps: Vec::new(),
            turn: 0,
        }
    }

    pub(super) fn add(
        &mut self,
        step: WalkStep,
        turns: &NodeMap<u32>,
        items: Vec<Item>,
        cwd: Option<&str>,
        see: &mut dyn FnMut(&Item, ItemPlace),
    ) {
        if items.is_empty() {
            return;
        }
        let opens_turn = matches!(step, WalkStep::Path(_))
            && items.iter().any(|item| matches!(item.body, ItemBody::Prompt(_)));
        let is_full = self.window.height >= MAX_HEIGHT || self.bytes >= MAX_BYTES;
        if is_full || (opens_turn && self.window.height >= MIN_HEIGHT) {
            self.close();
        }
        if self.steps.is_empty() {
            self.window.cwd = cwd.map(Box::from);
        }
        let node = match step {
            WalkStep::Path(node) | WalkStep::Aside(SideItem::Node(node)) => Some(node),
            WalkStep::Aside(SideItem::Agent(at)) => {
                self.need_chain(at, turns);
                None
            }
            WalkStep::Aside(SideItem::Problem(_)) | WalkStep::End => None,
        };
        if let Some(node) = node {
            let has_calls = items.iter().any(|item| matches!(item.body, ItemBody::ToolCall(_)));
            self.need(node, has_calls, turns);
        }
        if let WalkStep::Path(node) = step {
            self.turn = self.turn.max(turns[node]);
        }
        let place = ItemPlace { window: self.map.windows.len(), turn: self.turn.saturating_sub(1) };
        for item in &items {
            see(item, place);
            self.window.height = self.window.height.saturating_add(height::of_item(item));
        }
        self.window.items += u32::try_from(items.len()).unwrap_or(u32::MAX);
        self.steps.push(step);
        let items = items.into_iter().map(planned).collect();
        self.window.entries.push(Entry { source: EntrySource::None, items });
    }

    /// Everything that the items of a record are made of.
    fn need(&mut self, node: NodeIndex, has_calls: bool, turns: &NodeMap<u32>) {
        let source = self.source;
        let lines = source.response(node).filter(|response| response.message.is_some());
        let lines = lines.map_or(&[][..], |response| response.nodes.as_slice());
        for &line in lines.iter().chain([&node]) {
            self.need_record(line, turns);
        }
        match source.transcript.node(node).system {
            Some(SystemKind::CompactBoundary) => {
                let summary = |child: &NodeIndex| source.transcript.node(*child).is_compact_summary;
                if let Some(summary) = source.graph.children(node).find(summary) {
                    self.need_record(summary, turns);
                }
            }
            _ if has_calls => {
                if let Record::User(user) = source.transcript.record(node) {
                    self.need_calls(&user, turns);
                }
            }
            _ => {}
        }
    }

    /// The calls that the results of a user line answer, where the line itself shows them.
    fn need_calls(&mut self, user: &User<'a>, turns: &NodeMap<u32>) {
        for block in user.content().blocks() {
            if let Block::ToolResult(result) = block
                && let Some(pair) = result.tool_use().and_then(|id| self.source.pairs.get(&id))
            {
                self.nodes.insert(pair.call, turns[pair.call]);
            }
        }
    }

    /// A record, the results of its calls, and the sub-agents that they started.
    fn need_record(&mut self, node: NodeIndex, turns: &NodeMap<u32>) {
        if self.nodes.insert(node, turns[node]).is_some() {
            return;
        }
        self.bytes += self.source.transcript.node(node).span.length as u64;
        for answer in self.answers.get(&node).cloned().unwrap_or_default() {
            if self.nodes.insert(answer, turns[answer]).is_none() {
                self.bytes += self.source.transcript.node(answer).span.length as u64;
            }
        }
        for at in self.agents.get(&node).cloned().unwrap_or_default() {
            self.need_chain(at, turns);
        }
    }

    fn need_chain(&mut self, at: usize, turns: &NodeMap<u32>) {
        for &node in &self.layout.sidechains[at].nodes {
            self.need_record(node, turns);
        }
    }

    /// Ends a window: its records are known, and entries name them by their place.
    fn close(&mut self) {
        if self.steps.is_empty() {
            return;
        }
        let (nodes, turns): (Vec<_>, Vec<_>) = std::mem::take(&mut self.nodes).into_iter().unzip();
        let place = |node: NodeIndex| nodes.binary_search(&node).unwrap_or_default() as u32;
        let transcript = self.source.transcript;
        for (step, entry) in self.steps.drain(..).zip(&mut self.window.entries) {
            entry.source = match step {
                WalkStep::Path(node) => EntrySource::Path(place(node)),
                WalkStep::Aside(SideItem::Node(node)) => {
                    EntrySource::Aside(place(node), transcript.node(node).kind.is_chain())
                }
                WalkStep::Aside(SideItem::Agent(at)) => {
                    EntrySource::Agent(place(self.layout.sidechains[at].root))
                }
                WalkStep::Aside(SideItem::Problem(_)) | WalkStep::End => EntrySource::None,
            };
        }
        let span = |&node: &NodeIndex| {
            let node = transcript.node(node);
            let length = u32::try_from(node.span.length).unwrap_or(u32::MAX);
            RecordSpan { offset: node.span.offset as u64, length, line: node.line }
        };
        self.window.records = nodes.iter().map(span).collect();
        self.window.turns = turns;
        self.bytes = 0;
        self.window.entries.shrink_to_fit();
        self.map.windows.push(std::mem::take(&mut self.window));
    }

    pub(super) fn finish(mut self) -> ConversationMap {
        self.close();
        self.map
    }
}

/// What the map keeps of an item.
fn planned(item: Item) -> PlannedItem {
    match item.body {
        ItemBody::TurnEnd(_) | ItemBody::Branch(_) | ItemBody::Damage(_) => {
            PlannedItem::Stored(Box::new(item))
        }
        _ => PlannedItem::Built(item.position.line as u32, std::mem::discriminant(&item.body)),
    }
}
