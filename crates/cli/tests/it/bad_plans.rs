//! Invalid plans are rejected before anything is written: the error says why, and no byte changes.

use std::fs;
use std::path::{Path, PathBuf};

use annals_testkit::builder::Session;
use annals_testkit::home::{CommandOutput, Home};
use annals_testkit::tree::{Tree, tree};

use crate::annals;

const ID: &str = "5e550000-0000-4000-8000-000000000000";

/// Every file of the store, and every note and copy in our own folder; locks are no change.
fn everything(home: &Home) -> Tree {
    let folders = [home.config_dir(), home.data_dir().join("journal"), home.data_dir().join("trash")];
    folders.iter().flat_map(|folder| tree(folder)).collect()
}

/// A session of three turns in which there is something to do for every operation.
fn store() -> (Home, PathBuf) {
    let home = Home::new();
    let long = "a line of output\n".repeat(2_000);
    let bytes = Session::new()
        .id(ID)
        .prompt("one")
        .response(|response| response.thinking("hm").text("first").tool_use("Bash", r#"{"command":"ls"}"#))
        .tool_result(&long)
        .reply("done")
        .prompt("two, with DB_PASSWORD=correcthorse")
        .reply("second")
        .prompt("three")
        .reply("third")
        .raw(b"{\"type\":\"user\",\"uuid\":\"torn\n")
        .into_bytes();
    let path = home.write(format!("projects/-p/{ID}.jsonl"), bytes);
    (home, path)
}

#[track_caller]
fn refused(home: &Home, words: &[&str], code: i32, why: &str, run: impl Fn(&Home, &[&str]) -> CommandOutput) {
    let before = everything(home);
    let answer = run(home, words);
    let said = format!("annals {}: {}{}", words.join(" "), answer.out, answer.error);
    assert_eq!(answer.code, Some(code), "{said}");
    assert!(answer.error.contains(why), "{said}");
    assert!(everything(home) == before, "{said}: something was written");
}

#[test]
fn what_is_not_there_is_refused() {
    let (home, _) = store();
    let cases: [(&[&str], i32, &str); 12] = [
        (
            &["fork", ID, "--at", "deadbeef-0000-4000-8000-000000000000"],
            2,
            "deadbeef-0000-4000-8000-000000000000",
        ),
        (&["fork", ID, "--turn", "4"], 2, "turn"),
        (&["fork", ID, "--turn", "0"], 2, "turn"),
        (&["strip", ID, "--tools", "Nope"], 1, "Nope"),
        (&["strip", ID, "--images"], 1, "nothing to remove in"),
        (&["strip", ID], 2, "--tools"),
        (&["strip", ID, "--thinking", "--oldest-percent", "101"], 2, "101"),
        (&["compress", ID, "--keep-turns", "3"], 1, "turns"),
        (&["compress", ID, "--keep-turns", "0"], 2, "0"),
        (&["redact", ID, "--pattern", "("], 2, "not a regular expression"),
        (&["redact", ID, "--kind", "nonsense"], 2, "nonsense"),
        (&["repair", ID, "--only", "nonsense"], 2, "nonsense"),
    ];
    for (words, code, why) in cases {
        refused(&home, words, code, why, annals);
    }
}

#[test]
fn a_session_that_is_not_there_is_refused_by_every_operation() {
    let (home, _) = store();
    let unknown = "99999999-0000-4000-8000-000000000000";
    let operations: [&[&str]; 9] = [
        &["clone", unknown],
        &["fork", unknown],
        &["strip", unknown, "--thinking"],
        &["compress", unknown],
        &["redact", unknown],
        &["repair", unknown],
        &["rename", unknown, "x"],
        &["tag", unknown, "x"],
        &["todos", "set", unknown],
    ];
    for words in operations {
        refused(&home, words, 1, unknown, annals);
    }
    refused(&home, &["reset-project", "/no/such/project"], 1, "no sessions of this project", annals);
}

/// What edits the session's file, and what makes another from it.
const EDITS: [&[&str]; 4] = [
    &["strip", ID, "--thinking", "--yes"],
    &["compress", ID, "--keep-turns", "1", "--yes"],
    &["redact", ID, "--yes"],
    &["repair", ID, "--yes"],
];
const COPIES: [&[&str]; 3] =
    [&["clone", ID, "--yes"], &["fork", ID, "--yes"], &["fork", ID, "--keep-ids", "--yes"]];

#[cfg(target_os = "linux")]
#[test]
fn a_session_in_use_is_refused() {
    let (home, _) = store();
    let pid = std::process::id();
    home.write(format!("sessions/{pid}.json"), format!(r#"{{"pid":{pid},"sessionId":"{ID}"}}"#));
    for words in EDITS.into_iter().chain([["reset-project", "--yes", "--", "-p"].as_slice()]) {
        refused(&home, words, 4, "a running client", annals);
    }
    // A copy only reads its source.
    for words in COPIES {
        assert_eq!(annals(&home, words).code, Some(0), "{words:?}");
    }
}

/// A limit on the size of files stands in for a disk without room for the new copy.
#[cfg(target_os = "linux")]
fn without_space(home: &Home, words: &[&str]) -> CommandOutput {
    let mut command = home.command("bash");
    command.args(["-c", "trap '' XFSZ; ulimit -S -f 2; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_annals")]);
    home.finish(command.args(words))
}

#[cfg(target_os = "linux")]
#[test]
fn without_space_for_the_copy_nothing_is_changed() {
    let (home, path) = store();
    for words in EDITS.into_iter().chain(COPIES) {
        // What was staged is gone too.
        refused(&home, words, 74, "the disk is full", without_space);
        refused(&home, words, 74, "nothing was changed", without_space);
    }
    let only = |path: &Path| fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(only(&path), 1, "nothing lies beside the session");
}
