//! Items that a sink refuses: named once with the reason, kept in a list, and not in the way of the others.

use std::time::Duration;

use annals_collect::sink::{BodyOptions, HttpSink, Url};
use annals_collect::{
    Batch, CollectError, Collector, Item, ItemRefusal, Limits, PassReport, Sink, SinkError, SinkStatus,
};
use annals_store::{DataDir, Store};
use annals_testkit::home::Home;
use annals_testkit::receiver::{Receiver, ReceiverBehavior};
use annals_testkit::source::CountingSource;
use annals_transcript::redact::SecretRules;

use crate::support::{Memory, pass};

const SESSION: &str = "projects/-work/11111111-1111-4111-8111-111111111111.jsonl";

/// A sink that refuses items with a word in them.
#[derive(Default)]
struct Strict {
    word: &'static str,
    /// Whether it says which ones.
    names_them: bool,
    calls: usize,
    then: Memory,
}

impl Sink for Strict {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        self.calls += 1;
        let is_bad = |item: &Item| item.text.as_ref().is_some_and(|text| text.contains(self.word));
        let is_bad = |item: &Item| !self.word.is_empty() && is_bad(item);
        let bad: Vec<usize> = (0..batch.items.len()).filter(|&at| is_bad(&batch.items[at])).collect();
        if bad.is_empty() {
            return self.then.deliver(batch);
        }
        if !self.names_them {
            return Err(SinkError::Refused { what: "status 422".to_owned() });
        }
        let good = batch.items.iter().filter(|item| !is_bad(item)).cloned().collect();
        self.then.deliver(&batch.with_items(good))?;
        let refusal = |index| ItemRefusal { index, reason: "forgotten".to_owned() };
        Err(SinkError::RefusedItems { items: bad.into_iter().map(refusal).collect() })
    }
}

fn status(home: &Home) -> SinkStatus {
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let (rules, source) = (SecretRules::new(&[], &[]).unwrap(), CountingSource::default());
    Collector::look(&store, &data, "test", rules, &source).unwrap().status().unwrap()
}

fn lines(count: usize) -> String {
    (0..count).map(|at| format!("{} {at}\n", if at % 7 == 3 { "bad" } else { "good" })).collect()
}

fn refused(passed: &PassReport) -> Vec<(u64, &str)> {
    passed.set_aside.iter().map(|item| (item.line, item.reason.as_str())).collect()
}

#[test]
fn refused_items_are_found_reported_once_and_kept() {
    for names_them in [false, true] {
        let (home, source) = (Home::new(), CountingSource::default());
        home.write(SESSION, lines(20));
        let mut sink = Strict { word: "bad", names_them, ..Strict::default() };
        let passed = pass(&home, &source, &mut sink, |_| ()).unwrap();
        let reason = if names_them { "forgotten" } else { "status 422" };
        assert_eq!((passed.items, refused(&passed)), (17, vec![(4, reason), (11, reason), (18, reason)]));
        assert_eq!(sink.then.arrived.texts.len(), 17);
        // Nothing waits, nothing is tried again, and what is new goes on.
        let calls = sink.calls;
        home.write(SESSION, lines(20) + "good too\n");
        let passed = pass(&home, &source, &mut sink, |_| ()).unwrap();
        assert_eq!((passed.items, passed.set_aside.len(), sink.calls), (1, 0, calls + 1));
        let status = status(&home);
        assert_eq!((status.waiting.batches, status.refused.len()), (0, 3));
        assert!(status.refused.iter().all(|item| item.file == SESSION && item.reason == reason));
        assert!(status.refused.iter().all(|item| item.time.is_some() && item.path.exists()));
        // On request they are sent again, under their names.
        sink.word = "";
        let retried = pass(&home, &source, &mut sink, |collector| {
            assert_eq!(collector.retry_refused().unwrap(), 3);
        });
        assert_eq!(retried.unwrap().items, 3);
        assert_eq!(sink.then.arrived.latest(SESSION).len(), 21);
        assert!(sink.then.arrived.latest(SESSION)[3].contains("bad"));
        assert!(self::status(&home).refused.is_empty());
    }
}

#[test]
fn a_batch_of_nothing_but_refused_items_does_not_stop_those_behind_it() {
    let (home, source) = (Home::new(), CountingSource::default());
    home.write(SESSION, "good\n");
    let mut sink = Strict { word: "bad", ..Strict::default() };
    let of_100 = |collector: &mut Collector<'_>| {
        collector.limits = Limits { items: 100, ..Limits::default() };
    };
    pass(&home, &source, &mut sink, of_100).unwrap();
    home.write(SESSION, "good\n".to_owned() + &"bad\n".repeat(100) + "good again\n");
    sink.calls = 0;
    let passed = pass(&home, &source, &mut sink, of_100).unwrap();
    assert_eq!((passed.items, passed.set_aside.len()), (1, 100));
    assert!(sink.calls < 30, "{} requests", sink.calls);
    assert_eq!(sink.then.arrived.latest(SESSION), ["good", "good again"]);
    assert_eq!(status(&home).refused.len(), 100);
}

#[test]
fn a_sink_that_has_never_accepted_anything_is_at_fault_itself() {
    let (home, source) = (Home::new(), CountingSource::default());
    home.write(SESSION, lines(50).replace("good", "bad"));
    let mut sink = Strict { word: "bad", ..Strict::default() };
    for _ in 0..2 {
        let done = pass(&home, &source, &mut sink, |_| ());
        let Err(CollectError::NotDelivered { source: SinkError::Denied { what }, .. }) = done else {
            panic!("{done:?}")
        };
        assert!(what.contains("status 422"), "{what}");
    }
    let status = status(&home);
    assert_eq!((status.waiting.batches, status.refused.len()), (1, 0));
    sink.word = "";
    assert_eq!(pass(&home, &source, &mut sink, |_| ()).unwrap().items, 50);
}

#[test]
fn a_wrong_token_or_address_keeps_everything_in_the_spool() {
    let (home, source) = (Home::new(), CountingSource::default());
    home.write(SESSION, "one\n");
    let receiver = Receiver::start(ReceiverBehavior::Good);
    let sink = || {
        HttpSink::new(Url::parse(&receiver.url()).unwrap(), BodyOptions::default(), Duration::from_secs(30))
    };
    pass(&home, &source, &mut sink(), |_| ()).unwrap();
    home.write(SESSION, "one\ntwo\nthree\n");
    for code in [401, 404, 405, 302] {
        receiver.set_behavior(ReceiverBehavior::Status(code));
        let done = pass(&home, &source, &mut sink(), |_| ());
        assert!(
            matches!(
                done,
                Err(CollectError::NotDelivered { attempts: 1, source: SinkError::Denied { .. }, .. })
            ),
            "{code}: {done:?}"
        );
        assert_eq!(status(&home).refused.len(), 0);
    }
    // It works now, and refuses these for what they are.
    receiver.set_behavior(ReceiverBehavior::Status(403));
    let passed = pass(&home, &source, &mut sink(), |_| ()).unwrap();
    assert_eq!((passed.items, passed.set_aside.len()), (0, 2));
    assert!(passed.set_aside[0].reason.contains("status 403"), "{:?}", passed.set_aside);
    receiver.set_behavior(ReceiverBehavior::Good);
    home.write(SESSION, "one\ntwo\nthree\nfour\n");
    assert_eq!(pass(&home, &source, &mut sink(), |_| ()).unwrap().items, 1);
}
