//! `annals collect`, to each kind of sink.

use std::fs;

use annals_json::Value;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::receiver::{AUTHORITY, Certificate, Receiver, ReceiverBehavior};

use crate::schemas::keep_schema;
use crate::{annals_exits, expect};

const SESSION: &str = "projects/-work/11111111-1111-4111-8111-111111111111.jsonl";
/// Made of two halves, so that no scanner takes this file for a leak.
const SECRET: &str = concat!("ghp_", "a8Kq2LmN4pRs6TuV8wXy1ZbC3dEf5GhJ7kQ9");

fn home() -> Home {
    let home = Home::new();
    let said = |text: &str| {
        format!("{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n")
    };
    home.write(SESSION, said("hello") + &said(SECRET));
    home
}

#[test]
fn a_file_gets_what_is_new_and_no_secret() {
    let home = home();
    let to = ["collect", "--to", "file:out.ndjson"];
    let would = annals_exits(&home, &[&to[..], &["--dry-run"]].concat(), 0);
    expect(&would.out, "2 items of 1 file to send, 155 B\n[EOF]");
    assert!(!home.work_dir().join("out.ndjson").exists());
    let sent = annals_exits(&home, &[&to[..], &["--json"]].concat(), 0);
    keep_schema("collect", &[sent.out.trim_end().as_bytes()], "collect --json");
    let out = fs::read(home.work_dir().join("out.ndjson")).unwrap();
    let lines: Vec<&[u8]> = out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 2);
    keep_schema("collect-item", &lines, "collect --to file:PATH");
    let text = String::from_utf8(out).unwrap();
    assert!(!text.contains(SECRET) && text.contains("[REDACTED:github-token]"), "{text}");
    expect(&annals_exits(&home, &to, 0).out, "0 items of 0 files sent, 0 B\n[EOF]");
}

#[test]
fn standard_output_gets_nothing_but_items() {
    let home = home();
    let answer = annals_exits(&home, &["collect", "--to", "-", "--pattern", "hel+o"], 0);
    let lines: Vec<&[u8]> =
        answer.bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 2);
    keep_schema("collect-item", &lines, "collect --to -");
    assert!(!answer.out.contains("hello") && answer.error.contains("2 items"), "{}", answer.error);
}

#[test]
fn a_receiver_gets_the_token_and_a_refusal_is_said() {
    let home = home();
    let receiver = Receiver::start(ReceiverBehavior::Good);
    let token = home.path().join("token");
    fs::write(&token, "word\n").unwrap();
    let token = token.display().to_string();
    let url = receiver.url();
    annals_exits(&home, &["collect", "--to", &url, "--token-file", &token, "--encoding", "identity"], 0);
    let kept = receiver.kept();
    assert_eq!((kept.len(), kept[0].header("authorization")), (1, Some("Bearer word")));
    assert!(!String::from_utf8_lossy(&kept[0].body).contains(SECRET));

    let refusing = Receiver::start(ReceiverBehavior::Status(403));
    let answer = annals_exits(&home, &["collect", "--to", &refusing.url()], 74);
    assert!(
        answer.error.contains("status 403") && answer.error.contains("by the next run"),
        "{}",
        answer.error
    );
}

#[test]
fn a_body_may_be_one_array_in_gzip() {
    let (home, receiver) = (home(), Receiver::start(ReceiverBehavior::Good));
    let to = ["collect", "--to", &receiver.url(), "--format", "json", "--encoding", "gzip"];
    annals_exits(&home, &to, 0);
    let kept = receiver.kept();
    assert_eq!((kept.len(), kept[0].header("content-encoding")), (1, Some("gzip")));
    keep_schema("collect-batch", &[&kept[0].decoded()], "collect --format json");
    assert_eq!(Value::parse(&kept[0].decoded()).unwrap().items().count(), 2);
    annals_exits(&home, &["collect", "--to", "-", "--format", "json"], 2);
}

#[test]
fn an_encrypted_receiver_is_trusted_only_by_who_vouches_for_it() {
    let home = home();
    let token = home.path().join("token");
    fs::write(&token, "word\n").unwrap();
    let token = token.display().to_string();
    let authority = home.path().join("ca.pem");
    fs::write(&authority, AUTHORITY).unwrap();
    let authority = authority.display().to_string();
    for (certificate, code, said) in [
        (Certificate::Expired, 2, "it has expired"),
        (Certificate::Elsewhere, 2, "for another name"),
        (Certificate::Good, 0, ""),
    ] {
        let receiver = Receiver::start_encrypted(ReceiverBehavior::Good, certificate);
        let url = receiver.url();
        let to = ["collect", "--to", &url, "--token-file", &token, "--ca-file", &authority];
        let answer = annals_exits(&home, &to, code);
        assert!(answer.error.contains(said), "{}", answer.error);
        let tokens: Vec<_> =
            receiver.kept().iter().map(|kept| kept.header("authorization").map(str::to_owned)).collect();
        assert_eq!(tokens, vec![Some("Bearer word".to_owned()); usize::from(code == 0)]);
    }
    // The system does not trust this one.
    let receiver = Receiver::start_encrypted(ReceiverBehavior::Good, Certificate::Good);
    let answer = annals_exits(&home, &["collect", "--to", &receiver.url()], 2);
    assert!(answer.error.contains("--ca-file"), "{}", answer.error);
    assert_eq!(receiver.kept(), []);
    for (arguments, said) in [
        (["--to", "http://192.0.2.1/in", "--token-file", &token], "unencrypted"),
        (["--to", &receiver.url(), "--ca-file", &token], "no certificate"),
    ] {
        let answer = annals_exits(&home, &[&["collect"], &arguments[..]].concat(), 2);
        assert!(answer.error.contains(said), "{}", answer.error);
    }
}

#[test]
fn a_token_comes_from_the_environment_and_a_person_goes_with_it() {
    let home = home();
    for (name, token) in [("ANNALS_TOKEN", "new"), ("ANNALS_COLLECT_TOKEN", "old")] {
        let receiver = Receiver::start(ReceiverBehavior::Good);
        let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
        command.args(["collect", "--to", &receiver.url(), "--person", "Mira Ö"]).env(name, token);
        assert!(command.output().unwrap().status.success());
        let kept = receiver.kept();
        assert_eq!(kept[0].header("authorization"), Some(format!("Bearer {token}").as_str()));
        assert_eq!(kept[0].header("annals-person"), Some("Mira %c3%96"));
        assert!(kept[0].header("annals-rules").is_some_and(|rules| rules.len() == 16));
        assert_eq!(kept[0].header("annals-version"), Some(env!("CARGO_PKG_VERSION")));
    }
    let empty = home.path().join("empty");
    fs::write(&empty, "\n").unwrap();
    let empty = empty.display().to_string();
    let answer = annals_exits(&home, &["collect", "--to", "http://localhost:1/", "--token-file", &empty], 2);
    assert!(answer.error.contains("is empty"), "{}", answer.error);
    annals_exits(&home, &["collect", "--to", "-", "--person", "Mira"], 2);
}

#[test]
fn deleted_and_moved_sessions_reach_the_sink() {
    let home = home();
    let to = ["collect", "--to", "file:out.ndjson"];
    annals_exits(&home, &to, 0);
    let moved = home.config_dir().join("projects/-play");
    fs::rename(home.config_dir().join("projects/-work"), &moved).unwrap();
    expect(&annals_exits(&home, &to, 0).out, "0 items of 0 files sent, 0 B; 1 file moved\n[EOF]");
    fs::remove_dir_all(&moved).unwrap();
    expect(&annals_exits(&home, &to, 0).out, "0 items of 0 files sent, 0 B; 1 file deleted\n[EOF]");
    let out = fs::read(home.work_dir().join("out.ndjson")).unwrap();
    let lines: Vec<&[u8]> = out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 4);
    keep_schema("collect-item", &lines, "collect --to file:PATH");
    let form =
        |line: &[u8]| Value::parse(line).unwrap().get("form").unwrap().text().unwrap().decode().into_owned();
    assert_eq!([form(lines[2]), form(lines[3])], ["moved", "gone"]);
}

#[test]
fn a_session_in_the_trash_is_deleted_for_the_sink_and_restored_with_it() {
    let home = home();
    let to = ["collect", "--to", "file:out.ndjson"];
    annals_exits(&home, &to, 0);
    annals_exits(&home, &["trash", "11111111", "--yes"], 0);
    expect(&annals_exits(&home, &to, 0).out, "0 items of 0 files sent, 0 B; 1 file deleted\n[EOF]");
    annals_exits(&home, &["restore", "11111111", "--yes"], 0);
    expect(&annals_exits(&home, &to, 0).out, "0 items of 0 files sent, 0 B; 1 file restored\n[EOF]");
}

#[test]
fn a_project_that_is_moved_and_back_keeps_its_session_for_the_sink() {
    let home = Home::new();
    let id = "3f2a0000-1111-4222-8333-444444444444";
    let session = Session::new().id(id).folder("/a/old").prompt("one").reply("1").into_bytes();
    home.write(format!("projects/-a-old/{id}.jsonl"), String::from_utf8(session).unwrap());
    let to = ["collect", "--to", "file:out.ndjson"];
    annals_exits(&home, &to, 0);
    for change in [&["move-project", "/a/old", "/b/new", "--yes"][..], &["undo", "--yes"]] {
        annals_exits(&home, change, 0);
        // Its lines name another folder now, so they are sent, and nothing is deleted.
        let sent = annals_exits(&home, &to, 0).out;
        assert!(sent.starts_with("2 items of 1 file sent") && sent.ends_with("; 1 file moved\n"), "{sent}");
        assert_eq!(annals_exits(&home, &to, 0).out, "0 items of 0 files sent, 0 B\n");
    }
}

#[test]
fn refused_items_are_listed_until_they_are_sent_again() {
    let (home, receiver) = (home(), Receiver::start(ReceiverBehavior::Good));
    let url = receiver.url();
    let to = ["collect", "--to", &url];
    annals_exits(&home, &to, 0);
    let status = |code: i32| annals_exits(&home, &[&to[..], &["--status"]].concat(), code);
    assert!(status(0).out.contains("0 items refused"), "{}", status(0).out);
    let path = home.config_dir().join(SESSION);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.clone() + "{\"type\":\"tag\"}\n").unwrap();
    receiver.set_behavior(ReceiverBehavior::Status(422));
    let answer = annals_exits(&home, &to, 3);
    let said = format!("{SESSION}, line 3: not sent");
    assert!(answer.error.contains(&said) && answer.error.contains("status 422"), "{}", answer.error);
    assert!(!annals_exits(&home, &to, 0).error.contains("not sent"), "it is reported once");
    assert!(
        status(3).out.contains("1 item refused") && status(3).out.contains("line 3"),
        "{}",
        status(3).out
    );
    let json = annals_exits(&home, &[&to[..], &["--status", "--json"]].concat(), 3);
    keep_schema("collect-status", &[json.out.trim_end().as_bytes()], "collect --status --json");
    receiver.set_behavior(ReceiverBehavior::Good);
    annals_exits(&home, &[&to[..], &["--retry-refused"]].concat(), 0);
    assert!(status(0).out.contains("0 items refused"), "{}", status(0).out);
    let last = receiver.kept().pop().unwrap();
    assert!(String::from_utf8(last.decoded()).unwrap().contains("tag"));
}

#[test]
fn wrong_sinks_are_explained() {
    let home = home();
    for (to, hint) in [
        ("ftp://example.org/in", "http(s)://"),
        ("http://me:word@localhost/", "--token-file"),
        ("somewhere", "file:PATH"),
    ] {
        let answer = annals_exits(&home, &["collect", "--to", to], 2);
        assert!(answer.error.contains(hint), "{}", answer.error);
    }
}
