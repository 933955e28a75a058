//! Conversations inside a session: sub-agents and abandoned branches, taken out of the items that they hang on.

use std::mem;

use annals_ui::Conversation;
use annals_ui::view::{Item, ItemBody};

/// A conversation of its own: the session, a sub-agent, or an abandoned branch.
#[derive(Debug)]
pub(super) struct Thread {
    /// Distinguishes it from the others: an agent's id, or the line of a branch.
    pub(super) name: String,
    pub(super) label: String,
    pub(super) is_agent: bool,
    pub(super) items: Vec<Item>,
    /// The thread and the item that it hangs on.
    pub(super) parent: Option<(usize, usize)>,
    /// Prompts, replies and calls.
    pub(super) messages: usize,
}

/// A nested conversation: name, label, whether it is a sub-agent's, and what happened there.
pub(super) type NestedConversation = (String, String, bool, Conversation);

/// Takes the conversations out of an item.
pub(super) fn take_nested(item: &mut Item) -> Vec<NestedConversation> {
    match &mut item.body {
        ItemBody::ToolCall(call) => mem::take(&mut call.agents)
            .into_iter()
            .map(|agent| (agent.id, agent.label.unwrap_or_default(), true, agent.conversation))
            .collect(),
        ItemBody::Agent(agent) => {
            let conversation = mem::take(&mut agent.conversation);
            vec![(agent.id.clone(), agent.label.clone().unwrap_or_default(), true, conversation)]
        }
        ItemBody::Branch(branch) => {
            let ways = branch.ways.iter_mut().filter_map(|way| Some((way.conversation.take()?, way)));
            ways.map(|(inner, way)| (format!("line {}", way.line), way.opening.clone(), false, inner))
                .collect()
        }
        _ => Vec::new(),
    }
}
