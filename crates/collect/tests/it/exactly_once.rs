//! Up to a hundred thousand records through a receiver that fails every second time, across restarts, truncation and
//! rotation: after de-duplication each arrived once, none is missing, and none contains a secret.

use std::fs::{self, File};
use std::io::Write;
use std::time::Duration;

use annals_collect::sink::{BodyOptions, HttpSink, Url};
use annals_collect::{Limits, RetryPolicy};
use annals_testkit::depth::repetitions;
use annals_testkit::home::Home;
use annals_testkit::receiver::{Receiver, ReceiverBehavior};
use annals_testkit::source::CountingSource;

use crate::support::{Arrived, pass};

const FILES: usize = 10;
/// At full depth, a hundred thousand records.
const ROUNDS: usize = 20;
const LINES: usize = 500;
const SECRET: &str = concat!("ghp_", "b9Lr3MnO5qSt7UvW9xYz2AcD4eFg6HiK8lR0");

fn name(file: usize) -> String {
    format!("projects/-work/{file:08}-1111-4111-8111-111111111111.jsonl")
}

/// What is written, and what must arrive of it.
fn line(file: usize, round: usize, number: usize) -> (String, String) {
    let of = |word: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{file}-{round}-{number}\",\"message\":{{\"role\":\"user\",\"content\":\"{word}\"}}}}"
        )
    };
    if number % 100 == 7 { (of(SECRET), of("[REDACTED:github-token]")) } else { (of("hello"), of("hello")) }
}

#[test]
fn every_record_arrives_once_through_a_bad_receiver() {
    // By the fourth round a file has been cut and another rotated.
    let rounds = repetitions(ROUNDS).max(4);
    let (home, source) = (Home::new(), CountingSource::default());
    let receiver = Receiver::start(ReceiverBehavior::Bad(42));
    let url = Url::parse(&receiver.url()).unwrap();
    let mut expected = Vec::new();
    let (mut retries, mut ended_early) = (0, 0);
    for round in 0..rounds {
        for file in 0..FILES {
            let path = home.config_dir().join(name(file));
            if round == 0 {
                home.write(name(file), "");
            } else if file == round % FILES {
                match round % 3 {
                    // Truncated in place.
                    0 => fs::write(&path, "").unwrap(),
                    // Rotated: the old one leaves, a new one takes its name.
                    1 => {
                        fs::rename(&path, home.path().join(format!("old-{round}"))).unwrap();
                        home.write(name(file), "");
                    }
                    _ => {}
                }
            }
            let lines: Vec<_> = (0..LINES).map(|number| line(file, round, number)).collect();
            let written: String = lines.iter().map(|(written, _)| format!("{written}\n")).collect();
            File::options().append(true).open(&path).unwrap().write_all(written.as_bytes()).unwrap();
            expected.extend(lines.into_iter().map(|(_, arrives)| arrives));
        }
        // Each pass is a process of its own, and some end in the middle: two attempts do not get far here.
        loop {
            let mut sink = HttpSink::new(url.clone(), BodyOptions::default(), Duration::from_secs(30));
            let done = pass(&home, &source, &mut sink, |collector| {
                collector.limits = Limits { items: 300, bytes: u64::MAX, ..Limits::default() };
                collector.retry = RetryPolicy { first: 0, longest: 0, attempts: 3 };
            });
            match done {
                Ok(passed) => {
                    retries += passed.retries;
                    break;
                }
                Err(_) => ended_early += 1,
            }
        }
    }
    let mut arrived = Arrived::default();
    for batch in receiver.kept() {
        let body = batch.decoded();
        assert!(!String::from_utf8_lossy(&body).contains(SECRET));
        arrived.add(&body);
    }
    assert!(
        retries > rounds as u64 && ended_early > rounds / 4 && arrived.repeated > 50 * rounds,
        "{retries} {ended_early}"
    );
    let mut texts: Vec<_> = arrived.texts.into_values().collect();
    // A line that is written again after a rewrite would be a second one: none here is.
    texts.sort();
    expected.sort();
    assert_eq!((texts.len(), expected.len()), (FILES * rounds * LINES, FILES * rounds * LINES));
    assert!(texts == expected, "other lines arrived than were written");
}
