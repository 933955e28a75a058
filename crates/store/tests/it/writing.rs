//! Writing generated stores: only to empty folders, nothing overwritten, nothing outside.

use std::fs;

use annals_store::write_tree::{DemoError, DemoWriter};
use annals_testkit::temp::TempDir;

#[test]
fn files_get_their_place_time_and_rights() {
    let temp = TempDir::new("writing");
    let writer = DemoWriter::create(temp.path().join("new/store")).unwrap();
    let path = writer.write("projects/-x/a.jsonl", b"{}\n", Some(1_767_455_098_325)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"{}\n");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    assert_eq!(modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis(), 1_767_455_098_325);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap()), mode(writer.root())), (0o600, 0o700, 0o700));
    }
    assert!(matches!(writer.write("projects/-x/a.jsonl", b"x", None), Err(DemoError::Write(_))));
    assert_eq!(fs::read(&path).unwrap(), b"{}\n");
}

#[test]
fn a_folder_that_holds_anything_is_refused() {
    let temp = TempDir::new("writing");
    DemoWriter::create(temp.path()).unwrap();
    let file = temp.write("precious", "x");
    assert!(matches!(DemoWriter::create(temp.path()), Err(DemoError::NotEmpty { .. })));
    assert!(matches!(DemoWriter::create(&file), Err(DemoError::NotAFolder { .. })));
}

#[test]
fn no_path_leads_out() {
    let temp = TempDir::new("writing");
    let writer = DemoWriter::create(temp.path()).unwrap();
    for path in ["../x", "/tmp/x", "a/../../x", "", "."] {
        assert!(matches!(writer.write(path, b"", None), Err(DemoError::Outside { .. })), "{path}");
    }
}
