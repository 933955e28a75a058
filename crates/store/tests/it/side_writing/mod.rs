//! Writing side files: bytes, modes, kept fields, and errors.

mod copies;
mod history;
mod index;
mod index_properties;
mod outputs;
mod statistics;
mod todos;

use std::fs;
use std::path::Path;

use annals_store::ConfigDir;
use annals_testkit::temp::TempDir;

/// An empty folder that is taken for a config dir.
fn empty() -> (TempDir, ConfigDir) {
    let temp = TempDir::new("side-writing");
    let config = ConfigDir::new(temp.path().join("config"));
    fs::create_dir(config.path()).unwrap();
    (temp, config)
}

/// Insists on the rights of a path, where there are such.
#[track_caller]
fn expect_mode(path: &Path, expected: u32) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, expected, "{} has mode {mode:o}", path.display());
    }
    let _ = (path, expected);
}

/// Every file and folder below a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name: Vec<_> = path.strip_prefix(root).unwrap().iter().map(|p| p.to_string_lossy()).collect();
            found.push(name.join("/"));
            if path.is_dir() {
                walk(&path, root, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort();
    found
}

/// Names that could lead elsewhere.
const WRONG_NAMES: [&str; 8] = ["", ".", "..", "../x", "a/b", "a\\b", "/x", ".hidden"];
