//! Writes facts: counted, or only the first, last or greatest value.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};

use super::RowWriter;
use crate::error::IndexError;
use crate::extract::{FactKind, FactPolicy, Occurrences};

impl RowWriter<'_> {
    pub(super) fn facts(
        &mut self,
        file: i64,
        facts: &BTreeMap<(FactKind, String), Occurrences>,
    ) -> Result<(), IndexError> {
        for ((kind, value), occurrences) in facts {
            let number = kind.number();
            if kind.keep() != FactPolicy::All {
                let known: Option<String> = self
                    .transaction
                    .prepare_cached("SELECT value FROM facts WHERE file = ?1 AND kind = ?2")?
                    .query_row([file, number], |row| row.get(0))
                    .optional()?;
                let stays = known.as_ref().is_some_and(|known| match kind.keep() {
                    FactPolicy::First => true,
                    FactPolicy::Max => known >= value,
                    FactPolicy::Last | FactPolicy::All => false,
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
                .execute(params![
                    file,
                    number,
                    value,
                    occurrences.count as i64,
                    occurrences.first as i64,
                    occurrences.last as i64
                ])?;
        }
        Ok(())
    }
}
