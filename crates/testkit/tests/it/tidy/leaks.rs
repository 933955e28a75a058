//! Rule: nothing in the project tells where it was written: no path of a developer's machine, no host of a package registry.

use std::fs;

use annals_testkit::workspace_root;

use super::{report, tracked_files};

/// Absolute folders that are somebody's machine; put together here so that this file does not hold them.
const FOLDERS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// Hosts that package clients know by themselves: a file that names one pins a project to a mirror.
const HOSTS: [&str; 7] = [
    concat!("registry.npm", "js."),
    concat!("py", "pi.org"),
    concat!("pythonhosted", ".org"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("deb.", "debian.org"),
    concat!("security.", "debian.org"),
];

/// The first leak of a line, if it has one.
fn leak(line: &str) -> Option<&'static str> {
    let starts_a_path = |at: usize| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || "._-~*".contains(letter))
    };
    let folder = FOLDERS.iter().find(|folder| line.match_indices(**folder).any(|(at, _)| starts_a_path(at)));
    folder.or_else(|| HOSTS.iter().find(|host| line.contains(**host))).copied()
}

fn findings(path: &str, text: &str) -> Vec<String> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(n, line)| leak(line).map(|what| format!("{path}:{}: {what}", n + 1))).collect()
}

#[test]
fn no_file_tells_where_it_was_written() {
    let Some(paths) = tracked_files() else {
        println!("skipped: no git work tree");
        return;
    };
    let mut found = Vec::new();
    for path in paths {
        // A path may be tracked and gone; bytes that are no text are looked through all the same.
        let bytes = fs::read(workspace_root().join(&path)).unwrap_or_default();
        found.extend(findings(&path, &String::from_utf8_lossy(&bytes)));
    }
    report(&found, "Name packages, not hosts; relative paths, not the ones of a machine.");
}

#[test]
fn the_rule_can_fail() {
    let text = [
        FOLDERS[0],
        "main\ncd \"",
        FOLDERS[1],
        "\"\n/home/dev",
        FOLDERS[0],
        "x\nhttps://",
        HOSTS[1],
        "/simple",
    ];
    let wanted: Vec<_> = [(1, FOLDERS[0]), (2, FOLDERS[1]), (4, HOSTS[1])]
        .iter()
        .map(|(line, what)| format!("a.md:{line}: {what}"))
        .collect();
    assert_eq!(findings("a.md", &text.concat()), wanted);
}
