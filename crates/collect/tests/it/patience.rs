//! How long a pass waits for a sink: as long as requested, in either format, within limits.

use std::sync::Mutex;

use annals_collect::{Batch, CollectError, Collector, RetryAfter, RetryPolicy, Sink, SinkError};
use annals_store::source::{Clock, Source};
use annals_store::{DataDir, Store};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::redact::SecretRules;

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
