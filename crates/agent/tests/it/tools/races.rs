//! Files that change between a check and a write, and paths that change their target.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_agent::tools::{Checkpoints, Edit, Read, ToolContext, Write};

use super::{Fixture, Text, refused, run, run_agreed};

/// Does something at the last moment: after all checks, before the change.
struct AtTheLastMoment<F>(F);

impl<F: Fn(&Path) + Send + Sync> Checkpoints for AtTheLastMoment<F> {
    fn before_change(&self, path: &Path) -> Result<(), String> {
        (self.0)(path);
        Ok(())
    }
}

fn with(fixture: &mut Fixture, moment: impl Fn(&Path) + Send + Sync + 'static) {
    let checkpoints = Box::new(AtTheLastMoment(moment));
    fixture.context =
        Arc::new(ToolContext::new(fixture.context.workspace.clone(), checkpoints, Box::new(())));
}

const EDIT: [(&str, super::Arg<'static>); 3] =
    [("file_path", Text("a.txt")), ("old_string", Text("old")), ("new_string", Text("new"))];

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_not_edited() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "old");
    run(&Read::new(fixture.context.clone()), &EDIT[..1]).await;
    // The same length, perhaps the same time: only the bytes tell.
    fixture.write("a.txt", "0ld old");
    fixture.write("a.txt", "odl");
    refused(&run(&Edit::new(fixture.context.clone()), &EDIT).await, "modified since it was read");
    let args = [("file_path", Text("a.txt")), ("content", Text("x"))];
    refused(&run(&Write::new(fixture.context.clone()), &args).await, "modified since it was read");
    assert_eq!(fixture.bytes("a.txt"), b"odl");
}

#[tokio::test]
async fn a_file_that_was_only_touched_is_edited() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "old");
    run(&Read::new(fixture.context.clone()), &EDIT[..1]).await;
    fixture.write("a.txt", "old");
    assert!(!run(&Edit::new(fixture.context.clone()), &EDIT).await.is_error);
}

#[tokio::test]
async fn a_file_that_changes_at_the_last_moment_is_left_alone() {
    let mut fixture = Fixture::new();
    fixture.write("a.txt", "old");
    with(&mut fixture, |path| fs::write(path, "theirs").unwrap());
    run(&Read::new(fixture.context.clone()), &EDIT[..1]).await;
    refused(&run(&Edit::new(fixture.context.clone()), &EDIT).await, "changed in the meantime");
    assert_eq!(fixture.bytes("a.txt"), b"theirs");
    assert_eq!(fs::read_dir(fixture.work()).unwrap().count(), 1, "something was left beside it");
}

#[tokio::test]
async fn a_file_that_appears_at_the_last_moment_is_left_alone() {
    let mut fixture = Fixture::new();
    with(&mut fixture, |path| fs::write(path, "theirs").unwrap());
    let args = [("file_path", Text("a.txt")), ("content", Text("ours"))];
    refused(&run(&Write::new(fixture.context.clone()), &args).await, "changed in the meantime");
    assert_eq!(fixture.bytes("a.txt"), b"theirs");
}

#[tokio::test]
async fn a_file_that_becomes_a_link_is_no_way_out() {
    let mut fixture = Fixture::new();
    let outside = fixture.temp.write("outside.txt", "old");
    fixture.write("a.txt", "old");
    let target = outside.clone();
    with(&mut fixture, move |path| {
        fs::remove_file(path).unwrap();
        symlink(&target, path).unwrap();
    });
    run(&Read::new(fixture.context.clone()), &EDIT[..1]).await;
    assert!(run(&Edit::new(fixture.context.clone()), &EDIT).await.is_error);
    assert_eq!(fs::read(&outside).unwrap(), b"old", "the edit escaped through a link");
}

#[tokio::test]
async fn a_folder_that_becomes_a_link_is_no_way_out() {
    let mut fixture = Fixture::new();
    let outside = fixture.temp.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::create_dir(fixture.work().join("sub")).unwrap();
    let target = outside.clone();
    with(&mut fixture, move |path| {
        let folder: PathBuf = path.parent().unwrap().to_path_buf();
        fs::remove_dir(&folder).unwrap();
        symlink(&target, &folder).unwrap();
    });
    let args = [("file_path", Text("sub/a.txt")), ("content", Text("ours"))];
    assert!(run(&Write::new(fixture.context.clone()), &args).await.is_error);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "the file escaped through a link");
}

#[tokio::test]
async fn a_path_that_leads_elsewhere_than_agreed_is_not_written() {
    let fixture = Fixture::new();
    let outside = fixture.temp.write("outside.txt", "old");
    let agreed = fixture.work().join("a.txt");
    symlink(&outside, &agreed).unwrap();
    let args = [("file_path", Text("a.txt")), ("content", Text("ours"))];
    refused(&run_agreed(&Write::new(fixture.context.clone()), &args, Some(&agreed)).await, "no longer leads");
    assert_eq!(fs::read(&outside).unwrap(), b"old");
}
