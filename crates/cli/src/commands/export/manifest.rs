//! What an earlier export wrote into a folder: a small file beside the pages.
//!
//! It decides what is ours and what has not changed. Others can write into a shared folder, so nothing but plain file
//! names and texts is taken from it.

use std::fs;
use std::path::Path;

use annals_json::{Fields, ObjectWriter};
use annals_store::files::replace_file;

use super::names::is_safe;
use crate::error::Fault;

/// The name of the file.
const NAME: &str = ".annals-export.json";

/// An exported file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ManifestEntry {
    /// Its name.
    pub(super) file: String,
    /// The session's file; empty for a list.
    pub(super) source: String,
    /// What the source and the options were.
    pub(super) fingerprint: String,
    /// The digest of the exported file.
    pub(super) digest: String,
    /// The digest of the file that it takes the place of; empty if there was none.
    pub(super) older: String,
    /// What a list says about it: id, title, project, last activity, turns, cost.
    pub(super) row: [String; 6],
}

/// Reads a file of the folder; a link, a pipe or a device is none.
pub(super) fn plain_bytes(path: &Path) -> Option<Vec<u8>> {
    let is_plain = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
    if is_plain { fs::read(path).ok() } else { None }
}

/// The names of a row in the file.
const ROW: [&str; 6] = ["session", "title", "project", "active", "turns", "cost"];

/// The exported files of a folder.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    pub(super) entries: Vec<ManifestEntry>,
}

impl Manifest {
    /// Reads that of a folder; what is missing or damaged is empty.
    pub(super) fn read(folder: &Path) -> Self {
        let Some(bytes) = plain_bytes(&folder.join(NAME)) else { return Self::default() };
        let Ok((fields, _)) = Fields::scan(&bytes) else { return Self::default() };
        let files = fields.get("files").map(|files| files.items()).into_iter().flatten();
        let entries = files.filter_map(|file| {
            let fields = file.fields()?;
            let text = |key: &str| fields.text(key).map(|text| text.to_string());
            Some(ManifestEntry {
                file: text("file").filter(|name| is_safe(name))?,
                source: text("source").unwrap_or_default(),
                fingerprint: text("fingerprint").unwrap_or_default(),
                digest: text("digest").unwrap_or_default(),
                older: text("older").unwrap_or_default(),
                row: ROW.map(|key| text(key).unwrap_or_default()),
            })
        });
        Self { entries: entries.collect() }
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), Fault> {
        let mut bytes = Vec::new();
        let mut object = ObjectWriter::begin(&mut bytes);
        object.number("version", 1);
        object.array("files", |list| {
            for entry in &self.entries {
                list.object(|object| {
                    object.string("file", &entry.file).string("source", &entry.source);
                    object.string("fingerprint", &entry.fingerprint).string("digest", &entry.digest);
                    if !entry.older.is_empty() {
                        object.string("older", &entry.older);
                    }
                    for (key, value) in ROW.iter().zip(&entry.row) {
                        object.string(key, value);
                    }
                });
            }
        });
        object.end();
        bytes.push(b'\n');
        Ok(replace_file(&folder.join(NAME), &bytes)?)
    }

    /// Adds or replaces an entry.
    pub(super) fn put(&mut self, entry: ManifestEntry) {
        match self.entries.iter_mut().find(|known| known.file == entry.file) {
            Some(known) => *known = entry,
            None => self.entries.push(entry),
        }
    }

    /// Returns the entry of a file.
    pub(super) fn get(&self, file: &str) -> Option<&ManifestEntry> {
        self.entries.iter().find(|entry| entry.file == file)
    }
}
