//! `annals files`: what sessions read and changed, the versions of a file, and getting one back.

use std::fs;
use std::path::PathBuf;

use annals_store::digest::sha256;
use annals_store::project_slug;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::tree::tree;

use crate::schemas::keep_schema;
use crate::{annals_exits, expect};

const ONE: &str = "11110000-1111-4222-8333-444444444444";
const TWO: &str = "22220000-1111-4222-8333-444444444444";

/// A session in the making, and the number of its calls.
struct Talk {
    session: Session,
    folder: PathBuf,
    key: &'static str,
    calls: usize,
}

impl Talk {
    fn new(home: &Home, key: &'static str) -> Self {
        let folder = home.path().join("garden");
        fs::create_dir_all(&folder).unwrap();
        let session = Session::new().id(key).folder(&folder.display().to_string()).prompt("Plant a tree");
        Self { session, folder, key, calls: 0 }
    }

    /// A call of a tool for a file, and its result.
    fn call(mut self, tool: &str, name: &str, result: &str) -> Self {
        self.calls += 1;
        let path = self.folder.join(name).display().to_string();
        let id = format!("toolu_{}_{}", &self.key[..4], self.calls);
        self.session = self.session.wait(60).chained("assistant", |object| {
            let call = format!(
                r#"[{{"type":"tool_use","id":"{id}","name":"{tool}","input":{{"file_path":"{path}"}}}}]"#
            );
            object.object("message", |message| {
                message.string("role", "assistant").string("id", &id).raw("content", call.as_bytes());
            });
        });
        let result = result.replace("PATH", &path);
        self.session = self.session.chained("user", |object| {
            let answer = format!(r#"[{{"type":"tool_result","tool_use_id":"{id}","content":"ok"}}]"#);
            object.object("message", |message| {
                message.string("role", "user").raw("content", answer.as_bytes());
            });
            object.raw("toolUseResult", result.as_bytes());
        });
        self
    }

    fn write(self, home: &Home) -> PathBuf {
        let slug = project_slug(&self.folder.display().to_string());
        home.write(format!("projects/{slug}/{}.jsonl", self.key), self.session.into_bytes());
        self.folder
    }
}

const WROTE: &str =
    r#"{"type":"create","filePath":"PATH","content":"one\ntwo\n","structuredPatch":[],"originalFile":null}"#;
const EDITED: &str = r#"{"filePath":"PATH","oldString":"two","newString":"three","originalFile":"one\ntwo\n","structuredPatch":[],"userModified":false,"replaceAll":false}"#;
const AGAIN: &str = r#"{"filePath":"PATH","oldString":"four","newString":"five","originalFile":"one\nfour\n","structuredPatch":[],"userModified":false,"replaceAll":false}"#;

/// Two sessions that changed `plan.txt`; in between somebody else did.
fn told(home: &Home) -> PathBuf {
    let read = r#"{"type":"text","file":{"filePath":"PATH","content":"x"}}"#;
    Talk::new(home, ONE).call("Write", "plan.txt", WROTE).call("Edit", "plan.txt", EDITED).write(home);
    let second = Talk::new(home, TWO);
    let second = Talk { session: second.session.wait(3600), ..second };
    let folder = second.call("Read", "other.txt", read).call("Edit", "plan.txt", AGAIN).write(home);
    fs::write(folder.join("plan.txt"), "one\nfive\n").unwrap();
    folder
}

#[test]
fn files_are_listed_with_what_was_done_to_them() {
    let home = Home::new();
    let folder = told(&home);
    let out = annals_exits(&home, &["files"], 0).out;
    let rows: Vec<Vec<&str>> = out.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 2, "{out}");
    // Date, time, age, changes, sessions, path: nothing read it.
    assert_eq!(&rows[0][3..], ["3", "2", &folder.join("plan.txt").display().to_string()], "{out}");
    assert_eq!(&rows[1][3..], ["1", "1", &folder.join("other.txt").display().to_string()], "{out}");
    let of_one = annals_exits(&home, &["files", ONE, "--json"], 0).out;
    keep_schema("files", &[of_one.trim().as_bytes()], "files");
    assert!(of_one.contains(r#""reads":0,"changes":2"#) && !of_one.contains("other.txt"), "{of_one}");
    let changed = annals_exits(&home, &["files", "2222", "--changed"], 0).out;
    assert_eq!(changed.lines().count(), 2, "{changed}");
    annals_exits(&home, &["files", "nowhere.txt"], 1);
}

#[test]
fn the_versions_of_a_file_are_shown_with_what_each_changed() {
    let home = Home::new();
    let folder = told(&home);
    let out = annals_exits(&home, &["files", "plan.txt"], 0).out;
    let masked = out.replace(&folder.display().to_string(), "FOLDER");
    expect(
        &masked,
        "\
FOLDER/plan.txt

version 1  c3f9c8c2  2026-06-01 00:01  Write  8 B, +2 -0
  11110000-1111-4222-8333-444444444444  Plant a tree

version 2  c9b0fb1f  2026-06-01 00:02  Edit  10 B, +1 -1
  11110000-1111-4222-8333-444444444444  Plant a tree
    @@ -1,2 +1,2 @@
     one
    -two
    +three

version 3  8d3f6371  2026-06-01 01:02  found  9 B, +1 -1
  22220000-1111-4222-8333-444444444444  Plant a tree
    @@ -1,2 +1,2 @@
     one
    -three
    +four

version 4  7a6f870e  2026-06-01 01:02  Edit  9 B, +1 -1
  22220000-1111-4222-8333-444444444444  Plant a tree
    @@ -1,2 +1,2 @@
     one
    -four
    +five
[EOF]",
    );
    let json = annals_exits(&home, &["files", "plan.txt", "--json"], 0).out;
    keep_schema("files-versions", &[json.trim().as_bytes()], "files");
    let second = annals_exits(&home, &["files", "plan.txt", "--print", "2"], 0);
    assert_eq!(second.out, "one\nthree\n");
    let digest = &sha256(b"one\nthree\n")[..8];
    assert_eq!(annals_exits(&home, &["files", "plan.txt", "--print", digest], 0).out, "one\nthree\n");
    annals_exits(&home, &["files", "plan.txt", "--print", "9"], 2);
}

#[test]
fn a_version_is_written_back_and_undone() {
    let home = Home::new();
    let folder = told(&home);
    let before = tree(&folder);
    let asked = annals_exits(&home, &["files", "plan.txt", "--restore", "2"], 2);
    assert!(asked.error.contains("--yes") && tree(&folder) == before, "{}", asked.error);
    let would = annals_exits(&home, &["files", "plan.txt", "--restore", "2", "--dry-run"], 0).out;
    assert!(would.contains("would restore") && tree(&folder) == before, "{would}");
    annals_exits(&home, &["files", "plan.txt", "--restore", "2", "--yes"], 0);
    assert_eq!(fs::read_to_string(folder.join("plan.txt")).unwrap(), "one\nthree\n");
    let again = annals_exits(&home, &["files", "plan.txt", "--restore", "2", "--yes"], 0).out;
    assert!(again.contains("nothing to do"), "{again}");
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(tree(&folder), before);
    fs::remove_file(folder.join("plan.txt")).unwrap();
    annals_exits(&home, &["files", "plan.txt", "--restore", "1", "--yes"], 0);
    assert_eq!(fs::read_to_string(folder.join("plan.txt")).unwrap(), "one\ntwo\n");
}

#[test]
fn what_something_else_wrote_and_what_configures_programs_is_left_alone() {
    let home = Home::new();
    let folder = told(&home);
    fs::write(folder.join("plan.txt"), "mine\n").unwrap();
    let refused = annals_exits(&home, &["files", "plan.txt", "--restore", "2", "--yes"], 4);
    assert!(refused.error.contains("--force"), "{}", refused.error);
    assert_eq!(fs::read_to_string(folder.join("plan.txt")).unwrap(), "mine\n");
    annals_exits(&home, &["files", "plan.txt", "--restore", "2", "--yes", "--force"], 0);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(fs::read_to_string(folder.join("plan.txt")).unwrap(), "mine\n");
    let home = Home::new();
    let folder = Talk::new(&home, ONE)
        .call("Write", ".envrc", WROTE)
        .call("Write", "../outside.txt", WROTE)
        .write(&home);
    let refused = annals_exits(&home, &["files", ".envrc", "--restore", "1", "--yes"], 2);
    assert!(refused.error.contains("configures programs"), "{}", refused.error);
    let refused = annals_exits(&home, &["files", "../outside.txt", "--restore", "1", "--yes", "--force"], 2);
    assert!(refused.error.contains("outside the session's folder"), "{}", refused.error);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(home.path().join("target"), folder.join(".envrc")).unwrap();
        annals_exits(&home, &["files", ".envrc", "--restore", "1", "--yes", "--force"], 2);
        assert!(!home.path().join("target").exists() && !home.path().join("outside.txt").exists());
    }
}

#[test]
fn versions_that_only_the_vault_has_are_shown_and_restored() {
    let home = Home::new();
    let folder = told(&home);
    annals_exits(&home, &["archive", "--all"], 0);
    annals_exits(&home, &["index"], 0);
    let slug = project_slug(&folder.display().to_string());
    fs::remove_file(home.config_dir().join(format!("projects/{slug}/{ONE}.jsonl"))).unwrap();
    let out = annals_exits(&home, &["files", "plan.txt"], 0).out;
    assert_eq!(out.matches("  (vault)  Plant a tree").count(), 2, "{out}");
    assert!(out.contains("version 4") && !out.contains("neither in the store"), "{out}");
    let json = annals_exits(&home, &["files", "plan.txt", "--json"], 0).out;
    assert_eq!(json.matches(r#""archived":true"#).count(), 2, "{json}");
    assert_eq!(annals_exits(&home, &["files", "plan.txt", "--print", "2"], 0).out, "one\nthree\n");
    annals_exits(&home, &["files", "plan.txt", "--restore", "2", "--yes"], 0);
    assert_eq!(fs::read_to_string(folder.join("plan.txt")).unwrap(), "one\nthree\n");
    let listed = annals_exits(&home, &["files"], 0).out;
    assert!(listed.contains("plan.txt"), "{listed}");
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(fs::read_to_string(folder.join("plan.txt")).unwrap(), "one\nfive\n");
    assert!(
        !home.config_dir().join(format!("projects/{slug}/{ONE}.jsonl")).exists(),
        "the session stays where it is"
    );
}

#[test]
fn a_session_that_neither_store_nor_vault_has_is_counted() {
    let home = Home::new();
    let folder = told(&home);
    annals_exits(&home, &["index"], 0);
    let slug = project_slug(&folder.display().to_string());
    fs::remove_file(home.config_dir().join(format!("projects/{slug}/{ONE}.jsonl"))).unwrap();
    let out = annals_exits(&home, &["files", "plan.txt"], 0).out;
    assert!(out.contains("1 session that changed it are neither") || !out.contains("version 4"), "{out}");
}
