//! Sums files: a response that forks and resumes have copied counts once.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::key::{KeyHashing, ResponseKey};
use super::response::{Charge, ResponseUsage};

/// The index of a file in an order that the caller chooses, such as by path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileIndex(u32);

impl FileIndex {
    /// Makes an index from a number. One above `u32::MAX` becomes that.
    pub fn new(number: usize) -> Self {
        Self(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// The index as a number.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// A response and the file that it is attributed to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LedgerEntry {
    /// The file where it appeared first.
    pub file: FileIndex,
    /// What the response was billed for.
    pub usage: ResponseUsage,
    /// The number of files that have it.
    pub files: u32,
}

impl LedgerEntry {
    /// The order of appearance: by time; then copies after originals (copies keep their timestamps); then by file.
    fn appearance(&self) -> (bool, Option<i64>, bool, FileIndex, usize) {
        // A response without a time is later than any that has one.
        (self.usage.millis.is_none(), self.usage.millis, self.usage.is_copy, self.file, self.usage.position)
    }

    /// Merges two appearances of the same response.
    ///
    /// The first appearance gives the file, the greatest reading the numbers (a fork made while the response streamed has too
    /// little), each by a total order: the result does not depend on the order of merging.
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

/// The responses of many files, each counted once.
///
/// Files may be added in any order and by several threads, each with its own ledger: [`merge`](Self::merge) gives the same
/// result in any order. Takes about 250 bytes per response.
#[derive(Clone, Debug, Default)]
pub struct UsageLedger {
    places: HashMap<ResponseKey, u32, KeyHashing>,
    entries: Vec<LedgerEntry>,
}

impl UsageLedger {
    /// Makes an empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the responses of a file; call it once per file.
    pub fn add_file(&mut self, file: FileIndex, responses: impl IntoIterator<Item = ResponseUsage>) {
        for usage in responses {
            self.add(LedgerEntry { file, usage, files: 1 });
        }
    }

    /// Adds the responses of another ledger.
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

    /// The number of responses.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no responses.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry of a response.
    pub fn get(&self, key: ResponseKey) -> Option<&LedgerEntry> {
        self.entries.get(*self.places.get(&key)? as usize)
    }

    /// Iterates over the responses, in no particular order.
    pub fn entries(&self) -> impl Iterator<Item = &LedgerEntry> {
        self.entries.iter()
    }

    /// Iterates over the billed model calls with their files, in no particular order.
    pub fn charges(&self) -> impl Iterator<Item = (FileIndex, Charge<'_>)> {
        self.entries().flat_map(|entry| entry.usage.charges().map(move |charge| (entry.file, charge)))
    }

    /// Returns the responses in the order of appearance.
    pub fn into_sorted(self) -> Vec<LedgerEntry> {
        let mut entries = self.entries;
        entries.sort_unstable_by(|left, right| match left.appearance().cmp(&right.appearance()) {
            Ordering::Equal => left.usage.key.cmp(&right.usage.key),
            order => order,
        });
        entries
    }
}
