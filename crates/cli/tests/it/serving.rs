//! `annals serve` as a process: what it prints, what it refuses, how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use annals_testkit::home::{CommandOutput, Home};

use crate::annals_exits;

fn start(home: &Home, arguments: &[&str]) -> (Child, String) {
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.arg("serve").args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    (child, line.trim().to_owned())
}

fn interrupt(child: Child) -> CommandOutput {
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    CommandOutput::from(child.wait_with_output().unwrap())
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn it_prints_one_address_that_opens_and_ends_with_ctrl_c() {
    let home = Home::new();
    let (child, url) = start(&home, &[]);
    let (address, query) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{url}");
    assert!(get(address, &format!("/{query}")).starts_with("HTTP/1.1 303 "));
    assert!(get(address, "/").starts_with("HTTP/1.1 403 "));
    let ended = interrupt(child);
    assert_eq!(ended.code, Some(0), "{}", ended.error);
    let (other, second) = start(&home, &["--json"]);
    assert!(
        second.starts_with("{\"url\":\"http://127.0.0.1:") && second.contains("\"redacted\":false"),
        "{second}"
    );
    assert!(!second.contains(query), "every start has its own token");
    assert_eq!(interrupt(other).code, Some(0));
}

#[test]
fn beyond_this_machine_it_needs_tls_and_a_password_and_says_what_it_shows() {
    let home = Home::new();
    let refused = annals_exits(&home, &["serve", "--bind", "0.0.0.0"], 2);
    assert!(refused.error.contains("needs TLS") && refused.error.contains("--cert"), "{}", refused.error);
    let refused = annals_exits(&home, &["serve", "--bind", "0.0.0.0", "--behind-proxy"], 2);
    assert!(refused.error.contains("--password-file"), "{}", refused.error);
    let short = home.write("../short", "secret\n").display().to_string();
    let arguments = ["serve", "--bind", "0.0.0.0", "--behind-proxy", "--password-file", &short];
    assert!(annals_exits(&home, &arguments, 2).error.contains("12 characters"));
    let no_pem = ["serve", "--cert", &short, "--key", &short, "--password-file", &short];
    annals_exits(&home, &no_pem, 2);
    let long = home.write("../long", "correct horse battery\n").display().to_string();
    let (child, _) = start(&home, &["--behind-proxy", "--password-file", &long]);
    let ended = interrupt(child);
    assert!(ended.error.contains("with secrets replaced"), "{}", ended.error);
}

#[test]
fn what_others_see_has_no_secret_of_the_users_own_patterns() {
    let home = Home::new();
    annals_exits(&home, &["config", "set", "redaction-patterns", "ACME-[0-9]{6}"], 0);
    let id = "0b0b0b0b-0000-4000-8000-000000000001";
    let prompt = r#"{"type":"user","uuid":"0b0b0b0b-0000-4000-8000-000000000002","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"the code is ACME-123456, said Ada"}}"#;
    home.write(format!("projects/-w/{id}.jsonl"), format!("{prompt}\n"));
    let file = home.write("../long", "correct horse battery\n").display().to_string();
    let (child, line) = start(&home, &["--json", "--behind-proxy", "--password-file", &file]);
    let port: String =
        line.split("\"port\":").nth(1).unwrap().chars().take_while(char::is_ascii_digit).collect();
    let address = format!("127.0.0.1:{port}");
    let send = |request: String| {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let body = "password=correct+horse+battery";
    let entered = send(format!(
        "POST /login HTTP/1.1\r\nHost: {address}\r\nOrigin: https://{address}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    ));
    let cookie = entered.lines().find_map(|line| {
        line.to_lowercase().starts_with("set-cookie: ").then(|| line[12..].split(';').next())
    });
    let cookie = cookie.flatten().unwrap_or_else(|| panic!("{entered}"));
    let page = send(format!(
        "GET /session/{id} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    ));
    interrupt(child);
    assert!(page.contains("said Ada") && !page.contains("ACME-123456"), "{page}");
}
