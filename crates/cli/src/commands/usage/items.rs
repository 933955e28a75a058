//! Reads the items of a report, from the index or the files. Both give the same items and sources.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;

use annals_index::Index;
use annals_store::FileProblem;
use annals_store::usage::{StoreUsage, UsageFile, agents_with_files, read_usage, read_usage_and_progress};
use annals_transcript::usage::{FileIndex, Thread, UsageItem, UsageSource};

use super::team::TeamItems;
use crate::context::Context;
use crate::error::Fault;
use crate::indexed;
use crate::selection::Selection;
use crate::uncounted::UncountedUsage;
use crate::words;

/// The usage of a store.
pub(crate) struct UsageItems {
    /// The files; items refer to them by position.
    pub(crate) sources: Vec<UsageSource>,
    pub(crate) items: Vec<UsageItem>,
    /// What could not be read.
    pub(crate) problems: Vec<FileProblem>,
    /// What is known of deleted sub-agents, and not in the items.
    pub(crate) uncounted: UncountedUsage,
    /// The sources' people, if a team's engine was asked.
    pub(crate) team: Option<Box<TeamItems>>,
}

/// Where usage is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UsageOrigin {
    /// The index, brought up to date, and cached briefs of whole files.
    Index,
    /// The files alone.
    Files,
}

/// What the indexes of all stores say.
enum IndexedUsage {
    Items(UsageItems),
    /// Another process is updating one.
    Busy,
    /// Two stores have the same response: somebody copied a session, or went on with it elsewhere.
    Shared,
}

impl UsageOrigin {
    /// From `--no-index`.
    pub(crate) fn of(no_index: bool) -> Self {
        if no_index { Self::Files } else { Self::Index }
    }
}

impl UsageItems {
    /// Reads the usage of the store.
    pub(crate) fn of(origin: UsageOrigin, context: &Context) -> Self {
        let indexed = match origin {
            UsageOrigin::Index => Self::of_index(context),
            UsageOrigin::Files => return Self::of_files(context),
        };
        // The index is faster; without one the answer is the same.
        let why = match indexed {
            Ok(IndexedUsage::Items(account)) => return account,
            // Each index counts a response once; the files tell where it was first.
            Ok(IndexedUsage::Shared) => return Self::of_files(context),
            Ok(IndexedUsage::Busy) => "another annals is updating the index".to_owned(),
            Err(fault) => fault.message().to_owned(),
        };
        context.say(format!("{why}; reading the files instead"));
        Self::of_files(context)
    }

    /// From the index, if it is complete. Deleted files still count there: their cost was paid.
    fn of_index(context: &Context) -> Result<IndexedUsage, Fault> {
        let are_several = context.store.are_several();
        let question = |index: &Index| {
            let keys = if are_several { index.response_keys()? } else { HashSet::new() };
            Ok((index.usage()?, index.agents_without_file()?, keys))
        };
        let mut responses = HashSet::new();
        let (mut sources, mut items) = (Vec::new(), Vec::new());
        let (mut problems, mut missing) = (Vec::new(), BTreeMap::new());
        for answer in context.each_store(|context| indexed::query_complete(context, question)) {
            let Some((((more_sources, more), without_file, keys), refreshed)) = answer? else {
                return Ok(IndexedUsage::Busy);
            };
            if !responses.is_disjoint(&keys) {
                return Ok(IndexedUsage::Shared);
            }
            responses.extend(keys);
            let before = sources.len();
            match before {
                0 => (sources, items) = (more_sources, more),
                _ => {
                    sources.extend(more_sources);
                    let moved = |item: UsageItem| UsageItem {
                        file: FileIndex::new(item.file.get() + before),
                        ..item
                    };
                    items.extend(more.into_iter().map(moved));
                }
            }
            problems.extend(refreshed.missing());
            missing.extend(without_file);
        }
        let uncounted = UncountedUsage::of_index(&missing, context);
        Ok(IndexedUsage::Items(Self { sources, items, problems, uncounted, team: None }))
    }

    fn of_files(context: &Context) -> Self {
        let discovery = context.discover_all();
        let files = UsageFile::all(&discovery);
        let known = agents_with_files(&discovery);
        let read = |file: &UsageFile| match file.thread {
            Thread::Main => read_usage_and_progress(&file.entry, |agent| !known.contains(agent)),
            _ => Ok((read_usage(&file.entry)?, Vec::new())),
        };
        let (mut usage, progress) =
            reading(&files, context, |advance| StoreUsage::read_with(&files, advance, read));
        let uncounted = UncountedUsage::new(usage.sources.clone(), progress, context);
        let mut problems = discovery.problems;
        context.note_unread(usage.problems.iter().cloned());
        problems.append(&mut usage.problems);
        let items = usage.items(&context.prices);
        Self { sources: usage.sources, items, problems, uncounted, team: None }
    }

    pub(crate) fn selected<'a>(&'a self, selection: &'a Selection) -> impl Iterator<Item = &'a UsageItem> {
        self.items.iter().filter(|item| selection.keeps(item, self.source(item)))
    }

    /// The file of an item.
    pub(crate) fn source(&self, item: &UsageItem) -> Option<&UsageSource> {
        self.sources.get(item.file.get())
    }
}

/// Reads files with a progress bar; `read` gets a callback to advance it.
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
