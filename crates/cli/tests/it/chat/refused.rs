//! Input that the API would always reject, and output without a reader.

use std::process::Stdio;

use annals_json::Value;

use super::{ChatFixture, HELLO, text};

#[test]
fn what_cannot_be_said_is_answered_and_leaves_nothing_behind() {
    let fixture = ChatFixture::new(HELLO);
    let said =
        |content: &str| format!(r#"{{"type":"user","message":{{"role":"user","content":{content}}}}}"#);
    let blank = r#"[{"type":"text","text":"  "}]"#;
    let bad = [r#""  ""#, r#""""#, "[]", blank, r#"["x"]"#, "[null]"].map(said).join("\n");
    let stream = [bad.clone(), said(r#""say @@a@@""#), bad, said(r#""say @@b@@""#)].join("\n");
    let forms = ["--input-format", "stream-json", "--output-format", "stream-json"];
    let answer = fixture.fed(&forms, &stream);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.error);
    let results: Vec<_> = answer.out.lines().filter(|line| line.contains(r#""type":"result""#)).collect();
    let is_error =
        |line: &&str| Value::parse(line.as_bytes()).unwrap().get("is_error").unwrap().raw() == b"true";
    let errors: Vec<_> = results.iter().map(is_error).collect();
    assert_eq!(errors, [[true; 6].as_slice(), &[false], &[true; 6], &[false]].concat());
    assert_eq!([results[6], results[13]].map(|line| text(line, &["result"])), ["Hallo 😀", "again"]);
    assert!(results[0].contains(r#""errors":["the message is empty"#), "{}", results[0]);
    for request in fixture.api.requests() {
        assert_eq!(request.violations, [], "{}", String::from_utf8_lossy(&request.body));
    }
    let session = std::fs::read_to_string(&fixture.sessions()[0]).unwrap();
    assert_eq!(session.matches(r#""enqueue""#).count(), session.matches(r#""dequeue""#).count());
    // A refused one is how it ends where it is the last.
    let answer = fixture.fed(&[&forms[..], &["--continue"]].concat(), &said("[]"));
    assert_eq!((answer.code, fixture.api.requests().len()), (Some(1), 2), "{}", answer.out);
    fixture.exits(&["--continue", "say @@b@@"], 0);
}

#[test]
fn nobody_has_to_read_what_is_said_beside_the_answer() {
    let fixture = ChatFixture::new(
        r#"{"cut":[{"content":[{"type":"text","text":"a bit"}],"stop_reason":"max_tokens"},[{"type":"text","text":"the rest"}]]}"#,
    );
    let unread = |arguments: &[&str], home: &str| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = fixture.command(arguments);
        command.env("ANTHROPIC_BASE_URL", format!("{}{home}", fixture.api.url()));
        command.stdout(Stdio::piped()).stderr(writer);
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    // A notice, a complaint, and a fault.
    let (code, out) = unread(&["--output-format", "json", "say @@cut@@"], "");
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(text(&out, &["result"]), "the rest");
    assert_eq!(unread(&["hello"], "/nowhere"), (Some(1), String::new()));
    assert_eq!(unread(&["--session-id", "mine", "hello"], "").0, Some(2));
}
