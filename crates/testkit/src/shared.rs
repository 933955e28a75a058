//! What tests take from outside: data that is kept outside the project, and settings. Says in one line when data is not there.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, io};

/// The environment variable that names a file to which skipped tests add their line, for runners that keep standard error of a
/// test that passes to themselves.
const SKIPPED_LOG: &str = "ANNALS_SKIPPED_LOG";

/// A setting, as text.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// The folder that `variable` names, else `fallback` seen from the workspace root, else nothing.
///
/// A variable that is set but wrong is a mistake in the setting, not a reason to skip: it panics.
pub(crate) fn find(variable: &str, fallback: &str) -> Option<PathBuf> {
    choose(env::var_os(variable).map(PathBuf::from), &crate::workspace_root().join(fallback), variable)
}

fn choose(named: Option<PathBuf>, fallback: &Path, variable: &str) -> Option<PathBuf> {
    match named {
        Some(path) if path.is_dir() => Some(path),
        Some(path) => panic!("{variable} names {}, which is not a folder", path.display()),
        None => fallback.is_dir().then(|| fallback.to_path_buf()),
    }
}

/// Says a line past the capture of the test runner.
pub(crate) fn say(line: &str) {
    // Nothing can be reported if standard error itself is gone.
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// Says that a test did not run and why, past the capture of the test runner: a silent skip looks like a pass.
pub fn skipped(test: &str, why: &str) {
    let line = format!("skipped: {test}: {why}");
    say(&line);
    if let Some(path) = env::var_os(SKIPPED_LOG) {
        let log = OpenOptions::new().append(true).create(true).open(&path);
        log.and_then(|mut log| writeln!(log, "{line}"))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// Says that a test did not run for want of data.
pub(crate) fn say_missing(test: &str, missing: &str, variable: &str) {
    skipped(test, &format!("no {missing} (set {variable} to its folder)"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp::TempDir;

    #[test]
    fn takes_the_named_folder_then_the_fallback_then_none() {
        let there = TempDir::new("shared");
        let absent = there.path().join("absent");
        let path = there.path().to_path_buf();
        assert_eq!(choose(Some(path.clone()), &absent, "X"), Some(path.clone()));
        assert_eq!(choose(None, &path, "X"), Some(path));
        assert_eq!(choose(None, &absent, "X"), None);
    }

    #[test]
    #[should_panic(expected = "which is not a folder")]
    fn a_wrong_setting_is_no_reason_to_skip() {
        choose(Some(PathBuf::from("no such folder")), Path::new("."), "X");
    }
}
