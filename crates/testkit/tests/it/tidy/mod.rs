//! Tidy rules: the invariants of ARCHITECTURE.md that can be read off the source. One rule a file; each rule is a pure
//! function over texts, a test that runs it on the project, and a test that shows that it can fail.

mod comments;
mod documents;
mod edges;
mod gated;
mod headers;
mod leaks;
mod licences;
mod lock;
mod names;
mod opening;
mod packages;
mod platforms;
mod printing;
mod profiles;
mod purity;
mod reach;
mod reviewed;
mod sizes;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use annals_testkit::workspace_root;

/// Texts by path; paths are relative to the workspace root, with `/`.
type Files = BTreeMap<String, String>;

/// The crates: folders under `crates/` that hold a package.
fn crate_names() -> Vec<String> {
    let root = workspace_root().join("crates");
    let mut crate_names: Vec<String> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("Cargo.toml").is_file())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    crate_names.sort();
    crate_names
}

/// Every Rust file of every crate: sources, tests, benches, examples; and the fuzz targets.
fn rust_files() -> Files {
    let mut files = Files::new();
    for crate_name in crate_names() {
        for folder in ["src", "tests", "benches", "examples"] {
            collect(&format!("crates/{crate_name}/{folder}"), "rs", &mut files);
        }
    }
    collect("fuzz/fuzz_targets", "rs", &mut files);
    collect("fuzz/checks", "rs", &mut files);
    assert!(files.len() > 10, "only {} Rust files found: is this the workspace?", files.len());
    files
}

/// Every file below a folder whose name ends with `extension`.
fn collect(folder: &str, extension: &str, files: &mut Files) {
    collect_where(folder, &|path| path.extension().is_some_and(|end| end == extension), files);
}

/// Every file below a folder that is wanted.
fn collect_where(folder: &str, is_wanted: &dyn Fn(&Path) -> bool, files: &mut Files) {
    let Ok(entries) = fs::read_dir(workspace_root().join(folder)) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect_where(&path, is_wanted, files);
        } else if is_wanted(Path::new(&path)) {
            files.insert(path.clone(), read(&path));
        }
    }
}

/// A text of the project.
fn read(path: &str) -> String {
    fs::read_to_string(workspace_root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Paths that git tracks or would track; `None` where the project is not a git work tree (a packed release).
fn tracked_files() -> Option<Vec<String>> {
    let listing = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(workspace_root())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(listing.stdout).unwrap();
    Some(text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

/// The crate that a path belongs to.
fn crate_of(path: &str) -> &str {
    path.strip_prefix("crates/").and_then(|rest| rest.split('/').next()).unwrap_or("")
}

/// The path of `link` as seen from a folder, without `.` and `..`.
fn resolve(folder: &str, link: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/').filter(|part| *part != "." && !part.is_empty()) {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// Fails with all findings at once and what to do about them.
fn report(findings: &[String], advice: &str) {
    assert!(findings.is_empty(), "\n  {}\n{advice}\n", findings.join("\n  "));
}

/// A small set of files for the tests of the rules themselves.
fn sample(files: &[(&str, &str)]) -> Files {
    files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect()
}
