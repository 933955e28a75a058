//! The sub-agents of a session, each given to the call that started it, once.

use std::collections::HashMap;

use annals_transcript::transcript::Transcript;

use super::builder::ThreadBuilder;
use super::indexed::IndexedTranscript;
use super::item::{Item, ItemBody, Position, SubAgent};
use super::layout::Layout;
use super::{AgentThread, Conversation, ViewOptions};

/// The maximum nesting of sub-agents; deeper ones come at the end of the conversation.
const MAX_DEPTH: usize = 24;

/// All sub-agents, and which of them have been shown.
pub(super) struct SubAgents<'g> {
    pub(super) options: ViewOptions,
    agents: &'g [AgentThread<'g>],
    by_call: HashMap<&'g str, Vec<usize>>,
    taken: Vec<bool>,
    depth: usize,
}

impl<'g> SubAgents<'g> {
    pub(super) fn new(agents: &'g [AgentThread<'g>], options: ViewOptions) -> Self {
        let mut by_call: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, agent) in agents.iter().enumerate() {
            if let Some(call) = &agent.tool_use {
                by_call.entry(call).or_default().push(at);
            }
        }
        Self { options, agents, by_call, taken: vec![false; agents.len()], depth: 0 }
    }

    /// The conversation of one file.
    pub(super) fn conversation(&mut self, transcript: &Transcript<'_>) -> Conversation {
        let source = IndexedTranscript::new(transcript);
        let layout = Layout::new(&source);
        ThreadBuilder::new(&source, self, &layout).main()
    }

    /// The same in parts; what is after the last is returned.
    pub(super) fn conversation_in_parts(
        &mut self,
        transcript: &Transcript<'_>,
        each: &mut dyn FnMut(Conversation),
    ) -> Conversation {
        let source = IndexedTranscript::new(transcript);
        let layout = Layout::new(&source);
        ThreadBuilder::new(&source, self, &layout).main_in_parts(each)
    }

    /// The agents that a call started.
    pub(super) fn of_call(&mut self, call: &str) -> Vec<SubAgent> {
        if self.depth >= MAX_DEPTH {
            return Vec::new();
        }
        let places = self.by_call.get(call).cloned().unwrap_or_default();
        places.into_iter().filter_map(|at| self.take(at)).collect()
    }

    fn take(&mut self, at: usize) -> Option<SubAgent> {
        if std::mem::replace(&mut self.taken[at], true) {
            return None;
        }
        let agent = &self.agents[at];
        self.depth += 1;
        let conversation = self.conversation(agent.transcript);
        self.depth -= 1;
        Some(SubAgent { id: agent.id.clone(), label: agent.label.clone(), conversation })
    }

    /// Returns the agents that no call started.
    pub(super) fn unclaimed(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        for at in 0..self.agents.len() {
            if let Some(agent) = self.take(at) {
                let millis = agent.conversation.items.first().and_then(|item| item.position.millis);
                let position = Position { millis, is_off_path: true, ..Position::default() };
                items.push(Item { position, body: ItemBody::Agent(Box::new(agent)) });
            }
        }
        items
    }
}
