//! Titles in `summary` records. Old clients wrote the title of a session into files of other sessions of the project: it is
//! that of the session whose line it names.

use std::collections::HashMap;

use annals_store::SUMMARY_REACH;

use crate::error::IndexError;
use crate::extract::{FactKind, short_uuid};
use crate::open::Index;

const OF_PROJECT: &str = "SELECT facts.value, files.id = ?1 FROM facts JOIN files ON files.id = facts.file
    WHERE facts.kind = 13 AND files.slug = (SELECT slug FROM files WHERE id = ?1) AND files.role = 0 AND files.state = 0
    ORDER BY files.path, facts.last";

const LINES: &str = "SELECT uuid, line, offset, length FROM messages WHERE file = ?1 ORDER BY line";
const LINES_FROM_END: &str =
    "SELECT uuid, line, offset, length FROM messages WHERE file = ?1 ORDER BY line DESC";

/// Records that have no message.
const BARE: &str =
    "SELECT facts.value, facts.last, files.bytes FROM facts JOIN files ON files.id = facts.file
    WHERE facts.file = ?1 AND facts.kind = ?2";

impl Index {
    /// The title that a summary gives to the last of a file's lines that any names; those of the file itself come first.
    pub(super) fn summary_title(&self, file: i64) -> Result<Option<String>, IndexError> {
        let (mut own, mut all) = (HashMap::new(), HashMap::new());
        let mut statement = self.connection.prepare_cached(OF_PROJECT)?;
        let mut rows = statement.query([file])?;
        while let Some(row) = rows.next()? {
            let (value, is_own): (String, bool) = (row.get(0)?, row.get(1)?);
            let Some((leaf, title)) = value.split_once(' ') else { continue };
            let (leaf, title) = (short_uuid(leaf), title.trim());
            if title.is_empty() {
                continue;
            }
            if is_own {
                own.insert(leaf.clone(), title.to_owned());
            }
            all.insert(leaf, title.to_owned());
        }
        if all.is_empty() {
            return Ok(None);
        }
        let mut title = None;
        for uuid in self.ids_at_ends(file)? {
            if let Some(found) = own.remove(&uuid) {
                return Ok(Some(found));
            }
            title = title.or_else(|| all.remove(&uuid));
            if title.is_some() && own.is_empty() {
                break;
            }
        }
        Ok(title)
    }

    /// The ids of the records at the beginning and at the end of a file, the last first.
    fn ids_at_ends(&self, file: i64) -> Result<Vec<Vec<u8>>, IndexError> {
        // The lines that lists look at, too, so that a session has one name.
        let reach = SUMMARY_REACH as i64;
        let size: i64 = self
            .connection
            .prepare_cached("SELECT bytes FROM files WHERE id = ?1")?
            .query_row([file], |row| row.get(0))?;
        let mut ids = self.ids_while(LINES, file, |_, end| end <= reach)?;
        ids.extend(self.ids_while(LINES_FROM_END, file, |start, _| start >= size - reach)?);
        let mut bare = self.connection.prepare_cached(BARE)?;
        let mut rows = bare.query([file, FactKind::BareRecord.number()])?;
        while let Some(row) = rows.next()? {
            let (value, line, bytes): (String, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let mut parts = value.rsplitn(3, ' ');
            let place = |part: Option<&str>| part.and_then(|part| part.parse::<i64>().ok());
            let (end, start) = (place(parts.next()), place(parts.next()));
            let (Some(end), Some(start), Some(uuid)) = (end, start, parts.next()) else { continue };
            if end <= reach || start >= bytes - reach {
                ids.push((line, short_uuid(uuid)));
            }
        }
        ids.sort_by_key(|(line, _)| std::cmp::Reverse(*line));
        Ok(ids.into_iter().map(|(_, id)| id).collect())
    }

    /// The ids of records with their lines, as long as these begin and end where they are wanted.
    fn ids_while(
        &self,
        lines: &str,
        file: i64,
        is_wanted: impl Fn(i64, i64) -> bool,
    ) -> Result<Vec<(i64, Vec<u8>)>, IndexError> {
        let (mut statement, mut ids) = (self.connection.prepare_cached(lines)?, Vec::new());
        let mut rows = statement.query([file])?;
        while let Some(row) = rows.next()? {
            let (start, length): (i64, i64) = (row.get(2)?, row.get(3)?);
            if !is_wanted(start, start + length) {
                break;
            }
            if let Some(id) = row.get::<_, Option<Vec<u8>>>(0)? {
                ids.push((row.get(1)?, id));
            }
        }
        Ok(ids)
    }
}
