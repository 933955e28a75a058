//! The items of a document: read when they are needed, and the last ones kept.

use std::collections::VecDeque;
use std::ops::{Deref, Range};
use std::sync::Arc;

use annals_ui::Conversation;
use annals_ui::view::{Damage, Item, ItemBody, Position, SubAgent};

use super::document::{Document, Entry, EntryKind};
use super::entry_text::text_bytes;
use crate::paged::{ItemKind, ItemOutline, take_inside};

/// How much text is kept, besides that of the pages that were read last.
const MAX_BYTES: usize = 16 << 20;
/// The pages that are kept, whatever their size: those that a screen and its neighbours need.
const MIN_PAGES: usize = 4;
/// More pages are not kept, however small.
const MAX_PAGES: usize = 64;

/// The pages that were used last, newest first.
#[derive(Debug, Default)]
pub(super) struct PageCache {
    pages: VecDeque<CachedPage>,
}

#[derive(Debug)]
struct CachedPage {
    thread: usize,
    page: usize,
    items: Arc<Vec<Item>>,
    bytes: usize,
}

impl PageCache {
    fn get(&mut self, thread: usize, page: usize) -> Option<Arc<Vec<Item>>> {
        let at = self.pages.iter().position(|known| known.thread == thread && known.page == page)?;
        let found = self.pages.remove(at)?;
        let items = Arc::clone(&found.items);
        self.pages.push_front(found);
        Some(items)
    }

    /// Drops what was not used for long.
    fn shrink(&mut self) {
        let mut bytes = 0;
        let fitting = self.pages.iter().take_while(|page| {
            bytes += page.bytes;
            bytes <= MAX_BYTES
        });
        let fitting = fitting.count().clamp(MIN_PAGES, MAX_PAGES);
        self.pages.truncate(fitting);
    }

    fn insert(&mut self, thread: usize, page: usize, items: Vec<Item>) {
        self.pages.retain(|known| known.thread != thread || known.page != page);
        let bytes = items.iter().map(text_bytes).sum();
        self.pages.push_front(CachedPage { thread, page, items: Arc::new(items), bytes });
    }
}

/// Items next to each other: of one page, or of several.
pub(super) enum ItemRun {
    Page(Arc<Vec<Item>>, Range<usize>),
    Copy(Vec<Item>),
}

impl Deref for ItemRun {
    type Target = [Item];

    fn deref(&self) -> &[Item] {
        match self {
            Self::Page(items, range) => items.get(range.clone()).unwrap_or_default(),
            Self::Copy(items) => items,
        }
    }
}

impl Document {
    /// The items of an entry; none for a head.
    pub(super) fn items(&self, entry: &Entry) -> ItemRun {
        match entry.kind {
            EntryKind::Items { first, count } => self.run(entry.thread, first..first + count),
            EntryKind::Head => ItemRun::Copy(Vec::new()),
        }
    }

    pub(super) fn item(&self, thread: usize, at: usize) -> Option<Item> {
        self.run(thread, at..at + 1).first().cloned()
    }

    pub(super) fn run(&self, thread: usize, range: Range<usize>) -> ItemRun {
        let known = &self.threads[thread];
        let page = known.page_of(range.start).filter(|page| range.end <= known.range(*page).end);
        if let Some(page) = page.filter(|_| !range.is_empty()) {
            let start = known.range(page).start;
            return ItemRun::Page(self.page(thread, page), range.start - start..range.end - start);
        }
        let item = |at: usize| match known.page_of(at) {
            Some(page) => self.page(thread, page).get(at - known.range(page).start).cloned(),
            None => None,
        };
        ItemRun::Copy(range.filter_map(item).collect())
    }

    /// A page, read if it is not there.
    pub(super) fn page(&self, thread: usize, page: usize) -> Arc<Vec<Item>> {
        if let Some(items) = self.pages.borrow_mut().get(thread, page) {
            return items;
        }
        // What has no source comes with the item that it hangs on.
        let (mut source, mut number) = (thread, page);
        while self.threads[source].source.is_none() {
            let Some((parent, item)) = self.threads[source].parent else { return Arc::default() };
            let Some(page) = self.threads[parent].page_of(item) else { return Arc::default() };
            (source, number) = (parent, page);
        }
        self.read_page(source, number);
        self.pages.borrow_mut().get(thread, page).unwrap_or_default()
    }

    fn read_page(&self, thread: usize, page: usize) {
        let Some(source) = &self.threads[thread].source else { return };
        self.reads.set(self.reads.get() + 1);
        let (items, reason) = match source.page(page) {
            Ok(items) => (items, "the file has changed".to_owned()),
            Err(reason) => (Vec::new(), reason),
        };
        self.pages.borrow_mut().shrink();
        self.keep(thread, page, items, &reason);
    }

    /// Keeps a page, and what was inside its items as pages of their own.
    fn keep(&self, thread: usize, page: usize, items: Vec<Item>, reason: &str) {
        let range = self.threads[thread].range(page);
        let mut items = aligned(&self.threads[thread].items[range.clone()], items, reason);
        for (at, item) in range.zip(&mut items) {
            let inner = self.nested.get(&(thread, at)).into_iter().flatten();
            let inner = inner.filter(|inner| self.threads[**inner].source.is_none());
            for (&inner, items) in inner.zip(take_inside(item)) {
                self.keep(inner, 0, items, reason);
            }
        }
        self.pages.borrow_mut().insert(thread, page, items);
    }
}

/// As many items as are known to be there: for those that could not be read, why.
fn aligned(known: &[ItemOutline], items: Vec<Item>, reason: &str) -> Vec<Item> {
    if items.len() == known.len() {
        return items;
    }
    let mut items = items.into_iter().peekable();
    let missing = |known: &ItemOutline| {
        let position = Position { line: known.line as usize, ..Position::default() };
        let body = match known.kind {
            ItemKind::Agent => ItemBody::Agent(Box::new(SubAgent {
                id: String::new(),
                label: None,
                conversation: Conversation::default(),
            })),
            _ => ItemBody::Damage(Damage { problem: "unreadable-file", message: reason.to_owned() }),
        };
        Item { position, body }
    };
    let is_it = |known: &ItemOutline, item: &Item| item.position.line == known.line as usize;
    known
        .iter()
        .map(|known| items.next_if(|item| is_it(known, item)).unwrap_or_else(|| missing(known)))
        .collect()
}
