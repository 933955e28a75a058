//! Live updates over a connection that stays open.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use super::support::{TestServer, library, library_of};

const ID: &str = "44444444-aaaa-4aaa-8aaa-000000000001";

/// Reads events until one has the text, and returns how long that took.
fn wait_for(stream: &mut TcpStream, text: &str) -> Duration {
    let start = Instant::now();
    read_until(stream, text);
    start.elapsed()
}

/// Reads events until one has the text, and returns all of them.
#[track_caller]
fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let start = Instant::now();
    let mut seen = String::new();
    let mut chunk = [0; 4096];
    while start.elapsed() < Duration::from_secs(10) {
        if let Ok(length) = stream.read(&mut chunk) {
            seen.push_str(&String::from_utf8_lossy(&chunk[..length]));
            if seen.contains(text) {
                return seen;
            }
        }
    }
    panic!("{text:?} did not come: {seen}");
}

fn events(server: &TestServer, path: &str) -> TcpStream {
    events_after(server, path, "")
}

fn events_after(server: &TestServer, path: &str, more: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let (host, cookie) = (server.address, server.cookie());
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n{more}\r\n").unwrap();
    stream
}

#[test]
fn a_line_that_is_appended_comes_within_a_second() {
    let home = Home::new();
    let session = Session::new().id(ID).prompt("begin").reply("working");
    let bytes = session.into_bytes();
    let path = home.write(format!("projects/-w/{ID}.jsonl"), &bytes);
    let server = TestServer::start(library(&home));
    assert_eq!(server.get(&format!("/session/{ID}")).status, 200);
    let mut stream = events(&server, &format!("/session/{ID}/events?bytes={}", bytes.len()));
    wait_for(&mut stream, "event: open");
    let mut all =
        Session::new().id(ID).prompt("begin").reply("working").reply("brand new words").into_bytes();
    let news = all.split_off(bytes.len());
    OpenOptions::new().append(true).open(path).unwrap().write_all(&news).unwrap();
    let took = wait_for(&mut stream, "brand new words");
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn what_was_appended_between_the_page_and_its_events_is_not_lost() {
    let home = Home::new();
    let bytes = Session::new().id(ID).prompt("begin").reply("one").reply("two").reply("three").into_bytes();
    home.write(format!("projects/-w/{ID}.jsonl"), &bytes);
    let shown = Session::new().id(ID).prompt("begin").reply("one").into_bytes().len();
    let server = TestServer::start(library(&home));
    let window = server.get(&format!("/session/{ID}/window/0?bytes={shown}")).body;
    assert!(window.contains("one") && !window.contains("two"));
    let mut stream = events(&server, &format!("/session/{ID}/events?bytes={shown}"));
    wait_for(&mut stream, "three");
}

#[test]
fn a_lost_connection_is_taken_up_where_it_ended_however_much_was_written_since() {
    let home = Home::new();
    let mut session = Session::new().id(ID).prompt("begin");
    let mut sizes = Vec::new();
    for number in 0..900 {
        session = session.reply(&format!("answer-{number}-"));
        sizes.push(session.clone().into_bytes().len());
    }
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
    let server = TestServer::start(library(&home));
    let path = format!("/session/{ID}/events?bytes={}", sizes[9]);
    let read = |more: &str, path: &str| {
        let mut stream = events_after(&server, path, more);
        read_until(&mut stream, "answer-899-")
    };
    let first = read("", &path);
    assert!(
        first.contains("answer-10-") && !first.contains("answer-9-"),
        "all that is new, and nothing else"
    );
    let id = format!("id: {}\n", sizes[899]);
    assert!(first.contains(&id), "{}", &first[..first.len().min(400)]);
    for (more, path) in [
        (format!("Last-Event-ID: {}\r\n", sizes[499]), path.clone()),
        (String::new(), format!("{path}&after={}", sizes[499])),
        (format!("Last-Event-ID: {}\r\n", sizes[499]), format!("{path}&after={}", sizes[99])),
    ] {
        let again = read(&more, &path);
        assert!(again.contains("answer-500-") && !again.contains("answer-499-"), "{more}");
    }
}

#[test]
fn a_new_session_is_told_to_the_list() {
    let home = Home::new();
    home.write(format!("projects/-w/{ID}.jsonl"), Session::new().id(ID).prompt("first").into_bytes());
    let server = TestServer::start(library(&home));
    let mut stream = events(&server, "/events");
    wait_for(&mut stream, "event: open");
    let other = "44444444-aaaa-4aaa-8aaa-000000000002";
    home.write(
        format!("projects/-w/{other}.jsonl"),
        Session::new().id(other).prompt("the second one").into_bytes(),
    );
    wait_for(&mut stream, "event: changed");
    assert!(server.get("/sessions").body.contains("the second one"));
}

#[test]
fn a_change_of_any_store_is_told_to_the_list() {
    let (home, other) = (Home::new(), Home::new());
    home.write(format!("projects/-w/{ID}.jsonl"), Session::new().id(ID).prompt("first").into_bytes());
    let there = "44444444-aaaa-4aaa-8aaa-000000000003";
    other.write(format!("projects/-w/{there}.jsonl"), Session::new().id(there).prompt("second").into_bytes());
    let server = TestServer::start(library_of(&[&home, &other]));
    let mut stream = events(&server, "/events");
    wait_for(&mut stream, "event: open");
    let more = "44444444-aaaa-4aaa-8aaa-000000000004";
    other.write(
        format!("projects/-w/{more}.jsonl"),
        Session::new().id(more).prompt("the third one").into_bytes(),
    );
    wait_for(&mut stream, "event: changed");
    assert!(server.get("/sessions").body.contains("the third one"));
}
