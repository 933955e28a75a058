//! The tree of a session: prompts, compactions, abandoned branches, and sub-agents below the calls that started them.

use annals_ui::one_line;

use super::document::Document;
use crate::paged::{ItemKind, opening};

/// What a line of the tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutlineKind {
    Prompt,
    Compaction,
    Branch,
    Agent,
}

/// A line of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutlineLine {
    pub(crate) kind: OutlineKind,
    pub(crate) depth: usize,
    pub(crate) text: String,
    pub(crate) thread: usize,
    /// The item; `None` for the head of the thread.
    pub(crate) item: Option<usize>,
}

impl Document {
    /// The tree.
    pub(crate) fn outline(&self) -> Vec<OutlineLine> {
        let mut lines = Vec::new();
        if !self.threads.is_empty() {
            self.outline_of(0, 0, &mut lines);
        }
        lines
    }

    fn outline_of(&self, thread: usize, depth: usize, lines: &mut Vec<OutlineLine>) {
        for (item, found) in self.threads[thread].items.iter().enumerate() {
            let kind = match found.kind {
                ItemKind::Prompt => Some(OutlineKind::Prompt),
                ItemKind::Compaction => Some(OutlineKind::Compaction),
                _ => None,
            };
            let text = || found.opening.as_deref().unwrap_or_default().to_owned();
            lines.extend(kind.map(|kind| OutlineLine {
                kind,
                depth,
                text: text(),
                thread,
                item: Some(item),
            }));
            for &inner in self.nested.get(&(thread, item)).into_iter().flatten() {
                let head = &self.threads[inner];
                let kind = if head.is_agent { OutlineKind::Agent } else { OutlineKind::Branch };
                let messages = if head.messages == 1 { "message" } else { "messages" };
                let mut facts = vec![opening(&head.label), one_line(&head.name)];
                facts.push(format!("{} {messages}", head.messages));
                facts.retain(|fact| !fact.is_empty());
                let text = facts.join(", ");
                lines.push(OutlineLine { kind, depth: depth + 1, text, thread: inner, item: None });
                let from = lines.len();
                self.outline_of(inner, depth + 2, lines);
                // What a branch or an agent begins with is its prompt, which its own line leads to.
                let is_first = |line: &OutlineLine| {
                    line.thread == inner && line.item == Some(0) && line.kind == OutlineKind::Prompt
                };
                if lines.get(from).is_some_and(is_first) {
                    lines.remove(from);
                }
            }
        }
    }
}
