//! Missing and unreadable files and folders; reading in bounded memory.

use std::ops::ControlFlow;

use annals_store::read::{ReadError, read_file, read_file_if_there, stream_lines};
use annals_testkit::temp::TempDir;

#[test]
fn missing_files_and_folders_have_their_own_errors() {
    let temp = TempDir::new("reading");
    let missing = temp.path().join("missing.jsonl");
    assert!(matches!(read_file(&missing), Err(ReadError::NotFound { .. })));
    assert!(matches!(read_file(&missing.join("below")), Err(ReadError::NotFound { .. })));
    assert!(read_file_if_there(&missing).unwrap().is_none());
    assert!(matches!(read_file(temp.path()), Err(ReadError::IsDirectory { .. })));
    let go_on = |_: annals_transcript::line::Line<'_>| ControlFlow::<()>::Continue(());
    assert!(matches!(stream_lines(temp.path(), go_on), Err(ReadError::IsDirectory { .. })));
    let file = temp.write("file.jsonl", "x");
    assert!(matches!(read_file(&file.join("below")), Err(ReadError::NotFound { .. })));
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_says_so() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let temp = TempDir::new("reading");
    let file = temp.write("secret.jsonl", "x");
    set_permissions(&file, Permissions::from_mode(0o000)).unwrap();
    match read_file(&file) {
        Err(error) => assert!(matches!(error, ReadError::NoPermission { .. }), "{error}"),
        // Root reads everything; the unit test of `ReadError::new` covers the mapping.
        Ok(bytes) => assert_eq!(bytes, b"x"),
    }
}

#[test]
fn the_lines_of_a_stream_are_the_file() {
    let temp = TempDir::new("reading");
    let mut text = String::new();
    for number in 0..50_000 {
        text.push_str(&format!("{{\"line\":{number}}}\n"));
    }
    text.push_str("torn");
    let file = temp.write("large.jsonl", &text);
    let mut again = Vec::new();
    let end = stream_lines(&file, |line| {
        again.extend_from_slice(line.raw());
        ControlFlow::<()>::Continue(())
    });
    assert!(end.unwrap().is_none());
    assert_eq!(again, text.as_bytes());
}
