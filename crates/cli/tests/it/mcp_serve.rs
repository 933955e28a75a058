//! `annals mcp serve` as a process: over standard input and output, and over HTTP with a token.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use annals_demo::Plan;
use annals_json::Value;
use annals_testkit::home::Home;

use crate::schemas::keep_schema;
use crate::{annals, annals_exits};

const SESSION: &str = "151e95d5-d48b-49e0-b418-430274c9fdd3";

/// Sends messages, and returns the lines that came back.
fn exchange(home: &Home, arguments: &[&str], messages: &[&str]) -> Vec<String> {
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.args(["mcp", "serve"]).args(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{}\n", messages.join("\n")).as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8(ended.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn call(tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

fn text(answer: &str) -> String {
    let answer = Value::parse(answer.as_bytes()).unwrap();
    let content = answer.get("result").unwrap().get("content").unwrap().items().next().unwrap();
    content.get("text").unwrap().text().unwrap().to_string()
}

#[test]
fn a_client_searches_reads_and_quotes() {
    let home = Home::new();
    home.fill(&Plan::default());
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}}"#;
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let search = call("search_sessions", r#"{"query":"dedup table"}"#);
    let answers = exchange(&home, &[], &[initialize, "", initialized, &search]);
    assert_eq!(answers.len(), 3, "{answers:#?}");
    assert!(answers[0].contains(r#""protocolVersion":"2025-06-18""#), "{}", answers[0]);
    assert!(answers[1].contains("roots/list"), "{}", answers[1]);
    let found = text(&answers[2]);
    assert!(found.contains(&format!("session {SESSION}")), "{found}");
    let quoted = found.split("annals show ").nth(1).unwrap().split(" · ").next().unwrap();
    let shown: Vec<&str> = ["show"].into_iter().chain(quoted.split(' ')).collect();
    annals_exits(&home, &shown, 0);
}

#[test]
fn what_is_written_meanwhile_is_found() {
    let home = Home::new();
    home.fill(&Plan::default());
    annals_exits(&home, &["index"], 0);
    let line = r#"{"type":"user","uuid":"0e571e57-0000-4000-8000-00000000aaaa","parentUuid":null,"sessionId":"s","cwd":"/w","timestamp":"2026-11-11T00:00:00.000Z","message":{"role":"user","content":"quokka"}}"#;
    home.write("projects/-w/0e571e57-0000-4000-8000-00000000bbbb.jsonl", format!("{line}\n"));
    let answers = exchange(&home, &[], &[&call("search_sessions", r#"{"query":"quokka","project":"all"}"#)]);
    assert!(text(&answers[0]).contains("0e571e57-0000-4000-8000-00000000bbbb"));
}

#[test]
fn between_two_calls_the_store_and_its_index_may_change() {
    let home = Home::new();
    home.fill(&Plan::default());
    annals_exits(&home, &["index"], 0);
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.args(["mcp", "serve"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut search = |word: &str| {
        let arguments = format!(r#"{{"query":"{word}","project":"all"}}"#);
        writeln!(input, "{}", call("search_sessions", &arguments)).unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        text(&answer)
    };
    let add = |word: &str, number: u8| {
        let id = format!("0e571e57-0000-4000-8000-0000000000{number:02x}");
        let line = format!(
            r#"{{"type":"user","uuid":"{id}","parentUuid":null,"sessionId":"s","cwd":"/w","timestamp":"2026-11-11T00:00:00.000Z","message":{{"role":"user","content":"{word}"}}}}"#
        );
        home.write(format!("projects/-w/{id}.jsonl"), format!("{line}\n"));
        id
    };
    assert!(search("dedup").contains(SESSION));
    let quokka = add("quokka", 1);
    assert!(search("quokka").contains(&quokka));
    // Twice: the first call after a change opens the index again, the second uses the open one.
    assert!(search("quokka").contains(&quokka));
    let numbat = add("numbat", 2);
    annals_exits(&home, &["index"], 0);
    assert!(search("numbat").contains(&numbat));
    annals_exits(&home, &["index", "--rebuild"], 0);
    assert!(search("quokka").contains(&quokka));
    let bilby = add("bilby", 3);
    assert!(search("bilby").contains(&bilby));
    annals_exits(&home, &["search", "dedup"], 0);
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn sessions_are_changed_on_request_only_and_that_can_be_undone() {
    let home = Home::new();
    home.fill(&Plan::default());
    let rename = call("rename_session", &format!(r#"{{"session":"{SESSION}","title":"Quokka"}}"#));
    assert!(exchange(&home, &[], &[&rename])[0].contains("Unknown tool"));
    let done = text(&exchange(&home, &["--allow-changes"], &[&rename])[0]);
    let id = done.split("annals undo ").nth(1).unwrap().to_owned();
    let title = |home: &Home| annals(home, &["ls", "--json"]).out.contains("Quokka");
    assert!(title(&home), "{done}");
    annals_exits(&home, &["undo", &id, "--yes"], 0);
    assert!(!title(&home));
}

struct HttpServer {
    child: Child,
    address: String,
    token: String,
}

impl HttpServer {
    fn start(home: &Home) -> Self {
        let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
        command.args(["mcp", "serve", "--http", "--json"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        keep_schema("mcp-serve", &[line.trim().as_bytes()], "mcp serve --http --json");
        let said = Value::parse(line.trim().as_bytes()).unwrap();
        let field = |key: &str| said.get(key).unwrap().text().unwrap().to_string();
        let url = field("url");
        let address =
            url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).unwrap().to_owned();
        Self { child, address, token: field("token") }
    }

    /// Sends a request with these headers besides its length.
    fn send(&self, line: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{line} HTTP/1.1\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn over_http_only_this_machine_with_the_token_is_answered() {
    let home = Home::new();
    home.fill(&Plan::default());
    let server = HttpServer::start(&home);
    let host = format!("host: {}\r\n", server.address);
    let token = format!("authorization: Bearer {}\r\n", server.token);
    let json = "content-type: application/json\r\n";
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let status = |answer: String| answer.split(' ').nth(1).unwrap().to_owned();
    let good = format!("{host}{token}{json}");
    let answer = server.send("POST /mcp", &good, ping);
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
        "{answer}"
    );
    let search = call("search_sessions", r#"{"query":"dedup table","project":"all"}"#);
    assert!(server.send("POST /mcp", &good, &search).contains(SESSION));
    assert_eq!(
        status(server.send("POST /mcp", &good, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)),
        "202"
    );
    let refused = [
        ("POST /mcp", format!("{host}{json}"), "401"),
        ("POST /mcp", format!("{host}{json}authorization: Bearer wrong\r\n"), "401"),
        ("POST /mcp", format!("host: evil.example\r\n{token}{json}"), "403"),
        ("POST /mcp", format!("{good}origin: http://evil.example\r\n"), "403"),
        ("POST /mcp", format!("{good}sec-fetch-site: cross-site\r\n"), "403"),
        ("POST /mcp", format!("{host}{token}content-type: text/plain\r\n"), "415"),
        ("POST /", good.clone(), "404"),
        ("GET /mcp", good.clone(), "405"),
        ("DELETE /mcp", good.clone(), "405"),
    ];
    for (line, headers, wanted) in refused {
        assert_eq!(status(server.send(line, &headers, ping)), wanted, "{line} {headers}");
    }
}
