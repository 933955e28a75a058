//! The index behind search, costs and usage: read as it is, and brought up to date by one at a time.

use std::ops::ControlFlow;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use annals_index::{Index, IndexError};
use annals_store::{StoreChanges, StoreSnapshot};

use super::Library;

/// Costs may be so old.
const MIN_PAUSE: Duration = Duration::from_secs(10);

/// What brings the index up to date at the start.
pub(super) struct Indexer(pub(super) Box<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for Indexer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Indexer")
    }
}

impl Library {
    /// Brings the indexes up to date at the start.
    pub(crate) fn index_at_start(&self) {
        if let Some(indexer) = &self.indexer {
            indexer.0();
        }
        // This finds nothing new then, and is all that is done where nothing else did it.
        self.refresh_indexes_sometimes();
    }

    /// The index of a store as it is; `None` if there is none.
    pub(crate) fn index_as_it_is(&self, store: usize) -> Option<Index> {
        Index::open_to_read(self.stores.get(store)?.config_dir(), &self.data).ok().flatten()
    }

    /// How often the index has been brought up to date: a page that shows costs is old if this has changed.
    pub(crate) fn index_age(&self) -> usize {
        self.index_age.load(Ordering::Relaxed)
    }

    /// Brings the indexes up to date unless that was done a moment ago: for costs, which may be a little old.
    pub(crate) fn refresh_indexes_sometimes(&self) {
        let last = *self.indexing.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= MIN_PAUSE) && self.refresh_indexes().is_ok() {
            self.forget_listing();
        }
    }

    /// Brings the indexes of all stores up to date. Another process may be doing the same; then what is there has to do.
    pub(crate) fn refresh_indexes(&self) -> Result<(), IndexError> {
        let mut last = self.indexing.lock().unwrap_or_else(PoisonError::into_inner);
        for store in &self.stores {
            match self.refresh(store) {
                Err(error) if error.is_damage() => {
                    Index::remove(store.config_dir(), &self.data)?;
                    self.refresh(store)?;
                }
                Err(error) if error.is_busy() => {}
                refreshed => refreshed?,
            }
        }
        if last.replace(Instant::now()).is_none() {
            self.index_age.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn refresh(&self, store: &annals_store::Store) -> Result<(), IndexError> {
        let config = store.config_dir();
        let mut known = Index::snapshot_of(config, &self.data);
        let vault = self.data.vault().join("index");
        let diff = store.rescan(&known, std::slice::from_ref(&vault), self.now());
        if let Some(index) = Index::open_to_read(config, &self.data)?
            && diff.changes == StoreChanges::Nothing
            && index.matches_snapshot(&known)?
        {
            return Ok(());
        }
        let (mut index, _) = Index::open(config, &self.data)?;
        let diff = match index.matches_snapshot(&known)? {
            true => diff,
            false => {
                known = StoreSnapshot::default();
                store.rescan(&known, &[vault], self.now())
            }
        };
        let go_on = |_| ControlFlow::Continue(());
        let refreshed = match &diff.changes {
            StoreChanges::Nothing => index.refresh_files(&[], &self.data, &self.prices, go_on)?,
            StoreChanges::Files(files) => index.refresh_files(files, &self.data, &self.prices, go_on)?,
            StoreChanges::More => index.refresh(&store.discover(), &self.data, &self.prices, go_on)?,
        };
        if refreshed.missing().next().is_none() {
            index.save_snapshot(&known.updated(&diff))?;
        }
        Ok(())
    }
}
