//! Conversations inside a session: the session itself, sub-agents and abandoned branches.

use std::sync::Arc;

use crate::paged::{ItemOutline, PageSource};

/// A conversation of its own: the session, a sub-agent, or an abandoned branch.
#[derive(Debug)]
pub(super) struct Thread {
    /// Distinguishes it from the others: an agent's id, or the line of a branch.
    pub(super) name: String,
    pub(super) label: String,
    pub(super) is_agent: bool,
    pub(super) items: Vec<ItemOutline>,
    /// The first item of each page.
    pub(super) pages: Vec<usize>,
    /// Where pages are read; without it they come with the item that the thread hangs on.
    pub(super) source: Option<Arc<dyn PageSource>>,
    /// The thread and the item that it hangs on.
    pub(super) parent: Option<(usize, usize)>,
    /// Prompts, replies and calls.
    pub(super) messages: usize,
}

impl Thread {
    /// The page of an item; `None` for a sub-agent at the end, which is on none.
    pub(super) fn page_of(&self, item: usize) -> Option<usize> {
        let page = self.pages.partition_point(|first| *first <= item).checked_sub(1)?;
        Some(page).filter(|_| item < self.items.len())
    }

    /// The items of a page.
    pub(super) fn range(&self, page: usize) -> std::ops::Range<usize> {
        let start = self.pages.get(page).copied().unwrap_or(self.items.len());
        start..self.pages.get(page + 1).copied().unwrap_or(self.items.len())
    }
}
