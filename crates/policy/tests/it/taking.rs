//! Commands that take in a folder, over real folders with `.gitignore` files and an index of git.

use annals_policy::paths::{Disk, Workspace};
use annals_policy::rules::{Rule, RuleList, Rules, SettingsSource};
use annals_policy::{Call, Decision, Mode, Policy, Trust};
use annals_testkit::temp::TempDir;

/// Decides about commands in a folder, where all commands are allowed and `.env` is denied.
fn is_asked(dir: &TempDir, command: &str) -> bool {
    let mut rules = Rules::default();
    rules.add(Rule::new("Bash", RuleList::Allow, SettingsSource::User));
    rules.add(Rule::new("Read(.env)", RuleList::Deny, SettingsSource::User));
    let mut workspace = Workspace::new(&Disk, dir.path(), dir.path(), None);
    workspace.set_trust(Trust::Trusted);
    let policy = Policy { rules: &rules, mode: Mode::Default, workspace: &workspace, files: &Disk };
    !matches!(policy.decide(&Call::Bash(command)), Decision::Allow { .. })
}

fn repository(ignored: &str) -> TempDir {
    let dir = TempDir::new("taking");
    dir.write(".git/HEAD", "ref: refs/heads/main");
    dir.write("src/main.rs", "fn main() {}");
    dir.write(".env", "A=b");
    dir.write(".gitignore", ignored);
    dir
}

#[test]
fn git_is_asked_about_only_if_it_takes_a_denied_file() {
    let open = repository("target/\n");
    for command in [
        "git add .",
        "git add -A",
        "git add :/",
        "git clean -fd",
        "cd src && git add -A",
        "git add src .",
        "git add ':!src'",
    ] {
        assert!(is_asked(&open, command), "{command}");
    }
    for command in [
        "git add src",
        "git add src/main.rs",
        "git commit -am x",
        "git add -u",
        "git commit -m .",
        "git add -n .",
    ] {
        assert!(!is_asked(&open, command), "{command}: nothing is tracked");
    }
    let ignored = repository(".env\n");
    for command in ["git add .", "git add -A", "git clean -fd", "git commit -am x", "git add '*'"] {
        assert!(!is_asked(&ignored, command), "{command}");
    }
    for command in ["git add -f .", "git clean -fdx", "npm publish", "python3 -m http.server", "cp -rt x ."] {
        assert!(is_asked(&ignored, command), "{command}: .gitignore does not count");
    }
}

#[test]
fn a_file_that_git_tracks_is_taken_though_it_is_ignored() {
    let dir = repository(".env\n");
    dir.write(".git/index", "DIRC\0\0\0\u{2}\0\0\0\u{1}....env\0\0");
    for command in ["git add .", "git commit -am x", "git add -u", "git commit --all", "git commit -m x ."] {
        assert!(is_asked(&dir, command), "{command}");
    }
    assert!(!is_asked(&dir, "git commit -m x"));
}

#[test]
fn folders_below_have_patterns_of_their_own() {
    let dir = repository("/.env\nbuild/\n");
    dir.write("build/.env", "A=b");
    assert!(!is_asked(&dir, "git add ."));
    dir.write("app/.env", "A=b");
    assert!(is_asked(&dir, "git add .") && is_asked(&dir, "git add app"));
    dir.write("app/.gitignore", ".env");
    assert!(!is_asked(&dir, "git add .") && !is_asked(&dir, "git add app"));
    dir.write("app/.gitignore", ".env\n!.env");
    assert!(is_asked(&dir, "git add ."));
}

#[test]
fn a_folder_without_the_file_is_free() {
    let dir = repository("");
    for command in [
        "aws s3 sync src s3://x",
        "rclone copy src x:",
        "rm -r src",
        "docker run -v ./src:/x y",
        "chmod -R go-w src",
    ] {
        assert!(!is_asked(&dir, command), "{command}");
    }
    for command in
        ["aws s3 sync . s3://x", "rclone copy . x:", "docker run -v .:/x y", "chmod -R go-w .", "npx serve"]
    {
        assert!(is_asked(&dir, command), "{command}");
    }
}
