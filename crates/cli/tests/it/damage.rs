//! Any bad input leads to a problem with line and byte, and the rest is still shown.

use annals_json::Value;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::{annals, annals_exits};

/// A healthy session with something put between its two turns, or at its end.
fn with_damage(middle: &[u8], tail: &[u8]) -> Vec<u8> {
    let mut bytes =
        Session::new().prompt("before").reply("one").raw(middle).prompt("after").reply("two").into_bytes();
    bytes.extend_from_slice(tail);
    bytes
}

#[track_caller]
fn check(middle: &[u8], tail: &[u8], kind: &str, line: u64) {
    let home = Home::new();
    let bytes = with_damage(middle, tail);
    let path =
        home.write("projects/-p/11111111-2222-4333-8444-555555555555.jsonl", &bytes).display().to_string();
    assert!(annals_exits(&home, &["show", &path, "--as", "raw"], 0).bytes == bytes, "{kind}: raw");
    let shown = annals_exits(&home, &["show", &path], 0).out;
    assert!(shown.contains("before") && shown.contains("after") && shown.contains("two"), "{kind}: {shown}");
    let checked = annals(&home, &["check", &path, "--json"]);
    let answer = Value::parse(checked.out.as_bytes()).unwrap();
    let session = answer.get("sessions").unwrap().items().next().unwrap();
    let problems: Vec<_> = session.get("problems").unwrap().items().collect();
    let fits =
        |problem: &&Value<'_>| problem.get("kind").and_then(Value::text).is_some_and(|text| text.is(kind));
    let problem = problems.iter().find(fits).unwrap_or_else(|| panic!("no {kind} in {problems:?}"));
    assert_eq!(problem.get("line").unwrap().count(), Some(line), "{kind}");
    let offset = problem.get("offset").unwrap().count().unwrap() as usize;
    let length = problem.get("length").unwrap().count().unwrap() as usize;
    assert!(offset + length <= bytes.len(), "{kind}");
    let before = bytes[..offset].iter().filter(|&&byte| byte == b'\n').count() as u64;
    assert_eq!(before + 1, line, "{kind}: byte {offset} is not on line {line}");
}

#[test]
fn damaged_lines_are_named_and_the_rest_is_shown() {
    check(b"{\"type\":\"user\",\"uuid\":\"x\n", b"", "torn-line", 3);
    check(b"", b"{\"type\":\"user\",\"uuid\":\"x", "torn-tail", 5);
    check(b"\n", b"", "blank", 3);
    check(b"\0\0\0\0\n", b"", "nul-run", 3);
    check(b"not json\n", b"", "not-json", 3);
    check(b"[1,2]\n", b"", "not-an-object", 3);
    check(b"{\"type\":\"tag\",\"tag\":\"a\"}{\"type\":\"tag\",\"tag\":\"b\"}\n", b"", "two-objects", 3);
    check(b"{\"type\":\"user\",\"mess{\"type\":\"tag\",\"tag\":\"b\"}\n", b"", "spliced-line", 3);
    check(b"{\"type\":\"tag\",\"tag\":\"a\"}\r\n", b"", "carriage-return", 3);
    check(b"{\"type\":\"tag\",\"tag\":\"\xff\"}\n", b"", "invalid-utf8", 3);
    check(b"{\"type\":\"tag\",\"tag\":\"\\ud83d\"}\n", b"", "lone-surrogate", 3);
    check(b"{\"type\":\"from-the-future\",\"x\":1}\n", b"", "unknown-record", 3);
    check(
        b"{\"type\":\"user\",\"uuid\":\"x\",\"message\":{\"content\":\"no time\"}}\n",
        b"",
        "incomplete-record",
        3,
    );
    let huge = format!("{{\"type\":\"tag\",\"tag\":\"{}\"}}\n", "x".repeat(11 * 1024 * 1024));
    check(huge.as_bytes(), b"", "oversize", 3);
}

#[test]
fn a_byte_order_mark_is_no_obstacle() {
    let home = Home::new();
    let bytes = [b"\xef\xbb\xbf".to_vec(), Session::new().prompt("hello").reply("hi").into_bytes()].concat();
    let path =
        home.write("projects/-p/11111111-2222-4333-8444-555555555555.jsonl", &bytes).display().to_string();
    assert!(annals_exits(&home, &["show", &path, "--as", "raw"], 0).bytes == bytes);
    assert!(annals_exits(&home, &["show", &path], 0).out.contains("hello"));
    assert!(annals(&home, &["check", &path, "--json"]).out.contains("byte-order-mark"));
}

#[test]
fn what_lies_beside_a_session_is_checked_too() {
    let home = Home::new();
    let id = "11111111-2222-4333-8444-555555555555";
    let session = Session::new().id(id).prompt("print much").tool_use("Bash", r#"{"command":"seq 9"}"#);
    let call = r#"{"tool_use_id":"toolu_lost","type":"tool_result","content":"<persisted-output>\nFull output saved to: /elsewhere/tool-results/x.txt"}"#;
    let session = session.user(|message| {
        message.raw("content", format!("[{call}]").as_bytes());
    });
    let path = home.write(format!("projects/-p/{id}.jsonl"), session.into_bytes()).display().to_string();
    let agent = Session::new().id(id).sub_agent("abc1234").prompt("look around").reply("done");
    home.write(format!("projects/-p/{id}/subagents/agent-abc1234.jsonl"), agent.into_bytes());
    let checked = annals(&home, &["check", &path, "--json"]).out;
    for kind in ["missing-overflow", "unlinked-agent"] {
        assert!(checked.contains(&format!(r#""kind":"{kind}""#)), "{kind}: {checked}");
    }
    home.write(format!("projects/-p/{id}/tool-results/x.txt"), "1\n2\n");
    assert!(!annals(&home, &["check", &path, "--json"]).out.contains("missing-overflow"));
}
