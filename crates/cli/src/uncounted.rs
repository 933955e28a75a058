//! Usage that reports leave out: of sub-agents whose files are gone, known only from progress records. It was billed, but
//! their output is unfinished there, so it is stated beside the sums and not in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use annals_store::Discovery;
use annals_store::usage::{StoreUsage, UsageFile, agents_with_files, read_usage_and_progress};
use annals_transcript::usage::{
    FileIndex, ResponseUsage, Thread, UsageItem, UsageLedger, UsageRow, UsageSource, items,
};

use crate::context::Context;
use crate::words;

/// The usage that is left out.
#[derive(Debug, Default)]
pub(crate) struct UncountedUsage {
    sources: Vec<UsageSource>,
    items: Vec<UsageItem>,
}

impl UncountedUsage {
    /// Of these sessions, as far as it is of these sub-agents.
    pub(crate) fn of_index(missing: &BTreeMap<PathBuf, BTreeSet<String>>, context: &Context) -> Self {
        let files: Vec<UsageFile> =
            missing.keys().filter_map(|path| UsageFile::of_session(path).ok()).collect();
        let agents: BTreeSet<&str> = missing.values().flatten().map(String::as_str).collect();
        Self::read(&files, |agent| agents.contains(agent), context)
    }

    /// Of all sessions of a store.
    pub(crate) fn of_files(discovery: &Discovery, context: &Context) -> Self {
        let mut files = UsageFile::all(discovery);
        files.retain(|file| file.thread == Thread::Main);
        let known = agents_with_files(discovery);
        Self::read(&files, |agent| !known.contains(agent), context)
    }

    fn read(files: &[UsageFile], is_missing: impl Fn(&str) -> bool + Sync, context: &Context) -> Self {
        // What cannot be read was reported when the sums were read.
        let (usage, progress) =
            StoreUsage::read_with(files, |_| (), |file| read_usage_and_progress(&file.entry, &is_missing));
        Self::new(usage.sources, progress, context)
    }

    /// Of the responses in the progress records of each source.
    pub(crate) fn new(
        sources: Vec<UsageSource>,
        progress: Vec<Vec<ResponseUsage>>,
        context: &Context,
    ) -> Self {
        let mut ledger = UsageLedger::new();
        for (at, responses) in progress.into_iter().enumerate() {
            ledger.add_file(FileIndex::new(at), responses);
        }
        let items = items(&ledger, &sources, &context.prices);
        Self { sources, items }
    }

    /// The sum of the items that are asked for.
    pub(crate) fn sum(&self, keeps: impl Fn(&UsageItem, Option<&UsageSource>) -> bool) -> UsageRow {
        let mut row = UsageRow::new("uncounted");
        let kept = self.items.iter().filter(|item| keeps(item, self.sources.get(item.file.get())));
        kept.for_each(|item| row.add_item(item));
        row
    }
}

/// Says how much is left out; `None` if it is nothing.
pub(crate) fn note(uncounted: &UsageRow) -> Option<String> {
    (uncounted.responses > 0).then(|| {
        format!(
            "not counted: {} of sub-agents whose files are gone, at least {} ({} tokens)",
            words::plural(uncounted.responses, "response", "responses"),
            words::dollars(uncounted.cost.dollars()),
            words::short_count(uncounted.tokens.total()),
        )
    })
}
