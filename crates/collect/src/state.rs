//! How far each file was read for a sink: a versioned file, replaced as a whole and synced. What was read is acknowledged or
//! in the spool.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use annals_index::cursor::{Cursor, FileStamp};
use annals_json::{ObjectWriter, Value};
use annals_store::files::replace_file;
use annals_store::read::read_file_if_there;

use crate::error::CollectError;
use crate::spooled_batch::SpooledBatch;

/// The form of the file. The first one noted what was acknowledged, and knew no spool.
const VERSION: u64 = 3;
/// The version that knew one store only, without its name.
const SINGLE_STORE_VERSION: u64 = 2;
/// The name of the store in files that do not name one.
pub(crate) const UNKNOWN_STORE: &str = "";

/// One file of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// The generation of the file.
    pub generation: i64,
    /// How far it was read: that is acknowledged or in the spool.
    pub taken: Cursor,
    /// Since when it is gone, in milliseconds since 1970.
    pub gone: Option<i64>,
}

/// The files of one store, by name.
type FileEntries = BTreeMap<String, FileEntry>;

/// Everything that is known of one sink. Numbers and generations are the sink's; files of the same name may be of several
/// stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SinkState {
    /// The number of the last batch that was taken.
    pub sequence: u64,
    /// The last generation that was used: none is used twice, even when a file was forgotten.
    pub generation: i64,
    /// Of the store that is read, by name.
    pub files: BTreeMap<String, FileEntry>,
    /// Its name.
    pub(crate) store: String,
    /// Of other stores, by their names.
    others: BTreeMap<String, FileEntries>,
    /// The file of this state; `None` for a dry run.
    path: Option<PathBuf>,
}

impl SinkState {
    /// Reads the state for the store of this name; without a file, nothing was read yet.
    pub fn load(path: &Path, store: &str) -> Result<Self, CollectError> {
        let mut state = match read_file_if_there(path)? {
            Some(bytes) => Self::parse(path, &bytes)?,
            None => Self::default(),
        };
        state.path = Some(path.to_path_buf());
        state.files = state.others.remove(store).unwrap_or_default();
        store.clone_into(&mut state.store);
        Ok(state)
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, CollectError> {
        let damaged = || CollectError::Damaged { path: path.to_path_buf() };
        let value = Value::parse(bytes).map_err(|_| damaged())?;
        let version = value.get("version").and_then(Value::count).ok_or_else(damaged)?;
        let others = match version {
            VERSION => stores(value),
            SINGLE_STORE_VERSION => {
                files(value.get("files")).map(|files| BTreeMap::from([(UNKNOWN_STORE.to_owned(), files)]))
            }
            _ => return Err(CollectError::UnknownVersion { path: path.to_path_buf(), version }),
        };
        Ok(Self {
            sequence: value.get("sequence").and_then(Value::count).ok_or_else(damaged)?,
            generation: value.get("generation").and_then(integer).ok_or_else(damaged)?,
            others: others.ok_or_else(damaged)?,
            ..Self::default()
        })
    }

    /// Takes over the files of the unnamed store, if one of them is in this store.
    pub(crate) fn adopt_unknown_store(&mut self, is_there: impl Fn(&str, &FileEntry) -> bool) {
        let Some(unknown) = self.others.get(UNKNOWN_STORE) else { return };
        if unknown.iter().any(|(name, entry)| is_there(name, entry)) {
            let claimed = self.others.remove(UNKNOWN_STORE).unwrap_or_default();
            for (name, entry) in claimed {
                self.files.entry(name).or_insert(entry);
            }
        }
    }

    /// Detaches the state from its file: `save` writes nothing.
    pub fn detached(mut self) -> Self {
        self.path = None;
        self
    }

    /// Replaces the file; on the disk when this returns.
    pub fn save(&self) -> Result<(), CollectError> {
        match &self.path {
            Some(path) => Ok(replace_file(path, &self.bytes())?),
            None => Ok(()),
        }
    }

    /// A generation that was not used before.
    pub(crate) fn new_generation(&mut self, now: i64) -> i64 {
        // The time, so that a state that was lost does not give old ones again.
        self.generation = now.max(self.generation.saturating_add(1));
        self.generation
    }

    /// Notes a batch that is in the spool.
    pub(crate) fn take(&mut self, spooled: &SpooledBatch) {
        self.sequence = self.sequence.max(spooled.batch.sequence);
        self.generation = self.generation.max(spooled.generation);
        let files = match spooled.store == self.store {
            true => &mut self.files,
            false => self.others.entry(spooled.store.clone()).or_default(),
        };
        for (name, taken) in &spooled.files {
            let entry = FileEntry { generation: taken.generation, taken: taken.cursor.clone(), gone: None };
            files.insert(name.clone(), entry);
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.number("version", VERSION).number("sequence", self.sequence);
        object.number("generation", self.generation);
        object.object("stores", |stores| {
            let all = self.others.iter().chain([(&self.store, &self.files)]);
            for (store, files) in all.filter(|(_, files)| !files.is_empty()) {
                stores.object(store, |object| write_files(object, files));
            }
        });
        object.end();
        out.push(b'\n');
        out
    }
}

fn write_files(object: &mut ObjectWriter<'_>, files: &FileEntries) {
    for (name, entry) in files {
        object.object(name, |object| {
            object.number("generation", entry.generation);
            object.object("taken", |object| write_cursor(object, &entry.taken));
            if let Some(gone) = entry.gone {
                object.number("gone", gone);
            }
        });
    }
}

fn stores(state: Value<'_>) -> Option<BTreeMap<String, FileEntries>> {
    let stores = state.get("stores")?.fields()?;
    stores.iter().map(|store| Some((store.key.decode().into_owned(), files(Some(store.value))?))).collect()
}

fn files(value: Option<Value<'_>>) -> Option<FileEntries> {
    let fields = value?.fields()?;
    fields.iter().map(|file| Some((file.key.decode().into_owned(), entry(file.value)?))).collect()
}

/// A cursor, as the fields of an object.
pub(crate) fn write_cursor(object: &mut ObjectWriter<'_>, cursor: &Cursor) {
    object.number("offset", cursor.offset).number("lines", cursor.lines);
    object.number("identity", cursor.stamp.identity).number("bytes", cursor.stamp.bytes);
    object.number("modified", cursor.stamp.modified);
    object.number("prefix", cursor.prefix).number("tail", cursor.tail);
}

fn entry(value: Value<'_>) -> Option<FileEntry> {
    Some(FileEntry {
        generation: integer(value.get("generation")?)?,
        taken: read_cursor(value.get("taken")?)?,
        gone: value.get("gone").and_then(integer),
    })
}

/// Reads a cursor.
pub(crate) fn read_cursor(value: Value<'_>) -> Option<Cursor> {
    let number = |key: &str| value.get(key).and_then(integer);
    let count = |key: &str| value.get(key).and_then(Value::count);
    Some(Cursor {
        stamp: FileStamp {
            identity: number("identity")?,
            bytes: count("bytes")?,
            modified: number("modified")?,
        },
        offset: count("offset")?,
        lines: count("lines")?,
        records: 0,
        is_open: false,
        prefix: number("prefix")?,
        tail: number("tail")?,
    })
}

/// A whole number of any sign, digit for digit.
pub(crate) fn integer(value: Value<'_>) -> Option<i64> {
    std::str::from_utf8(value.raw()).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_testkit::temp::TempDir;

    #[test]
    fn what_is_saved_is_read_and_what_is_not_ours_is_refused() {
        let folder = TempDir::new("state");
        let path = folder.path().join("collect/sink.json");
        let mut state = SinkState::load(&path, "here").unwrap();
        let stamp = FileStamp { identity: -5, bytes: 9, modified: i64::MAX };
        let start = Cursor::start(stamp);
        let taken = Cursor { offset: 9, lines: 2, prefix: i64::MIN, ..start };
        let generation = state.new_generation(100);
        assert_eq!((generation, state.new_generation(100)), (100, 101));
        state
            .files
            .insert("projects/-a \"b\"/s.jsonl".to_owned(), FileEntry { generation, taken, gone: Some(-1) });
        state.save().unwrap();
        assert_eq!(SinkState::load(&path, "here").unwrap(), state);
        let mut elsewhere = SinkState::load(&path, "elsewhere").unwrap();
        assert_eq!((elsewhere.files.len(), elsewhere.generation), (0, 101));
        elsewhere.save().unwrap();
        assert_eq!(SinkState::load(&path, "here").unwrap(), state);
        elsewhere.adopt_unknown_store(|_, _| true);
        assert_eq!(elsewhere.files.len(), 0);

        for version in [1, 4] {
            folder.write("collect/sink.json", format!("{{\"version\":{version}}}"));
            let error = SinkState::load(&path, "here").unwrap_err();
            assert!(matches!(error, CollectError::UnknownVersion { version: said, .. } if said == version));
        }
        for damage in [
            "",
            "{",
            "{\"version\":3,\"sequence\":0,\"generation\":0,\"stores\":{\"a\":{\"b\":{}}}}",
            "{\"version\":2,\"sequence\":0,\"generation\":0,\"files\":{\"a\":{}}}",
        ] {
            folder.write("collect/sink.json", damage);
            assert!(matches!(SinkState::load(&path, "here"), Err(CollectError::Damaged { .. })), "{damage}");
        }
    }
    #[test]
    fn a_state_of_one_store_is_claimed_by_the_store_that_has_its_files() {
        let folder = TempDir::new("state");
        let cursor =
            "{\"offset\":1,\"lines\":1,\"identity\":7,\"bytes\":1,\"modified\":1,\"prefix\":1,\"tail\":1}";
        let entry = format!("{{\"generation\":5,\"taken\":{cursor}}}");
        let path = folder.write(
            "collect/sink.json",
            format!(
                "{{\"version\":2,\"sequence\":3,\"generation\":5,\"files\":{{\"a\":{entry},\"b\":{entry}}}}}"
            ),
        );
        let mut other = SinkState::load(&path, "other").unwrap();
        other.adopt_unknown_store(|_, _| false);
        assert_eq!((other.sequence, other.files.len()), (3, 0));
        other.save().unwrap();
        let mut here = SinkState::load(&path, "here").unwrap();
        here.adopt_unknown_store(|name, entry| name == "b" && entry.taken.stamp.identity == 7);
        assert_eq!((here.sequence, here.files.len()), (3, 2));
        here.save().unwrap();
        assert_eq!(SinkState::load(&path, "here").unwrap(), here);
        assert_eq!(SinkState::load(&path, "other").unwrap().files.len(), 0);
    }
}
