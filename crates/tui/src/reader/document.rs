//! The conversation as a flat list of entries that open and close: items, runs of minor items, and the heads of sub-agents and
//! abandoned branches, whose own entries follow while they are open. Entries are listed from what is known of the items; the
//! items are read when they are laid out or searched.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use annals_ui::view::Item;

use super::entry_text::{plain_text, text_bytes, visit_texts};
use super::folds::{EntryForm, ToolDetail};
use super::layout::{DisplayOptions, LineCache};
use super::pages::PageCache;
use super::thread::Thread;
use crate::paged::{ItemKind, PagedConversation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// Items of a thread: one, or a run of minor ones.
    Items { first: usize, count: usize },
    /// The line that opens and closes a thread.
    Head,
}

/// A piece of the document that is laid out by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(super) thread: usize,
    pub(crate) kind: EntryKind,
    pub(super) depth: usize,
}

/// Names an entry also after the file was read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct EntryKey(u64);

/// A session as a list of entries.
#[derive(Debug, Default)]
pub struct Document {
    pub(super) threads: Vec<Thread>,
    pub(super) entries: Vec<Entry>,
    pub(super) nested: HashMap<(usize, usize), Vec<usize>>,
    turns: Vec<usize>,
    pub(super) forms: HashMap<EntryKey, EntryForm>,
    pub(super) open: HashSet<EntryKey>,
    pub(crate) detail: ToolDetail,
    pub(crate) is_thinking_open: bool,
    pub(super) options: DisplayOptions,
    pub(super) cache: RefCell<LineCache>,
    /// How many entries were laid out so far.
    pub(super) layouts: Cell<usize>,
    pub(super) pages: RefCell<PageCache>,
    /// How many pages were read so far.
    pub(super) reads: Cell<usize>,
}

impl Document {
    /// Makes a document of a conversation; no page of it is read yet.
    pub fn new(conversation: PagedConversation) -> Self {
        let mut document = Self::default();
        document.add_thread(String::new(), String::new(), false, None, conversation);
        document.rebuild();
        document
    }

    /// Returns how many pages were read since it was made.
    pub fn reads(&self) -> usize {
        self.reads.get()
    }

    /// Returns how many entries were laid out since it was made.
    pub fn layouts(&self) -> usize {
        self.layouts.get()
    }

    /// Returns how many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a conversation, and those that hang on its items.
    fn add_thread(
        &mut self,
        name: String,
        label: String,
        is_agent: bool,
        parent: Option<(usize, usize)>,
        conversation: PagedConversation,
    ) -> usize {
        let at = self.threads.len();
        let PagedConversation { items, pages, source, nested } = conversation;
        let messages = items.iter().filter(|item| item.is_message()).count();
        self.threads.push(Thread { name, label, is_agent, items, pages, source, parent, messages });
        for inner in nested {
            let parent = (at, inner.item);
            let inner =
                self.add_thread(inner.name, inner.label, inner.is_agent, Some(parent), inner.conversation);
            self.nested.entry(parent).or_default().push(inner);
        }
        at
    }

    /// Lists the entries again, after threads were opened or closed.
    pub(super) fn rebuild(&mut self) {
        self.entries = self.entries_of(0, 0);
        let is_prompt = |entry: &Entry| entry.thread == 0 && self.kind(entry) == Some(ItemKind::Prompt);
        let places = self.entries.iter().enumerate();
        self.turns = places.filter(|(_, entry)| is_prompt(entry)).map(|(at, _)| at).collect();
        self.cache.borrow_mut().clear();
    }

    /// The entries of a thread, with those of open threads inside it.
    fn entries_of(&self, thread: usize, depth: usize) -> Vec<Entry> {
        let items = &self.threads[thread].items;
        let mut entries = Vec::with_capacity(items.len());
        let mut first = 0;
        while first < items.len() {
            let run = items[first..].iter().take_while(|item| item.is_minor).count();
            let count = run.max(1);
            if items[first].kind != ItemKind::Agent {
                entries.push(Entry { thread, kind: EntryKind::Items { first, count }, depth });
            }
            for &inner in self.nested.get(&(thread, first)).into_iter().flatten() {
                let head = Entry { thread: inner, kind: EntryKind::Head, depth };
                entries.push(head);
                if self.open.contains(&self.key_of(&head)) {
                    entries.extend(self.entries_of(inner, depth + 1));
                }
            }
            first += count;
        }
        entries
    }

    /// Whether a thread is a sub-agent's, or a branch of one.
    pub(super) fn is_agent(&self, thread: usize) -> bool {
        let outer = |thread: &usize| self.threads[*thread].parent.map(|(parent, _)| parent);
        std::iter::successors(Some(thread), outer).any(|thread| self.threads[thread].is_agent)
    }

    /// What the first item of an entry is; `None` for a head.
    pub(super) fn kind(&self, entry: &Entry) -> Option<ItemKind> {
        match entry.kind {
            EntryKind::Items { first, .. } => Some(self.threads[entry.thread].items.get(first)?.kind),
            EntryKind::Head => None,
        }
    }

    pub(super) fn turns(&self) -> &[usize] {
        &self.turns
    }

    pub(super) fn key_of(&self, entry: &Entry) -> EntryKey {
        let thread = &self.threads[entry.thread];
        let mut hasher = DefaultHasher::new();
        thread.name.hash(&mut hasher);
        if let EntryKind::Items { first, .. } = entry.kind {
            // Several items may come from one line.
            let line = thread.items[first].line;
            let same = thread.items[..first].iter().rev().take_while(|item| item.line == line);
            (line, same.count()).hash(&mut hasher);
        }
        EntryKey(hasher.finish())
    }

    pub(super) fn key(&self, at: usize) -> Option<EntryKey> {
        self.entries.get(at).map(|entry| self.key_of(entry))
    }

    pub(super) fn entry_of(&self, key: EntryKey) -> Option<usize> {
        self.entries.iter().position(|entry| self.key_of(entry) == key)
    }

    /// The entry of an item, or without one the head of the thread.
    pub(super) fn entry_of_item(&self, thread: usize, item: Option<usize>) -> Option<usize> {
        let holds = |entry: &Entry| {
            entry.thread == thread
                && match (entry.kind, item) {
                    (EntryKind::Items { first, count }, Some(item)) => (first..first + count).contains(&item),
                    (EntryKind::Head, None) => true,
                    _ => false,
                }
        };
        self.entries.iter().position(holds)
    }

    /// The item of the session's own thread that a line of its file belongs to.
    pub(super) fn item_at_line(&self, line: usize) -> Option<usize> {
        let items = self.threads.first()?.items.iter().enumerate();
        let before = items.filter(|(_, item)| (1..=line).contains(&(item.line as usize)));
        before.max_by_key(|(_, item)| item.line).map(|(at, _)| at)
    }

    /// The record of an entry in the session's own file; for a sub-agent that of its call.
    pub(super) fn record(&self, at: usize) -> Option<String> {
        let entry = self.entries.get(at)?;
        let (mut thread, mut item) = match entry.kind {
            EntryKind::Items { first, count } => (entry.thread, first + count - 1),
            EntryKind::Head => self.threads[entry.thread].parent?,
        };
        while self.threads[thread].is_agent {
            (thread, item) = self.threads[thread].parent?;
        }
        self.item(thread, item)?.position.uuid
    }

    /// The text of an entry.
    pub(super) fn text(&self, at: usize) -> String {
        let Some(entry) = self.entries.get(at) else { return String::new() };
        match entry.kind {
            EntryKind::Head => self.threads[entry.thread].label.clone(),
            EntryKind::Items { .. } => plain_text(&self.items(entry)),
        }
    }

    /// Whether an entry, or the closed thread below it, has a text that is wanted; and how many bytes were looked at.
    pub(super) fn find_text(&self, at: usize, is_wanted: &dyn Fn(&str) -> bool) -> (bool, usize) {
        let Some(entry) = self.entries.get(at) else { return (false, 0) };
        match entry.kind {
            EntryKind::Head if self.is_open(entry) => (false, 1),
            EntryKind::Head => self.find_in_thread(entry.thread, is_wanted),
            EntryKind::Items { .. } => find_in_items(&self.items(entry), is_wanted),
        }
    }

    fn find_in_thread(&self, thread: usize, is_wanted: &dyn Fn(&str) -> bool) -> (bool, usize) {
        let known = &self.threads[thread];
        let (mut is_found, mut bytes) = (false, 0);
        for page in 0..known.pages.len() {
            let (is_here, more) = find_in_items(&self.page(thread, page), is_wanted);
            is_found |= is_here;
            bytes += more;
        }
        let inside = (0..known.items.len()).flat_map(|item| self.nested.get(&(thread, item))).flatten();
        for &inner in inside {
            let (is_inside, more) = self.find_in_thread(inner, is_wanted);
            is_found |= is_inside;
            bytes += more;
        }
        (is_found, bytes)
    }
}

fn find_in_items(items: &[Item], is_wanted: &dyn Fn(&str) -> bool) -> (bool, usize) {
    let mut is_found = false;
    items.iter().for_each(|item| visit_texts(item, &mut |text| is_found = is_found || is_wanted(text)));
    (is_found, items.iter().map(text_bytes).sum::<usize>() + 1)
}
