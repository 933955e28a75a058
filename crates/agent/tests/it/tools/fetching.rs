//! WebFetch against a local server, and with every kind of forbidden address.

use std::collections::HashMap;
use std::future::Future;
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, TcpListener};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use annals_agent::tools::Reply;
use annals_agent::tools::fetch::{FetchScope, PageReader, Resolver, WebFetch, WebSettings, to_markdown};
use annals_agent::tools::{Outcome, Tool, ToolRequest};
use annals_json::Fields;
use proptest::prelude::*;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::{Text, input, kept, kept_text, knows, refused, run, shape, shown};

const CERTIFICATE: &[u8] = include_bytes!("../api/server.certificate.pem");

type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers with the page itself.
struct Reads;

impl PageReader for Reads {
    fn read<'a>(&'a self, page: &'a str, prompt: &'a str) -> Later<'a, Result<Reply<String>, String>> {
        Box::pin(async move {
            if prompt == "fail" {
                return Err("no model".to_owned());
            }
            Ok(Reply { said: format!("[{prompt}] {page}"), model: "m".to_owned(), usage: Default::default() })
        })
    }
}

/// Names, and where they are: the n-th answer at the n-th question, the last one from then on.
#[derive(Default)]
struct Names(Mutex<HashMap<String, Vec<Vec<IpAddr>>>>);

impl Resolver for Names {
    fn resolve<'a>(&'a self, host: &'a str, _: u16) -> Later<'a, Vec<IpAddr>> {
        let mut names = self.0.lock().unwrap();
        let answers = names
            .get_mut(host)
            .map(|answers| if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() });
        Box::pin(async move { answers.unwrap_or_default() })
    }
}

fn names(list: &[(&str, &[&[&str]])]) -> Names {
    let addresses = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
    let named =
        list.iter().map(|(host, answers)| ((*host).to_owned(), answers.iter().map(addresses).collect()));
    Names(Mutex::new(named.collect()))
}

fn tool(scope: FetchScope, names: Names) -> WebFetch<'static> {
    let settings = WebSettings {
        scope,
        resolver: Box::new(names),
        user_agent: "annals-test".to_owned(),
        trusted: vec![CERTIFICATE.to_vec()],
        time: Duration::from_secs(5),
    };
    WebFetch::new(settings, Box::new(Reads))
}

/// A server that answers by path; it counts what it was asked, and keeps the heads of requests.
fn server(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let noted = heard.clone();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = BufReader::new(stream);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && stream.read_line(&mut head).unwrap_or(0) > 0 {}
            let path = head.split_whitespace().nth(1).unwrap_or_default().to_owned();
            noted.lock().unwrap().push(head);
            // The client may be gone.
            let _ = stream.get_mut().write_all(&answer(&path));
        }
    });
    (base, heard)
}

fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}")
        .into_bytes()
}

async fn fetch(tool: &WebFetch<'_>, url: &str) -> Outcome {
    run(tool, &[("url", Text(url)), ("prompt", Text("what"))]).await
}

#[tokio::test]
async fn a_page_is_fetched_read_and_remembered() {
    let html = "<html><head><script>x</script></head><body><h1>Title</h1><p>Text</p></body></html>";
    let (base, heard) = server(move |_| answer("200 OK", "content-type: text/html; charset=utf-8\r\n", html));
    let tool = tool(FetchScope::PublicAndLoopback, Names::default());
    let outcome = fetch(&tool, &base).await;
    assert_eq!((shown(&outcome), shape(&outcome)), ("[what] # Title\n\nText", "WebFetch"));
    assert_eq!(kept(&outcome).get("code").unwrap().count(), Some(200));
    assert_eq!(kept_text(&outcome, "codeText"), "OK");
    assert_eq!(kept(&outcome).get("bytes").unwrap().count(), Some(html.len() as u64));
    knows(&outcome, &["bytes", "code", "codeText", "result", "durationMs", "url"]);
    fetch(&tool, &base).await;
    let heard = heard.lock().unwrap().clone();
    assert_eq!(heard.len(), 1, "it was asked twice");
    assert!(heard[0].contains("user-agent: annals-test") && !heard[0].to_lowercase().contains("cookie"));
    let outcome = run(&tool, &[("url", Text(&base)), ("prompt", Text("fail"))]).await;
    assert!(outcome.is_error && shown(&outcome).contains("no model"));
}

#[tokio::test]
async fn what_is_no_page_is_said() {
    let (base, _) = server(|path| match path {
        "/missing" => answer("404 Not Found", "", "gone"),
        "/binary" => answer("200 OK", "content-type: image/png\r\n", "PNG"),
        "/nul" => answer("200 OK", "content-type: text/plain\r\n", "a\0b"),
        "/large" => answer("200 OK", "content-type: text/plain\r\n", &"x".repeat(11 << 20)),
        "/long" => answer("200 OK", "content-type: text/plain\r\n", &"é".repeat(150_000)),
        "/cut" => b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc".to_vec(),
        "/round" => answer("302 Found", "location: /round\r\n", ""),
        _ => answer("200 OK", "content-type: application/json\r\n", "{\"a\":1}"),
    });
    let tool = tool(FetchScope::PublicAndLoopback, Names::default());
    let at = |path: &str| format!("{base}{path}");
    let outcome = fetch(&tool, &at("/missing")).await;
    assert!(outcome.is_error && shown(&outcome) == "Request failed with status code 404");
    refused(&fetch(&tool, &at("/binary")).await, "image/png");
    refused(&fetch(&tool, &at("/nul")).await, "is not text");
    refused(&fetch(&tool, &at("/large")).await, "larger than");
    refused(&fetch(&tool, &at("/cut")).await, "could not be fetched");
    refused(&fetch(&tool, &at("/round")).await, "More than 5 redirects");
    assert_eq!(shown(&fetch(&tool, &at("/json")).await), "[what] {\"a\":1}");
    let outcome = fetch(&tool, &at("/long")).await;
    assert!(
        shown(&outcome).ends_with("[cut: the page is longer]") && shown(&outcome).chars().count() < 100_100
    );
}

#[tokio::test]
async fn a_page_that_never_comes_is_given_up() {
    let (base, _) = server(|_| {
        thread::sleep(Duration::from_secs(20));
        Vec::new()
    });
    let settings = WebSettings {
        scope: FetchScope::PublicAndLoopback,
        resolver: Box::new(Names::default()),
        user_agent: "annals-test".to_owned(),
        trusted: Vec::new(),
        time: Duration::from_millis(200),
    };
    refused(&fetch(&WebFetch::new(settings, Box::new(Reads)), &base).await, "did not load");
}

#[tokio::test]
async fn addresses_that_are_inside_are_not_asked() {
    let tool = tool(FetchScope::Public, Names::default());
    for url in [
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://0x7f.1/",
        "https://0/",
        "https://0.0.0.0/",
        "https://10.0.0.1/",
        "https://10.1/",
        "https://172.16.0.1/",
        "https://172.31.255.255/",
        "https://192.168.1.1/",
        "https://3232235777/",
        "https://100.64.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://2852039166/",
        "https://0xa9fea9fe/",
        "https://0251.0376.0251.0376/",
        "https://169.254.170.2/",
        "https://168.63.129.16/",
        "https://100.100.100.200/",
        "https://192.0.0.192/",
        "https://198.18.0.1/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "https://[::1]/",
        "https://[::]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://[::127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[fd00:ec2::254]/",
        "https://[fe80::1]/",
        "https://[fc00::1]/",
        "https://[ff02::1]/",
        "http://127.0.0.1:80/",
        "https://１２７.0.0.1/",
        "https://127。0。0。1/",
    ] {
        refused(&fetch(&tool, url).await, "not on the public internet");
    }
    for (url, words) in [
        ("ftp://example.com/", "Only https"),
        ("file:///etc/passwd", "not the URL of"),
        ("gopher://127.0.0.1/", "Only https"),
        ("data:text/html,x", "not the URL of"),
        ("javascript:alert(1)", "not the URL of"),
        ("https://user@example.com/", "user name or password"),
        ("https://example.com:secret@10.0.0.1/", "user name or password"),
        ("//example.com/", "not the URL of"),
        ("example.com", "not the URL of"),
        ("https://", "not the URL of"),
        ("https://nowhere.invalid/", "Host not found"),
    ] {
        refused(&fetch(&tool, url).await, words);
    }
    refused(&fetch(&tool, &format!("https://example.com/{}", "x".repeat(3000))).await, "not the URL of");
}

#[tokio::test]
async fn names_that_lead_inside_are_not_asked() {
    let inside: [(&str, &[&[&str]]); 7] = [
        ("localhost", &[&["127.0.0.1"]]),
        ("localhost.", &[&["127.0.0.1"]]),
        ("six.example", &[&["::1"]]),
        ("metadata.google.internal", &[&["169.254.169.254"]]),
        // One public address does not make up for another.
        ("both.example", &[&["93.184.216.34", "10.0.0.1"]]),
        ("mapped.example", &[&["::ffff:10.0.0.1"]]),
        ("corp.example", &[&["fd12::1"]]),
    ];
    let tool = tool(FetchScope::Public, names(&inside));
    for (host, _) in inside {
        refused(&fetch(&tool, &format!("https://{host}/")).await, "not on the public internet");
    }
}

#[tokio::test]
async fn a_name_that_changes_its_address_is_checked_at_every_hop() {
    let (port, met) = over_tls();
    let url = format!("https://localhost:{port}/");
    // A name that holds is followed on its own host.
    let steady = tool(FetchScope::PublicAndLoopback, names(&[("localhost", &[&["127.0.0.1"]])]));
    assert_eq!(shown(&fetch(&steady, &url).await), "[what] after");
    // The second answer for the same name is inside: the hop is refused, although the first was not.
    let rebound = names(&[("localhost", &[&["127.0.0.1"], &["10.0.0.7"]])]);
    let outcome = fetch(&tool(FetchScope::PublicAndLoopback, rebound), &url).await;
    refused(&outcome, "localhost is at 10.0.0.7, which is not on the public internet");
    // A name that no other resolver knows: what was checked is what is asked. That the server has another name is found there.
    let before = met.load(Ordering::SeqCst);
    let pinned = tool(FetchScope::PublicAndLoopback, names(&[("pinned.invalid", &[&["127.0.0.1"]])]));
    refused(&fetch(&pinned, &format!("https://pinned.invalid:{port}/")).await, "certificate");
    assert_eq!(met.load(Ordering::SeqCst), before + 1, "the name was resolved again");
}

/// A server over TLS that sends everybody from `/` to `/after`: its port, and how many it met.
fn over_tls() -> (u16, Arc<AtomicUsize>) {
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../api/server.key.pem")).unwrap();
    let config = Arc::new(builder.with_single_cert(vec![certificate], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let met = Arc::new(AtomicUsize::new(0));
    let counted = met.clone();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            counted.fetch_add(1, Ordering::SeqCst);
            let tls = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
            let mut stream = BufReader::new(tls);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && stream.read_line(&mut head).unwrap_or(0) > 0 {}
            let said = match head.starts_with("GET / ") {
                true => answer("301 Moved Permanently", "location: /after\r\n", ""),
                false => answer("200 OK", "content-type: text/plain\r\n", "after"),
            };
            // The client may be gone.
            let _ = stream.get_mut().write_all(&said);
            stream.get_mut().conn.send_close_notify();
            let _ = stream.get_mut().flush();
        }
    });
    (port, met)
}

#[tokio::test]
async fn redirects_are_not_followed_elsewhere() {
    let (base, heard) = server(|path| {
        let to = match path {
            "/a" => "https://example.com/b?c=d",
            "/b" => "http://169.254.169.254/latest",
            "/c" => "//evil.example/x",
            "/d" => "file:///etc/passwd",
            "/e" => "https://user:word@example.com/",
            _ => "http://127.0.0.1:1/",
        };
        answer("302 Found", &format!("location: {to}\r\n"), "")
    });
    let tool = tool(FetchScope::PublicAndLoopback, Names::default());
    for (path, to) in [
        ("/a", "To: https://example.com/b?c=d\n"),
        ("/b", "To: https://169.254.169.254/latest\n"),
        ("/c", "To: https://evil.example/x\n"),
        ("/f", "To: http://127.0.0.1:1/\n"),
    ] {
        let outcome = fetch(&tool, &format!("{base}{path}")).await;
        assert!(!outcome.is_error && shown(&outcome).contains(to), "{}", shown(&outcome));
        assert_eq!(kept(&outcome).get("code").unwrap().count(), Some(302));
        assert_eq!(shape(&outcome), "WebFetch");
    }
    refused(&fetch(&tool, &format!("{base}/d")).await, "not the URL of");
    refused(&fetch(&tool, &format!("{base}/e")).await, "user name or password");
    assert_eq!(heard.lock().unwrap().len(), 6);
}

#[test]
fn what_is_decided_on_is_what_will_be_asked() {
    let tool = tool(FetchScope::Public, Names::default());
    let asked = |url: &str| {
        let input = input(&[("url", Text(url)), ("prompt", Text("x"))]);
        tool.call(&Fields::scan(&input).unwrap().0)
    };
    assert_eq!(
        asked("http://EXAMPLE.com/a#b"),
        Ok(ToolRequest::WebFetch("https://example.com/a".to_owned()))
    );
    assert_eq!(asked("https://0x7f.1/"), Ok(ToolRequest::WebFetch("https://127.0.0.1/".to_owned())));
    assert!(asked("ftp://example.com/").is_err());
}

proptest! {
    #[test]
    fn any_text_can_be_read_as_a_page(html in "(<|>|</|<!--|-->|\"|'|=|&|&#|;|a|p|pre|li|script|href|é| |\n|h1){0,60}") {
        to_markdown(&html);
    }
}
