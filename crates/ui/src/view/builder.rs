//! Builds the items of a layout in order, with the ends of turns.

use annals_transcript::problem::ProblemKind;
use annals_transcript::record::{Record, RecordKind, SystemKind};
use annals_transcript::transcript::{NodeIndex, NodeMap};
use annals_transcript::turn::{Speaker, prompt_opening};

use super::indexed::IndexedTranscript;
use super::item::{
    AbandonedBranch, Branch, Compaction, Damage, Item, ItemBody, Position, SubAgent, TurnEnd, UnknownEntry,
};
use super::layout::{Layout, SideItem, descendants};
use super::parts::part_starts;
use super::sub_agents::SubAgents;
use super::text::opening;
use super::{BranchDetail, Conversation, attachment, side, system};

/// How many characters name a way.
const OPENING: usize = 60;

/// Builds a conversation.
pub(super) struct ThreadBuilder<'b, 't, 'a, 'g> {
    pub(super) source: &'b IndexedTranscript<'t, 'a>,
    pub(super) agents: &'b mut SubAgents<'g>,
    pub(super) layout: &'b Layout<'a>,
    pub(super) items: Vec<Item>,
    /// Records that are shown already.
    pub(super) is_shown: NodeMap<bool>,
    /// The number of the turn of each record of this thread; 0 for other records.
    pub(super) turn_of: NodeMap<u32>,
    pub(super) cwd: Option<String>,
    pub(super) turn: TurnEnd,
    turn_span: Option<(i64, i64)>,
    title: Option<String>,
    pub(super) is_off_path: bool,
    /// Where the last item is that was taken.
    last_position: Option<Position>,
}

/// A part of a conversation, as the builder meets it.
#[derive(Clone, Copy, Debug)]
pub(super) enum WalkStep {
    /// A record of the main history.
    Path(NodeIndex),
    /// Something off it.
    Aside(SideItem),
    End,
}

impl<'b, 't, 'a, 'g> ThreadBuilder<'b, 't, 'a, 'g> {
    pub(super) fn new(
        source: &'b IndexedTranscript<'t, 'a>,
        agents: &'b mut SubAgents<'g>,
        layout: &'b Layout<'a>,
    ) -> Self {
        Self {
            source,
            agents,
            layout,
            items: Vec::new(),
            is_shown: NodeMap::new(source.transcript, false),
            turn_of: NodeMap::new(source.transcript, 0),
            cwd: None,
            turn: TurnEnd::default(),
            turn_span: None,
            title: None,
            is_off_path: false,
            last_position: None,
        }
    }

    /// Builds the main history with everything off it.
    pub(super) fn main(mut self) -> Conversation {
        self.walk(|_, _| ());
        Conversation { items: self.items }
    }

    /// The same in parts; what is after the last is returned.
    pub(super) fn main_in_parts(mut self, each: &mut dyn FnMut(Conversation)) -> Conversation {
        let mut looked_at = 0;
        self.walk(|builder, _| {
            // Only the end can have become a prompt that a part begins with.
            let is_prompt = |item: &Item| matches!(item.body, ItemBody::Prompt(_));
            let has_prompt = builder.items[looked_at..].iter().any(is_prompt);
            looked_at = builder.items.len();
            if has_prompt && let Some(&start) = part_starts(&builder.items).last() {
                let rest = builder.items.split_off(start);
                each(Conversation { items: std::mem::replace(&mut builder.items, rest) });
                looked_at = builder.items.len();
            }
        });
        Conversation { items: self.items }
    }

    /// Goes through the main history and everything off it, and calls `after` with each part; it may take the items.
    pub(super) fn walk(&mut self, mut after: impl FnMut(&mut Self, WalkStep)) {
        let layout = self.layout;
        self.number_turns(&layout.path);
        for &(_, aside) in &layout.asides {
            if let SideItem::Node(node) = aside {
                self.turn_of[node] = u32::MAX;
            }
        }
        let mut asides = layout.asides.iter().peekable();
        for &node in &layout.path {
            let line = self.source.transcript.node(node).line as usize;
            while let Some(&(_, aside)) = asides.next_if(|&&(at, _)| at < line) {
                self.aside(aside);
                after(self, WalkStep::Aside(aside));
            }
            self.node(node);
            after(self, WalkStep::Path(node));
        }
        for &(_, aside) in asides {
            self.aside(aside);
            after(self, WalkStep::Aside(aside));
        }
        self.end_turn();
        after(self, WalkStep::End);
    }

    /// Takes the items so far.
    pub(super) fn take_items(&mut self) -> Vec<Item> {
        if let Some(last) = self.items.last() {
            self.last_position = Some(last.position.clone());
        }
        std::mem::take(&mut self.items)
    }

    /// Builds the items of these records only.
    fn list(mut self, nodes: &[NodeIndex]) -> Conversation {
        self.walk_list(nodes, |_, _| ());
        Conversation { items: self.items }
    }

    /// Goes through these records only, and calls `after` with each; it may take the items.
    pub(super) fn walk_list(&mut self, nodes: &[NodeIndex], mut after: impl FnMut(&mut Self, WalkStep)) {
        self.number_turns(nodes);
        for &node in nodes {
            self.node(node);
            after(self, WalkStep::Path(node));
        }
        self.end_turn();
        after(self, WalkStep::End);
    }

    fn number_turns(&mut self, nodes: &[NodeIndex]) {
        let mut turn = 1;
        for &node in nodes {
            if self.source.transcript.node(node).speaker.is_some_and(Speaker::opens_turn) {
                turn += 1;
            }
            self.turn_of[node] = turn;
        }
    }

    pub(super) fn aside(&mut self, aside: SideItem) {
        let kind = |node: NodeIndex| self.source.transcript.node(node).kind;
        // Side records have no parent: they stay at their line.
        self.is_off_path = !matches!(aside, SideItem::Node(node) if !kind(node).is_chain());
        match aside {
            SideItem::Node(node) => self.node(node),
            SideItem::Problem(at) => {
                let problem = &self.source.transcript.problems()[at];
                let attention = Damage { problem: problem.kind.name(), message: problem.message() };
                let position = Position { line: problem.line, ..Position::default() };
                self.items.push(Item { position, body: ItemBody::Damage(attention) });
            }
            SideItem::Agent(at) => {
                let root = self.layout.sidechains[at].root;
                let agent = self.inline_agent(at);
                self.push(root, ItemBody::Agent(Box::new(agent)));
            }
        }
        self.is_off_path = false;
    }

    /// Builds a sub-agent that is inside the file.
    pub(super) fn inline_agent(&mut self, at: usize) -> SubAgent {
        let conversation =
            ThreadBuilder::new(self.source, self.agents, self.layout).list(&self.layout.sidechains[at].nodes);
        SubAgent { id: String::new(), label: None, conversation }
    }

    pub(super) fn push(&mut self, node: NodeIndex, body: ItemBody) {
        let position = Position { is_off_path: self.is_off_path, ..self.source.position(node) };
        self.items.push(Item { position, body });
    }

    pub(super) fn node(&mut self, node: NodeIndex) {
        if std::mem::replace(&mut self.is_shown[node], true)
            && self.source.transcript.node(node).kind.is_chain()
        {
            return;
        }
        let known = self.source.transcript.node(node);
        if known.kind == RecordKind::Progress {
            return;
        }
        let record = self.source.transcript.record(node);
        match &record {
            Record::User(user) => {
                if known.speaker.is_some_and(Speaker::opens_turn) && !self.is_off_path {
                    self.end_turn();
                    self.turn_span = known.millis.map(|millis| (millis, millis));
                    self.note_missing_parent(node);
                    self.branch(node);
                } else {
                    self.note_missing_parent(node);
                }
                self.user(node, user);
            }
            Record::Assistant(_) => {
                self.note_missing_parent(node);
                self.is_shown[node] = false;
                self.response(node);
            }
            Record::System(event) => match known.system {
                Some(SystemKind::CompactBoundary) => self.compaction(node),
                Some(SystemKind::TurnDuration) => self.turn.duration_ms = event.duration_ms(),
                _ => {
                    if let Some(body) = system::of_system(event) {
                        self.push(node, body);
                    }
                }
            },
            Record::Attachment(line) => self.push(node, attachment::of_attachment(line)),
            Record::Unknown(fields) => {
                let type_name =
                    record.type_name().map(|name| name.to_string()).unwrap_or_else(|| "(none)".to_owned());
                let opening =
                    opening(&String::from_utf8_lossy(&fields.raw()[..fields.raw().len().min(400)]), 120);
                self.push(node, ItemBody::Unknown(UnknownEntry { what: "record", type_name, opening }));
            }
            other => {
                if let Some(body) = side::of_record(other, &mut self.title) {
                    self.push(node, body);
                }
            }
        }
        self.lengthen_turn(node, &record);
    }

    /// The turn lasts until here: until the last word of the model or result of a tool, not until what the client or the
    /// person wrote hours later.
    fn lengthen_turn(&mut self, node: NodeIndex, record: &Record<'_>) {
        let known = self.source.transcript.node(node);
        let is_work = match record {
            Record::Assistant(_) => true,
            Record::User(_) => known.speaker == Some(Speaker::Tool),
            _ => false,
        };
        let is_work = is_work && !self.is_off_path;
        if let Some(millis) = known.millis.filter(|_| is_work) {
            self.turn_span = self.turn_span.map(|(from, to)| (from, to.max(millis)));
        }
    }

    /// Adds a note if the line before is missing.
    fn note_missing_parent(&mut self, node: NodeIndex) {
        let known = self.source.transcript.node(node);
        if !self.is_off_path
            && self.source.graph.dangling().binary_search(&node).is_ok()
            && !self.source.is_agent_file
        {
            let problem = known.problem(ProblemKind::DanglingParent);
            self.push(
                node,
                ItemBody::Damage(Damage { problem: problem.kind.name(), message: problem.message() }),
            );
        }
    }

    fn compaction(&mut self, node: NodeIndex) {
        let Record::System(boundary) = self.source.transcript.record(node) else { return };
        let metadata = boundary.compact_metadata();
        let mut children = self.source.graph.children(node);
        let summary = children.find(|&child| self.source.transcript.node(child).is_compact_summary);
        let text = summary.and_then(|summary| {
            self.is_shown[summary] = true;
            match self.source.transcript.record(summary) {
                Record::User(user) => Some(user.content().plain_text()),
                _ => None,
            }
        });
        let compaction = Compaction {
            trigger: metadata.as_ref().and_then(|facts| facts.trigger()).map(|text| text.to_string()),
            tokens_before: metadata.as_ref().and_then(|facts| facts.pre_tokens()),
            tokens_after: metadata.and_then(|facts| facts.post_tokens()),
            summary: text,
        };
        self.push(node, ItemBody::Compaction(compaction));
    }

    /// Adds the abandoned branches at this prompt.
    fn branch(&mut self, prompt: NodeIndex) {
        let Some(left) = self.layout.ways.get(&prompt) else { return };
        let mut ways = Vec::new();
        for &way in left {
            let Record::User(user) = self.source.transcript.record(way) else { continue };
            let nodes = descendants(self.source, way);
            let kind = |node: &&NodeIndex| self.source.transcript.node(**node).kind;
            let is_message =
                |node: &&NodeIndex| matches!(kind(node), RecordKind::User | RecordKind::Assistant);
            let messages = nodes.iter().filter(is_message).count();
            let conversation = (self.agents.options.branches == BranchDetail::Full)
                .then(|| ThreadBuilder::new(self.source, self.agents, self.layout).list(&nodes));
            let position = self.source.position(way);
            let opening = opening(&prompt_opening(&user), OPENING);
            ways.push(AbandonedBranch {
                line: position.line,
                uuid: position.uuid,
                opening,
                messages,
                conversation,
            });
        }
        self.push(prompt, ItemBody::Branch(Branch { ways }));
    }

    fn end_turn(&mut self) {
        let mut turn = std::mem::take(&mut self.turn);
        let span = self.turn_span.take().and_then(|(from, to)| u64::try_from(to - from).ok());
        turn.duration_ms = turn.duration_ms.or(span.filter(|&span| span > 0));
        let last = self.items.last().map(|item| &item.position).or(self.last_position.as_ref());
        if let (false, Some(last)) = (turn.models.is_empty(), last) {
            let position = Position { is_off_path: false, ..last.clone() };
            self.items.push(Item { position, body: ItemBody::TurnEnd(turn) });
        }
    }
}
