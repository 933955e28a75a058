//! Disk errors: a clear message, nothing acknowledged, and the writer continues afterwards.

use std::fs;
use std::path::Path;

use annals_store::files::{AppendFile, WriteError, replace_file};
use annals_store::session::AppendError;
use annals_testkit::skipped;
use annals_testkit::temp::TempDir;

use super::{Place, ids, parents, prompt};

#[test]
fn a_vanished_folder_is_said_and_outlived() {
    let place = Place::new();
    let (path, mut all) = place.session(1);
    let mut writer = place.open(&path);
    let folder = path.parent().unwrap();
    let away = folder.with_file_name("away");
    fs::rename(folder, &away).unwrap();
    for _ in 0..2 {
        let error = writer.append_settled(&prompt("lost")).unwrap_err();
        assert_eq!(error.to_string(), format!("{}: no such file or folder", path.display()));
    }
    assert!(!folder.exists(), "nothing is made up in its place");
    fs::rename(&away, folder).unwrap();
    all.push(writer.append_settled(&prompt("found")).unwrap().uuid.unwrap());
    assert_eq!(ids(&path), all);
    assert_eq!(parents(&path)[1].as_ref(), Some(&all[0]));
}

#[cfg(unix)]
#[test]
fn changed_permissions_are_said_and_outlived() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let (path, mut all) = place.session(1);
    let mut writer = place.open(&path);
    let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    set(0o400);
    if fs::OpenOptions::new().append(true).open(&path).is_ok() {
        skipped("changed_permissions_are_said_and_outlived", "this user may write everything");
        return;
    }
    let error = writer.append_settled(&prompt("lost")).unwrap_err();
    assert_eq!(error.to_string(), format!("{}: cannot write: permission denied", path.display()));
    set(0o600);
    all.push(writer.append_settled(&prompt("kept")).unwrap().uuid.unwrap());
    assert_eq!(ids(&path), all);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let error = AppendFile::existing("/dev/full").append(b"{}").unwrap_err();
    assert_eq!(error.to_string(), "/dev/full: the disk is full");
}

#[test]
fn a_file_that_was_replaced_is_not_written_to_behind_its_name() {
    let place = Place::new();
    let (path, all) = place.session(2);
    let mut writer = place.open(&path);
    writer.append(&prompt("before")).unwrap();
    // As an editor of sessions does it: a new file takes the name.
    let bytes = fs::read(&path).unwrap();
    replace_file(&path, &bytes).unwrap();
    writer.append_settled(&prompt("after")).unwrap();
    assert_eq!(ids(&path).len(), all.len() + 2);
    // A shorter file under its name is somebody's work: nothing is appended to what we do not know.
    replace_file(&path, &bytes[..10]).unwrap();
    assert!(matches!(writer.append(&prompt("never")), Err(AppendError::Busy { .. })));
    assert_eq!(fs::read(&path).unwrap(), &bytes[..10]);
}

#[test]
fn a_replacement_is_whole_or_nothing() {
    let temp = TempDir::new("replace");
    let path = temp.write("list.json", "old");
    // Left over from a crash between writing and renaming.
    // No process has this number; another's work is let be.
    let name = ".list.json.4294967295.annals-new";
    temp.write(name, "half");
    let theirs = temp.write(".list.json.1.annals-new", "somebody's");
    replace_file(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert!(!temp.path().join(name).exists() && theirs.exists());
    fs::remove_file(theirs).unwrap();
    // A folder cannot be replaced by a file: the old one is there, and nothing is left beside it.
    fs::create_dir(temp.path().join("folder")).unwrap();
    fs::write(temp.path().join("folder/x"), "x").unwrap();
    assert!(replace_file(&temp.path().join("folder"), b"new").is_err());
    let left: Vec<_> = fs::read_dir(temp.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    let inside = Path::new("list.json").join("impossible");
    assert!(matches!(
        replace_file(&temp.path().join(inside), b""),
        Err(WriteError::Exists { .. } | WriteError::Vanished { .. } | WriteError::Io { .. })
    ));
}
