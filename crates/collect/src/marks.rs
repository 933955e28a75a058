//! What happened to files that were read before: deleted, moved, or there again.
//!
//! Of a file that is moved nothing is sent again if its content is the same. A session is recognised by its id, so one whose
//! lines were changed with the move counts as moved, too; then its lines follow under another generation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use annals_index::cursor::{Cursor, FileStamp};
use annals_store::FileRole;

use crate::item::{Item, ItemForm};
use crate::same_file::stamp_if_same;
use crate::selection::TargetFile;
use crate::spooled_batch::FilePosition;
use crate::state::{FileEntries, FileEntry};

/// A mark to be sent.
#[derive(Debug)]
pub(crate) struct FileMark {
    file: String,
    form: ItemForm,
    to: Option<String>,
    /// The file's stamp where it is now, if its content is the same.
    stamp: Option<FileStamp>,
}

impl FileMark {
    /// The item that is sent, and how far the file is read that it leaves.
    pub(crate) fn item(&self, entry: &FileEntry, generation: i64) -> (Item, Option<(String, FilePosition)>) {
        let item = Item {
            file: self.file.clone(),
            generation,
            offset: entry.taken.offset,
            length: 0,
            number: entry.taken.lines,
            form: self.form,
            of: Some(entry.generation),
            to: self.to.clone(),
            modified: None,
            text: None,
        };
        let position = self.stamp.map(|stamp| {
            let cursor = Cursor { stamp, ..entry.taken.clone() };
            let position = FilePosition { generation: entry.generation, cursor, open: entry.open };
            (self.to.clone().unwrap_or_else(|| self.file.clone()), position)
        });
        (item, position)
    }

    /// The file that it is about.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }
}

/// Whether a known file is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    There,
    Missing,
    /// It cannot be told: a folder cannot be read, or a link leads nowhere.
    Unknown,
}

/// Whether the whole store is away, such as a disk that is not mounted: then nothing was deleted.
pub(crate) fn is_store_away(root: &Path) -> bool {
    fs::read_dir(root).map_or(true, |mut entries| entries.next().is_none())
}

/// Finds what happened to the known files of a store.
pub(crate) fn find_marks(root: &Path, known: &FileEntries, targets: &[TargetFile]) -> Vec<FileMark> {
    let mut marks = Vec::new();
    let mut missing: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    let mut deleted = Vec::new();
    for (name, entry) in known {
        match presence(root, name) {
            Presence::Missing => {
                match move_key(name) {
                    Some(key) => missing.entry(key).or_default().push(name),
                    None => deleted.push(name),
                };
            }
            Presence::There if entry.gone.is_some() => {
                // If it is another file now, it is read from the start, which says as much.
                let stamp = stamp_if_same(entry, &root.join(name));
                marks.extend(stamp.map(|stamp| mark(name, ItemForm::Back, None, Some(stamp))));
            }
            Presence::There | Presence::Unknown => {}
        }
    }
    let mut new: BTreeMap<&str, &TargetFile> = BTreeMap::new();
    if !missing.is_empty() {
        let unknown = targets.iter().filter(|target| !known.contains_key(&target.name));
        new.extend(unknown.map(|target| (target.name.as_str(), target)));
    }
    // The surest first: what has the same content is not to be taken by what only has the same name.
    for needs_same_content in [true, false] {
        let mut found_new = BTreeSet::new();
        for (name, target) in &new {
            let Some(candidates) = move_key(name).and_then(|key| missing.get_mut(&key)) else { continue };
            let stamp_of = |name: &&String| stamp_if_same(&known[*name], &target.path);
            let found = match needs_same_content {
                true => candidates.iter().position(|name| stamp_of(name).is_some()),
                false if is_session_file(name) => {
                    let generation_of = |at: &usize| known[candidates[*at]].generation;
                    (0..candidates.len()).max_by_key(generation_of)
                }
                false => None,
            };
            if let Some(at) = found {
                let old = candidates.remove(at);
                let stamp = if needs_same_content { stamp_of(&old) } else { None };
                marks.push(mark(old, ItemForm::Moved, Some(target.name.clone()), stamp));
                found_new.insert(*name);
            }
        }
        new.retain(|name, _| !found_new.contains(name));
    }
    deleted.extend(missing.into_values().flatten());
    deleted.retain(|name| known[*name].gone.is_none());
    deleted.sort();
    marks.extend(deleted.into_iter().map(|name| mark(name, ItemForm::Gone, None, None)));
    marks
}

fn mark(file: &str, form: ItemForm, to: Option<String>, stamp: Option<FileStamp>) -> FileMark {
    FileMark { file: file.to_owned(), form, to, stamp }
}

fn presence(root: &Path, name: &str) -> Presence {
    let mut path = root.to_path_buf();
    if fs::symlink_metadata(path.join(name)).is_ok() {
        return Presence::There;
    }
    for part in name.split('/') {
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() && !path.exists() => return Presence::Unknown,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Presence::Missing,
            Err(_) => return Presence::Unknown,
        }
    }
    Presence::There
}

/// What stays the same when a file moves to another project: a session's id, and any other path below the project. Files of
/// no project do not move.
fn move_key(name: &str) -> Option<String> {
    let below = name.strip_prefix("projects/")?.split_once('/')?.1;
    Some(match FileRole::of_relative(Path::new(name)) {
        FileRole::Session { session, .. } => format!("{session}.jsonl"),
        _ => below.to_owned(),
    })
}

/// Whether the name of a file tells which session it is of, or that it is one.
fn is_session_file(name: &str) -> bool {
    let role = FileRole::of_relative(Path::new(name));
    role.session().is_some() || matches!(role, FileRole::SubAgent { .. } | FileRole::SubAgentMeta { .. })
}
