//! How long a pass waits for a sink: as long as requested, in either format, within limits.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use annals_collect::{Batch, CollectError, Collector, RetryAfter, RetryPolicy, Sink, SinkError};
use annals_store::source::{Clock, Source};
use annals_store::{DataDir, Store};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::redact::SecretRules;

use crate::support::Memory;

/// A clock that stands still, and notes every wait.
#[derive(Debug, Default)]
struct Noted {
    chance: CountingSource,
    waits: Mutex<Vec<u64>>,
}

const NOW: i64 = 1_767_225_600_000;

impl Clock for Noted {
    fn now(&self) -> i64 {
        NOW
    }

    fn pause(&self, millis: u64) {
        self.waits.lock().unwrap().push(millis);
    }
}

impl Source for Noted {
    fn random(&self) -> [u8; 16] {
        self.chance.random()
    }
}

/// A sink that asks for these waits, one after the other, and then is away without a word.
struct Asking(Vec<RetryAfter>);

impl Sink for Asking {
    fn deliver(&mut self, _: &Batch) -> Result<(), SinkError> {
        let retry_after = if self.0.is_empty() { None } else { Some(self.0.remove(0)) };
        Err(SinkError::Unavailable { what: "busy".to_owned(), retry_after })
    }
}

#[test]
fn a_pass_waits_as_it_is_asked_and_gives_up_in_the_end() {
    let (home, source) = (Home::new(), Noted::default());
    home.write("history.jsonl", "{\"display\":\"hello\"}\n");
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut collector = Collector::open(&store, &data, "test", rules, &source).unwrap();
    collector.retry = RetryPolicy { first: 0, longest: 0, attempts: 7 };
    let asked = vec![
        RetryAfter::Seconds(7),
        RetryAfter::At(NOW + 90_000),
        RetryAfter::At(NOW - 90_000),
        RetryAfter::Seconds(u64::MAX),
        RetryAfter::At(i64::MAX),
    ];
    let done = collector.pass(&mut Asking(asked));
    assert!(matches!(done, Err(CollectError::NotDelivered { attempts: 7, .. })), "{done:?}");
    assert_eq!(*source.waits.lock().unwrap(), [7_000, 90_000, 0, 3_600_000, 3_600_000, 0]);
}

/// A sink that refuses: whatever it says, it is not asked twice.
struct Refusing(u32);

impl Sink for Refusing {
    fn deliver(&mut self, _: &Batch) -> Result<(), SinkError> {
        self.0 += 1;
        match self.0 {
            1 => Err(SinkError::Refused { what: "no".to_owned() }),
            _ => Err(SinkError::Untrusted { what: "who".to_owned() }),
        }
    }
}

#[test]
fn a_refusal_and_a_stranger_are_not_waited_for() {
    let (home, source) = (Home::new(), Noted::default());
    home.write("history.jsonl", "{\"display\":\"hello\"}\n");
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut collector = Collector::open(&store, &data, "test", rules, &source).unwrap();
    let mut sink = Refusing(0);
    for asked in [1, 2] {
        let done = collector.pass(&mut sink);
        assert!(matches!(done, Err(CollectError::NotDelivered { attempts: 1, .. })), "{done:?}");
        assert_eq!((sink.0, source.waits.lock().unwrap().len()), (asked, 0));
    }
}

/// A clock that goes on only while somebody waits, and notes every wait.
#[derive(Debug)]
struct Waiting {
    now: AtomicI64,
    chance: CountingSource,
    waits: Mutex<Vec<u64>>,
}

impl Clock for Waiting {
    fn now(&self) -> i64 {
        self.now.load(Ordering::SeqCst)
    }

    fn pause(&self, millis: u64) {
        self.now.fetch_add(millis as i64, Ordering::SeqCst);
        self.waits.lock().unwrap().push(millis);
    }
}

impl Source for Waiting {
    fn random(&self) -> [u8; 16] {
        self.chance.random()
    }
}

/// A sink that is away until then.
struct AwayUntil<'c> {
    clock: &'c Waiting,
    until: i64,
    then: Memory,
}

impl Sink for AwayUntil<'_> {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        match self.clock.now() < self.until {
            true => Err(SinkError::Unavailable { what: "away".to_owned(), retry_after: None }),
            false => self.then.deliver(batch),
        }
    }
}

const HOUR: i64 = 3_600_000;
/// What `collect --watch` waits between two passes.
const BETWEEN: u64 = 60_000;

#[test]
fn an_engine_that_is_away_for_an_hour_is_asked_more_and_more_rarely_and_gets_everything_once() {
    let home = Home::new();
    let clock =
        Waiting { now: AtomicI64::new(NOW), chance: CountingSource::default(), waits: Mutex::default() };
    let session = "projects/-work/11111111-1111-4111-8111-111111111111.jsonl";
    let mut sink = AwayUntil { clock: &clock, until: NOW + HOUR, then: Memory::default() };
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let (mut lines, mut waiting_before, mut passes) = (Vec::new(), 0, 0);
    loop {
        passes += 1;
        lines.push(format!("line {passes:03}"));
        home.write(session, lines.join("\n") + "\n");
        let began = clock.now();
        // Each pass by a process of its own: what waits is on the disk.
        let rules = SecretRules::new(&[], &[]).unwrap();
        let mut collector = Collector::open(&store, &data, "test", rules, &clock).unwrap();
        let done = collector.pass(&mut sink);
        let waits = std::mem::take(&mut *clock.waits.lock().unwrap());
        // Each wait is between a half and all of twice the one before.
        for (at, wait) in waits.iter().enumerate() {
            let most = (500 << at).min(60_000);
            assert!((most / 2..=most).contains(wait), "pass {passes}: {waits:?}");
        }
        match done {
            Ok(passed) => {
                assert_eq!((passed.items, passed.withheld), (lines.len() as u64, 0));
                break;
            }
            Err(CollectError::NotDelivered { waiting, attempts, .. }) => {
                assert_eq!((attempts, waits.len(), waiting.is_full), (8, 7, false));
                assert!(waiting.batches > waiting_before, "pass {passes}: {waiting:?}");
                waiting_before = waiting.batches;
                assert!(sink.then.batches.is_empty() && clock.now() - began > 30_000);
            }
            Err(other) => panic!("{other}"),
        }
        assert!(passes < 100, "{}", clock.now() - NOW);
        clock.now.fetch_add(BETWEEN as i64, Ordering::SeqCst);
    }
    assert!((HOUR..HOUR + 200_000).contains(&(clock.now() - NOW)), "{}", clock.now() - NOW);
    // Few enough attempts for thousands of machines: not even one every ten seconds.
    assert!((25..45).contains(&passes), "{passes}");
    assert_eq!(sink.then.arrived.latest(session), lines);
    assert_eq!(sink.then.arrived.repeated, 0);
    assert!(sink.then.batches.is_sorted(), "{:?}", sink.then.batches);
}
