//! What is known of a sink without asking it: what waits, and what it refused.

use crate::collector::Collector;
use crate::error::CollectError;
use crate::report::RefusedItem;
use crate::spool::{Backlog, UnclaimedBacklog};
use crate::spooled_batch::SpooledBatch;

/// The state of one sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkStatus {
    /// The id of this machine; empty if it has none yet.
    pub machine: String,
    /// The id of the store in use.
    pub store: String,
    /// Files of the store that were read.
    pub files: u64,
    /// Those of them that are gone, and known to the sink to be.
    pub gone: u64,
    /// The number of the last batch.
    pub batch: u64,
    /// What waits of this store.
    pub waiting: Backlog,
    /// What waits of stores that are gone, or not known.
    pub unclaimed: Option<UnclaimedBacklog>,
    /// Items that the sink refused, of any store.
    pub refused: Vec<RefusedItem>,
}

impl Collector<'_> {
    /// Describes the sink as far as it is known; nothing is sent.
    pub fn status(&self) -> Result<SinkStatus, CollectError> {
        let files = self.state.files();
        Ok(SinkStatus {
            machine: self.machine.clone(),
            store: self.state.store().to_owned(),
            files: files.len() as u64,
            gone: files.values().filter(|entry| entry.gone.is_some()).count() as u64,
            batch: self.state.sequence,
            waiting: self.spool.waiting(),
            unclaimed: self.spool.unclaimed(),
            refused: self.spool.refused()?,
        })
    }

    /// Puts what the sink refused back into the spool, under the same names: the next pass sends it again. Returns how many
    /// items that are.
    pub fn retry_refused(&mut self) -> Result<u64, CollectError> {
        let mut count = 0;
        for (path, batches) in self.spool.refused_batches()? {
            for mut batch in batches {
                count += batch.items.len() as u64;
                batch.sequence = self.state.sequence + 1;
                let (generation, store) = (self.state.generation, self.state.store().to_owned());
                let (root, files) = (String::new(), std::collections::BTreeMap::new());
                let spooled = SpooledBatch { batch, generation, store, root, is_retry: true, files };
                self.spool.add(&spooled, u64::MAX)?;
                self.state.take(&spooled);
            }
            // If this is not reached, they are sent twice, under the same names.
            self.spool.remove_refused(&path)?;
        }
        Ok(count)
    }
}
