//! Write and Edit: what they change, keep and reject.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::{Arc, Mutex};

use annals_agent::tools::{Checkpoints, Edit, Outcome, Read, ToolContext, Write};
use annals_transcript::objects::MAX_LINE_BYTES;

use super::{Fixture, Flag, Text, kept, kept_text, knows, refused, run, shape, shown};

const OF_AN_EDIT: [&str; 7] =
    ["filePath", "oldString", "newString", "originalFile", "structuredPatch", "userModified", "replaceAll"];
const OF_A_WRITE: [&str; 6] =
    ["type", "filePath", "content", "structuredPatch", "originalFile", "userModified"];

async fn read(fixture: &Fixture, name: &str) {
    assert!(!run(&Read::new(fixture.context.clone()), &[("file_path", Text(name))]).await.is_error);
}

async fn edit(fixture: &Fixture, name: &str, old: &str, new: &str) -> Outcome {
    let args = [("file_path", Text(name)), ("old_string", Text(old)), ("new_string", Text(new))];
    run(&Edit::new(fixture.context.clone()), &args).await
}

async fn write(fixture: &Fixture, name: &str, content: &str) -> Outcome {
    run(&Write::new(fixture.context.clone()), &[("file_path", Text(name)), ("content", Text(content))]).await
}

#[tokio::test]
async fn a_new_file_is_made_with_its_folders() {
    let fixture = Fixture::new();
    let outcome = write(&fixture, "a/b/c.txt", "text\n").await;
    assert_eq!(fixture.bytes("a/b/c.txt"), b"text\n");
    assert_eq!((shape(&outcome), kept_text(&outcome, "type").as_str()), ("Write", "create"));
    assert!(kept(&outcome).get("originalFile").unwrap().is_null());
    assert_eq!(kept(&outcome).get("structuredPatch").unwrap().raw(), b"[]");
    assert_eq!(outcome.changed, [fixture.work().join("a/b/c.txt")]);
    knows(&outcome, &OF_A_WRITE);
    // What was written is known: it can be edited and written at once.
    assert!(!edit(&fixture, "a/b/c.txt", "text", "other").await.is_error);
    assert!(!write(&fixture, "a/b/c.txt", "third\n").await.is_error);
    assert_eq!(fs::read_dir(fixture.work().join("a/b")).unwrap().count(), 1, "something was left beside it");
}

#[tokio::test]
async fn what_is_kept_of_a_large_file_fits_into_a_line() {
    let fixture = Fixture::new();
    let line = format!("{}\n", "word ".repeat(400));
    fixture.write("large.log", format!("first\n{}", line.repeat(MAX_LINE_BYTES / line.len() + 1)));
    run(&Read::new(fixture.context.clone()), &[("file_path", Text("large.log")), ("limit", super::Count(1))])
        .await;
    let outcome = edit(&fixture, "large.log", "first", "1st").await;
    assert!(!outcome.is_error && outcome.kept.len() < MAX_LINE_BYTES, "{}", outcome.kept.len());
    assert!(kept(&outcome).get("originalFile").unwrap().is_null());
    assert!(kept(&outcome).get("structuredPatch").unwrap().raw().len() > 100, "a short difference is kept");
    assert_eq!(shape(&outcome), "Edit");
    // Where all of it is another, not even the difference fits.
    let args = [
        ("file_path", Text("large.log")),
        ("old_string", Text("word")),
        ("new_string", Text("other")),
        ("replace_all", Flag(true)),
    ];
    let outcome = run(&Edit::new(fixture.context.clone()), &args).await;
    assert!(!outcome.is_error && outcome.kept.len() < MAX_LINE_BYTES, "{}", outcome.kept.len());
    assert_eq!(kept(&outcome).get("structuredPatch").unwrap().raw(), b"[]");
    // The same for Write: what it replaces is not kept.
    let whole = String::from_utf8(fixture.bytes("large.log")).unwrap();
    assert!(whole.contains("other"));
    let written = Fixture::new();
    assert!(!write(&written, "large.log", &whole).await.is_error);
    let outcome = write(&written, "large.log", "short\n").await;
    assert!(!outcome.is_error && outcome.kept.len() < MAX_LINE_BYTES, "{}", outcome.kept.len());
    assert!(kept(&outcome).get("originalFile").unwrap().is_null());
    assert_eq!(
        (kept_text(&outcome, "type").as_str(), kept_text(&outcome, "content").as_str()),
        ("update", "short\n")
    );
}

#[tokio::test]
async fn what_was_not_read_is_not_overwritten() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "1\n2\n3\n");
    refused(&write(&fixture, "a.txt", "x").await, "has not been read yet");
    refused(&edit(&fixture, "a.txt", "1", "x").await, "has not been read yet");
    let args = [("file_path", Text("a.txt")), ("limit", super::Count(1))];
    run(&Read::new(fixture.context.clone()), &args).await;
    refused(&write(&fixture, "a.txt", "x").await, "Only a part");
    assert!(!edit(&fixture, "a.txt", "1", "one").await.is_error);
    refused(&write(&fixture, "a.txt", "x").await, "Only a part");
    read(&fixture, "a.txt").await;
    let outcome = write(&fixture, "a.txt", "one\ntwo\n").await;
    assert_eq!(fixture.bytes("a.txt"), b"one\ntwo\n");
    assert_eq!(kept_text(&outcome, "type"), "update");
    assert_eq!(kept_text(&outcome, "originalFile"), "one\n2\n3\n");
    knows(&outcome, &OF_A_WRITE);
}

#[tokio::test]
async fn an_edit_is_exact_and_unique() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "one\ntwo\none\n");
    read(&fixture, "a.txt").await;
    refused(&edit(&fixture, "a.txt", "three", "x").await, "String to replace not found in file.");
    refused(&edit(&fixture, "a.txt", "one", "x").await, "Found 2 matches");
    refused(&edit(&fixture, "a.txt", "one", "one").await, "the same");
    refused(&edit(&fixture, "a.txt", "", "x").await, "old_string is empty");
    refused(&edit(&fixture, "missing.txt", "a", "b").await, "File does not exist.");
    refused(&edit(&fixture, ".", "a", "b").await, "is a folder");
    assert_eq!(fixture.bytes("a.txt"), b"one\ntwo\none\n");
    let args = [
        ("file_path", Text("a.txt")),
        ("old_string", Text("one")),
        ("new_string", Text("1")),
        ("replace_all", Flag(true)),
    ];
    let outcome = run(&Edit::new(fixture.context.clone()), &args).await;
    assert_eq!(fixture.bytes("a.txt"), b"1\ntwo\n1\n");
    assert_eq!((shape(&outcome), kept_text(&outcome, "originalFile").as_str()), ("Edit", "one\ntwo\none\n"));
    assert_eq!(kept(&outcome).get("replaceAll").unwrap().boolean(), Some(true));
    knows(&outcome, &OF_AN_EDIT);
    assert!(shown(&outcome).contains("was edited"));
}

#[tokio::test]
async fn an_empty_old_text_makes_a_file() {
    let fixture = Fixture::new();
    let outcome = edit(&fixture, "new.txt", "", "first\n").await;
    assert_eq!(fixture.bytes("new.txt"), b"first\n");
    assert!(kept(&outcome).get("originalFile").unwrap().is_null());
}

#[tokio::test]
async fn the_form_of_a_file_stays() {
    let fixture = Fixture::new();
    for (before, after) in [
        (&b"a\r\nold\r\nz\r\n"[..], &b"a\r\nnew\r\nline\r\nz\r\n"[..]),
        (b"\xef\xbb\xbfa\nold\nz", b"\xef\xbb\xbfa\nnew\nline\nz"),
        // Lines of both sorts: those that are not touched stay, new ones end as most do.
        (b"a\r\nb\r\nold\nz\n\r\n", b"a\r\nb\r\nnew\r\nline\nz\n\r\n"),
        (b"\xff\xfea\0\n\0o\0l\0d\0\n\0", b"\xff\xfea\0\n\0n\0e\0w\0\n\0l\0i\0n\0e\0\n\0"),
        (b"caf\xe9 old\n", b"caf\xe9 new\nline\n"),
    ] {
        fixture.write("form.txt", before);
        read(&fixture, "form.txt").await;
        let outcome = edit(&fixture, "form.txt", "old", "new\nline").await;
        assert_eq!(fixture.bytes("form.txt"), after, "{}", shown(&outcome));
    }
    // A text over several lines is found as it was shown.
    fixture.write("form.txt", b"a\r\nb\r\nc\r\n");
    read(&fixture, "form.txt").await;
    edit(&fixture, "form.txt", "a\nb\n", "x\n").await;
    assert_eq!(fixture.bytes("form.txt"), b"x\r\nc\r\n");
    fixture.write("latin.txt", b"caf\xe9");
    read(&fixture, "latin.txt").await;
    refused(&edit(&fixture, "latin.txt", "caf", "€").await, "encoding");
    read(&fixture, "form.txt").await;
    write(&fixture, "form.txt", "all\nnew\n").await;
    assert_eq!(fixture.bytes("form.txt"), b"all\r\nnew\r\n");
}

#[tokio::test]
async fn modes_links_and_names_stay() {
    let fixture = Fixture::new();
    let script = fixture.write("run.sh", "old\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o751)).unwrap();
    read(&fixture, "run.sh").await;
    edit(&fixture, "run.sh", "old", "new").await;
    assert_eq!(fs::metadata(&script).unwrap().mode() & 0o777, 0o751);

    symlink("run.sh", fixture.work().join("link.sh")).unwrap();
    read(&fixture, "link.sh").await;
    edit(&fixture, "link.sh", "new", "newer").await;
    assert!(fs::symlink_metadata(fixture.work().join("link.sh")).unwrap().is_symlink());
    assert_eq!(fixture.bytes("run.sh"), b"newer\n");

    fs::hard_link(&script, fixture.work().join("twin.sh")).unwrap();
    read(&fixture, "twin.sh").await;
    edit(&fixture, "twin.sh", "newer", "x").await;
    assert_eq!(fixture.bytes("run.sh"), b"x\n", "the second name has lost its file");
    assert_eq!(fs::metadata(&script).unwrap().nlink(), 2);
}

/// Remembers what it was told; refuses one name.
#[derive(Default)]
struct Notes(Arc<Mutex<Vec<(String, bool)>>>);

impl Checkpoints for Notes {
    fn before_change(&self, path: &Path) -> Result<(), String> {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        self.0.lock().unwrap().push((name.clone(), path.exists()));
        if name == "full.txt" { Err("the disk is full".to_owned()) } else { Ok(()) }
    }
}

#[tokio::test]
async fn the_owner_is_told_before_a_file_changes() {
    let mut fixture = Fixture::new();
    let told = Arc::new(Mutex::new(Vec::new()));
    let notes = Box::new(Notes(told.clone()));
    fixture.context = Arc::new(ToolContext::new(fixture.context.workspace.clone(), notes, Box::new(())));
    write(&fixture, "new/a.txt", "a").await;
    edit(&fixture, "new/a.txt", "a", "b").await;
    refused(&edit(&fixture, "new/a.txt", "nothing", "b").await, "not found");
    refused(&write(&fixture, "deep/full.txt", "a").await, "the disk is full");
    assert!(!fixture.work().join("deep").exists(), "a folder was made for a file that was not");
    let told = told.lock().unwrap().clone();
    assert_eq!(
        told,
        [("a.txt".to_owned(), false), ("a.txt".to_owned(), true), ("full.txt".to_owned(), false)]
    );
}

/// Says to a run of this test by itself that it is one.
const LIMITED: &str = "ANNALS_TEST_LIMITED";

/// No file of a limited process grows beyond a kilobyte, as on a disk that is full.
#[tokio::test]
async fn a_file_that_cannot_be_written_in_place_keeps_its_bytes() {
    let name = "a_file_that_cannot_be_written_in_place_keeps_its_bytes";
    if std::env::var_os(LIMITED).is_none() {
        let this = std::env::current_exe().unwrap();
        let limited = "trap '' XFSZ; ulimit -f 1 && exec \"$0\" --nocapture \"$1\"";
        let mut command = std::process::Command::new("bash");
        let output = command.args(["-c", limited]).arg(this).arg(name).env(LIMITED, "1").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let fixture = Fixture::new();
    let old = "old\n".repeat(100);
    let path = fixture.write("a.txt", &old);
    fs::hard_link(&path, fixture.work().join("twin.txt")).unwrap();
    read(&fixture, "a.txt").await;
    let long = "new\n".repeat(2000);
    refused(&write(&fixture, "a.txt", &long).await, "Its content is unchanged.");
    assert_eq!(fixture.bytes("twin.txt"), old.as_bytes());
    refused(&edit(&fixture, "a.txt", &old, &long).await, "Its content is unchanged.");
    assert_eq!(fixture.bytes("twin.txt"), old.as_bytes());
    // Longer, shorter, empty: where there is room, it is written.
    for text in ["new\n".repeat(150), "short".to_owned(), String::new(), "again".to_owned()] {
        assert!(!write(&fixture, "a.txt", &text).await.is_error);
        assert_eq!(fixture.bytes("twin.txt"), text.as_bytes());
    }
}

#[tokio::test]
async fn a_file_keeps_its_group() {
    let fixture = Fixture::new();
    let path = fixture.write("a.txt", "old\n");
    if std::os::unix::fs::chown(&path, None, Some(1234)).is_err() {
        return annals_testkit::skipped("a_file_keeps_its_group", "only root gives a file to any group");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o2750)).unwrap();
    read(&fixture, "a.txt").await;
    assert!(!edit(&fixture, "a.txt", "old", "new").await.is_error);
    assert_eq!(fixture.bytes("a.txt"), b"new\n");
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.gid(), metadata.mode() & 0o7777), (1234, 0o2750));
}

#[tokio::test]
async fn straight_quotation_marks_match_curly_ones() {
    let fixture = Fixture::new();
    fixture.write("q.md", "He said “yes” and it’s ‘so’.\r\nsay \"plain\"\n");
    read(&fixture, "q.md").await;
    assert!(!edit(&fixture, "q.md", "said \"yes\" and it's", "said \"no\", it's").await.is_error);
    assert_eq!(fixture.bytes("q.md"), "He said “no”, it’s ‘so’.\r\nsay \"plain\"\n".as_bytes());
    // What is there exactly is meant exactly.
    assert!(!edit(&fixture, "q.md", "\"plain\"", "\"other\"").await.is_error);
    assert!(fixture.bytes("q.md").ends_with(b"say \"other\"\n"));
    refused(&edit(&fixture, "q.md", "\"maybe\"", "x").await, "not found");
}
