//! Clients that are slow, many, or never read: each is cut off, and the others are answered.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_web::{ServerConfig, ServerLimits};

use super::support::{TestServer, library, loopback};

const ID: &str = "66666666-aaaa-4aaa-8aaa-000000000001";
/// Short enough for a test, long enough for a busy machine.
const SHORT: Duration = Duration::from_millis(300);

fn home() -> Home {
    let home = Home::new();
    let mut session = Session::new().id(ID);
    // Pages that no buffer of a connection holds.
    for number in 0..60 {
        session = session.prompt(&format!("question {number}")).reply(&"<b>&".repeat(40_000));
    }
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
    home
}

fn server(home: &Home, limits: ServerLimits) -> TestServer {
    TestServer::with(ServerConfig { limits, ..loopback() }, library(home))
}

fn connect(server: &TestServer) -> TcpStream {
    let stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream
}

/// Reads until the server closes, and returns what came and how long it took.
#[track_caller]
fn until_closed(mut stream: TcpStream) -> (String, Duration) {
    let (start, mut bytes, mut chunk) = (Instant::now(), Vec::new(), [0; 64 * 1024]);
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => bytes.extend_from_slice(&chunk[..length]),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
            Err(error) => panic!("it was not closed: {error}"),
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), start.elapsed())
}

#[test]
fn a_head_that_does_not_come_is_not_waited_for() {
    let home = Home::new();
    let server = server(&home, ServerLimits { arrival: SHORT, ..ServerLimits::default() });
    let (host, cookie) = (server.address, server.cookie());
    // Nothing at all, a part of a head, and nothing after a first answer.
    let silent = connect(&server);
    let mut half = connect(&server);
    write!(half, "GET / HTTP/1.1\r\nHost: {host}\r\nX-Slow: ").unwrap();
    let mut idle = connect(&server);
    write!(idle, "GET /nowhere HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n").unwrap();
    for (stream, answered) in [(silent, false), (half, false), (idle, true)] {
        let (answer, took) = until_closed(stream);
        assert_eq!(answer.starts_with("HTTP/1.1 404 "), answered, "{answer}");
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
    // A letter now and then is no progress.
    let mut trickle = connect(&server);
    let start = Instant::now();
    while trickle.write_all(b"G").is_ok() {
        assert!(start.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn more_connections_than_places_wait_for_their_turn() {
    let home = Home::new();
    let limits = ServerLimits { connections: 4, arrival: SHORT, ..ServerLimits::default() };
    let server = server(&home, limits);
    let held: Vec<_> = (0..12).map(|_| connect(&server)).collect();
    assert_eq!(server.get("/").status, 200);
    drop(held);
}

#[test]
fn who_never_reads_loses_the_connection() {
    let home = home();
    let limits = ServerLimits { connections: 2, stall: SHORT, ..ServerLimits::default() };
    let server = server(&home, limits);
    let (host, cookie) = (server.address, server.cookie());
    let request = format!("GET /session/{ID}/window/1 HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n");
    let greedy: Vec<_> = (0..2)
        .map(|_| {
            let mut stream = connect(&server);
            // Many pages one after the other, of which nothing is read.
            stream.write_all(request.repeat(200).as_bytes()).unwrap();
            stream
        })
        .collect();
    std::thread::sleep(SHORT / 2);
    assert_eq!(server.get("/nowhere").status, 404, "a place is free again");
    drop(greedy);
}

#[test]
fn pages_that_follow_leave_room_for_pages_and_end_with_their_readers() {
    let home = Home::new();
    let bytes = Session::new().id(ID).prompt("begin").into_bytes();
    home.write(format!("projects/-w/{ID}.jsonl"), &bytes);
    let limits = ServerLimits { connections: 6, followers: 3, ..ServerLimits::default() };
    let server = server(&home, limits);
    let (host, cookie) = (server.address, server.cookie());
    let follow = |path: &str| {
        let mut stream = connect(&server);
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n").unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        (String::from_utf8_lossy(&first).into_owned(), stream)
    };
    let events = format!("/session/{ID}/events");
    let open = [follow(&events), follow(&events), follow("/events")];
    assert!(open.iter().all(|(status, _)| status == "HTTP/1.1 200"));
    for path in [&events, "/events"] {
        assert_eq!(follow(path).0, "HTTP/1.1 503");
        assert_eq!(server.get("/nowhere").status, 404);
    }
    drop(open);
    // A reader that is gone is noticed at the next look.
    let start = Instant::now();
    while follow(&events).0 != "HTTP/1.1 200" {
        assert!(start.elapsed() < Duration::from_secs(8));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_is_too_large_is_refused_at_once() {
    let home = Home::new();
    let server = server(&home, ServerLimits::default());
    let (host, cookie) = (server.address, server.cookie());
    let head = format!("Host: {host}\r\nCookie: {cookie}\r\nOrigin: http://{host}\r\n");
    let ask = |request: String| {
        let mut stream = connect(&server);
        // The server may have closed before all of it is sent.
        let _ = stream.write_all(request.as_bytes());
        let (answer, took) = until_closed(stream);
        assert!(took < Duration::from_secs(5), "{took:?}");
        answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    };
    let long = "x".repeat(15_000);
    assert_eq!(
        ask(format!("GET /{long} HTTP/1.1\r\nConnection: close\r\n{head}\r\n")),
        404,
        "long, and no longer than allowed"
    );
    let statuses: [u16; 3] = [
        ask(format!("GET /{} HTTP/1.1\r\n{head}\r\n", "x".repeat(200_000))),
        ask(format!("GET / HTTP/1.1\r\n{head}X-Long: {}\r\n\r\n", "x".repeat(200_000))),
        ask(format!("GET / HTTP/1.1\r\n{head}{}\r\n", "X-Many: 1\r\n".repeat(2_000))),
    ];
    // Zero: closed before the answer could be read, since bytes were left.
    assert!(statuses.iter().all(|status| matches!(status, 0 | 414 | 431)), "{statuses:?}");
    for length in ["Content-Length: 10000000000", "Transfer-Encoding: chunked"] {
        let body = if length.starts_with('C') { "value=" } else { "fffffff\r\nvalue=" };
        let form = format!("{body}{}", "y".repeat(300_000));
        let status = ask(format!("POST /undo HTTP/1.1\r\n{head}{length}\r\nConnection: close\r\n\r\n{form}"));
        assert!(matches!(status, 0 | 400), "{status}");
    }
    assert_eq!(server.get("/nowhere").status, 404);
}
