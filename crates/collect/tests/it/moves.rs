//! Deleted, moved and restored files: the sink is told once, and nothing is sent again that it has.

use std::fs;
use std::path::Path;

use annals_collect::{Collector, Limits, PassReport, RetryPolicy};
use annals_store::{DataDir, Store};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_testkit::temp::TempDir;
use annals_testkit::tree::copy;
use annals_transcript::redact::SecretRules;

use crate::support::{Arrived, Memory, Snapshots, Unavailable, pass};

const ID: &str = "11111111-1111-4111-8111-111111111111";
const SESSION: &str = "projects/-work/11111111-1111-4111-8111-111111111111.jsonl";
const AGENT: &str = "projects/-work/11111111-1111-4111-8111-111111111111/subagents/agent-a1.jsonl";
const META: &str = "projects/-work/11111111-1111-4111-8111-111111111111/subagents/agent-a1.meta.json";
const OTHER: &str = "projects/-work/22222222-2222-4222-8222-222222222222.jsonl";

fn in_project(name: &str, slug: &str) -> String {
    name.replace("-work", slug)
}

fn home() -> Home {
    let home = Home::new();
    home.write(SESSION, "one\ntwo\n");
    home.write(AGENT, "three\n");
    home.write(META, "{\"agentType\":\"x\"}");
    home.write(OTHER, "four\n");
    home
}

fn counts(passed: &PassReport) -> (u64, u64, u64, u64) {
    (passed.items, passed.gone, passed.moved, passed.back)
}

/// Passes with the same sink.
fn passes(home: &Home) -> impl FnMut(&mut Memory) -> PassReport {
    let source = CountingSource::default();
    move |sink| pass(home, &source, sink, |_| ()).unwrap()
}

fn rename(home: &Home, from: &str, to: &str) {
    let to = home.config_dir().join(to);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::rename(home.config_dir().join(from), to).unwrap();
}

#[test]
fn a_deleted_session_is_reported_once_and_again_when_it_comes_back() {
    let (home, mut sink) = (home(), Memory::default());
    let mut pass = passes(&home);
    assert_eq!(counts(&pass(&mut sink)), (5, 0, 0, 0));
    let trash = home.path().join("trash.jsonl");
    for round in 0..2 {
        fs::rename(home.config_dir().join(SESSION), &trash).unwrap();
        assert_eq!(counts(&pass(&mut sink)), (0, 1, 0, 0), "{round}");
        assert_eq!(counts(&pass(&mut sink)), (0, 0, 0, 0), "{round}");
        fs::rename(&trash, home.config_dir().join(SESSION)).unwrap();
        assert_eq!(counts(&pass(&mut sink)), (0, 0, 0, 1), "{round}");
        assert_eq!(counts(&pass(&mut sink)), (0, 0, 0, 0), "{round}");
    }
    let told = [(SESSION, "gone", None), (SESSION, "back", None)].repeat(2);
    assert_eq!((sink.arrived.told(), sink.arrived.repeated), (told, 0));
    let (mark, lines) = (sink.arrived.marks.values().next().unwrap(), sink.arrived.lines_of(SESSION));
    let sent = sink.arrived.texts.keys().find(|(name, ..)| name == SESSION).unwrap().1;
    assert_eq!((mark.offset, mark.length, mark.number, mark.of, &mark.text), (8, 0, 2, Some(sent), &None));
    assert_eq!(lines, ["one", "two"]);
    // Also with another time, as some restore it: its bytes are the same.
    for file in [SESSION, META] {
        let bytes = fs::read(home.config_dir().join(file)).unwrap();
        fs::remove_file(home.config_dir().join(file)).unwrap();
        assert_eq!(counts(&pass(&mut sink)), (0, 1, 0, 0), "{file}");
        home.write(file, String::from_utf8(bytes).unwrap());
        assert_eq!(counts(&pass(&mut sink)), (0, 0, 0, 1), "{file}");
    }
    // It goes on where it was.
    home.write(SESSION, "one\ntwo\nthree\n");
    assert_eq!(counts(&pass(&mut sink)), (1, 0, 0, 0));
    // One that came back with other lines is another generation.
    fs::remove_file(home.config_dir().join(SESSION)).unwrap();
    assert_eq!(counts(&pass(&mut sink)), (0, 1, 0, 0));
    home.write(SESSION, "uno\n");
    assert_eq!(counts(&pass(&mut sink)), (1, 0, 0, 0));
    assert_eq!(sink.arrived.lines_of(SESSION), ["uno"]);
}

#[test]
fn a_project_that_is_renamed_moves_its_sessions_and_sends_no_line_again() {
    let (home, mut sink) = (home(), Memory::default());
    let mut pass = passes(&home);
    pass(&mut sink);
    // There and back, twice: each move is told, and the last one holds.
    for (from, to) in [("-work", "-play"), ("-play", "-work"), ("-work", "-play")] {
        rename(&home, &format!("projects/{from}"), &format!("projects/{to}"));
        assert_eq!(counts(&pass(&mut sink)), (0, 0, 4, 0));
        assert_eq!(counts(&pass(&mut sink)), (0, 0, 0, 0));
    }
    assert_eq!((sink.arrived.texts.len(), sink.arrived.marks.len(), sink.arrived.repeated), (5, 12, 0));
    let moved = in_project(SESSION, "-play");
    home.write(&moved, "one\ntwo\nthree\n");
    assert_eq!(counts(&pass(&mut sink)), (1, 0, 0, 0));
    assert_eq!(sink.arrived.lines_of(&moved), ["one", "two", "three"]);
}

#[test]
fn a_session_whose_lines_change_with_the_move_is_moved_all_the_same() {
    let (home, mut sink) = (home(), Memory::default());
    let mut pass = passes(&home);
    pass(&mut sink);
    let moved = in_project(SESSION, "-play");
    fs::remove_file(home.config_dir().join(SESSION)).unwrap();
    home.write(&moved, "uno\ntwo\n");
    assert_eq!(counts(&pass(&mut sink)), (2, 0, 1, 0));
    assert_eq!(sink.arrived.told(), [(SESSION, "moved", Some(moved.as_str()))]);
    assert_eq!(sink.arrived.lines_of(&moved), ["uno", "two"]);
    // A copy is no move, and what is left when the original goes is its deletion.
    fs::copy(home.config_dir().join(OTHER), home.config_dir().join(in_project(OTHER, "-play"))).unwrap();
    assert_eq!(counts(&pass(&mut sink)), (1, 0, 0, 0));
    fs::remove_file(home.config_dir().join(OTHER)).unwrap();
    assert_eq!(counts(&pass(&mut sink)), (0, 1, 0, 0));
}

#[test]
fn a_move_that_is_seen_half_way_is_a_deletion_and_then_a_move() {
    let (home, mut sink) = (home(), Memory::default());
    let mut pass = passes(&home);
    pass(&mut sink);
    let (away, moved) = (home.path().join("away"), in_project(SESSION, "-play"));
    fs::rename(home.config_dir().join(SESSION), &away).unwrap();
    assert_eq!(counts(&pass(&mut sink)), (0, 1, 0, 0));
    fs::create_dir_all(home.config_dir().join("projects/-play")).unwrap();
    fs::rename(&away, home.config_dir().join(&moved)).unwrap();
    assert_eq!(counts(&pass(&mut sink)), (0, 0, 1, 0));
    assert_eq!(sink.arrived.told(), [(SESSION, "gone", None), (SESSION, "moved", Some(moved.as_str()))]);
    assert_eq!(sink.arrived.lines_of(&moved), ["one", "two"]);
}

#[test]
fn nothing_is_deleted_while_the_store_is_away() {
    let (home, mut sink) = (home(), Memory::default());
    let mut pass = passes(&home);
    pass(&mut sink);
    let away = home.path().join("away");
    fs::rename(home.config_dir(), &away).unwrap();
    let passed = pass(&mut sink);
    assert_eq!((counts(&passed), passed.absent), ((0, 0, 0, 0), 4));
    // As a disk leaves it that is not mounted.
    fs::create_dir(home.config_dir()).unwrap();
    let passed = pass(&mut sink);
    assert_eq!((counts(&passed), passed.absent), ((0, 0, 0, 0), 4));
    fs::remove_dir(home.config_dir()).unwrap();
    fs::rename(&away, home.config_dir()).unwrap();
    let passed = pass(&mut sink);
    assert_eq!((counts(&passed), passed.absent), ((0, 0, 0, 0), 0));
    #[cfg(unix)]
    {
        // A folder that is a link to such a disk.
        let projects = home.config_dir().join("projects");
        home.write("history.jsonl", "");
        fs::rename(&projects, &away).unwrap();
        std::os::unix::fs::symlink(home.path().join("nowhere"), &projects).unwrap();
        assert_eq!(counts(&pass(&mut sink)), (0, 0, 0, 0));
    }
}

/// A pass over the store at this path, with the data folder of `home`.
fn pass_at(root: &Path, home: &Home, source: &CountingSource, sink: &mut Memory) -> (PassReport, String) {
    let (store, data) = (Store::open(root), DataDir::new(home.data_dir()));
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut collector = Collector::open(&store, &data, "test", rules, source).unwrap();
    (collector.pass(sink).unwrap(), collector.store_id().to_owned())
}

#[test]
fn a_store_that_was_moved_is_the_same_and_sends_nothing_again() {
    let (home, source, mut sink) = (home(), CountingSource::default(), Memory::default());
    let (first, id) = pass_at(&home.config_dir(), &home, &source, &mut sink);
    assert_eq!(first.items, 5);
    let elsewhere = home.path().join("elsewhere");
    fs::rename(home.config_dir(), &elsewhere).unwrap();
    let (moved, same) = pass_at(&elsewhere, &home, &source, &mut sink);
    assert_eq!((counts(&moved), &same), ((0, 0, 0, 0), &id));
    // To another disk: other identities, the same times.
    let disk = home.path().join("disk");
    copy_with_times(&elsewhere, &disk);
    let (copied, other) = pass_at(&disk, &home, &source, &mut sink);
    assert_eq!(copied.items, 5, "as long as both are there, it is a copy");
    assert_ne!(other, id);
    let disk = home.path().join("another-disk");
    copy_with_times(&elsewhere, &disk);
    fs::remove_dir_all(&elsewhere).unwrap();
    let (moved, same) = pass_at(&disk, &home, &source, &mut sink);
    assert_eq!((counts(&moved), &same), ((0, 0, 0, 0), &id));
    // A new store at the first path is another one.
    home.write(SESSION, "one\n");
    let (new, another) = pass_at(&home.config_dir(), &home, &source, &mut sink);
    assert_eq!(new.items, 1);
    assert!(another != id && another != other);
    assert_eq!(sink.arrived.marks.len(), 0);
}

fn copy_with_times(from: &Path, to: &Path) {
    copy(from, to);
    let mut folders = vec![from.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let copied = to.join(entry.strip_prefix(from).unwrap());
            let file = fs::File::options().write(true).open(copied).unwrap();
            file.set_modified(fs::metadata(&entry).unwrap().modified().unwrap()).unwrap();
        }
    }
}

#[test]
fn a_crash_at_any_step_neither_loses_nor_repeats_a_mark() {
    let (home, source) = (home(), CountingSource::default());
    let mut before = Memory::default();
    pass(&home, &source, &mut before, |_| ()).unwrap();
    let (moved, moved_agent) = (in_project(SESSION, "-play"), in_project(AGENT, "-play"));
    rename(&home, SESSION, &moved);
    rename(&home, AGENT, &moved_agent);
    fs::remove_file(home.config_dir().join(OTHER)).unwrap();
    home.write(&moved, "one\ntwo\nfive\n");
    let small = |collector: &mut Collector<'_>| {
        collector.limits = Limits { items: 1, ..Limits::default() };
        collector.retry = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
    };
    let mut first = Snapshots { home: &home, taken: Vec::new() };
    let passed = pass(&home, &source, &mut first, small).unwrap();
    assert_eq!(counts(&passed), (1, 1, 2, 0));
    assert_eq!(first.taken.len(), 4);
    let restart = |data: &Path, arrived: Arrived| {
        fs::remove_dir_all(home.data_dir()).unwrap();
        copy(data, &home.data_dir());
        let mut sink = Memory { arrived, ..Memory::default() };
        pass(&home, &source, &mut sink, small).unwrap();
        let again = pass(&home, &source, &mut sink, small).unwrap();
        assert_eq!(counts(&again), (0, 0, 0, 0));
        sink.arrived
    };
    for (at, (data, sent)) in first.taken.iter().enumerate() {
        for is_answer_lost in [false, true] {
            let mut arrived = before.arrived.clone();
            first.taken[..at].iter().for_each(|(_, sent)| arrived.add(sent));
            if is_answer_lost {
                arrived.add(sent);
            }
            let arrived = restart(data.path(), arrived);
            let repeated = usize::from(is_answer_lost);
            assert_eq!((arrived.texts.len(), arrived.marks.len()), (6, 3), "batch {at}");
            assert_eq!(arrived.repeated, repeated, "batch {at}");
            assert_eq!(arrived.lines_of(&moved), ["one", "two", "five"]);
            assert_eq!(arrived.lines_of(&moved_agent), ["three"]);
        }
    }
    assert_eq!(first.taken.iter().filter(|(_, sent)| String::from_utf8_lossy(sent).contains(ID)).count(), 3);
}

#[test]
fn marks_wait_in_the_spool_like_lines() {
    let (home, source, mut sink) = (home(), CountingSource::default(), Memory::default());
    let folder = TempDir::new("kept");
    pass(&home, &source, &mut sink, |_| ()).unwrap();
    let impatient = |collector: &mut Collector<'_>| {
        collector.retry = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
    };
    let mut away = Unavailable { times: u32::MAX, ..Unavailable::default() };
    fs::rename(home.config_dir().join(OTHER), folder.path().join("other")).unwrap();
    assert!(pass(&home, &source, &mut away, impatient).is_err());
    // Before anything is acknowledged the file is there again: both are told, in their order.
    fs::rename(folder.path().join("other"), home.config_dir().join(OTHER)).unwrap();
    assert!(pass(&home, &source, &mut away, impatient).is_err());
    assert_eq!(counts(&pass(&home, &source, &mut sink, |_| ()).unwrap()), (0, 1, 0, 1));
    assert_eq!(sink.arrived.told(), [(OTHER, "gone", None), (OTHER, "back", None)]);
}
