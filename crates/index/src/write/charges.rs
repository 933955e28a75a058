//! Writes charges, each billed call once per store, and their sums.

use std::path::PathBuf;

use annals_transcript::price::Prices;
use annals_transcript::usage::{
    Certainty, FileIndex, ResponseKey, ResponseUsage, Thread, UsageItem, UsageLedger,
};
use rusqlite::{Connection, params};

use super::RowWriter;
use super::responses::{COLUMNS, ResponseRow, response_row};
use crate::error::IndexError;
use crate::words::{SegmentPolicy, WordChannel};

/// The main conversation.
pub(crate) const MAIN: i64 = 0;
/// A sub-agent whose records are in the main file.
pub(crate) const INLINE: i64 = -1;
/// The quarter of an hour of sums without a time: times before 1970 have negative quarters, but none this one.
pub(crate) const NO_QUARTER: i64 = i64::MIN;
/// The positions are the stored numbers.
pub(crate) const CERTAINTIES: [Certainty; 3] = [Certainty::Priced, Certainty::Estimated, Certainty::Unpriced];

impl RowWriter<'_> {
    /// Determines for every changed response in which file it counts, and with which numbers.
    pub(super) fn update_charges(&mut self) -> Result<(), IndexError> {
        let mut changed_responses: Vec<_> = std::mem::take(&mut self.changed_responses).into_iter().collect();
        changed_responses.sort_unstable();
        for key in changed_responses {
            self.remove_charges(key)?;
            if let Some((file, usage)) = self.counted_response(key)? {
                self.charge(file, &usage)?;
            }
        }
        Ok(())
    }

    fn remove_charges(&mut self, key: [u8; 16]) -> Result<(), IndexError> {
        let mut statement =
            self.transaction.prepare_cached("DELETE FROM charges WHERE key = ?1 RETURNING file, quarter")?;
        let gone = statement.query_map([key], |row| Ok((row.get(0)?, row.get(1)?)))?;
        self.stale_sums.extend(gone.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }

    /// The file in which a response counts and its usage; `None` if no file has it any more. Existing files come first; a
    /// deleted one counts only if no other has the response, so that its cost is not lost.
    fn counted_response(&self, key: [u8; 16]) -> Result<Option<(i64, ResponseUsage)>, IndexError> {
        let mut statement = self.transaction.prepare_cached(&format!(
            "SELECT {COLUMNS}, files.state, files.role, files.path FROM responses JOIN files ON files.id = responses.file
             WHERE key = ?1"
        ))?;
        let rows = statement.query_map([key], |row| {
            let order: (i64, i64, PathBuf) =
                (row.get(17)?, row.get(18)?, PathBuf::from(row.get::<_, String>(19)?));
            Ok((order, response_row(key, row)?))
        })?;
        let mut all = rows.collect::<Result<Vec<_>, _>>()?;
        if all.len() < 2 {
            return Ok(all.pop().map(|(_, ResponseRow { file, usage })| (file, usage)));
        }
        // Of copies with the same time the first counts: sessions before sub-agents, then by path.
        all.sort_by(|(left, _), (right, _)| left.cmp(right));
        let (state, ..) = all[0].0;
        all.retain(|((other, ..), _)| *other == state);
        let mut ledger = UsageLedger::new();
        for (at, (_, response_row)) in all.iter().enumerate() {
            ledger.add_file(FileIndex::new(at), [response_row.usage.clone()]);
        }
        let entry = ledger.get(ResponseKey::from_bytes(key));
        Ok(entry.map(|entry| (all[entry.file.get()].1.file, entry.usage.clone())))
    }

    fn charge(&mut self, file: i64, usage: &ResponseUsage) -> Result<(), IndexError> {
        for (part, charge) in usage.charges().enumerate() {
            let item = UsageItem::of(
                FileIndex::default(),
                &charge,
                charge.model.and_then(|model| self.prices.find(model)),
            );
            let mut number = |name: &str| self.names.number(&self.transaction, name);
            let model = item.model.as_deref().map(&mut number).transpose()?;
            let thread = match &item.thread {
                Thread::Main => MAIN,
                Thread::Inline => INLINE,
                Thread::Agent(agent) => number(agent)?,
            };
            let (nanos, femtos) = item.cost.nanos_and_femtos();
            let (bare_nanos, bare_femtos) = item.without_cache.nanos_and_femtos();
            self.transaction
                .prepare_cached(
                    "INSERT INTO charges VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
                     ?16, ?17, ?18, ?19)",
                )?
                .execute(params![
                    usage.key.to_bytes(),
                    part as i64,
                    file,
                    item.quarter,
                    thread,
                    model,
                    CERTAINTIES.iter().position(|one| *one == item.certainty).unwrap_or(0) as i64,
                    item.first,
                    item.tokens.input as i64,
                    item.tokens.output as i64,
                    item.tokens.cache_read as i64,
                    item.tokens.cache_write_5m as i64,
                    item.tokens.cache_write_1h as i64,
                    item.tokens.web_searches as i64,
                    item.tokens.web_fetches as i64,
                    // Prices from a user's file may be arbitrarily large.
                    i64::try_from(nanos).unwrap_or(i64::MAX),
                    femtos as i64,
                    i64::try_from(bare_nanos).unwrap_or(i64::MAX),
                    bare_femtos as i64,
                ])?;
            self.stale_sums.insert((file, item.quarter));
        }
        Ok(())
    }

    /// Computes the sums again that have changed.
    pub(super) fn update_sums(&mut self) -> Result<(), IndexError> {
        let mut remove =
            self.transaction.prepare_cached("DELETE FROM spent WHERE file = ?1 AND quarter = ?2")?;
        // Sums with `total`, which is exact below 2^53 nanodollars and never overflows, as `sum` can.
        let mut sum = self.transaction.prepare_cached(
            "INSERT INTO spent SELECT file, ?3, thread, ifnull(model, 0), certainty, min(millis), max(millis),
             sum(part = 0), sum(input), sum(output), sum(cache_read), sum(write_5m), sum(write_1h), sum(searches),
             sum(fetches), CAST(total(nanos) AS INTEGER), sum(femtos), CAST(total(bare_nanos) AS INTEGER),
             sum(bare_femtos) FROM charges WHERE file = ?1 AND quarter IS ?2 GROUP BY thread, 4, certainty",
        )?;
        for (file, quarter) in std::mem::take(&mut self.stale_sums) {
            let kept = quarter.unwrap_or(NO_QUARTER);
            remove.execute([file, kept])?;
            sum.execute(params![file, quarter, kept])?;
        }
        Ok(())
    }
}

/// Computes all costs again with other prices.
pub(crate) fn reprice(
    connection: &mut Connection,
    words: &mut WordChannel,
    prices: &Prices,
) -> Result<(), IndexError> {
    let mut writer = RowWriter::begin(connection, prices)?;
    let mut statement = writer.transaction.prepare("SELECT DISTINCT key FROM charges")?;
    let keys = statement.query_map([], |row| row.get::<_, [u8; 16]>(0))?;
    let keys: Vec<_> = keys.collect::<Result<_, _>>()?;
    drop(statement);
    writer.changed_responses.extend(keys);
    writer.commit(&mut words.receiver, words.writer.finish(SegmentPolicy::Unchanged))
}
