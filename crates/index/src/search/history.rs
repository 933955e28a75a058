//! Prompts of `history.jsonl`: each belongs to the session that it names, and is left out if the prompt of that session is a
//! candidate itself.

use std::collections::HashMap;

use super::hit::{Candidate, HitFile};
use crate::error::IndexError;
use crate::extract::{IndexedFileRole, MessageKind};
use crate::open::Index;

/// How far apart the two records of one prompt are, in milliseconds.
const MAX_APART: i64 = 60_000;

impl Index {
    /// Names the sessions of history prompts, and removes those that are there twice.
    pub(super) fn settle_history(
        &self,
        candidates: &mut Vec<Candidate>,
        files: &HashMap<i64, HitFile>,
    ) -> Result<(), IndexError> {
        let of_history = |candidate: &Candidate| {
            files.get(&candidate.file).is_some_and(|file| file.role == IndexedFileRole::History)
        };
        let mut statement =
            self.connection.prepare_cached("SELECT session FROM asked WHERE file = ?1 AND line = ?2")?;
        for candidate in candidates.iter_mut().filter(|candidate| of_history(candidate)) {
            let mut rows = statement.query([candidate.file, candidate.line as i64])?;
            candidate.session = rows.next()?.map(|row| row.get(0)).transpose()?;
        }
        let mut prompts: HashMap<String, Vec<Option<i64>>> = HashMap::new();
        for candidate in candidates.iter().filter(|candidate| candidate.kind == MessageKind::Prompt) {
            if let Some(file) =
                files.get(&candidate.file).filter(|file| file.role == IndexedFileRole::Session)
            {
                prompts.entry(file.session.clone()).or_default().push(candidate.millis);
            }
        }
        let is_twice = |candidate: &Candidate| {
            let same = |times: &Vec<Option<i64>>| {
                times.iter().any(|time| match (time, candidate.millis) {
                    (Some(time), Some(millis)) => (time - millis).abs() <= MAX_APART,
                    _ => true,
                })
            };
            candidate.session.as_ref().and_then(|session| prompts.get(session)).is_some_and(same)
        };
        candidates.retain(|candidate| !(of_history(candidate) && is_twice(candidate)));
        Ok(())
    }
}
