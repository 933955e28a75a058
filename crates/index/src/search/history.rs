//! Prompts of `history.jsonl`: each belongs to the session that it names, and is left out if the prompt of that session matches
//! itself.

use std::collections::HashMap;

use super::groups::SessionGroups;
use super::matches::MatchRow;
use crate::error::IndexError;
use crate::extract::{IndexedFileRole, MessageKind};
use crate::open::Index;

/// How far apart the two records of one prompt are, in milliseconds.
const MAX_APART: i64 = 60_000;

impl Index {
    /// Finds the sessions of history prompts, and removes those that are there twice.
    pub(super) fn settle_history(
        &self,
        rows: &mut Vec<MatchRow>,
        groups: &mut SessionGroups,
    ) -> Result<(), IndexError> {
        let mut statement =
            self.connection.prepare_cached("SELECT session FROM asked WHERE file = ?1 AND line = ?2")?;
        let mut has_history = false;
        for row in rows.iter_mut() {
            if groups.role(row.file) != Some(IndexedFileRole::History) {
                continue;
            }
            has_history = true;
            let mut found = statement.query([row.file, row.line as i64])?;
            let session = found.next()?.map(|found| found.get::<_, String>(0)).transpose()?;
            if let Some(session) = session.filter(|session| !session.is_empty()) {
                row.group = groups.number(session);
            }
        }
        if !has_history {
            return Ok(());
        }
        let is_prompt = |row: &&MatchRow| {
            row.kind == MessageKind::Prompt && groups.role(row.file) == Some(IndexedFileRole::Session)
        };
        let mut prompts: HashMap<u32, Vec<Option<i64>>> = HashMap::new();
        for row in rows.iter().filter(is_prompt) {
            prompts.entry(row.group).or_default().push(row.millis);
        }
        let is_twice = |row: &MatchRow| {
            let same = |times: &Vec<Option<i64>>| {
                times.iter().any(|time| match (time, row.millis) {
                    (Some(time), Some(millis)) => (time - millis).abs() <= MAX_APART,
                    _ => true,
                })
            };
            groups.role(row.file) == Some(IndexedFileRole::History)
                && prompts.get(&row.group).is_some_and(same)
        };
        rows.retain(|row| !is_twice(row));
        Ok(())
    }
}
