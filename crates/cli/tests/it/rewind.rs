//! `annals rewind`: turns are listed, going back is shown, done and undone, and what must not be is refused.

use std::fs;
use std::path::{Path, PathBuf};

use annals_store::digest::sha256;
use annals_store::project_slug;
use annals_testkit::builder::{Session, uuid};
use annals_testkit::home::Home;
use annals_testkit::tree::tree;

use crate::schemas::keep_schema;
use crate::{annals_exits, expect};

pub(crate) const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

/// Two turns; the second made `new.txt` and changed `old.txt`, of which there is a copy.
fn told(home: &Home) -> (PathBuf, PathBuf) {
    told_in(home, &home.path().join("garden"))
}

/// The same in this folder.
pub(crate) fn told_in(home: &Home, work: &Path) -> (PathBuf, PathBuf) {
    let work = work.to_path_buf();
    fs::create_dir_all(&work).unwrap();
    fs::write(work.join("old.txt"), "two\n").unwrap();
    fs::write(work.join("new.txt"), "fresh\n").unwrap();
    let folder = work.display().to_string();
    let copy = format!("{}@v1", &sha256(work.join("old.txt").display().to_string().as_bytes())[..16]);
    home.write(format!("file-history/{ID}/{copy}"), "one\n");
    let session =
        Session::new().id(ID).folder(&folder).prompt("Hello").reply("Hello.").prompt("Plant a tree");
    let prompt = session.last_uuid().unwrap().to_owned();
    let session = session.side("file-history-snapshot", |object| {
        object.string("messageId", &prompt).object("snapshot", |object| {
            object.string("messageId", &prompt).object("trackedFileBackups", |files| {
                files.object("old.txt", |file| {
                    file.string("backupFileName", &copy).number("version", 1_u64);
                });
                files.object("new.txt", |file| {
                    file.raw("backupFileName", b"null").number("version", 1_u64);
                });
                files.object("../up.txt", |file| {
                    file.raw("backupFileName", b"null").number("version", 1_u64);
                });
            });
        });
    });
    let wrote = |name: &str, before: &str, after: &str| {
        let path = work.join(name).display().to_string();
        format!(
            r#"{{"filePath":"{path}","content":"{after}\n","structuredPatch":[],"originalFile":{before}}}"#
        )
    };
    let mut session = session;
    for (name, before, after) in [("old.txt", r#""one\n""#, "two"), ("new.txt", "null", "fresh")] {
        let result = wrote(name, before, after);
        session = session.tool_use("Write", "{}").chained("user", |object| {
            object.raw("message", br#"{"role":"user","content":[]}"#).raw("toolUseResult", result.as_bytes());
        });
    }
    let bytes = session.reply("Done.").into_bytes();
    let slug = project_slug(&folder);
    (home.write(format!("projects/{slug}/{ID}.jsonl"), bytes), work)
}

#[test]
fn turns_are_listed() {
    let home = Home::new();
    told(&home);
    let out = annals_exits(&home, &["rewind", "3f2a"], 0).out;
    expect(
        &out,
        "\
turn  when              files  prompt
   1  2026-06-01 00:00         Hello
   2  2026-06-01 00:00      2  Plant a tree
annals rewind SESSION --to TURN goes back to before a prompt
[EOF]",
    );
    let json = annals_exits(&home, &["rewind", "3f2a", "--json"], 0).out;
    keep_schema("rewind-turns", &[json.trim().as_bytes()], "rewind");
    assert!(json.contains(r#""number":2"#) && json.contains(r#""files":2"#), "{json}");
}

#[test]
fn it_is_shown_done_and_taken_back() {
    let home = Home::new();
    let (path, work) = told(&home);
    let before = tree(home.path());
    let shown = annals_exits(&home, &["rewind", "3f2a", "--to", "2", "--dry-run"], 0).out;
    expect(
        &shown,
        "\
left     ../up.txt: it is outside the session's folder
removed  new.txt
restored old.txt
would rewind: 1 file restored, 1 file removed, 1 file left, the conversation continues from before prompt 2
  changes made by commands are not recorded and stay
[EOF]",
    );
    assert_eq!(tree(home.path()), before);
    // A file outside is left.
    for (arguments, code) in [(&["--dry-run"][..], 0), (&["--yes"], 3)] {
        let all = [&["rewind", "3f2a", "--to", "last", "--json"], arguments].concat();
        let out = annals_exits(&home, &all, code).out;
        keep_schema("rewind", &[out.trim().as_bytes()], "rewind");
        assert_eq!(out.contains(r#""undo":""#), arguments == ["--yes"], "{out}");
    }
    assert_eq!(fs::read_to_string(work.join("old.txt")).unwrap(), "one\n");
    assert!(!work.join("new.txt").exists());
    for client in ["2.0.76", "2.1.112", "2.1.325"] {
        let sent = annals_exits(&home, &["show", "3f2a", "--as", "api", "--client", client, "--json"], 0).out;
        assert!(sent.contains("Hello.") && !sent.contains("Plant"), "{client}: {sent}");
    }
    assert!(fs::read(&path).unwrap().starts_with(&before[&path]), "it is only appended to");
    annals_exits(&home, &["undo", "--yes"], 0);
    let mut after = tree(home.path());
    after.retain(|path, _| !path.starts_with(home.data_dir()));
    let mut before = before;
    before.retain(|path, _| !path.starts_with(home.data_dir()));
    assert_eq!(after, before);
}

#[test]
fn code_and_conversation_go_back_by_themselves() {
    let home = Home::new();
    let (path, work) = told(&home);
    let lines = fs::read(&path).unwrap();
    annals_exits(&home, &["rewind", "3f2a", "--to", &uuid(3), "--code", "--yes"], 3);
    assert_eq!(fs::read(&path).unwrap(), lines);
    assert_eq!(fs::read_to_string(work.join("old.txt")).unwrap(), "one\n");
    annals_exits(&home, &["undo", "--yes"], 0);
    annals_exits(&home, &["rewind", "3f2a", "--to", "2", "--conversation", "--yes"], 0);
    assert_ne!(fs::read(&path).unwrap(), lines);
    assert_eq!(fs::read_to_string(work.join("old.txt")).unwrap(), "two\n");
}

#[test]
fn what_somebody_else_changed_needs_force() {
    let home = Home::new();
    let (_, work) = told(&home);
    fs::write(work.join("old.txt"), "by hand\n").unwrap();
    let shown = annals_exits(&home, &["rewind", "3f2a", "--to", "2", "--dry-run"], 0).out;
    assert!(shown.contains("left     old.txt: something other than the session changed it since"), "{shown}");
    let refused = annals_exits(&home, &["rewind", "3f2a", "--to", "2", "--yes"], 4);
    assert!(refused.error.contains("old.txt") && refused.error.contains("--force"), "{}", refused.error);
    assert!(work.join("new.txt").exists(), "nothing was changed");
    annals_exits(&home, &["rewind", "3f2a", "--to", "2", "--force", "--yes"], 3);
    assert_eq!(fs::read_to_string(work.join("old.txt")).unwrap(), "one\n");
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(fs::read_to_string(work.join("old.txt")).unwrap(), "by hand\n");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let home = Home::new();
    told(&home);
    for to in ["0", "3", "x", "ffffffff-ffff"] {
        let refused = annals_exits(&home, &["rewind", "3f2a", "--to", to, "--yes"], 2);
        assert!(!refused.error.is_empty());
    }
    let refused = annals_exits(&home, &["rewind", "3f2a", "--to", "1", "--conversation", "--yes"], 2);
    assert!(refused.error.contains("before the first prompt"), "{}", refused.error);
    annals_exits(&home, &["rewind", "3f2a", "--code"], 2);
    annals_exits(&home, &["rewind", "ffff", "--to", "1"], 1);
}

#[test]
fn files_that_have_no_copy_are_listed_and_left() {
    let home = Home::new();
    let (path, work) = told(&home);
    let text = fs::read_to_string(&path).unwrap();
    let without: String = text
        .lines()
        .filter(|line| !line.contains("file-history-snapshot"))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(&path, without).unwrap();
    let shown = annals_exits(&home, &["rewind", "3f2a", "--to", "2", "--code"], 3).out;
    for name in ["old.txt", "new.txt"] {
        let line = format!("left     {}: the session has no copy of it", work.join(name).display());
        assert!(shown.contains(&line), "{line}: {shown}");
    }
    assert!(shown.contains("nothing can be restored: 2 files left"), "{shown}");
    let json = annals_exits(&home, &["rewind", "3f2a", "--to", "2", "--code", "--json"], 3).out;
    keep_schema("rewind", &[json.trim().as_bytes()], "rewind");
    assert_eq!(json.matches(r#""does":"skipped""#).count(), 2, "{json}");
    let shown = annals_exits(&home, &["rewind", "3f2a", "--to", "2", "--dry-run"], 0).out;
    assert!(shown.contains("2 files left, the conversation continues"), "{shown}");
    // Before the edits there was nothing to go back to.
    let shown = annals_exits(&home, &["rewind", "3f2a", "--to", "1", "--code"], 3).out;
    assert!(shown.contains("2 files left"), "{shown}");
}
