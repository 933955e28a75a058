//! Decisions about files on a real disk: links out of the workspace, links to denied files, devices, and changes between a
//! decision and the call.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use annals_policy::paths::{Disk, FileKind, FileSystem, Workspace, is_protected, resolve};
use annals_policy::rules::{Rule, RuleList, Rules, SettingsSource};
use annals_policy::{Call, Decision, EditTool, Mode, Policy, ReadTool, Reason, Trust};
use annals_testkit::temp::TempDir;

struct Fixture {
    dir: TempDir,
    app: PathBuf,
    workspace: Workspace,
}

fn fixture() -> Fixture {
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
    Fixture { dir, app, workspace }
}

fn decide(fixture: &Fixture, mode: Mode, rules: &[(RuleList, &str)], call: Call<'_>) -> Decision {
    let mut all = Rules::default();
    all.extend(rules.iter().map(|(list, text)| Rule::new(text, *list, SettingsSource::User)));
    assert_eq!(all.unknown().count(), 0, "{rules:?}");
    Policy { rules: &all, mode, workspace: &fixture.workspace, files: &Disk }.decide(&call)
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
    let fixture = fixture();
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
        let found = decide(&fixture, Mode::AcceptEdits, &[], Call::Read(READ, path));
        assert_eq!(letter(&found), read, "read {path}: {}", found.because());
        let found = decide(&fixture, Mode::AcceptEdits, &[], Call::Edit(WRITE, path));
        assert_eq!(letter(&found), edit, "edit {path}: {}", found.because());
    }
}

#[test]
fn commands_follow_the_same_links() {
    let fixture = fixture();
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
        let found = decide(&fixture, Mode::AcceptEdits, &[], Call::Bash(command));
        assert_eq!(letter(&found), expected, "{command}: {}", found.because());
    }
}

/// Git runs what the configuration of its repository names.
#[test]
fn git_is_free_where_its_repository_is_trusted() {
    let mut fixture = fixture();
    fixture.dir.write("app/.git/HEAD", "ref: refs/heads/main");
    fixture.dir.write("app/nested/.git/HEAD", "ref: refs/heads/main");
    fixture.dir.write("app/nested/deep/file", "x");
    fixture.dir.write("app/linked/.git", "gitdir: ../evil");
    fixture.dir.write("app/bare/HEAD", "ref: refs/heads/main");
    fs::create_dir_all(fixture.app.join("dangling-git")).unwrap();
    symlink("nowhere", fixture.app.join("dangling-git/.git")).unwrap();
    let commands = ["git status", "git diff", "git show", "git blame src/main.rs", "git grep x", "git log"];
    for command in commands {
        let found = decide(&fixture, Mode::Default, &[], Call::Bash(command));
        assert_eq!(found, Decision::ask(Reason::Repository(command.to_owned())), "{command}");
        let rule = [(RuleList::Allow, "Bash(git *)")];
        assert_eq!(
            letter(&decide(&fixture, Mode::Default, &rule, Call::Bash(command))),
            "allow",
            "{command}"
        );
    }
    fixture.workspace.set_trust(Trust::Trusted);
    for command in commands {
        assert_eq!(letter(&decide(&fixture, Mode::Default, &[], Call::Bash(command))), "allow", "{command}");
    }
    let outside = fixture.dir.path().join("outside");
    fixture.workspace.add(&Disk, &outside);
    let rules = Rules::default();
    let policy = Policy { rules: &rules, mode: Mode::Default, workspace: &fixture.workspace, files: &Disk };
    for (folder, expected) in [
        (fixture.app.clone(), "allow"),
        (fixture.app.join("src"), "allow"),
        (fixture.app.join("nested"), "ask"),
        (fixture.app.join("nested/deep"), "ask"),
        (fixture.app.join("linked"), "ask"),
        (fixture.app.join("bare"), "ask"),
        (fixture.app.join("dangling-git"), "ask"),
        (outside, "ask"),
    ] {
        let found = policy.decide_in(&Call::Bash("git status"), &folder);
        assert_eq!(letter(&found), expected, "{}: {}", folder.display(), found.because());
    }
}

/// Which of the two a `cd` takes depends on how the shell was started.
#[test]
fn a_folder_behind_a_link_is_judged_from_both_of_its_ends() {
    let fixture = fixture();
    fs::create_dir_all(fixture.app.join("a/b")).unwrap();
    symlink("a/b", fixture.app.join("link")).unwrap();
    fixture.dir.write("app/secret", "x");
    for (command, expected) in [
        ("cd link/../.. && cat secret", "ask"),
        ("cd link/../.. && echo x > secret", "ask"),
        ("cd link/.. && cat secret", "allow"),
        ("cd a/b/../.. && cat secret", "allow"),
    ] {
        let found = decide(&fixture, Mode::AcceptEdits, &[], Call::Bash(command));
        assert_eq!(letter(&found), expected, "{command}: {}", found.because());
    }
}

#[test]
fn what_is_copied_or_moved_does_not_lead_out() {
    let fixture = fixture();
    for name in ["payload", "config", "new", ".git/config", "plain/old", "a/c/file", "folder/file"] {
        fixture.dir.write(Path::new("app").join(name), "x");
    }
    for (name, target) in
        [("d/payload", "../../outside/secret"), ("e/config", "../.git/config"), ("a/c/l2", "../victim")]
    {
        let link = fixture.app.join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
    }
    symlink("d", fixture.app.join("to-d")).unwrap();
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
        let found = decide(&fixture, Mode::AcceptEdits, &[], Call::Bash(command));
        assert_eq!(letter(&found), expected, "{command}: {}", found.because());
    }
}

#[test]
fn a_link_is_denied_by_either_end_and_allowed_by_both() {
    let fixture = fixture();
    let deny = [(RuleList::Deny, "Read(.env)")];
    for path in [".env", "harmless.txt", "twice.txt", "inner/../.env", "./.ENV"] {
        for call in
            [Call::Read(READ, path), Call::Edit(EditTool::Edit, path), Call::Read(ReadTool::Grep, path)]
        {
            assert_eq!(letter(&decide(&fixture, Mode::Bypass, &deny, call)), "deny", "{path}");
        }
        let command = format!("cat {path}");
        assert_eq!(letter(&decide(&fixture, Mode::Bypass, &deny, Call::Bash(&command))), "deny", "{path}");
    }
    let deny = [(RuleList::Deny, "Edit(twice.txt)"), (RuleList::Allow, "Edit")];
    assert_eq!(letter(&decide(&fixture, Mode::Default, &deny, Call::Edit(WRITE, "twice.txt"))), "deny");
    assert_eq!(letter(&decide(&fixture, Mode::Default, &deny, Call::Edit(WRITE, "harmless.txt"))), "allow");
    // A link in the middle of the way counts as well.
    let deny = [(RuleList::Deny, "Read(harmless.txt)")];
    assert_eq!(letter(&decide(&fixture, Mode::Default, &deny, Call::Read(READ, "twice.txt"))), "deny");

    let target = format!("Edit(/{}/outside/**)", fixture.dir.path().display());
    let link = [(RuleList::Allow, "Edit(out/**)")];
    let both = [(RuleList::Allow, "Edit(out/**)"), (RuleList::Allow, target.as_str())];
    let only_target = [(RuleList::Allow, target.as_str())];
    for (rules, path, expected) in [
        (&link[..], "out/secret", "ask"),
        (&only_target[..], "out/secret", "ask"),
        (&both[..], "out/secret", "allow"),
        (&only_target[..], "../outside/secret", "allow"),
    ] {
        assert_eq!(
            letter(&decide(&fixture, Mode::Default, rules, Call::Edit(WRITE, path))),
            expected,
            "{rules:?} {path}"
        );
    }
}

#[test]
fn modes_and_rules_for_files() {
    let fixture = fixture();
    let edit = Call::Edit(WRITE, "src/main.rs");
    for (mode, rules, call, expected) in [
        (Mode::Default, &[][..], edit, "ask"),
        (Mode::Plan, &[][..], edit, "deny"),
        (Mode::Plan, &[(RuleList::Allow, "Edit")][..], edit, "deny"),
        (Mode::Plan, &[][..], Call::Read(READ, "src/main.rs"), "allow"),
        (Mode::DontAsk, &[][..], edit, "deny"),
        (Mode::DontAsk, &[(RuleList::Allow, "Edit(src/**)")][..], edit, "allow"),
        (Mode::Bypass, &[][..], edit, "allow"),
        (Mode::Bypass, &[][..], Call::Edit(WRITE, "../outside/x"), "allow"),
        (Mode::Bypass, &[][..], Call::Edit(WRITE, ".git/config"), "ask"),
        (Mode::Bypass, &[(RuleList::Allow, "Edit(.git/**)")][..], Call::Edit(WRITE, ".git/config"), "ask"),
        (Mode::Bypass, &[(RuleList::Ask, "Edit(src/**)")][..], edit, "ask"),
        (Mode::Bypass, &[(RuleList::Deny, "Edit")][..], edit, "deny"),
        (Mode::Bypass, &[(RuleList::Deny, "*")][..], edit, "deny"),
        (Mode::Default, &[(RuleList::Allow, "Edit(/src/*.rs)")][..], edit, "allow"),
        (Mode::Default, &[(RuleList::Allow, "Edit(*.rs)")][..], edit, "allow"),
        (Mode::Default, &[(RuleList::Allow, "Edit(./*.rs)")][..], edit, "ask"),
        (Mode::Default, &[(RuleList::Allow, "Edit(src)")][..], edit, "allow"),
        (Mode::Default, &[(RuleList::Allow, "Write(src/**)")][..], edit, "allow"),
        (
            Mode::Default,
            &[(RuleList::Allow, "Write(src/**)")][..],
            Call::Edit(EditTool::Edit, "src/main.rs"),
            "ask",
        ),
        (
            Mode::Default,
            &[(RuleList::Deny, "Write(src/**)"), (RuleList::Allow, "Edit")][..],
            Call::Edit(EditTool::Edit, "src/main.rs"),
            "deny",
        ),
        (Mode::Default, &[(RuleList::Allow, "Edit(SRC/**)")][..], edit, "ask"),
        (Mode::Default, &[(RuleList::Allow, "Read(~/**)")][..], Call::Read(READ, "~/.bashrc"), "allow"),
        (
            Mode::Default,
            &[(RuleList::Allow, "Read(~/**)"), (RuleList::Deny, "Read(~/.bashrc)")][..],
            Call::Read(READ, "~/.bashrc"),
            "deny",
        ),
    ] {
        let found = decide(&fixture, mode, rules, call);
        assert_eq!(letter(&found), expected, "{mode} {rules:?} {call:?}: {}", found.because());
    }
}

#[test]
fn a_path_that_is_not_followed_opens_nothing() {
    let fixture = fixture();
    let round = "src/../".repeat(100);
    let rules = [(RuleList::Deny, "Read(.env)"), (RuleList::Allow, "Bash")];
    for (command, expected) in [
        (format!("cat {round}.env"), "ask"),
        (format!("rm -rf {round}"), "ask"),
        (format!("rm -rf {round}.."), "ask"),
        ("cat loop-a".to_owned(), "ask"),
        ("cat src/../.env".to_owned(), "deny"),
    ] {
        let found = decide(&fixture, Mode::Bypass, &rules, Call::Bash(&command));
        assert_eq!(letter(&found), expected, "{command}: {}", found.because());
    }
    let found = decide(&fixture, Mode::Bypass, &[], Call::Read(READ, &format!("{round}.env")));
    assert_eq!(letter(&found), "deny", "{}", found.because());
}

#[test]
fn a_target_that_became_a_link_does_not_hold() {
    let fixture = fixture();
    let path = fixture.app.join("src/main.rs");
    let before = resolve(&Disk, &fixture.app, Path::new("src/main.rs")).unwrap();
    let holds = || {
        let now = resolve(&Disk, Path::new("/"), &before.spelled).unwrap();
        now.real == before.real && now.kind == before.kind
    };
    assert!(holds());
    fs::remove_file(&path).unwrap();
    assert!(!holds(), "the file is gone");
    symlink(fixture.dir.path().join("outside/secret"), &path).unwrap();
    assert!(!holds(), "the file leads elsewhere");
    fs::remove_file(&path).unwrap();
    fs::rename(fixture.app.join("src"), fixture.app.join("moved")).unwrap();
    symlink("../outside", fixture.app.join("src")).unwrap();
    assert!(!holds(), "the folder leads elsewhere");
}

#[test]
fn what_is_no_file_is_seen_and_denied() {
    let fixture = fixture();
    let socket = std::os::unix::net::UnixListener::bind(fixture.app.join("socket")).unwrap();
    assert_eq!(Disk.kind(&fixture.app.join("socket")), FileKind::Special);
    let found = decide(&fixture, Mode::Bypass, &[(RuleList::Allow, "Read")], Call::Read(READ, "socket"));
    assert_eq!(found, Decision::deny(Reason::Refused(fixture.app.join("socket"))));
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
