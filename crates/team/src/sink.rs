//! The sink of `annals collect` that writes to the engine.

use annals_collect::{Batch, Sink, SinkError};
use annals_transcript::price::Prices;

use crate::query::Forgotten;
use crate::rows::BatchRows;
use crate::schema;
use crate::wire::{Engine, EngineError};

/// Delivers batches to the engine. A batch that breaks off is sent again as a whole: its rows have keys.
#[derive(Debug)]
pub struct TeamSink {
    engine: Engine,
    prices: Prices,
    is_checked: bool,
    refused: u64,
}

impl TeamSink {
    /// A sink; the tables are looked at with the first batch.
    pub fn new(engine: Engine, prices: Prices) -> Self {
        Self { engine, prices, is_checked: false, refused: 0 }
    }
}

impl TeamSink {
    fn write(&mut self, batch: &Batch) -> Result<(), EngineError> {
        if !self.is_checked {
            schema::check(&self.engine)?;
            self.is_checked = true;
        }
        self.refused += write_batch(&self.engine, &self.prices, batch)?;
        Ok(())
    }
}

/// Writes the rows of a batch, and returns how many of its items are left out, because they were forgotten.
pub(crate) fn write_batch(engine: &Engine, prices: &Prices, batch: &Batch) -> Result<u64, EngineError> {
    // Asked for each batch: a sink may run for weeks.
    let forgotten = Forgotten::of(engine)?;
    let rows = BatchRows::of(batch, engine.tenant(), prices, &forgotten);
    for (table, body, token) in rows.tables() {
        engine.insert(table, body, &token)?;
    }
    Ok(rows.refused())
}

impl Sink for TeamSink {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        self.write(batch).map_err(EngineError::into_sink_error)
    }

    fn refused(&self) -> u64 {
        self.refused
    }
}
