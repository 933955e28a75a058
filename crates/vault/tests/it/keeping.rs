//! What is kept, what is not stored twice, and what comes back.

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use annals_store::journal::Journal;
use annals_vault::{Existing, Reader, Restoration, RestoreError, VaultError, Version, Witness};

use crate::support::{Dice, SLUG, Shop, tree};

fn lines(dice: &Dice, session: &str, count: usize) -> String {
    (0..count).map(|_| dice.line(session)).collect()
}

#[test]
fn a_session_comes_back_with_all_that_belongs_to_it() {
    let shop = Shop::new();
    let (id, dice) = (Shop::id(1), Dice::new(1));
    shop.write_session(&id, lines(&dice, &id, 50));
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
        shop.write(&path, bytes);
    }
    fs::create_dir_all(shop.config().join("session-env").join(&id)).unwrap();
    let before = tree(&shop.config());
    // What is nobody's, and a lock.
    shop.write("settings.json", "{}");
    shop.write(&format!("tasks/{id}/.lock"), "");
    shop.write(&format!("todos/{}-agent-x.json", Shop::id(2)), "[]");

    let done = shop.archive();
    assert_eq!((done.kept.len(), done.failed.len()), (1, 0));
    assert_eq!(shop.unpack(&done.kept[0]).unwrap(), before);
    assert!(done.kept[0].files.iter().any(|copy| copy.path == format!("session-env/{id}")));
}

#[test]
fn nothing_is_done_where_nothing_has_changed() {
    let shop = Shop::new();
    let id = Shop::id(1);
    let path = shop.write_session(&id, lines(&Dice::new(1), &id, 50));
    shop.archive();
    let files = shop.vault_files();
    let done = shop.archive();
    assert_eq!((done.kept.len(), done.unchanged, done.stored), (0, 1, 0));
    // A new time alone is no new version either.
    let old = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    assert_eq!(shop.archive().kept.len(), 0);
    assert_eq!(shop.vault_files(), files);
}

#[test]
fn what_grew_costs_what_is_new_and_a_changed_byte_is_noticed() {
    let shop = Shop::new();
    let (id, dice) = (Shop::id(1), Dice::new(1));
    let mut bytes = lines(&dice, &id, 4000).into_bytes();
    let path = shop.write_session(&id, &bytes);
    let first = shop.archive();
    bytes.extend_from_slice(dice.line(&id).as_bytes());
    fs::write(&path, &bytes).unwrap();
    let grown = shop.archive();
    assert!(grown.stored < first.stored / 20, "{} of {}", grown.stored, first.stored);
    assert_eq!(shop.unpack(&grown.kept[0]).unwrap()[&format!("projects/{SLUG}/{id}.jsonl")], bytes);

    // The same length, the same time: only the bytes tell.
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    bytes[100] = b'#';
    fs::write(&path, &bytes).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    let rewritten = shop.archive();
    assert_eq!(rewritten.kept.len(), 1);
    let versions = shop.versions();
    let main = |version: &Version| shop.unpack(version).unwrap()[&version.file].clone();
    assert_eq!(main(&versions[2]), bytes);
    bytes.truncate(50);
    fs::write(&path, &bytes).unwrap();
    shop.archive();
    assert_eq!(main(&shop.versions()[3]), bytes);
}

#[test]
fn a_fork_costs_next_to_nothing_though_every_line_has_another_id() {
    let shop = Shop::new();
    let (first, second) = (Shop::id(1), Shop::id(2));
    let text = lines(&Dice::new(3), &first, 8000);
    shop.write_session(&first, &text);
    let one = shop.archive();
    shop.write_session(&second, text.replace(&first, &second));
    let two = shop.archive();
    assert!(two.stored < one.stored / 50, "{} beside {}", two.stored, one.stored);
    let back = shop.unpack(&two.kept[0]).unwrap();
    assert_eq!(back[&two.kept[0].file], text.replace(&first, &second).into_bytes());
}

#[test]
fn only_the_owner_may_read_the_vault() {
    let shop = Shop::new();
    shop.write_session(&Shop::id(1), "{}\n");
    shop.archive();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let files = shop.vault_files();
    assert_eq!(files.len(), 3);
    for file in files {
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700), "{}", file.display());
    }
}

#[test]
fn two_cannot_write_at_once() {
    let shop = Shop::new();
    shop.write_session(&Shop::id(1), "{}\n");
    let keeper = shop.vault.keeper().unwrap();
    assert!(matches!(shop.vault.keeper(), Err(VaultError::Locked)));
    drop(keeper);
    assert_eq!(shop.archive().kept.len(), 1);
}

fn restore(
    shop: &Shop,
    version: &Version,
    existing: Existing,
) -> Result<annals_vault::Restored, RestoreError> {
    let catalogue = shop.vault.catalogue().unwrap();
    let shelves = shop.vault.shelves(&catalogue).unwrap();
    let mut reader = Reader::new(&shop.vault, &shelves);
    let root = shop.config();
    let restoration = Restoration { vault: &shop.vault, version, root: &root, existing };
    restoration.carry_out(&mut reader, &shop.source, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn restoring_gives_bytes_modes_and_times_and_can_be_taken_back() {
    let shop = Shop::new();
    let id = Shop::id(1);
    let path = shop.write_session(&id, lines(&Dice::new(1), &id, 9));
    let todo = shop.write(&format!("todos/{id}-agent-{id}.json"), "[]");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789);
    fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    let before = tree(&shop.config());
    let version = shop.archive().kept.remove(0);
    assert!(!version.is_gone());

    fs::remove_file(&path).unwrap();
    fs::remove_file(&todo).unwrap();
    assert!(version.is_gone());
    let restored = restore(&shop, &version, Existing::Refuse).unwrap();
    assert_eq!((restored.files.len(), tree(&shop.config())), (2, before.clone()));
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.permissions().mode() & 0o777, metadata.modified().unwrap()), (0o640, long_ago));
    // What is there already stays, and nothing is noted.
    assert!(restore(&shop, &version, Existing::Refuse).unwrap().entry.is_none());

    let data = shop.data();
    Journal::new(&data).undo(restored.entry.unwrap()).unwrap();
    assert!(tree(&shop.config()).is_empty());
}

#[test]
fn what_differs_is_replaced_only_on_request_and_comes_back_with_undo() {
    let shop = Shop::new();
    let id = Shop::id(1);
    let path = shop.write_session(&id, "{\"a\":1}\n");
    let version = shop.archive().kept.remove(0);
    fs::write(&path, "{\"b\":2}\n").unwrap();
    let old = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();

    let refused = restore(&shop, &version, Existing::Refuse).unwrap_err();
    assert_eq!(refused.to_string(), format!("{} differs from what would be brought back", path.display()));
    assert_eq!(fs::read(&path).unwrap(), b"{\"b\":2}\n");
    let restored = restore(&shop, &version, Existing::Replace).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"{\"a\":1}\n");
    Journal::new(&shop.data()).undo(restored.entry.unwrap()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"{\"b\":2}\n");
}

#[test]
fn a_restore_stopped_at_any_step_can_be_taken_back() {
    for stop in 0..20 {
        let shop = Shop::new();
        let id = Shop::id(1);
        let path = shop.write_session(&id, "{\"a\":1}\n");
        let todo = shop.write(&format!("todos/{id}-agent-{id}.json"), "[]");
        let version = shop.archive().kept.remove(0);
        fs::remove_file(&todo).unwrap();
        fs::write(&path, "{\"b\":2}\n").unwrap();
        let old = SystemTime::now() - Duration::from_secs(3600);
        fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        let before = tree(&shop.config());

        let catalogue = shop.vault.catalogue().unwrap();
        let shelves = shop.vault.shelves(&catalogue).unwrap();
        let mut reader = Reader::new(&shop.vault, &shelves);
        let root = shop.config();
        let restoration =
            Restoration { vault: &shop.vault, version: &version, root: &root, existing: Existing::Replace };
        let mut watch = |step| if step == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let done = restoration.carry_out(&mut reader, &shop.source, &mut watch);
        let data = shop.data();
        for entry in Journal::new(&data).entries() {
            Journal::new(&data).undo(entry).unwrap();
        }
        assert_eq!(tree(&shop.config()), before, "stopped at step {stop}");
        if done.is_ok() {
            return;
        }
    }
    panic!("the restore never came to its end");
}

/// Does something to a file when so much was read.
struct Meddler<F: FnMut()> {
    after: u64,
    deed: Option<F>,
}

impl<F: FnMut()> Witness for Meddler<F> {
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
    let shop = Shop::new();
    let id = Shop::id(1);
    let before = "x".repeat(3_000_000) + "\n";
    let path = shop.write_session(&id, &before);
    let grow = || {
        let mut file = fs::File::options().append(true).open(&path).unwrap();
        std::io::Write::write_all(&mut file, b"{\"late\":true}\n").unwrap();
    };
    let done = shop.try_archive(&mut Meddler { after: 1_000_000, deed: Some(grow) }).unwrap();
    assert_eq!(shop.unpack(&done.kept[0]).unwrap()[&done.kept[0].file], before.as_bytes());
    let next = shop.archive();
    assert_eq!(shop.unpack(&next.kept[0]).unwrap()[&next.kept[0].file], fs::read(&path).unwrap());
}

#[test]
fn a_file_that_shrinks_meanwhile_is_named_and_kept_next_time() {
    let shop = Shop::new();
    let path = shop.write_session(&Shop::id(1), "x".repeat(3_000_000));
    shop.write_session(&Shop::id(2), "{}\n");
    let cut = || fs::write(&path, "short\n").unwrap();
    let done = shop.try_archive(&mut Meddler { after: 1_000_000, deed: Some(cut) }).unwrap();
    assert_eq!((done.kept.len(), done.failed.len()), (1, 1));
    assert_eq!(done.failed[0].path, path);
    let next = shop.archive();
    assert_eq!(shop.unpack(&next.kept[0]).unwrap()[&next.kept[0].file], b"short\n");
}

#[test]
fn a_long_session_goes_through_several_frames() {
    let shop = Shop::new();
    let id = Shop::id(1);
    let mut bytes = Vec::new();
    for number in 0_u64..900_000 {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bytes.extend_from_slice(format!("{{\"uuid\":\"{mixed:016x}\",\"sessionId\":\"{id}\"}}\n").as_bytes());
    }
    shop.write_session(&id, &bytes);
    let done = shop.archive();
    assert!(shop.unpack(&done.kept[0]).unwrap()[&done.kept[0].file] == bytes);
    let report = shop.vault.keeper().unwrap().verify(&shop.source, &mut annals_vault::Nobody).unwrap();
    assert!(report.is_sound() && report.healed.is_empty(), "{report:?}");
}
