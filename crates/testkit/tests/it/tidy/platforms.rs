//! Rule: what differs between systems is in one module of a crate, `platform`. Everything else compiles everywhere.

use super::{Files, rust_files};

/// What only some systems have. Terminals and sandboxes are modules of their own, which exist on those systems only.
const SYSTEM_PATHS: [&str; 3] = ["std::os::", "rustix::", "libc::"];

/// Where a system is named beside `platform`, each a module that is compiled on that system only: what a sandbox or a terminal is
/// made of, and the tests' own tools.
const SYSTEM_MODULES: [&str; 4] = [
    "crates/cli/src/commands/chat/terminal/",
    "crates/sandbox/src/",
    "crates/testkit/src/",
    "crates/tui/src/",
];

/// Lines of the library or program that name a system elsewhere. Tests inside a file come last in it.
fn named_systems(files: &Files) -> Vec<String> {
    let is_source = |path: &str| {
        path.split('/').nth(2) == Some("src")
            && !path.contains("/src/platform")
            && !path.ends_with("/tests.rs")
            && !SYSTEM_MODULES.iter().any(|module| path.starts_with(module))
    };
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| is_source(path)) {
        let is_test = |line: &&str| line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test");
        let lines = text.lines().enumerate().take_while(|(_, line)| !is_test(line));
        let named = lines.filter(|(_, line)| SYSTEM_PATHS.iter().any(|system| line.contains(system)));
        found.extend(named.map(|(at, line)| format!("{path}:{}: {}", at + 1, line.trim())));
    }
    found
}

#[test]
fn systems_are_named_in_platform_modules_only() {
    assert_eq!(named_systems(&rust_files()), [""; 0]);
}

#[test]
fn a_system_that_is_named_elsewhere_is_found() {
    let of = |path: &str, text: &str| named_systems(&Files::from([(path.to_owned(), text.to_owned())])).len();
    let line = "use std::os::unix::fs::symlink;\n";
    assert_eq!(of("crates/store/src/lock.rs", line), 1);
    assert_eq!(of("crates/store/src/lock.rs", "    let _ = rustix::fs::fsync(&file);\n"), 1);
    for path in [
        "crates/store/src/platform/unix.rs",
        "crates/store/tests/it/main.rs",
        "crates/mockapi/src/platform.rs",
    ] {
        assert_eq!(of(path, line), 0, "{path}");
    }
    assert_eq!(of("crates/store/src/lock.rs", &format!("#[cfg(test)]\nmod tests {{\n    {line}}}\n")), 0);
}
