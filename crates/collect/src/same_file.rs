//! Tells whether a file that has another name, or another folder, is one that was read before.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use annals_index::cursor::{FileStamp, fingerprint, has_same_bytes};
use annals_store::read::open_file;

use crate::reader::MAX_FILE_BYTES;
use crate::state::{FileEntry, StoreState};

/// Returns the stamp of a file if it begins with what was read of another: the same file, grown perhaps, or an exact copy
/// that has its time.
pub(crate) fn stamp_if_same(entry: &FileEntry, path: &Path) -> Option<FileStamp> {
    compare(entry, path).ok().flatten()
}

fn compare(entry: &FileEntry, path: &Path) -> io::Result<Option<FileStamp>> {
    let known = &entry.taken;
    // A link may lead out of the store.
    let metadata = fs::symlink_metadata(path)?;
    let now = FileStamp::at(&metadata);
    let has_same_time = now.bytes == known.stamp.bytes && now.modified == known.stamp.modified;
    let is_grown = now.identity == known.stamp.identity && now.bytes > known.stamp.bytes;
    if !metadata.is_file() || now.bytes < known.offset {
        return Ok(None);
    }
    let mut file = open_file(path)?;
    if (has_same_time || is_grown) && has_same_bytes(known, &mut file)? {
        return Ok(Some(now));
    }
    // Of a file that is sent as a whole, and of a short one, all bytes are in one fingerprint.
    if known.offset != now.bytes || now.bytes > MAX_FILE_BYTES {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    Ok((fingerprint(&bytes) == known.prefix).then_some(now))
}

/// Returns the stamps that the files of a store have below another root, if it is the same store, moved there. A copy is not:
/// the files must be gone from where they were.
pub(crate) fn stamps_if_moved(store: &StoreState, root: &Path) -> Option<Vec<(String, FileStamp)>> {
    let there = || store.files.iter().filter(|(_, entry)| entry.gone.is_none() && entry.taken.offset > 0);
    let same: Vec<(String, FileStamp)> = there()
        .filter_map(|(name, entry)| Some((name.clone(), stamp_if_same(entry, &root.join(name))?)))
        .collect();
    let is_left = |name: &String| store.root.as_ref().is_some_and(|old| old.join(name).exists());
    let is_moved = |(name, stamp): &(String, FileStamp)| {
        store.files[name].taken.stamp.identity == stamp.identity && !is_left(name)
    };
    // On another disk the files have other identities: then the old store must be gone, and most of it be here.
    let is_gone = store.root.as_ref().is_some_and(|old| !old.exists());
    let is_most = !same.is_empty() && same.len() * 2 >= there().count();
    (same.iter().any(is_moved) || (is_gone && is_most)).then_some(same)
}
