//! Names of files in transit, beside the file that they will become or were: hidden, and different for each process.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::busy::is_alive;
use crate::digest::short;

/// The ending of bytes that wait to take a name.
const NEW: &str = ".annals-new";
/// The ending of an old file that has lost its name, and goes once the new one is safe.
const OLD: &str = ".annals-old";

/// The longest name that is spelled out; file systems take 255 bytes.
const MAX_SPELLED: usize = 200;

/// Returns where the new bytes of a file wait.
pub(crate) fn staged(path: &Path) -> PathBuf {
    beside(path, NEW)
}

/// Returns where the old file is until the new one is safe.
pub(crate) fn aside(path: &Path) -> PathBuf {
    beside(path, OLD)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = beginning(path);
    name.push(format!("{}{ending}", std::process::id()));
    path.with_file_name(name)
}

fn beginning(path: &Path) -> OsString {
    let name = path.file_name().unwrap_or_default();
    let mut beginning = OsString::from(".");
    match name.len() > MAX_SPELLED {
        true => beginning.push(short(name.as_encoded_bytes())),
        false => beginning.push(name),
    }
    beginning.push(".");
    beginning
}

/// Lists the new bytes of a file that never took its name, of this process or of one that is gone.
pub(crate) fn all_staged(path: &Path) -> Vec<PathBuf> {
    all_beside(path, NEW)
}

/// Lists the old files that lost this name, of this process or of one that is gone.
pub(crate) fn all_aside(path: &Path) -> Vec<PathBuf> {
    all_beside(path, OLD)
}

fn all_beside(path: &Path, ending: &str) -> Vec<PathBuf> {
    let beginning = beginning(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_ours = |name: &OsStr| {
        let rest = name.as_encoded_bytes().strip_prefix(beginning.as_encoded_bytes());
        let digits = rest.and_then(|rest| rest.strip_suffix(ending.as_bytes()));
        let pid = digits.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        pid.is_some_and(|pid: u32| pid == std::process::id() || !is_alive(pid))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| is_ours(&entry.file_name())).map(|entry| entry.path()).collect()
}

/// Whether a name is that of a file in transit, of a process that is gone.
pub fn is_left_over(name: &str) -> bool {
    let inside = name.strip_prefix('.').and_then(|name| name.strip_suffix(NEW).or(name.strip_suffix(OLD)));
    let process = inside.and_then(|inside| inside.rsplit_once('.')).and_then(|(_, pid)| pid.parse().ok());
    process.is_some_and(|pid: u32| pid != std::process::id() && !is_alive(pid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_transit_are_short_enough_and_tell_files_apart() {
        let long = "x".repeat(255);
        for name in ["a.jsonl", "é", &long] {
            let path = Path::new("/p").join(name);
            let (new, old) = (staged(&path), aside(&path));
            assert_ne!(new, old);
            assert!(new.file_name().unwrap().len() <= 255 && new.parent() == path.parent());
        }
        assert_ne!(staged(Path::new(&long)), staged(Path::new(&"y".repeat(255))));
    }

    #[test]
    fn only_a_process_that_is_gone_leaves_something_over() {
        // No process has this number.
        assert!(is_left_over(".a.jsonl.4294967295.annals-new") && is_left_over(".a.4294967295.annals-old"));
        let own = aside(Path::new("a.jsonl"));
        assert!(!is_left_over(own.to_str().unwrap()));
        for name in ["a.jsonl", ".a.annals-new", ".a.x.annals-old", "a.4294967295.annals-new"] {
            assert!(!is_left_over(name), "{name}");
        }
    }
}
