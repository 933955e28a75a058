//! Deny rules against bash itself: a text that is allowed never runs the command that is denied, however it is put together.
//!
//! As harmless as the other test against bash: restricted, no `PATH`, no slash, no loop without an end, no function, an
//! empty folder. The denied command is a function of ours that ends the shell with a mark.

use std::fs;
use std::process::{Command, Stdio};

use annals_policy::paths::{Disk, Workspace};
use annals_policy::rules::{Rule, RuleList, Rules, SettingsSource};
use annals_policy::shell::parse;
use annals_policy::{Call, Decision, Mode, Policy};
use annals_testkit::depth::cases;
use annals_testkit::skipped;
use annals_testkit::temp::TempDir;
use proptest::prelude::*;

fn bash() -> Option<&'static str> {
    ["/usr/bin/bash", "/bin/bash"].into_iter().find(|path| fs::metadata(path).is_ok())
}

/// Whether bash, given this text, runs `probe`. The mark stands in no text: `#` of a number makes it.
fn runs(bash: &str, folder: &TempDir, text: &str) -> bool {
    assert!(!text.contains('/'), "a text of this test never names a path");
    let prelude = "ulimit -t 2; probe() { : \"${no_such_variable?mark-$((40 + 2))-mark}\"; }\n\
        enable -n bg bind caller cd complete compopt dirs disown exec exit fc fg history jobs kill logout popd pushd pwd \
        set shopt source . suspend times ulimit umask wait enable\n";
    let output = Command::new(bash)
        .args(["--norc", "--noprofile", "-r", "-c", &format!("{prelude}{text}\n")])
        .env_clear()
        .env("PATH", "")
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stderr).contains("mark-42-mark")
}

/// Whether the widest mode allows a text against a deny rule, or the narrowest without any rule.
fn is_allowed(folder: &TempDir, text: &str) -> bool {
    let mut rules = Rules::default();
    rules.add(Rule::new("Bash", RuleList::Allow, SettingsSource::User));
    rules.add(Rule::new("Bash(probe *)", RuleList::Deny, SettingsSource::User));
    let workspace = Workspace::new(&Disk, folder.path(), folder.path(), None);
    [(rules, Mode::Bypass), (Rules::default(), Mode::Default)].iter().any(|(rules, mode)| {
        let policy = Policy { rules, mode: *mode, workspace: &workspace, files: &Disk };
        matches!(policy.decide(&Call::Bash(text)), Decision::Allow { .. })
    })
}

/// Texts that define functions could call themselves without end.
fn is_safe(text: &str) -> bool {
    let dense: String = text.chars().filter(|letter| !letter.is_whitespace() && *letter != '\\').collect();
    !dense.contains("()") && parse(text).is_ok_and(|script| script.functions.is_empty())
}

#[test]
fn the_probe_is_seen_and_denied() {
    let Some(bash) = bash() else { return skipped("the_probe_is_seen_and_denied", "no bash") };
    let folder = TempDir::new("policy-deny");
    for text in [
        "probe",
        "p\"ro\"be x",
        "echo $(probe)",
        "echo `probe`",
        "x=$(probe)",
        "eval probe",
        "eval 'pro''be'",
        "! probe",
        "cat <<E\n$(probe)\nE",
        "[[ -n $(probe) ]]",
        "echo $((1+$(probe)))",
        "x='a[$(probe)]'; echo $((x))",
        "let 'a[$(probe)]'",
        "for i in 1; do probe; done",
        "case x in x) probe;; esac",
        "if probe; then :; fi",
        "x=pro; ${x}be",
        "\"$(echo probe)\"",
        "command probe",
        "{ probe; }",
        "( probe )",
        "echo ${x:-$(probe)}",
        "p\\\nrobe",
        "$'\\x70robe'",
        "{probe,x}",
        "x='$(probe)'; echo ${x@P}",
        "trap probe EXIT",
        "a=(1); unset 'a[$(probe)]'",
        "printf -v 'a[$(probe)]' x",
        "test -v 'a[$(probe)]'",
        "declare -i 'x=a[$(probe)]'",
        "read 'a[$(probe)]' <<< x",
        "true && probe",
        "false || probe",
        "echo x | probe",
        "true; probe",
        "true\nprobe",
    ] {
        let run = runs(bash, &folder, text);
        // `command` looks past functions: nothing of ours can run there.
        assert!(run || text.starts_with("command"), "bash does not run it: {text:?}");
        assert!(!is_allowed(&folder, text), "{text:?} is allowed");
    }
    assert!(
        !runs(bash, &folder, "echo probe 'a; probe' # probe")
            && is_allowed(&folder, "echo probe 'a; probe' # probe")
    );
}

const PARTS: &str = r#"(probe|pro|be| |;|&&|\|\||\||\n|"|'|\\|\$\(|\)|`|\(|\{ |; \}|\$\{x:-|\}|\$x|x=|y=|<<E\n|\nE\n|<<<|\$\(\(|\)\)|\[\[ | \]\]|eval |echo |: |let |if |; then |; fi|for i in 1; do |; done|case x in x\) |;; esac|#|!|\$'|\\x70|,|a\[|\]|\*|\?|~|1|=|declare |-i |unset |printf -v |test -v |read |\$\{x@P\}|\$\{!x\}|<\(){1,16}"#;

/// Ways to put a command into a text; `@` is the command. Some run it, some only speak of it.
const SHAPES: [&str; 46] = [
    "@; :",
    ": && @",
    ": || @",
    "false || @",
    ":\n@",
    "( @ )",
    "{ @; }",
    "! @",
    "echo $( @ )",
    "echo \"$( @ )\"",
    "echo `@`",
    "echo \"`@`\"",
    "x=$( @ )",
    "x=$( @ ) :",
    "y=(1 $( @ ))",
    "if @; then :; fi",
    "if :; then @; else :; fi",
    "for i in 1; do @; done",
    "for i in $( @ ); do :; done",
    "case x in x) @;; esac",
    "case $( @ ) in *) :;; esac",
    "eval '@'",
    "eval \"@\"",
    "eval '@' x",
    "builtin eval '@'",
    "x='@'; eval \"$x\"",
    "x='@'; $x",
    ": <<E\n$( @ )\nE",
    ": <<'E'\n@\nE",
    ": <<-E\n\t`@`\n\tE",
    ": <<< $( @ )",
    "echo ${x:-$( @ )}",
    "echo \"${x:-`@`}\"",
    "[[ -n $( @ ) ]]",
    "echo $((1 + $( @ )))",
    ": <( @ )",
    "echo '@'",
    ": # @",
    "@ # ' \" `",
    "echo \\\n@",
    "trap '@' EXIT",
    "echo ${x#$( @ )}",
    "x='a[$( @ )]'; echo $((x))",
    "let 'x[$( @ )]'",
    "x='$( @ )'; echo ${x@P}",
    "echo \"'@'\"",
];

/// Ways to write the command.
const NAMES: [&str; 12] = [
    "probe",
    "p\"ro\"be x",
    "pro\\be",
    "'probe'",
    "p\\\nrobe",
    "$'\\x70robe'",
    "x=1 probe",
    "2>&1 probe",
    "\"\"probe",
    "echo probe",
    ": probe",
    "probe <<< x",
];

fn texts() -> impl Strategy<Value = String> {
    let shapes = proptest::collection::vec(proptest::sample::select(&SHAPES[..]), 0..4);
    (proptest::sample::select(&NAMES[..]), shapes).prop_map(|(name, shapes)| {
        shapes.iter().fold(name.to_owned(), |text, shape| shape.replace('@', &text))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn however_it_is_wrapped_it_is_seen(text in texts()) {
        if let Some(bash) = bash() {
            let folder = TempDir::new("policy-deny");
            if is_allowed(&folder, &text) {
                prop_assert!(!runs(bash, &folder, &text), "{text:?} is allowed and runs it");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(6000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_allowed_never_runs_what_is_denied(text in PARTS) {
        if let Some(bash) = bash() && text.contains("ro") && is_safe(&text) {
            let folder = TempDir::new("policy-deny");
            if is_allowed(&folder, &text) {
                prop_assert!(!runs(bash, &folder, &text), "{text:?} is allowed and runs it");
            }
        }
    }
}
