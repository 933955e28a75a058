//! Decisions about files on a real disk: links out of the workspace, links to what is denied, devices, and what changed
//! between a decision and the deed.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use annals_policy::paths::{Disk, Files, Kind, Workspace, is_protected, resolve};
use annals_policy::rules::{List, Rule, Rules, Source};
use annals_policy::{Because, Call, Decision, EditTool, Mode, Policy, ReadTool, Trust};
use annals_testkit::temp::TempDir;

struct Room {
    dir: TempDir,
    app: PathBuf,
    workspace: Workspace,
}

fn room() -> Room {
    let dir = TempDir::new("policy-files");
    dir.write("app/src/main.rs", "x");
    dir.write("app/.env", "x");
    dir.write("outside/secret", "x");
    dir.write("home/.bashrc", "x");
    let app = dir.path().join("app");
    symlink("../outside", app.join("out")).unwrap();
    symlink("src", app.join("inner")).unwrap();
    symlink(".env", app.join("harmless.txt")).unwrap();
    symlink("harmless.txt", app.join("twice.txt")).unwrap();
    symlink("../outside/new-file", app.join("dangling")).unwrap();
    symlink("loop-b", app.join("loop-a")).unwrap();
    symlink("loop-a", app.join("loop-b")).unwrap();
    symlink(dir.path().join("home"), app.join("src/home")).unwrap();
    let workspace = Workspace::new(&Disk, &app, &app, Some(&dir.path().join("home")));
    Room { dir, app, workspace }
}

fn decide(room: &Room, mode: Mode, rules: &[(List, &str)], call: Call<'_>) -> Decision {
    let mut all = Rules::default();
    all.extend(rules.iter().map(|(list, text)| Rule::new(text, *list, Source::User)));
    assert_eq!(all.unknown().count(), 0, "{rules:?}");
    Policy { rules: &all, mode, workspace: &room.workspace, files: &Disk }.decide(&call)
}

fn letter(decision: &Decision) -> &'static str {
    match decision {
        Decision::Allow { .. } => "allow",
        Decision::Ask { .. } => "ask",
        Decision::Deny { .. } => "deny",
    }
}

const WRITE: EditTool = EditTool::Write;
const READ: ReadTool = ReadTool::Read;

#[test]
fn the_target_decides_what_is_inside() {
    let room = room();
    for (path, read, edit) in [
        ("src/main.rs", "allow", "allow"),
        ("inner/main.rs", "allow", "allow"),
        ("src/new.rs", "allow", "allow"),
        ("src/../src/main.rs", "allow", "allow"),
        ("out/secret", "ask", "ask"),
        ("out/new", "ask", "ask"),
        ("dangling", "ask", "ask"),
        ("inner/../../outside/secret", "ask", "ask"),
        ("out/../app/src/main.rs", "allow", "allow"),
        ("../outside/secret", "ask", "ask"),
        ("src/home/file", "ask", "ask"),
        ("src/home/.bashrc", "ask", "ask"),
        (".git/config", "allow", "ask"),
        ("inner/.git/config", "allow", "ask"),
        (".Git/config", "allow", "ask"),
        ("loop-a", "deny", "deny"),
        ("", "deny", "deny"),
        ("/dev/zero", "deny", "deny"),
        ("/proc/self/environ", "deny", "deny"),
        ("/proc/1/fd/3", "deny", "deny"),
    ] {
        let found = decide(&room, Mode::AcceptEdits, &[], Call::Read(READ, path));
        assert_eq!(letter(&found), read, "read {path}: {}", found.because());
        let found = decide(&room, Mode::AcceptEdits, &[], Call::Edit(WRITE, path));
        assert_eq!(letter(&found), edit, "edit {path}: {}", found.because());
    }
}

#[test]
fn commands_follow_the_same_links() {
    let room = room();
    for (command, expected) in [
        ("cat inner/main.rs", "allow"),
        ("cat out/secret", "ask"),
        ("cd out && cat secret", "ask"),
        ("echo x > inner/new", "allow"),
        ("echo x > dangling", "ask"),
        ("cp src/main.rs dangling", "ask"),
        ("cp out/secret src/", "ask"),
        ("mkdir src/home/x", "ask"),
    ] {
        let found = decide(&room, Mode::AcceptEdits, &[], Call::Bash(command));
        assert_eq!(letter(&found), expected, "{command}: {}", found.because());
    }
}

/// Git runs what the configuration of its repository names.
#[test]
fn git_is_free_where_its_repository_is_trusted() {
    let mut room = room();
    room.dir.write("app/.git/HEAD", "ref: refs/heads/main");
    room.dir.write("app/nested/.git/HEAD", "ref: refs/heads/main");
    room.dir.write("app/nested/deep/file", "x");
    room.dir.write("app/linked/.git", "gitdir: ../evil");
    room.dir.write("app/bare/HEAD", "ref: refs/heads/main");
    fs::create_dir_all(room.app.join("dangling-git")).unwrap();
    symlink("nowhere", room.app.join("dangling-git/.git")).unwrap();
    let commands = ["git status", "git diff", "git show", "git blame src/main.rs", "git grep x", "git log"];
    for command in commands {
        let found = decide(&room, Mode::Default, &[], Call::Bash(command));
        assert_eq!(found, Decision::ask(Because::Repository(command.to_owned())), "{command}");
        let rule = [(List::Allow, "Bash(git *)")];
        assert_eq!(letter(&decide(&room, Mode::Default, &rule, Call::Bash(command))), "allow", "{command}");
    }
    room.workspace.set_trust(Trust::Trusted);
    for command in commands {
        assert_eq!(letter(&decide(&room, Mode::Default, &[], Call::Bash(command))), "allow", "{command}");
    }
    let outside = room.dir.path().join("outside");
    room.workspace.add(&Disk, &outside);
    let rules = Rules::default();
    let policy = Policy { rules: &rules, mode: Mode::Default, workspace: &room.workspace, files: &Disk };
    for (folder, expected) in [
        (room.app.clone(), "allow"),
        (room.app.join("src"), "allow"),
        (room.app.join("nested"), "ask"),
        (room.app.join("nested/deep"), "ask"),
        (room.app.join("linked"), "ask"),
        (room.app.join("bare"), "ask"),
        (room.app.join("dangling-git"), "ask"),
        (outside, "ask"),
    ] {
        let found = policy.decide_in(&Call::Bash("git status"), &folder);
        assert_eq!(letter(&found), expected, "{}: {}", folder.display(), found.because());
    }
}

/// Which of the two a `cd` takes depends on how the shell was started.
#[test]
fn a_folder_behind_a_link_is_judged_from_both_of_its_ends() {
    let room = room();
    fs::create_dir_all(room.app.join("a/b")).unwrap();
    symlink("a/b", room.app.join("link")).unwrap();
    room.dir.write("app/secret", "x");
    for (command, expected) in [
        ("cd link/../.. && cat secret", "ask"),
        ("cd link/../.. && echo x > secret", "ask"),
        ("cd link/.. && cat secret", "allow"),
        ("cd a/b/../.. && cat secret", "allow"),
    ] {
        let found = decide(&room, Mode::AcceptEdits, &[], Call::Bash(command));
        assert_eq!(letter(&found), expected, "{command}: {}", found.because());
    }
}

#[test]
fn what_is_copied_or_moved_does_not_lead_out() {
    let room = room();
    for name in ["payload", "config", "new", ".git/config", "plain/old", "a/c/file", "folder/file"] {
        room.dir.write(Path::new("app").join(name), "x");
    }
    for (name, target) in
        [("d/payload", "../../outside/secret"), ("e/config", "../.git/config"), ("a/c/l2", "../victim")]
    {
        let link = room.app.join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
    }
    symlink("d", room.app.join("to-d")).unwrap();
    for (command, expected) in [
        ("cp payload d", "ask"),
        ("cp payload d/", "ask"),
        ("cp payload to-d", "ask"),
        ("cp new payload d", "ask"),
        ("cp ./a/../payload d/.", "ask"),
        ("mv payload d", "ask"),
        ("cp config e", "ask"),
        ("mv a/c/l2 l2 && echo EVIL > l2", "ask"),
        ("mv a/c/l2 l2", "ask"),
        ("mv a/c c", "ask"),
        ("mv folder plain", "ask"),
        ("mv nothing else", "ask"),
        ("cp payload plain", "allow"),
        ("cp payload new plain", "allow"),
        ("cp payload copy && cat copy", "allow"),
        ("mv payload plain", "allow"),
        ("mv a/c/file .", "allow"),
        ("mv new newer", "allow"),
        ("mkdir fresh && cp payload fresh", "allow"),
    ] {
        let found = decide(&room, Mode::AcceptEdits, &[], Call::Bash(command));
        assert_eq!(letter(&found), expected, "{command}: {}", found.because());
    }
}

#[test]
fn a_link_is_denied_by_either_end_and_allowed_by_both() {
    let room = room();
    let deny = [(List::Deny, "Read(.env)")];
    for path in [".env", "harmless.txt", "twice.txt", "inner/../.env", "./.ENV"] {
        for call in
            [Call::Read(READ, path), Call::Edit(EditTool::Edit, path), Call::Read(ReadTool::Grep, path)]
        {
            assert_eq!(letter(&decide(&room, Mode::Bypass, &deny, call)), "deny", "{path}");
        }
        let command = format!("cat {path}");
        assert_eq!(letter(&decide(&room, Mode::Bypass, &deny, Call::Bash(&command))), "deny", "{path}");
    }
    let deny = [(List::Deny, "Edit(twice.txt)"), (List::Allow, "Edit")];
    assert_eq!(letter(&decide(&room, Mode::Default, &deny, Call::Edit(WRITE, "twice.txt"))), "deny");
    assert_eq!(letter(&decide(&room, Mode::Default, &deny, Call::Edit(WRITE, "harmless.txt"))), "allow");
    // A link in the middle of the way counts as well.
    let deny = [(List::Deny, "Read(harmless.txt)")];
    assert_eq!(letter(&decide(&room, Mode::Default, &deny, Call::Read(READ, "twice.txt"))), "deny");

    let target = format!("Edit(/{}/outside/**)", room.dir.path().display());
    let link = [(List::Allow, "Edit(out/**)")];
    let both = [(List::Allow, "Edit(out/**)"), (List::Allow, target.as_str())];
    let only_target = [(List::Allow, target.as_str())];
    for (rules, path, expected) in [
        (&link[..], "out/secret", "ask"),
        (&only_target[..], "out/secret", "ask"),
        (&both[..], "out/secret", "allow"),
        (&only_target[..], "../outside/secret", "allow"),
    ] {
        assert_eq!(
            letter(&decide(&room, Mode::Default, rules, Call::Edit(WRITE, path))),
            expected,
            "{rules:?} {path}"
        );
    }
}

#[test]
fn modes_and_rules_for_files() {
    let room = room();
    let edit = Call::Edit(WRITE, "src/main.rs");
    for (mode, rules, call, expected) in [
        (Mode::Default, &[][..], edit, "ask"),
        (Mode::Plan, &[][..], edit, "deny"),
        (Mode::Plan, &[(List::Allow, "Edit")][..], edit, "deny"),
        (Mode::Plan, &[][..], Call::Read(READ, "src/main.rs"), "allow"),
        (Mode::DontAsk, &[][..], edit, "deny"),
        (Mode::DontAsk, &[(List::Allow, "Edit(src/**)")][..], edit, "allow"),
        (Mode::Bypass, &[][..], edit, "allow"),
        (Mode::Bypass, &[][..], Call::Edit(WRITE, "../outside/x"), "allow"),
        (Mode::Bypass, &[][..], Call::Edit(WRITE, ".git/config"), "ask"),
        (Mode::Bypass, &[(List::Allow, "Edit(.git/**)")][..], Call::Edit(WRITE, ".git/config"), "ask"),
        (Mode::Bypass, &[(List::Ask, "Edit(src/**)")][..], edit, "ask"),
        (Mode::Bypass, &[(List::Deny, "Edit")][..], edit, "deny"),
        (Mode::Bypass, &[(List::Deny, "*")][..], edit, "deny"),
        (Mode::Default, &[(List::Allow, "Edit(/src/*.rs)")][..], edit, "allow"),
        (Mode::Default, &[(List::Allow, "Edit(*.rs)")][..], edit, "allow"),
        (Mode::Default, &[(List::Allow, "Edit(./*.rs)")][..], edit, "ask"),
        (Mode::Default, &[(List::Allow, "Edit(src)")][..], edit, "allow"),
        (Mode::Default, &[(List::Allow, "Write(src/**)")][..], edit, "allow"),
        (
            Mode::Default,
            &[(List::Allow, "Write(src/**)")][..],
            Call::Edit(EditTool::Edit, "src/main.rs"),
            "ask",
        ),
        (
            Mode::Default,
            &[(List::Deny, "Write(src/**)"), (List::Allow, "Edit")][..],
            Call::Edit(EditTool::Edit, "src/main.rs"),
            "deny",
        ),
        (Mode::Default, &[(List::Allow, "Edit(SRC/**)")][..], edit, "ask"),
        (Mode::Default, &[(List::Allow, "Read(~/**)")][..], Call::Read(READ, "~/.bashrc"), "allow"),
        (
            Mode::Default,
            &[(List::Allow, "Read(~/**)"), (List::Deny, "Read(~/.bashrc)")][..],
            Call::Read(READ, "~/.bashrc"),
            "deny",
        ),
    ] {
        let found = decide(&room, mode, rules, call);
        assert_eq!(letter(&found), expected, "{mode} {rules:?} {call:?}: {}", found.because());
    }
}

#[test]
fn a_path_that_is_not_followed_opens_nothing() {
    let room = room();
    let round = "src/../".repeat(100);
    let rules = [(List::Deny, "Read(.env)"), (List::Allow, "Bash")];
    for (command, expected) in [
        (format!("cat {round}.env"), "ask"),
        (format!("rm -rf {round}"), "ask"),
        (format!("rm -rf {round}.."), "ask"),
        ("cat loop-a".to_owned(), "ask"),
        ("cat src/../.env".to_owned(), "deny"),
    ] {
        let found = decide(&room, Mode::Bypass, &rules, Call::Bash(&command));
        assert_eq!(letter(&found), expected, "{command}: {}", found.because());
    }
    let found = decide(&room, Mode::Bypass, &[], Call::Read(READ, &format!("{round}.env")));
    assert_eq!(letter(&found), "deny", "{}", found.because());
}

#[test]
fn a_target_that_became_a_link_does_not_hold() {
    let room = room();
    let path = room.app.join("src/main.rs");
    let before = resolve(&Disk, &room.app, Path::new("src/main.rs")).unwrap();
    assert!(before.still_holds(&Disk));
    fs::remove_file(&path).unwrap();
    assert!(!before.still_holds(&Disk), "the file is gone");
    symlink(room.dir.path().join("outside/secret"), &path).unwrap();
    assert!(!before.still_holds(&Disk), "the file leads elsewhere");
    fs::remove_file(&path).unwrap();
    fs::rename(room.app.join("src"), room.app.join("moved")).unwrap();
    symlink("../outside", room.app.join("src")).unwrap();
    assert!(!before.still_holds(&Disk), "the folder leads elsewhere");
}

#[test]
fn what_is_no_file_is_seen_and_denied() {
    let room = room();
    let socket = std::os::unix::net::UnixListener::bind(room.app.join("socket")).unwrap();
    assert_eq!(Disk.kind(&room.app.join("socket")), Kind::Special);
    let found = decide(&room, Mode::Bypass, &[(List::Allow, "Read")], Call::Read(READ, "socket"));
    assert_eq!(found, Decision::deny(Because::Refused(room.app.join("socket"))));
    drop(socket);
}

#[test]
fn protected_are_the_paths_that_run_things_later() {
    for path in [
        "/a/.git/config",
        "/a/.git",
        "/a/.GIT/hooks/x",
        "/a/.claude/settings.json",
        "/a/.mcp.json",
        "/h/.bashrc",
        "/h/.zshrc",
        "/a/.vscode/tasks.json",
        "/a/.husky/pre-commit",
        "/a/.cargo/config.toml",
        "/h/.ssh/authorized_keys",
        "/h/.config/fish/config.fish",
        "/a/.github/workflows/ci.yml",
        "/a/.git./config",
        "/a/.envrc",
        "/h/.npmrc",
    ] {
        assert!(is_protected(Path::new(path)), "{path}");
    }
    for path in
        ["/a/src/main.rs", "/a/.gitignore", "/a/git/config", "/a/.github/README.md", "/a/bashrc", "/a/.env"]
    {
        assert!(!is_protected(Path::new(path)), "{path}");
    }
}
