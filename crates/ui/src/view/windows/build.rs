//! Builds the items of one window from the bytes of its records.

use annals_transcript::transcript::{NodeIndex, NodeMap, Transcript};

use super::super::builder::ThreadBuilder;
use super::super::indexed::IndexedTranscript;
use super::super::item::{Item, ItemBody};
use super::super::layout::{Layout, SideItem};
use super::super::sub_agents::SubAgents;
use super::super::{Conversation, ViewOptions};
use super::{ConversationMap, EntrySource, PlannedItem, WindowPlan};

impl ConversationMap {
    /// Builds a window. `records` are the bytes of its records, in order; they may have been rewritten, such as without secrets.
    pub fn window(&self, plan: &WindowPlan, records: &[Vec<u8>]) -> Conversation {
        let bytes = joined(records);
        let transcript = Transcript::parse(&bytes);
        if transcript.nodes().len() != plan.records.len() {
            // The file was rewritten since it was mapped.
            return Conversation::default();
        }
        let nodes: Vec<NodeIndex> = transcript.indices().collect();
        let mut source = IndexedTranscript::new(&transcript);
        source.is_agent_file = self.is_agent_file;
        let place = |at: u32| nodes.get(at as usize).copied();
        let path = |source: &EntrySource| match *source {
            EntrySource::Path(at) => place(at),
            _ => None,
        };
        let path = plan.entries.iter().filter_map(|entry| path(&entry.source)).collect();
        let mut layout = Layout::along(&source, path);
        layout.is_left = NodeMap::new(&transcript, false);
        let mut agents = SubAgents::new(&[], ViewOptions::default());
        let mut builder = ThreadBuilder::new(&source, &mut agents, &layout);
        builder.cwd = plan.cwd.as_deref().map(str::to_owned);
        for (&node, &turn) in nodes.iter().zip(&plan.turns) {
            builder.turn_of[node] = turn;
        }
        let mut items = Vec::new();
        for entry in &plan.entries {
            match entry.source {
                EntrySource::Path(at) => {
                    place(at).into_iter().for_each(|node| builder.node(node));
                }
                EntrySource::Aside(at, is_off_path) => {
                    builder.is_off_path = is_off_path;
                    place(at).into_iter().for_each(|node| builder.node(node));
                    builder.is_off_path = false;
                }
                EntrySource::Agent(at) => {
                    let is_root = |chain: &usize| Some(layout.sidechains[*chain].root) == place(at);
                    let found = (0..layout.sidechains.len()).find(is_root);
                    found.into_iter().for_each(|at| builder.aside(SideItem::Agent(at)));
                }
                EntrySource::None => {}
            }
            let mut built = builder.take_items();
            built.iter_mut().for_each(|item| renumber(item, plan));
            pick(built, &entry.items, &mut items);
        }
        Conversation { items }
    }
}

/// The records as a file, one a line.
fn joined(records: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(records.iter().map(|record| record.len() + 1).sum());
    for record in records {
        // Within a record a line break can only be white space.
        bytes.extend(record.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
        bytes.push(b'\n');
    }
    bytes
}

/// Gives items the lines of the file.
fn renumber(item: &mut Item, plan: &WindowPlan) {
    let line = |line: usize| {
        let record = line.checked_sub(1).and_then(|at| plan.records.get(at));
        record.map_or(0, |record| record.line as usize)
    };
    item.position.line = line(item.position.line);
    let agents: &mut [_] = match &mut item.body {
        ItemBody::ToolCall(call) => {
            if let Some(result) = &mut call.result {
                result.line = line(result.line);
            }
            &mut call.agents
        }
        ItemBody::Agent(agent) => std::slice::from_mut(agent),
        _ => &mut [],
    };
    for agent in agents {
        agent.conversation.items.iter_mut().for_each(|item| renumber(item, plan));
    }
}

/// Keeps the items that the whole file gives: a window knows less, and would add some, such as a result whose call is in
/// another.
fn pick(built: Vec<Item>, planned: &[PlannedItem], into: &mut Vec<Item>) {
    let mut built = built.into_iter();
    for wanted in planned {
        match wanted {
            PlannedItem::Stored(item) => into.push((**item).clone()),
            PlannedItem::Built(line, kind) => {
                let is_wanted = |item: &Item| {
                    item.position.line == *line as usize && std::mem::discriminant(&item.body) == *kind
                };
                into.extend(built.by_ref().find(is_wanted));
            }
        }
    }
}
