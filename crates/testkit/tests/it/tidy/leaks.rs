//! Rule: nothing in the project reveals where it was written: no file contains the path of its checkout, or of the data
//! next to it.

use std::fs;

use annals_testkit::{skipped, workspace_root};

use super::{report, tracked_files};

/// The folders of this machine that tracked files must not name.
fn folders() -> Vec<String> {
    let root = workspace_root();
    let beside = root.parent().map(|parent| parent.join("shared"));
    std::iter::once(root).chain(beside).map(|path| path.display().to_string()).collect()
}

fn findings(path: &str, text: &str, folders: &[String]) -> Vec<String> {
    let leak = |line: &str| folders.iter().find(|folder| line.contains(folder.as_str())).cloned();
    let lines = text.lines().enumerate();
    lines.filter_map(|(n, line)| leak(line).map(|what| format!("{path}:{}: {what}", n + 1))).collect()
}

#[test]
fn no_file_tells_where_it_was_written() {
    let Some(paths) = tracked_files() else {
        skipped("no_file_tells_where_it_was_written", "no git work tree");
        return;
    };
    let folders = folders();
    let mut found = Vec::new();
    for path in paths {
        // A path may be tracked and gone; bytes that are no text are looked through all the same.
        let bytes = fs::read(workspace_root().join(&path)).unwrap_or_default();
        found.extend(findings(&path, &String::from_utf8_lossy(&bytes), &folders));
    }
    report(&found, "Relative paths, not the ones of a machine.");
}

#[test]
fn the_rule_can_fail() {
    let folders = folders();
    let text = format!("fine\ncd {}/crates\n../shared is fine\n", folders[0]);
    assert_eq!(findings("a.md", &text, &folders), [format!("a.md:2: {}", folders[0])]);
}
