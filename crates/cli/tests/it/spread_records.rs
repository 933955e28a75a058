//! A store in which every record takes several lines says the same as the original.

use std::fs::{self, File};
use std::path::Path;

use annals_demo::Plan;
use annals_json::{Value, compact};
use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::spread::spread;

use crate::annals_exits;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

/// Spreads the records of all sessions below a folder; the files keep their times.
fn spread_all(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            spread_all(&path);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            fs::write(&path, spread(&fs::read(&path).unwrap())).unwrap();
            File::options().append(true).open(&path).unwrap().set_modified(modified).unwrap();
        }
    }
}

/// A made-up store, and the same with its records spread.
fn stores() -> [Home; 2] {
    let homes = [Home::new(), Home::new()];
    for home in &homes {
        home.fill(&Plan::default());
    }
    spread_all(&homes[1].config_dir().join("projects"));
    homes
}

/// Without what differs: line numbers before hits, sizes, and the number of files with problems.
fn without_places(out: &str) -> Vec<String> {
    let is_size = |word: &str| matches!(word, "B" | "KB" | "MB" | "GB");
    let line = |line: &str| {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        // The lines of passages, and of the commands that open them.
        if line.starts_with("  ") && words.first().is_some_and(|at| at.parse::<u32>().is_ok()) {
            words.remove(0);
        }
        if words.iter().rev().nth(1) == Some(&"--around") {
            words.pop();
        }
        let kept = (0..words.len()).filter(|at| {
            !is_size(words[*at].trim_end_matches(','))
                && !words.get(at + 1).is_some_and(|next| is_size(next.trim_end_matches(',')))
        });
        kept.map(|at| words[at]).collect::<Vec<_>>().join(" ")
    };
    let is_problem = |line: &&str| line.contains("unreadable lines");
    out.lines().filter(|line| !is_problem(line)).map(line).collect()
}

#[test]
fn lists_sums_and_hits_are_the_same() {
    let [whole, spread] = stores();
    let questions: [&[&str]; 11] = [
        &["ls", "--limit", "50"],
        &["ls", "--long", "--limit", "50"],
        &["usage"],
        &["usage", "--no-index"],
        &["usage", "--by", "session"],
        &["usage", "--by", "model", "--no-index"],
        &["stats"],
        &["search", "the"],
        &["search", "tool:Bash test"],
        &["search", "--exact", "the"],
        &["search", "--exact", "tests", "--in", "tools"],
    ];
    for question in questions {
        let [expected, seen] = [&whole, &spread].map(|home| {
            let out = annals_exits(home, question, 0).out;
            without_places(&out.replace(&*home.path().to_string_lossy(), ""))
        });
        assert_eq!(seen, expected, "{question:?}");
    }
}

#[test]
fn messages_and_what_is_sent_are_the_same() {
    let homes = stores();
    let messages =
        homes.each_ref().map(|home| annals_exits(home, &["show", "last", "--as", "messages"], 0).out);
    assert!(messages[0].lines().count() > 3);
    assert_eq!(messages[1], messages[0]);
    let sent = homes.each_ref().map(|home| {
        let sink = home.path().join("sent");
        annals_exits(home, &["collect", "--to", &format!("file:{}", sink.display()), "--priority", "p1"], 0);
        let sent = fs::read(&sink).unwrap();
        let text = |line: &[u8]| {
            let item = Value::parse(line).unwrap();
            let text = |key: &str| item.get(key).and_then(Value::text).map(|text| text.decode().into_owned());
            let mut out = Vec::new();
            match text("text").map(String::into_bytes) {
                Some(held) => match Value::parse(&held) {
                    Ok(value) => compact(value, &mut out),
                    Err(_) => out = held,
                },
                None => out.extend_from_slice(b"withheld"),
            }
            (text("file").unwrap(), String::from_utf8(out).unwrap())
        };
        let lines = sent.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        lines.map(text).filter(|(file, _)| file.ends_with(".jsonl")).collect::<Vec<_>>()
    });
    assert!(sent[0].len() > 100);
    assert_eq!(sent[1], sent[0]);
}

#[test]
fn a_file_that_grows_inside_a_record_loses_and_repeats_nothing() {
    let session = Session::new()
        .id(ID)
        .prompt("Where is the zebra?")
        .tool_use("Bash", r#"{"command":"ls"}"#)
        .tool_result("a zebra and another")
        .reply("The zebra is here")
        .into_bytes();
    let [whole, grown] = [Home::new(), Home::new()];
    let name = format!("projects/-w/{ID}.jsonl");
    whole.write(&name, &session);
    let file = spread(&session);
    let sink = format!("file:{}", grown.path().join("sent").display());
    for end in (1..=7).map(|part| file.len() * part / 7) {
        grown.write(&name, &file[..end]);
        annals_exits(&grown, &["index"], 0);
        annals_exits(&grown, &["collect", "--to", &sink], 0);
    }
    for question in [&["search", "zebra"][..], &["usage", "--by", "session"], &["usage", "--no-index"]] {
        let [expected, seen] =
            [&whole, &grown].map(|home| without_places(&annals_exits(home, question, 0).out));
        assert_eq!(seen.len(), expected.len(), "{question:?}: {seen:?}");
        assert_eq!(seen[1..], expected[1..], "{question:?}");
    }
    let sent = fs::read_to_string(grown.path().join("sent")).unwrap();
    let records = sent.lines().filter(|line| line.contains(ID) && line.contains("\"form\":\"line\""));
    assert_eq!(records.count(), session.iter().filter(|&&byte| byte == b'\n').count(), "{sent}");
}

#[test]
fn it_can_be_renamed_tagged_and_continued() {
    let home = Home::new();
    let session = spread(&Session::new().id(ID).prompt("hello").reply("hi").into_bytes());
    home.write(format!("projects/-w/{ID}.jsonl"), session);
    annals_exits(&home, &["rename", ID, "A new title", "--yes"], 0);
    annals_exits(&home, &["tag", ID, "kept", "--yes"], 0);
    let out = annals_exits(&home, &["ls"], 0).out;
    assert!(out.contains("A new title"), "{out}");
}
