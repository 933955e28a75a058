//! The parser against bash itself: what it takes for one literal command really becomes those arguments.
//!
//! Nothing of a generated text can do harm: bash runs restricted, with no `PATH`, no slash in any text, every builtin but
//! `printf` switched off, in an empty folder, and the only name that texts call is a function of ours.

use std::fs;
use std::process::{Command, Stdio};

use annals_policy::shell::parse;
use annals_testkit::depth::cases;
use annals_testkit::skipped;
use annals_testkit::temp::TempDir;
use proptest::prelude::*;

const BASH: [&str; 2] = ["/usr/bin/bash", "/bin/bash"];

fn bash() -> Option<&'static str> {
    BASH.into_iter().find(|path| fs::metadata(path).is_ok())
}

/// Defines `probe`, then switches off every builtin but the one that it needs; `$1` is the text.
const PRELUDE: &str = "probe() { builtin printf '%s\\0' \"$#\" \"$@\"; }\n";

fn run(bash: &str, folder: &TempDir, text: &str) -> Vec<u8> {
    let off = "enable -n alias bg bind caller cd command compgen complete compopt dirs disown declare exec exit export \
               eval fc fg getopts hash help history jobs kill let local logout mapfile popd pushd pwd read readonly return \
               set shift shopt source . suspend test times trap type typeset ulimit umask unalias unset wait enable\n";
    let output = Command::new(bash)
        .args(["--norc", "--noprofile", "-r", "-c", &format!("{PRELUDE}{off}{text}\n")])
        .env_clear()
        .env("PATH", "")
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .unwrap();
    output.stdout
}

/// The arguments that the parser promises, where the text is one literal call of `probe` and nothing else.
fn promised(text: &str) -> Option<Vec<String>> {
    let script = parse(text).ok()?;
    let [command] = script.commands.as_slice() else { return None };
    let plain = script.redirections.is_empty()
        && command.redirections.is_empty()
        && command.assignments.is_empty()
        && script.functions.is_empty();
    let words: Option<Vec<_>> = command.words.iter().map(|word| word.literal()).collect();
    words.filter(|words| plain && words.first().is_some_and(|name| name == "probe"))
}

fn agree(bash: &str, folder: &TempDir, text: &str) -> bool {
    assert!(!text.contains('/'), "a text of this test never names a path");
    let Some(words) = promised(text) else { return false };
    let arguments = &words[1..];
    let mut expected = format!("{}\0", arguments.len());
    arguments.iter().for_each(|word| expected += &format!("{word}\0"));
    let found = run(bash, folder, text);
    assert_eq!(String::from_utf8_lossy(&found), expected, "{text:?}");
    true
}

#[test]
fn bash_runs_what_the_parser_says() {
    let Some(bash) = bash() else { return skipped("bash_runs_what_the_parser_says", "no bash") };
    let folder = TempDir::new("policy-bash");
    for text in [
        "probe a b",
        "pro\"be\" 'a b' \"c\\\"d\"",
        "pr\\obe \\a\\ b",
        "probe $'a\\n\\x41\\'b'",
        "probe a#b # c",
        "probe {} {a} }{ a,b a..b",
        "probe \\\n a\\\nb",
        "probe \"a\\\nb\"",
        "probe '$x' \"\\$x\" \\$x $",
        "probe !a a!",
        "probe = a=b",
        "probe ]] [[ then if",
        "probe '' \"\" a''b",
        "probe a\\;b 'c|d' \"e&f\"",
        "{ probe a; }",
        "( probe b )",
        "probe [ ]a",
        "probe %1 ^a",
        "probe \"a'b\" 'a\"b'",
        "! probe c",
        "probe \"`\"; probe",
        "if probe then; fi",
        "time probe",
    ] {
        let agreed = agree(bash, &folder, text);
        assert!(
            agreed || text.contains('`') || text.starts_with("if") || text.starts_with("time"),
            "{text:?} promises nothing"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(700), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_promised_holds(tail in r#"([a-c \t;&|(){}'"\\#!=~\[\]@0-3+,.:%^$-]|\\\n|\$'|\\x41|''|""){0,14}"#) {
        if let Some(bash) = bash() {
            let folder = TempDir::new("policy-bash");
            agree(bash, &folder, &format!("probe {tail}"));
        }
    }

    #[test]
    fn whatever_word_is_promised_holds(tail in r#"('[a-c "]{0,3}'|"[a-c '#]{0,3}"|\\[a-c'"\\ $]|[a-c=.,:%+^@-]|\$'(\\n|\\t|\\\\|\\'|a){0,3}'| |\\\n){0,12}"#) {
        if let Some(bash) = bash() {
            let folder = TempDir::new("policy-bash");
            agree(bash, &folder, &format!("probe {tail}"));
        }
    }
}
