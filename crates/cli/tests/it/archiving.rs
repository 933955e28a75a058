//! `annals archive`, and other commands that read the vault.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant, UNIX_EPOCH};

use annals_demo::Plan;
use annals_json::Value;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::schemas::keep_schema;
use crate::{annals, annals_exits, expect};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

fn written(home: &Home, prompt: &str) -> PathBuf {
    let session = Session::new().id(ID).prompt(prompt).reply("Nothing at all.");
    let path = home.write(format!("projects/-home-ada-shop/{ID}.jsonl"), session.into_bytes());
    let time = UNIX_EPOCH + Duration::from_millis(1_767_455_098_000);
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    path
}

fn text(json: &str, path: &[&str]) -> String {
    let mut value = Value::parse(json.as_bytes()).unwrap();
    for key in path {
        value = match key.parse::<usize>() {
            Ok(at) => value.items().nth(at).unwrap(),
            Err(_) => value.get(key).unwrap(),
        };
    }
    value.text().map_or_else(|| String::from_utf8_lossy(value.raw()).into_owned(), |text| text.to_string())
}

#[test]
fn what_the_client_deletes_is_listed_shown_checked_and_comes_back() {
    let home = Home::new();
    let path = written(&home, "What is in this folder?");
    let todo = home.write(format!("todos/{ID}-agent-{ID}.json"), "[]");
    let bytes = fs::read(&path).unwrap();
    let live = annals_exits(&home, &["show", "3f2a", "--as", "records"], 0).out;
    expect(
        &annals_exits(&home, &["archive", "--all", "--dry-run"], 0).out,
        &format!("{ID}  new  1.0 KB\nwould archive 1 session (1.0 KB); 0 sessions already archived\n[EOF]"),
    );
    assert!(!home.data_dir().join("vault").exists(), "a dry run made a vault");
    let kept = annals_exits(&home, &["archive", "--all"], 0).out;
    assert!(
        kept.starts_with("archived 1 session: ") && kept.ends_with("; 0 sessions already archived\n"),
        "{kept}"
    );
    expect(&annals_exits(&home, &["archive", ID], 0).out, "nothing new; 1 session already archived\n[EOF]");
    assert!(!annals_exits(&home, &["ls"], 0).out.contains("[vault]"));

    fs::remove_file(&path).unwrap();
    fs::remove_file(&todo).unwrap();
    let listed = annals_exits(&home, &["ls"], 0).out;
    assert!(
        listed.contains(&format!("{ID}  2026-06-01 00:00"))
            && listed.contains("[vault] What is in this folder?"),
        "{listed}"
    );
    let json = annals_exits(&home, &["ls", "--json"], 0);
    keep_schema("ls", &[json.out.trim().as_bytes()], "ls --json");
    assert_eq!(text(&json.out, &["sessions", "0", "vault"]), "true");
    assert_eq!(text(&json.out, &["sessions", "0", "file"]), path.display().to_string());

    let shown = annals_exits(&home, &["show", "3f2a", "--as", "records"], 0);
    assert_eq!(shown.out, live);
    assert!(
        shown.error.contains("is no longer in the store; this is the vault's copy of"),
        "{}",
        shown.error
    );
    assert_eq!(annals_exits(&home, &["show", "What is in this folder?", "--as", "raw"], 0).bytes, bytes);
    for form in ["transcript", "markdown", "html", "messages", "api", "turns", "tree", "usage", "counts"] {
        annals_exits(&home, &["show", ID, "--as", form], 0);
    }
    annals_exits(&home, &["check", ID], 0);
    assert_eq!(fs::read_dir(home.data_dir().join("vault/unpacked")).unwrap().count(), 0, "left lying about");
    // What changes sessions does not touch the vault's.
    annals_exits(&home, &["rename", ID, "x"], 1);

    let listed = annals_exits(&home, &["restore"], 0).out;
    assert!(listed.contains("vault"), "{listed}");
    let restored = annals_exits(&home, &["restore", "3f2a", "--yes"], 0).out;
    assert!(restored.contains("restored "), "{restored}");
    assert_eq!((fs::read(&path).unwrap(), fs::read(&todo).unwrap()), (bytes.clone(), b"[]".to_vec()));
    annals_exits(&home, &["undo", "--yes"], 0);
    assert!(!path.exists() && !todo.exists());
    let elsewhere = home.path().join("elsewhere");
    annals_exits(&home, &["restore", ID, "--to", &elsewhere.display().to_string(), "--yes"], 0);
    assert_eq!(fs::read(elsewhere.join(format!("projects/-home-ada-shop/{ID}.jsonl"))).unwrap(), bytes);
}

#[test]
fn versions_are_listed_brought_back_and_forgotten() {
    let home = Home::new();
    let path = written(&home, "The first one");
    let first = fs::read(&path).unwrap();
    annals_exits(&home, &["archive", "--all"], 0);
    written(&home, "The second one, which is longer");
    annals_exits(&home, &["archive", "--all"], 0);
    let listed = annals_exits(&home, &["archive", "--list", "3f2a", "--json"], 0).out;
    keep_schema("archive-list", &[listed.trim().as_bytes()], "archive --list");
    let version = text(&listed, &["sessions", "0", "versions", "0", "version"]);
    let plain = annals_exits(&home, &["archive", "--list", ID], 0).out;
    assert_eq!(plain.lines().count(), 3, "{plain}");
    assert!(plain.contains(&version) && plain.contains("present"), "{plain}");

    let refused = annals_exits(&home, &["restore", ID, "--version", &version, "--yes"], 4);
    assert!(refused.error.contains("differs from what would be restored"), "{}", refused.error);
    annals_exits(&home, &["restore", ID, "--version", &version, "--replace", "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), first);
    annals_exits(&home, &["restore", ID, "--at", "2020-01-01", "--yes"], 1);
    annals_exits(&home, &["restore", "no-such-session", "--at", "today", "--yes"], 1);

    let forgot =
        annals_exits(&home, &["archive", "--forget", ID, "--version", &version, "--yes", "--json"], 0);
    keep_schema("archive-forget", &[forgot.out.trim().as_bytes()], "archive --forget");
    let left = annals_exits(&home, &["archive", "--list", ID], 0).out;
    assert!(!left.contains(&version) && left.lines().count() == 2, "{left}");
    annals_exits(&home, &["archive", "--forget", ID, "--version", &version, "--yes"], 1);
}

#[test]
fn restoring_a_session_that_is_present_says_so() {
    let home = Home::new();
    written(&home, "What is in this folder?");
    let present = annals_exits(&home, &["restore", "3f2a", "--yes"], 1).error;
    let still = format!("annals: session {ID} is still in the store\n");
    assert!(present.starts_with(&still) && !present.contains("--to"), "{present}");
    annals_exits(&home, &["archive", "--all"], 0);
    let archived = annals_exits(&home, &["restore", "3f2a", "--yes"], 1).error;
    let hint = format!("annals restore {ID} --to DIR restores an archived copy");
    assert!(archived.starts_with(&still) && archived.contains(&hint), "{archived}");
    let unknown = annals_exits(&home, &["restore", "77777777", "--yes"], 1).error;
    assert!(unknown.contains("neither the trash nor the vault has a session"), "{unknown}");
}

#[test]
fn the_vault_and_the_trash_have_the_titles_of_the_overview() {
    let home = Home::new();
    let session =
        Session::new().id(ID).prompt("Find the leak in the parser").reply("Found.").prompt("Thanks.");
    let session = session.side("last-prompt", |record| {
        record.string("lastPrompt", "Thanks.");
    });
    home.write(format!("projects/-home-ada-shop/{ID}.jsonl"), session.into_bytes());
    let has_title = |arguments: &[&str]| {
        let out = annals_exits(&home, arguments, 0).out;
        assert!(
            out.contains("Find the leak in the parser") && !out.contains("Thanks."),
            "{arguments:?}: {out}"
        );
    };
    has_title(&["ls"]);
    annals_exits(&home, &["archive", "--all"], 0);
    has_title(&["archive", "--list"]);
    has_title(&["archive", "--list", "--json"]);
    annals_exits(&home, &["trash", ID, "--yes"], 0);
    has_title(&["restore"]);
    has_title(&["restore", "--json"]);
}

#[test]
fn every_form_keeps_its_schema() {
    let home = Home::new();
    home.fill(&Plan::default());
    let keeps = |name: &str, arguments: &[&str]| {
        let answer = annals_exits(&home, arguments, 0);
        keep_schema(name, &[answer.out.trim().as_bytes()], &arguments.join(" "));
        answer.out
    };
    keeps("archive", &["archive", "--all", "--dry-run", "--json"]);
    let kept = keeps("archive", &["archive", "--all", "--json"]);
    assert!(text(&kept, &["stored"]).parse::<u64>().unwrap() < text(&kept, &["bytes"]).parse().unwrap());
    keeps("archive", &["archive", "--all", "--json"]);
    keeps("archive-list", &["archive", "--list", "--json"]);
    keeps("archive-verify", &["archive", "--verify", "--json"]);
}

#[test]
fn damage_is_healed_or_named() {
    let home = Home::new();
    home.fill(&Plan::default());
    annals_exits(&home, &["archive", "--all"], 0);
    let packs = home.data_dir().join("vault/packs");
    let pack = fs::read_dir(&packs).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&pack).unwrap();
    let mut bytes = whole.clone();
    bytes[whole.len() / 3] ^= 0x40;
    fs::write(&pack, &bytes).unwrap();
    let healed = annals_exits(&home, &["archive", "--verify"], 0).out;
    assert!(healed.contains(&format!("repaired: {}", pack.display())), "{healed}");
    assert!(healed.ends_with(": all intact\n"), "{healed}");
    assert_eq!(fs::read(&pack).unwrap(), whole);

    fs::remove_file(&pack).unwrap();
    let lost = annals_exits(&home, &["archive", "--verify", "--json"], 3).out;
    keep_schema("archive-verify", &[lost.trim().as_bytes()], "archive --verify");
    assert!(lost.contains("no longer exists"), "{lost}");
    // The store still has everything.
    annals_exits(&home, &["archive", "--all"], 0);
    annals_exits(&home, &["archive", "--verify"], 0);
}

#[test]
fn wrong_usage_is_said_before_anything_is_done() {
    let home = Home::new();
    written(&home, "x");
    for arguments in [
        &["archive"][..],
        &["archive", "--all", ID],
        &["archive", "--list", "--verify"],
        &["archive", "--forget"],
        &["archive", ID, "--version", "1"],
        &["archive", "/nowhere/else.jsonl"],
        &["restore", ID, "--at", "soon", "--yes"],
    ] {
        let answer = annals(&home, arguments);
        assert!(matches!(answer.code, Some(1 | 2)), "{arguments:?}: {:?} {}", answer.code, answer.error);
    }
    assert!(!home.data_dir().join("vault").exists());
    annals_exits(&home, &["archive", "--list"], 1);
}

#[test]
fn a_kill_at_any_instant_leaves_a_vault_that_verifies() {
    let home = Home::new();
    home.fill(&Plan { bytes: Some(6_000_000), ..Plan::default() });
    annals_exits(&home, &["archive", "last"], 0);
    let before = annals_exits(&home, &["archive", "--list", "--json"], 0).out;
    let known = text(&before, &["sessions", "0", "versions", "0", "version"]);
    for wait in [0_u64, 5, 20, 60, 150] {
        let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
        command.args(["archive", "--all"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let listed = annals_exits(&home, &["archive", "--list", "--json"], 0).out;
        assert!(listed.contains(&known), "a version is gone after {wait} ms");
        annals_exits(&home, &["archive", "--verify"], 0);
    }
    annals_exits(&home, &["archive", "--all"], 0);
    annals_exits(&home, &["archive", "--verify"], 0);
    let new = fs::read_dir(home.data_dir().join("vault/packs")).unwrap().flatten();
    assert!(new.into_iter().all(|file| !file.file_name().to_string_lossy().ends_with(".new")));
}

#[test]
fn watching_keeps_what_is_written_and_there_is_one_watcher() {
    let home = Home::new();
    written(&home, "The first one");
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.args(["archive", "--watch", "--json"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut watcher = command.spawn().unwrap();
    let versions = || {
        let listed = annals(&home, &["archive", "--list", "--json"]).out;
        listed.matches("\"version\":").count()
    };
    let wait_for = |count: usize| {
        let since = Instant::now();
        while versions() < count {
            assert!(since.elapsed() < Duration::from_secs(120), "never kept");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    wait_for(1);
    annals_exits(&home, &["archive", "--watch"], 4);
    written(&home, "The second one, which is longer");
    wait_for(2);
    watcher.kill().unwrap();
    watcher.wait().unwrap();
}

/// A limit on the size of files stands in for a full disk.
#[test]
#[cfg(unix)]
fn a_full_disk_is_said_and_the_vault_is_as_it_was() {
    let home = Home::new();
    home.fill(&Plan { bytes: Some(6_000_000), ..Plan::default() });
    annals_exits(&home, &["archive", "last"], 0);
    let before = annals_exits(&home, &["archive", "--list", "--json"], 0).out;
    let mut command = home.command("sh");
    command.args([
        "-c",
        "trap '' XFSZ; ulimit -S -f 200; exec \"$0\" archive --all",
        env!("CARGO_BIN_EXE_annals"),
    ]);
    let refused = home.finish(&mut command);
    assert_eq!(refused.code, Some(74), "{}{}", refused.out, refused.error);
    assert!(
        refused.error.contains("the disk is full")
            && refused.error.contains("everything that was in the vault before is still there"),
        "{}",
        refused.error
    );
    annals_exits(&home, &["archive", "--verify"], 0);
    assert_eq!(annals_exits(&home, &["archive", "--list", "--json"], 0).out, before);
    annals_exits(&home, &["archive", "--all"], 0);
}
