//! The sub-agents of a session, each given to the call that started it, once.

use std::collections::HashMap;

use annals_transcript::transcript::Transcript;

use super::item::{Body, Item, Place, SubAgent};
use super::layout::Layout;
use super::source::Source;
use super::thread::Thread;
use super::{AgentThread, Conversation, Options};

/// Agents that start agents that start agents: deeper ones stand at the end of the conversation.
const DEEPEST: usize = 24;

/// All sub-agents, and which of them have been shown.
pub(super) struct Crew<'g> {
    pub(super) options: Options,
    agents: &'g [AgentThread<'g>],
    by_call: HashMap<&'g str, Vec<usize>>,
    taken: Vec<bool>,
    depth: usize,
}

impl<'g> Crew<'g> {
    pub(super) fn new(agents: &'g [AgentThread<'g>], options: Options) -> Self {
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
        let source = Source::new(transcript);
        let layout = Layout::new(&source);
        Thread::new(&source, self, &layout).main()
    }

    /// The agents that a call started.
    pub(super) fn of_call(&mut self, call: &str) -> Vec<SubAgent> {
        if self.depth >= DEEPEST {
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

    /// The agents that nobody asked for.
    pub(super) fn unclaimed(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        for at in 0..self.agents.len() {
            if let Some(agent) = self.take(at) {
                let millis = agent.conversation.items.first().and_then(|item| item.place.millis);
                let place = Place { millis, is_beside: true, ..Place::default() };
                items.push(Item { place, body: Body::Agent(Box::new(agent)) });
            }
        }
        items
    }
}
