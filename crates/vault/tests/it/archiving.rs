//! What is archived, what is not stored twice, and what is restored.

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use annals_store::journal::Journal;
use annals_vault::{OnConflict, Progress, RestoreError, RestoreRequest, VaultError, VaultReader, Version};

use crate::support::{Dice, Fixture, SLUG, tree};

fn lines(dice: &Dice, session: &str, count: usize) -> String {
    (0..count).map(|_| dice.line(session)).collect()
}

#[test]
fn a_session_comes_back_with_all_that_belongs_to_it() {
    let fixture = Fixture::new();
    let (id, dice) = (Fixture::id(1), Dice::new(1));
    fixture.write_session(&id, lines(&dice, &id, 50));
    let under = format!("projects/{SLUG}/{id}");
    for (path, bytes) in [
        (format!("{under}/subagents/agent-a1.jsonl"), lines(&dice, &id, 5)),
        (format!("{under}/subagents/agent-a1.meta.json"), "{\"agentType\":\"x\"}".to_owned()),
        (format!("{under}/tool-results/toolu_1.txt"), "long\n".repeat(100)),
        (format!("{under}/custom-title.json"), "{\"customTitle\":\"t\"}".to_owned()),
        (format!("{under}/something-new.bin"), "\u{0}x".to_owned()),
        (format!("projects/{SLUG}/agent-b2.jsonl"), lines(&dice, &id, 3)),
        (format!("todos/{id}-agent-{id}.json"), "[]".to_owned()),
        (format!("tasks/{id}/1.json"), "{}".to_owned()),
        (format!("file-history/{id}/00ffe3b0c44298fc@v1"), "old".to_owned()),
        (format!("image-cache/{id}/1.png"), "PNG".to_owned()),
    ] {
        fixture.write(&path, bytes);
    }
    fs::create_dir_all(fixture.config().join("session-env").join(&id)).unwrap();
    let before = tree(&fixture.config());
    // A file of no session, and a lock.
    fixture.write("settings.json", "{}");
    fixture.write(&format!("tasks/{id}/.lock"), "");
    fixture.write(&format!("todos/{}-agent-x.json", Fixture::id(2)), "[]");

    let done = fixture.archive();
    assert_eq!((done.kept.len(), done.failed.len()), (1, 0));
    assert_eq!(fixture.unpack(&done.kept[0]).unwrap(), before);
    assert!(done.kept[0].files.iter().any(|copy| copy.path == format!("session-env/{id}")));
}

#[test]
fn nothing_is_done_where_nothing_has_changed() {
    let fixture = Fixture::new();
    let id = Fixture::id(1);
    let path = fixture.write_session(&id, lines(&Dice::new(1), &id, 50));
    fixture.archive();
    let files = fixture.vault_files();
    let done = fixture.archive();
    assert_eq!((done.kept.len(), done.unchanged, done.stored), (0, 1, 0));
    // A new time alone makes no version either.
    let old = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    assert_eq!(fixture.archive().kept.len(), 0);
    assert_eq!(fixture.vault_files(), files);
}

#[test]
fn what_grew_costs_what_is_new_and_a_changed_byte_is_noticed() {
    let fixture = Fixture::new();
    let (id, dice) = (Fixture::id(1), Dice::new(1));
    let mut bytes = lines(&dice, &id, 4000).into_bytes();
    let path = fixture.write_session(&id, &bytes);
    let first = fixture.archive();
    bytes.extend_from_slice(dice.line(&id).as_bytes());
    fs::write(&path, &bytes).unwrap();
    let grown = fixture.archive();
    assert!(grown.stored < first.stored / 20, "{} of {}", grown.stored, first.stored);
    assert_eq!(fixture.unpack(&grown.kept[0]).unwrap()[&format!("projects/{SLUG}/{id}.jsonl")], bytes);

    // The same length and time: only the bytes differ.
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    bytes[100] = b'#';
    fs::write(&path, &bytes).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    let rewritten = fixture.archive();
    assert_eq!(rewritten.kept.len(), 1);
    let versions = fixture.versions();
    let main = |version: &Version| fixture.unpack(version).unwrap()[&version.file].clone();
    assert_eq!(main(&versions[2]), bytes);
    bytes.truncate(50);
    fs::write(&path, &bytes).unwrap();
    fixture.archive();
    assert_eq!(main(&fixture.versions()[3]), bytes);
}

#[test]
fn a_fork_costs_next_to_nothing_though_every_line_has_another_id() {
    let fixture = Fixture::new();
    let (first, second) = (Fixture::id(1), Fixture::id(2));
    let text = lines(&Dice::new(3), &first, 8000);
    fixture.write_session(&first, &text);
    let one = fixture.archive();
    fixture.write_session(&second, text.replace(&first, &second));
    let two = fixture.archive();
    assert!(two.stored < one.stored / 50, "{} beside {}", two.stored, one.stored);
    let back = fixture.unpack(&two.kept[0]).unwrap();
    assert_eq!(back[&two.kept[0].file], text.replace(&first, &second).into_bytes());
}

#[test]
fn only_the_owner_may_read_the_vault() {
    let fixture = Fixture::new();
    fixture.write_session(&Fixture::id(1), "{}\n");
    fixture.archive();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let files = fixture.vault_files();
    assert_eq!(files.len(), 3);
    for file in files {
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700), "{}", file.display());
    }
}

#[test]
fn two_cannot_write_at_once() {
    let fixture = Fixture::new();
    fixture.write_session(&Fixture::id(1), "{}\n");
    let writer = fixture.vault.writer().unwrap();
    assert!(matches!(fixture.vault.writer(), Err(VaultError::Locked)));
    drop(writer);
    assert_eq!(fixture.archive().kept.len(), 1);
}

fn restore(
    fixture: &Fixture,
    version: &Version,
    on_conflict: OnConflict,
) -> Result<annals_vault::RestoreReport, RestoreError> {
    let catalogue = fixture.vault.catalogue().unwrap();
    let chunk_index = fixture.vault.chunk_index(&catalogue).unwrap();
    let mut reader = VaultReader::new(&fixture.vault, &chunk_index);
    let root = fixture.config();
    let restoration = RestoreRequest { vault: &fixture.vault, version, root: &root, on_conflict };
    restoration.run(&mut reader, &fixture.source, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn restoring_gives_bytes_modes_and_times_and_can_be_taken_back() {
    let fixture = Fixture::new();
    let id = Fixture::id(1);
    let path = fixture.write_session(&id, lines(&Dice::new(1), &id, 9));
    let todo = fixture.write(&format!("todos/{id}-agent-{id}.json"), "[]");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789);
    fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    let before = tree(&fixture.config());
    let version = fixture.archive().kept.remove(0);
    assert!(!version.is_gone());

    fs::remove_file(&path).unwrap();
    fs::remove_file(&todo).unwrap();
    assert!(version.is_gone());
    let restored = restore(&fixture, &version, OnConflict::Refuse).unwrap();
    assert_eq!((restored.files.len(), tree(&fixture.config())), (2, before.clone()));
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.permissions().mode() & 0o777, metadata.modified().unwrap()), (0o640, long_ago));
    // What is already there stays, and the journal gets no entry.
    assert!(restore(&fixture, &version, OnConflict::Refuse).unwrap().entry.is_none());

    let data = fixture.data();
    Journal::new(&data).undo(restored.entry.unwrap()).unwrap();
    assert!(tree(&fixture.config()).is_empty());
}

#[test]
fn folders_come_back_with_the_modes_that_they_had() {
    let fixture = Fixture::new();
    let id = Fixture::id(1);
    let path = fixture.write_session(&id, "{\"a\":1}\n");
    let folder = path.with_extension("");
    let inside = format!("{}/tool-results/out.txt", folder.strip_prefix(fixture.config()).unwrap().display());
    let output = fixture.write(&inside, "out");
    fixture.write(&format!("todos/{id}-agent-{id}.json"), "[]");
    let (projects, todos) = (fixture.config().join("projects"), fixture.config().join("todos"));
    let modes = [
        (projects.clone(), 0o755),
        (path.parent().unwrap().to_path_buf(), 0o710),
        (folder, 0o750),
        // Nothing more can be put into it.
        (output.parent().unwrap().to_path_buf(), 0o550),
        (todos.clone(), 0o705),
    ];
    let set = |mode: u32, path: &std::path::Path| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    modes.iter().rev().for_each(|(path, mode)| set(*mode, path));
    let before = tree(&fixture.config());
    let version = fixture.archive().kept.remove(0);
    assert!(fixture.archive().kept.is_empty());

    set(0o700, output.parent().unwrap());
    fs::remove_dir_all(&projects).unwrap();
    fs::remove_dir_all(&todos).unwrap();
    let restored = restore(&fixture, &version, OnConflict::Refuse).unwrap();
    assert_eq!(tree(&fixture.config()), before);
    for (path, mode) in &modes {
        let found = fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, *mode, "{}: {found:o}", path.display());
    }
    Journal::new(&fixture.data()).undo(restored.entry.unwrap()).unwrap();
    assert!(!projects.exists() && !todos.exists());

    // A folder that is there keeps the mode that it has now, and another mode is another version.
    fs::create_dir(&todos).unwrap();
    set(0o700, &todos);
    restore(&fixture, &version, OnConflict::Refuse).unwrap();
    assert_eq!(fs::metadata(&todos).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fixture.archive().kept.len(), 1);
}

#[test]
fn what_differs_is_replaced_only_on_request_and_comes_back_with_undo() {
    let fixture = Fixture::new();
    let id = Fixture::id(1);
    let path = fixture.write_session(&id, "{\"a\":1}\n");
    let version = fixture.archive().kept.remove(0);
    fs::write(&path, "{\"b\":2}\n").unwrap();
    let old = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();

    let refused = restore(&fixture, &version, OnConflict::Refuse).unwrap_err();
    assert_eq!(refused.to_string(), format!("{} differs from what would be restored", path.display()));
    assert_eq!(fs::read(&path).unwrap(), b"{\"b\":2}\n");
    let restored = restore(&fixture, &version, OnConflict::Replace).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"{\"a\":1}\n");
    Journal::new(&fixture.data()).undo(restored.entry.unwrap()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"{\"b\":2}\n");
}

#[test]
fn a_restore_stopped_at_any_step_can_be_taken_back() {
    for stop in 0..20 {
        let fixture = Fixture::new();
        let id = Fixture::id(1);
        let path = fixture.write_session(&id, "{\"a\":1}\n");
        let todo = fixture.write(&format!("todos/{id}-agent-{id}.json"), "[]");
        let version = fixture.archive().kept.remove(0);
        fs::remove_file(&todo).unwrap();
        fs::write(&path, "{\"b\":2}\n").unwrap();
        let old = SystemTime::now() - Duration::from_secs(3600);
        fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        let before = tree(&fixture.config());

        let catalogue = fixture.vault.catalogue().unwrap();
        let chunk_index = fixture.vault.chunk_index(&catalogue).unwrap();
        let mut reader = VaultReader::new(&fixture.vault, &chunk_index);
        let root = fixture.config();
        let restoration = RestoreRequest {
            vault: &fixture.vault,
            version: &version,
            root: &root,
            on_conflict: OnConflict::Replace,
        };
        let mut watch = |step| if step == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let done = restoration.run(&mut reader, &fixture.source, &mut watch);
        let data = fixture.data();
        for entry in Journal::new(&data).entries() {
            Journal::new(&data).undo(entry).unwrap();
        }
        assert_eq!(tree(&fixture.config()), before, "stopped at step {stop}");
        if done.is_ok() {
            return;
        }
    }
    panic!("the restore never came to its end");
}

/// Changes a file after this many bytes were read.
struct EditDuringRead<F: FnMut()> {
    after: u64,
    deed: Option<F>,
}

impl<F: FnMut()> Progress for EditDuringRead<F> {
    fn read(&mut self, bytes: u64) {
        self.after = self.after.saturating_sub(bytes);
        if self.after == 0
            && let Some(mut deed) = self.deed.take()
        {
            deed();
        }
    }
}

#[test]
fn a_file_that_grows_meanwhile_is_kept_as_it_was_and_the_next_run_takes_the_rest() {
    let fixture = Fixture::new();
    let id = Fixture::id(1);
    let before = "x".repeat(3_000_000) + "\n";
    let path = fixture.write_session(&id, &before);
    let grow = || {
        let mut file = fs::File::options().append(true).open(&path).unwrap();
        std::io::Write::write_all(&mut file, b"{\"late\":true}\n").unwrap();
    };
    let done = fixture.try_archive(&mut EditDuringRead { after: 1_000_000, deed: Some(grow) }).unwrap();
    assert_eq!(fixture.unpack(&done.kept[0]).unwrap()[&done.kept[0].file], before.as_bytes());
    let next = fixture.archive();
    assert_eq!(fixture.unpack(&next.kept[0]).unwrap()[&next.kept[0].file], fs::read(&path).unwrap());
}

#[test]
fn a_file_that_shrinks_meanwhile_is_named_and_kept_next_time() {
    let fixture = Fixture::new();
    let path = fixture.write_session(&Fixture::id(1), "x".repeat(3_000_000));
    fixture.write_session(&Fixture::id(2), "{}\n");
    let cut = || fs::write(&path, "short\n").unwrap();
    let done = fixture.try_archive(&mut EditDuringRead { after: 1_000_000, deed: Some(cut) }).unwrap();
    assert_eq!((done.kept.len(), done.failed.len()), (1, 1));
    assert_eq!(done.failed[0].path, path);
    let next = fixture.archive();
    assert_eq!(fixture.unpack(&next.kept[0]).unwrap()[&next.kept[0].file], b"short\n");
}

#[test]
fn a_long_session_goes_through_several_frames() {
    let fixture = Fixture::new();
    let id = Fixture::id(1);
    let mut bytes = Vec::new();
    for number in 0_u64..900_000 {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bytes.extend_from_slice(format!("{{\"uuid\":\"{mixed:016x}\",\"sessionId\":\"{id}\"}}\n").as_bytes());
    }
    fixture.write_session(&id, &bytes);
    let done = fixture.archive();
    assert!(fixture.unpack(&done.kept[0]).unwrap()[&done.kept[0].file] == bytes);
    let report =
        fixture.vault.writer().unwrap().verify(&fixture.source, &mut annals_vault::NoProgress).unwrap();
    assert!(report.is_sound() && report.healed.is_empty(), "{report:?}");
}
