//! What is open and what is closed, and how much of an entry that shows.

use super::document::{Document, Entry, EntryKind};
use crate::paged::ItemKind;

/// How much of an entry is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryForm {
    Line,
    Brief,
    Full,
}

/// How much of tool calls is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ToolDetail {
    #[default]
    FirstLines,
    OneLine,
    Full,
}

impl Document {
    /// The folds of a document that this one replaces.
    pub(super) fn take_folds(&mut self, old: Self) {
        (self.forms, self.open) = (old.forms, old.open);
        (self.detail, self.is_thinking_open) = (old.detail, old.is_thinking_open);
        self.options = old.options;
        self.rebuild();
    }

    /// How much of an entry is shown.
    pub(super) fn form(&self, entry: &Entry) -> EntryForm {
        let chosen = self.forms.get(&self.key_of(entry)).copied();
        chosen.unwrap_or_else(|| self.usual_form(entry))
    }

    fn usual_form(&self, entry: &Entry) -> EntryForm {
        match self.kind(entry) {
            Some(ItemKind::Thinking) if !self.is_thinking_open => EntryForm::Line,
            Some(ItemKind::Thinking) => EntryForm::Full,
            Some(ItemKind::ToolCall) => match self.detail {
                ToolDetail::FirstLines => EntryForm::Brief,
                ToolDetail::OneLine => EntryForm::Line,
                ToolDetail::Full => EntryForm::Full,
            },
            _ => EntryForm::Brief,
        }
    }

    /// Whether the thread of a head is open.
    pub(super) fn is_open(&self, entry: &Entry) -> bool {
        self.open.contains(&self.key_of(entry))
    }

    /// Opens or closes an entry.
    pub(super) fn toggle(&mut self, at: usize) {
        let Some(entry) = self.entries.get(at).copied() else { return };
        let key = self.key_of(&entry);
        if entry.kind == EntryKind::Head {
            if !self.open.remove(&key) {
                self.open.insert(key);
            }
            return self.rebuild();
        }
        let usual = self.usual_form(&entry);
        let next = match self.form(&entry) {
            EntryForm::Full if usual == EntryForm::Full => EntryForm::Line,
            EntryForm::Full => usual,
            _ => EntryForm::Full,
        };
        self.forms.insert(key, next);
        self.cache.borrow_mut().forget(at);
    }

    /// Shows all of an entry.
    pub(super) fn open_fully(&mut self, at: usize) {
        if let Some(key) = self.key(at) {
            self.forms.insert(key, EntryForm::Full);
            self.cache.borrow_mut().forget(at);
        }
    }

    pub(super) fn next_detail(&mut self) {
        self.detail = match self.detail {
            ToolDetail::FirstLines => ToolDetail::OneLine,
            ToolDetail::OneLine => ToolDetail::Full,
            ToolDetail::Full => ToolDetail::FirstLines,
        };
        self.forms.clear();
        self.cache.borrow_mut().clear();
    }

    pub(super) fn toggle_thinking(&mut self) {
        self.is_thinking_open = !self.is_thinking_open;
        self.forms.clear();
        self.cache.borrow_mut().clear();
    }

    /// Opens a thread and all that it is in.
    pub(super) fn reveal(&mut self, thread: usize) {
        let mut inner = Some(thread).filter(|&at| at > 0 && at < self.threads.len());
        while let Some(at) = inner {
            let key = self.key_of(&Entry { thread: at, kind: EntryKind::Head, depth: 0 });
            self.open.insert(key);
            inner = self.threads[at].parent.map(|(parent, _)| parent).filter(|&parent| parent > 0);
        }
        self.rebuild();
    }
}
