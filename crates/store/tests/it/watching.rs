//! The contract of a watch, for both methods: every change of the target ends a wait, and nothing else does.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use annals_store::watch::{WaitOutcome, Watch, WatchError, WatchMethod, WatchTarget};
use annals_testkit::skipped;
use annals_testkit::temp::TempDir;

/// Longer than any machine takes to notice; a wait that is told of a change never takes so long.
const LONG: Duration = Duration::from_secs(60);

/// Long enough for a wrong event to arrive.
const SHORT: Duration = Duration::from_millis(300);

/// A watch of each way. Where the temporary folder lies on a network file system there is only one.
fn both(subject: &WatchTarget) -> Vec<Watch> {
    let events = match Watch::events(subject.clone()) {
        Ok(watch) => Some(watch),
        Err(error @ WatchError::NetworkFileSystem { .. }) => {
            skipped("the contract of events", &error.to_string());
            None
        }
        Err(error) => panic!("{error}"),
    };
    assert!(events.iter().all(|watch| watch.method() == WatchMethod::Events));
    let polling = Watch::polling(subject.clone());
    assert_eq!(polling.method(), WatchMethod::Polling);
    events.into_iter().chain([polling]).collect()
}

/// Waits until all is quiet: some systems tell late of what happened just before the watch began.
fn settle(watch: &mut Watch) {
    let quiet = (0..20).any(|_| watch.wait(SHORT) == WaitOutcome::Nothing);
    assert!(quiet, "{:?} never comes to rest", watch.method());
}

/// Makes a file, watches it, changes something: both ways must tell of it, or neither.
#[track_caller]
fn check(change: impl Fn(&Path), expected: WaitOutcome) {
    for at in 0.. {
        let folder = TempDir::new("watching");
        let path = folder.write("project/session.jsonl", "one\n");
        let Some(mut watch) = both(&WatchTarget::File(path.clone())).into_iter().nth(at) else { break };
        settle(&mut watch);
        change(&path);
        let most = if expected == WaitOutcome::Something { LONG } else { SHORT };
        assert_eq!(watch.wait(most), expected, "{:?}", watch.method());
    }
}

fn append(path: &Path, text: &str) {
    use std::io::Write;
    fs::File::options().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_file_that_is_written_to_has_changed() {
    check(|path| append(path, "two\n"), WaitOutcome::Something);
}

#[test]
fn a_file_that_is_cut_has_changed() {
    check(
        |path| fs::File::options().write(true).open(path).unwrap().set_len(0).unwrap(),
        WaitOutcome::Something,
    );
}

#[test]
fn a_file_that_is_replaced_has_changed() {
    check(
        |path| {
            let other = path.with_extension("new");
            fs::write(&other, "one\n").unwrap();
            fs::rename(&other, path).unwrap();
        },
        WaitOutcome::Something,
    );
}

#[test]
fn a_file_that_is_removed_has_changed() {
    check(|path| fs::remove_file(path).unwrap(), WaitOutcome::Something);
    check(|path| fs::rename(path, path.with_extension("old")).unwrap(), WaitOutcome::Something);
}

#[test]
fn a_file_that_is_made_has_changed() {
    let folder = TempDir::new("watching");
    let path = folder.path().join("later.jsonl");
    let watches = both(&WatchTarget::File(path.clone()));
    fs::write(&path, "one\n").unwrap();
    for mut watch in watches {
        assert_eq!(watch.wait(LONG), WaitOutcome::Something, "{:?}", watch.method());
    }
}

#[test]
fn reading_is_no_change_and_neither_are_other_files() {
    check(|path| drop(fs::read(path).unwrap()), WaitOutcome::Nothing);
    check(|path| fs::write(path.with_file_name("other.jsonl"), "x").unwrap(), WaitOutcome::Nothing);
    check(|_| {}, WaitOutcome::Nothing);
}

#[test]
fn a_change_ends_a_wait_that_has_begun() {
    let folder = TempDir::new("watching");
    let path = folder.write("session.jsonl", "one\n");
    for mut watch in both(&WatchTarget::File(path.clone())) {
        let writer = thread::spawn({
            let path = path.clone();
            move || {
                thread::sleep(Duration::from_millis(100));
                append(&path, "two\n");
            }
        });
        assert_eq!(watch.wait(LONG), WaitOutcome::Something, "{:?}", watch.method());
        writer.join().unwrap();
    }
}

#[test]
fn every_change_under_a_folder_is_told() {
    type Act = fn(&Path);
    let acts: [Act; 5] = [
        |root| fs::write(root.join("a/new.jsonl"), "x").unwrap(),
        |root| append(&root.join("a/deep/session.jsonl"), "two\n"),
        |root| fs::remove_file(root.join("a/deep/session.jsonl")).unwrap(),
        |root| fs::create_dir(root.join("b")).unwrap(),
        |root| fs::rename(root.join("a/deep"), root.join("a/moved")).unwrap(),
    ];
    for act in acts {
        let folder = TempDir::new("watching");
        folder.write("a/deep/session.jsonl", "one\n");
        let watches = both(&WatchTarget::Tree(folder.path().to_path_buf()));
        act(folder.path());
        for mut watch in watches {
            assert_eq!(watch.wait(LONG), WaitOutcome::Something, "{:?}", watch.method());
        }
    }
}

#[test]
fn a_folder_made_later_is_watched_too() {
    let folder = TempDir::new("watching");
    for mut watch in both(&WatchTarget::Tree(folder.path().to_path_buf())) {
        let name = format!("{:?}", watch.method());
        fs::create_dir(folder.path().join(&name)).unwrap();
        assert_eq!(watch.wait(LONG), WaitOutcome::Something);
        let path = folder.write(Path::new(&name).join("session.jsonl"), "one\n");
        assert_eq!(watch.wait(LONG), WaitOutcome::Something);
        append(&path, "two\n");
        assert_eq!(watch.wait(LONG), WaitOutcome::Something);
    }
}

#[test]
fn a_tree_in_which_nothing_happens_is_quiet() {
    let folder = TempDir::new("watching");
    let path = folder.write("a/session.jsonl", "one\n");
    for mut watch in both(&WatchTarget::Tree(folder.path().to_path_buf())) {
        settle(&mut watch);
        fs::read(&path).unwrap();
        assert_eq!(watch.wait(SHORT), WaitOutcome::Nothing, "{:?}", watch.method());
    }
}

#[test]
fn where_there_are_no_events_polling_takes_over() {
    let folder = TempDir::new("watching");
    let path = folder.path().join("not-there-yet/session.jsonl");
    let refused = Watch::events(WatchTarget::File(path.clone())).unwrap_err();
    assert!(refused.to_string().starts_with(&path.display().to_string()), "{refused}");
    let mut watch = Watch::new(WatchTarget::File(path));
    assert_eq!(watch.method(), WatchMethod::Polling);
    folder.write("not-there-yet/session.jsonl", "one\n");
    assert_eq!(watch.wait(LONG), WaitOutcome::Something);
}
