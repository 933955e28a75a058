//! What a sandbox changes about decisions, and what it has to keep commands from.

use std::path::{Path, PathBuf};

use annals_policy::confine::ConfinedPaths;
use annals_policy::paths::{Confinement, Disk, Workspace};
use annals_policy::rules::{Rule, RuleList, Rules, SettingsSource};
use annals_policy::{Call, Decision, Mode, Policy};
use annals_testkit::temp::TempDir;

/// A workspace with files, under rules.
struct Fixture {
    dir: TempDir,
    rules: Rules,
    mode: Mode,
    confinement: Confinement,
}

impl Fixture {
    fn new(files: &[&str], deny: &[&str]) -> Self {
        let dir = TempDir::new("confined");
        files.iter().for_each(|path| drop(dir.write(Path::new("work").join(path), "x")));
        dir.write("work/a", "x");
        let mut rules = Rules::default();
        deny.iter().for_each(|text| rules.add(Rule::new(text, RuleList::Deny, SettingsSource::User)));
        Self { dir, rules, mode: Mode::Default, confinement: Confinement::Paths }
    }

    fn with<T>(&self, look: impl FnOnce(&Policy<'_>) -> T) -> T {
        let work = self.work();
        let mut workspace = Workspace::new(&Disk, &work, &work, Some(&self.dir.path().join("home")));
        workspace.set_confinement(self.confinement);
        look(&Policy { rules: &self.rules, mode: self.mode, workspace: &workspace, files: &Disk })
    }

    fn work(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("work")
    }

    fn decision(&self, command: &str) -> Decision {
        self.with(|policy| policy.decide(&Call::Bash(command)))
    }

    fn is_allowed(&self, command: &str) -> bool {
        matches!(self.decision(command), Decision::Allow { .. })
    }

    /// The paths, as seen from the workspace.
    fn paths(&self) -> ConfinedPaths {
        let work = self.work();
        let near = |paths: Vec<PathBuf>| -> Vec<PathBuf> {
            let mut near: Vec<PathBuf> =
                paths.iter().map(|path| path.strip_prefix(&work).unwrap_or(path).to_path_buf()).collect();
            near.sort();
            near
        };
        let paths = self.with(|policy| policy.confined_paths());
        ConfinedPaths {
            pinned: near(paths.pinned),
            read_only: near(paths.read_only),
            hidden: near(paths.hidden),
            absent: near(paths.absent),
            is_complete: paths.is_complete,
        }
    }
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

#[test]
fn what_is_only_unknown_runs_and_the_rest_is_asked() {
    let fixture = Fixture::new(&[], &["Bash(rm *)"]);
    for command in [
        "cargo build",
        "make > out.txt",
        "python3 x.py",
        "npm test && npm run lint",
        "ls $x",
        "x=$(make); echo $x",
    ] {
        assert!(fixture.is_allowed(command), "{command}: {:?}", fixture.decision(command));
    }
    for command in [
        "make; rm a",
        "npx rm a",
        "make > .git/config",
        "python3 x.py > /etc/passwd",
        "find . -delete",
        "echo $TOKEN",
        "cat /dev/sda",
        "cat ../x",
        "echo 'unclosed",
    ] {
        assert!(!fixture.is_allowed(command), "{command}: {:?}", fixture.decision(command));
    }
}

#[test]
fn modes_that_deny_stay_so_and_without_a_sandbox_nothing_changes() {
    for (mode, confinement) in [
        (Mode::Plan, Confinement::Paths),
        (Mode::DontAsk, Confinement::Paths),
        (Mode::Default, Confinement::None),
        (Mode::AcceptEdits, Confinement::None),
    ] {
        let fixture = Fixture { mode, confinement, ..Fixture::new(&[], &[]) };
        assert!(!fixture.is_allowed("cargo build"), "{mode:?} {confinement:?}");
    }
    assert!(Fixture { mode: Mode::AcceptEdits, ..Fixture::new(&[], &[]) }.is_allowed("cargo build"));
}

#[test]
fn by_folders_a_workspace_must_have_nothing_to_keep_commands_from() {
    let by_folders = |files: &[&str], deny: &[&str]| Fixture {
        confinement: Confinement::Folders,
        ..Fixture::new(files, deny)
    };
    assert!(by_folders(&[], &[]).is_allowed("make"));
    assert!(!by_folders(&[".git/config"], &[]).is_allowed("make"));
    assert!(!by_folders(&["sub/.vscode/tasks.json"], &[]).is_allowed("make"));
    // A file of a rule is asked about beside an allow rule, too.
    let mut fixture = by_folders(&[".env"], &["Read(.env)"]);
    fixture.rules.add(Rule::new("Bash(make)", RuleList::Allow, SettingsSource::User));
    let decision = fixture.decision("make");
    assert!(
        matches!(&decision, Decision::Ask { because, .. } if because.to_string().contains(".env")),
        "{decision:?}"
    );
    assert!(fixture.is_allowed("ls a"));
    let mut fixture = by_folders(&[".git/config"], &[]);
    fixture.rules.add(Rule::new("Bash(make)", RuleList::Allow, SettingsSource::User));
    assert!(fixture.is_allowed("make"));
}

#[test]
fn outside_of_the_sandbox_a_person_decides() {
    let mut fixture = Fixture::new(&[], &["Bash(rm *)"]);
    fixture.rules.add(Rule::new("Bash(make)", RuleList::Allow, SettingsSource::User));
    let outside = |fixture: &Fixture, command: &str| {
        fixture.with(|policy| policy.decide_outside(&Call::Bash(command), policy.workspace.working()))
    };
    for command in ["make", "cargo build", "ls"] {
        let decision = outside(&fixture, command);
        assert!(
            matches!(&decision, Decision::Ask { suggestions, .. } if suggestions.is_empty()),
            "{command}: {decision:?}"
        );
    }
    assert!(matches!(outside(&fixture, "rm a"), Decision::Deny { .. }));
    fixture.mode = Mode::DontAsk;
    assert!(matches!(outside(&fixture, "make"), Decision::Deny { .. }));
    fixture.mode = Mode::Bypass;
    assert!(matches!(outside(&fixture, "cargo build"), Decision::Allow { .. }));
}

#[test]
fn files_of_rules_are_found_at_any_depth() {
    let fixture = Fixture::new(
        &[".env", "deep/er/.env", "private/key", "keys/a.pem", "keys/a.txt", "locked", "Upper.TXT"],
        &[
            "Read(.env)",
            "Read(./private/**)",
            "Read(keys/*.pem)",
            "Edit(locked)",
            "Read(./upper.txt)",
            "Read(~/x)",
        ],
    );
    let found = fixture.paths();
    assert_eq!(found.hidden, paths(&[".env", "Upper.TXT", "deep/er/.env", "keys/a.pem", "private"]));
    assert_eq!(found.read_only, paths(&["locked"]));
    assert!(found.is_complete);
}

#[test]
fn more_names_than_can_be_looked_at_are_not_complete() {
    let fixture = Fixture::new(&[], &["Read(.env)"]);
    let many = fixture.work().join("many");
    std::fs::create_dir(&many).unwrap();
    (0..5_001).for_each(|number| std::fs::write(many.join(number.to_string()), "").unwrap());
    assert!(!fixture.paths().is_complete);
    assert!(!fixture.is_allowed("make"));
}

#[test]
fn of_a_repository_only_what_names_programs_is_closed() {
    let fixture = Fixture::new(
        &[
            ".git/config",
            ".git/hooks/x",
            ".git/HEAD",
            ".git/modules/m/config",
            "sub/.vscode/tasks.json",
            ".github/README",
        ],
        &[],
    );
    let found = fixture.paths();
    assert_eq!(found.pinned, paths(&[".git", ".git/modules/m"]));
    assert_eq!(
        found.read_only,
        paths(&[".git/config", ".git/hooks", ".git/modules/m/config", "sub/.vscode"])
    );
    for name in [".git/commondir", ".git/config.worktree", ".envrc", ".github/workflows", ".claude"] {
        assert!(found.absent.contains(&PathBuf::from(name)), "{name}");
    }
    assert!(!found.absent.contains(&PathBuf::from(".git")));
}
