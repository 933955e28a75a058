//! `annals mock-api` as a process: the documented script is played to a client, rejections are reported, and it exits as
//! documented.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Stdio};

use annals_json::Value;
use annals_testkit::home::{CommandOutput, Home};
use annals_testkit::workspace_root;

use crate::{annals, annals_exits};

/// A running server and what it has said.
struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    url: String,
}

impl Server {
    fn start(home: &Home, arguments: &[&str]) -> Self {
        let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
        command.arg("mock-api").args(arguments).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut url = String::new();
        out.read_line(&mut url).unwrap();
        Self { child, out, url: url.trim().to_owned() }
    }

    fn chat(&self, home: &Home, prompt: &str) -> CommandOutput {
        let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
        command.args(["chat", "-p", "--no-session-persistence", prompt]).stdin(Stdio::null());
        command.env("ANTHROPIC_API_KEY", "any").env("ANTHROPIC_BASE_URL", &self.url);
        home.finish(&mut command)
    }

    fn post(&self, body: &str) -> String {
        let mut stream = TcpStream::connect(self.url.strip_prefix("http://").unwrap()).unwrap();
        let length = body.len();
        let head = "POST /v1/messages HTTP/1.1\r\nconnection: close\r\nx-api-key: sk-real\r\nanthropic-version: 2023-06-01";
        stream.write_all(format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn interrupt(&self) {
        let id = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    }

    /// The exit code and what was said on standard error.
    fn wait(mut self) -> (Option<i32>, String) {
        let _ = self.out.read_to_string(&mut String::new());
        let answer = CommandOutput::from(self.child.wait_with_output().unwrap());
        (answer.code, answer.error)
    }
}

/// The script that the documents show.
fn documented(home: &Home) -> String {
    let page = std::fs::read_to_string(workspace_root().join("docs/mock-api.md")).unwrap();
    let script = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    home.write("answers.json", script).display().to_string()
}

#[test]
fn the_documented_script_is_played_to_its_end() {
    let home = Home::new();
    let (script, record) = (documented(&home), home.path().join("requests.jsonl").display().to_string());
    let server = Server::start(&home, &["--script", &script, "--record", &record, "--once"]);
    assert_eq!(server.chat(&home, "Good morning @@hello@@").out, "Hello. What shall we do?\n");
    assert_eq!(server.chat(&home, "@@look@@").out, "That is all there is.\n");
    assert_eq!(server.chat(&home, "@@busy@@").out, "At last.\n");
    let (code, said) = server.wait();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("POST /v1/messages: 529") && said.contains("5 requests, 0 invalid"), "{said}");
    let lines = std::fs::read_to_string(record).unwrap();
    assert_eq!(lines.lines().count(), 5);
    for line in lines.lines() {
        let value = Value::parse(line.as_bytes()).unwrap();
        assert!(value.get("body").unwrap().get("messages").is_some(), "{line}");
    }
}

#[test]
fn an_invalid_request_is_told_and_fails() {
    let home = Home::new();
    let record = home.path().join("requests.jsonl").display().to_string();
    let server = Server::start(&home, &["--script", &documented(&home), "--record", &record, "--once"]);
    let answer = server.post(r#"{"model":"m","max_tokens":9,"messages":[]}"#);
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("invalid_request_error"), "{answer}");
    let (code, said) = server.wait();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("(messages_not_empty)") && said.contains("1 request, 1 invalid"), "{said}");
    assert!(!std::fs::read_to_string(record).unwrap().contains("sk-real"), "keys are not recorded");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    let home = Home::new();
    let server = Server::start(&home, &["--script", &documented(&home)]);
    assert!(server.url.starts_with("http://127.0.0.1:"));
    server.interrupt();
    assert_eq!(server.wait().0, Some(0), "the script need not be played without --once");
    let server = Server::start(&home, &["--script", &documented(&home), "--once"]);
    server.interrupt();
    let (code, said) = server.wait();
    assert_eq!(code, Some(1));
    assert!(said.contains("step 2 of @@look@@ was not requested"), "{said}");
}

#[test]
fn it_says_how_a_client_gets_there() {
    let home = Home::new();
    let mut server = Server::start(&home, &[]);
    let mut line = String::new();
    server.out.read_line(&mut line).unwrap();
    assert!(
        line.starts_with(&format!("ANTHROPIC_BASE_URL={} ANTHROPIC_API_KEY=any annals chat", server.url))
    );
    assert!(server.chat(&home, "hello").out.contains("a scripted reply"));
    server.child.kill().unwrap();
    server.wait();
}

#[test]
fn bad_scripts_and_ports_are_refused() {
    let home = Home::new();
    let bad = home.write("bad.json", r#"{"a":[{"contents":[]}]}"#).display().to_string();
    let answer = annals_exits(&home, &["mock-api", "--script", &bad], 2);
    assert!(
        answer.error.contains(r#"bad.json: script a: unknown field "contents" in a step"#),
        "{}",
        answer.error
    );
    annals_exits(&home, &["mock-api", "--once"], 2);
    let server = Server::start(&home, &[]);
    let port = server.url.rsplit(':').next().unwrap().to_owned();
    assert_eq!(annals(&home, &["mock-api", "--port", &port]).code, Some(74));
    let mut server = server;
    server.child.kill().unwrap();
    server.wait();
}
