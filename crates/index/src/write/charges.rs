//! What was billed, each call once over the store, and sums of it.

use std::path::PathBuf;

use annals_transcript::price::Prices;
use annals_transcript::usage::{Certainty, Ledger, ResponseKey, ResponseUsage, Thread, UsageItem};
use rusqlite::{Connection, params};

use super::Writer;
use super::responses::{Appearance, COLUMNS, appearance};
use crate::error::IndexError;
use crate::words::{Gathering, Pieces};

/// The conversation itself.
pub(crate) const MAIN: i64 = 0;
/// A sub-agent whose lines stand among those of the conversation.
pub(crate) const INLINE: i64 = -1;
/// Stands in sums for the quarter of an hour of what has no time: times before 1970 have quarters below zero, and none has this one.
pub(crate) const NO_QUARTER: i64 = i64::MIN;
/// Their places are the numbers that the index keeps.
pub(crate) const CERTAINTIES: [Certainty; 3] = [Certainty::Priced, Certainty::Estimated, Certainty::Unpriced];

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
        let mut statement =
            self.transaction.prepare_cached("DELETE FROM charges WHERE key = ?1 RETURNING file, quarter")?;
        let gone = statement.query_map([key], |row| Ok((row.get(0)?, row.get(1)?)))?;
        self.stale.extend(gone.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }

    /// The file that a response counts in, and its numbers; none where no file has it any more. Those that are there come first,
    /// as if the others were not known: what is gone counts where nothing else has it, so that what it cost is not lost.
    fn counted(&self, key: [u8; 16]) -> Result<Option<(i64, ResponseUsage)>, IndexError> {
        let mut statement = self.transaction.prepare_cached(&format!(
            "SELECT {COLUMNS}, files.state, files.role, files.path FROM responses JOIN files ON files.id = responses.file
             WHERE key = ?1"
        ))?;
        let rows = statement.query_map([key], |row| {
            let order: (i64, i64, PathBuf) =
                (row.get(17)?, row.get(18)?, PathBuf::from(row.get::<_, String>(19)?));
            Ok((order, appearance(key, row)?))
        })?;
        let mut all = rows.collect::<Result<Vec<_>, _>>()?;
        if all.len() < 2 {
            return Ok(all.pop().map(|(_, Appearance { file, usage })| (file, usage)));
        }
        // Of copies with one time the first counts: sessions before sub-agents, then by path.
        all.sort_by(|(left, _), (right, _)| left.cmp(right));
        let (state, ..) = all[0].0;
        all.retain(|((other, ..), _)| *other == state);
        let mut ledger = Ledger::new();
        for (at, (_, appearance)) in all.iter().enumerate() {
            ledger.add_file(at as u32, [appearance.usage.clone()]);
        }
        let entry = ledger.get(ResponseKey::from_bytes(key));
        Ok(entry.map(|entry| (all[entry.file as usize].1.file, entry.usage.clone())))
    }

    fn charge(&mut self, file: i64, usage: &ResponseUsage) -> Result<(), IndexError> {
        for (part, charge) in usage.charges().enumerate() {
            let item = UsageItem::of(0, &charge, charge.model.and_then(|model| self.prices.find(model)));
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
                    // What prices of somebody's own may make of it.
                    i64::try_from(nanos).unwrap_or(i64::MAX),
                    femtos as i64,
                    i64::try_from(bare_nanos).unwrap_or(i64::MAX),
                    bare_femtos as i64,
                ])?;
            self.stale.insert((file, item.quarter));
        }
        Ok(())
    }

    /// Makes the sums anew that a charge was added to or taken from.
    pub(super) fn settle_sums(&mut self) -> Result<(), IndexError> {
        let mut remove =
            self.transaction.prepare_cached("DELETE FROM spent WHERE file = ?1 AND quarter = ?2")?;
        // Costs by `total`, which is exact below 2^53 billionths of a dollar and never too large for an answer, as `sum` can be.
        let mut sum = self.transaction.prepare_cached(
            "INSERT INTO spent SELECT file, ?3, thread, ifnull(model, 0), certainty, min(millis), max(millis),
             sum(part = 0), sum(input), sum(output), sum(cache_read), sum(write_5m), sum(write_1h), sum(searches),
             sum(fetches), CAST(total(nanos) AS INTEGER), sum(femtos), CAST(total(bare_nanos) AS INTEGER),
             sum(bare_femtos) FROM charges WHERE file = ?1 AND quarter IS ?2 GROUP BY thread, 4, certainty",
        )?;
        for (file, quarter) in std::mem::take(&mut self.stale) {
            let kept = quarter.unwrap_or(NO_QUARTER);
            remove.execute([file, kept])?;
            sum.execute(params![file, quarter, kept])?;
        }
        Ok(())
    }
}

/// Reckons every cost anew, with other prices.
pub(crate) fn reprice(
    connection: &mut Connection,
    words: &mut Gathering,
    prices: &Prices,
) -> Result<(), IndexError> {
    let mut writer = Writer::begin(connection, prices)?;
    let mut statement = writer.transaction.prepare("SELECT DISTINCT key FROM charges")?;
    let keys = statement.query_map([], |row| row.get::<_, [u8; 16]>(0))?;
    let keys: Vec<_> = keys.collect::<Result<_, _>>()?;
    drop(statement);
    writer.touched.extend(keys);
    writer.commit(&mut words.gathered, words.gatherer.finish(Pieces::AsTheyAre))
}
