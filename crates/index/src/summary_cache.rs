//! Caches per-file results that need the whole file, until the file changes.
//!
//! The duration of turns or the cost of results follows from the graph of a whole file and cannot be continued when the
//! file grows. So the result is stored per file: a changed file is read again, all others are not. The cache is a database
//! beside the index and independent of it; if it cannot be read or written, the files are read.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use annals_store::files::create_folder;
use annals_store::lock::FileLock;
use annals_store::{ConfigDir, DataDir};
use rusqlite::{Connection, OpenFlags, params};

use crate::cursor::FileStamp;
use crate::database;
use crate::error::IndexError;
use crate::open::{Index, lock};

/// The version of the stored summaries: of their bytes, and of what they contain. Those of another version are discarded.
pub const SUMMARY_FORMAT: i64 = 2;

const SCHEMA: &str = include_str!("summary_cache.sql");
/// The page cache while summaries are written.
const CACHE_KIB: u32 = 2 * 1024;

/// A file that was written this recently may change again without a new time, where clocks are coarse.
const UNSETTLED_TIME: Duration = Duration::from_secs(2);

/// What a summary contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryKind {
    /// Usage, and what was done.
    Activity = 0,
    /// Usage, and what happened with tools.
    Tools = 1,
}

/// The cached summaries of one kind.
#[derive(Debug)]
pub struct SummaryCache {
    kind: SummaryKind,
    path: PathBuf,
    kept: CacheEntries,
}

/// By the path of the file: its stamp and its summary.
type CacheEntries = HashMap<Vec<u8>, (FileStamp, Vec<u8>)>;

/// A summary that was just made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSummary {
    /// The file, relative to the config dir.
    pub file: PathBuf,
    /// The file's metadata before it was read.
    pub stamp: FileStamp,
    /// The packed summary.
    pub content: Vec<u8>,
}

impl SummaryCache {
    /// Reads the cache of a store; empty if it cannot be read.
    pub fn of(config: &ConfigDir, data: &DataDir, kind: SummaryKind) -> Self {
        let path = path_beside(&Index::path_of(config, data));
        let kept = if path.exists() { load(&path, kind).unwrap_or_default() } else { CacheEntries::new() };
        Self { kind, path, kept }
    }

    /// The summary of a file relative to the config dir; `None` if the file has changed since.
    pub fn get(&self, file: &Path, stamp: &FileStamp) -> Option<&[u8]> {
        let (then, content) = self.kept.get(file.as_os_str().as_encoded_bytes())?;
        (then == stamp).then_some(content.as_slice())
    }

    /// Stores new summaries and removes those of files that are not in `there`. Does nothing while another process does
    /// that.
    pub fn keep(
        &self,
        made: &[FileSummary],
        there: &[PathBuf],
        data: &DataDir,
        now: i64,
    ) -> Result<(), IndexError> {
        let there: HashSet<&[u8]> = there.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
        let gone: Vec<&Vec<u8>> = self.kept.keys().filter(|path| !there.contains(path.as_slice())).collect();
        let made: Vec<&FileSummary> = made.iter().filter(|summary| is_settled(&summary.stamp, now)).collect();
        if made.is_empty() && gone.is_empty() {
            return Ok(());
        }
        create_folder(self.path.parent().unwrap_or(Path::new("")))?;
        let Some(_lock) = FileLock::try_take(data, &self.path)? else { return Ok(()) };
        match self.write(&made, &gone) {
            // Damage that shows only while writing.
            Err(error) if error.is_damage() => {
                database::remove(&self.path)?;
                self.write(&made, &[])
            }
            written => written,
        }
    }

    fn write(&self, made: &[&FileSummary], gone: &[&Vec<u8>]) -> Result<(), IndexError> {
        let mut connection = open_to_write(&self.path)?;
        let transaction = connection.transaction()?;
        for path in gone {
            transaction.prepare_cached("DELETE FROM briefs WHERE path = ?1")?.execute([path])?;
        }
        for FileSummary { file, stamp, content } in made {
            transaction
                .prepare_cached("INSERT OR REPLACE INTO briefs VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
                .execute(params![
                    self.kind as i64,
                    file.as_os_str().as_encoded_bytes(),
                    stamp.identity,
                    stamp.bytes.cast_signed(),
                    stamp.modified,
                    content,
                ])?;
        }
        Ok(transaction.commit()?)
    }
}

pub(crate) fn path_beside(index: &Path) -> PathBuf {
    index.with_extension("briefs")
}

/// Removes the cache beside an index.
pub(crate) fn remove(index: &Path, data: &DataDir) -> Result<(), IndexError> {
    let path = path_beside(index);
    let _lock = lock(data, &path)?;
    database::remove(&path)
}

fn is_settled(stamp: &FileStamp, now: i64) -> bool {
    stamp.modified / 1_000_000 + (UNSETTLED_TIME.as_millis() as i64) < now
}

fn load(path: &Path, kind: SummaryKind) -> Result<CacheEntries, IndexError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    if format_of(&connection)? != SUMMARY_FORMAT {
        return Ok(CacheEntries::new());
    }
    let mut statement =
        connection.prepare("SELECT path, identity, bytes, modified, content FROM briefs WHERE kind = ?1")?;
    let rows = statement.query_map([kind as i64], |row| {
        let stamp = FileStamp {
            identity: row.get(1)?,
            bytes: row.get::<_, i64>(2)?.cast_unsigned(),
            modified: row.get(3)?,
        };
        Ok((row.get(0)?, (stamp, row.get(4)?)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Opens the database; if it is damaged or of another version, it is rebuilt.
fn open_to_write(path: &Path) -> Result<Connection, IndexError> {
    let opened = database::open(path, CACHE_KIB).and_then(|connection| {
        let format = format_of(&connection)?;
        Ok((format == SUMMARY_FORMAT).then_some(connection))
    });
    match opened {
        Ok(Some(connection)) => return Ok(connection),
        Err(error) if !error.is_damage() => return Err(error),
        _ => {}
    }
    database::remove(path)?;
    let connection = database::open(path, CACHE_KIB)?;
    database::make_tables(&connection, SCHEMA, SUMMARY_FORMAT)?;
    Ok(connection)
}

fn format_of(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}
