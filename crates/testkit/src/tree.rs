//! All files of a folder at once: to be compared with what they are later, or copied.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Files by their paths, with their bytes.
pub type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// Every file below a folder; empty if the folder does not exist.
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

/// All that a folder holds, exactly: folders and links as well, with modes, and the times of files.
pub fn exact_tree(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let metadata =
                fs::symlink_metadata(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mode = mode_of(&metadata);
            let text = if metadata.is_symlink() {
                format!("link to {:?}", fs::read_link(&path).ok())
            } else if metadata.is_dir() {
                waiting.push(path.clone());
                format!("folder {mode:o}")
            } else if metadata.is_file() {
                let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                let text = String::from_utf8_lossy(&bytes).into_owned();
                format!("file {mode:o} {:?} {text}", metadata.modified().ok())
            } else {
                "something else".to_owned()
            };
            found.insert(path, text);
        }
    }
    found
}

#[cfg(unix)]
fn mode_of(metadata: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777
}

#[cfg(not(unix))]
fn mode_of(_: &fs::Metadata) -> u32 {
    0
}

/// Copies a folder with everything in it, and the times of its files: a store in which every file is new looks busy.
pub fn copy(from: &Path, to: &Path) {
    let copied = try_copy(from, to);
    copied.unwrap_or_else(|error| panic!("{} to {}: {error}", from.display(), to.display()));
}

fn try_copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            try_copy(&path, &target)?;
        } else {
            fs::copy(&path, &target)?;
            let time = fs::metadata(&path)?.modified()?;
            fs::File::options().write(true).open(&target)?.set_modified(time)?;
        }
    }
    Ok(())
}
