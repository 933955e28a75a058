//! Changes of several files: interrupted at any step, in both directions, on one file system and on two.

mod fault;
mod links;
mod meanwhile;
mod names;
mod steps;
mod stores;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::DataDir;
use annals_store::changes::{Change, ChangesError, apply};
use annals_store::files::Steps;
use annals_store::journal::{Journal, JournalEntry, UndoError};
use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::skipped;
use annals_testkit::source::CountingSource;

/// A session with something in each place that a change can touch.
const SESSION: &str = "projects/-p/11111111-2222-4333-8444-555555555555";

struct Place {
    home: Home,
    data: DataDir,
    source: CountingSource,
}

impl Place {
    fn new(home: Home) -> Self {
        Self { data: DataDir::new(home.data_dir()), home, source: CountingSource::default() }
    }

    fn root(&self) -> PathBuf {
        self.home.config_dir()
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    fn journal(&self) -> Journal<'_> {
        Journal::new(&self.data)
    }

    /// Makes changes, and stops before a step.
    fn change_until(&self, changes: &[Change], stop: usize) -> Result<JournalEntry, ChangesError> {
        apply(changes, "a test", &self.root(), &self.data, &self.source, &mut stop_at(stop))
    }

    fn change(&self, changes: &[Change]) -> Result<JournalEntry, ChangesError> {
        self.change_until(changes, usize::MAX)
    }

    /// Undoes the last change, and stops before a step. Without one there is nothing to undo.
    fn undo_until(&self, stop: usize) -> Result<(), UndoError> {
        let mut watch = stop_at(stop);
        match self.journal().entries().into_iter().next() {
            Some(entry) => self.journal().undo_in_steps(entry, &mut Steps::new(&mut watch)).map(drop),
            None => Ok(()),
        }
    }
}

fn stop_at(stop: usize) -> impl FnMut(usize) -> ControlFlow<()> {
    move |step| if step == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// A home on one file system, and one whose data folder is on another.
fn homes(test: &str) -> Vec<fn() -> Home> {
    match Home::on_two_file_systems() {
        Some(_) => vec![Home::new, || Home::on_two_file_systems().unwrap()],
        None => {
            skipped(test, "there is no second file system");
            vec![Home::new]
        }
    }
}

/// A store with files, folders, links and odd names, and changes of every kind.
fn place(home: Home) -> (Place, Vec<Change>) {
    let place = Place::new(home);
    let long = "{\"type\":\"user\"}\n".repeat(200);
    for (name, bytes) in [
        (format!("{SESSION}.jsonl"), long.as_str()),
        (format!("{SESSION}/subagents/agent-a1.jsonl"), "{}\n"),
        (format!("{SESSION}/tool-results/t1.txt"), "long"),
        ("projects/-p/sessions-index.json".to_owned(), "{\"version\":1,\"entries\":[]}"),
        ("projects/-o/other.jsonl".to_owned(), "{}\n"),
        ("todos/a.json".to_owned(), "[]"),
        ("todos/b.json".to_owned(), "[1]"),
        ("todos/shorter.json".to_owned(), "[1]\n[2]\n"),
        ("todos/longer.json".to_owned(), "[1]\n"),
        ("plans/p.md".to_owned(), "plan"),
        ("history.jsonl".to_owned(), "{}\n"),
    ] {
        place.home.write(name, bytes);
    }
    #[cfg(unix)]
    odd_things(&place);
    let ready = place.data.path().join("ready");
    fs::create_dir_all(&ready).unwrap();
    fs::write(ready.join("one"), "ready").unwrap();
    let id = SESSION.rsplit('/').next().unwrap();
    let talk = Session::new().id(id).prompt("one").reply("two").into_bytes();
    let changes = vec![
        Change::Rewrite { path: place.path(format!("{SESSION}.jsonl")), bytes: talk.into() },
        Change::Replace { path: place.path("todos/a.json"), bytes: b"[2]".to_vec().into() },
        // One begins as the other does.
        Change::Replace { path: place.path("todos/shorter.json"), bytes: b"[1]\n".to_vec().into() },
        Change::Replace { path: place.path("todos/longer.json"), bytes: b"[1]\n[2]\n".to_vec().into() },
        Change::Replace { path: place.path("todos/new.json"), bytes: b"[3]".to_vec().into() },
        Change::Create {
            path: place.path("projects/-new/deep/er/x.jsonl"),
            bytes: b"{}\n".to_vec().into(),
            mode: None,
        },
        Change::Place { from: ready.join("one"), path: place.path("file-history/s/one@v1") },
        Change::Folder { path: place.path("session-env/s"), mode: Some(0o750) },
        Change::Move { from: place.path("todos/b.json"), to: place.path("tasks/s/b.json") },
        Change::Discard { path: place.path(SESSION) },
        Change::Discard { path: place.path("plans/p.md") },
        Change::Move { from: place.path("projects/-o"), to: place.path("projects/-q") },
        Change::RefreshIndex { session: place.path(format!("{SESSION}.jsonl")) },
    ];
    (place, changes)
}

/// Modes that are not ours, a link that leads nowhere, a name that is not UTF-8.
#[cfg(unix)]
fn odd_things(place: &Place) {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = place.path(SESSION);
    symlink("/nowhere/at/all", folder.join("dangling")).unwrap();
    symlink("tool-results/t1.txt", folder.join("link")).unwrap();
    fs::write(folder.join(std::ffi::OsStr::from_bytes(b"agent-\xff\xfe.jsonl")), "{}\n").unwrap();
    fs::create_dir(folder.join("empty")).unwrap();
    for (name, mode) in [("tool-results", 0o755), ("subagents", 0o711), ("subagents/agent-a1.jsonl", 0o640)] {
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(1_000_000);
    for name in ["subagents/agent-a1.jsonl", "tool-results/t1.txt"] {
        fs::File::options().write(true).open(folder.join(name)).unwrap().set_modified(old).unwrap();
    }
}
