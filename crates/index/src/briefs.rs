//! Briefs: what it takes a whole file to tell, kept until the file changes.
//!
//! How long turns took, or what results cost to carry, is reckoned from a file's whole graph, and cannot be gone on with where a
//! file has grown. So the outcome is kept as it is: one file that changed is read again, and all others are not. It is a cache
//! beside the index, in a database of its own: it needs no index, the index does not know of it, and whoever cannot read or
//! write it reads the files.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use annals_store::files::create_folder;
use annals_store::lock::FileLock;
use annals_store::{ConfigDir, DataDir};
use rusqlite::{Connection, OpenFlags, params};

use crate::cursor::Look;
use crate::database;
use crate::error::IndexError;
use crate::open::{Index, lock};

/// The form of briefs: of their bytes, and of what they say of the same file. Those of another are made anew.
pub const BRIEF_FORM: i64 = 1;

const SCHEMA: &str = include_str!("briefs.sql");
/// So much is kept in memory while they are written, in KiB.
const KEPT_KIB: u32 = 2 * 1024;

/// A file that was written this short a time ago may be written again without its time telling: where clocks are coarse.
const UNSETTLED: Duration = Duration::from_secs(2);

/// What a brief tells of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BriefKind {
    /// What it used, and what was done in it.
    Activity = 0,
    /// What it used, and what happened with its tools.
    Tools = 1,
}

/// The briefs of one kind, as they were kept.
#[derive(Debug)]
pub struct Briefs {
    kind: BriefKind,
    path: PathBuf,
    kept: Kept,
}

/// By the path of the file: what it looked like, and what there is to say.
type Kept = HashMap<Vec<u8>, (Look, Vec<u8>)>;

/// A brief that was just made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// The file, below the config dir.
    pub file: PathBuf,
    /// The file as it was before it was read.
    pub look: Look,
    /// What there is to say.
    pub content: Vec<u8>,
}

impl Briefs {
    /// What was kept for a store: nothing, where it cannot be read.
    pub fn of(config: &ConfigDir, data: &DataDir, kind: BriefKind) -> Self {
        let path = path_beside(&Index::path_of(config, data));
        let kept = if path.exists() { load(&path, kind).unwrap_or_default() } else { Kept::new() };
        Self { kind, path, kept }
    }

    /// The brief of a file, below the config dir, that looks like this now; none where it looked otherwise then.
    pub fn get(&self, file: &Path, look: &Look) -> Option<&[u8]> {
        let (then, content) = self.kept.get(file.as_os_str().as_encoded_bytes())?;
        (then == look).then_some(content.as_slice())
    }

    /// Keeps briefs that were made since, and forgets files that are not `there`. While another annals does that, nothing happens:
    /// the next time is soon enough.
    pub fn keep(
        &self,
        made: &[Brief],
        there: &[PathBuf],
        data: &DataDir,
        now: i64,
    ) -> Result<(), IndexError> {
        let there: HashSet<&[u8]> = there.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
        let gone: Vec<&Vec<u8>> = self.kept.keys().filter(|path| !there.contains(path.as_slice())).collect();
        let made: Vec<&Brief> = made.iter().filter(|brief| is_settled(&brief.look, now)).collect();
        if made.is_empty() && gone.is_empty() {
            return Ok(());
        }
        create_folder(self.path.parent().unwrap_or(Path::new("")))?;
        let Some(_lock) = FileLock::try_take(data, &self.path)? else { return Ok(()) };
        match self.write(&made, &gone) {
            // Damage that only shows on the way.
            Err(error) if error.is_damage() => {
                database::remove(&self.path)?;
                self.write(&made, &[])
            }
            written => written,
        }
    }

    fn write(&self, made: &[&Brief], gone: &[&Vec<u8>]) -> Result<(), IndexError> {
        let mut connection = open_to_write(&self.path)?;
        let transaction = connection.transaction()?;
        for path in gone {
            transaction.prepare_cached("DELETE FROM briefs WHERE path = ?1")?.execute([path])?;
        }
        for Brief { file, look, content } in made {
            transaction
                .prepare_cached("INSERT OR REPLACE INTO briefs VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
                .execute(params![
                    self.kind as i64,
                    file.as_os_str().as_encoded_bytes(),
                    look.identity,
                    look.bytes.cast_signed(),
                    look.modified,
                    content,
                ])?;
        }
        Ok(transaction.commit()?)
    }
}

/// Where the briefs of a store lie.
pub(crate) fn path_beside(index: &Path) -> PathBuf {
    index.with_extension("briefs")
}

/// Removes the briefs beside an index.
pub(crate) fn remove(index: &Path, data: &DataDir) -> Result<(), IndexError> {
    let path = path_beside(index);
    let _lock = lock(data, &path)?;
    database::remove(&path)
}

fn is_settled(look: &Look, now: i64) -> bool {
    look.modified / 1_000_000 + (UNSETTLED.as_millis() as i64) < now
}

fn load(path: &Path, kind: BriefKind) -> Result<Kept, IndexError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    if form_of(&connection)? != BRIEF_FORM {
        return Ok(Kept::new());
    }
    let mut statement =
        connection.prepare("SELECT path, identity, bytes, modified, content FROM briefs WHERE kind = ?1")?;
    let rows = statement.query_map([kind as i64], |row| {
        let look = Look {
            identity: row.get(1)?,
            bytes: row.get::<_, i64>(2)?.cast_unsigned(),
            modified: row.get(3)?,
        };
        Ok((row.get(0)?, (look, row.get(4)?)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Opens the database; one that is damaged or of another form is made anew.
fn open_to_write(path: &Path) -> Result<Connection, IndexError> {
    let opened = database::open(path, KEPT_KIB).and_then(|connection| {
        let form = form_of(&connection)?;
        Ok((form == BRIEF_FORM).then_some(connection))
    });
    match opened {
        Ok(Some(connection)) => return Ok(connection),
        Err(error) if !error.is_damage() => return Err(error),
        _ => {}
    }
    database::remove(path)?;
    let connection = database::open(path, KEPT_KIB)?;
    database::make_tables(&connection, SCHEMA, BRIEF_FORM)?;
    Ok(connection)
}

fn form_of(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}
