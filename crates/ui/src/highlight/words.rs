//! The words of languages, as sets that are made once.

use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, Mutex, PoisonError};

type WordSet = &'static HashSet<&'static str>;

/// Returns the set of these words.
pub(super) fn words_of(list: &'static str) -> WordSet {
    static SETS: LazyLock<Mutex<HashMap<&'static str, WordSet>>> = LazyLock::new(Mutex::default);
    let mut sets = SETS.lock().unwrap_or_else(PoisonError::into_inner);
    // There are as many sets as lists in the program.
    sets.entry(list).or_insert_with(|| Box::leak(Box::new(list.split(' ').collect())))
}
