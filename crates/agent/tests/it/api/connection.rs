//! Headers, request ids and limits of connections, and connections that fail.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use annals_agent::api::call::{CallError, Caller, RetryOptions};
use annals_agent::api::client::{Client, ClientError, ClientSettings, ProxyConfig};
use annals_agent::api::failure::Failure;
use annals_agent::api::retry::{Backoff, GiveUpReason};

use super::secure::CERTIFICATE;
use super::{HANGS, Still, Talk, request, settings};

#[tokio::test]
async fn a_request_says_who_asks_and_what_for() {
    let talk = Talk::step(r#"[{"type":"text","text":"ok"}]"#);
    let told = talk.ask("a").await;
    assert_eq!(told.stop(), "end_turn");
    assert_eq!(told.answer().head.request.as_deref(), Some("req_scripted_0000"));
    let sent = &talk.requests()[0];
    assert_eq!((sent.method.as_str(), sent.path.as_str()), ("POST", "/v1/messages"));
    for (name, value) in [
        ("x-api-key", "sk-test-secret"),
        ("anthropic-version", "2023-06-01"),
        ("anthropic-beta", "some-beta"),
        ("user-agent", "annals-test/1"),
        ("content-type", "application/json"),
        ("x-more", "yes"),
    ] {
        assert_eq!(sent.header(name), Some(value), "{name}");
    }
    assert!(
        sent.violations.is_empty() && !format!("{:?}", talk.client).contains("sk-test"),
        "{:?}",
        talk.client
    );
}

#[tokio::test]
async fn limits_are_kept() {
    let head = r#"{"raw":"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nAnthropic-Ratelimit-Requests-Remaining: 7\r\nrequest-id: req_own\r\ntransfer-encoding: chunked\r\n\r\n"}"#;
    let talk = Talk::step(&format!(r#"{{"content":[],"play":[{head},"message","end"]}}"#));
    let told = talk.ask("a").await;
    let head = &told.answer().head;
    assert_eq!(
        (head.request.as_deref(), head.limits.get("requests-remaining")),
        (Some("req_own"), Some("7"))
    );
    assert_eq!(head.limits.iter().count(), 1);
}

/// What a call to a client of this kind ends with.
pub(super) async fn fails(client: &Client, most: u32) -> (Failure, GiveUpReason) {
    let backoff = Backoff { max_retries: most, first_pause: Duration::ZERO, ..Backoff::default() };
    let retry = RetryOptions { backoff, ..RetryOptions::default() };
    let caller = Caller { transport: client, clock: &Still, retry };
    let asked = request("hello");
    let mut report = |_| {};
    let result = tokio::time::timeout(HANGS, caller.call(&asked, &mut report)).await.expect("it hangs");
    let Err(CallError::Failed { failure, why, .. }) = result else { panic!("{result:?}") };
    (failure, why)
}

#[tokio::test]
async fn nobody_is_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = Client::new(settings(&base)).unwrap();
    let (failure, why) = fails(&client, 2).await;
    assert!(matches!(failure, Failure::Connect { .. }) && why == GiveUpReason::Attempts, "{failure:?}");
    assert!(failure.to_string().starts_with("cannot connect to 127.0.0.1: "), "{failure}");
}

/// Answers each connection with these bytes, and gives back the first thing that each one said.
fn listener(answer: &'static [u8], connections: usize) -> (String, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard = thread::spawn(move || {
        let mut heard = Vec::new();
        for stream in listener.incoming().take(connections) {
            let mut stream = stream.unwrap();
            let mut buffer = [0; 4096];
            let count = stream.read(&mut buffer).unwrap();
            stream.write_all(answer).unwrap();
            heard.push(String::from_utf8_lossy(&buffer[..count]).into_owned());
        }
        heard
    });
    (address, heard)
}

#[tokio::test]
async fn what_is_not_secure_is_not_tried_again() {
    let (address, heard) = listener(b"HTTP/1.1 400 Bad Request\r\n\r\n", 1);
    let client = Client::new(ClientSettings {
        trusted: vec![CERTIFICATE.to_vec()],
        ..settings(&format!("https://{address}"))
    });
    let client = client.unwrap();
    let (failure, why) = fails(&client, 10).await;
    assert!(matches!(failure, Failure::Tls { .. }) && why == GiveUpReason::NotRetryable, "{failure:?}");
    let heard = heard.join().unwrap();
    assert!(!heard[0].contains("sk-test"), "no key without a secure connection");
}

#[tokio::test]
async fn a_proxy_is_asked_for_the_way() {
    let (address, heard) = listener(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n", 1);
    let mut through = settings("https://api.example.invalid");
    through.proxy =
        Some(ProxyConfig { url: format!("http://user:word@{address}"), no_proxy: "other.example".into() });
    assert!(!format!("{:?}", through.proxy).contains("word"));
    through.trusted = vec![CERTIFICATE.to_vec()];
    let client = Client::new(through).unwrap();
    let (failure, _) = fails(&client, 0).await;
    assert!(matches!(failure, Failure::Connect { .. }), "{failure:?}");
    let heard = heard.join().unwrap();
    assert!(heard[0].starts_with("CONNECT api.example.invalid:443 HTTP/1.1\r\n"), "{}", heard[0]);
    assert!(!heard[0].contains("sk-test") && heard[0].to_lowercase().contains("proxy-authorization: basic "));
}

#[tokio::test]
async fn what_is_on_this_machine_needs_no_proxy() {
    let talk = Talk::step(r#"[{"type":"text","text":"ok"}]"#);
    let mut through = settings(&talk.api.url());
    through.proxy = Some(ProxyConfig { url: "http://127.0.0.1:1".into(), no_proxy: String::new() });
    let talk = Talk { client: Client::new(through).unwrap(), ..talk };
    assert_eq!(talk.ask("a").await.stop(), "end_turn");
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let mut talk = Talk::new(
        r#"{"a":[[{"type":"text","text":"ok"}]],"cut":[{"content":[],"play":["head",{"events":[0,2]}],"times":1}]}"#,
    );
    talk.retry.backoff.max_retries = 1;
    for _ in 0..3 {
        assert_eq!(talk.ask("a").await.stop(), "end_turn");
    }
    assert_eq!((talk.requests().len(), talk.api.connections()), (3, 1));
    assert_eq!(talk.ask("cut").await.stop(), "end_turn");
    assert_eq!((talk.requests().len(), talk.api.connections()), (5, 2), "a broken one is not");
}

#[test]
fn what_cannot_be_set_up_is_told_without_secrets() {
    let mut odd = settings("http://127.0.0.1:1");
    odd.headers = vec![("x-gate".into(), "secret\nword".into())];
    let shown = format!("{odd:?}");
    assert!(shown.contains("x-gate") && !shown.contains("secret"), "{shown}");
    let error = Client::new(odd).unwrap_err().to_string();
    assert_eq!(error, "the header \"x-gate\" cannot be sent");
    let mut odd = settings("https://api.example.invalid");
    odd.trusted = vec![CERTIFICATE.to_vec()];
    odd.proxy = Some(ProxyConfig { url: "http://user:word@".into(), no_proxy: String::new() });
    let error = Client::new(odd).unwrap_err().to_string();
    assert!(!error.contains("word"), "{error}");
    let mut odd = settings("https://api.example.invalid");
    odd.trusted = vec![b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_vec()];
    assert!(matches!(Client::new(odd), Err(ClientError::Certificate { number: 0, .. })));
}
