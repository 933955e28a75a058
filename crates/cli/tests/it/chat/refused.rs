//! What a program says that the API would refuse for good.

use annals_transcript::json::Value;

use super::{HELLO, Room, text};

#[test]
fn what_cannot_be_said_is_answered_and_leaves_nothing_behind() {
    let room = Room::new(HELLO);
    let said =
        |content: &str| format!(r#"{{"type":"user","message":{{"role":"user","content":{content}}}}}"#);
    let blank = r#"[{"type":"text","text":"  "}]"#;
    let bad = [r#""  ""#, r#""""#, "[]", blank, r#"["x"]"#, "[null]"].map(said).join("\n");
    let stream = [bad.clone(), said(r#""say @@a@@""#), bad, said(r#""say @@b@@""#)].join("\n");
    let forms = ["--input-format", "stream-json", "--output-format", "stream-json"];
    let answer = room.fed(&forms, &stream);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.error);
    let results: Vec<_> = answer.out.lines().filter(|line| line.contains(r#""type":"result""#)).collect();
    let is_error =
        |line: &&str| Value::parse(line.as_bytes()).unwrap().get("is_error").unwrap().raw() == b"true";
    let errors: Vec<_> = results.iter().map(is_error).collect();
    assert_eq!(errors, [[true; 6].as_slice(), &[false], &[true; 6], &[false]].concat());
    assert_eq!([results[6], results[13]].map(|line| text(line, &["result"])), ["Hallo 😀", "again"]);
    assert!(results[0].contains(r#""errors":["the message says nothing"#), "{}", results[0]);
    for request in room.api.requests() {
        assert_eq!(request.violations, [], "{}", String::from_utf8_lossy(&request.body));
    }
    let session = std::fs::read_to_string(&room.sessions()[0]).unwrap();
    assert_eq!(session.matches(r#""enqueue""#).count(), session.matches(r#""dequeue""#).count());
    // A refused one is how it ends where it is the last.
    let answer = room.fed(&[&forms[..], &["--continue"]].concat(), &said("[]"));
    assert_eq!((answer.code, room.api.requests().len()), (Some(1), 2), "{}", answer.out);
    room.exits(&["--continue", "say @@b@@"], 0);
}
