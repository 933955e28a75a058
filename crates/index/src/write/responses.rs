//! Writes responses as each file has them.

use std::sync::Arc;

use annals_transcript::usage::{
    ResponseKey, ResponseUsage, ServiceTier, SideCall, SideCallKind, Speed, Tokens, UsageReading,
};
use rusqlite::{Row, params};

use super::RowWriter;
use crate::error::IndexError;

/// A response as one file has it.
#[derive(Clone, Debug)]
pub(super) struct ResponseRow {
    pub(super) file: i64,
    pub(super) usage: ResponseUsage,
}

pub(super) const COLUMNS: &str = "responses.file, node, millis, is_copy, is_sidechain, responses.agent, \
     (SELECT name FROM names WHERE id = model), tier, speed, input, output, cache_read, write_5m, write_1h, searches, \
     fetches, asides";

const TIERS: [ServiceTier; 4] =
    [ServiceTier::Standard, ServiceTier::Batch, ServiceTier::Priority, ServiceTier::Other];
const SPEEDS: [Speed; 3] = [Speed::Standard, Speed::Fast, Speed::Other];

pub(super) fn response_row(key: [u8; 16], row: &Row<'_>) -> rusqlite::Result<ResponseRow> {
    let count = |at: usize| row.get::<_, i64>(at).map(|number| number as u64);
    let name = |at: usize| row.get::<_, Option<String>>(at).map(|name| name.map(Arc::from));
    let side_calls: Option<String> = row.get(16)?;
    Ok(ResponseRow {
        file: row.get(0)?,
        usage: ResponseUsage {
            key: ResponseKey::from_bytes(key),
            position: count(1)? as usize,
            millis: row.get(2)?,
            is_copy: row.get(3)?,
            is_sidechain: row.get(4)?,
            agent: name(5)?,
            reading: UsageReading {
                model: name(6)?,
                tier: TIERS.get(count(7)? as usize).copied().unwrap_or_default(),
                speed: SPEEDS.get(count(8)? as usize).copied().unwrap_or_default(),
                tokens: Tokens {
                    input: count(9)?,
                    output: count(10)?,
                    cache_read: count(11)?,
                    cache_write_5m: count(12)?,
                    cache_write_1h: count(13)?,
                    web_searches: count(14)?,
                    web_fetches: count(15)?,
                },
                side_calls: side_calls.map(|text| read_asides(&text)),
            },
        },
    })
}

impl RowWriter<'_> {
    pub(super) fn responses(
        &mut self,
        file: i64,
        responses: &[(u64, ResponseUsage)],
    ) -> Result<(), IndexError> {
        for (line, response) in responses {
            let key = response.key.to_bytes();
            let known = self
                .transaction
                .prepare_cached(&format!("SELECT {COLUMNS} FROM responses WHERE key = ?1 AND file = ?2"))?
                .query_map(params![key, file], |row| response_row(key, row))?
                .next()
                .transpose()?;
            let now = match known {
                Some(known) => known.usage.continued(response),
                None => response.clone(),
            };
            let model = match &now.reading.model {
                Some(model) => Some(self.names.number(&self.transaction, model)?),
                None => None,
            };
            let tokens = now.reading.tokens;
            self.transaction
                .prepare_cached(
                    "INSERT INTO responses VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
                     ?16, ?17, ?18, ?19) ON CONFLICT (key, file) DO UPDATE SET millis = ?5, model = ?9, tier = ?10,
                     speed = ?11, input = ?12, output = ?13, cache_read = ?14, write_5m = ?15, write_1h = ?16,
                     searches = ?17, fetches = ?18, asides = ?19",
                )?
                .execute(params![
                    key,
                    file,
                    now.position as i64,
                    *line as i64,
                    now.millis,
                    now.is_copy,
                    now.is_sidechain,
                    now.agent.as_deref(),
                    model,
                    TIERS.iter().position(|tier| *tier == now.reading.tier).unwrap_or(0) as i64,
                    SPEEDS.iter().position(|speed| *speed == now.reading.speed).unwrap_or(0) as i64,
                    tokens.input as i64,
                    tokens.output as i64,
                    tokens.cache_read as i64,
                    tokens.cache_write_5m as i64,
                    tokens.cache_write_1h as i64,
                    tokens.web_searches as i64,
                    tokens.web_fetches as i64,
                    now.reading.side_calls.as_deref().map(write_asides),
                ])?;
            self.changed_responses.insert(key);
        }
        Ok(())
    }

    /// Marks the responses of a file as changed.
    pub(super) fn touch_responses(&mut self, file: i64) -> Result<(), IndexError> {
        let mut statement = self.transaction.prepare_cached("SELECT key FROM responses WHERE file = ?1")?;
        let keys = statement.query_map([file], |row| row.get::<_, [u8; 16]>(0))?;
        self.changed_responses.extend(keys.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }

    pub(super) fn forget_responses(&mut self, file: i64) -> Result<(), IndexError> {
        self.touch_responses(file)?;
        self.transaction.execute("DELETE FROM responses WHERE file = ?1", [file])?;
        Ok(())
    }
}

/// Side calls of a response, one per line: kind, numbers, model.
fn write_asides(side_calls: &[SideCall]) -> String {
    let line = |aside: &SideCall| {
        let Tokens { input, output, cache_read, cache_write_5m, cache_write_1h, web_searches, web_fetches } =
            aside.tokens;
        let kind = if aside.kind == SideCallKind::Advisor { 'a' } else { 'c' };
        let model = aside.model.as_deref().map(|model| format!(" {model}")).unwrap_or_default();
        format!(
            "{kind} {input} {output} {cache_read} {cache_write_5m} {cache_write_1h} {web_searches} {web_fetches}{model}"
        )
    };
    side_calls.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn read_asides(text: &str) -> Box<[SideCall]> {
    let aside = |line: &str| {
        let mut parts = line.splitn(9, ' ');
        let kind = if parts.next() == Some("a") { SideCallKind::Advisor } else { SideCallKind::Compaction };
        let mut number = || parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
        let tokens = Tokens {
            input: number(),
            output: number(),
            cache_read: number(),
            cache_write_5m: number(),
            cache_write_1h: number(),
            web_searches: number(),
            web_fetches: number(),
        };
        SideCall { kind, model: parts.next().map(Arc::from), tokens }
    };
    text.lines().map(aside).collect()
}
