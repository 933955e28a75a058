//! Writes what several machines have sent with one insert for each table.

use std::collections::BTreeMap;

use annals_collect::Batch;
use annals_transcript::price::Prices;

use crate::query::ForgottenSubjects;
use crate::rows::BatchRows;
use crate::schema;
use crate::wire::{Engine, EngineError};

/// What one machine has sent: a batch for each of its stores.
#[derive(Debug)]
pub(super) struct SentBatches {
    pub(super) tenant: String,
    pub(super) batches: Vec<Batch>,
}

/// What became of it: how many items were left out because they were forgotten, or why it was not written.
pub(super) type WriteOutcome<E> = Result<u64, E>;

/// Writes a group. What the engine refuses for its content is then written machine by machine, so that only those fail whose own rows
/// are refused; a row that is written twice by this has one key.
pub(super) fn write_group<E: Clone>(
    engine: &Engine,
    prices: &Prices,
    group: &[SentBatches],
    as_failure: impl Fn(&EngineError) -> E,
) -> Vec<WriteOutcome<E>> {
    let rows = match rows_of(engine, prices, group) {
        Ok(rows) => rows,
        Err(error) => return vec![Err(as_failure(&error)); group.len()],
    };
    let all: Vec<&BatchRows> = rows.iter().flatten().collect();
    let refused = |rows: &[BatchRows]| rows.iter().map(BatchRows::refused).sum();
    match insert(engine, &all) {
        Ok(()) => rows.iter().map(|rows| Ok(refused(rows))).collect(),
        Err(EngineError::Refused(_) | EngineError::TooLarge(_)) if group.len() > 1 => {
            let alone = |rows: &Vec<BatchRows>| {
                let written = insert(engine, &rows.iter().collect::<Vec<_>>());
                written.map(|()| refused(rows)).map_err(|error| as_failure(&error))
            };
            rows.iter().map(alone).collect()
        }
        Err(error) => vec![Err(as_failure(&error)); group.len()],
    }
}

/// The rows of each, without those of what was forgotten. That is asked for each group: a receiver runs for weeks.
fn rows_of(
    engine: &Engine,
    prices: &Prices,
    group: &[SentBatches],
) -> Result<Vec<Vec<BatchRows>>, EngineError> {
    schema::check(engine)?;
    let mut forgotten: BTreeMap<&str, ForgottenSubjects> = BTreeMap::new();
    for sent in group {
        if !forgotten.contains_key(sent.tenant.as_str()) {
            forgotten.insert(&sent.tenant, ForgottenSubjects::of(&engine.for_tenant(&sent.tenant))?);
        }
    }
    let rows = |sent: &SentBatches| {
        let forgotten = &forgotten[sent.tenant.as_str()];
        let of = |batch| BatchRows::of(batch, &sent.tenant, prices, forgotten);
        sent.batches.iter().map(of).collect()
    };
    Ok(group.iter().map(rows).collect())
}

fn insert(engine: &Engine, rows: &[&BatchRows]) -> Result<(), EngineError> {
    match rows {
        [one] => one.tables().try_for_each(|(table, body, token)| engine.insert(table, body, &token)),
        _ => {
            let joined = BatchRows::joined(rows);
            joined.tables().try_for_each(|(table, body, token)| engine.insert(table, body, &token))
        }
    }
}
