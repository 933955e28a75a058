//! `annals tail` while another program writes.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use annals_demo::Plan;
use annals_json::Value;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::schemas::keep_schema;
use crate::{annals, annals_exits, expect};

/// A reader that waits longer than this waits for nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// The best way is events, where they can be had.
const WAYS: [&str; 2] = ["best", "polling"];

/// A running `annals tail`, ended with its owner.
struct Tail {
    child: Child,
    lines: Receiver<Vec<u8>>,
}

impl Tail {
    fn start(home: &Home, path: &Path, arguments: &[&str]) -> Self {
        let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
        command.arg("tail").arg(path).args(arguments).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = channel();
        thread::spawn(move || {
            for line in out.split(b'\n').map_while(Result::ok) {
                if tell.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    /// The next line that it prints.
    fn next(&self) -> String {
        String::from_utf8(self.next_bytes()).unwrap()
    }

    fn next_bytes(&self) -> Vec<u8> {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    /// Everything until a line that contains this.
    fn until(&self, end: &str) -> String {
        let mut page = String::new();
        while !page.lines().last().is_some_and(|line| line.contains(end)) {
            page = page + &self.next() + "\n";
        }
        page
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn append(path: &Path, bytes: impl AsRef<[u8]>) {
    File::options().append(true).open(path).unwrap().write_all(bytes.as_ref()).unwrap();
}

/// A session file and its lines.
fn written(home: &Home, session: Session) -> (std::path::PathBuf, Vec<Vec<u8>>) {
    let bytes = session.into_bytes();
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    (home.write("projects/-p/3f2a0000-1111-4222-8333-444444444444.jsonl", bytes), lines)
}

fn number(line: &str) -> f64 {
    Value::parse(line.as_bytes()).unwrap().get("line").unwrap().number().unwrap()
}

#[test]
fn the_last_records_come_first_and_then_every_new_one() {
    let long = |count: usize| (0..count).fold(Session::new(), |session, n| session.prompt(&format!("p{n}")));
    for way in WAYS {
        let home = Home::new();
        let (path, lines) = written(&home, long(14));
        fs::write(&path, lines[..12].concat()).unwrap();
        let ten = Tail::start(&home, &path, &["--json", "--notice-by", way]);
        assert_eq!(
            (3..=12).map(|_| number(&ten.next())).collect::<Vec<_>>(),
            (3..=12).map(f64::from).collect::<Vec<_>>()
        );
        let two = Tail::start(&home, &path, &["--json", "--lines", "2", "--notice-by", way]);
        assert_eq!([number(&two.next()), number(&two.next())], [11.0, 12.0]);
        let (first, rest) = lines[12].split_at(20);
        append(&path, first);
        append(&path, [rest, &lines[13]].concat());
        for tail in [&ten, &two] {
            let (thirteen, fourteen) = (tail.next(), tail.next());
            assert_eq!([number(&thirteen), number(&fourteen)], [13.0, 14.0], "{way}");
            assert!(thirteen.contains(r#""problems":[],"record":{"parentUuid":"#), "{thirteen}");
            let value = Value::parse(fourteen.as_bytes()).unwrap();
            assert_eq!(value.get("record").unwrap().raw(), lines[13].strip_suffix(b"\n").unwrap());
        }
    }
}

#[test]
fn nothing_of_the_past_is_shown_where_nobody_asks_for_it() {
    let home = Home::new();
    let (path, lines) = written(&home, Session::new().prompt("one").prompt("two").prompt("new"));
    fs::write(&path, lines[..2].concat()).unwrap();
    let tail = Tail::start(&home, &path, &["--json", "-n", "0"]);
    // It says nothing when it has started: write until it has.
    let mut tries = 0;
    let first = loop {
        append(&path, &lines[2]);
        match tail.lines.recv_timeout(Duration::from_millis(100)) {
            Ok(line) => break String::from_utf8(line).unwrap(),
            Err(_) => tries += 1,
        }
        assert!(tries < 600, "it never starts");
    };
    assert!(number(&first) > 2.0 && first.contains(r#""content":"new""#), "{first}");
}

#[test]
fn people_read_it_as_they_read_a_session() {
    let home = Home::new();
    let session = Session::new()
        .prompt("What is in this folder?")
        .response(|response| response.thinking("ls will do").tool_use("Bash", r#"{"command":"ls -l"}"#))
        .tool_result("total 0\na.txt")
        .reply("One file.")
        .side("custom-title", |line| {
            line.string("customTitle", "A look around");
        })
        .raw(b"torn {\n")
        .prompt("Thank you");
    let (path, lines) = written(&home, session);
    fs::write(&path, lines[..3].concat()).unwrap();
    let tail = Tail::start(&home, &path, &[]);
    let mut page = tail.until("ls -l");
    for line in &lines[3..7] {
        append(&path, line);
    }
    page += &tail.until("damaged");
    let away = path.with_extension("old");
    fs::rename(&path, &away).unwrap();
    page += &tail.until("gone");
    fs::rename(&away, &path).unwrap();
    page += &tail.until("the file is back");
    append(&path, &lines[7]);
    page += &tail.until("Thank you");
    expect(
        &page,
        "\
| you                                                                               2026-06-01 00:00
| What is in this folder?

  thinking
  | ls will do

* Bash  ls -l
  | total 0
  | a.txt

| claude - sonnet-4-5                                                                          00:00
| One file.

  - title A look around
  - damaged line 7: The line is not JSON.
  - the file is gone
  - the file is back

| you                                                                                          00:00
| Thank you
[EOF]",
    );
}

#[test]
fn every_session_is_followed_in_the_form_that_is_promised() {
    let home = Home::new();
    home.fill(&Plan::default());
    let listed = annals(&home, &["ls", "--all", "--json"]);
    let listed = Value::parse(listed.out.as_bytes()).unwrap();
    let mut count = 0;
    for session in listed.get("sessions").unwrap().items() {
        let file = session.get("file").unwrap().text().unwrap().to_string();
        let bytes = fs::read(&file).unwrap();
        let whole = bytes.iter().filter(|&&byte| byte == b'\n').count();
        let shown = annals(&home, &["show", &file, "--as", "records"]);
        let shown = shown.bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let tail = Tail::start(&home, Path::new(&file), &["--json", "-n", "1000000"]);
        // A last line without its newline is not told.
        for expected in shown.filter(|line| number(&String::from_utf8_lossy(line)) <= whole as f64) {
            let line = tail.next_bytes();
            keep_schema("tail", &[&line], &format!("tail {file}"));
            let value = Value::parse(&line).unwrap();
            let place = |key: &str| value.get(key).unwrap().number().unwrap() as usize;
            let without = match value.get("record") {
                Some(record) => {
                    let raw = &bytes[place("offset")..place("offset") + place("length")];
                    assert_eq!(record.raw(), annals_ui::escape_json(raw).as_bytes());
                    line.len() - record.raw().len() - r#","record":"#.len()
                }
                None => line.len(),
            };
            assert_eq!(without, expected.len(), "{}", String::from_utf8_lossy(&line));
            assert!(line.starts_with(&expected[..expected.len() - 1]));
            count += 1;
        }
    }
    assert!(count > 100, "{count} records");
}

#[test]
fn what_happens_to_the_file_is_told() {
    for way in WAYS {
        let home = Home::new();
        let (path, lines) = written(&home, Session::new().prompt("one").reply("two").prompt("three"));
        let tail = Tail::start(&home, &path, &["--json", "-n", "1", "--notice-by", way]);
        assert_eq!(number(&tail.next()), 3.0);
        let happens = |what: &str| {
            let line = tail.next();
            keep_schema("tail", &[line.as_bytes()], "tail");
            let value = Value::parse(line.as_bytes()).unwrap();
            assert!(value.get("event").unwrap().text().unwrap().is(what), "{what}: {line}");
            assert!(value.get("file").unwrap().text().unwrap().is(&path.display().to_string()), "{line}");
        };
        File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
        happens("truncated");
        append(&path, lines.concat());
        assert_eq!((0..3).map(|_| number(&tail.next())).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        if cfg!(unix) {
            let other = path.with_extension("new");
            fs::write(&other, lines[..2].concat()).unwrap();
            fs::rename(&other, &path).unwrap();
            happens("replaced");
            assert_eq!(number(&tail.next()), 2.0);
        }
        fs::remove_file(&path).unwrap();
        happens("gone");
        fs::write(&path, &lines[0]).unwrap();
        happens("back");
        assert_eq!(number(&tail.next()), 1.0, "{way}");
    }
}

#[test]
fn what_is_not_there_cannot_be_followed() {
    let home = Home::new();
    home.write("projects/-p/one.jsonl", Session::new().prompt("hi").into_bytes());
    assert!(annals_exits(&home, &["tail", "zzzz"], 1).error.contains("no session"));
    let missing = home.path().join("gone.jsonl").display().to_string();
    assert!(annals_exits(&home, &["tail", &missing], 2).error.contains("no such file"));
    annals_exits(&home, &["tail"], 2);
    annals_exits(&home, &["tail", "last", "-n", "many"], 2);
}

#[test]
fn it_ends_when_nobody_reads_any_more() {
    let home = Home::new();
    let (path, lines) = written(&home, Session::new().prompt("one").prompt("two"));
    fs::write(&path, &lines[0]).unwrap();
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.arg("tail").arg(&path).arg("--json").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();
    drop(out);
    append(&path, &lines[1]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
