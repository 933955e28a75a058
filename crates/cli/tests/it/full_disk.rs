//! Changes on a disk that is full: nothing is half done, and what cannot be done now can be done when there is room.
//!
//! The store or the data folder is on a small file system of its own, in a mount namespace that only the command sees; where
//! the user may not have one, the test says that it is skipped.

use std::fs;
use std::path::Path;

use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::skipped;
use annals_testkit::tree::exact_tree;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

fn home() -> Home {
    let home = Home::new();
    let mut session = Session::new().id(ID).folder("/w");
    for _ in 0..40 {
        session = session.prompt(&"word ".repeat(300)).reply(&"and ".repeat(300));
    }
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
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
/// undo. What the folder holds in the end is copied out to `out`.
fn run_in_room(home: &Home, folder: &Path, room: usize, script: &str, out: &Path) -> Option<String> {
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
"$1" undo --yes > "$3/undo" 2>&1; echo "undo $?"
cp -a "$2/." "$3/after"
"#
    );
    let mut command = home.command("unshare");
    command.args(["--mount", "--map-root-user", "bash", "-c", &script, "bash"]);
    command.arg(env!("CARGO_BIN_EXE_annals")).arg(folder).arg(out);
    let answer = home.finish(&mut command);
    if answer.error.contains("unshare") || answer.error.contains("mount:") || !answer.out.contains("undo ") {
        return None;
    }
    Some(answer.out)
}

fn relative(root: &Path) -> Vec<(String, String)> {
    let tree = exact_tree(root);
    let name = |path: &Path| path.strip_prefix(root).unwrap().display().to_string();
    tree.into_iter().map(|(path, text)| (name(&path), text)).filter(|(name, _)| name != ".filler").collect()
}

fn check(test: &str, on_data: bool) {
    for command in ["trash", "strip --tools all --thinking", "clone", "compress --keep-turns 1"] {
        for room in [0, 4_096, 40_000, 100_000, 200_000] {
            let home = home();
            let folder = if on_data { home.data_dir() } else { home.config_dir() };
            let before = relative(&home.config_dir());
            let out = home.path().join("out");
            let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
            let script = format!("\"$1\" {word} {ID} {rest} --yes > \"$3/said\" 2>&1; echo \"change $?\"");
            let Some(answer) = run_in_room(&home, &folder, room, &script, &out) else {
                skipped(test, "this user may not mount");
                return;
            };
            let said = || fs::read_to_string(out.join("said")).unwrap_or_default();
            let store = if on_data { home.config_dir() } else { out.join("after") };
            let undone = fs::read_to_string(out.join("undo")).unwrap_or_default();
            // Either the change was made, and is undone; or nothing was changed, and there is nothing to undo.
            let done = answer.contains("change 0");
            assert!(
                answer.contains("undo 0") || (!done && answer.contains("undo 1")),
                "{command} {room}: {answer}{}{undone}",
                said()
            );
            assert_eq!(relative(&store), before, "{command} with {room} bytes: {}{undone}", said());
        }
    }
}

#[test]
fn a_change_with_a_full_data_disk_is_whole_or_nothing() {
    check("a_change_with_a_full_data_disk_is_whole_or_nothing", true);
}

#[test]
fn a_change_with_a_full_store_is_whole_or_nothing() {
    check("a_change_with_a_full_store_is_whole_or_nothing", false);
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
