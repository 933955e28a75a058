//! Facts: counted, or the first, the last or the greatest of them alone.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};

use super::Writer;
use crate::error::IndexError;
use crate::extract::{FactKind, Keep, Met};

impl Writer<'_> {
    pub(super) fn facts(
        &mut self,
        file: i64,
        facts: &BTreeMap<(FactKind, String), Met>,
    ) -> Result<(), IndexError> {
        for ((kind, value), met) in facts {
            let number = kind.number();
            if kind.keep() != Keep::Each {
                let known: Option<String> = self
                    .transaction
                    .prepare_cached("SELECT value FROM facts WHERE file = ?1 AND kind = ?2")?
                    .query_row([file, number], |row| row.get(0))
                    .optional()?;
                let stays = known.as_ref().is_some_and(|known| match kind.keep() {
                    Keep::First => true,
                    Keep::Greatest => known >= value,
                    Keep::Last | Keep::Each => false,
                });
                if stays {
                    continue;
                }
                self.transaction
                    .prepare_cached("DELETE FROM facts WHERE file = ?1 AND kind = ?2")?
                    .execute([file, number])?;
            }
            self.transaction
                .prepare_cached(
                    "INSERT INTO facts VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (file, kind, value)
                     DO UPDATE SET count = count + excluded.count, last = excluded.last",
                )?
                .execute(params![file, number, value, met.count as i64, met.first as i64, met.last as i64])?;
        }
        Ok(())
    }
}
