//! Opens, creates and rebuilds the index file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use annals_store::digest::short;
use annals_store::files::{create_folder, replace_file};
use annals_store::identity::FileIdentity;
use annals_store::lock::FileLock;
use annals_store::{ConfigDir, DataDir, StoreSnapshot};
use rusqlite::{Connection, OpenFlags};

use crate::error::IndexError;
use crate::upgrade::upgrade;
use crate::{database, summary_cache, words};

/// The version of the tables. An index of another version is rebuilt.
const FORMAT: i64 = 9;

const SCHEMA: &str = include_str!("schema.sql");

/// The key of the store snapshot that the index was refreshed from.
const SIGHTING: &str = "sighting";
/// A transaction is committed after this many bytes of files.
const TRANSACTION_BYTES: u64 = 96 * 1024 * 1024;

/// Pages are read by memory mapping, without a system call and a copy for each. Truncating a mapped file would crash the
/// process; annals never truncates an index, and a crash while reading loses only the answer.
const MMAP_PRAGMA: &str = "PRAGMA mmap_size = 1073741824";

/// The page cache while rows are written.
const CACHE_KIB: u32 = 48 * 1024;

/// How long a reader waits for a writer.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

/// What was found at the path of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenOutcome {
    /// A usable index.
    Existing,
    /// Nothing; an empty index was created.
    New,
    /// An index of another release; it was rebuilt.
    OtherFormat,
    /// A damaged index, or another file; it was rebuilt.
    Damaged,
}

/// An index that is open and not being read.
#[derive(Debug)]
pub struct ReleasedIndex(Index);

impl ReleasedIndex {
    /// Goes on reading, in the state that the index has now; `None` if another file has taken its place.
    pub fn resumed(self) -> Option<Index> {
        let Self(index) = self;
        let is_same = identity_at(&index.path) == Some(index.identity);
        (is_same && index.connection.execute_batch("BEGIN").is_ok()).then_some(index)
    }
}

/// The index of a store.
#[derive(Debug)]
pub struct Index {
    pub(crate) connection: Connection,
    pub(crate) config: ConfigDir,
    pub(crate) commit_every: u64,
    path: PathBuf,
    /// The file that is open; its path may have another file by now.
    identity: FileIdentity,
}

impl Index {
    /// The path of the index of a store.
    pub fn path_of(config: &ConfigDir, data: &DataDir) -> PathBuf {
        let whole = config.path().canonicalize().unwrap_or_else(|_| config.path().to_path_buf());
        let name = format!("{}.db", short(whole.as_os_str().as_encoded_bytes()));
        data.path().join("index").join(name)
    }

    /// Whether the index has been brought up to date with the whole store at least once.
    pub fn was_completed(config: &ConfigDir, data: &DataDir) -> bool {
        Self::snapshot_path(&Self::path_of(config, data)).exists()
    }

    /// How large the index of a store is by now, to tell whether another process is writing it.
    pub fn size_of(config: &ConfigDir, data: &DataDir) -> u64 {
        let path = Self::path_of(config, data);
        database::size(&path) + database::size(&words::path_beside(&path))
    }

    /// The path of the store snapshot: beside the index, so that both can be read at the same time.
    fn snapshot_path(path: &Path) -> PathBuf {
        path.with_extension("seen")
    }

    /// The snapshot of the store at the last refresh, valid if [`Index::matches_snapshot`] says so.
    pub fn snapshot_of(config: &ConfigDir, data: &DataDir) -> StoreSnapshot {
        let text = fs::read_to_string(Self::snapshot_path(&Self::path_of(config, data)));
        text.ok().and_then(StoreSnapshot::parse).filter(|sighting| sighting.is_of(config)).unwrap_or_default()
    }

    /// Whether the index was refreshed from exactly this snapshot.
    pub fn matches_snapshot(&self, sighting: &StoreSnapshot) -> Result<bool, IndexError> {
        Ok(self.meta_value(SIGHTING)?.is_some_and(|name| name == sighting.name()))
    }

    /// Saves the snapshot that was taken before the refresh: while the store looks the same, there is nothing to do. The
    /// index stores the snapshot's name, so that neither is used without the other.
    pub fn save_snapshot(&mut self, sighting: &StoreSnapshot) -> Result<(), IndexError> {
        replace_file(&Self::snapshot_path(&self.path), sighting.text().as_bytes())?;
        self.set_meta_value(SIGHTING, sighting.name())
    }

    /// Opens the index of a store for updating; creates or rebuilds it if necessary.
    pub fn open(config: &ConfigDir, data: &DataDir) -> Result<(Self, OpenOutcome), IndexError> {
        let path = Self::path_of(config, data);
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        create_folder(&folder)?;
        let (connection, identity, opened) = match Self::try_open(&path) {
            Ok((connection, identity, DatabaseState::Whole)) => (connection, identity, OpenOutcome::Existing),
            Err(error) if !error.is_damage() => return Err(error),
            _ => Self::make(&path, data)?,
        };
        Ok((
            Self { connection, config: config.clone(), commit_every: TRANSACTION_BYTES, path, identity },
            opened,
        ))
    }

    /// Makes the tables under the lock: of two processes that start at once, neither may take the half-made index of the
    /// other for a damaged one.
    fn make(path: &Path, data: &DataDir) -> Result<(Connection, FileIdentity, OpenOutcome), IndexError> {
        let _lock = lock(data, path)?;
        let (connection, identity, opened) = match Self::try_open(path) {
            // Another process has made it meanwhile.
            Ok((connection, identity, DatabaseState::Whole)) => {
                return Ok((connection, identity, OpenOutcome::Existing));
            }
            Ok((connection, identity, DatabaseState::Empty)) => (connection, identity, OpenOutcome::New),
            Ok((connection, identity, DatabaseState::OtherFormat))
                if upgrade(&connection, path, FORMAT).unwrap_or(false) =>
            {
                return Ok((connection, identity, OpenOutcome::Existing));
            }
            Ok((connection, _, state)) => {
                drop(connection);
                let (connection, identity) = Self::rebuild(path)?;
                let opened = if state == DatabaseState::OtherFormat {
                    OpenOutcome::OtherFormat
                } else {
                    OpenOutcome::Damaged
                };
                (connection, identity, opened)
            }
            Err(error) if error.is_damage() => {
                let (connection, identity) = Self::rebuild(path)?;
                (connection, identity, OpenOutcome::Damaged)
            }
            Err(error) => return Err(error),
        };
        // The rows come last: if their format is there, everything is.
        words::make(path, FORMAT)?;
        database::make_tables(&connection, SCHEMA, FORMAT)?;
        words::attach(&connection, path)?;
        Ok((connection, identity, opened))
    }

    /// Opens the index for reading; `None` if there is none of this format.
    pub fn open_to_read(config: &ConfigDir, data: &DataDir) -> Result<Option<Self>, IndexError> {
        let path = Self::path_of(config, data);
        let Some(identity) = identity_at(&path) else { return Ok(None) };
        // Connections are never shared between threads, so SQLite's mutex would protect nothing.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags)?;
        // Another process may be moving its log into the file.
        connection.busy_timeout(READ_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.execute_batch(MMAP_PRAGMA)?;
        // Rows and words must belong to one index.
        if state_of(&connection, &path)? != DatabaseState::Whole || identity_at(&path) != Some(identity) {
            return Ok(None);
        }
        // All queries see one state, even if another process updates the index in between.
        connection.execute_batch("BEGIN")?;
        Ok(Some(Self { connection, config: config.clone(), commit_every: TRANSACTION_BYTES, path, identity }))
    }

    /// Ends reading for now, so that no writer waits; the file stays open and mapped. `None` for an index that was opened for
    /// changes, and on Windows, where an open file could not be removed.
    pub fn released(self) -> Option<ReleasedIndex> {
        if cfg!(windows) || self.connection.is_autocommit() {
            return None;
        }
        self.connection.execute_batch("COMMIT").ok().map(|()| ReleasedIndex(self))
    }

    /// Commits after this many bytes of files, which is the most that a crash can lose.
    pub fn commit_every(&mut self, bytes: u64) {
        self.commit_every = bytes;
    }

    /// The size of the index on the disk, including the write-ahead log.
    pub fn size(&self) -> u64 {
        // Moves the log into the file if nobody is reading; else its size is added.
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let beside = [words::path_beside(&self.path), summary_cache::path_beside(&self.path)];
        database::size(&self.path) + beside.iter().map(|path| database::size(path)).sum::<u64>()
    }

    /// The path of the index file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn try_open(path: &Path) -> Result<(Connection, FileIdentity, DatabaseState), IndexError> {
        database::create(path)?;
        let before = identity_at(path);
        let connection = database::open(path, CACHE_KIB)?;
        let state = state_of(&connection, path)?;
        // If the same file is at the path before and after, it is the one that was opened; and rows are removed first, so
        // the words belong to it.
        match before.filter(|before| identity_at(path) == Some(*before)) {
            Some(identity) => Ok((connection, identity, state)),
            None => Err(IndexError::Replaced { path: path.to_path_buf() }),
        }
    }

    /// Locks the index for changes. It must still be the file at its path: the numbers of its messages would collide with
    /// those of a rebuilt index, and the words are found by path.
    pub(crate) fn lock(&self, data: &DataDir) -> Result<FileLock, IndexError> {
        let lock = lock(data, &self.path)?;
        if identity_at(&self.path) == Some(self.identity) {
            Ok(lock)
        } else {
            Err(IndexError::Replaced { path: self.path.clone() })
        }
    }

    /// Removes the index of a store and its summary cache, unless another process is using them; the next open creates a
    /// new one.
    pub fn remove(config: &ConfigDir, data: &DataDir) -> Result<(), IndexError> {
        let path = Self::path_of(config, data);
        let _lock = lock(data, &path)?;
        summary_cache::remove(&path, data)?;
        remove_files(&path)
    }

    /// Removes an index and opens an empty one in its place.
    fn rebuild(path: &Path) -> Result<(Connection, FileIdentity), IndexError> {
        remove_files(path)?;
        let (connection, identity, _) = Self::try_open(path)?;
        Ok((connection, identity))
    }
}

pub(crate) fn lock(data: &DataDir, path: &Path) -> Result<FileLock, IndexError> {
    FileLock::try_take(data, path)?.ok_or_else(|| IndexError::Busy { path: path.to_path_buf() })
}

/// The identity of the file at a path.
fn identity_at(path: &Path) -> Option<FileIdentity> {
    fs::metadata(path).ok().map(|metadata| FileIdentity::of(&metadata))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DatabaseState {
    /// A complete index with its words attached.
    Whole,
    /// No tables yet.
    Empty,
    /// Made by another release.
    OtherFormat,
    /// Rows of this format, but their words are missing.
    WithoutWords,
}

fn state_of(connection: &Connection, path: &Path) -> rusqlite::Result<DatabaseState> {
    let format: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if format != FORMAT {
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        return Ok(if tables == 0 { DatabaseState::Empty } else { DatabaseState::OtherFormat });
    }
    if !words::path_beside(path).exists() {
        return Ok(DatabaseState::WithoutWords);
    }
    words::attach(connection, path)?;
    Ok(if words::match_rows(connection, FORMAT)? {
        DatabaseState::Whole
    } else {
        DatabaseState::WithoutWords
    })
}

fn remove_files(path: &Path) -> Result<(), IndexError> {
    database::remove(path)?;
    database::remove(&words::path_beside(path))?;
    database::remove_file(&Index::snapshot_path(path))
}
