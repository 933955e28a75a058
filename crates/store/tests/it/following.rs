//! Following files that grow, shrink, are replaced, removed and restored: complete lines, each once, in order.

use std::convert::Infallible;
use std::fs::{self, File};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use annals_store::follow::{FollowEvent, FollowStart, Follower};
use annals_store::read::ReadError;
use annals_store::watch::{Watch, WatchTarget};
use annals_testkit::depth::cases;
use annals_testkit::temp::TempDir;
use annals_transcript::line::Line;
use annals_transcript::record_lines::RecordSplitter;
use proptest::collection::vec;
use proptest::prelude::*;

/// What came, in words: `1@0 text` for a line.
fn seen(follower: &mut Follower) -> Vec<String> {
    let mut seen = Vec::new();
    let broke = follower.poll(|event| {
        seen.push(words(event));
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(broke.unwrap(), None);
    seen
}

fn words(event: FollowEvent<'_>) -> String {
    match event {
        FollowEvent::Line(line) => {
            assert!(line.raw().ends_with(b"\n"), "half a line: {:?}", line.raw());
            format!("{}@{} {}", line.number, line.offset, String::from_utf8_lossy(line.body()))
        }
        other => format!("{other:?}").to_lowercase(),
    }
}

fn append(path: &Path, text: impl AsRef<[u8]>) {
    File::options().append(true).open(path).unwrap().write_all(text.as_ref()).unwrap();
}

fn replace(path: &Path, text: &str) {
    let other = path.with_extension("new");
    fs::write(&other, text).unwrap();
    fs::rename(&other, path).unwrap();
}

/// A folder with a file that is followed.
fn follow(text: &str, start: FollowStart) -> (TempDir, PathBuf, Follower) {
    let folder = TempDir::new("following");
    let path = folder.write("session.jsonl", text);
    let follower = Follower::open(&path, start).unwrap();
    (folder, path, follower)
}

#[test]
fn it_starts_where_it_is_told_to() {
    let text = "one\ntwo\nthree\nto";
    for (start, expected) in [
        (FollowStart::Beginning, &["1@0 one", "2@4 two", "3@8 three"][..]),
        (FollowStart::LastLines(2), &["2@4 two", "3@8 three"]),
        (FollowStart::LastLines(9), &["1@0 one", "2@4 two", "3@8 three"]),
        (FollowStart::LastLines(0), &[]),
        (FollowStart::End, &[]),
    ] {
        let (_folder, path, mut follower) = follow(text, start);
        assert_eq!(seen(&mut follower), expected, "{start:?}");
        append(&path, "rn\nmore\n");
        assert_eq!(seen(&mut follower), ["4@14 torn", "5@19 more"], "{start:?}");
        assert!(seen(&mut follower).is_empty());
    }
}

#[test]
fn half_a_line_waits_for_its_other_half() {
    let (_folder, path, mut follower) = follow("", FollowStart::Beginning);
    for piece in ["{\"a\"", ":", "1}"] {
        append(&path, piece);
        assert!(seen(&mut follower).is_empty());
    }
    append(&path, "\n{");
    assert_eq!(seen(&mut follower), ["1@0 {\"a\":1}"]);
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_continues_with_the_next_line() {
    let (_folder, path, mut follower) = follow("one\ntwo\nthree\nfour\n", FollowStart::Beginning);
    let mut next = || {
        let take = |event: FollowEvent<'_>| ControlFlow::Break(words(event));
        follower.poll(take).unwrap()
    };
    assert_eq!(next().as_deref(), Some("1@0 one"));
    assert_eq!(next().as_deref(), Some("2@4 two"));
    replace(&path, "another\n");
    assert_eq!(next().as_deref(), Some("3@8 three"));
    assert_eq!(next().as_deref(), Some("4@14 four"));
    assert_eq!(next().as_deref(), Some("replaced"));
    assert_eq!(next().as_deref(), Some("1@0 another"));
    assert_eq!(next(), None);
}

#[test]
fn a_file_that_is_cut_to_nothing_starts_anew() {
    let (_folder, path, mut follower) = follow("one\ntwo\n", FollowStart::End);
    let file = File::options().write(true).open(&path).unwrap();
    file.set_len(0).unwrap();
    assert_eq!(seen(&mut follower), ["truncated"]);
    append(&path, "new\n");
    assert_eq!(seen(&mut follower), ["1@0 new"]);
}

#[test]
fn a_torn_end_that_is_cut_off_costs_nothing() {
    let (_folder, path, mut follower) = follow("one\ntwo\nto", FollowStart::Beginning);
    assert_eq!(seen(&mut follower).len(), 2);
    File::options().write(true).open(&path).unwrap().set_len(8).unwrap();
    // The rest of the line that comes now belongs to nothing that was there before.
    append(&path, "three\n");
    assert_eq!(seen(&mut follower), ["truncated", "3@8 three"]);
}

#[test]
fn a_file_that_loses_lines_is_started_anew() {
    let (_folder, path, mut follower) = follow("one\ntwo\nthree\n", FollowStart::LastLines(1));
    assert_eq!(seen(&mut follower), ["3@8 three"]);
    File::options().write(true).open(&path).unwrap().set_len(8).unwrap();
    assert_eq!(seen(&mut follower), ["truncated", "2@4 two"]);
}

#[test]
fn a_file_that_is_rewritten_and_has_grown_meanwhile_is_noticed() {
    let (_folder, path, mut follower) = follow("one\ntwo\n", FollowStart::Beginning);
    assert_eq!(seen(&mut follower).len(), 2);
    fs::write(&path, "other lines\nand longer ones\n").unwrap();
    assert_eq!(seen(&mut follower), ["truncated", "1@0 other lines", "2@12 and longer ones"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_is_followed() {
    let (_folder, path, mut follower) = follow("one\ntwo\n", FollowStart::LastLines(1));
    assert_eq!(seen(&mut follower), ["2@4 two"]);
    append(&path, "last words\n");
    replace(&path, "a\nb\nc\n");
    assert_eq!(seen(&mut follower), ["3@8 last words", "replaced", "3@4 c"]);
    append(&path, "d\n");
    assert_eq!(seen(&mut follower), ["4@6 d"]);
}

#[cfg(unix)]
#[test]
fn a_copy_in_the_place_of_a_file_repeats_nothing() {
    let (_folder, path, mut follower) = follow("one\ntwo\nto", FollowStart::Beginning);
    assert_eq!(seen(&mut follower).len(), 2);
    replace(&path, "one\ntwo\ntorn\n");
    assert_eq!(seen(&mut follower), ["replaced", "3@8 torn"]);
}

#[test]
fn a_file_that_goes_may_come_back() {
    let (folder, path, mut follower) = follow("one\n", FollowStart::Beginning);
    assert_eq!(seen(&mut follower), ["1@0 one"]);
    append(&path, "two\n");
    let away = folder.path().join("away");
    fs::rename(&path, &away).unwrap();
    assert_eq!(seen(&mut follower), ["2@4 two", "gone"]);
    append(&away, "three\n");
    assert!(seen(&mut follower).is_empty());
    fs::rename(&away, &path).unwrap();
    assert_eq!(seen(&mut follower), ["back", "3@8 three"]);
    fs::remove_file(&path).unwrap();
    assert_eq!(seen(&mut follower), ["gone"]);
    fs::write(&path, "another\n").unwrap();
    assert_eq!(seen(&mut follower), ["back", "1@0 another"]);
}

#[test]
fn a_folder_that_goes_takes_the_file_along() {
    let folder = TempDir::new("following");
    let path = folder.write("project/session.jsonl", "one\n");
    let mut follower = Follower::open(&path, FollowStart::End).unwrap();
    fs::remove_dir_all(folder.path().join("project")).unwrap();
    assert_eq!(seen(&mut follower), ["gone"]);
    folder.write("project/session.jsonl", "two\n");
    assert_eq!(seen(&mut follower), ["back"]);
    append(&path, "three\n");
    assert_eq!(seen(&mut follower), ["2@4 three"]);
}

#[test]
fn what_cannot_be_opened_is_said() {
    let folder = TempDir::new("following");
    let open = |path: &Path| Follower::open(path, FollowStart::End).unwrap_err();
    assert!(matches!(open(&folder.path().join("none")), ReadError::NotFound { .. }));
    assert!(matches!(open(folder.path()), ReadError::IsDirectory { .. }));
}

#[test]
fn a_reader_beside_a_writer_sees_every_line_whole_and_once() {
    let (_folder, path, mut follower) = follow("", FollowStart::Beginning);
    let mut watch = Watch::new(WatchTarget::File(path.clone()));
    let text: String =
        (0..2000).map(|n| format!("{{\"n\":{n},\"x\":\"{}\"}}\n", "x".repeat(n % 90))).collect();
    let writer = thread::spawn({
        let (path, text) = (path.clone(), text.clone());
        move || {
            let mut file = File::options().append(true).open(path).unwrap();
            for (at, piece) in text.as_bytes().chunks(37).enumerate() {
                file.write_all(piece).unwrap();
                if at % 200 == 0 {
                    thread::sleep(Duration::from_millis(1));
                }
            }
        }
    });
    let mut all = Vec::new();
    while all.len() < 2000 {
        let new = seen(&mut follower);
        if new.is_empty() {
            watch.wait(Duration::from_secs(60));
        }
        all.extend(new);
    }
    writer.join().unwrap();
    assert_eq!(all, expected(text.as_bytes()));
}

/// The whole lines of a file in the words of `seen`; those of a record that may go on wait for its end.
fn expected(bytes: &[u8]) -> Vec<String> {
    let mut given = Vec::new();
    let each = |line: Line<'_>| -> Result<(), Infallible> {
        given.push(words(FollowEvent::Line(line)));
        Ok(())
    };
    let Ok(()) = RecordSplitter::new().push(bytes, each);
    given
}

/// What a writer does, and whether the reader looks after it.
#[derive(Clone, Debug)]
enum Act {
    Append(Vec<u8>),
    Look,
    /// Reads one line and breaks off.
    TakeOne,
}

/// Often what decides where a line or a record ends.
fn byte() -> impl Strategy<Value = u8> {
    let structural = proptest::sample::select(b"\n\n\n\r {}[],:\"1".to_vec());
    prop_oneof![2 => structural, 1 => any::<u8>()]
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let bytes = vec(byte(), 0..40);
    vec(prop_oneof![3 => bytes.prop_map(Act::Append), 2 => Just(Act::Look), 1 => Just(Act::TakeOne)], 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(256), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_pieces_the_lines_are_those_of_the_file(acts in acts(), before in vec(any::<u8>(), 0..60)) {
        let folder = TempDir::new("following");
        let path = folder.write("session.jsonl", &before);
        let mut follower = Follower::open(&path, FollowStart::Beginning).unwrap();
        let (mut file, mut given) = (before, Vec::new());
        for act in acts {
            match act {
                Act::Append(bytes) => {
                    append(&path, &bytes);
                    file.extend(bytes);
                }
                Act::Look => given.extend(seen(&mut follower)),
                Act::TakeOne => given.extend(follower.poll(|event| ControlFlow::Break(words(event))).unwrap()),
            }
            prop_assert!(expected(&file).starts_with(&given), "{given:?}");
        }
        given.extend(seen(&mut follower));
        prop_assert_eq!(given, expected(&file));
    }

    #[test]
    fn the_last_lines_are_the_last_of_all_lines(file in vec(byte(), 0..200), last in 0..12_usize) {
        let folder = TempDir::new("following");
        let path = folder.write("session.jsonl", &file);
        let mut follower = Follower::open(&path, FollowStart::LastLines(last)).unwrap();
        let all = expected(&file);
        prop_assert_eq!(seen(&mut follower), &all[all.len().saturating_sub(last)..]);
    }
}

#[test]
fn a_record_over_several_lines_comes_when_it_is_whole() {
    let (_folder, path, mut follower) = follow("{\"a\":1}\n{\n\"b\":\n", FollowStart::Beginning);
    assert_eq!(seen(&mut follower), ["1@0 {\"a\":1}"]);
    append(&path, "2\n");
    assert!(seen(&mut follower).is_empty());
    append(&path, "}");
    assert!(seen(&mut follower).is_empty());
    append(&path, "\n{\"c\":3}\n");
    assert_eq!(seen(&mut follower), ["2@8 {\n\"b\":\n2\n}", "6@19 {\"c\":3}"]);
    // What is torn goes on no longer than until the next record.
    append(&path, "{\"d\":[\n{\"e\":5}\n{\"f\":6}\n");
    assert_eq!(seen(&mut follower), ["7@27 {\"d\":[", "8@34 {\"e\":5}", "9@42 {\"f\":6}"]);
}

#[test]
fn the_last_records_are_whole_ones() {
    let text = "{\"a\":1}\n{\n\"b\":\n{\n\"x\":2}\n}\n{\"c\":\n3}\n";
    for (wanted, expected) in [(1, vec![7]), (2, vec![2, 7]), (3, vec![1, 2, 7]), (9, vec![1, 2, 7])] {
        let (_folder, _, mut follower) = follow(text, FollowStart::LastLines(wanted));
        let numbers: Vec<usize> =
            seen(&mut follower).iter().map(|line| line.split('@').next().unwrap().parse().unwrap()).collect();
        assert_eq!(numbers, expected, "{wanted}");
    }
}
