//! The program itself, killed at every system call that changes a file: nothing is half written and nothing is stuck.
//!
//! [`killed`](crate::killed) has the steps of changes of sessions. This has what those steps do not see: commands that change
//! something else, and what a command does before and after its change. The kills are those of `strace`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use annals_json::Value;
use annals_testkit::builder::Session;
use annals_testkit::depth::stride;
use annals_testkit::home::Home;
use annals_testkit::skipped;
use annals_testkit::tree::{exact_tree, tree};

use crate::{annals, annals_exits};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const EMPTY: &str = "3f2a0000-1111-4222-8333-555555555555";

/// Whatever changes a file, or makes a change last.
const CHANGING: &str = "?write,?writev,?pwrite64,?ftruncate,?fsync,?fdatasync,?rename,?renameat,?renameat2,?unlink,\
    ?unlinkat,?rmdir,?mkdir,?mkdirat,?link,?linkat,?symlink,?symlinkat,?chmod,?fchmod,?fchmodat,?utimensat,\
    ?copy_file_range,?sendfile";

/// What holds after a kill.
enum Ending {
    /// `annals undo` gives the store back as it was, or there is nothing to undo; then the command can be run.
    Undo,
    /// The store is as it was at any time, and the same command can be run to its end, which is then checked.
    Again(fn(&Home)),
}

struct Case {
    arguments: &'static [&'static str],
    prepare: fn(&Home),
    ending: Ending,
    /// One call in this number is hit.
    step: usize,
}

fn made(home: Home) -> Home {
    let session = |id: &str| Session::new().id(id).folder("/w").prompt("what is here?").reply("nothing");
    home.write(format!("projects/-w/{ID}.jsonl"), session(ID).into_bytes());
    home.write(format!("projects/-w/{ID}/tool-results/t1.txt"), "x".repeat(10_000));
    home.write(format!("todos/{ID}-agent-{ID}.json"), r#"[{"content":"one","status":"pending"}]"#);
    home.write(
        "projects/-w/sessions-index.json",
        format!(r#"{{"version":1,"entries":[{{"sessionId":"{ID}"}}]}}"#),
    );
    let empty = home.write(format!("projects/-w/{EMPTY}.jsonl"), "");
    let old = SystemTime::now() - Duration::from_secs(100 * 24 * 60 * 60);
    fs::File::options().write(true).open(empty).unwrap().set_modified(old).unwrap();
    home
}

fn nothing(_: &Home) {}

fn archived(home: &Home) {
    annals_exits(home, &["archive", ID], 0);
}

fn archived_and_deleted(home: &Home) {
    archived(home);
    fs::remove_file(home.config_dir().join(format!("projects/-w/{ID}.jsonl"))).unwrap();
    fs::remove_dir_all(home.config_dir().join(format!("projects/-w/{ID}"))).unwrap();
}

fn trashed(home: &Home) {
    annals_exits(home, &["trash", ID, "--yes"], 0);
}

fn renamed(home: &Home) {
    annals_exits(home, &["rename", ID, "Before", "--yes"], 0);
}

fn configured(home: &Home) {
    annals_exits(home, &["config", "set", "pager", "less -R"], 0);
}

fn bundled(home: &Home) {
    annals_exits(home, &["export", ID, "--as", "bundle", "--to", "../one.bundle"], 0);
}

fn exported(home: &Home) {
    annals_exits(home, &["export", "--all", "--to", "../pages"], 0);
    annals_exits(home, &["rename", ID, "Changed", "--yes"], 0);
}

fn is_archived(home: &Home) {
    annals_exits(home, &["archive", "--verify"], 0);
    let before = exact_tree(&home.config_dir());
    fs::remove_dir_all(home.config_dir().join("projects/-w")).unwrap();
    annals_exits(home, &["restore", ID, "--yes"], 0);
    let path = home.config_dir().join(format!("projects/-w/{ID}.jsonl"));
    assert_eq!(exact_tree(&home.config_dir()).get(&path), before.get(&path));
}

fn is_forgotten(home: &Home) {
    annals_exits(home, &["archive", "--verify"], 0);
    annals_exits(home, &["archive", "--list", ID], 1);
}

fn is_configured(home: &Home) {
    assert_eq!(annals_exits(home, &["config", "get", "theme"], 0).out, "dark\n");
    assert_eq!(annals_exits(home, &["config", "get", "pager"], 0).out, "less -R\n");
}

fn is_exported(home: &Home) {
    let out = home.path().join("pages");
    let page = fs::read_to_string(out.join(format!("{ID}.html"))).unwrap();
    assert!(page.contains("Changed") && page.trim_end().ends_with("</script>"), "{page}");
    let names: Vec<_> = fs::read_dir(out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().contains("annals-new")), "{names:?}");
}

fn is_trash_empty(home: &Home) {
    annals_exits(home, &["trash", "--list"], 1);
}

fn is_whole(home: &Home) {
    let checked = annals(home, &["check", ID]);
    assert_eq!(checked.code, Some(0), "{}{}", checked.out, checked.error);
}

fn is_indexed(home: &Home) {
    let found = annals_exits(home, &["search", "what is here"], 0);
    assert!(found.out.contains("1 session"), "{}", found.out);
}

fn is_undone(home: &Home) {
    let title = annals_exits(home, &["show", ID], 0).out;
    assert!(!title.contains("Before"), "{title}");
}

fn is_sound(home: &Home) {
    for (path, bytes) in tree(&home.config_dir().join("projects")) {
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            assert!(bytes.is_empty() || bytes.ends_with(b"\n"), "{}", path.display());
            let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            assert!(lines.all(|line| Value::parse(line).is_ok()), "{}", path.display());
        }
    }
}

/// Every line of the session is in the sink, and nothing else under its name.
fn is_collected(home: &Home) {
    let sink = fs::read_to_string(home.path().join("sink.ndjson")).unwrap();
    let mut items = BTreeMap::new();
    for line in sink.lines() {
        let value = Value::parse(line.as_bytes()).unwrap();
        let field = |name: &str| value.get(name).unwrap().raw().to_vec();
        let name = (field("file"), field("generation"), field("offset"));
        let text = items.entry(name).or_insert_with(|| field("text"));
        assert_eq!(*text, field("text"), "{line}");
    }
    let of_session = |name: &[u8]| String::from_utf8_lossy(name).contains(&format!("{ID}.jsonl"));
    assert_eq!(items.keys().filter(|(file, ..)| of_session(file)).count(), 2);
}

fn has_strace() -> bool {
    let run =
        Command::new("strace").args(["--seccomp-bpf", "-f", "-qqq", "-o", "/dev/null", "true"]).output();
    run.is_ok_and(|output| output.status.success())
}

/// Runs a command that is killed at its `count`th system call of the set; whether it ended before.
fn finishes(home: &Home, arguments: &[&str], count: usize) -> bool {
    let mut command = home.command("strace");
    let (trace, inject) =
        (format!("trace={CHANGING}"), format!("inject={CHANGING}:signal=KILL:when={count}"));
    command.args(["-f", "-qqq", "-o", "/dev/null", "-e", &trace, "-e", &inject]);
    command.arg(env!("CARGO_BIN_EXE_annals")).args(arguments).stdin(Stdio::null());
    let answer = home.finish(&mut command);
    assert!(matches!(answer.code, None | Some(0)), "{arguments:?} {count}: {}{}", answer.out, answer.error);
    answer.code.is_some()
}

/// The store, without new bytes that never took their name.
fn store(home: &Home) -> BTreeMap<PathBuf, String> {
    let mut tree = exact_tree(&home.config_dir());
    tree.retain(|path, _| !path.to_string_lossy().contains("annals-new"));
    tree
}

fn check(case: &Case) {
    if !has_strace() {
        return skipped("killed_anywhere", "there is no strace, or it may not trace");
    }
    let mut homes: Vec<fn() -> Home> = vec![Home::new];
    match Home::on_two_file_systems() {
        Some(_) => homes.push(|| Home::on_two_file_systems().unwrap()),
        None => skipped("killed_anywhere", "there is no second file system"),
    }
    for home in homes {
        for count in (1..).step_by(stride() * case.step) {
            let home = made(home());
            (case.prepare)(&home);
            let before = store(&home);
            let finished = finishes(&home, case.arguments, count);
            let what = format!("{:?}, killed at call {count}", case.arguments);
            match case.ending {
                Ending::Undo => {
                    let undone = annals(&home, &["undo", "--yes"]);
                    // Before the change is noted, nothing is done that could be undone.
                    let is_expected = undone.code == Some(0) || (undone.code == Some(1) && !finished);
                    assert!(is_expected, "{what}: {}", undone.error);
                    assert_eq!(store(&home), before, "{what}");
                    annals_exits(&home, case.arguments, 0);
                }
                Ending::Again(is_done) => {
                    if !finished {
                        let again = annals(&home, case.arguments);
                        // It may have been killed when all was done.
                        assert!(matches!(again.code, Some(0 | 1)), "{what}: {}{}", again.out, again.error);
                    }
                    is_done(&home);
                }
            }
            if finished {
                assert!(count > 1, "{what}: nothing was killed");
                break;
            }
        }
    }
}

/// A test for each command, so that they run side by side.
macro_rules! killed_anywhere {
    ($($test:ident: $arguments:expr, after $prepare:ident, $ending:expr, every $step:literal;)*) => {
        $(#[test]
        fn $test() {
            check(&Case { arguments: &$arguments, prepare: $prepare, ending: $ending, step: $step });
        })*
    };
}

killed_anywhere!(
    new: ["new", "--cwd", "/w", "--title", "T"], after nothing, Ending::Again(is_sound), every 1;
    rename: ["rename", ID, "After", "--yes"], after nothing, Ending::Undo, every 1;
    clone: ["clone", ID, "--yes"], after nothing, Ending::Undo, every 1;
    gc: ["gc", "--apply", "--yes"], after nothing, Ending::Undo, every 1;
    trash: ["trash", ID, "--yes"], after nothing, Ending::Undo, every 1;
    trash_empty: ["trash", "--empty", "--yes"], after trashed, Ending::Again(is_trash_empty), every 1;
    restore: ["restore", ID, "--yes"], after trashed, Ending::Again(is_whole), every 1;
    restore_from_the_vault: ["restore", ID, "--yes"], after archived_and_deleted, Ending::Undo, every 1;
    undo: ["undo", "--yes"], after renamed, Ending::Again(is_undone), every 1;
    archive: ["archive", ID], after nothing, Ending::Again(is_archived), every 1;
    archive_forget: ["archive", "--forget", ID, "--yes"], after archived, Ending::Again(is_forgotten), every 1;
    import: ["import", "../one.bundle", "--new-id", "--yes"], after bundled, Ending::Undo, every 1;
    config: ["config", "set", "theme", "dark"], after configured, Ending::Again(is_configured), every 1;
    export: ["export", "--all", "--to", "../pages"], after exported, Ending::Again(is_exported), every 1;
    collect: ["collect", "--to", "file:../sink.ndjson"], after nothing, Ending::Again(is_collected), every 1;
    index: ["index"], after nothing, Ending::Again(is_indexed), every 7;
);
