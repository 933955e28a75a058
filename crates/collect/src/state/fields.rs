//! The fields of the state and of batches in the spool, as JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;

use annals_index::cursor::{Cursor, FileStamp};
use annals_json::{ObjectWriter, Value};

use super::{FileEntries, FileEntry, OpenLine, StoreState};

/// Writes a store: its root, and its files by name.
pub(super) fn write_store(object: &mut ObjectWriter<'_>, store: &StoreState) {
    if let Some(root) = store.root.as_ref().and_then(|root| root.to_str()) {
        object.string("root", root);
    }
    object.object("files", |files| {
        for (name, entry) in &store.files {
            files.object(name, |object| {
                write_position(object, entry.generation, &entry.taken, entry.open);
                if let Some(gone) = entry.gone {
                    object.number("gone", gone);
                }
            });
        }
    });
}

/// Reads the stores of a state.
pub(super) fn stores(state: Value<'_>) -> Option<BTreeMap<String, StoreState>> {
    let store = |value: Value<'_>| {
        let root = value.get("root").and_then(Value::text);
        let root = root.map(|root| PathBuf::from(root.decode().into_owned()));
        Some(StoreState { root, files: files(value.get("files"))? })
    };
    let stores = state.get("stores")?.fields()?;
    stores.iter().map(|field| Some((field.key.decode().into_owned(), store(field.value)?))).collect()
}

/// Reads the stores of a state that said neither where they lie nor whether the sink knows that a file is gone.
pub(super) fn stores_without_roots(state: Value<'_>) -> Option<BTreeMap<String, StoreState>> {
    let stores = state.get("stores")?.fields()?;
    let store = |value: Value<'_>| unmarked(files(Some(value))?);
    stores.iter().map(|field| Some((field.key.decode().into_owned(), store(field.value)?))).collect()
}

/// Reads the files of a state that knew one store.
pub(super) fn single_store(state: Value<'_>) -> Option<StoreState> {
    unmarked(files(state.get("files"))?)
}

fn unmarked(mut files: FileEntries) -> Option<StoreState> {
    files.values_mut().for_each(|entry| entry.gone = None);
    Some(StoreState { root: None, files })
}

fn files(value: Option<Value<'_>>) -> Option<FileEntries> {
    let fields = value?.fields()?;
    fields.iter().map(|file| Some((file.key.decode().into_owned(), entry(file.value)?))).collect()
}

fn entry(value: Value<'_>) -> Option<FileEntry> {
    let (generation, taken, open) = read_position(value)?;
    Some(FileEntry { generation, taken, open, gone: value.get("gone").and_then(integer) })
}

/// Writes how far a file is read.
pub(crate) fn write_position(
    object: &mut ObjectWriter<'_>,
    generation: i64,
    cursor: &Cursor,
    open: Option<OpenLine>,
) {
    object.number("generation", generation);
    object.object("taken", |object| {
        object.number("offset", cursor.offset).number("lines", cursor.lines);
        object.number("identity", cursor.stamp.identity).number("bytes", cursor.stamp.bytes);
        object.number("modified", cursor.stamp.modified);
        object.number("prefix", cursor.prefix).number("tail", cursor.tail);
    });
    if let Some(open) = open {
        object.string("open", open.name());
    }
}

/// Reads what [`write_position`] wrote.
pub(crate) fn read_position(value: Value<'_>) -> Option<(i64, Cursor, Option<OpenLine>)> {
    let open = match value.get("open") {
        Some(open) => Some(OpenLine::of(&open.text()?.decode())?),
        None => None,
    };
    Some((integer(value.get("generation")?)?, cursor(value.get("taken")?)?, open))
}

fn cursor(value: Value<'_>) -> Option<Cursor> {
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
