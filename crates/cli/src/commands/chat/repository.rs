//! What git says of a folder, for the model to begin with. Nothing of the repository is run: no hook, no monitor, no pager, no
//! program that its settings name.

use std::path::Path;
use std::process::{Command, Stdio};

/// So many changed files are named.
const MOST_FILES: usize = 40;
/// So many commits.
const COMMITS: &str = "-5";
/// Letters of one line.
const MOST_LETTERS: usize = 200;
/// Settings that would have git run something, set to nothing.
const HARMLESS: [&str; 7] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "diff.external=",
    "log.showSignature=false",
    "submodule.recurse=false",
];

/// Branch, changed files and the last commits; nothing where there is no repository, or no git.
pub(super) fn summary(folder: &Path) -> Option<String> {
    let status = git(folder, &["status", "--short", "--branch", "--ignore-submodules=all"])?;
    let mut lines: Vec<String> = status.lines().take(MOST_FILES + 1).map(cut).collect();
    let more = status.lines().count().saturating_sub(lines.len());
    if more > 0 {
        lines.push(format!("… and {more} more"));
    }
    // A repository without a commit has no log.
    let commits = git(folder, &["log", COMMITS, "--no-show-signature", "--format=%h %s"]).unwrap_or_default();
    if !commits.is_empty() {
        lines.push("Last commits:".to_owned());
        lines.extend(commits.lines().map(cut));
    }
    Some(lines.join("\n"))
}

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.current_dir(folder).arg("--no-optional-locks").arg("--no-pager");
    for setting in HARMLESS {
        command.args(["-c", setting]);
    }
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    // What leads git elsewhere is not taken from whoever started us.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS"] {
        command.env_remove(name);
    }
    let output = command.env("GIT_TERMINAL_PROMPT", "0").output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

fn cut(line: &str) -> String {
    line.chars().filter(|letter| !letter.is_control()).take(MOST_LETTERS).collect()
}
