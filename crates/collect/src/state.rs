//! How far each file was acknowledged by a sink: a versioned file, replaced as a whole and synced.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use annals_index::cursor::{Cursor, Look};
use annals_store::files::replace_file;
use annals_store::read::read_file_if_there;
use annals_transcript::json::{ObjectWriter, Value};

use crate::error::CollectError;

/// The form of the file.
const VERSION: u64 = 1;

/// One file of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which life of the file.
    pub generation: i64,
    /// Up to here the sink has it.
    pub acknowledged: Cursor,
    /// Up to here it was sent at least once: the sink may have it.
    pub sent: Option<Cursor>,
    /// Since when it is gone, in milliseconds since 1970.
    pub gone: Option<i64>,
}

/// Everything that is known of one sink.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The number of the last batch that was sent.
    pub sequence: u64,
    /// The last generation that was given: none is ever given twice, even when a file was forgotten.
    pub generation: i64,
    /// By name.
    pub files: BTreeMap<String, Entry>,
    /// Where it is kept; nowhere for a look at what would be done.
    path: Option<PathBuf>,
}

impl State {
    /// Reads it; where there is none, nothing was acknowledged.
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
        if version != VERSION {
            return Err(CollectError::UnknownVersion { path: path.to_path_buf(), version });
        }
        let mut state = Self {
            sequence: value.get("sequence").and_then(Value::count).ok_or_else(damaged)?,
            generation: value.get("generation").and_then(integer).ok_or_else(damaged)?,
            ..Self::default()
        };
        let files = value.get("files").and_then(Value::fields).ok_or_else(damaged)?;
        for field in files.iter() {
            let entry = entry(field.value).ok_or_else(damaged)?;
            state.files.insert(field.key.decode().into_owned(), entry);
        }
        Ok(state)
    }

    /// The same, kept nowhere.
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

    /// A generation that nobody had before.
    pub(crate) fn new_generation(&mut self, now: i64) -> i64 {
        // The time, so that a state that was lost does not give old ones again.
        self.generation = now.max(self.generation.saturating_add(1));
        self.generation
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.number("version", VERSION).number("sequence", self.sequence);
        object.number("generation", self.generation);
        object.object("files", |files| {
            for (name, entry) in &self.files {
                files.object(name, |object| {
                    object.number("generation", entry.generation);
                    object.object("acknowledged", |object| write_cursor(object, &entry.acknowledged));
                    if let Some(sent) = &entry.sent {
                        object.object("sent", |object| write_cursor(object, sent));
                    }
                    if let Some(gone) = entry.gone {
                        object.number("gone", gone);
                    }
                });
            }
        });
        object.end();
        out.push(b'\n');
        out
    }
}

fn write_cursor(object: &mut ObjectWriter<'_>, cursor: &Cursor) {
    object.number("offset", cursor.offset).number("lines", cursor.lines);
    object.number("identity", cursor.look.identity).number("bytes", cursor.look.bytes);
    object.number("modified", cursor.look.modified);
    object.number("prefix", cursor.prefix).number("tail", cursor.tail);
}

fn entry(value: Value<'_>) -> Option<Entry> {
    let sent = match value.get("sent") {
        Some(sent) => Some(cursor(sent)?),
        None => None,
    };
    Some(Entry {
        generation: integer(value.get("generation")?)?,
        acknowledged: cursor(value.get("acknowledged")?)?,
        sent,
        gone: value.get("gone").and_then(integer),
    })
}

fn cursor(value: Value<'_>) -> Option<Cursor> {
    let number = |key: &str| value.get(key).and_then(integer);
    let count = |key: &str| value.get(key).and_then(Value::count);
    Some(Cursor {
        look: Look { identity: number("identity")?, bytes: count("bytes")?, modified: number("modified")? },
        offset: count("offset")?,
        lines: count("lines")?,
        records: 0,
        is_open: false,
        prefix: number("prefix")?,
        tail: number("tail")?,
    })
}

/// A whole number of any sign, digit for digit.
fn integer(value: Value<'_>) -> Option<i64> {
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
        let mut state = State::load(&path).unwrap();
        let look = Look { identity: -5, bytes: 9, modified: i64::MAX };
        let start = Cursor::start(look);
        let sent = Cursor { offset: 9, lines: 2, prefix: i64::MIN, ..start.clone() };
        let generation = state.new_generation(100);
        assert_eq!((generation, state.new_generation(100)), (100, 101));
        state.files.insert(
            "projects/-a \"b\"/s.jsonl".to_owned(),
            Entry { generation, acknowledged: start, sent: Some(sent), gone: Some(-1) },
        );
        state.save().unwrap();
        assert_eq!(State::load(&path).unwrap(), state);

        folder.write("collect/sink.json", "{\"version\":2}");
        assert!(matches!(State::load(&path), Err(CollectError::UnknownVersion { version: 2, .. })));
        for damage in ["", "{", "{\"version\":1,\"sequence\":0,\"generation\":0,\"files\":{\"a\":{}}}"] {
            folder.write("collect/sink.json", damage);
            assert!(matches!(State::load(&path), Err(CollectError::Damaged { .. })), "{damage}");
        }
    }
}
