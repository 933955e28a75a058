//! Where the items of a report come from: the index, or a pass over the files. Both hand over the same items and sources.

use std::sync::Mutex;

use annals_index::Index;
use annals_store::FileProblem;
use annals_store::usage::{StoreUsage, UsageFile};
use annals_transcript::usage::{UsageItem, UsageSource};

use crate::context::Context;
use crate::error::Fault;
use crate::indexed;
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

/// Where numbers may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The index, brought up to date, and what was kept of whole files.
    Index,
    /// The files alone.
    Files,
}

impl Origin {
    /// As `--no-index` says.
    pub(crate) fn of(no_index: bool) -> Self {
        if no_index { Self::Files } else { Self::Index }
    }
}

impl Account {
    /// What the store used.
    pub(crate) fn of(origin: Origin, context: &Context) -> Self {
        let indexed = match origin {
            Origin::Index => Self::of_index(context),
            Origin::Files => return Self::of_files(context),
        };
        // The index makes it quick; without one the answer is the same.
        let why = match indexed {
            Ok(Some(account)) => return account,
            Ok(None) => "another annals is bringing the index up to date".to_owned(),
            Err(fault) => fault.message().to_owned(),
        };
        context.say(format!("{why}; reading the files instead"));
        Self::of_files(context)
    }

    /// From the index, where it is whole. Files that are gone still count there: what they cost was paid.
    fn of_index(context: &Context) -> Result<Option<Self>, Fault> {
        let Some(((sources, items), refreshed)) = indexed::ask_whole(context, Index::usage)? else {
            return Ok(None);
        };
        let problems = refreshed.unread.iter().map(|error| error.problem()).collect();
        Ok(Some(Self { sources, items, problems }))
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
