//! Pipes and devices among the files of a repository. Git waits for them, so it is not run there.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use crate::git::{dot_git, git_folder};

/// The most names that are looked at.
const MAX_NAMES: usize = 20_000;

/// Files beside `.git` that git reads for every command.
const BESIDE: [&str; 4] = [".gitignore", ".gitattributes", ".gitmodules", ".mailmap"];

/// The most names of the working tree that are looked at: git itself looks at all of them.
const MAX_TREE_NAMES: usize = 100_000;

/// Files that git reads in every folder of the working tree.
const IN_FOLDERS: [&str; 2] = [".gitignore", ".gitattributes"];

/// Returns the first file of the repository at or above a folder that is a pipe, a device or a socket: a command of git may
/// never end there.
pub fn special_file(folder: &Path) -> Option<PathBuf> {
    let dot_git = dot_git(folder)?;
    let beside = BESIDE.map(|name| dot_git.with_file_name(name));
    let mut first = std::iter::once(&dot_git).chain(&beside);
    if let Some(path) = first.find(|path| is_special(path)) {
        return Some(path.clone());
    }
    // Objects are many and come last.
    let mut waiting = VecDeque::from_iter(git_folder(&dot_git));
    let mut count = 0;
    while let Some(folder) = waiting.pop_front() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            count += 1;
            if count > MAX_NAMES {
                break;
            }
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push_back(path),
                Ok(kind) if kind.is_file() => {}
                _ if is_special(&path) => return Some(path),
                _ => {}
            }
        }
        if count > MAX_NAMES {
            break;
        }
    }
    in_working_tree(dot_git.parent()?)
}

/// The first file of [`IN_FOLDERS`] that is a pipe, a device or a socket.
fn in_working_tree(root: &Path) -> Option<PathBuf> {
    let mut waiting = VecDeque::from([root.to_owned()]);
    let mut count = 0;
    while let Some(folder) = waiting.pop_front() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            count += 1;
            if count > MAX_TREE_NAMES {
                return None;
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let name = entry.file_name();
            if is_folder && name != ".git" {
                waiting.push_back(entry.path());
            } else if IN_FOLDERS.iter().any(|read| name == *read) && is_special(&entry.path()) {
                return Some(entry.path());
            }
        }
    }
    None
}

/// Whether a path leads to something that is neither a file nor a folder.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

#[cfg(all(test, unix))]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn pipes_are_found_wherever_git_reads() {
        for place in [
            ".git/HEAD",
            ".git/index",
            ".git/refs/heads/x",
            ".git/objects/pack/x.idx",
            ".gitignore",
            "notes/deep/.gitignore",
            "src/.gitattributes",
        ] {
            let dir = TempDir::new("git-pipes");
            dir.write(".git/config", "");
            dir.write("src/main.rs", "");
            assert_eq!(special_file(&dir.path().join("src")), None);
            let path = dir.path().join(place);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            assert_eq!(special_file(&dir.path().join("src")), Some(path));
        }
    }

    #[test]
    fn a_link_to_a_pipe_is_one() {
        let dir = TempDir::new("git-pipe-link");
        dir.write(".git/config", "");
        assert!(
            std::process::Command::new("mkfifo").arg(dir.path().join("pipe")).status().unwrap().success()
        );
        std::os::unix::fs::symlink("../pipe", dir.path().join(".git/packed-refs")).unwrap();
        assert_eq!(special_file(dir.path()), Some(dir.path().join(".git/packed-refs")));
    }
}
