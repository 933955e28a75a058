//! How far each file was read for a sink: a versioned file, replaced as a whole and synced. What was read is acknowledged or
//! in the spool.

mod fields;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use annals_index::cursor::{Cursor, FileStamp};
use annals_json::{ObjectWriter, Value};
use annals_store::digest::short;
use annals_store::files::replace_file;
use annals_store::read::read_file_if_there;

pub(crate) use fields::{integer, read_position, write_position};

use crate::error::CollectError;
use crate::item::ItemForm;
use crate::spooled_batch::SpooledBatch;

/// The form of the file. The first one noted what was acknowledged, and knew no spool.
const VERSION: u64 = 4;
/// The version that did not say where a store lies.
const VERSION_WITHOUT_ROOTS: u64 = 3;
/// The version that knew one store only, without its name.
const SINGLE_STORE_VERSION: u64 = 2;
/// The id of the store in files that do not name one.
pub(crate) const UNKNOWN_STORE: &str = "";

/// A last line that was taken without its line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenLine {
    /// It is a whole record.
    Complete,
    /// It is not.
    Torn,
}

impl OpenLine {
    fn name(self) -> &'static str {
        match self {
            Self::Complete => "line",
            Self::Torn => "torn",
        }
    }

    fn of(name: &str) -> Option<Self> {
        [Self::Complete, Self::Torn].into_iter().find(|open| open.name() == name)
    }
}

/// One file of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    pub generation: i64,
    /// How far it was read: that is acknowledged or in the spool.
    pub taken: Cursor,
    /// Whether that ends with a line without its line break.
    pub open: Option<OpenLine>,
    /// The generation of the mark that says that it is gone: since when, in milliseconds since 1970.
    pub gone: Option<i64>,
}

/// The files of one store, by name.
pub type FileEntries = BTreeMap<String, FileEntry>;

/// What is known of one store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoreState {
    /// Where it lay when it was last read; `None` if that is not known, or not UTF-8.
    pub(crate) root: Option<PathBuf>,
    pub(crate) files: FileEntries,
}

/// Everything that is known of one sink. Numbers and generations are the sink's; files of the same name may be of several
/// stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SinkState {
    /// The number of the last batch that was taken.
    pub sequence: u64,
    /// The last generation that was used: none is used twice, even when a file was forgotten.
    pub generation: i64,
    /// Whether the sink has acknowledged anything yet.
    pub has_acknowledged: bool,
    /// The id of the store in use.
    store: String,
    /// By their ids.
    stores: BTreeMap<String, StoreState>,
    /// The file of this state; `None` for a dry run.
    path: Option<PathBuf>,
}

impl SinkState {
    /// Reads the state; without a file, nothing was read yet.
    pub fn load(path: &Path) -> Result<Self, CollectError> {
        let mut state = match read_file_if_there(path)? {
            Some(bytes) => Self::parse(path, &bytes)?,
            None => Self::default(),
        };
        state.path = Some(path.to_path_buf());
        Ok(state)
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, CollectError> {
        let damaged = || CollectError::Damaged { path: path.to_path_buf() };
        let value = Value::parse(bytes).map_err(|_| damaged())?;
        let version = value.get("version").and_then(Value::count).ok_or_else(damaged)?;
        let stores = match version {
            VERSION => fields::stores(value),
            VERSION_WITHOUT_ROOTS => fields::stores_without_roots(value),
            SINGLE_STORE_VERSION => {
                fields::single_store(value).map(|store| BTreeMap::from([(UNKNOWN_STORE.to_owned(), store)]))
            }
            _ => return Err(CollectError::UnknownVersion { path: path.to_path_buf(), version }),
        };
        Ok(Self {
            sequence: value.get("sequence").and_then(Value::count).ok_or_else(damaged)?,
            generation: value.get("generation").and_then(integer).ok_or_else(damaged)?,
            has_acknowledged: value.get("acknowledged").and_then(Value::boolean).unwrap_or(false),
            stores: stores.ok_or_else(damaged)?,
            ..Self::default()
        })
    }

    /// Chooses the store at this path. One that was moved there keeps its id: `proof` gives the stamps of its files at the
    /// new path if it is the same store.
    pub(crate) fn choose_store(
        &mut self,
        root: &Path,
        proof: impl Fn(&StoreState) -> Option<Vec<(String, FileStamp)>>,
    ) {
        let by_path = short(root.as_os_str().as_encoded_bytes());
        let is_here = |(id, store): &(&String, &StoreState)| match &store.root {
            Some(known) => known == root,
            None => **id == by_path,
        };
        let here = self.stores.iter().find(is_here).map(|(id, _)| id.clone());
        self.store = match here {
            Some(id) => id,
            None => self.adopt_store(&by_path, proof).unwrap_or_else(|| self.unused_id(&by_path)),
        };
        let store = self.stores.entry(self.store.clone()).or_default();
        store.root = root.to_str().map(PathBuf::from);
    }

    /// Finds the store that was moved, and returns its id.
    fn adopt_store(
        &mut self,
        by_path: &str,
        proof: impl Fn(&StoreState) -> Option<Vec<(String, FileStamp)>>,
    ) -> Option<String> {
        let found = self.stores.iter().find_map(|(id, store)| Some((id.clone(), proof(store)?)));
        let (id, stamps) = found?;
        let mut store = self.stores.remove(&id)?;
        for (name, stamp) in stamps {
            store.files.entry(name).and_modify(|entry| entry.taken.stamp = stamp);
        }
        // Items name their store, so one without an id gets one now.
        let id = if id == UNKNOWN_STORE { None } else { Some(id) };
        let id = id.unwrap_or_else(|| self.unused_id(by_path));
        self.stores.insert(id.clone(), store);
        Some(id)
    }

    /// The id itself, or one derived from it if another store has it: one that was moved away.
    fn unused_id(&self, id: &str) -> String {
        let derived = (1_u32..).map(|number| short(format!("{id}\n{number}").as_bytes()));
        let mut ids = std::iter::once(id.to_owned()).chain(derived);
        ids.find(|id| !self.stores.contains_key(id)).unwrap_or_default()
    }

    /// The id of the store in use.
    pub fn store(&self) -> &str {
        &self.store
    }

    /// The files of the store in use.
    pub fn files(&self) -> &FileEntries {
        static NONE: FileEntries = BTreeMap::new();
        self.stores.get(&self.store).map_or(&NONE, |store| &store.files)
    }

    /// The same, to be changed.
    pub(crate) fn files_mut(&mut self) -> &mut FileEntries {
        &mut self.stores.entry(self.store.clone()).or_default().files
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

    /// Notes a batch that is in the spool: this and the spool are all that is known of marks.
    pub(crate) fn take(&mut self, spooled: &SpooledBatch) {
        self.sequence = self.sequence.max(spooled.batch.sequence);
        self.generation = self.generation.max(spooled.generation);
        let store = self.stores.entry(spooled.store.clone()).or_default();
        if !spooled.root.is_empty() {
            store.root = Some(PathBuf::from(&spooled.root));
        }
        for item in spooled.batch.items.iter().filter(|_| !spooled.is_retry) {
            match item.form {
                ItemForm::Gone => {
                    let entry = store.files.entry(item.file.clone());
                    entry.and_modify(|entry| entry.gone = Some(item.generation));
                }
                ItemForm::Moved => {
                    store.files.remove(&item.file);
                }
                _ => {}
            }
        }
        for (name, taken) in &spooled.files {
            let (generation, open) = (taken.generation, taken.open);
            let entry = FileEntry { generation, taken: taken.cursor.clone(), open, gone: None };
            store.files.insert(name.clone(), entry);
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.number("version", VERSION).number("sequence", self.sequence);
        object.number("generation", self.generation).boolean("acknowledged", self.has_acknowledged);
        object.object("stores", |stores| {
            for (id, store) in self.stores.iter().filter(|(_, store)| !store.files.is_empty()) {
                stores.object(id, |object| fields::write_store(object, store));
            }
        });
        object.end();
        out.push(b'\n');
        out
    }
}
