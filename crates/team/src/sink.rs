//! The sink of `annals collect` that writes to the engine.

use annals_collect::{Batch, Sink, SinkError};
use annals_transcript::price::Prices;

use crate::query::ForgottenSubjects;
use crate::rows::BatchRows;
use crate::schema;
use crate::wire::{Engine, EngineError};

/// Delivers batches to the engine. A batch that breaks off is sent again as a whole: its rows have keys.
#[derive(Debug)]
pub struct TeamSink {
    engine: Engine,
    prices: Prices,
    refused: u64,
}

impl TeamSink {
    /// A sink; nothing is asked yet.
    pub fn new(engine: Engine, prices: Prices) -> Self {
        Self { engine, prices, refused: 0 }
    }
}

/// Writes the rows of a batch, and returns how many of its items are left out, because they were forgotten.
pub(crate) fn write_batch(engine: &Engine, prices: &Prices, batch: &Batch) -> Result<u64, EngineError> {
    // Both are asked for each batch: a sink may run for weeks.
    schema::check(engine)?;
    let forgotten = ForgottenSubjects::of(engine)?;
    let rows = BatchRows::of(batch, engine.tenant(), prices, &forgotten);
    for (table, body, token) in rows.tables() {
        engine.insert(table, body, &token)?;
    }
    Ok(rows.refused())
}

impl Sink for TeamSink {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        let written = write_batch(&self.engine, &self.prices, batch);
        self.refused += written.map_err(EngineError::into_sink_error)?;
        Ok(())
    }

    fn refused(&self) -> u64 {
        self.refused
    }
}
