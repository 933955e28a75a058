//! Changes on a disk that is full: nothing is half done, and what cannot be done now can be done when there is room.
//!
//! The store or the data folder is on a small file system of its own, in a mount namespace that only the command sees; where
//! the user may not have one, the test says that it is skipped.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use annals_testkit::builder::Session;
use annals_testkit::depth::is_in_share;
use annals_testkit::home::Home;
use annals_testkit::skipped;
use annals_testkit::tree::exact_tree;

const ID: &str = "6d1b0000-1111-4222-8333-444444444444";
const OTHER: &str = "6d1b0000-1111-4222-8333-666666666666";
const EMPTY: &str = "6d1b0000-1111-4222-8333-555555555555";

/// Commands that `annals undo` reverts.
const UNDONE: [&str; 17] = [
    "trash ID --yes",
    "strip ID --tools all --yes",
    "clone ID --yes",
    "fork ID --yes",
    "compress ID --keep-turns 1 --yes",
    "redact ID --pattern word --yes",
    "repair ID --yes",
    "rename ID Another --yes",
    "tag ID a-tag --yes",
    "todos set ID --file items.json --yes",
    "move-project /w /moved --yes",
    "reset-project --yes -- -w",
    "gc --apply --yes",
    "merge ID OTHER --anyway --yes",
    "rewind 3f2a --to last --yes",
    "files GARDEN/old.txt --restore 1 --yes",
    "import one.bundle --new-id --yes",
];

/// Commands that are run again when there is room.
const RUN_AGAIN: [&str; 5] = [
    "archive ID",
    "index",
    "collect --to file:sink.ndjson",
    "new --cwd /w --title T",
    "config set theme dark",
];

fn home() -> Home {
    let home = Home::new();
    let mut session = Session::new().id(ID).folder("/w");
    for _ in 0..40 {
        session = session.prompt(&"word ".repeat(300)).reply(&"and ".repeat(300));
    }
    session = session.prompt("list").tool_use("Bash", r#"{"command":"ls"}"#).tool_result("a").reply("done");
    let mut bytes = session.into_bytes();
    // Something for a repair.
    bytes.extend_from_slice(b"{\"type\":\"user\",\"uuid\":\"torn");
    home.write(format!("projects/-w/{ID}.jsonl"), bytes);
    let empty = home.write(format!("projects/-w/{EMPTY}.jsonl"), "");
    let old = SystemTime::now() - Duration::from_secs(100 * 24 * 60 * 60);
    fs::File::options().write(true).open(empty).unwrap().set_modified(old).unwrap();
    fs::write(home.work_dir().join("items.json"), r#"["one","two"]"#).unwrap();
    home.write(format!("projects/-w/{ID}/tool-results/t1.txt"), "x".repeat(50_000));
    home.write(format!("projects/-w/{ID}/tool-results/t2.txt"), "y".repeat(50_000));
    home.write(
        "projects/-w/sessions-index.json",
        format!(r#"{{"version":1,"entries":[{{"sessionId":"{ID}"}}]}}"#),
    );
    home.write(format!("todos/{ID}-agent-{ID}.json"), "[]");
    home
}

/// Runs commands with a folder on a file system that has `room` bytes left besides its content, and then, with room again,
/// another. What the folder holds in the end is copied out to `out`.
fn run_in_room(
    home: &Home,
    folder: &Path,
    room: usize,
    [script, then]: [&str; 2],
    out: &Path,
) -> Option<String> {
    let script = format!(
        r#"set -e
mkdir -p "$2" "$3"; cp -a "$2/." "$3/before"
size=$(( $(du -sb --apparent-size "$2" | cut -f1) / 1024 + $(find "$2" | wc -l) * 4 + {room} / 1024 + 64 ))
mount -t tmpfs -o size=${{size}}k none "$2"
cp -a "$3/before/." "$2/"
free=$(df --output=avail -B1 "$2" | tail -1)
[ "$free" -le {room} ] || head -c $((free - {room})) /dev/zero > "$2/.filler" || true
set +e
{script}
rm -f "$2/.filler"; mount -o remount,size=64m "$2"
"$1" {then} > "$3/then" 2>&1; echo "then $?"
cp -a "$2/." "$3/after"
"#
    );
    let mut command = home.command("unshare");
    command.args(["--mount", "--map-root-user", "bash", "-c", &script, "bash"]);
    command.arg(env!("CARGO_BIN_EXE_annals")).arg(folder).arg(out);
    let answer = home.finish(&mut command);
    if answer.error.contains("unshare") || answer.error.contains("mount:") || !answer.out.contains("then ") {
        return None;
    }
    Some(answer.out)
}

fn relative(root: &Path) -> Vec<(String, String)> {
    let tree = exact_tree(root);
    let name = |path: &Path| path.strip_prefix(root).unwrap().display().to_string();
    tree.into_iter().map(|(path, text)| (name(&path), text)).filter(|(name, _)| name != ".filler").collect()
}

/// A store before and after, what the commands answered, and a text for failures.
struct Finding<'f> {
    before: Vec<(String, String)>,
    after: Vec<(String, String)>,
    answer: &'f str,
    what: &'f str,
}

/// Runs a command with each amount of free space, then `then` with enough of it, and calls `judge` with what was found.
fn check(test: &str, on_data: bool, [command, then]: [&str; 2], judge: &dyn Fn(Finding<'_>)) {
    // Commands begin with different amounts, and so do the two disks.
    let phase = usize::from(on_data) + command.len();
    let rooms = [0, 4_096, 40_000, 100_000, 200_000].into_iter().enumerate();
    for (_, room) in rooms.filter(|(number, _)| is_in_share(*number, phase, 2)) {
        let home = home();
        let bundle = ["export", ID, "--as", "bundle", "--to", "one.bundle"];
        crate::annals_exits(&home, &bundle, 0);
        let other = Session::new().id(OTHER).folder("/w").prompt("and then").reply("so").into_bytes();
        home.write(format!("projects/-w/{OTHER}.jsonl"), other);
        // Its work folder is in the store, so that it is looked at as well.
        let garden = home.config_dir().join("garden");
        crate::rewind::told_in(&home, &garden);
        let folder = if on_data { home.data_dir() } else { home.config_dir() };
        let before = relative(&home.config_dir());
        let out = home.path().join("out");
        let garden = garden.display().to_string();
        let places = |text: &str| text.replace("ID", ID).replace("OTHER", OTHER).replace("GARDEN", &garden);
        let [command, then] = [command, then].map(places);
        let script = format!("\"$1\" {command} > \"$3/said\" 2>&1; echo \"change $?\"");
        let Some(answer) = run_in_room(&home, &folder, room, [&script, &then], &out) else {
            return skipped(test, "this user may not mount");
        };
        let text = |name: &str| fs::read_to_string(out.join(name)).unwrap_or_default();
        let what = format!("{command} with {room} bytes: {answer}{}{}", text("said"), text("then"));
        let store = if on_data { home.config_dir() } else { out.join("after") };
        judge(Finding { before, after: relative(&store), answer: &answer, what: &what });
    }
}

fn check_all(test: &str, on_data: bool) {
    for command in UNDONE {
        check(test, on_data, [command, "undo --yes"], &|Finding { before, after, answer, what }| {
            // Either the change was made, and is undone; or nothing was changed, and there is nothing to undo.
            let done = answer.contains("change 0");
            assert!(answer.contains("then 0") || (!done && answer.contains("then 1")), "{what}");
            assert_eq!(after, before, "{what}");
        });
    }
    for command in RUN_AGAIN {
        check(test, on_data, [command, command], &|Finding { before, after, answer, what }| {
            let codes = ["change 0", "change 3", "change 74"];
            assert!(codes.iter().any(|code| answer.contains(code)) && answer.contains("then 0"), "{what}");
            assert!(command.starts_with("new") || after == before, "{what}");
        });
    }
}

#[test]
fn a_change_with_a_full_data_disk_is_whole_or_nothing() {
    check_all("a_change_with_a_full_data_disk_is_whole_or_nothing", true);
}

#[test]
fn a_change_with_a_full_store_is_whole_or_nothing() {
    check_all("a_change_with_a_full_store_is_whole_or_nothing", false);
}

/// Exports to a small file system, then again with room; what is there each time, and the exit codes.
#[test]
fn an_export_to_a_full_disk_leaves_no_half_page_and_goes_on_later() {
    let home = home();
    for number in 0..20 {
        let id = format!("3f2a0000-1111-4222-8333-{number:012}");
        let session = Session::new().id(&id).prompt(&"word ".repeat(6_000)).reply("yes");
        home.write(format!("projects/-w/{id}.jsonl"), session.into_bytes());
    }
    let out = home.path().join("out");
    fs::create_dir_all(&out).unwrap();
    let script = r#"mount -t tmpfs -o size=200k none "$2" || exit 9
"$1" export --all --to "$2/pages" > /dev/null 2> "$3/said"; echo "first $?"
ls -A "$2/pages" | sed 's/^/has /'; tail -qc 10 "$2"/pages/*.html | tr -d '\n'; echo
mount -o remount,size=64m "$2"
"$1" export --all --to "$2/pages" > /dev/null 2>> "$3/said"; echo "second $?"; ls -A "$2/pages" | wc -l
"$1" export "$4" --to - > /dev/full 2>> "$3/said"; echo "third $?""#;
    let mut command = home.command("unshare");
    let small = home.path().join("small");
    fs::create_dir_all(&small).unwrap();
    command.args(["--mount", "--map-root-user", "bash", "-c", script, "bash", env!("CARGO_BIN_EXE_annals")]);
    let answer = home.finish(command.arg(&small).arg(&out).arg(ID));
    if !answer.out.contains("third ") {
        skipped("an_export_to_a_full_disk_leaves_no_half_page_and_goes_on_later", "this user may not mount");
        return;
    }
    let said = fs::read_to_string(out.join("said")).unwrap();
    assert!(answer.out.starts_with("first 74\n") && said.contains("pages"), "{}{said}", answer.out);
    assert!(!answer.out.contains("annals-new"), "{}", answer.out);
    let ends = answer.out.matches("</script>").count();
    assert_eq!(answer.out.matches(".html\n").count(), ends, "every page has its end: {}", answer.out);
    // 21 pages, the list and the notes.
    assert!(
        answer.out.contains("second 0\n23\n") && answer.out.ends_with("third 74\n"),
        "{}{said}",
        answer.out
    );
}
