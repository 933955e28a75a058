//! A table of commands with the expected decision, under rules and modes. The table file explains its format.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use annals_policy::paths::{FileKind, FileSystem, Workspace};
use annals_policy::rules::{Rule, RuleList, Rules, SettingsSource};
use annals_policy::{Call, Decision, EditTool, Mode, Policy, Trust};
use annals_testkit::depth::cases;
use proptest::prelude::*;

const TABLE: &str = include_str!("table.txt");
const FEWEST: usize = 1200;

/// A file system of a few links and folders; everything else is a file.
pub(crate) struct Links(pub(crate) BTreeMap<PathBuf, PathBuf>);

/// The folders that it has, with what is in them besides links.
const FOLDERS: [(&str, &[&str]); 12] = [
    ("/", &["etc", "home", "tmp"]),
    ("/etc", &["passwd", "shadow"]),
    ("/home", &["u"]),
    ("/home/u", &["app", ".bashrc"]),
    ("/home/u/app", &["README.md", "main.rs", "src", "tests", "sub", "private", "odd", ".env", ".git"]),
    ("/home/u/app/src", &["main.rs", "lib.rs", "generated"]),
    ("/home/u/app/src/generated", &["a.rs"]),
    ("/home/u/app/tests", &["it.rs"]),
    ("/home/u/app/sub", &[".git", "deep"]),
    ("/home/u/app/sub/deep", &["x"]),
    ("/home/u/app/private", &["key.txt"]),
    ("/home/u/app/odd", &["a b.txt", "-o.md", "it's.tex", "x=1.md"]),
];

impl FileSystem for Links {
    fn link(&self, path: &Path) -> Option<PathBuf> {
        self.0.get(path).cloned()
    }

    fn kind(&self, path: &Path) -> FileKind {
        let is_folder = FOLDERS.iter().any(|(folder, _)| path == Path::new(folder));
        // Git looks for these in every folder; an address is no path.
        let is_absent = path.ends_with("HEAD") || path.to_string_lossy().ends_with(':');
        let is_repository = path.starts_with("/home/u/app/.git") || path == Path::new("/home/u/app/sub/.git");
        match () {
            () if path.ends_with("pipe") => FileKind::Special,
            () if is_folder => FileKind::Folder,
            () if is_absent || (path.ends_with(".git") && !is_repository) => FileKind::Missing,
            () => FileKind::File,
        }
    }

    fn names(&self, folder: &Path) -> Option<Vec<OsString>> {
        let (_, names) = FOLDERS.iter().find(|(path, _)| folder == Path::new(path))?;
        let links =
            self.0.keys().filter(|link| link.parent() == Some(folder)).filter_map(|link| link.file_name());
        Some(names.iter().map(OsString::from).chain(links.map(OsString::from)).collect())
    }

    fn bytes(&self, _: &Path, _: usize) -> Option<Vec<u8>> {
        None
    }
}

pub(crate) fn links() -> Links {
    let links = [
        ("/home/u/app/out", "/etc"),
        ("/home/u/app/secret", ".env"),
        ("/home/u/app/inner", "src"),
        ("/home/u/app/hooks", ".git/hooks"),
        ("/home/u/app/x=", "/"),
        ("/home/u/app/tests/host.conf", "/etc/passwd"),
    ];
    Links(links.map(|(from, to)| (from.into(), to.into())).into())
}

pub(crate) fn workspace(files: &dyn FileSystem) -> Workspace {
    let app = Path::new("/home/u/app");
    let mut workspace = Workspace::new(files, app, app, Some(Path::new("/home/u")));
    workspace.set_trust(Trust::Trusted);
    workspace
}

struct Section {
    name: String,
    mode: Mode,
    rules: Rules,
}

/// What a line's first letter expects, and what was decided.
fn letter(decision: &Decision) -> char {
    match decision {
        Decision::Allow { .. } => '+',
        Decision::Ask { .. } => '?',
        Decision::Deny { .. } => '-',
    }
}

#[test]
fn every_command_gets_its_decision() {
    let (wrong, count) = judge(TABLE);
    assert!(wrong.is_empty(), "{} of {count}:\n  {}", wrong.len(), wrong.join("\n  "));
    assert!(count >= FEWEST, "only {count} commands");
}

/// The lines of a table that are decided otherwise, and how many commands it has.
pub(crate) fn judge(table: &str) -> (Vec<String>, usize) {
    let files = links();
    let workspace = workspace(&files);
    let mut section = Section { name: String::new(), mode: Mode::Default, rules: Rules::default() };
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (number, line) in table.lines().enumerate() {
        if let Some(name) = line.strip_prefix("== ") {
            section = Section { name: name.to_owned(), mode: Mode::Default, rules: Rules::default() };
        } else if let Some(mode) = line.strip_prefix("mode ") {
            section.mode = Mode::parse(mode).unwrap();
        } else if let Some((list, rule)) =
            line.split_once(": ").filter(|(list, _)| list.len() < 6 && !list.contains(' '))
        {
            let list = [RuleList::Deny, RuleList::Ask, RuleList::Allow]
                .into_iter()
                .find(|each| each.name() == list)
                .unwrap();
            let rule = Rule::new(rule, list, SettingsSource::User);
            assert_eq!(rule.unknown(), None, "{}", rule.text);
            section.rules.add(rule);
        } else if let Some((expected, command)) =
            line.split_once(' ').filter(|(first, _)| ["+", "?", "-"].contains(first))
        {
            count += 1;
            let command = command
                .replace('␤', "\n")
                .replace('␉', "\t")
                .replace('␍', "\r")
                .replace('␣', "\u{a0}")
                .replace('␢', "\u{200b}");
            let policy =
                Policy { rules: &section.rules, mode: section.mode, workspace: &workspace, files: &files };
            let decision = policy.decide(&Call::Bash(&command));
            if !expected.starts_with(letter(&decision)) {
                let why = decision.because();
                wrong.push(format!(
                    "{}: line {}: {line}\n      got {}: {why}",
                    section.name,
                    number + 1,
                    letter(&decision)
                ));
            }
        } else {
            assert!(
                line.is_empty() || line.starts_with('#'),
                "line {} is not understood: {line}",
                number + 1
            );
        }
    }
    (wrong, count)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1500), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_asked_gets_a_decision(
        text in r#"(\PC|\n|rm |cat |cd |sudo -|bash -c '|env |find |git |\$|\(|\)|"|'|`|\{|\}|<<E\n|\.\.|~|/|\*|=|;){0,24}"#,
    ) {
        let files = links();
        let workspace = workspace(&files);
        let mut rules = Rules::default();
        rules.extend(["Bash(rm *)", "Read(.env)", "Edit(//etc/**)"].map(|text| Rule::new(text, RuleList::Deny, SettingsSource::User)));
        for mode in [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::DontAsk, Mode::Bypass] {
            let policy = Policy { rules: &rules, mode, workspace: &workspace, files: &files };
            for call in [Call::Bash(&text), Call::Edit(EditTool::Write, &text), Call::WebFetch(&text)] {
                let decision = policy.decide(&call);
                let said = decision.because().to_string();
                prop_assert!(!said.is_empty());
                prop_assert!(mode != Mode::DontAsk || letter(&decision) != '?');
                prop_assert_ne!(letter(&decision.headless()), '?');
            }
        }
    }
}
