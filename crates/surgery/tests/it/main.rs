//! Surgery against made-up and real sessions, in one binary: one module a subject.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test has nobody to hand an error to")]

mod apply;
mod clone;
mod compress;
mod conversation;
mod edits;
mod fork;
mod redact;
mod repair;
mod strip;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every file below a folder, with its bytes.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            match path.is_dir() {
                true => waiting.push(path),
                false => drop(found.insert(path.clone(), fs::read(&path).unwrap())),
            }
        }
    }
    found
}
