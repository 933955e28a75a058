//! The git status of a folder, for the first prompt of the model. Hooks, monitors and pagers of the repository are not run,
//! and a slow git is not waited for.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Changed files that are listed.
const MAX_FILES: usize = 40;
/// Commits that are listed.
const COMMITS: &str = "-5";
/// Characters of one line.
const MAX_LINE_CHARS: usize = 200;
/// How long git may take, and how much it may print.
const GIT_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BYTES: u64 = 1 << 20;
/// Settings that could make git run programs, switched off.
const SAFE_SETTINGS: [&str; 7] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "diff.external=",
    "log.showSignature=false",
    "submodule.recurse=false",
];

/// Returns the branch, changed files and last commits; `None` without a repository or without git.
pub(super) fn summary(folder: &Path) -> Option<String> {
    let status = git(folder, &["status", "--short", "--branch", "--ignore-submodules=all"])?;
    let mut lines: Vec<String> = status.lines().take(MAX_FILES + 1).map(cut).collect();
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
    for setting in SAFE_SETTINGS {
        command.args(["-c", setting]);
    }
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    // Variables that point git elsewhere are not inherited.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS"] {
        command.env_remove(name);
    }
    let mut child = command.env("GIT_TERMINAL_PROMPT", "0").stdout(Stdio::piped()).spawn().ok()?;
    let output = child.stdout.take()?;
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut said = Vec::new();
        let read = output.take(MAX_BYTES).read_to_end(&mut said);
        // The receiver may be gone.
        let _ = sender.send(read.map(|_| said));
    });
    let said = receiver.recv_timeout(GIT_TIMEOUT);
    if said.is_err() {
        let _ = child.kill();
    }
    let has_succeeded = child.wait().is_ok_and(|status| status.success());
    let said = said.ok()?.ok()?;
    has_succeeded.then(|| String::from_utf8_lossy(&said).trim_end().to_owned())
}

fn cut(line: &str) -> String {
    line.chars().filter(|letter| !letter.is_control()).take(MAX_LINE_CHARS).collect()
}
