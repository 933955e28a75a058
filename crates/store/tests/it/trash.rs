//! The trash: what is in it, what emptying takes and spares, and what can then no longer be undone.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use annals_store::DataDir;
use annals_store::changes::{Change, apply};
use annals_store::journal::{Journal, JournalEntry, Stage, UndoError};
use annals_store::trash::{SkipReason, batches, empty, plan_empty, sessions};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;

struct Place {
    home: Home,
    data: DataDir,
    source: CountingSource,
}

impl Place {
    fn new() -> Self {
        let home = Home::new();
        Self { data: DataDir::new(home.data_dir()), source: CountingSource::default(), home }
    }

    /// Makes a change, up to a step.
    fn change(&self, changes: &[Change], most: usize) -> Option<JournalEntry> {
        let mut watch = |step| if step < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        apply(changes, "a test", &self.home.config_dir(), &self.data, &self.source, &mut watch).ok()
    }

    fn discard(&self, name: &str) -> (PathBuf, JournalEntry) {
        let path = self.home.write(name, "bytes");
        let entry = self.change(&[Change::Discard { path: path.clone() }], usize::MAX).unwrap();
        (path, entry)
    }
}

#[test]
fn what_is_deleted_cannot_be_taken_back_and_the_journal_says_so() {
    let place = Place::new();
    let journal = Journal::new(&place.data);
    let (_, old) = place.discard("todos/a.json");
    let (kept, new) = place.discard("todos/b.json");
    let replaced = place.home.write("todos/c.json", "old");
    let change = [Change::Replace { path: replaced.clone(), bytes: b"new".to_vec().into() }];
    let replacing = place.change(&change, usize::MAX).unwrap();
    assert_eq!(
        batches(&place.data).iter().map(|batch| (batch.files, batch.bytes)).collect::<Vec<_>>(),
        [(1, 3), (1, 5), (1, 5)]
    );
    let aged = plan_empty(&place.data, new.time, i64::MAX);
    assert_eq!(aged.to_delete.iter().map(|batch| &batch.id).collect::<Vec<_>>(), [&old.id]);
    empty(&place.data, &aged.to_delete).unwrap();
    let stage_of = |id: &str| journal.entries().into_iter().find(|entry| entry.id == id).unwrap().stage;
    assert_eq!([stage_of(&old.id), stage_of(&new.id)], [Stage::Emptied, Stage::Done]);
    let entry = journal.entries().into_iter().find(|entry| entry.id == old.id).unwrap();
    assert!(matches!(journal.undo(entry), Err(UndoError::Emptied { .. })));
    journal.undo(new).unwrap();
    assert_eq!(fs::read(kept).unwrap(), b"bytes");
    // A batch that somebody removed by hand: nothing is half undone.
    fs::remove_dir_all(place.data.trash(&replacing.id)).unwrap();
    assert!(matches!(journal.undo(replacing), Err(UndoError::ChangedSince { .. })));
    assert_eq!(fs::read(replaced).unwrap(), b"new");
}

#[test]
fn what_an_unfinished_change_needs_is_spared() {
    let place = Place::new();
    let journal = Journal::new(&place.data);
    // One that was interrupted after it had moved the first of two files.
    let paths = [place.home.write("todos/a.json", "1"), place.home.write("todos/b.json", "2")];
    let changes = paths.clone().map(|path| Change::Discard { path });
    assert!(place.change(&changes, 4).is_none());
    assert!(!paths[0].exists() && paths[1].exists());
    // A restore that was interrupted: it needs the batch of another change.
    let (path, entry) = place.discard("projects/-p/s.jsonl");
    let kept = sessions(&place.data).remove(0).file.kept;
    let back = [Change::Move { from: kept, to: path.clone() }];
    assert!(place.change(&back, 2).is_none());
    let found = plan_empty(&place.data, i64::MAX, i64::MAX);
    assert!(found.to_delete.is_empty(), "{found:#?}");
    assert!(found.skipped.iter().all(|skipped| skipped.reason == SkipReason::Unfinished));
    assert_eq!(found.skipped.len(), 2);
    for entry in journal.entries().into_iter().filter(|entry| entry.stage == Stage::Begun) {
        journal.undo(entry).unwrap();
    }
    assert_eq!(fs::read(&paths[0]).unwrap(), b"1");
    assert_eq!(plan_empty(&place.data, i64::MAX, i64::MAX).to_delete[0].id, entry.id);
}

#[test]
fn what_the_journal_does_not_tell_is_spared_while_it_may_be_in_the_making() {
    let place = Place::new();
    let strange = place.data.trash("strange");
    fs::create_dir_all(&strange).unwrap();
    fs::write(strange.join("file"), "x").unwrap();
    let now = batches(&place.data)[0].time.unwrap();
    let found = plan_empty(&place.data, i64::MAX, now + 1000);
    assert_eq!((found.to_delete.len(), found.skipped[0].reason), (0, SkipReason::Unknown));
    // One whose note cannot be read stays for good.
    fs::create_dir_all(place.data.journal()).unwrap();
    fs::write(place.data.journal().join("strange.json"), "?").unwrap();
    assert!(plan_empty(&place.data, i64::MAX, i64::MAX).to_delete.is_empty());
    fs::remove_file(place.data.journal().join("strange.json")).unwrap();
    let found = plan_empty(&place.data, i64::MAX, now + 2 * 24 * 3_600_000);
    empty(&place.data, &found.to_delete).unwrap();
    assert!(batches(&place.data).is_empty() && !strange.exists());
    // What a kill left of a batch in the midst of its deletion goes with the next.
    let deleting = place.data.trash(".emptied-x");
    fs::create_dir_all(&deleting).unwrap();
    fs::write(deleting.join("file"), "x").unwrap();
    empty(&place.data, &plan_empty(&place.data, i64::MAX, 0).to_delete).unwrap();
    assert!(!deleting.exists());
}

#[test]
fn a_session_that_a_client_shows_is_not_taken_back_from_it() {
    let place = Place::new();
    let (path, _) = place.discard("projects/-p/s.jsonl");
    let kept = sessions(&place.data).remove(0).file.kept;
    let back = place.change(&[Change::Move { from: kept, to: path.clone() }], usize::MAX).unwrap();
    let pid = std::process::id();
    let client = place.home.write(format!("sessions/{pid}.json"), r#"{"sessionId":"s"}"#);
    let journal = Journal::new(&place.data);
    assert!(matches!(journal.undo(back.clone()), Err(UndoError::Busy { .. })));
    assert!(path.exists());
    fs::remove_file(client).unwrap();
    journal.undo(back).unwrap();
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn modes_and_times_survive_the_trash() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let path = place.home.write("projects/-p/s.jsonl", "{}\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let entry = place.change(&[Change::Discard { path: path.clone() }], usize::MAX).unwrap();
    Journal::new(&place.data).undo(entry).unwrap();
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
    assert_eq!(metadata.modified().unwrap(), modified);
}
