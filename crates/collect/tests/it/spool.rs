//! The spool of a sink: it survives deleted files and every crash, contains no secret, and stays within its limit.

use std::fs;
use std::path::{Path, PathBuf};

use annals_collect::{CollectError, Collector, Limits, PassReport, RetryPolicy};
use annals_store::source::{Clock, Source};
use annals_store::{DataDir, Store};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_testkit::temp::TempDir;
use annals_testkit::tree::copy;
use annals_transcript::redact::SecretRules;

use crate::support::{Arrived, Memory, Snapshots, Unavailable, pass};

const SESSION: &str = "projects/-work/11111111-1111-4111-8111-111111111111.jsonl";
const OTHER: &str = "projects/-work/22222222-2222-4222-8222-222222222222.jsonl";
/// Made of two halves, so that no scanner takes this file for a leak.
const SECRET: &str = concat!("ghp_", "a8Kq2LmN4pRs6TuV8wXy1ZbC3dEf5GhJ7kQ9");

fn never() -> Unavailable {
    Unavailable { times: u32::MAX, ..Unavailable::default() }
}

/// Batches of so few items, and no more patience than one attempt.
fn small(items: usize) -> impl Fn(&mut Collector<'_>) {
    move |collector| {
        collector.limits = Limits { items, ..Limits::default() };
        collector.retry = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
    }
}

fn spool(home: &Home) -> PathBuf {
    DataDir::new(home.data_dir()).spool("test")
}

fn spooled(home: &Home) -> Vec<PathBuf> {
    let entries = fs::read_dir(spool(home)).map(|entries| entries.map(|entry| entry.unwrap().path()));
    let mut paths: Vec<_> = entries.map(Iterator::collect).unwrap_or_default();
    paths.sort();
    paths
}

fn waiting(done: Result<PassReport, CollectError>) -> (u64, u64, bool) {
    match done {
        Err(CollectError::NotDelivered { waiting, .. }) => (waiting.batches, waiting.bytes, waiting.is_full),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_read_outlives_the_files_and_holds_no_secret() {
    let (home, source) = (Home::new(), CountingSource::default());
    let first = home.write(SESSION, format!("one {SECRET}\ntwo\n"));
    let second = home.write(OTHER, "three\nfour\nfive\n");
    let (batches, bytes, is_full) = waiting(pass(&home, &source, &mut never(), small(2)));
    assert_eq!((batches, is_full), (3, false));
    let paths = spooled(&home);
    assert_eq!(bytes, paths.iter().map(|path| fs::metadata(path).unwrap().len()).sum::<u64>());
    for path in &paths {
        let text = String::from_utf8(zstd::decode_all(&fs::read(path).unwrap()[..]).unwrap()).unwrap();
        assert!(!text.contains(&SECRET[4..]), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
            assert_eq!(fs::metadata(spool(&home)).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
    fs::remove_file(first).unwrap();
    fs::write(second, "six\n").unwrap();
    // Again away: what is new joins what waits, behind it, and so does the mark of the file that is gone.
    assert_eq!(waiting(pass(&home, &source, &mut never(), small(2))).0, 5);
    let mut sink = Memory::default();
    let passed = pass(&home, &source, &mut sink, small(2)).unwrap();
    assert_eq!((passed.items, passed.spooled, passed.batches, passed.files), (6, 6, 5, 2));
    assert_eq!((passed.gone, &sink.batches[..]), (1, &[1, 2, 3, 4, 5][..]));
    let texts: Vec<_> = sink.arrived.texts.values().map(String::as_str).collect();
    assert_eq!(texts, ["one [REDACTED:github-token]", "two", "three", "four", "five", "six"]);
    assert_eq!((spooled(&home).len(), sink.arrived.repeated), (0, 0));
    assert_eq!(pass(&home, &source, &mut sink, small(2)).unwrap().items, 0);
}

#[test]
fn a_full_spool_stops_reading_and_loses_nothing() {
    let (home, source) = (Home::new(), CountingSource::default());
    let lines: Vec<String> = (0..50).map(|number| format!("line {number:02}")).collect();
    home.write(SESSION, lines.join("\n") + "\n");
    let bounded = |most: u64| {
        move |collector: &mut Collector<'_>| {
            small(5)(collector);
            collector.limits.spool = most;
        }
    };
    // One batch is always taken; it has to be somewhere.
    let (batches, one, is_full) = waiting(pass(&home, &source, &mut never(), bounded(0)));
    assert_eq!((batches, is_full), (1, true));
    let (batches, bytes, is_full) = waiting(pass(&home, &source, &mut never(), bounded(3 * one + one / 2)));
    assert!(is_full && bytes <= 3 * one + one / 2, "{batches} batches, {bytes} bytes");
    assert_eq!(batches, 3);
    // Even a sink that comes back late in a pass gets everything in that pass.
    let mut sink = Unavailable { times: 2, ..Unavailable::default() };
    let passed = pass(&home, &source, &mut sink, |collector| {
        bounded(3 * one + one / 2)(collector);
        collector.retry = RetryPolicy { first: 0, longest: 0, attempts: 3 };
    });
    assert_eq!(passed.unwrap().items, 50);
    assert_eq!(sink.then.arrived.latest(SESSION), lines);
    assert_eq!((sink.then.arrived.repeated, spooled(&home).len()), (0, 0));
}

/// A clock by which the client cleans up whenever somebody waits.
#[derive(Debug)]
struct CleanedUp {
    counting: CountingSource,
    path: PathBuf,
}

impl Clock for CleanedUp {
    fn now(&self) -> i64 {
        self.counting.now()
    }

    fn pause(&self, _: u64) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Source for CleanedUp {
    fn random(&self) -> [u8; 16] {
        self.counting.random()
    }
}

#[test]
fn everything_is_read_before_a_sink_is_waited_for() {
    let home = Home::new();
    let path = home.write(SESSION, "one\ntwo\nthree\n");
    let source = CleanedUp { counting: CountingSource::default(), path };
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut collector = Collector::open(&store, &data, "test", rules, &source).unwrap();
    collector.limits = Limits { items: 1, ..Limits::default() };
    let mut sink = Unavailable { times: 1, ..Unavailable::default() };
    assert_eq!(collector.pass(&mut sink).unwrap().items, 3);
    assert!(!home.config_dir().join(SESSION).exists());
    assert_eq!(sink.then.arrived.latest(SESSION), ["one", "two", "three"]);
}

#[test]
fn a_crash_at_any_step_neither_loses_nor_repeats() {
    let (home, source) = (Home::new(), CountingSource::default());
    let path = home.write(SESSION, "a\nb\nc\nd\n");
    home.write(OTHER, "e\nf\ng\nh\n");
    let all = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut first = Snapshots { home: &home, taken: Vec::new() };
    assert_eq!(pass(&home, &source, &mut first, small(2)).unwrap().batches, 4);
    let last = TempDir::new("last");
    copy(&home.data_dir(), last.path());
    let restart = |data: &Path, arrived: Arrived| {
        fs::remove_dir_all(home.data_dir()).unwrap();
        copy(data, &home.data_dir());
        let mut sink = Memory { arrived, ..Memory::default() };
        pass(&home, &source, &mut sink, small(2)).unwrap();
        assert_eq!(spooled(&home), Vec::<PathBuf>::new());
        sink.arrived
    };
    for (at, (data, sent)) in first.taken.iter().enumerate() {
        let acknowledged = || {
            let mut arrived = Arrived::default();
            first.taken[..at].iter().for_each(|(_, sent)| arrived.add(sent));
            arrived
        };
        // In the spool, and not sent yet.
        let arrived = restart(data.path(), acknowledged());
        assert_eq!((arrived.texts.len(), arrived.repeated), (8, 0), "batch {at}");
        assert_eq!(arrived.texts.values().collect::<Vec<_>>(), all);
        // Sent, and the answer was lost with the process.
        let mut both = acknowledged();
        both.add(sent);
        let arrived = restart(data.path(), both);
        assert_eq!((arrived.texts.len(), arrived.repeated), (8, 2), "batch {at}");
        // Acknowledged and noted, and still in the spool.
        let name = format!("{:012}.ndjson.zst", at + 1);
        let again = TempDir::new("again");
        copy(last.path(), again.path());
        let kept = data.path().join("collect/test.spool").join(&name);
        fs::copy(kept, again.path().join("collect/test.spool").join(&name)).unwrap();
        let mut whole = Arrived::default();
        first.taken.iter().for_each(|(_, sent)| whole.add(sent));
        let arrived = restart(again.path(), whole);
        assert_eq!((arrived.texts.len(), arrived.repeated), (8, 2), "batch {at}");
        // Not in the spool yet: half a file beside it, of a process that is gone.
        let half = again.path().join("collect/test.spool/.000000000005.ndjson.zst.4194304.annals-new");
        fs::write(&half, "half").unwrap();
        fs::remove_file(again.path().join("collect/test.spool").join(&name)).unwrap();
        let mut whole = Arrived::default();
        first.taken.iter().for_each(|(_, sent)| whole.add(sent));
        assert_eq!(restart(again.path(), whole).repeated, 0);
    }
    // The file is cut while nobody runs: what was in the spool arrives all the same, under its name.
    let (data, _) = &first.taken[0];
    fs::write(path, "").unwrap();
    let arrived = restart(data.path(), Arrived::default());
    assert_eq!(arrived.texts.values().collect::<Vec<_>>(), ["a", "b", "e", "f", "g", "h"]);
}

#[test]
fn a_damaged_batch_is_said_and_never_passed_over() {
    let (home, source) = (Home::new(), CountingSource::default());
    home.write(SESSION, "one\ntwo\n");
    waiting(pass(&home, &source, &mut never(), small(1)));
    let whole = fs::read(&spooled(&home)[0]).unwrap();
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let mut said = 0;
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x01;
        fs::write(&spooled(&home)[0], bytes).unwrap();
        let (rules, mut sink) = (SecretRules::new(&[], &[]).unwrap(), Memory::default());
        let opened = Collector::look(&store, &data, "test", rules, &source);
        match opened.and_then(|mut collector| collector.pass(&mut sink)) {
            // A bit that means nothing; what was sent is what was read.
            Ok(_) => assert_eq!(sink.arrived.latest(SESSION), ["one", "two"], "byte {at}"),
            Err(CollectError::DamagedBatch { .. }) => {
                said += 1;
                assert!(sink.batches.is_empty(), "byte {at}");
            }
            Err(other) => panic!("byte {at}: {other}"),
        }
    }
    assert!(said > whole.len() * 9 / 10, "{said} of {} flips were noticed", whole.len());
    let mut sink = Memory::default();
    fs::write(&spooled(&home)[0], whole).unwrap();
    assert_eq!(pass(&home, &source, &mut sink, small(1)).unwrap().items, 2);
}

#[test]
fn a_look_counts_what_waits_and_leaves_it() {
    let (home, source) = (Home::new(), CountingSource::default());
    home.write(SESSION, "one\ntwo\n");
    waiting(pass(&home, &source, &mut never(), small(1)));
    home.write(OTHER, "three\n");
    let before = spooled(&home);
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut look = Collector::look(&store, &data, "test", rules, &source).unwrap();
    let passed = look.pass(&mut Memory::default()).unwrap();
    assert_eq!((passed.items, passed.spooled, passed.files), (3, 2, 2));
    assert_eq!((spooled(&home), before.len()), (before, 2));
}

#[test]
fn what_waits_is_sent_by_its_own_store_only() {
    let (home, source) = (Home::new(), CountingSource::default());
    home.write(SESSION, "{\"type\":\"user\",\"uuid\":\"first\"}\n");
    assert!(pass(&home, &source, &mut never(), small(10)).is_err());
    assert_eq!(spooled(&home).len(), 1);
    // Another store with the same data folder and the same sink.
    let other = TempDir::new("store");
    other.write(OTHER, "{\"type\":\"user\",\"uuid\":\"second\"}\n");
    let (store, data) = (Store::open(other.path()), DataDir::new(home.data_dir()));
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut sink = Memory::default();
    let mut collector = Collector::open(&store, &data, "test", rules, &source).unwrap();
    let passed = collector.pass(&mut sink).unwrap();
    drop(collector);
    assert_eq!((passed.items, passed.spooled), (1, 0));
    assert!(sink.arrived.latest(OTHER).len() == 1 && sink.arrived.latest(SESSION).is_empty());
    assert_eq!(spooled(&home).len(), 1);
    // The first store sends its own, under another number.
    let passed = pass(&home, &source, &mut sink, small(10)).unwrap();
    assert_eq!((passed.items, passed.spooled), (1, 1));
    assert_eq!(sink.arrived.latest(SESSION).len(), 1);
    assert!(spooled(&home).is_empty());
    assert_eq!(sink.batches, [2, 1]);
}

#[test]
fn what_waits_of_a_store_that_was_moved_is_reported_and_sent_on_request() {
    let (home, source) = (Home::new(), CountingSource::default());
    home.write(SESSION, "{\"type\":\"user\",\"uuid\":\"first\"}\n");
    assert!(pass(&home, &source, &mut never(), small(10)).is_err());
    let old = home.config_dir().canonicalize().unwrap();
    let other = TempDir::new("store");
    let (store, data) = (Store::open(other.path()), DataDir::new(home.data_dir()));
    let mut sink = Memory::default();
    let run = |sink: &mut Memory, claims_all: bool| {
        let rules = SecretRules::new(&[], &[]).unwrap();
        let mut collector = Collector::open(&store, &data, "test", rules, &source).unwrap();
        if claims_all {
            collector.claim_all_stores();
        }
        collector.pass(sink).unwrap()
    };
    // As long as the store is there, its own run sends it.
    assert_eq!(run(&mut sink, false).unclaimed, None);
    std::fs::rename(&old, old.with_extension("moved")).unwrap();
    let unclaimed = run(&mut sink, false).unclaimed.unwrap();
    assert_eq!((unclaimed.backlog.batches, unclaimed.store.as_ref()), (1, Some(&old)));
    assert!(sink.batches.is_empty());
    let passed = run(&mut sink, true);
    assert_eq!((passed.items, passed.spooled, passed.unclaimed), (1, 1, None));
    assert_eq!(sink.arrived.latest(SESSION).len(), 1);
    assert!(spooled(&home).is_empty());
    assert_eq!(run(&mut sink, false).items, 0);
}
