//! `annals stats` and `annals usage --by tool` read a file again after it changed, and report all files.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use annals_demo::Plan;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::annals_exits;

const QUESTIONS: [&[&str]; 4] = [
    &["stats", "--json"],
    &["stats", "--until", "2026-06-30"],
    &["usage", "--by", "tool"],
    &["usage", "--by", "tool", "--since", "2025-11-01"],
];

fn ask(home: &Home, more: &[&str]) -> [String; 4] {
    QUESTIONS.map(|question| annals_exits(home, &[question, more].concat(), 0).out)
}

fn age(path: &Path, minutes: u64) {
    let time = SystemTime::now() - Duration::from_secs(60 * minutes);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn a_file_that_did_not_change_is_not_read_again() {
    let home = Home::new();
    home.fill(&Plan { sessions: Some(12), ..Plan::default() });
    let session =
        Session::new().folder("/w").prompt("one").tool_use("Bash", r#"{"command":"ls"}"#).tool_result("a");
    let path =
        home.write("projects/-w/9157e5ee-0000-4000-8000-000000000000.jsonl", session.clone().into_bytes());
    age(&path, 5);
    let of_files = ask(&home, &["--no-index"]);
    assert!(!home.data_dir().join("index").exists(), "nothing is kept with --no-index");
    assert!(ask(&home, &[]) == of_files);
    assert!(ask(&home, &[]) == of_files);
    // Behind our back, as no program does it by chance: the same size, time and place.
    let bytes = fs::read(&path).unwrap();
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, vec![b' '; bytes.len()]).unwrap();
    File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    assert!(ask(&home, &[]) == of_files);
    assert!(ask(&home, &["--no-index"]) != of_files);
    // It grows, and another session begins with the same lines: what both have counts once.
    let grown = session
        .prompt("two")
        .tool_use("Bash", r#"{"command":"pwd"}"#)
        .tool_result("/w")
        .reply("here")
        .into_bytes();
    fs::write(&path, &grown).unwrap();
    age(&path, 4);
    age(&home.write("projects/-w/f04c0000-0000-4000-8000-000000000000.jsonl", &grown), 3);
    let of_more = ask(&home, &["--no-index"]);
    assert!(of_more != of_files);
    assert!(ask(&home, &[]) == of_more);
    assert!(ask(&home, &[]) == of_more);
    // What is gone is not told of.
    fs::remove_dir_all(home.config_dir().join("projects/-w")).unwrap();
    let of_less = ask(&home, &["--no-index"]);
    assert!(ask(&home, &[]) == of_less);
    assert!(of_less != of_more);
}
