//! What every sink promises, asked of each: what it acknowledges is there, whole and in order, and again where it is given
//! again.

use std::fs;
use std::time::Duration;

use annals_collect::sink::{Encoding, FileSink, HttpSink, OutputSink, Url};
use annals_collect::{Batch, Form, Item, Sink, SinkError};
use annals_testkit::receiver::{Manners, Receiver};
use annals_testkit::temp::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);

fn batch(sequence: u64, texts: &[&str]) -> Batch {
    let item = |(at, text): (usize, &&str)| Item {
        file: "history.jsonl".to_owned(),
        generation: 1,
        offset: at as u64,
        length: 1,
        number: 1,
        form: Form::Line,
        text: Some((*text).to_owned()),
    };
    Batch { machine: "m".to_owned(), sequence, items: texts.iter().enumerate().map(item).collect() }
}

/// The suite: `there` tells what the sink has.
fn keeps_the_contract(sink: &mut dyn Sink, there: &dyn Fn() -> Vec<u8>) {
    let batches = [batch(1, &["a", "line\nbreak\u{0}", "ü"]), batch(2, &[&"x".repeat(3_000_000)])];
    let mut expected = Vec::new();
    for batch in [&batches[0], &batches[1], &batches[1]] {
        sink.deliver(batch).unwrap();
        expected.extend(batch.ndjson());
        assert!(there() == expected, "{} bytes are there, not {}", there().len(), expected.len());
    }
}

fn kept(receiver: &Receiver) -> Vec<u8> {
    let decode = |received: annals_testkit::receiver::Received| match received.header("content-encoding") {
        Some("zstd") => zstd::decode_all(&received.body[..]).unwrap(),
        _ => received.body,
    };
    receiver.kept().into_iter().flat_map(decode).collect()
}

#[test]
fn a_file_keeps_the_contract() {
    let folder = TempDir::new("sink");
    let path = folder.path().join("new/out.ndjson");
    keeps_the_contract(&mut FileSink::open(&path).unwrap(), &|| fs::read(&path).unwrap());
}

#[test]
fn an_output_keeps_the_contract() {
    let folder = TempDir::new("sink");
    let path = folder.write("out", "");
    let mut sink = OutputSink(fs::File::options().append(true).open(&path).unwrap());
    keeps_the_contract(&mut sink, &|| fs::read(&path).unwrap());
}

#[test]
fn a_receiver_keeps_the_contract_in_each_encoding() {
    for encoding in [Encoding::Identity, Encoding::Zstd] {
        let receiver = Receiver::start(Manners::Good);
        let url = Url::parse(&receiver.url()).unwrap();
        let mut sink = HttpSink::new(url, encoding, PATIENCE).with_token("word\r\nX: y");
        keeps_the_contract(&mut sink, &|| kept(&receiver));
        let first = &receiver.kept()[0];
        assert_eq!(first.header("authorization"), Some("Bearer wordX:y"));
        assert_eq!((first.header("annals-machine"), first.header("annals-batch")), (Some("m"), Some("1")));
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
    for (status, is_away) in [(429, true), (503, true), (408, true), (400, false), (301, false), (413, false)]
    {
        let receiver = Receiver::start(Manners::Status(status));
        let url = Url::parse(&receiver.url()).unwrap();
        let error = HttpSink::new(url, Encoding::Identity, PATIENCE).deliver(&batch(1, &["a"])).unwrap_err();
        assert_eq!(matches!(error, SinkError::Away { .. }), is_away, "{status}: {error}");
    }
    let gone = Receiver::start(Manners::Good).url();
    let mut sink = HttpSink::new(Url::parse(&gone).unwrap(), Encoding::Identity, PATIENCE);
    assert!(matches!(sink.deliver(&batch(1, &["a"])), Err(SinkError::Away { .. })));
}
