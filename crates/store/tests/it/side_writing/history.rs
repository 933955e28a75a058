//! The prompt history: the bytes of a line, pastes, and the lock shared with the client.

use std::cell::Cell;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use annals_store::files::{FolderLock, LockError};
use annals_store::history::{NewPrompt, append, paste_hash, stream_history};
use annals_store::source::Clock;
use annals_store::{ConfigDir, SessionKey};

use super::{empty, expect_mode, names};

/// A clock whose pauses take no time, and may let something happen.
struct FakeClock<F: Fn(u64)> {
    now: Cell<i64>,
    paused: Cell<u64>,
    on_pause: F,
}

impl<F: Fn(u64)> Clock for FakeClock<F> {
    fn now(&self) -> i64 {
        self.now.get()
    }

    fn pause(&self, millis: u64) {
        assert!(millis > 0, "a pause that is none never ends");
        self.paused.set(self.paused.get() + millis);
        self.now.set(self.now.get() + millis as i64);
        (self.on_pause)(self.paused.get());
    }
}

const NOW: i64 = 1_767_455_098_325;

fn clock<F: Fn(u64)>(on_pause: F) -> FakeClock<F> {
    FakeClock { now: Cell::new(NOW), paused: Cell::new(0), on_pause }
}

/// Makes the lock of another program, last touched `millis` milliseconds ago.
fn lock_of_another(path: &Path, age: i64) {
    fs::create_dir(path).unwrap();
    let time = UNIX_EPOCH + Duration::from_millis((NOW - age) as u64);
    fs::File::open(path).unwrap().set_modified(time).unwrap();
}

fn note(
    config: &ConfigDir,
    display: &str,
    pastes: Vec<(u32, &str)>,
    clock: &impl Clock,
) -> Result<u64, LockError> {
    let session = SessionKey::from("s1");
    let mut prompt = NewPrompt::new(display, "/p", &session, NOW);
    prompt.pastes = pastes;
    append(config, &prompt, clock).map(|placed| placed.offset)
}

#[test]
fn a_prompt_is_one_line_and_long_pastes_go_apart() {
    let (_temp, config) = empty();
    let fits = "é".repeat(1024);
    // 513 characters outside the basic plane are 1,026 UTF-16 units.
    let long = "😀".repeat(513);
    note(&config, "first", vec![], &clock(|_| ())).unwrap();
    note(&config, "[Pasted text #1]\n", vec![(1, "short"), (2, &long), (3, &fits)], &clock(|_| ())).unwrap();
    let hash = paste_hash(&long);
    assert_eq!(paste_hash("abc"), "ba7816bf8f01cfea");
    let expected = format!(
        "{}\n{}{fits}{}\n",
        r#"{"display":"first","pastedContents":{},"timestamp":1767455098325,"project":"/p","sessionId":"s1"}"#,
        format_args!(
            r#"{{"display":"[Pasted text #1]\n","pastedContents":{{"1":{{"id":1,"type":"text","content":"short"}},"2":{{"id":2,"type":"text","contentHash":"{hash}"}},"3":{{"id":3,"type":"text","content":""#
        ),
        r#""}},"timestamp":1767455098325,"project":"/p","sessionId":"s1"}"#,
    );
    assert_eq!(fs::read_to_string(config.history()).unwrap(), expected);
    assert_eq!(fs::read_to_string(config.paste(&hash)).unwrap(), long);
    assert_eq!(
        names(config.path()),
        ["history.jsonl".to_owned(), "paste-cache".to_owned(), format!("paste-cache/{hash}.txt")]
    );
    expect_mode(&config.history(), 0o600);
    expect_mode(&config.paste(&hash), 0o600);
    expect_mode(&config.paste_cache(), 0o700);
    let mut texts = Vec::new();
    let problems = stream_history(&config, |_, entry| {
        texts.extend(
            entry.pastes().iter().map(|(_, paste)| paste.text(&config).unwrap().unwrap().into_owned()),
        );
        ControlFlow::Continue(())
    });
    assert!(problems.unwrap().is_empty());
    assert_eq!(texts, ["short", &long, &fits]);
}

#[test]
fn a_torn_history_and_a_torn_paste_are_healed() {
    let (_temp, config) = empty();
    let long = "x".repeat(1025);
    fs::write(config.history(), "{\"display\":\"torn").unwrap();
    fs::create_dir(config.paste_cache()).unwrap();
    fs::write(config.paste(&paste_hash(&long)), "xx").unwrap();
    assert_eq!(note(&config, "next", vec![(1, &long)], &clock(|_| ())).unwrap(), 17);
    let text = fs::read_to_string(config.history()).unwrap();
    assert!(text.starts_with("{\"display\":\"torn\n{\"display\":\"next\""), "{text}");
    assert_eq!(fs::read_to_string(config.paste(&paste_hash(&long))).unwrap(), long);
}

#[test]
fn the_lock_is_waited_for_and_given_back() {
    let (_temp, config) = empty();
    let lock = config.history_lock();
    lock_of_another(&lock, 0);
    let frees_it = clock(|paused| {
        if paused > 200 && lock.exists() {
            fs::remove_dir(&lock).unwrap();
        }
    });
    note(&config, "late", vec![], &frees_it).unwrap();
    assert!(frees_it.paused.get() > 200 && !lock.exists());
    assert_eq!(fs::read_to_string(config.history()).unwrap().lines().count(), 1);
}

#[test]
fn a_lock_that_is_kept_is_an_error_and_nothing_is_written() {
    let (_temp, config) = empty();
    let lock = config.history_lock();
    lock_of_another(&lock, 0);
    let error = note(&config, "never", vec![], &clock(|_| ())).unwrap_err();
    let expected = format!("{}: locked by another program for more than 5000 ms", lock.display());
    assert_eq!(error.to_string(), expected);
    assert_eq!(names(config.path()), ["history.jsonl.lock"]);
}

#[test]
fn a_left_over_lock_is_taken_over() {
    let (_temp, config) = empty();
    let lock = config.history_lock();
    lock_of_another(&lock, 10_001);
    let at_once = clock(|_| ());
    note(&config, "now", vec![], &at_once).unwrap();
    assert!(at_once.paused.get() == 0 && !lock.exists());
    // One that is about to be left over is so while we wait.
    lock_of_another(&lock, 9_000);
    let soon = clock(|_| ());
    note(&config, "soon", vec![], &soon).unwrap();
    assert!((1_000..2_000).contains(&soon.paused.get()), "{}", soon.paused.get());
}

#[test]
fn a_lock_that_another_program_took_over_is_not_removed() {
    let (_temp, config) = empty();
    let path = config.history_lock();
    let ours = FolderLock::take(&path, &clock(|_| ()), 0).unwrap();
    expect_mode(&path, 0o700);
    fs::remove_dir(&path).unwrap();
    lock_of_another(&path, 1);
    drop(ours);
    assert!(path.is_dir());
}

#[test]
fn something_else_in_the_place_of_the_lock_is_left_alone() {
    let (_temp, config) = empty();
    fs::write(config.history_lock(), "mine").unwrap();
    assert!(matches!(note(&config, "x", vec![], &clock(|_| ())), Err(LockError::Held { waited: 5_000, .. })));
    assert_eq!(fs::read(config.history_lock()).unwrap(), b"mine");
}
