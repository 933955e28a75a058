//! The index's file: where it is, how it is opened, and when it is made anew.

use std::fs;
use std::path::{Path, PathBuf};

use annals_store::digest::short;
use annals_store::files::{create_folder, replace_file};
use annals_store::identity::FileIdentity;
use annals_store::lock::FileLock;
use annals_store::{ConfigDir, DataDir, Sighting};
use rusqlite::{Connection, OpenFlags};

use crate::error::IndexError;
use crate::{briefs, database, words};

/// The form of the tables. An index of another form is made anew.
const FORM: i64 = 6;

const SCHEMA: &str = include_str!("schema.sql");

/// The look at the store that the index is of.
const SIGHTING: &str = "sighting";
/// A transaction ends when it stands for so many bytes of files.
const TRANSACTION: u64 = 96 * 1024 * 1024;

/// Pages are read where the system keeps them, without a call and a copy for each. What is cut off behind our back would end
/// the process; nothing of ours cuts an index, and all that is lost is an answer.
const MAPPED: &str = "PRAGMA mmap_size = 1073741824";

/// So much of the rows is kept in memory while they are written, in KiB.
const KEPT_KIB: u32 = 48 * 1024;

/// What was found where the index should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// An index, as it was left.
    AsLeft,
    /// Nothing: this is the first time.
    New,
    /// An index of another release's form; it was made anew.
    OtherForm,
    /// Something that is no index, or a damaged one; it was made anew.
    Damaged,
}

/// The index of a store.
#[derive(Debug)]
pub struct Index {
    pub(crate) connection: Connection,
    pub(crate) config: ConfigDir,
    pub(crate) commit_every: u64,
    path: PathBuf,
    /// The file that is open; another one may have come to its path since.
    identity: FileIdentity,
}

impl Index {
    /// Where the index of a store lies.
    pub fn path_of(config: &ConfigDir, data: &DataDir) -> PathBuf {
        let whole = config.path().canonicalize().unwrap_or_else(|_| config.path().to_path_buf());
        let name = format!("{}.db", short(whole.as_os_str().as_encoded_bytes()));
        data.path().join("index").join(name)
    }

    /// Where it is kept what the store looked like when its index was last brought up to date: beside the index, so that it can be
    /// read while that is opened.
    fn sighting_path(path: &Path) -> PathBuf {
        path.with_extension("seen")
    }

    /// What the store looked like when its index was last brought up to date, if [`Index::is_of`] says so.
    pub fn sighting_of(config: &ConfigDir, data: &DataDir) -> Sighting {
        let text = fs::read_to_string(Self::sighting_path(&Self::path_of(config, data)));
        text.ok().and_then(Sighting::parse).filter(|sighting| sighting.is_of(config)).unwrap_or_default()
    }

    /// Whether the index was brought up to date after just this look at the store.
    pub fn is_of(&self, sighting: &Sighting) -> Result<bool, IndexError> {
        Ok(self.noted(SIGHTING)?.is_some_and(|name| name == sighting.name()))
    }

    /// Notes what the store looked like before the index was brought up to date: as long as it looks so, there is nothing to do.
    /// The index names the look that it is of, so that neither counts without the other.
    pub fn note_sighting(&mut self, sighting: &Sighting) -> Result<(), IndexError> {
        replace_file(&Self::sighting_path(&self.path), sighting.text().as_bytes())?;
        self.note(SIGHTING, sighting.name())
    }

    /// Opens the index of a store to bring it up to date; where there is none that can be used, an empty one is made.
    pub fn open(config: &ConfigDir, data: &DataDir) -> Result<(Self, Opened), IndexError> {
        let path = Self::path_of(config, data);
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        create_folder(&folder)?;
        let (connection, identity, opened) = match Self::try_open(&path) {
            Ok((connection, identity, State::Whole)) => (connection, identity, Opened::AsLeft),
            Err(error) if !error.is_damage() => return Err(error),
            _ => Self::make(&path, data)?,
        };
        Ok((Self { connection, config: config.clone(), commit_every: TRANSACTION, path, identity }, opened))
    }

    /// Makes the tables, alone: two that begin at once must not take each other's half-made index for a foreign one.
    fn make(path: &Path, data: &DataDir) -> Result<(Connection, FileIdentity, Opened), IndexError> {
        let _lock = lock(data, path)?;
        let (connection, identity, opened) = match Self::try_open(path) {
            // Somebody was quicker.
            Ok((connection, identity, State::Whole)) => return Ok((connection, identity, Opened::AsLeft)),
            Ok((connection, identity, State::Empty)) => (connection, identity, Opened::New),
            Ok((connection, _, state)) => {
                drop(connection);
                let (connection, identity) = Self::make_anew(path)?;
                let opened = if state == State::OtherForm { Opened::OtherForm } else { Opened::Damaged };
                (connection, identity, opened)
            }
            Err(error) if error.is_damage() => {
                let (connection, identity) = Self::make_anew(path)?;
                (connection, identity, Opened::Damaged)
            }
            Err(error) => return Err(error),
        };
        // The rows last: whoever finds their form finds everything.
        words::make(path, FORM)?;
        database::make_tables(&connection, SCHEMA, FORM)?;
        words::attach(&connection, path)?;
        Ok((connection, identity, opened))
    }

    /// Opens the index to ask it, and not to change it; `None` where there is none of this form.
    pub fn open_to_read(config: &ConfigDir, data: &DataDir) -> Result<Option<Self>, IndexError> {
        let path = Self::path_of(config, data);
        let Some(identity) = identity_at(&path) else { return Ok(None) };
        // A connection is never shared: the lock that SQLite takes for each value it hands over would guard nothing.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.execute_batch(MAPPED)?;
        // Rows and words must be of one index.
        if state_of(&connection, &path)? != State::Whole || identity_at(&path) != Some(identity) {
            return Ok(None);
        }
        // Whatever is asked is answered from one state, even if somebody brings the index up to date in between.
        connection.execute_batch("BEGIN")?;
        Ok(Some(Self { connection, config: config.clone(), commit_every: TRANSACTION, path, identity }))
    }

    /// Ends a transaction whenever so many bytes of files were taken in: a crash loses no more than that.
    pub fn commit_every(&mut self, bytes: u64) {
        self.commit_every = bytes;
    }

    /// How many bytes the index has on the disk, what was written last included.
    pub fn size(&self) -> u64 {
        // Brought into the file where nobody reads it at the moment; else it counts beside it.
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let beside = [words::path_beside(&self.path), briefs::path_beside(&self.path)];
        database::size(&self.path) + beside.iter().map(|path| database::size(path)).sum::<u64>()
    }

    /// The index's own file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn try_open(path: &Path) -> Result<(Connection, FileIdentity, State), IndexError> {
        database::create(path)?;
        let before = identity_at(path);
        let connection = database::open(path, KEPT_KIB)?;
        let state = state_of(&connection, path)?;
        // The file that was there before and after is the one that was opened in between; and rows are removed first, so the
        // words are theirs.
        match before.filter(|before| identity_at(path) == Some(*before)) {
            Some(identity) => Ok((connection, identity, state)),
            None => Err(IndexError::Replaced { path: path.to_path_buf() }),
        }
    }

    /// The right to change the index, as long as this is held. The index must be the one at its path: rows that nobody will ever
    /// see again would share their numbers with those of the one that came after it, and its words are found by path.
    pub(crate) fn lock(&self, data: &DataDir) -> Result<FileLock, IndexError> {
        let lock = lock(data, &self.path)?;
        if identity_at(&self.path) == Some(self.identity) {
            Ok(lock)
        } else {
            Err(IndexError::Replaced { path: self.path.clone() })
        }
    }

    /// Removes the index of a store, and the briefs beside it, unless somebody is at work on it; the next that opens it makes it
    /// anew.
    pub fn remove(config: &ConfigDir, data: &DataDir) -> Result<(), IndexError> {
        let path = Self::path_of(config, data);
        let _lock = lock(data, &path)?;
        briefs::remove(&path, data)?;
        remove_files(&path)
    }

    /// Removes an index, and opens an empty one in its place.
    fn make_anew(path: &Path) -> Result<(Connection, FileIdentity), IndexError> {
        remove_files(path)?;
        let (connection, identity, _) = Self::try_open(path)?;
        Ok((connection, identity))
    }
}

pub(crate) fn lock(data: &DataDir, path: &Path) -> Result<FileLock, IndexError> {
    FileLock::try_take(data, path)?.ok_or_else(|| IndexError::Busy { path: path.to_path_buf() })
}

/// Which file is at a path.
fn identity_at(path: &Path) -> Option<FileIdentity> {
    fs::metadata(path).ok().map(|metadata| FileIdentity::of(&metadata))
}

/// What a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// An index; its words can be asked.
    Whole,
    /// Without tables yet.
    Empty,
    /// Of another release.
    OtherForm,
    /// Rows, of this form, whose words are not there.
    WithoutWords,
}

fn state_of(connection: &Connection, path: &Path) -> rusqlite::Result<State> {
    let form: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if form != FORM {
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        return Ok(if tables == 0 { State::Empty } else { State::OtherForm });
    }
    if !words::path_beside(path).exists() {
        return Ok(State::WithoutWords);
    }
    words::attach(connection, path)?;
    Ok(if words::go_with(connection, FORM)? { State::Whole } else { State::WithoutWords })
}

fn remove_files(path: &Path) -> Result<(), IndexError> {
    database::remove(path)?;
    database::remove(&words::path_beside(path))?;
    database::remove_file(&Index::sighting_path(path))
}
