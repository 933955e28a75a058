//! A conversation whose items are read page by page, when they are shown. What is known of all of them is small: where they
//! are, what they are, how prompts begin, and which conversations hang on them.

use std::fmt;
use std::sync::Arc;

use annals_ui::Conversation;
use annals_ui::one_line;
use annals_ui::terminal::is_minor;
use annals_ui::view::{Item, ItemBody};

/// Items of a page of a conversation that is in memory.
const MEMORY_PAGE: usize = 256;
/// Longer openings are cut.
const MAX_OPENING: usize = 300;

/// Reads the items of a conversation.
pub trait PageSource: fmt::Debug + Send + Sync {
    /// Reads a page; the error is a sentence for people.
    fn page(&self, number: usize) -> Result<Vec<Item>, String>;
}

/// What an item is, as far as lists and folds need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Prompt,
    Text,
    Thinking,
    ToolCall,
    Compaction,
    Agent,
    Other,
}

/// What is known of an item without reading it.
#[derive(Clone, Debug)]
pub(crate) struct ItemOutline {
    pub(crate) line: u32,
    pub(crate) kind: ItemKind,
    pub(crate) is_minor: bool,
    /// How a prompt begins, or how the conversation was compacted.
    pub(crate) opening: Option<Box<str>>,
}

impl ItemOutline {
    fn of(item: &Item) -> Self {
        let (kind, opening) = match &item.body {
            ItemBody::Prompt(prompt) if prompt.text.trim().is_empty() => {
                let images = annals_ui::figures::counted(prompt.images, "image");
                (ItemKind::Prompt, Some(format!("[{images}]")))
            }
            ItemBody::Prompt(prompt) => (ItemKind::Prompt, Some(opening(&prompt.text))),
            ItemBody::Compaction(compaction) => {
                let how = compaction.trigger.as_deref().unwrap_or_default();
                (ItemKind::Compaction, Some(opening(&format!("compacted {how}"))))
            }
            ItemBody::Text(_) => (ItemKind::Text, None),
            ItemBody::Thinking(Some(_)) => (ItemKind::Thinking, None),
            ItemBody::ToolCall(_) => (ItemKind::ToolCall, None),
            ItemBody::Agent(_) => (ItemKind::Agent, None),
            _ => (ItemKind::Other, None),
        };
        let line = u32::try_from(item.position.line).unwrap_or(u32::MAX);
        Self { line, kind, is_minor: is_minor(item), opening: opening.map(Into::into) }
    }

    /// Whether it is a prompt, an answer or a call.
    pub(crate) fn is_message(&self) -> bool {
        matches!(self.kind, ItemKind::Prompt | ItemKind::Text | ItemKind::ToolCall)
    }

    /// Whether it shows its time.
    pub(crate) fn is_stamped(&self) -> bool {
        matches!(self.kind, ItemKind::Prompt | ItemKind::Text)
    }
}

/// The beginning of a text, on one line.
pub(crate) fn opening(text: &str) -> String {
    one_line(&text.chars().take(MAX_OPENING).collect::<String>())
}

/// A conversation whose items are read when they are shown.
#[derive(Clone, Debug, Default)]
pub struct PagedConversation {
    pub(crate) items: Vec<ItemOutline>,
    /// The first item of each page.
    pub(crate) pages: Vec<usize>,
    /// Where pages are read; `None` for a conversation that comes with an item of another.
    pub(crate) source: Option<Arc<dyn PageSource>>,
    pub(crate) nested: Vec<NestedConversation>,
}

/// A conversation that hangs on an item: a sub-agent's, or an abandoned branch.
#[derive(Clone, Debug)]
pub struct NestedConversation {
    /// The item of the outer conversation, counted from 0.
    pub item: usize,
    /// Distinguishes it from the others: an agent's id, or the line of a branch.
    pub name: String,
    /// What it is for, or how its prompt begins.
    pub label: String,
    /// Whether it is a sub-agent's.
    pub is_agent: bool,
    /// Its items.
    pub conversation: PagedConversation,
}

impl PagedConversation {
    /// Returns how many items are known.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether no items are known.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Notes the next item, which is on this page. What is nested in it comes with it when the page is read.
    pub fn add(&mut self, item: &Item, page: usize) {
        while self.pages.len() <= page {
            self.pages.push(self.items.len());
        }
        let at = self.items.len();
        self.items.push(ItemOutline::of(item));
        self.nested.extend(inside(item).into_iter().map(|(name, label, is_agent, inner)| {
            let conversation = Self::of_items(&inner.items);
            NestedConversation { item: at, name, label, is_agent, conversation }
        }));
    }

    fn of_items(items: &[Item]) -> Self {
        let mut paged = Self::default();
        items.iter().for_each(|item| paged.add(item, 0));
        paged
    }

    /// Hangs a conversation with pages of its own on an item.
    pub fn attach(&mut self, nested: NestedConversation) {
        self.nested.push(nested);
    }

    /// Adds a sub-agent that no call started, at the end.
    pub fn attach_at_end(&mut self, name: String, label: String, conversation: Self) {
        let item = self.items.len();
        self.items.push(ItemOutline { line: 0, kind: ItemKind::Agent, is_minor: false, opening: None });
        self.attach(NestedConversation { item, name, label, is_agent: true, conversation });
    }

    /// Reads its pages here.
    pub fn with_source(self, source: Arc<dyn PageSource>) -> Self {
        Self { source: Some(source), ..self }
    }
}

/// A conversation inside an item: name, label, whether it is a sub-agent's, and what happened there.
type InnerConversation<'i> = (String, String, bool, &'i Conversation);

/// The conversations inside an item.
fn inside(item: &Item) -> Vec<InnerConversation<'_>> {
    match &item.body {
        ItemBody::ToolCall(call) => call
            .agents
            .iter()
            .map(|agent| {
                (agent.id.clone(), agent.label.clone().unwrap_or_default(), true, &agent.conversation)
            })
            .collect(),
        ItemBody::Agent(agent) => {
            vec![(agent.id.clone(), agent.label.clone().unwrap_or_default(), true, &agent.conversation)]
        }
        ItemBody::Branch(branch) => {
            let ways = branch.ways.iter().filter_map(|way| Some((way.conversation.as_ref()?, way)));
            ways.map(|(inner, way)| (branch_name(way.line), way.opening.clone(), false, inner)).collect()
        }
        _ => Vec::new(),
    }
}

/// Names the branch whose prompt is on this line.
pub fn branch_name(line: usize) -> String {
    format!("line {line}")
}

/// Takes the conversations out of an item, in the order of [`inside`].
pub(crate) fn take_inside(item: &mut Item) -> Vec<Vec<Item>> {
    match &mut item.body {
        ItemBody::ToolCall(call) => {
            std::mem::take(&mut call.agents).into_iter().map(|agent| agent.conversation.items).collect()
        }
        ItemBody::Agent(agent) => vec![std::mem::take(&mut agent.conversation.items)],
        ItemBody::Branch(branch) => {
            branch.ways.iter_mut().filter_map(|way| Some(way.conversation.take()?.items)).collect()
        }
        _ => Vec::new(),
    }
}

#[derive(Debug)]
struct MemoryPages(Conversation);

impl PageSource for MemoryPages {
    fn page(&self, number: usize) -> Result<Vec<Item>, String> {
        Ok(self.0.items.chunks(MEMORY_PAGE).nth(number).unwrap_or_default().to_vec())
    }
}

impl From<Conversation> for PagedConversation {
    fn from(conversation: Conversation) -> Self {
        let mut paged = Self::default();
        for (at, item) in conversation.items.iter().enumerate() {
            paged.add(item, at / MEMORY_PAGE);
        }
        paged.with_source(Arc::new(MemoryPages(conversation)))
    }
}
