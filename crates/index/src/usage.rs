//! Usage from the index: the same items that reading the files would give.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use annals_store::project_path::{MAX_HEAD_LINES, first_named};
use annals_transcript::price::Usd;
use annals_transcript::usage::{Certainty, FileIndex, Thread, Tokens, UsageItem, UsageSource};
use rusqlite::{Row, params};

use crate::error::IndexError;
use crate::extract::{FactKind, IndexedFileRole};
use crate::open::Index;
use crate::write::{CERTAINTIES, INLINE, MAIN, NO_QUARTER};

/// Sub-agents that progress records and calls of sessions name, without those that have a file. Each is found by an index of its own.
const WITHOUT_FILE: &str = "
    WITH named (file, agent) AS (
        SELECT file, substr(value, 1, instr(value || char(9), char(9)) - 1) FROM facts WHERE kind = 19
        UNION ALL SELECT file, agent FROM tool_calls WHERE agent IS NOT NULL
    )
    SELECT files.path, named.agent FROM named CROSS JOIN files ON files.id = named.file
    WHERE files.role = 0 AND files.state = 0
        AND NOT EXISTS (SELECT 1 FROM files AS own WHERE own.role = 1 AND own.agent = named.agent)";

// `+role` reads the table from end to end: with the index of roles most rows would be looked up one by one.
impl Index {
    /// Every file with usage, and its items; `UsageItem::file` is the position of its source.
    pub fn usage(&self) -> Result<(Vec<UsageSource>, Vec<UsageItem>), IndexError> {
        let names = self.names()?;
        let (paths, slugs) = (self.project_paths()?, self.session_slugs()?);
        let mut sources: Vec<UsageSource> = Vec::new();
        let mut places: HashMap<i64, usize> = HashMap::new();
        let mut items = Vec::new();
        let mut files: HashMap<i64, UsageSource> = self
            .connection
            .prepare_cached("SELECT role, slug, session, agent, path, id FROM files WHERE +role < 2")?
            .query_map([], |row| Ok((row.get(5)?, source(row, &paths, &slugs)?)))?
            .collect::<Result<_, _>>()?;
        let mut statement = self.connection.prepare_cached(
            "SELECT file, quarter, thread, model, certainty, first, last, responses, input, output, cache_read, write_5m,
             write_1h, searches, fetches, nanos, femtos, bare_nanos, bare_femtos FROM spent",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let file: i64 = row.get(0)?;
            let place = match places.get(&file) {
                Some(place) => *place,
                None => {
                    let Some(source) = files.remove(&file) else { continue };
                    sources.push(source);
                    places.insert(file, sources.len() - 1);
                    sources.len() - 1
                }
            };
            let mut item = item(row, FileIndex::new(place), &names)?;
            // Everything in a sub-agent's file is the sub-agent's, whatever its records say.
            if sources[place].thread != Thread::Main {
                item.thread = sources[place].thread.clone();
            }
            items.push(item);
        }
        Ok((sources, items))
    }

    /// The keys of all responses that were billed. The same response has the same key in every index.
    pub fn response_keys(&self) -> Result<HashSet<[u8; 16]>, IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT key FROM charges WHERE part = 0")?;
        let keys = statement.query_map([], |row| row.get(0))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }

    /// The sessions whose progress records or results name sub-agents that the index has no file of, with these sub-agents: what
    /// they used is not in [`usage`](Self::usage).
    pub fn agents_without_file(&self) -> Result<BTreeMap<PathBuf, BTreeSet<String>>, IndexError> {
        let mut statement = self.connection.prepare_cached(WITHOUT_FILE)?;
        let row = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
        let mut named: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for found in statement.query_map([], row)? {
            let (path, agent) = found?;
            named.entry(self.config.path().join(path)).or_default().insert(agent);
        }
        Ok(named)
    }

    fn names(&self) -> Result<HashMap<i64, Arc<str>>, IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT id, name FROM names")?;
        let names = statement.query_map([], |row| Ok((row.get(0)?, Arc::from(row.get::<_, String>(1)?))))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// The working directory of each project by its folder, determined as everywhere else.
    fn project_paths(&self) -> Result<HashMap<String, Arc<str>>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            // From the few sessions to their facts; the other way round, all facts would be read.
            "SELECT slug, value FROM files CROSS JOIN facts ON facts.file = files.id
             WHERE facts.kind = ?1 AND +files.role = ?2 AND first <= ?3 ORDER BY slug, path, first",
        )?;
        let wanted =
            params![FactKind::Cwd.number(), IndexedFileRole::Session.number(), MAX_HEAD_LINES as i64];
        let rows =
            statement.query_map(wanted, |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut folders: HashMap<String, Vec<String>> = HashMap::new();
        for row in rows {
            let (slug, folder) = row?;
            folders.entry(slug).or_default().push(folder);
        }
        let paths = folders.into_iter();
        Ok(paths
            .filter_map(|(slug, named)| Some((slug.clone(), first_named(&slug, named)?.into())))
            .collect())
    }

    /// The folders of the projects that each session has a file in.
    fn session_slugs(&self) -> Result<HashMap<String, BTreeSet<String>>, IndexError> {
        let mut statement =
            self.connection.prepare_cached("SELECT session, slug FROM files WHERE +role = ?1")?;
        let mut rows = statement.query([IndexedFileRole::Session.number()])?;
        let mut slugs: HashMap<String, BTreeSet<String>> = HashMap::new();
        while let Some(row) = rows.next()? {
            slugs.entry(row.get(0)?).or_default().insert(row.get(1)?);
        }
        Ok(slugs)
    }
}

fn source(
    row: &Row<'_>,
    paths: &HashMap<String, Arc<str>>,
    slugs: &HashMap<String, BTreeSet<String>>,
) -> rusqlite::Result<UsageSource> {
    let role = IndexedFileRole::from_number(row.get(0)?).unwrap_or_default();
    let (mut slug, session): (String, String) = (row.get(1)?, row.get(2)?);
    // A sub-agent belongs to the project of its session; of copies of that, to the one that it lies beside.
    if let Some(slugs) = slugs.get(&session).filter(|slugs| !slugs.contains(&slug)) {
        slug = slugs.first().cloned().unwrap_or(slug);
    }
    let agent: Option<String> = row.get(3)?;
    let path: String = row.get(4)?;
    let own = || path.rsplit('/').next().unwrap_or(&path).trim_end_matches(".jsonl").to_owned();
    Ok(UsageSource {
        session: if session.is_empty() { own() } else { session }.into(),
        project: paths.get(&slug).cloned(),
        slug: slug.into(),
        thread: match (role, agent) {
            (IndexedFileRole::Agent, Some(agent)) => Thread::Agent(agent.into()),
            _ => Thread::Main,
        },
    })
}

fn item(row: &Row<'_>, file: FileIndex, names: &HashMap<i64, Arc<str>>) -> rusqlite::Result<UsageItem> {
    let count = |at: usize| row.get::<_, i64>(at).map(|number| number as u64);
    let quarter: i64 = row.get(1)?;
    Ok(UsageItem {
        file,
        thread: match row.get::<_, i64>(2)? {
            MAIN => Thread::Main,
            INLINE => Thread::Inline,
            name => names.get(&name).map_or(Thread::Inline, |name| Thread::Agent(Arc::clone(name))),
        },
        model: names.get(&row.get::<_, i64>(3)?).cloned(),
        quarter: (quarter != NO_QUARTER).then_some(quarter),
        certainty: CERTAINTIES.get(count(4)? as usize).copied().unwrap_or(Certainty::Unpriced),
        first: row.get(5)?,
        last: row.get(6)?,
        responses: count(7)?,
        tokens: Tokens {
            input: count(8)?,
            output: count(9)?,
            cache_read: count(10)?,
            cache_write_5m: count(11)?,
            cache_write_1h: count(12)?,
            web_searches: count(13)?,
            web_fetches: count(14)?,
        },
        cost: Usd::from_nanos_and_femtos(count(15)?, count(16)?),
        without_cache: Usd::from_nanos_and_femtos(count(17)?, count(18)?),
    })
}
