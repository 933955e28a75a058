//! A server over HTTP: JSON and streams as answers, sessions, sign-ins, redirects, and the older way with events.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use annals_agent::mcp::{McpLimits, McpStatus, RemoteServer, ServerKind};
use annals_testkit::temp::TempDir;

use super::{call, servers, text, until};

const HELLO: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}"#;
const TOOLS: &str = r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#;
const ECHO: &str = r#"{"content":[{"type":"text","text":"echoed"}]}"#;

/// A request: its first line, its headers in lower case, its body.
#[derive(Clone, Debug)]
pub(super) struct HttpRequest {
    pub(super) line: String,
    pub(super) headers: String,
    pub(super) body: String,
}

/// Answers every request by a function, and keeps what came.
pub(super) struct HttpServer {
    pub(super) url: String,
    seen: Arc<Mutex<Vec<HttpRequest>>>,
}

impl HttpServer {
    pub(super) fn start(answer: impl Fn(&HttpRequest, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (seen, answer) = (Arc::<Mutex<Vec<HttpRequest>>>::default(), Arc::new(answer));
        let kept = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, kept, answer) = (stream.unwrap(), Arc::clone(&kept), Arc::clone(&answer));
                thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    kept.lock().unwrap().push(request.clone());
                    answer(&request, &mut stream);
                });
            }
        });
        Self { url, seen }
    }

    pub(super) fn seen(&self) -> Vec<HttpRequest> {
        self.seen.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<HttpRequest> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut headers = String::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        if header.trim().is_empty() {
            break;
        }
        headers.push_str(&header.to_lowercase());
    }
    let length =
        headers.lines().find_map(|header| header.strip_prefix("content-length: ")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(HttpRequest { line: line.trim().to_owned(), headers, body: String::from_utf8(body).unwrap() })
}

impl HttpRequest {
    fn id(&self) -> String {
        self.body.split("\"id\":").nth(1).unwrap_or("null").split(',').next().unwrap().to_owned()
    }

    fn result(&self) -> Option<String> {
        let result = match () {
            () if self.body.contains("\"initialize\"") => HELLO,
            () if self.body.contains("tools/list") => TOOLS,
            () if self.body.contains("tools/call") => ECHO,
            () => return None,
        };
        Some(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, self.id()))
    }
}

pub(super) fn respond(stream: &mut TcpStream, status: &str, headers: &str, body: &str) {
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
}

/// Answers as a server does: JSON, or a stream with a notification before the answer.
pub(super) fn usual(request: &HttpRequest, stream: &mut TcpStream) {
    match request.result() {
        Some(answer) if request.body.contains("tools/call") => {
            let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
            let body = format!("event: message\ndata: {note}\n\nevent: message\ndata: {answer}\n\n");
            respond(stream, "200 OK", "content-type: text/event-stream\r\n", &body);
        }
        Some(answer) => {
            respond(stream, "200 OK", "content-type: application/json\r\nmcp-session-id: s-1\r\n", &answer)
        }
        None if request.line.starts_with("GET") => respond(stream, "405 Method Not Allowed", "", ""),
        None => respond(stream, "202 Accepted", "", ""),
    }
}

fn http(url: &str) -> ServerKind {
    let headers = vec![("X-Team".to_owned(), "shop".into())];
    ServerKind::Http(RemoteServer { url: url.to_owned(), headers, ..RemoteServer::default() })
}

#[tokio::test]
async fn answers_are_json_or_streams_and_headers_say_who_asks() {
    let (temp, web) = (TempDir::new("mcp"), HttpServer::start(usual));
    let (servers, server) =
        servers(http(&format!("{}/mcp", web.url)), McpLimits::default(), temp.path().into());
    server.connect().await;
    assert_eq!(server.state().status, McpStatus::Connected);
    assert!(text(&call(&servers, "mcp__srv__echo", "{}").await).contains("echoed"));
    let seen = web.seen();
    assert!(!seen[0].headers.contains("mcp-session-id") && seen[0].headers.contains("x-team: shop"));
    assert!(seen[0].headers.contains("accept: application/json, text/event-stream"), "{}", seen[0].headers);
    let call = seen.iter().find(|request| request.body.contains("tools/call")).unwrap();
    for header in ["mcp-session-id: s-1", "mcp-protocol-version: 2025-06-18", "user-agent: annals-test/1"] {
        assert!(call.headers.contains(header), "{}", call.headers);
    }
    until(|| web.seen().iter().any(|request| request.line.starts_with("GET"))).await;
}

#[tokio::test]
async fn a_session_that_the_server_ended_begins_again() {
    let (temp, ended) = (TempDir::new("mcp"), Mutex::new(false));
    let web = HttpServer::start(move |request, stream| {
        let mut ended = ended.lock().unwrap();
        if request.body.contains("tools/call") && !*ended {
            *ended = true;
            return respond(stream, "404 Not Found", "", "");
        }
        usual(request, stream);
    });
    let (servers, server) = servers(http(&web.url), McpLimits::default(), temp.path().into());
    server.connect().await;
    let first = call(&servers, "mcp__srv__echo", "{}").await;
    assert!(first.is_error && text(&first).contains("ended the session"), "{first:?}");
    assert!(!call(&servers, "mcp__srv__echo", "{}").await.is_error);
    assert_eq!(web.seen().iter().filter(|request| request.body.contains("\"initialize\"")).count(), 2);
}

#[tokio::test]
async fn refusals_say_what_is_wrong() {
    for (status, words) in [
        ("401 Unauthorized", "sign-in (401): run annals mcp login srv"),
        ("500 Internal Server Error", "it answered 500"),
    ] {
        let temp = TempDir::new("mcp");
        let web = HttpServer::start(move |_, stream| respond(stream, status, "", ""));
        let (_keep, server) = servers(http(&web.url), McpLimits::default(), temp.path().into());
        server.connect().await;
        let found = server.state().status;
        assert_eq!(found.name(), if status.starts_with("401") { "needs-auth" } else { "failed" });
        assert!(found.failure().is_some_and(|why| why.contains(words)), "{found:?}");
    }
    let temp = TempDir::new("mcp");
    for (url, words) in [
        ("http://example.com/mcp", "never sent unencrypted"),
        ("ftp://127.0.0.1/mcp", "scheme ftp"),
        ("nowhere", "not an address"),
    ] {
        let (_keep, server) = servers(http(url), McpLimits::default(), temp.path().into());
        server.connect().await;
        let McpStatus::Failed(why) = server.state().status else { panic!("{url}") };
        assert!(why.contains(words), "{why}");
    }
}

#[tokio::test]
async fn a_server_that_comes_up_late_is_tried_again() {
    let (temp, refused) = (TempDir::new("mcp"), Mutex::new(0));
    let web = HttpServer::start(move |request, stream| {
        let mut refused = refused.lock().unwrap();
        if *refused == 0 {
            *refused += 1;
            return respond(stream, "503 Service Unavailable", "", "");
        }
        usual(request, stream);
    });
    let (servers, server) = servers(http(&web.url), McpLimits::default(), temp.path().into());
    server.connect_patiently().await;
    assert!(matches!(server.state().status, McpStatus::Failed(_)));
    until(|| server.state().status == McpStatus::Connected).await;
    assert_eq!(servers.tools().len(), 1);
}

#[tokio::test]
async fn headers_do_not_follow_a_redirect_to_another_server() {
    let (temp, other) = (TempDir::new("mcp"), HttpServer::start(usual));
    let away = other.url.clone();
    let web = HttpServer::start(move |request, stream| match request.line.contains(" /here") {
        true => respond(stream, "307 Temporary Redirect", "location: /mcp\r\n", ""),
        false if request.line.contains(" /away") => {
            respond(stream, "307 Temporary Redirect", &format!("location: {away}/mcp\r\n"), "");
        }
        false => usual(request, stream),
    });
    for (path, is_followed) in [("/here", true), ("/away", false)] {
        let kind = http(&format!("{}{path}", web.url));
        let (_keep, server) = servers(kind, McpLimits::default(), temp.path().into());
        server.connect().await;
        assert_eq!(server.state().status == McpStatus::Connected, is_followed, "{:?}", server.state());
    }
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn the_older_way_answers_on_its_stream() {
    let temp = TempDir::new("mcp");
    let (sender, receiver): (Sender<String>, Receiver<String>) = channel();
    let (sender, receiver) = (Mutex::new(sender), Mutex::new(Some(receiver)));
    let web = HttpServer::start(move |request, stream| {
        if request.line.starts_with("POST /messages?s=1") {
            if let Some(answer) = request.result() {
                sender.lock().unwrap().send(answer).unwrap();
            }
            return respond(stream, "202 Accepted", "", "");
        }
        let answers = receiver.lock().unwrap().take().unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        write!(stream, "{head}event: endpoint\ndata: /messages?s=1\n\n").unwrap();
        for answer in answers {
            if write!(stream, "event: message\ndata: {answer}\n\n").is_err() {
                return;
            }
        }
    });
    let url = format!("{}/sse", web.url);
    let kind = ServerKind::Sse(RemoteServer { url, ..RemoteServer::default() });
    let (servers, server) = servers(kind, McpLimits::default(), temp.path().into());
    server.connect().await;
    assert_eq!(server.state().status, McpStatus::Connected, "{:?}", server.state());
    assert!(text(&call(&servers, "mcp__srv__echo", "{}").await).contains("echoed"));
}
