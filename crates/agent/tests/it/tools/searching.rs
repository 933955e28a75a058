//! Glob and Grep: what they find, in which order, how much of it, and what they say otherwise.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use annals_agent::tools::{Glob, Grep, Ground, Outcome, Tool, Veil};
use annals_json::Fields;
use annals_policy::{Call, ReadTool};

use super::{Arg, Bench, Count, Flag, Text, input, kept, kept_text, knows, refused, run, shape, shown};

const OF_A_GREP: [&str; 8] =
    ["mode", "numFiles", "filenames", "content", "numLines", "numMatches", "appliedLimit", "appliedOffset"];

/// Makes a file older by so many minutes.
fn aged(bench: &Bench, name: &str, text: &str, minutes: u64) {
    let path = bench.write(name, text);
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 - minutes * 60);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

async fn glob(bench: &Bench, args: &[(&str, Arg<'_>)]) -> Outcome {
    run(&Glob::new(bench.ground.clone()), args).await
}

async fn grep(bench: &Bench, args: &[(&str, Arg<'_>)]) -> Outcome {
    run(&Grep::new(bench.ground.clone()), args).await
}

/// What is shown, with paths as seen from the working folder.
fn below(bench: &Bench, outcome: &Outcome) -> String {
    shown(outcome).replace(&format!("{}/", bench.work().display()), "")
}

#[tokio::test]
async fn files_are_found_newest_first() {
    let bench = Bench::new();
    aged(&bench, "src/old.rs", "", 9);
    aged(&bench, "src/deep/new.rs", "", 1);
    aged(&bench, ".hidden/middle.rs", "", 5);
    aged(&bench, "src/other.txt", "", 0);
    aged(&bench, ".git/objects/x.rs", "", 0);
    aged(&bench, "ignored.rs", "", 7);
    bench.write(".gitignore", "ignored.rs\n");
    let all = "src/deep/new.rs\n.hidden/middle.rs\nignored.rs\nsrc/old.rs";
    for pattern in ["**/*.rs", "*.rs", "**/*.{rs,go}"] {
        assert_eq!(below(&bench, &glob(&bench, &[("pattern", Text(pattern))]).await), all, "{pattern}");
    }
    let outcome = glob(&bench, &[("pattern", Text("src/*.rs"))]).await;
    assert_eq!(below(&bench, &outcome), "src/old.rs");
    assert_eq!((shape(&outcome), kept(&outcome).get("truncated").unwrap().boolean()), ("Glob", Some(false)));
    knows(&outcome, &["filenames", "durationMs", "numFiles", "truncated"]);
    let absolute = format!("{}/src/**/*.rs", bench.work().display());
    assert_eq!(
        below(&bench, &glob(&bench, &[("pattern", Text(&absolute))]).await),
        "src/deep/new.rs\nsrc/old.rs"
    );
    assert_eq!(shown(&glob(&bench, &[("pattern", Text("*.none"))]).await), "No files found");
}

#[tokio::test]
async fn a_long_list_of_files_is_cut() {
    let bench = Bench::new();
    for number in 0..130 {
        aged(&bench, &format!("f{number}.txt"), "", number);
    }
    let outcome = glob(&bench, &[("pattern", Text("*.txt"))]).await;
    assert!(
        below(&bench, &outcome).starts_with("f0.txt\nf1.txt\n")
            && shown(&outcome).contains("100 newest of 130")
    );
    assert_eq!(kept(&outcome).get("numFiles").unwrap().count(), Some(100));
    assert_eq!(kept(&outcome).get("truncated").unwrap().boolean(), Some(true));
}

#[tokio::test]
async fn patterns_that_are_none_are_refused() {
    let bench = Bench::new();
    refused(&glob(&bench, &[("pattern", Text("a\0b"))]).await, "NUL");
    refused(&glob(&bench, &[("pattern", Text("../*"))]).await, "upwards");
    refused(&glob(&bench, &[("pattern", Text("[a"))]).await, "pattern is none");
    refused(&glob(&bench, &[("pattern", Text("*")), ("path", Text("nowhere"))]).await, "does not exist");
    refused(&grep(&bench, &[("pattern", Text("(a"))]).await, "unclosed group");
    refused(&grep(&bench, &[("pattern", Text("a")), ("type", Text("nonsense"))]).await, "nonsense");
    refused(
        &grep(&bench, &[("pattern", Text("a")), ("path", Text("nowhere"))]).await,
        "Path does not exist: nowhere",
    );
    refused(&grep(&bench, &[("pattern", Text("a")), ("output_mode", Text("all"))]).await, "output_mode");
}

#[tokio::test]
async fn a_call_names_the_folder_that_it_searches() {
    let bench = Bench::new();
    let ask = |tool: &dyn Tool, args: &[(&str, Arg<'_>)]| {
        let input = input(args);
        let asked = tool.call(&Fields::scan(&input).unwrap().0).unwrap();
        asked.path().unwrap().to_owned()
    };
    let tool = Glob::new(bench.ground.clone());
    assert_eq!(ask(&tool, &[("pattern", Text("/etc/ssh/*.conf"))]), "/etc/ssh");
    assert_eq!(ask(&tool, &[("pattern", Text("/etc/passwd"))]), "/etc");
    assert_eq!(Path::new(&ask(&tool, &[("pattern", Text("*"))])), bench.work());
    let grep = Grep::new(bench.ground.clone());
    let input = input(&[("pattern", Text("x")), ("path", Text("a\"b"))]);
    let asked = grep.call(&Fields::scan(&input).unwrap().0).unwrap();
    assert_eq!(asked.call(), Call::Read(ReadTool::Grep, "a\"b"));
}

fn texts(bench: &Bench) {
    aged(bench, "a.rs", "fn one() {}\nlet x = 1;\nfn two() {}\n", 5);
    aged(bench, "b.py", "def One():\n    pass\n", 1);
    aged(bench, "ignored.txt", "one\n", 1);
    aged(bench, "node/binary.bin", "one\0\0\0", 1);
    aged(bench, ".config", "one\n", 9);
    bench.write(".gitignore", "ignored.txt\n");
    fs::create_dir(bench.work().join(".git")).unwrap();
    bench.write(".git/one.txt", "one\n");
}

#[tokio::test]
async fn files_with_matches_are_named_newest_first() {
    let bench = Bench::new();
    texts(&bench);
    let outcome = grep(&bench, &[("pattern", Text("one")), ("-i", Flag(true))]).await;
    assert_eq!(below(&bench, &outcome), "Found 3 files\nb.py\na.rs\n.config");
    assert_eq!((shape(&outcome), kept_text(&outcome, "mode").as_str()), ("Grep", "files_with_matches"));
    knows(&outcome, &OF_A_GREP);
    let some = |key: &'static str, value: &'static str| [("pattern", Text("(?i)one")), (key, Text(value))];
    assert_eq!(below(&bench, &grep(&bench, &some("type", "py")).await), "Found 1 file\nb.py");
    assert_eq!(below(&bench, &grep(&bench, &some("glob", "*.{rs,go}")).await), "Found 1 file\na.rs");
    assert_eq!(below(&bench, &grep(&bench, &some("path", "a.rs")).await), "Found 1 file\na.rs");
    assert_eq!(shown(&grep(&bench, &[("pattern", Text("nowhere"))]).await), "No files found");
}

#[tokio::test]
async fn content_is_shown_with_its_surroundings() {
    let bench = Bench::new();
    texts(&bench);
    let content = |more: Vec<(&'static str, Arg<'static>)>| {
        let mut args = vec![("output_mode", Text("content")), ("path", Text("a.rs"))];
        args.extend(more);
        args
    };
    let outcome = grep(&bench, &content(vec![("pattern", Text("fn"))])).await;
    assert_eq!(below(&bench, &outcome), "a.rs:1:fn one() {}\na.rs:3:fn two() {}");
    assert_eq!(kept(&outcome).get("numLines").unwrap().count(), Some(2));
    knows(&outcome, &OF_A_GREP);
    let outcome = grep(&bench, &content(vec![("pattern", Text("x")), ("-C", Count(1))])).await;
    assert_eq!(below(&bench, &outcome), "a.rs-1-fn one() {}\na.rs:2:let x = 1;\na.rs-3-fn two() {}");
    let outcome =
        grep(&bench, &content(vec![("pattern", Text("two")), ("-B", Count(1)), ("-n", Flag(false))])).await;
    assert_eq!(below(&bench, &outcome), "a.rs-let x = 1;\na.rs:fn two() {}");
    let outcome = grep(&bench, &content(vec![("pattern", Text("[a-z]+\\(")), ("-o", Flag(true))])).await;
    assert_eq!(below(&bench, &outcome), "a.rs:1:one(\na.rs:3:two(");
    let spread = content(vec![("pattern", Text("one.*two")), ("multiline", Flag(true))]);
    let outcome = grep(&bench, &spread).await;
    assert_eq!(below(&bench, &outcome), "a.rs:1:fn one() {}\na.rs:2:let x = 1;\na.rs:3:fn two() {}");
    assert_eq!(shown(&grep(&bench, &content(vec![("pattern", Text("one.*two"))])).await), "No matches found");
}

#[tokio::test]
async fn a_long_list_of_lines_is_paged() {
    let bench = Bench::new();
    bench.write("long.txt", (1..=600).map(|number| format!("line {number}\n")).collect::<String>());
    let page = |more: Vec<(&'static str, Arg<'static>)>| {
        let mut args = vec![("pattern", Text("line")), ("output_mode", Text("content"))];
        args.extend(more);
        args
    };
    let outcome = grep(&bench, &page(vec![])).await;
    assert!(
        shown(&outcome).ends_with("(Entries 1 to 250 of 600. Go on with offset 250.)"),
        "{}",
        shown(&outcome)
    );
    assert_eq!(kept(&outcome).get("appliedLimit").unwrap().count(), Some(250));
    let outcome = grep(&bench, &page(vec![("offset", Count(598)), ("head_limit", Count(9))])).await;
    assert_eq!(below(&bench, &outcome), "long.txt:599:line 599\nlong.txt:600:line 600");
    let outcome = grep(&bench, &page(vec![("offset", Count(900))])).await;
    assert_eq!(shown(&outcome), "No entries at this offset: there are 600.");
    assert!(shown(&grep(&bench, &page(vec![("head_limit", Count(0))])).await).ends_with("line 600"));
}

#[tokio::test]
async fn counts_cover_everything() {
    let bench = Bench::new();
    bench.write("a.txt", "x\nx x\ny\n");
    bench.write("b.txt", "x\n");
    let args = [("pattern", Text("x")), ("output_mode", Text("count")), ("head_limit", Count(1))];
    let outcome = grep(&bench, &args).await;
    assert!(
        below(&bench, &outcome).starts_with("a.txt:2\n")
            && shown(&outcome).contains("3 matching lines in 2 files")
    );
    assert_eq!(kept(&outcome).get("numMatches").unwrap().count(), Some(3));
    knows(&outcome, &OF_A_GREP);
}

#[tokio::test]
async fn a_line_that_never_ends_is_cut() {
    let bench = Bench::new();
    bench.write("long.txt", format!("needle{}", "é".repeat(3_000_000)));
    let outcome = grep(&bench, &[("pattern", Text("needle")), ("output_mode", Text("content"))]).await;
    assert!(shown(&outcome).chars().count() < 700 && shown(&outcome).ends_with("[cut]"));
}

/// Hides what is called so.
struct NamedSecret;

impl Veil for NamedSecret {
    fn hides(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == "secret" || name == ".env")
    }
}

#[tokio::test]
async fn what_must_not_be_read_is_not_found() {
    let mut bench = Bench::new();
    bench.write("secret/a.txt", "word");
    bench.write(".env", "word");
    bench.write("plain.txt", "word");
    bench.ground = Arc::new(Ground::new(bench.ground.workspace.clone(), Box::new(()), Box::new(NamedSecret)));
    assert_eq!(below(&bench, &glob(&bench, &[("pattern", Text("**/*"))]).await), "plain.txt");
    assert_eq!(below(&bench, &grep(&bench, &[("pattern", Text("word"))]).await), "Found 1 file\nplain.txt");
    assert_eq!(
        shown(&grep(&bench, &[("pattern", Text("word")), ("path", Text(".env"))]).await),
        "No files found"
    );
}
