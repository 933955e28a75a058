//! A batch as it waits on the disk: the items as they will be sent, and how far each file is read with them.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::path::Path;

use annals_index::cursor::Cursor;
use annals_json::{ObjectWriter, Value};

use crate::error::CollectError;
use crate::item::{Batch, Item};
use crate::state::{OpenLine, UNKNOWN_STORE, integer, read_position, write_position};

/// The form of the file.
const VERSION: u64 = 2;
/// The version whose items do not name their store.
const VERSION_WITHOUT_STORE: u64 = 1;

/// How far a file is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilePosition {
    pub(crate) generation: i64,
    pub(crate) cursor: Cursor,
    /// Whether that ends with a line without its line break.
    pub(crate) open: Option<OpenLine>,
}

/// A batch in the spool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpooledBatch {
    pub(crate) batch: Batch,
    /// The last generation that was given.
    pub(crate) generation: i64,
    /// The store that it was read from.
    pub(crate) store: String,
    /// The path of that store; empty if it is not known, or not UTF-8. It tells whether the store is still there.
    pub(crate) root: String,
    /// Whether the sink has refused its items before: then its marks were noted long ago.
    pub(crate) is_retry: bool,
    /// By name.
    pub(crate) files: BTreeMap<String, FilePosition>,
}

impl SpooledBatch {
    /// Writes a line about the batch, and one an item.
    pub(crate) fn write(&self, file: &mut impl Write) -> io::Result<()> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.number("version", VERSION).string("machine", &self.batch.machine);
        object.number("batch", self.batch.sequence).number("generation", self.generation);
        object.string("store", &self.store).string("root", &self.root).string("rules", &self.batch.rules);
        if self.is_retry {
            object.boolean("retry", true);
        }
        object.object("files", |files| {
            for (name, taken) in &self.files {
                files.object(name, |object| {
                    write_position(object, taken.generation, &taken.cursor, taken.open);
                });
            }
        });
        object.end();
        out.push(b'\n');
        file.write_all(&out)?;
        self.batch.write_ndjson(file)
    }

    /// Parses what [`write`](Self::write) wrote.
    pub(crate) fn read(path: &Path, mut file: impl BufRead) -> Result<Self, CollectError> {
        let damaged = || CollectError::DamagedBatch { path: path.to_path_buf() };
        let mut line = Vec::new();
        file.read_until(b'\n', &mut line).map_err(|_| damaged())?;
        let head = Value::parse(&line).map_err(|_| damaged())?;
        let version = head.get("version").and_then(Value::count).ok_or_else(damaged)?;
        if version != VERSION && version != VERSION_WITHOUT_STORE {
            return Err(CollectError::UnknownVersion { path: path.to_path_buf(), version });
        }
        let mut spooled = of_head(head).ok_or_else(damaged)?;
        if version == VERSION_WITHOUT_STORE {
            // It may have arrived already: it is sent under the names that it had then.
            spooled.batch.store.clear();
        }
        loop {
            line.clear();
            if file.read_until(b'\n', &mut line).map_err(|_| damaged())? == 0 {
                return Ok(spooled);
            }
            if !line.trim_ascii().is_empty() {
                let value = Value::parse(&line).map_err(|_| damaged())?;
                spooled.batch.items.push(Item::read(value).ok_or_else(damaged)?);
            }
        }
    }
}

/// The name and the path of the store that a batch was read from, by the line about it; `None` if that cannot be read.
pub(crate) fn store_of_head(line: &[u8]) -> Option<(String, String)> {
    let head = Value::parse(line.trim_ascii_end()).ok()?;
    Some((store_of(head)?, root_of(head)))
}

fn root_of(head: Value<'_>) -> String {
    head.get("root").and_then(Value::text).map(|root| root.decode().into_owned()).unwrap_or_default()
}

/// Batches of a release that knew one store do not say.
fn store_of(head: Value<'_>) -> Option<String> {
    match head.get("store") {
        Some(store) => Some(store.text()?.decode().into_owned()),
        None => Some(UNKNOWN_STORE.to_owned()),
    }
}

fn of_head(head: Value<'_>) -> Option<SpooledBatch> {
    let store = store_of(head)?;
    let rules = head.get("rules").and_then(Value::text).map(|rules| rules.decode().into_owned());
    let batch = Batch {
        machine: head.get("machine")?.text()?.decode().into_owned(),
        store: store.clone(),
        sequence: head.get("batch")?.count()?,
        rules: rules.unwrap_or_default(),
        items: Vec::new(),
    };
    let generation = integer(head.get("generation")?)?;
    let mut files = BTreeMap::new();
    for field in head.get("files")?.fields()?.iter() {
        let (generation, cursor, open) = read_position(field.value)?;
        files.insert(field.key.decode().into_owned(), FilePosition { generation, cursor, open });
    }
    let is_retry = head.get("retry").and_then(Value::boolean).unwrap_or(false);
    Some(SpooledBatch { batch, generation, store, root: root_of(head), is_retry, files })
}
