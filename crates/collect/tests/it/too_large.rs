//! A receiver with a size limit: batches are halved until they fit, and a single item that is too large is set aside.

use std::fs;
use std::time::Duration;

use annals_collect::sink::{BodyOptions, Encoding, Format, HttpSink, Url};
use annals_collect::{CollectError, RetryPolicy};
use annals_testkit::home::Home;
use annals_testkit::receiver::{Receiver, ReceiverBehavior};
use annals_testkit::source::CountingSource;

use crate::support::{Arrived, pass};

const SESSION: &str = "projects/-work/11111111-1111-4111-8111-111111111111.jsonl";
const PATIENCE: Duration = Duration::from_secs(30);

fn sink(receiver: &Receiver) -> HttpSink {
    // Not compressed, so that its size is known.
    let body = BodyOptions { format: Format::Ndjson, encoding: Encoding::Identity };
    HttpSink::new(Url::parse(&receiver.url()).unwrap(), body, PATIENCE)
}

fn arrived(receiver: &Receiver) -> Arrived {
    let mut arrived = Arrived::default();
    for received in receiver.kept() {
        arrived.add(&received.decoded());
    }
    arrived
}

/// Lines of text, of which the one with this number is large.
fn lines(count: usize, large: usize) -> Vec<String> {
    let line =
        |at: usize| format!("line {at} {}", if at == large { "x".repeat(5000) } else { String::new() });
    (1..=count).map(line).collect()
}

#[test]
fn a_batch_is_halved_until_it_goes_and_what_is_too_large_alone_is_set_aside() {
    let (home, source) = (Home::new(), CountingSource::default());
    let lines = lines(20, 7);
    home.write(SESSION, lines.join("\n") + "\n");
    let receiver = Receiver::start(ReceiverBehavior::AtMost(1000));
    let passed = pass(&home, &source, &mut sink(&receiver), |_| {}).unwrap();
    assert_eq!((passed.items, passed.batches), (19, 1));
    let [aside] = &passed.set_aside[..] else { panic!("{:?}", passed.set_aside) };
    assert_eq!((aside.file.as_str(), aside.line, aside.bytes), (SESSION, 7, lines[6].len() as u64 + 1));
    let kept = String::from_utf8(zstd::decode_all(&fs::read(&aside.path).unwrap()[..]).unwrap()).unwrap();
    assert!(kept.contains(&lines[6]) && kept.lines().count() == 1, "{kept}");
    let without: Vec<_> = lines.iter().filter(|line| !line.contains("xxx")).map(String::as_str).collect();
    assert_eq!((arrived(&receiver).latest(SESSION), arrived(&receiver).repeated), (without, 0));
    // Nothing waits any more, and what is new goes on.
    home.write(SESSION, lines.join("\n") + "\none more\n");
    let passed = pass(&home, &source, &mut sink(&receiver), |_| {}).unwrap();
    assert_eq!((passed.items, passed.spooled, passed.set_aside.len()), (1, 0, 0));
    assert!(aside.path.exists(), "it is kept");
}

#[test]
fn a_receiver_that_goes_away_in_the_middle_gets_everything_later_and_nothing_under_two_names() {
    let (home, source) = (Home::new(), CountingSource::default());
    let lines = lines(40, 0);
    home.write(SESSION, lines.join("\n") + "\n");
    let receiver = Receiver::start(ReceiverBehavior::AtMost(1000));
    // One that takes the first parts, and then nothing.
    struct Tired<'r>(HttpSink, &'r Receiver);
    impl annals_collect::Sink for Tired<'_> {
        fn deliver(&mut self, batch: &annals_collect::Batch) -> Result<(), annals_collect::SinkError> {
            if self.1.kept().len() == 2 {
                self.1.set_behavior(ReceiverBehavior::Unreachable);
            }
            self.0.deliver(batch)
        }
    }
    let mut tired = Tired(sink(&receiver), &receiver);
    let done = pass(&home, &source, &mut tired, |collector| {
        collector.retry = RetryPolicy { attempts: 1, ..RetryPolicy::default() }
    });
    assert!(matches!(done, Err(CollectError::NotDelivered { .. })), "{done:?}");
    receiver.set_behavior(ReceiverBehavior::AtMost(1000));
    let passed = pass(&home, &source, &mut sink(&receiver), |_| {}).unwrap();
    assert_eq!((passed.items, passed.spooled), (40, 40));
    assert_eq!(arrived(&receiver).latest(SESSION), lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(arrived(&receiver).repeated > 0);
}
