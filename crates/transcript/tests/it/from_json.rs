//! Records of other programs: kept as they are, with missing fields filled in.

use annals_json::{Fields, RawJson, Value};
use annals_testkit::corpus;
use annals_transcript::draft::{
    Continuation, Draft, Origin, Placement, PlacementDefaults, RecordError, ResponseDefaults, ThreadKind,
    drafts_from_message,
};
use annals_transcript::message::{Message, messages};
use annals_transcript::record::Record;
use annals_transcript::transcript::{Parent, Transcript};

fn origin(session: &str) -> Origin {
    Origin {
        session: session.to_owned(),
        agent: None,
        cwd: "/w".into(),
        version: "2.1.112".into(),
        git_branch: "main".into(),
        entrypoint: Some("cli".into()),
        slug: None,
    }
}

#[test]
fn a_whole_record_stays_as_it_is() {
    let mut seen = 0;
    let Some(corpus) = corpus::or_skip("a_whole_record_stays_as_it_is") else { return };
    for path in corpus.transcripts() {
        let bytes = std::fs::read(path).unwrap();
        let transcript = Transcript::parse(&bytes);
        for (index, record) in transcript.records() {
            let (node, envelope) = (&transcript.nodes()[index], record.envelope());
            let whole = ["cwd", "version", "sessionId", "userType", "timestamp", "isSidechain"];
            let is_whole = node.is_chain() && whole.iter().all(|key| record.fields().get(key).is_some());
            let Ok(draft) = Draft::from_json(record.fields().raw()) else { continue };
            if !is_whole || node.parent == Parent::Absent {
                continue;
            }
            let placement = Placement {
                uuid: envelope.uuid().unwrap().to_string(),
                parent: envelope.parent().map(|id| id.to_string()),
                timestamp: envelope.timestamp().unwrap().decode().into_owned(),
                ..Placement::default()
            };
            let line = draft.line(&origin(&envelope.session().unwrap().to_string()), &placement);
            let expected = RawJson::parse(record.fields().raw()).unwrap();
            // Ids are rewritten only where they were spelled oddly, which no client does.
            assert_eq!(String::from_utf8_lossy(&line), String::from_utf8_lossy(expected.raw()));
            seen += 1;
        }
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn what_is_missing_is_filled_in_and_the_session_is_ours() {
    let draft = Draft::from_json(br#" { "type" : "user", "message": {"role":"user","content":"hi"}, "sessionId":"other", "odd" : [ 1 ] } "#).unwrap();
    let placement =
        Placement { uuid: "u".into(), timestamp: "2026-01-01T00:00:00.000Z".into(), ..Placement::default() };
    let line = String::from_utf8(draft.line(&origin("mine"), &placement)).unwrap();
    assert_eq!(
        line,
        r#"{"type":"user","message":{"role":"user","content":"hi"},"sessionId":"mine","odd":[1],"parentUuid":null,"uuid":"u","timestamp":"2026-01-01T00:00:00.000Z","userType":"external","cwd":"/w","entrypoint":"cli","version":"2.1.112","gitBranch":"main","isSidechain":false}"#
    );
}

#[test]
fn what_is_no_record_is_said_clearly() {
    let check =
        |json: &str, expected: RecordError| assert_eq!(Draft::from_json(json.as_bytes()), Err(expected));
    check("{", RecordError::NotJson(1));
    check("[]", RecordError::NotAnObject);
    check("{}", RecordError::NoType);
    check(r#"{"type":3}"#, RecordError::NoType);
    check(r#"{"type":"user"}"#, RecordError::Missing("message.content"));
    check(r#"{"type":"assistant","message":{}}"#, RecordError::Missing("message.content"));
    assert!(Draft::from_json(br#"{"type":"from-the-future"}"#).is_ok());
    assert_eq!(Draft::from_json(b"{\"type\":\"x\",\"a\":\"\xff\"}"), Err(RecordError::NotUtf8(17)));
}

fn defaults() -> ResponseDefaults {
    ResponseDefaults { message: "msg_1".into(), request: "req_1".into(), model: "m".into() }
}

/// The lines of a plain message, at the end of a file that holds two open calls.
fn lines_of(json: &str) -> Vec<u8> {
    let fields = Value::parse(json.as_bytes()).unwrap().fields().unwrap();
    let message = Message::parse(&fields).unwrap();
    let mut state = Continuation::new(ThreadKind::Main);
    let calls = br#"{"type":"assistant","uuid":"call","parentUuid":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"id":"m0","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"A","input":{}},{"type":"tool_use","id":"t2","name":"B","input":{}}]}}"#;
    state.absorb(&Record::new(Fields::scan(calls).unwrap().0));
    let mut out = Vec::new();
    for (at, draft) in drafts_from_message(&message, &defaults()).unwrap().iter().enumerate() {
        let placement =
            state.place(draft, PlacementDefaults { uuid: format!("u{at}"), now: 1_767_225_600_000 }).unwrap();
        let line = draft.line(&origin("s"), &placement);
        state.absorb(&Record::new(Fields::scan(&line).unwrap().0));
        out.extend_from_slice(&line);
        out.push(b'\n');
    }
    out
}

#[test]
fn a_plain_message_says_the_same_after_the_way_through_records() {
    for json in [
        r#"{"role":"user","content":"hi"}"#,
        r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]}"#,
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"},{"type":"text","text":"y"},{"type":"tool_use","id":"t3","name":"Bash","input":{}}],"model":"claude","usage":{"input_tokens":3,"output_tokens":9},"stop_reason":"tool_use","id":"msg_9","requestId":"req_9"}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"r"}]}"#,
    ] {
        let bytes = lines_of(json);
        let transcript = Transcript::parse(&bytes);
        let back = messages(&transcript, transcript.indices());
        assert_eq!(back.len(), 1, "{json}");
        let mut out = Vec::new();
        back[0].write(&mut out);
        let (said, got) = (Value::parse(json.as_bytes()).unwrap(), Value::parse(&out).unwrap());
        for key in ["role", "content", "model", "usage", "stop_reason", "id", "requestId"] {
            let expected = said.get(key);
            assert!(expected.is_none() || got.get(key) == expected, "{json}: {key}: {got:?}");
        }
    }
}

#[test]
fn results_of_parallel_tools_form_one_chain_and_name_their_calls() {
    let bytes = lines_of(
        r#"{"role":"user","content":[{"type":"text","text":"and go on"},{"type":"tool_result","tool_use_id":"t1","content":"1"},{"type":"tool_result","tool_use_id":"t2","content":"2"}],"metadata":{"toolUseResult":["one",{"two":2}],"permissionMode":"plan","uuid":"ignored"}}"#,
    );
    let transcript = Transcript::parse(&bytes);
    let got: Vec<_> = transcript
        .records()
        .map(|(_, record)| {
            let text = |key: &str| {
                record.fields().get(key).map(|value| String::from_utf8_lossy(value.raw()).into_owned())
            };
            [
                text("uuid"),
                text("parentUuid"),
                text("sourceToolAssistantUUID"),
                text("toolUseResult"),
                text("permissionMode"),
            ]
            .map(Option::unwrap_or_default)
            .join(" ")
        })
        .collect();
    assert_eq!(
        got,
        [
            r#""u0" "call" "call" "one" "plan""#,
            r#""u1" "u0" "call" {"two":2} "plan""#,
            r#""u2" "u1"   "plan""#,
        ]
    );
}

#[test]
fn a_message_that_says_nothing_is_refused() {
    for json in [
        r#"{"role":"user","content":""}"#,
        r#"{"role":"assistant","content":[]}"#,
        r#"{"role":"assistant","content":""}"#,
    ] {
        let message = Message::parse(&Value::parse(json.as_bytes()).unwrap().fields().unwrap()).unwrap();
        assert!(drafts_from_message(&message, &defaults()).is_err(), "{json}");
    }
}
