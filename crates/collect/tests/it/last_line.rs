//! The last line of a session that crashed: sent when nobody has written for long, and not twice.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use annals_collect::PassReport;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;

use crate::support::{Memory, pass};

const SESSION: &str = "projects/-work/11111111-1111-4111-8111-111111111111.jsonl";
/// The clock of the tests, in seconds.
const NOW: u64 = 1_767_225_600;
const MINUTE: u64 = 60;

fn set_age(path: &Path, minutes: u64) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(NOW - minutes * MINUTE)).unwrap();
}

fn append(path: &Path, text: &str, minutes: u64) {
    File::options().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
    set_age(path, minutes);
}

/// A pass at a time that stands nearly still.
fn pass_over(home: &Home, sink: &mut Memory) -> PassReport {
    pass(home, &CountingSource::default(), sink, |_| ()).unwrap()
}

#[test]
fn a_whole_record_without_a_line_break_is_sent_when_nobody_writes_any_more() {
    for ending in ["\n", "\r\n"] {
        let (home, mut sink) = (Home::new(), Memory::default());
        let path = home.write(SESSION, "{\"a\":1}\n{\"a\":2}");
        set_age(&path, 9);
        assert_eq!(pass_over(&home, &mut sink).items, 1);
        set_age(&path, 9);
        append(&path, "", 30);
        let passed = pass_over(&home, &mut sink);
        assert_eq!((passed.items, passed.torn), (2, 0), "the time was changed, so it is read again");
        assert_eq!(sink.arrived.latest(SESSION), ["{\"a\":1}", "{\"a\":2}"]);
        assert_eq!(pass_over(&home, &mut sink).items, 0);
        // Its line break, alone, is nothing to send; what follows is.
        append(&path, ending, 20);
        for _ in 0..2 {
            let passed = pass_over(&home, &mut sink);
            assert_eq!((passed.items, passed.restarted), (0, 0));
        }
        append(&path, "{\"a\":3}\n", 1);
        let passed = pass_over(&home, &mut sink);
        assert_eq!((passed.items, passed.restarted), (1, 0));
        assert_eq!(sink.arrived.latest(SESSION), ["{\"a\":1}", "{\"a\":2}", "{\"a\":3}"]);
        let expected = fs::read(&path).unwrap().len() - "{\"a\":3}\n".len();
        let last = sink.arrived.texts.keys().next_back().unwrap();
        assert_eq!(last.2, expected as u64);
    }
}

#[test]
fn a_line_break_and_more_lines_at_once_do_not_send_it_twice() {
    let (home, mut sink) = (Home::new(), Memory::default());
    let path = home.write(SESSION, "{\"a\":1}\n{\"a\":2}");
    set_age(&path, 30);
    assert_eq!(pass_over(&home, &mut sink).items, 2);
    append(&path, "\n{\"a\":3}\n{\"a\":", 20);
    let passed = pass_over(&home, &mut sink);
    assert_eq!((passed.items, passed.torn, passed.restarted), (2, 1, 0));
    assert_eq!(sink.arrived.latest(SESSION), ["{\"a\":1}", "{\"a\":2}", "{\"a\":3}", "{\"a\":"]);
    // Another record in the line of a whole one is an item of its own.
    let other = home.write("history.jsonl", "{\"b\":1}");
    set_age(&other, 30);
    assert_eq!(pass_over(&home, &mut sink).items, 1);
    append(&other, "{\"b\":2}\n", 20);
    assert_eq!(pass_over(&home, &mut sink).items, 1);
    assert_eq!(sink.arrived.latest("history.jsonl"), ["{\"b\":1}", "{\"b\":2}"]);
    assert_eq!(sink.arrived.repeated, 0);
}

#[test]
fn a_torn_line_is_marked_and_one_that_goes_on_after_all_is_sent_whole_in_another_generation() {
    let (home, mut sink) = (Home::new(), Memory::default());
    let path = home.write(SESSION, "{\"a\":1}\n{\"a\":\"torn");
    set_age(&path, 30);
    let passed = pass_over(&home, &mut sink);
    assert_eq!((passed.items, passed.torn), (2, 1));
    assert_eq!(sink.arrived.latest(SESSION), ["{\"a\":1}", "{\"a\":\"torn"]);
    append(&path, "\n", 20);
    assert_eq!(pass_over(&home, &mut sink).items, 0);
    append(&path, "{\"a\":\"to", 19);
    assert_eq!(pass_over(&home, &mut sink).torn, 1);
    append(&path, "be\"}\n", 1);
    let passed = pass_over(&home, &mut sink);
    assert_eq!((passed.items, passed.restarted, passed.torn), (3, 1, 0));
    assert_eq!(sink.arrived.latest(SESSION), ["{\"a\":1}", "{\"a\":\"torn", "{\"a\":\"tobe\"}"]);
    assert_eq!(sink.arrived.repeated, 0);
}

#[test]
fn a_record_over_several_lines_that_never_ended_is_sent_in_the_end() {
    let (home, mut sink) = (Home::new(), Memory::default());
    let path = home.write(SESSION, "{\"a\":1}\n{\n \"a\":\n");
    set_age(&path, 1);
    assert_eq!(pass_over(&home, &mut sink).items, 1);
    append(&path, " 2,", 30);
    let passed = pass_over(&home, &mut sink);
    assert_eq!((passed.items, passed.torn), (3, 1));
    assert_eq!(sink.arrived.latest(SESSION), ["{\"a\":1}", "{", " \"a\":", " 2,"]);
}
