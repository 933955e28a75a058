//! What was spent, from the index: the sums that reports are made of.

use annals_transcript::price::Usd;
use annals_transcript::usage::Tokens;

use crate::error::IndexError;
use crate::open::Index;

/// What one file spent on one model within a quarter of an hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// The file, below the config dir.
    pub path: String,
    /// The project's folder.
    pub slug: String,
    /// The session.
    pub session: String,
    /// The sub-agent, where it is one.
    pub agent: Option<String>,
    /// When the quarter begins, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// The model.
    pub model: Option<String>,
    /// How sure the cost is: 0 by the table, 1 derived, 2 without a price.
    pub basis: u8,
    /// How many responses.
    pub responses: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// Their cost.
    pub cost: Usd,
}

impl Index {
    /// Everything that was spent, in no order.
    pub fn spent(&self) -> Result<Vec<Spent>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT path, slug, session, agent, quarter, (SELECT name FROM names WHERE id = model), basis, responses,
             input, output, cache_read, write_5m, write_1h, searches, nanos, femtos
             FROM spent JOIN files ON files.id = spent.file",
        )?;
        let rows = statement.query_map([], |row| {
            let count = |at: usize| row.get::<_, i64>(at).map(|number| number as u64);
            let quarter: i64 = row.get(4)?;
            Ok(Spent {
                path: row.get(0)?,
                slug: row.get(1)?,
                session: row.get(2)?,
                agent: row.get(3)?,
                millis: (quarter >= 0).then_some(quarter * 15 * 60 * 1000),
                model: row.get(5)?,
                basis: row.get(6)?,
                responses: count(7)?,
                tokens: Tokens {
                    input: count(8)?,
                    output: count(9)?,
                    cache_read: count(10)?,
                    cache_write_5m: count(11)?,
                    cache_write_1h: count(12)?,
                    web_searches: count(13)?,
                    web_fetches: 0,
                },
                cost: Usd::of_nanos_and_femtos(count(14)?, count(15)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
