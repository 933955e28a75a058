//! The whole server over real connections: what a client sees, what is remembered, and that nothing is left running.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::super::sign;
use super::*;
use annals_testkit::temp::TempDir;

const SCRIPT: &str = r#"{
    "hello":[[{"type":"thinking","thinking":"plan"},{"type":"text","text":"Hello there."}]],
    "busy":[{"status":529,"error":"overloaded_error","message":"busy","headers":{"retry-after":"3"},"times":2,
             "content":[{"type":"text","text":"At last."}]}],
    "cut":[{"content":[{"type":"text","text":"Cut off."}],"break_after_events":4}],
    "odd":[{"content":[{"type":"text","text":"é😀 odd pieces"}],"chunk_bytes":3}]
}"#;

fn api() -> ScriptedApi {
    ScriptedApi::start(Script::parse(SCRIPT, "/w").unwrap()).unwrap()
}

/// Head and body of the answer to one request on a connection of its own.
fn exchange(api: &ScriptedApi, first_line: &str, headers: &str, body: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(("127.0.0.1", api.port())).unwrap();
    let length = body.len();
    let text = format!(
        "{first_line} HTTP/1.1\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    );
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let split = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
    (String::from_utf8_lossy(&answer[..split]).into_owned(), answer.split_off(split))
}

const HEADERS: &str = "anthropic-version: 2023-06-01\r\nx-api-key: k\r\n";

fn ask(api: &ScriptedApi, messages: &str, more: &str) -> (String, String) {
    let (head, body) = ask_bytes(api, messages, more);
    (head, String::from_utf8(body).unwrap())
}

/// Pieces of a stream may end inside a character.
fn ask_bytes(api: &ScriptedApi, messages: &str, more: &str) -> (String, Vec<u8>) {
    let body =
        format!(r#"{{"model":"m","max_tokens":9,"tools":[{{"name":"X"}}],"messages":{messages}{more}}}"#);
    exchange(api, "POST /v1/messages?beta=true", HEADERS, &body)
}

fn prompt(text: &str) -> String {
    format!(r#"[{{"role":"user","content":"{text}"}}]"#)
}

/// The bytes of an answer in chunks, and whether it came to its end.
fn joined(body: &[u8]) -> (Vec<u8>, bool) {
    let mut connection = body;
    let mut whole = Vec::new();
    loop {
        let line_end = connection.iter().position(|&byte| byte == b'\n');
        let Some(line_end) = line_end else { return (whole, false) };
        let digits = std::str::from_utf8(&connection[..line_end]).unwrap().trim();
        let length = usize::from_str_radix(digits, 16).unwrap();
        if length == 0 {
            return (whole, true);
        }
        whole.extend_from_slice(&connection[line_end + 1..line_end + 1 + length]);
        connection = &connection[line_end + 3 + length..];
    }
}

#[test]
fn a_prompt_gets_the_step_of_its_script() {
    let api = api();
    let (head, body) = ask(&api, &prompt("say @@hello@@"), "");
    assert!(
        head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("request-id: req_scripted_0000"),
        "{head}"
    );
    assert!(body.contains(r#""text":"Hello there.""#) && body.contains(&sign::signature("plan")), "{body}");
    let captured = api.requests();
    assert_eq!((captured.len(), captured[0].status), (1, Some(200)));
    assert_eq!((captured[0].header("X-API-Key"), captured[0].violations.len()), (Some("k"), 0));
}

#[test]
fn a_stream_comes_in_chunks_and_ends() {
    let api = api();
    let (head, body) = ask_bytes(&api, &prompt("@@hello@@"), r#","stream":true"#);
    assert!(head.contains("text/event-stream"), "{head}");
    let (stream, ended) = joined(&body);
    let text = String::from_utf8(stream).unwrap();
    assert!(
        ended && text.starts_with("event: message_start\n") && text.contains("event: message_stop\n"),
        "{text}"
    );
}

#[test]
fn odd_pieces_make_the_same_stream() {
    let api = api();
    let (_, body) = ask_bytes(&api, &prompt("@@odd@@"), r#","stream":true"#);
    assert!(body.starts_with(b"3\r\neve\r\n3\r\nnt:\r\n"));
    let (stream, ended) = joined(&body);
    assert!(ended && String::from_utf8(stream).unwrap().contains("é😀 odd pieces"));
}

#[test]
fn a_stream_can_break_off() {
    let api = api();
    let (_, body) = ask_bytes(&api, &prompt("@@cut@@"), r#","stream":true"#);
    let (stream, ended) = joined(&body);
    let text = String::from_utf8(stream).unwrap();
    assert!(!ended && text.matches("event: ").count() == 4 && !text.contains("message_stop"), "{text}");
    let (head, body) = ask(&api, &prompt("@@cut@@"), "");
    assert_eq!((head.as_str(), body.as_str()), ("", ""), "without a stream there is no answer at all");
    assert_eq!(api.requests()[1].status, None);
}

#[test]
fn an_error_happens_as_often_as_the_script_says() {
    let api = api();
    let without_tools = r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"@@busy@@"}]}"#;
    assert!(exchange(&api, "POST /v1/messages", HEADERS, without_tools).0.contains(" 200 "), "an aside");
    for _ in 0..2 {
        let (head, body) = ask(&api, &prompt("@@busy@@"), r#","stream":true"#);
        assert!(head.starts_with("HTTP/1.1 529 ") && head.contains("retry-after: 3\r\n"), "{head}");
        assert!(
            body.contains(r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}"#),
            "{body}"
        );
    }
    assert!(ask(&api, &prompt("@@busy@@"), "").1.contains("At last."));
}

#[test]
fn a_bad_request_is_refused_as_the_api_refuses_it() {
    let api = api();
    let (head, body) = ask(&api, r#"[{"role":"user","content":[{"type":"text","text":""}]}]"#, "");
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
    assert_eq!(
        body,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.0: text content blocks must be non-empty"},"request_id":"req_scripted_0000"}"#
    );
    assert_eq!(api.requests()[0].violations.len(), 1);
    let (head, body) = exchange(&api, "POST /v1/messages", "anthropic-version: 1\r\n", "{}");
    assert!(head.starts_with("HTTP/1.1 401 "), "{head}");
    assert!(String::from_utf8_lossy(&body).contains("authentication_error"));
}

#[test]
fn tokens_are_counted_and_other_paths_are_not_found() {
    let api = api();
    let body = r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#;
    let (_, counted) = exchange(&api, "POST /v1/messages/count_tokens", HEADERS, body);
    assert!(counted.starts_with(br#"{"input_tokens":"#));
    let (head, body) = exchange(&api, "GET /v1/models", "", "");
    assert!(
        head.starts_with("HTTP/1.1 404 ")
            && body.starts_with(br#"{"type":"error","error":{"type":"not_found"#)
    );
    let (head, body) = exchange(&api, "HEAD /", "", "");
    assert!(head.starts_with("HTTP/1.1 404 ") && body.is_empty());
    assert!(api.requests().iter().all(|request| request.violations.is_empty()));
}

#[test]
fn many_requests_go_over_one_connection() {
    let api = api();
    let mut stream = TcpStream::connect(("127.0.0.1", api.port())).unwrap();
    for _ in 0..2 {
        stream.write_all(b"HEAD / HTTP/1.1\r\n\r\n").unwrap();
        let mut seen = Vec::new();
        while !seen.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            seen.push(byte[0]);
        }
    }
    assert_eq!((api.requests().len(), api.connections()), (2, 1));
}

#[test]
fn it_ends_with_its_owner() {
    let api = api();
    let port = api.port();
    let mut idle = TcpStream::connect(("127.0.0.1", port)).unwrap();
    idle.write_all(b"HEAD / HTTP/1.1\r\n\r\n").unwrap();
    let mut byte = [0];
    idle.read_exact(&mut byte).unwrap();
    drop(api);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    // What was answered before may still be read; after it comes the end.
    let _ = idle.read_to_end(&mut Vec::new());
}

#[test]
fn each_request_is_logged() {
    let folder = TempDir::new("api-log");
    let log = folder.path().join("deep/log");
    let record = folder.path().join("all.jsonl");
    let settings = ServerOptions { port: 0, log: Some(log.clone()), record: Some(record.clone()) };
    let api = ScriptedApi::start_with(Script::default(), settings).unwrap();
    ask(&api, "[]", "");
    exchange(&api, "HEAD /", "", "");
    let text = fs::read_to_string(log.join("000.json")).unwrap();
    assert!(
        text.contains(r#""rule":"messages_not_empty""#) && text.contains(r#""body":{"model":"m""#),
        "{text}"
    );
    assert!(log.join("001.json").is_file() && !log.join("002.json").exists());
    #[cfg(unix)]
    for file in [record.clone(), log.join("000.json")] {
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    let lines = fs::read_to_string(&record).unwrap();
    assert_eq!(lines.lines().next(), Some(text.as_str()));
    assert_eq!(lines.lines().count(), 2);
}

#[test]
fn a_connection_can_be_played_any_way() {
    let script = r#"{"reset":[{"content":[],"play":["head",{"text":"x"},{"wait_ms":20},"reset"]}],
        "close":[{"content":[],"play":["head",{"bytes":[0,9]}]}],"once":[{"content":[],"play":["reset"],"times":1}]}"#;
    let api = ScriptedApi::start(Script::parse(script, "/w").unwrap()).unwrap();
    let send = |name: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", api.port())).unwrap();
        let body = format!(
            r#"{{"model":"m","max_tokens":9,"stream":true,"tools":[{{"name":"X"}}],"messages":{}}}"#,
            prompt(&format!("@@{name}@@"))
        );
        let length = body.len();
        let head = format!(
            "POST /v1/messages HTTP/1.1\r\nconnection: close\r\ncontent-length: {length}\r\n{HEADERS}\r\n"
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut answer = Vec::new();
        let end = stream.read_to_end(&mut answer).map_err(|error| error.kind());
        (String::from_utf8_lossy(&answer).into_owned(), end.err())
    };
    assert_eq!(send("reset").1, Some(io::ErrorKind::ConnectionReset));
    let (answer, end) = send("close");
    assert!(answer.ends_with("\r\n\r\n9\r\nevent: me\r\n") && end.is_none(), "{answer}");
    assert_eq!(send("once").1, Some(io::ErrorKind::ConnectionReset));
    assert!(send("once").0.contains("message_stop"));
}

#[test]
fn the_standing_tells_what_is_left_to_play() {
    let api = api();
    let left = |name: &str, api: &ScriptedApi| {
        api.status().unplayed.iter().any(|(script, number)| script == name && *number == 1)
    };
    assert_eq!((api.status().requests, api.status().unplayed.len()), (0, 4));
    ask(&api, &prompt("@@hello@@"), "");
    assert!(!left("hello", &api) && left("busy", &api));
    for is_left in [true, true, false] {
        ask(&api, &prompt("@@busy@@"), "");
        assert_eq!(left("busy", &api), is_left, "two faults come before the step");
    }
    ask(&api, "[]", "");
    let status = api.status();
    assert_eq!((status.requests, status.invalid, status.unrecorded), (5, 1, None));
}

#[test]
fn what_cannot_be_had_is_an_error() {
    let folder = TempDir::new("api-log");
    let first = api();
    let taken = ServerOptions { port: first.port(), ..ServerOptions::default() };
    let error = ScriptedApi::start_with(Script::default(), taken).unwrap_err();
    assert!(matches!(error, StartError::Listen { port, .. } if port == first.port()));
    let record =
        ServerOptions { record: Some(folder.path().join("no/such.jsonl")), ..ServerOptions::default() };
    assert!(matches!(ScriptedApi::start_with(Script::default(), record), Err(StartError::Record { .. })));
}
