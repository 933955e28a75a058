//! Where the items of a report come from. Today that is a pass over the files; whatever else hands over the same items
//! and sources gives the same reports.

use std::sync::Mutex;

use annals_store::FileProblem;
use annals_store::usage::{StoreUsage, UsageFile};
use annals_transcript::usage::{UsageItem, UsageSource};

use crate::context::Context;
use crate::selection::Selection;
use crate::words;

/// What a store used.
pub(crate) struct Account {
    /// The files, by the index that items have.
    pub(crate) sources: Vec<UsageSource>,
    /// The sums.
    pub(crate) items: Vec<UsageItem>,
    /// What could not be read.
    pub(crate) problems: Vec<FileProblem>,
}

/// Where items may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Whatever is quickest. There is no index yet, so that is the files.
    Quickest,
    /// The files alone.
    Files,
}

impl Account {
    /// What the store used.
    pub(crate) fn of(origin: Origin, context: &Context) -> Self {
        match origin {
            Origin::Quickest | Origin::Files => Self::of_files(context),
        }
    }

    /// Straight from the files.
    fn of_files(context: &Context) -> Self {
        let discovery = context.store.discover();
        let files = UsageFile::all(&discovery);
        let mut usage = reading(&files, context, |advance| StoreUsage::read(&files, advance));
        let mut problems = discovery.problems;
        problems.append(&mut usage.problems);
        let items = usage.items(&context.prices);
        Self { sources: usage.sources, items, problems }
    }

    /// The items that are looked at.
    pub(crate) fn selected<'a>(&'a self, selection: &'a Selection) -> impl Iterator<Item = &'a UsageItem> {
        self.items.iter().filter(|item| selection.keeps(item, self.source(item)))
    }

    /// The file of an item.
    pub(crate) fn source(&self, item: &UsageItem) -> Option<&UsageSource> {
        self.sources.get(item.file as usize)
    }
}

/// Reads files with a word about how far it is: `read` is handed whom to tell.
pub(crate) fn reading<T>(
    files: &[UsageFile],
    context: &Context,
    read: impl FnOnce(&(dyn Fn(u64) + Sync)) -> T,
) -> T {
    let total = files.iter().map(|file| file.entry.bytes).sum();
    let progress = Mutex::new(context.progress("reading", Some(total)));
    read(&|bytes| {
        if let Ok(mut progress) = progress.lock() {
            progress.advance(bytes, words::bytes);
        }
    })
}
