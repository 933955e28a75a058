//! The HTTP client with responses of faulty receivers.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use annals_collect::sink::{BodyOptions, Encoding, Format, HttpSink, Url};
use annals_collect::{Batch, Item, ItemForm, ItemRefusal, RetryAfter, Sink, SinkError};

const TIMEOUT: Duration = Duration::from_secs(30);

fn batch(bytes: usize) -> Batch {
    let item = Item {
        file: "history.jsonl".to_owned(),
        generation: 1,
        offset: 0,
        length: 1,
        number: 1,
        form: ItemForm::Line,
        of: None,
        to: None,
        modified: None,
        text: Some("x".repeat(bytes)),
    };
    let (machine, store, rules) = ("m".to_owned(), "s".to_owned(), "r".to_owned());
    Batch { machine, store, sequence: 1, rules, items: vec![item] }
}

/// Serves connections one after the other: reads a head, then does as `answer` says. Tells of each head.
fn server(answer: impl Fn(&mut TcpStream) + Send + 'static) -> (Url, Receiver<String>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = Url::parse(&format!("http://{}/in?x=1", listener.local_addr().unwrap())).unwrap();
    let (tell, heads) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0) {
                head.push(byte[0]);
            }
            let _ = tell.send(String::from_utf8_lossy(&head).into_owned());
            answer(&mut stream);
        }
    });
    (url, heads)
}

/// A sink of plain bodies.
fn sink(url: Url, timeout: Duration) -> HttpSink {
    HttpSink::new(url, BodyOptions { format: Format::Ndjson, encoding: Encoding::Identity }, timeout)
}

fn deliver_to(answer: &'static str) -> Result<(), SinkError> {
    let (url, _) = server(move |stream| {
        let _ = stream.write_all(answer.as_bytes());
        let _ = stream.read_to_end(&mut Vec::new());
    });
    sink(url, TIMEOUT).deliver(&batch(10))
}

#[test]
fn a_request_is_one_post_with_its_length() {
    let (url, heads) = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
    });
    let mut sink = sink(url.clone(), TIMEOUT).with_token("hidden").unwrap();
    sink.deliver(&batch(10)).unwrap();
    sink.deliver(&batch(10)).unwrap();
    for head in [heads.recv().unwrap(), heads.recv().unwrap()] {
        let head = head.to_lowercase();
        let length = format!("content-length: {}", batch(10).ndjson().len());
        let expected =
            ["connection: close", "annals-batch: 1", "authorization: bearer hidden", length.as_str()];
        assert!(head.starts_with("post /in?x=1 http/1.1\r\n"), "{head}");
        assert!(expected.iter().all(|line| head.contains(line)), "{head}");
        assert!(head.contains(&format!("host: {}", url.authority)), "{head}");
    }
    assert!(heads.try_recv().is_err());
    assert!(!format!("{sink:?}").contains("hidden"));
}

#[test]
fn no_redirect_is_followed() {
    let (target, heads) = server(|_| ());
    for status in [301, 302, 303, 307, 308] {
        let to = target.authority.clone();
        let (url, _) = server(move |stream| {
            let head =
                format!("HTTP/1.1 {status} Moved\r\nLocation: http://{to}/\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
        });
        let error = sink(url, TIMEOUT).with_token("word").unwrap().deliver(&batch(10)).unwrap_err();
        assert!(matches!(error, SinkError::Denied { .. }), "{error:?}");
        assert!(error.to_string().contains(&format!("status {status}")), "{error}");
    }
    assert!(heads.try_recv().is_err());
}

#[test]
fn a_receiver_may_refuse_some_items_and_keep_the_rest() {
    let refused = |header: &'static str| {
        let (url, _) = server(move |stream| {
            let answer = format!("HTTP/1.1 200 OK\r\n{header}Content-Length: 0\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes());
            let _ = stream.read_to_end(&mut Vec::new());
        });
        sink(url, TIMEOUT).deliver(&batch(10))
    };
    let error = refused("Annals-Refused: 0\r\nAnnals-Reason: it was forgotten\r\n").unwrap_err();
    let SinkError::RefusedItems { items } = error else { panic!("{error:?}") };
    assert_eq!(items, [ItemRefusal { index: 0, reason: "it was forgotten".to_owned() }]);
    for unreadable in ["Annals-Refused: 1\r\n", "Annals-Refused: all\r\n", "Annals-Refused:\r\n"] {
        let error = refused(unreadable).unwrap_err();
        assert!(matches!(error, SinkError::Unavailable { .. }), "{unreadable}: {error:?}");
    }
}

#[test]
fn a_person_is_named_in_a_header_and_cannot_add_another() {
    let (url, heads) = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
    });
    sink(url, TIMEOUT).with_person("Zoë %\r\nX: y").deliver(&batch(10)).unwrap();
    let head = heads.recv().unwrap().to_lowercase();
    assert!(head.contains("annals-person: zo%c3%ab %25%0d%0ax: y\r\n"), "{head}");
    assert!(head.contains("annals-rules: r\r\n") && head.contains("annals-version: "), "{head}");
}

#[test]
fn half_an_answer_is_none() {
    for cut in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\na: b\r\n", "SSH-2.0\r\n\r\n"] {
        let (url, _) = server(move |stream| {
            let _ = stream.write_all(cut.as_bytes());
        });
        let error = sink(url, TIMEOUT).deliver(&batch(10)).unwrap_err();
        assert!(matches!(error, SinkError::Unavailable { retry_after: None, .. }), "{cut:?}: {error:?}");
        assert!(error.to_string().contains("the connection closed before the response: "), "{error}");
    }
}

#[test]
fn a_receiver_that_is_busy_says_until_when() {
    for (answer, expected) in [
        ("HTTP/1.0 429 Slow\r\nRetry-After: 7\r\n\r\nbody", RetryAfter::Seconds(7)),
        (
            "HTTP/1.1 503 Away\r\nretry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n",
            RetryAfter::At(784_111_777_000),
        ),
    ] {
        let error = deliver_to(answer).unwrap_err();
        let SinkError::Unavailable { retry_after, .. } = error else { panic!("{error:?}") };
        assert_eq!(retry_after, Some(expected));
    }
}

#[test]
fn an_answer_that_never_comes_or_never_ends_is_not_waited_for() {
    let began = Instant::now();
    let (silent, _) = server(|_| thread::sleep(Duration::from_secs(60)));
    let error = sink(silent, Duration::from_millis(300)).deliver(&batch(10)).unwrap_err();
    assert!(error.to_string().contains("no response within"), "{error}");
    let (endless, _) = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(&[b'a'; 4096]).is_ok() {}
    });
    let error = sink(endless, Duration::from_secs(20)).deliver(&batch(10)).unwrap_err();
    assert!(matches!(error, SinkError::Unavailable { .. }), "{error:?}");
    // The body of an answer is not read at all.
    let (wordy, _) = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while stream.write_all(b"1000\r\n").and_then(|()| stream.write_all(&[b'a'; 4098])).is_ok() {}
    });
    sink(wordy, TIMEOUT).deliver(&batch(10)).unwrap();
    assert!(began.elapsed() < Duration::from_secs(25));
}

#[test]
fn an_early_refusal_counts_and_an_early_acknowledgement_does_not() {
    let large = 60_000_000;
    let early = |status: &'static str| {
        let (url, _) = server(move |stream| {
            let _ = stream.write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").as_bytes());
            thread::sleep(Duration::from_secs(5));
        });
        sink(url, TIMEOUT).deliver(&batch(large)).unwrap_err()
    };
    assert!(matches!(early("413 Too Large"), SinkError::TooLarge { .. }));
    let error = early("200 OK");
    assert!(matches!(error, SinkError::Unavailable { .. }), "{error:?}");
}

#[test]
fn an_error_says_what_the_system_says() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = Url::parse(&format!("http://{address}/")).unwrap();
    let error = sink(url, TIMEOUT).deliver(&batch(10)).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{address}: cannot connect: ")), "{error}");
    assert!(error.contains("refused"), "{error}");
}

#[test]
fn proxies_of_the_environment_are_not_used() {
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "http::a_request_is_one_post_with_its_length"]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        again.env(name, "http://127.0.0.1:9");
    }
    again.env_remove("no_proxy").env_remove("NO_PROXY");
    let output = again.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
