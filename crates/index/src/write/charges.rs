//! What was billed, each call once over the store, and sums of it.

use std::path::{Path, PathBuf};

use annals_transcript::price::{Basis, Cost, Prices, Usd};
use annals_transcript::usage::{Ledger, ResponseKey, ResponseUsage};
use rusqlite::{Connection, params};

use super::Writer;
use super::responses::{Appearance, COLUMNS, appearance};
use crate::error::IndexError;

/// Milliseconds of a quarter of an hour: every time zone is a whole number of them.
const QUARTER: i64 = 15 * 60 * 1000;

impl Writer<'_> {
    /// Decides anew, for every response that was touched, where it counts and with which numbers.
    pub(super) fn settle_charges(&mut self) -> Result<(), IndexError> {
        let mut touched: Vec<_> = std::mem::take(&mut self.touched).into_iter().collect();
        touched.sort_unstable();
        for key in touched {
            self.void(key)?;
            if let Some((file, usage)) = self.counted(key)? {
                self.charge(file, &usage)?;
            }
        }
        Ok(())
    }

    fn void(&mut self, key: [u8; 16]) -> Result<(), IndexError> {
        let mut statement = self
            .transaction
            .prepare_cached("DELETE FROM charges WHERE key = ?1 RETURNING file, ifnull(quarter, -1)")?;
        let gone = statement.query_map([key], |row| Ok((row.get(0)?, row.get(1)?)))?;
        self.stale.extend(gone.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }

    /// The file that a response counts in, and its numbers; none where no file has it any more.
    fn counted(&self, key: [u8; 16]) -> Result<Option<(i64, ResponseUsage)>, IndexError> {
        let mut statement = self.transaction.prepare_cached(&format!(
            "SELECT {COLUMNS}, files.role, files.path FROM responses JOIN files ON files.id = responses.file WHERE key = ?1"
        ))?;
        let rows = statement.query_map([key], |row| {
            let order: (i64, PathBuf) = (row.get(17)?, Path::new(&row.get::<_, String>(18)?).to_path_buf());
            Ok((order, appearance(key, row)?))
        })?;
        let mut all = rows.collect::<Result<Vec<_>, _>>()?;
        if all.len() < 2 {
            return Ok(all.pop().map(|(_, Appearance { file, usage })| (file, usage)));
        }
        // Of copies with one time the first counts: sessions before sub-agents, then by path.
        all.sort_by(|(left, _), (right, _)| left.cmp(right));
        let mut ledger = Ledger::new();
        for (at, (_, appearance)) in all.iter().enumerate() {
            ledger.add_file(at as u32, [appearance.usage.clone()]);
        }
        let entry = ledger.get(ResponseKey::from_bytes(key));
        Ok(entry.map(|entry| (all[entry.file as usize].1.file, entry.usage.clone())))
    }

    fn charge(&mut self, file: i64, usage: &ResponseUsage) -> Result<(), IndexError> {
        let quarter = usage.millis.map(|millis| millis.div_euclid(QUARTER));
        for (part, charge) in usage.charges().enumerate() {
            let (cost, basis) = match self.prices.cost_of(&charge) {
                Cost::Priced { usd, basis: Basis::Table } => (usd, 0),
                Cost::Priced { usd, .. } => (usd, 1),
                Cost::Unpriced if charge.tokens.is_zero() => (Usd::ZERO, 0),
                Cost::Unpriced => (Usd::ZERO, 2),
            };
            let model = match charge.model {
                Some(model) => Some(self.names.number(&self.transaction, model)?),
                None => None,
            };
            let (nanos, femtos) = cost.nanos_and_femtos();
            self.transaction
                .prepare_cached(
                    "INSERT INTO charges VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
                )?
                .execute(params![
                    usage.key.to_bytes(),
                    part as i64,
                    file,
                    quarter,
                    model,
                    charge.tokens.input as i64,
                    charge.tokens.output as i64,
                    charge.tokens.cache_read as i64,
                    charge.tokens.cache_write_5m as i64,
                    charge.tokens.cache_write_1h as i64,
                    charge.tokens.web_searches as i64,
                    nanos as i64,
                    femtos as i64,
                    basis,
                ])?;
        }
        self.stale.insert((file, quarter.unwrap_or(-1)));
        Ok(())
    }

    /// Makes the sums anew that a charge was added to or taken from.
    pub(super) fn settle_sums(&mut self) -> Result<(), IndexError> {
        let mut remove =
            self.transaction.prepare_cached("DELETE FROM spent WHERE file = ?1 AND quarter = ?2")?;
        let mut sum = self.transaction.prepare_cached(
            "INSERT INTO spent SELECT file, ifnull(quarter, -1), ifnull(model, 0), basis, sum(part = 0), sum(input),
             sum(output), sum(cache_read), sum(write_5m), sum(write_1h), sum(searches), sum(nanos), sum(femtos)
             FROM charges WHERE file = ?1 AND quarter IS ?2 GROUP BY 1, 2, 3, 4",
        )?;
        for (file, quarter) in std::mem::take(&mut self.stale) {
            remove.execute([file, quarter])?;
            sum.execute(params![file, (quarter >= 0).then_some(quarter)])?;
        }
        Ok(())
    }
}

/// Reckons every cost anew, with other prices.
pub(crate) fn reprice(connection: &mut Connection, prices: &Prices) -> Result<(), IndexError> {
    let mut writer = Writer::begin(connection, prices)?;
    let mut statement = writer.transaction.prepare("SELECT DISTINCT key FROM charges")?;
    let keys = statement.query_map([], |row| row.get::<_, [u8; 16]>(0))?;
    let keys: Vec<_> = keys.collect::<Result<_, _>>()?;
    drop(statement);
    writer.touched.extend(keys);
    writer.commit()
}
