//! Glob and Grep: results, their order and limits, and error messages.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use annals_agent::tools::{Glob, Grep, Outcome, PathFilter, Tool, ToolContext};
use annals_json::Fields;
use annals_policy::{Call, ReadTool};

use super::{Arg, Count, Fixture, Flag, Text, input, kept, kept_text, knows, refused, run, shape, shown};

const OF_A_GREP: [&str; 8] =
    ["mode", "numFiles", "filenames", "content", "numLines", "numMatches", "appliedLimit", "appliedOffset"];

/// Makes a file older by some minutes.
fn aged(fixture: &Fixture, name: &str, text: &str, minutes: u64) {
    let path = fixture.write(name, text);
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 - minutes * 60);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

async fn glob(fixture: &Fixture, args: &[(&str, Arg<'_>)]) -> Outcome {
    run(&Glob::new(fixture.context.clone()), args).await
}

async fn grep(fixture: &Fixture, args: &[(&str, Arg<'_>)]) -> Outcome {
    run(&Grep::new(fixture.context.clone()), args).await
}

/// What is shown, with paths as seen from the working folder.
fn below(fixture: &Fixture, outcome: &Outcome) -> String {
    shown(outcome).replace(&format!("{}/", fixture.work().display()), "")
}

#[tokio::test]
async fn files_are_found_newest_first() {
    let fixture = Fixture::new();
    aged(&fixture, "src/old.rs", "", 9);
    aged(&fixture, "src/deep/new.rs", "", 1);
    aged(&fixture, ".hidden/middle.rs", "", 5);
    aged(&fixture, "src/other.txt", "", 0);
    aged(&fixture, ".git/objects/x.rs", "", 0);
    aged(&fixture, "ignored.rs", "", 7);
    fixture.write(".gitignore", "ignored.rs\n");
    let all = "src/deep/new.rs\n.hidden/middle.rs\nignored.rs\nsrc/old.rs";
    for pattern in ["**/*.rs", "*.rs", "**/*.{rs,go}"] {
        assert_eq!(below(&fixture, &glob(&fixture, &[("pattern", Text(pattern))]).await), all, "{pattern}");
    }
    let outcome = glob(&fixture, &[("pattern", Text("src/*.rs"))]).await;
    assert_eq!(below(&fixture, &outcome), "src/old.rs");
    assert_eq!((shape(&outcome), kept(&outcome).get("truncated").unwrap().boolean()), ("Glob", Some(false)));
    knows(&outcome, &["filenames", "durationMs", "numFiles", "truncated"]);
    let absolute = format!("{}/src/**/*.rs", fixture.work().display());
    assert_eq!(
        below(&fixture, &glob(&fixture, &[("pattern", Text(&absolute))]).await),
        "src/deep/new.rs\nsrc/old.rs"
    );
    assert_eq!(shown(&glob(&fixture, &[("pattern", Text("*.none"))]).await), "No files found");
}

#[tokio::test]
async fn a_long_list_of_files_is_cut() {
    let fixture = Fixture::new();
    for number in 0..130 {
        aged(&fixture, &format!("f{number}.txt"), "", number);
    }
    let outcome = glob(&fixture, &[("pattern", Text("*.txt"))]).await;
    assert!(
        below(&fixture, &outcome).starts_with("f0.txt\nf1.txt\n")
            && shown(&outcome).contains("100 newest of 130")
    );
    assert_eq!(kept(&outcome).get("numFiles").unwrap().count(), Some(100));
    assert_eq!(kept(&outcome).get("truncated").unwrap().boolean(), Some(true));
}

#[tokio::test]
async fn patterns_that_are_none_are_refused() {
    let fixture = Fixture::new();
    refused(&glob(&fixture, &[("pattern", Text("a\0b"))]).await, "NUL");
    refused(&glob(&fixture, &[("pattern", Text("../*"))]).await, "contains `..`");
    refused(&glob(&fixture, &[("pattern", Text("[a"))]).await, "pattern is invalid");
    refused(&glob(&fixture, &[("pattern", Text("*")), ("path", Text("nowhere"))]).await, "does not exist");
    refused(&grep(&fixture, &[("pattern", Text("(a"))]).await, "unclosed group");
    refused(&grep(&fixture, &[("pattern", Text("a")), ("type", Text("nonsense"))]).await, "nonsense");
    refused(
        &grep(&fixture, &[("pattern", Text("a")), ("path", Text("nowhere"))]).await,
        "Path does not exist: nowhere",
    );
    refused(&grep(&fixture, &[("pattern", Text("a")), ("output_mode", Text("all"))]).await, "output_mode");
}

#[tokio::test]
async fn a_call_names_the_folder_that_it_searches() {
    let fixture = Fixture::new();
    let ask = |tool: &dyn Tool, args: &[(&str, Arg<'_>)]| {
        let input = input(args);
        let asked = tool.call(&Fields::scan(&input).unwrap().0).unwrap();
        asked.path().unwrap().to_owned()
    };
    let tool = Glob::new(fixture.context.clone());
    assert_eq!(ask(&tool, &[("pattern", Text("/etc/ssh/*.conf"))]), "/etc/ssh");
    assert_eq!(ask(&tool, &[("pattern", Text("/etc/passwd"))]), "/etc");
    assert_eq!(Path::new(&ask(&tool, &[("pattern", Text("*"))])), fixture.work());
    let grep = Grep::new(fixture.context.clone());
    let input = input(&[("pattern", Text("x")), ("path", Text("a\"b"))]);
    let asked = grep.call(&Fields::scan(&input).unwrap().0).unwrap();
    assert_eq!(asked.call(), Call::Read(ReadTool::Grep, "a\"b"));
}

fn texts(fixture: &Fixture) {
    aged(fixture, "a.rs", "fn one() {}\nlet x = 1;\nfn two() {}\n", 5);
    aged(fixture, "b.py", "def One():\n    pass\n", 1);
    aged(fixture, "ignored.txt", "one\n", 1);
    aged(fixture, "node/binary.bin", "one\0\0\0", 1);
    aged(fixture, ".config", "one\n", 9);
    fixture.write(".gitignore", "ignored.txt\n");
    fs::create_dir(fixture.work().join(".git")).unwrap();
    fixture.write(".git/one.txt", "one\n");
}

#[tokio::test]
async fn files_with_matches_are_named_newest_first() {
    let fixture = Fixture::new();
    texts(&fixture);
    let outcome = grep(&fixture, &[("pattern", Text("one")), ("-i", Flag(true))]).await;
    assert_eq!(below(&fixture, &outcome), "Found 3 files\nb.py\na.rs\n.config");
    assert_eq!((shape(&outcome), kept_text(&outcome, "mode").as_str()), ("Grep", "files_with_matches"));
    knows(&outcome, &OF_A_GREP);
    let some = |key: &'static str, value: &'static str| [("pattern", Text("(?i)one")), (key, Text(value))];
    assert_eq!(below(&fixture, &grep(&fixture, &some("type", "py")).await), "Found 1 file\nb.py");
    assert_eq!(below(&fixture, &grep(&fixture, &some("glob", "*.{rs,go}")).await), "Found 1 file\na.rs");
    assert_eq!(below(&fixture, &grep(&fixture, &some("path", "a.rs")).await), "Found 1 file\na.rs");
    assert_eq!(shown(&grep(&fixture, &[("pattern", Text("nowhere"))]).await), "No files found");
}

#[tokio::test]
async fn content_is_shown_with_its_surroundings() {
    let fixture = Fixture::new();
    texts(&fixture);
    let content = |more: Vec<(&'static str, Arg<'static>)>| {
        let mut args = vec![("output_mode", Text("content")), ("path", Text("a.rs"))];
        args.extend(more);
        args
    };
    let outcome = grep(&fixture, &content(vec![("pattern", Text("fn"))])).await;
    assert_eq!(below(&fixture, &outcome), "a.rs:1:fn one() {}\na.rs:3:fn two() {}");
    assert_eq!(kept(&outcome).get("numLines").unwrap().count(), Some(2));
    knows(&outcome, &OF_A_GREP);
    let outcome = grep(&fixture, &content(vec![("pattern", Text("x")), ("-C", Count(1))])).await;
    assert_eq!(below(&fixture, &outcome), "a.rs-1-fn one() {}\na.rs:2:let x = 1;\na.rs-3-fn two() {}");
    let outcome =
        grep(&fixture, &content(vec![("pattern", Text("two")), ("-B", Count(1)), ("-n", Flag(false))])).await;
    assert_eq!(below(&fixture, &outcome), "a.rs-let x = 1;\na.rs:fn two() {}");
    let outcome = grep(&fixture, &content(vec![("pattern", Text("[a-z]+\\(")), ("-o", Flag(true))])).await;
    assert_eq!(below(&fixture, &outcome), "a.rs:1:one(\na.rs:3:two(");
    let spread = content(vec![("pattern", Text("one.*two")), ("multiline", Flag(true))]);
    let outcome = grep(&fixture, &spread).await;
    assert_eq!(below(&fixture, &outcome), "a.rs:1:fn one() {}\na.rs:2:let x = 1;\na.rs:3:fn two() {}");
    assert_eq!(
        shown(&grep(&fixture, &content(vec![("pattern", Text("one.*two"))])).await),
        "No matches found"
    );
}

#[tokio::test]
async fn a_long_list_of_lines_is_paged() {
    let fixture = Fixture::new();
    fixture.write("long.txt", (1..=600).map(|number| format!("line {number}\n")).collect::<String>());
    let page = |more: Vec<(&'static str, Arg<'static>)>| {
        let mut args = vec![("pattern", Text("line")), ("output_mode", Text("content"))];
        args.extend(more);
        args
    };
    let outcome = grep(&fixture, &page(vec![])).await;
    assert!(
        shown(&outcome).ends_with("(Entries 1 to 250 of 600. Continue with offset 250.)"),
        "{}",
        shown(&outcome)
    );
    assert_eq!(kept(&outcome).get("appliedLimit").unwrap().count(), Some(250));
    let outcome = grep(&fixture, &page(vec![("offset", Count(598)), ("head_limit", Count(9))])).await;
    assert_eq!(below(&fixture, &outcome), "long.txt:599:line 599\nlong.txt:600:line 600");
    let outcome = grep(&fixture, &page(vec![("offset", Count(900))])).await;
    assert_eq!(shown(&outcome), "No entries at this offset: there are 600.");
    assert!(shown(&grep(&fixture, &page(vec![("head_limit", Count(0))])).await).ends_with("line 600"));
}

#[tokio::test]
async fn counts_cover_everything() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "x\nx x\ny\n");
    fixture.write("b.txt", "x\n");
    let args = [("pattern", Text("x")), ("output_mode", Text("count")), ("head_limit", Count(1))];
    let outcome = grep(&fixture, &args).await;
    assert!(
        below(&fixture, &outcome).starts_with("a.txt:2\n")
            && shown(&outcome).contains("3 matching lines in 2 files")
    );
    assert_eq!(kept(&outcome).get("numMatches").unwrap().count(), Some(3));
    knows(&outcome, &OF_A_GREP);
}

#[tokio::test]
async fn a_line_that_never_ends_is_cut() {
    let fixture = Fixture::new();
    fixture.write("long.txt", format!("needle{}", "é".repeat(3_000_000)));
    let outcome = grep(&fixture, &[("pattern", Text("needle")), ("output_mode", Text("content"))]).await;
    assert!(shown(&outcome).chars().count() < 700 && shown(&outcome).ends_with("[cut]"));
}

/// Hides what is called so.
struct NamedSecret;

impl PathFilter for NamedSecret {
    fn hides(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == "secret" || name == ".env")
    }
}

#[tokio::test]
async fn what_must_not_be_read_is_not_found() {
    let mut fixture = Fixture::new();
    fixture.write("secret/a.txt", "word");
    fixture.write(".env", "word");
    fixture.write("plain.txt", "word");
    fixture.context =
        Arc::new(ToolContext::new(fixture.context.workspace.clone(), Box::new(()), Box::new(NamedSecret)));
    assert_eq!(below(&fixture, &glob(&fixture, &[("pattern", Text("**/*"))]).await), "plain.txt");
    assert_eq!(
        below(&fixture, &grep(&fixture, &[("pattern", Text("word"))]).await),
        "Found 1 file\nplain.txt"
    );
    assert_eq!(
        shown(&grep(&fixture, &[("pattern", Text("word")), ("path", Text(".env"))]).await),
        "No files found"
    );
}
