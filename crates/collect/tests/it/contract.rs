//! The contract of every sink: acknowledged batches are there, complete; the suite itself is in the crate, for sinks of others.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use annals_collect::contract::{SinkFixture, check_contract};
use annals_collect::sink::{BodyOptions, Encoding, FileSink, Format, HttpSink, OutputSink, Trust, Url};
use annals_collect::{Batch, Item, ItemForm, SentItem, Sink, SinkError};
use annals_json::Value;
use annals_testkit::receiver::{AUTHORITY, Certificate, Receiver, ReceiverBehavior};
use annals_testkit::temp::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);

fn batch(sequence: u64, texts: &[&str]) -> Batch {
    let item = |(at, text): (usize, &&str)| Item {
        file: "history.jsonl".to_owned(),
        generation: 1,
        offset: at as u64,
        length: 1,
        number: 1,
        form: ItemForm::Line,
        of: None,
        to: None,
        modified: None,
        text: Some((*text).to_owned()),
    };
    Batch {
        machine: "m".to_owned(),
        store: "s".to_owned(),
        sequence,
        rules: "r".to_owned(),
        items: texts.iter().enumerate().map(item).collect(),
    }
}

/// What is left to the sink itself: the bytes are there in the order in which they were sent, and again if sent again.
fn keeps_the_order(sink: &mut dyn Sink, there: &dyn Fn() -> Vec<u8>) {
    let batches = [batch(1, &["a", "line\nbreak\u{0}", "ü"]), batch(2, &[&"x".repeat(3_000_000)])];
    let mut expected = Vec::new();
    for batch in [&batches[0], &batches[1], &batches[1]] {
        sink.deliver(batch).unwrap();
        expected.extend(batch.ndjson());
        assert!(there() == expected, "{} bytes are there, not {}", there().len(), expected.len());
    }
}

fn items(ndjson: &[u8]) -> Vec<SentItem> {
    let lines = ndjson.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| SentItem::parse(line).unwrap()).collect()
}

struct FileFixture(PathBuf);

impl SinkFixture for FileFixture {
    fn open(&mut self) -> Box<dyn Sink + '_> {
        Box::new(FileSink::open(&self.0).unwrap())
    }

    fn stored(&mut self) -> Vec<SentItem> {
        items(&fs::read(&self.0).unwrap())
    }

    fn has_duplicates(&self) -> bool {
        true
    }

    fn refuse(&mut self, _: &str) -> bool {
        false
    }
}

struct OutputFixture(PathBuf);

impl SinkFixture for OutputFixture {
    fn open(&mut self) -> Box<dyn Sink + '_> {
        Box::new(OutputSink(fs::File::options().append(true).open(&self.0).unwrap()))
    }

    fn stored(&mut self) -> Vec<SentItem> {
        items(&fs::read(&self.0).unwrap())
    }

    fn has_duplicates(&self) -> bool {
        true
    }

    fn refuse(&mut self, _: &str) -> bool {
        false
    }
}

/// A receiver that says which items it refuses, or none.
struct ReceiverFixture {
    receiver: Receiver,
    body: BodyOptions,
}

impl SinkFixture for ReceiverFixture {
    fn open(&mut self) -> Box<dyn Sink + '_> {
        Box::new(HttpSink::new(Url::parse(&self.receiver.url()).unwrap(), self.body, PATIENCE))
    }

    fn stored(&mut self) -> Vec<SentItem> {
        items(&kept(&self.receiver))
    }

    fn has_duplicates(&self) -> bool {
        true
    }

    fn refuse(&mut self, _: &str) -> bool {
        false
    }
}

/// What a receiver has, in lines, whatever the bodies look like.
fn kept(receiver: &Receiver) -> Vec<u8> {
    let mut lines = Vec::new();
    for received in receiver.kept() {
        let body = received.decoded();
        match received.header("content-type") {
            Some("application/x-ndjson") => lines.extend(body),
            Some("application/json") => {
                for item in Value::parse(&body).unwrap().items() {
                    lines.extend_from_slice(item.raw());
                    lines.push(b'\n');
                }
            }
            other => panic!("{other:?}"),
        }
    }
    lines
}

fn bodies() -> impl Iterator<Item = BodyOptions> {
    let encodings = [Encoding::Identity, Encoding::Gzip, Encoding::Zstd];
    let each = |format| encodings.map(|encoding| BodyOptions { format, encoding });
    each(Format::Ndjson).into_iter().chain(each(Format::Json))
}

fn sink(receiver: &Receiver) -> HttpSink {
    HttpSink::new(Url::parse(&receiver.url()).unwrap(), BodyOptions::default(), PATIENCE)
}

#[test]
fn a_file_keeps_the_order() {
    let folder = TempDir::new("sink");
    let path = folder.path().join("new/out.ndjson");
    keeps_the_order(&mut FileSink::open(&path).unwrap(), &|| fs::read(&path).unwrap());
    check_contract(&mut FileFixture(folder.path().join("other.ndjson"))).unwrap();
}

#[test]
fn an_output_keeps_the_order() {
    let folder = TempDir::new("sink");
    let path = folder.write("out", "");
    let mut sink = OutputSink(fs::File::options().append(true).open(&path).unwrap());
    keeps_the_order(&mut sink, &|| fs::read(&path).unwrap());
    check_contract(&mut OutputFixture(folder.write("other", ""))).unwrap();
}

#[test]
fn a_receiver_keeps_the_contract_with_each_body() {
    for body in bodies() {
        let receiver = Receiver::start(ReceiverBehavior::Good);
        let url = Url::parse(&receiver.url()).unwrap();
        let mut sink = HttpSink::new(url, body, PATIENCE).with_token("word\r\nX: y").unwrap();
        keeps_the_order(&mut sink, &|| kept(&receiver));
        check_contract(&mut ReceiverFixture { receiver: Receiver::start(ReceiverBehavior::Good), body })
            .unwrap();
        let first = &receiver.kept()[0];
        assert_eq!(first.header("authorization"), Some("Bearer wordX:y"));
        assert_eq!((first.header("annals-machine"), first.header("annals-batch")), (Some("m"), Some("1")));
        let version = Some(env!("CARGO_PKG_VERSION"));
        assert_eq!((first.header("annals-version"), first.header("annals-rules")), (version, Some("r")));
        let encoding =
            [(Encoding::Identity, None), (Encoding::Gzip, Some("gzip")), (Encoding::Zstd, Some("zstd"))];
        assert!(encoding.contains(&(body.encoding, first.header("content-encoding"))), "{body:?}");
    }
}

#[test]
fn an_encrypted_receiver_keeps_the_order() {
    let receiver = Receiver::start_encrypted(ReceiverBehavior::Good, Certificate::Good);
    for url in [receiver.url(), receiver.url().replace("127.0.0.1", "localhost")] {
        let before = kept(&receiver);
        let sink = HttpSink::new(Url::parse(&url).unwrap(), BodyOptions::default(), PATIENCE);
        let mut sink =
            sink.with_trust(Trust::in_pem(AUTHORITY.as_bytes()).unwrap()).with_token("word").unwrap();
        keeps_the_order(&mut sink, &|| kept(&receiver)[before.len()..].to_vec());
    }
    assert_eq!(receiver.kept()[0].header("authorization"), Some("Bearer word"));
}

#[test]
fn a_sink_that_cannot_show_who_it_is_gets_nothing_and_is_not_asked_again() {
    use Certificate::{Elsewhere, Expired, Good};
    let ours = || Trust::in_pem(AUTHORITY.as_bytes()).unwrap();
    let own = include_bytes!("stranger.der");
    let strangers = || Trust::in_certificates([&own[..], b"no certificate"]).unwrap();
    for (certificate, trust, wrong) in [
        (Elsewhere, Some(ours()), "issued for another name"),
        (Expired, Some(ours()), "it has expired"),
        (Good, Some(strangers()), "this machine does not trust its issuer"),
        (Good, None, "no trusted certificates"),
    ] {
        let receiver = Receiver::start_encrypted(ReceiverBehavior::Good, certificate);
        let sink = sink(&receiver).with_token("word").unwrap();
        let mut sink = if let Some(trust) = trust { sink.with_trust(trust) } else { sink };
        let error = sink.deliver(&batch(1, &["a"])).unwrap_err();
        assert!(matches!(error, SinkError::Untrusted { .. }), "{certificate:?}: {error:?}");
        assert!(error.to_string().contains(wrong), "{error}");
        assert_eq!(receiver.kept(), []);
    }
    // In the clear where encryption is expected, and the other way round: each may wait for the other to go on.
    let briefly = Duration::from_millis(300);
    let plain = Receiver::start(ReceiverBehavior::Good);
    let url = Url::parse(&plain.url().replace("http:", "https:")).unwrap();
    let mut sink = HttpSink::new(url, BodyOptions::default(), briefly).with_trust(ours());
    assert!(sink.deliver(&batch(1, &["a"])).is_err());
    let encrypted = Receiver::start_encrypted(ReceiverBehavior::Good, Good);
    let url = Url::parse(&encrypted.url().replace("https:", "http:")).unwrap();
    assert!(HttpSink::new(url, BodyOptions::default(), briefly).deliver(&batch(1, &["a"])).is_err());
    assert_eq!([plain.kept(), encrypted.kept()], [[], []]);
    assert!(Trust::in_pem(b"").is_err() && Trust::in_certificates([&b"none"[..]]).is_err());
    let torn = AUTHORITY.replace("MI", "!!");
    assert!(Trust::in_pem(torn.as_bytes()).is_err());
}

#[test]
fn a_token_is_not_sent_where_others_can_read_it() {
    for (to, is_sent) in [("http://10.0.0.1/in", false), ("http://[::1]/", true), ("https://10.0.0.1/", true)]
    {
        let sink = HttpSink::new(Url::parse(to).unwrap(), BodyOptions::default(), PATIENCE);
        assert_eq!(sink.with_token("word").is_ok(), is_sent, "{to}");
    }
}

#[test]
fn a_torn_line_of_a_file_is_ended_first() {
    let folder = TempDir::new("sink");
    let path = folder.write("out", "{\"torn");
    let batch = batch(1, &["a"]);
    FileSink::open(&path).unwrap().deliver(&batch).unwrap();
    assert_eq!(fs::read(&path).unwrap(), [b"{\"torn\n", &batch.ndjson()[..]].concat());
}

#[test]
fn a_receiver_that_refuses_is_told_from_one_that_is_away() {
    for (status, is_away) in
        [(429, true), (503, true), (408, true), (400, false), (301, false), (401, false), (413, false)]
    {
        let receiver = Receiver::start(ReceiverBehavior::Status(status));
        let error = sink(&receiver).deliver(&batch(1, &["a"])).unwrap_err();
        assert_eq!(matches!(error, SinkError::Unavailable { .. }), is_away, "{status}: {error}");
    }
    let strict = Receiver::start(ReceiverBehavior::AtMost(500));
    let plain = BodyOptions { format: Format::Ndjson, encoding: Encoding::Identity };
    let mut sink = HttpSink::new(Url::parse(&strict.url()).unwrap(), plain, PATIENCE);
    assert!(sink.deliver(&batch(1, &["a"])).is_ok());
    let error = sink.deliver(&batch(1, &[&"x".repeat(500)])).unwrap_err();
    assert!(matches!(error, SinkError::TooLarge { .. }), "{error}");
    assert_eq!(strict.kept().len(), 1);
    let gone = Receiver::start(ReceiverBehavior::Good).url();
    let mut sink = HttpSink::new(Url::parse(&gone).unwrap(), BodyOptions::default(), PATIENCE);
    assert!(matches!(sink.deliver(&batch(1, &["a"])), Err(SinkError::Unavailable { .. })));
}
