//! Many files to one account: a response that forks and resumes have copied is counted once.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::key::{KeyHashing, ResponseKey};
use super::response::{Charge, ResponseUsage};

/// The place of a file in the order of files that the caller has fixed, such as that of their paths.
pub type FileIndex = u32;

/// A response of the store and the file that it is attributed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// The file where it appeared first.
    pub file: FileIndex,
    /// What it used.
    pub usage: ResponseUsage,
    /// In how many files it stands.
    pub files: u32,
}

impl LedgerEntry {
    /// Where it appeared first: by time; at the same time a line that says it is a copy comes after one that does not
    /// (copies keep their timestamps); then by the caller's order of files.
    fn appearance(&self) -> (bool, Option<i64>, bool, FileIndex, usize) {
        // A response without a time is later than any that has one.
        (self.usage.millis.is_none(), self.usage.millis, self.usage.is_copy, self.file, self.usage.node)
    }

    /// Makes one of two appearances of the same response.
    ///
    /// Attribution is the least of the two and the numbers are the greatest (a fork made while the response streamed has
    /// copied too little), each by a total order: whichever is met first, the outcome is the same.
    fn unite(&mut self, mut other: Self) {
        let files = self.files.saturating_add(other.files);
        if other.appearance() < self.appearance() {
            std::mem::swap(self, &mut other);
        }
        if other.usage.reading > self.usage.reading {
            self.usage.reading = other.usage.reading;
        }
        self.files = files;
    }
}

/// The account of many files.
///
/// Files may be added in any order and by several threads, each with its own ledger: [`merge`](Self::merge) gives the
/// same account whatever the order. It holds about 250 bytes a response, and no ids.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    places: HashMap<ResponseKey, u32, KeyHashing>,
    entries: Vec<LedgerEntry>,
}

impl Ledger {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what a file holds; each file once.
    pub fn add_file(&mut self, file: FileIndex, responses: impl IntoIterator<Item = ResponseUsage>) {
        for usage in responses {
            self.add(LedgerEntry { file, usage, files: 1 });
        }
    }

    /// Adds the account of other files.
    pub fn merge(&mut self, other: Self) {
        for entry in other.entries {
            self.add(entry);
        }
    }

    fn add(&mut self, entry: LedgerEntry) {
        let next = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        match self.places.entry(entry.usage.key) {
            Entry::Occupied(place) => self.entries[*place.get() as usize].unite(entry),
            Entry::Vacant(place) => {
                place.insert(next);
                self.entries.push(entry);
            }
        }
    }

    /// How many responses there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry of a response.
    pub fn get(&self, key: ResponseKey) -> Option<&LedgerEntry> {
        self.entries.get(*self.places.get(&key)? as usize)
    }

    /// Every response, in no order. Sums do not need one.
    pub fn entries(&self) -> impl Iterator<Item = &LedgerEntry> {
        self.entries.iter()
    }

    /// Every billed model call with the file that it is attributed to, in no order.
    pub fn charges(&self) -> impl Iterator<Item = (FileIndex, Charge<'_>)> {
        self.entries().flat_map(|entry| entry.usage.charges().map(move |charge| (entry.file, charge)))
    }

    /// Every response, in the order in which they appeared.
    pub fn into_sorted(self) -> Vec<LedgerEntry> {
        let mut entries = self.entries;
        entries.sort_unstable_by(|left, right| match left.appearance().cmp(&right.appearance()) {
            Ordering::Equal => left.usage.key.cmp(&right.usage.key),
            order => order,
        });
        entries
    }
}
