//! Makes all rows again that are derived from lines, as after another release or other prices. Until they are all there, everybody
//! reads the old ones: new tables take the place of the old ones at once.

mod tables;

use std::time::Duration;

use annals_collect::{Batch, Item, ItemForm};
use annals_transcript::price::Prices;

use self::tables::{RebuildTables, SUFFIX};
use crate::query::{ForgottenSubjects, notes, remove_again};
use crate::rows::BatchRows;
use crate::schema::DERIVED_TABLES;
use crate::wire::{Engine, EngineError, Parameter, Row};

/// How many bytes of lines are read at once.
const CHUNK_BYTES: u64 = 32 * 1024 * 1024;
/// How many files are read at once.
const CHUNK_FILES: usize = 400;

/// How much there is to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RebuildSize {
    pub lines: u64,
    pub bytes: u64,
}

/// The files of a machine and a store whose lines are read together.
struct Chunk {
    machine: String,
    store: String,
    files: Vec<String>,
    bytes: u64,
}

/// Counts what would be read, of all tenants.
pub fn rebuild_size(engine: &Engine) -> Result<RebuildSize, EngineError> {
    let found = engine.select("SELECT count() AS lines, sum(length) AS bytes FROM {db}.lines", &[])?;
    let count = |name: &str| found.first().map_or(0, |row| row.count(name));
    Ok(RebuildSize { lines: count("lines"), bytes: count("bytes") })
}

/// Makes the rows of all tenants again. `progress` is told how many bytes were read. Over shards, it waits for servers that get no
/// further no longer than `patience`, and can be repeated.
pub fn rebuild(
    engine: &Engine,
    prices: &Prices,
    (now, patience): (i64, Duration),
    mut progress: impl FnMut(u64),
) -> Result<(), EngineError> {
    let tables = RebuildTables::new(engine, now, patience)?;
    let started = engine.select("SELECT toUnixTimestamp(now()) AS at", &[])?;
    let at = started.first().and_then(|row| row.millis("at")).unwrap_or(0);
    let known = notes(engine)?;
    tables.make()?;
    let first = RebuildPass { prices, token: format!("rebuild-{now}"), suffix: SUFFIX, since: 0 };
    first.copy_all(engine, &mut progress)?;
    tables.exchange()?;
    // What came meanwhile went to the old tables. Clocks of the engine's machines may differ a little.
    let late = RebuildPass { token: format!("rebuild-{now}-late"), suffix: "", since: at - 60, ..first };
    late.copy_all(engine, &mut |_| ())?;
    for (tenant, subject) in notes(engine)?.into_iter().filter(|note| !known.contains(note)) {
        remove_again(&engine.for_tenant(&tenant), &[subject], patience)?;
    }
    tables.remove()
}

/// One way through the lines.
struct RebuildPass<'p> {
    prices: &'p Prices,
    /// The beginning of the tokens of inserts: another one than that of the sinks, which would be dropped.
    token: String,
    /// What the names of the tables end with.
    suffix: &'static str,
    /// Only lines that came since then, in seconds since 1970.
    since: i64,
}

impl RebuildPass<'_> {
    fn copy_all(&self, engine: &Engine, progress: &mut dyn FnMut(u64)) -> Result<(), EngineError> {
        let tenants = engine.select("SELECT DISTINCT tenant FROM {db}.lines ORDER BY tenant", &[])?;
        tenants.rows().try_for_each(|row| self.copy(&engine.for_tenant(&row.text("tenant")), progress))
    }

    fn copy(&self, engine: &Engine, progress: &mut dyn FnMut(u64)) -> Result<(), EngineError> {
        let forgotten = ForgottenSubjects::of(engine)?;
        for chunk in self.chunks(engine)? {
            let batch = self.read(engine, &chunk)?;
            let rows = BatchRows::of(&batch, engine.tenant(), self.prices, &forgotten);
            for (table, body, token) in rows.tables().filter(|(table, ..)| DERIVED_TABLES.contains(table)) {
                let table = format!("{table}{}", self.suffix);
                engine.insert(&table, body, &format!("{}-{token}", self.token))?;
            }
            progress(chunk.bytes);
        }
        Ok(())
    }

    fn chunks(&self, engine: &Engine) -> Result<Vec<Chunk>, EngineError> {
        let found = engine.select(
            "SELECT machine, store, file, sum(length) AS bytes FROM {db}.lines
             WHERE tenant = {tenant:String} AND toUnixTimestamp(received) >= {since:Int64}
             GROUP BY machine, store, file ORDER BY machine, store, file",
            &[("since", Parameter::Integer(self.since))],
        )?;
        let mut chunks: Vec<Chunk> = Vec::new();
        for row in found.rows() {
            let (machine, store, bytes) = (row.text("machine"), row.text("store"), row.count("bytes"));
            let has_place = |chunk: &&mut Chunk| {
                let is_same = chunk.machine == machine && chunk.store == store;
                is_same && chunk.bytes + bytes <= CHUNK_BYTES && chunk.files.len() < CHUNK_FILES
            };
            match chunks.last_mut().filter(has_place) {
                Some(chunk) => {
                    chunk.files.push(row.text("file"));
                    chunk.bytes += bytes;
                }
                None => chunks.push(Chunk { machine, store, files: vec![row.text("file")], bytes }),
            }
        }
        Ok(chunks)
    }

    fn read(&self, engine: &Engine, chunk: &Chunk) -> Result<Batch, EngineError> {
        let found = engine.select(
            "SELECT file, generation, offset, length, line, form, millis, text FROM {db}.lines
             WHERE tenant = {tenant:String} AND machine = {machine:String} AND store = {store:String}
                AND file IN {files:Array(String)} AND toUnixTimestamp(received) >= {since:Int64}
             ORDER BY file, generation, offset LIMIT 1 BY file, generation, offset",
            &[
                ("machine", Parameter::text(&chunk.machine)),
                ("store", Parameter::text(&chunk.store)),
                ("files", Parameter::Texts(chunk.files.clone())),
                ("since", Parameter::Integer(self.since)),
            ],
        )?;
        Ok(Batch {
            machine: chunk.machine.clone(),
            store: chunk.store.clone(),
            sequence: 0,
            rules: String::new(),
            items: found.rows().filter_map(|row| item(&row)).collect(),
        })
    }
}

fn item(row: &Row<'_>) -> Option<Item> {
    let form = ItemForm::of(&row.text("form"))?;
    Some(Item {
        file: row.text("file"),
        generation: row.millis("generation")?,
        offset: row.count("offset"),
        length: row.count("length"),
        number: row.count("line"),
        form,
        of: None,
        to: None,
        modified: row.millis("millis").filter(|_| form == ItemForm::File),
        text: row.text_or_null("text"),
    })
}
