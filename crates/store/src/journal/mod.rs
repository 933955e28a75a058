//! The journal of changes, and undo.
//!
//! An entry is on the disk before the change that it describes, and is updated when the change is done. After a crash at
//! any step the entry still exists, and [`Journal::undo`] reverts the part that was done.

mod check;
mod effect;
mod entry;
mod path_text;
mod revert;
mod undo;

pub use effect::Effect;
pub use entry::{JournalEntry, Stage};
pub(crate) use revert::Reverter;
pub use undo::UndoError;

use std::fs;
use std::path::{Path, PathBuf};

use annals_transcript::time::format_millis;

use crate::data_dir::DataDir;
use crate::digest::hex;
use crate::files::{PlainName, WriteError, remove, replace_file};
use crate::json_file::JsonFile;
use crate::source::Source;

/// How many digits of an id are its time.
const TIME_DIGITS: usize = 17;

/// The journal of a data dir.
#[derive(Clone, Copy, Debug)]
pub struct Journal<'a> {
    data: &'a DataDir,
}

impl<'a> Journal<'a> {
    /// The journal in our folder.
    pub fn new(data: &'a DataDir) -> Self {
        Self { data }
    }

    /// An id: its time and some chance, so that ids sort by time.
    pub fn new_id(source: &dyn Source) -> String {
        let time: String =
            format_millis(source.now()).chars().filter(char::is_ascii_digit).take(TIME_DIGITS).collect();
        format!("{time}-{}", &hex(&source.random())[..6])
    }

    /// An id for the next entry: greater than all before it, also if the clock went back.
    pub fn next_id(&self, source: &dyn Source) -> String {
        let id = Self::new_id(source);
        let number = |name: &str| name.get(..TIME_DIGITS)?.parse::<u64>().ok();
        let files = fs::read_dir(self.data.journal()).into_iter().flatten().flatten();
        let last = files.filter_map(|file| number(&file.file_name().to_string_lossy())).max();
        match last.filter(|last| number(&id).is_some_and(|own| own <= *last)) {
            Some(last) => format!("{:017}{}", last.saturating_add(1), &id[TIME_DIGITS..]),
            None => id,
        }
    }

    /// Notes a change before it is made.
    pub fn begin(
        &self,
        id: String,
        time: i64,
        what: &str,
        effects: Vec<Effect>,
    ) -> Result<JournalEntry, WriteError> {
        let store = entry::store_of(&id, &effects).or_else(|| self.data.store().map(Path::to_path_buf));
        self.begin_in(store, id, time, what, effects)
    }

    /// The same for a change of a known store.
    pub(crate) fn begin_in(
        &self,
        store: Option<PathBuf>,
        id: String,
        time: i64,
        what: &str,
        effects: Vec<Effect>,
    ) -> Result<JournalEntry, WriteError> {
        let entry = JournalEntry { id, time, what: what.to_owned(), store, stage: Stage::Begun, effects };
        self.write(&entry)?;
        Ok(entry)
    }

    /// Forgets a change that was reverted before it was done, with its batch in the trash.
    pub(crate) fn forget(&self, entry: &JournalEntry) -> Result<(), WriteError> {
        remove(&self.path_of(&entry.id)?)?;
        remove(&self.data.trash(&entry.id))
    }

    /// Notes that the change is made.
    pub fn finish(&self, mut entry: JournalEntry) -> Result<JournalEntry, WriteError> {
        entry.stage = Stage::Done;
        self.write(&entry)?;
        Ok(entry)
    }

    /// Notes that what the change took away is about to be deleted for good.
    pub(crate) fn mark_emptied(&self, mut entry: JournalEntry) -> Result<JournalEntry, WriteError> {
        entry.stage = Stage::Emptied;
        self.write(&entry)?;
        Ok(entry)
    }

    /// Whether there is a note of a change by this name, readable or not.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.path_of(id).is_ok_and(|path| path.exists())
    }

    /// Returns all entries, newest first; unreadable files are left out.
    pub fn entries(&self) -> Vec<JournalEntry> {
        let Ok(files) = fs::read_dir(self.data.journal()) else { return Vec::new() };
        let read = |path: PathBuf| JournalEntry::read(&JsonFile::read(&path).ok()?.object().ok()?);
        let mut entries: Vec<_> = files.flatten().filter_map(|file| read(file.path())).collect();
        entries.sort_by(|left, right| right.id.cmp(&left.id));
        entries
    }

    /// Writes an entry as it is now.
    pub(crate) fn write(&self, entry: &JournalEntry) -> Result<(), WriteError> {
        replace_file(&self.path_of(&entry.id)?, &entry.to_json())
    }

    fn path_of(&self, id: &str) -> Result<PathBuf, WriteError> {
        let id = PlainName::new(id, "a journal id")?;
        Ok(self.data.journal().join(format!("{id}.json")))
    }
}
