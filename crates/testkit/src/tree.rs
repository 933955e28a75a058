//! All files of a folder at once, to be compared with what they are later.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files by their paths, with their bytes.
pub type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// Every file below a folder; a folder that is not there has none.
pub fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            match (path.is_dir(), fs::read(&path)) {
                (true, _) => waiting.push(path),
                (false, Ok(bytes)) => drop(found.insert(path, bytes)),
                (false, Err(error)) => panic!("{}: {error}", path.display()),
            }
        }
    }
    found
}
