//! The sink of `annals collect` that writes to the engine.

use annals_collect::{Batch, Sink, SinkError};
use annals_transcript::price::Prices;

use crate::rows::BatchRows;
use crate::schema;
use crate::wire::Engine;

/// Delivers batches to the engine. A batch that breaks off is sent again as a whole: its rows have keys.
#[derive(Debug)]
pub struct TeamSink {
    engine: Engine,
    prices: Prices,
    is_checked: bool,
}

impl TeamSink {
    /// A sink; the tables are looked at with the first batch.
    pub fn new(engine: Engine, prices: Prices) -> Self {
        Self { engine, prices, is_checked: false }
    }
}

impl Sink for TeamSink {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        if !self.is_checked {
            schema::check(&self.engine).map_err(crate::EngineError::into_sink_error)?;
            self.is_checked = true;
        }
        let rows = BatchRows::of(batch, self.engine.tenant(), &self.prices);
        for (table, body, token) in rows.tables() {
            self.engine.insert(table, body, &token).map_err(crate::EngineError::into_sink_error)?;
        }
        Ok(())
    }
}
