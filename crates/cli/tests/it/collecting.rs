//! `annals collect` as a process that is killed, follows a store, or has an unavailable sink.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use annals_json::Value;
use annals_testkit::depth::repetitions;
use annals_testkit::home::Home;
use annals_testkit::receiver::{Receiver, ReceiverBehavior};

use crate::annals_exits;
use crate::crashes::scattered;

const SESSION: &str = "projects/-work/11111111-1111-4111-8111-111111111111.jsonl";
const PATIENCE: Duration = Duration::from_secs(60);

/// What a receiver has after de-duplication: each name with its text. Panics where one name has two.
fn arrived(receiver: &Receiver) -> BTreeMap<(String, u64, u64), String> {
    let mut all = BTreeMap::new();
    for received in receiver.kept() {
        for line in received.decoded().split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let item = Value::parse(line).unwrap();
            // Marks of files that are gone or moved hold no text.
            if item.get("of").is_some() {
                continue;
            }
            let text = |key: &str| item.get(key).unwrap().text().unwrap().decode().into_owned();
            let number = |key: &str| item.get(key).unwrap().count().unwrap();
            let name = (text("machine") + &text("file"), number("generation"), number("offset"));
            if let Some(before) = all.insert(name.clone(), text("text")) {
                assert_eq!(before, text("text"), "{name:?} came with two texts");
            }
        }
    }
    all
}

fn texts(receiver: &Receiver) -> Vec<String> {
    let mut texts: Vec<_> = arrived(receiver).into_values().collect();
    texts.sort();
    texts
}

fn append(path: &Path, lines: &[String]) {
    let bytes: String = lines.iter().map(|line| format!("{line}\n")).collect();
    File::options().append(true).open(path).unwrap().write_all(bytes.as_bytes()).unwrap();
}

fn said(text: &str) -> String {
    format!("{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}")
}

/// A process that does not outlive its test.
struct Running(Child);

impl Running {
    fn is_at_work(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(home: &Home, arguments: &[&str]) -> Running {
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Running(command.spawn().unwrap())
}

/// The batches that wait, of whatever sink.
fn spooled(home: &Home) -> Vec<PathBuf> {
    let folders = fs::read_dir(home.data_dir().join("collect")).into_iter().flatten().flatten();
    let folders = folders.map(|entry| entry.path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == "zst")).collect()
}

#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < until, "{what}: not within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_collector_killed_at_any_instant_loses_and_repeats_nothing() {
    // Nine show a sink that fails and one that is away, at a writer that has just begun and one in the midst of its work.
    let rounds = repetitions(40).max(9);
    let (home, receiver) = (Home::new(), Receiver::start(ReceiverBehavior::Bad(11)));
    let paths: Vec<_> = (0..3)
        .map(|file| home.write(format!("projects/-work/{file:08}-1111-4111-8111-111111111111.jsonl"), ""))
        .collect();
    let (mut expected, mut at_work, mut waiting) = (Vec::new(), 0, 0);
    for round in 0..rounds as u64 {
        for (file, path) in paths.iter().enumerate() {
            let lines: Vec<_> = (0..900).map(|number| said(&format!("{round} {file} {number}"))).collect();
            append(path, &lines);
            expected.extend(lines);
        }
        // Now the sink fails every second time, now it is away.
        let is_away = round % 3 == 2;
        receiver.set_behavior(if is_away {
            ReceiverBehavior::Unreachable
        } else {
            ReceiverBehavior::Bad(11)
        });
        let mut child = start(&home, &["collect", "--to", &receiver.url()]);
        if is_away {
            // However slow the machine is, some are killed with a batch that waits.
            wait_until("a batch waits", || !spooled(&home).is_empty());
        }
        let delay = if round % 2 == 0 { scattered(round) % 60_000 } else { scattered(round) % 400_000 };
        thread::sleep(Duration::from_micros(delay));
        at_work += usize::from(child.is_at_work());
        drop(child);
        waiting += usize::from(!spooled(&home).is_empty());
    }
    assert!(
        at_work >= rounds / 2 && waiting > rounds / 8,
        "{at_work} of {rounds} were at work, {waiting} left a spool"
    );
    receiver.set_behavior(ReceiverBehavior::Good);
    annals_exits(&home, &["collect", "--to", &receiver.url()], 0);
    let texts = texts(&receiver);
    expected.sort();
    assert_eq!(texts.len(), expected.len());
    assert!(texts == expected, "other lines arrived than were written");
    assert_eq!(spooled(&home), Vec::<PathBuf>::new());
}

#[test]
fn a_collector_killed_while_projects_move_sends_each_line_once() {
    // An odd number, so that the project is not in the end where it was at first.
    let rounds = repetitions(24).max(8) | 1;
    let (home, receiver) = (Home::new(), Receiver::start(ReceiverBehavior::Good));
    let names: Vec<_> = (0..3).map(|file| format!("{file:08}-1111-4111-8111-111111111111.jsonl")).collect();
    let projects = ["-work", "-play"].map(|slug| home.config_dir().join("projects").join(slug));
    for name in &names {
        home.write(format!("projects/-work/{name}"), said(name) + "\n");
    }
    annals_exits(&home, &["collect", "--to", &receiver.url()], 0);
    receiver.set_behavior(ReceiverBehavior::Bad(7));
    let mut expected: Vec<String> = names.iter().map(|name| said(name)).collect();
    for round in 0..rounds {
        let [from, to] = [round % 2, (round + 1) % 2].map(|at| &projects[at]);
        for (file, name) in names.iter().enumerate() {
            let lines: Vec<_> = (0..300).map(|number| said(&format!("{round} {file} {number}"))).collect();
            append(&from.join(name), &lines);
            expected.extend(lines);
        }
        fs::rename(from, to).unwrap();
        let child = start(&home, &["collect", "--to", &receiver.url(), "--attempts", "2"]);
        thread::sleep(Duration::from_micros(scattered(round as u64) % 250_000));
        drop(child);
    }
    receiver.set_behavior(ReceiverBehavior::Good);
    annals_exits(&home, &["collect", "--to", &receiver.url()], 0);
    let (texts, mut expected) = (texts(&receiver), expected);
    expected.sort();
    assert_eq!(texts.len(), expected.len());
    assert!(texts == expected, "other lines arrived than were written");
    // The last mark of a file says where it is.
    let mut last = BTreeMap::new();
    let items = receiver.kept().into_iter().flat_map(|received| received.decoded());
    for line in items.collect::<Vec<u8>>().split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let item = Value::parse(line).unwrap();
        let text = |key: &str| item.get(key).map(|value| value.text().unwrap().decode().into_owned());
        if let Some(of) = item.get("of").and_then(Value::count) {
            assert_eq!(text("form").as_deref(), Some("moved"));
            let generation = item.get("generation").unwrap().count().unwrap();
            let newest = last.entry(of).or_insert((0, None));
            *newest = std::cmp::max(newest.clone(), (generation, text("to")));
        }
    }
    let slug = projects[rounds % 2].file_name().unwrap().to_str().unwrap();
    assert_eq!(last.len(), names.len());
    for (_, to) in last.into_values() {
        assert!(to.as_ref().is_some_and(|to| to.contains(slug)), "{to:?}");
    }
}

#[test]
fn a_collector_that_watches_follows_whatever_happens() {
    let (home, receiver) = (Home::new(), Receiver::start(ReceiverBehavior::Good));
    let path = home.write(SESSION, "");
    let mut expected = Vec::new();
    let mut child = start(&home, &["collect", "--to", &receiver.url(), "--watch"]);
    let mut arrives = |what: &str, new: &[&str]| {
        expected.extend(new.iter().map(|text| said(text)));
        expected.sort();
        wait_until(what, || texts(&receiver).len() >= expected.len());
        assert_eq!(texts(&receiver), expected, "{what}");
    };
    append(&path, &[said("one"), said("two")]);
    arrives("lines are appended", &["one", "two"]);
    append(&path, &[said("three")]);
    arrives("and again", &["three"]);
    fs::rename(&path, home.path().join("rotated")).unwrap();
    home.write(SESSION, said("four") + "\n" + &said("five") + "\n");
    arrives("the file is rotated", &["four", "five"]);
    fs::write(&path, said("six") + "\n").unwrap();
    arrives("the file is cut", &["six"]);
    // The sink goes; the client deletes the file; the sink comes back. The last batch leaves the spool after it has arrived.
    wait_until("what has arrived leaves the spool", || spooled(&home).is_empty());
    receiver.set_behavior(ReceiverBehavior::Unreachable);
    append(&path, &[said("seven"), said("eight")]);
    wait_until("what was read waits on the disk", || !spooled(&home).is_empty());
    fs::remove_file(&path).unwrap();
    receiver.set_behavior(ReceiverBehavior::Good);
    arrives("the sink is back", &["seven", "eight"]);
    wait_until("nothing waits any more", || spooled(&home).is_empty());
    assert!(child.is_at_work(), "it ended by itself");
}

#[test]
fn a_sink_that_is_away_fills_the_spool_and_no_more() {
    let (home, receiver) = (Home::new(), Receiver::start(ReceiverBehavior::Unreachable));
    let lines: Vec<_> = (0..5000).map(|number| said(&number.to_string())).collect();
    let path = home.write(SESSION, lines.join("\n") + "\n");
    let to = ["collect", "--to", &receiver.url(), "--attempts", "1"];
    let answer = annals_exits(&home, &[&to[..], &["--spool", "1k"]].concat(), 74);
    assert!(answer.error.contains("1 batch waits") && answer.error.contains("full"), "{}", answer.error);
    assert_eq!(spooled(&home).len(), 1);
    let answer = annals_exits(&home, &to, 74);
    assert!(answer.error.contains("3 batches wait") && !answer.error.contains("full"), "{}", answer.error);
    fs::remove_file(path).unwrap();
    let would = annals_exits(&home, &[&to[..3], &["--dry-run"]].concat(), 0);
    assert!(would.out.starts_with("5,000 items of 1 file to send"), "{}", would.out);
    assert!(would.out.ends_with("; 1 file deleted\n"), "{}", would.out);
    receiver.set_behavior(ReceiverBehavior::Good);
    annals_exits(&home, &to, 0);
    let mut expected = lines;
    expected.sort();
    assert_eq!(texts(&receiver), expected);
}
