//! Copies of the user's files: named after their path, numbered by content, null if the file did not exist.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use annals_store::file_history::{BackupVersion, Backups, path_hash};
use annals_transcript::draft::{Draft, SnapshotKind};

use super::{WRONG_NAMES, empty, expect_mode, names};

fn copy(hash: &str, version: u32, time: i64) -> BackupVersion {
    BackupVersion { name: Some(format!("{hash}@v{version}")), version, time }
}

#[test]
fn a_copy_is_made_once_for_each_content() {
    let (temp, config) = empty();
    let file = temp.write("work/src/a.rs", "one");
    let work = temp.path().join("work");
    let mut backups = Backups::of_session(&config, &"s1".into(), &work).unwrap();
    let hash = path_hash(file.to_str().unwrap());
    assert_eq!(backups.keep(&file, 10).unwrap(), copy(&hash, 1, 10));
    assert_eq!(backups.keep(Path::new("src/../src/a.rs"), 20).unwrap(), copy(&hash, 1, 10));
    fs::write(&file, "two").unwrap();
    assert_eq!(backups.keep(&file, 30).unwrap(), copy(&hash, 2, 30));
    fs::write(&file, "one").unwrap();
    assert_eq!(backups.keep(&file, 40).unwrap(), copy(&hash, 3, 40));
    let folder = config.path().join("file-history/s1");
    let contents: Vec<_> =
        (1..4).map(|n| fs::read_to_string(folder.join(format!("{hash}@v{n}"))).unwrap()).collect();
    assert_eq!((contents, names(&folder).len()), (vec!["one".into(), "two".into(), "one".into()], 3));
    expect_mode(&folder.join(format!("{hash}@v1")), 0o600);
    expect_mode(&folder, 0o700);
    let script = temp.write("work/run.sh", "true");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let name = backups.keep(&script, 45).unwrap().name.unwrap();
    expect_mode(&folder.join(name), 0o700);
    // A later reader finds what is on the disk.
    let mut later = Backups::of_session(&config, &"s1".into(), &work).unwrap();
    assert_eq!(later.keep(&file, 50).unwrap().version, 3);
    fs::write(&file, "four").unwrap();
    assert_eq!(later.keep(&file, 60).unwrap(), copy(&hash, 4, 60));
}

#[test]
fn what_did_not_exist_has_no_copy_and_its_first_copy_is_the_second_version() {
    let (temp, config) = empty();
    let file = temp.path().join("new.rs");
    let hash = path_hash(file.to_str().unwrap());
    let mut backups = Backups::of_session(&config, &"s1".into(), temp.path()).unwrap();
    let nothing = BackupVersion { name: None, version: 1, time: 5 };
    assert_eq!(backups.keep(&file, 5).unwrap(), nothing);
    assert_eq!(backups.keep(&file, 6).unwrap(), nothing);
    assert!(!config.file_history().exists());
    fs::write(&file, "").unwrap();
    assert_eq!(backups.keep(&file, 7).unwrap(), copy(&hash, 2, 7));
    fs::remove_file(&file).unwrap();
    assert_eq!(backups.keep(&file, 8).unwrap(), BackupVersion { name: None, version: 3, time: 8 });
    fs::write(&file, "").unwrap();
    assert_eq!(backups.keep(&file, 9).unwrap(), copy(&hash, 4, 9));
}

#[test]
fn a_resumed_session_goes_on_from_what_its_records_say() {
    let (temp, config) = empty();
    let file = temp.write("new.rs", "x");
    let hash = path_hash(file.to_str().unwrap());
    let kept = BackupVersion { name: None, version: 1, time: 5 }.in_record("new.rs".to_owned());
    let draft = Draft::file_history_snapshot("m", SnapshotKind::New, &[kept], "2026-01-01T00:00:00.000Z");
    let fields = draft.value("snapshot").unwrap().get("trackedFileBackups").unwrap().fields().unwrap();
    let mut backups = Backups::of_session(&config, &"s1".into(), temp.path()).unwrap();
    backups.remember_all(&fields);
    assert_eq!(backups.keep(&file, 7).unwrap(), copy(&hash, 2, 7));
    // A copy that a record names and that is gone holds nothing; one with a strange name neither.
    for name in ["ffff@v7", "../../new.rs"] {
        backups.remember(&file, BackupVersion { name: Some(name.to_owned()), version: 7, time: 1 });
        let kept = backups.keep(&file, 8).unwrap();
        assert_eq!(kept, copy(&hash, kept.version, 8));
        assert!(kept.version > 7);
    }
}

#[test]
fn keys_are_relative_under_the_working_directory() {
    let (_temp, config) = empty();
    let backups = Backups::of_session(&config, &"s1".into(), Path::new("/w/d/")).unwrap();
    for (path, key) in [
        ("/w/d/src/a.rs", "src/a.rs"),
        ("./b.rs", "b.rs"),
        ("../d2/c.rs", "/w/d2/c.rs"),
        ("/w/dd/e.rs", "/w/dd/e.rs"),
        ("/w/d", "/w/d"),
    ] {
        assert_eq!(backups.key(Path::new(path)), key);
    }
}

#[test]
fn folders_and_wrong_names_are_refused() {
    let (temp, config) = empty();
    for name in WRONG_NAMES {
        assert!(Backups::of_session(&config, &name.into(), temp.path()).is_err(), "{name}");
    }
    let mut backups = Backups::of_session(&config, &"s1".into(), temp.path()).unwrap();
    assert!(backups.keep(temp.path(), 1).is_err());
    assert_eq!(names(config.path()), Vec::<String>::new());
}

#[test]
fn a_copy_of_another_program_is_never_overwritten() {
    let (temp, config) = empty();
    let file = temp.write("a.rs", "ours");
    let hash = path_hash(file.to_str().unwrap());
    let mut backups = Backups::of_session(&config, &"s1".into(), temp.path()).unwrap();
    temp.write(format!("config/file-history/s1/{hash}@v4294967295"), "theirs");
    assert!(backups.keep(&file, 1).is_err());
    fs::remove_dir_all(config.file_history()).unwrap();
    temp.write(format!("config/file-history/s1/{hash}@v1"), "theirs");
    assert_eq!(backups.keep(&file, 1).unwrap(), copy(&hash, 2, 1));
    assert_eq!(fs::read(config.path().join(format!("file-history/s1/{hash}@v1"))).unwrap(), b"theirs");
}
