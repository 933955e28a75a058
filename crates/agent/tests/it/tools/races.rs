//! F23: files that change between a look and a change, and paths that lead elsewhere meanwhile.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_agent::tools::{Checkpoints, Edit, Ground, Read, Write};

use super::{Bench, Text, refused, run, run_agreed};

/// Does something at the last moment: after all checks, before the change.
struct AtTheLastMoment<F>(F);

impl<F: Fn(&Path) + Send + Sync> Checkpoints for AtTheLastMoment<F> {
    fn before_change(&self, path: &Path) -> Result<(), String> {
        (self.0)(path);
        Ok(())
    }
}

fn with(bench: &mut Bench, moment: impl Fn(&Path) + Send + Sync + 'static) {
    let checkpoints = Box::new(AtTheLastMoment(moment));
    bench.ground = Arc::new(Ground::new(bench.ground.workspace.clone(), checkpoints, Box::new(())));
}

const EDIT: [(&str, super::Arg<'static>); 3] =
    [("file_path", Text("a.txt")), ("old_string", Text("old")), ("new_string", Text("new"))];

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_not_edited() {
    let bench = Bench::new();
    bench.write("a.txt", "old");
    run(&Read::new(bench.ground.clone()), &EDIT[..1]).await;
    // The same length, perhaps the same time: only the bytes tell.
    bench.write("a.txt", "0ld old");
    bench.write("a.txt", "odl");
    refused(&run(&Edit::new(bench.ground.clone()), &EDIT).await, "modified since it was read");
    let args = [("file_path", Text("a.txt")), ("content", Text("x"))];
    refused(&run(&Write::new(bench.ground.clone()), &args).await, "modified since it was read");
    assert_eq!(bench.bytes("a.txt"), b"odl");
}

#[tokio::test]
async fn a_file_that_was_only_touched_is_edited() {
    let bench = Bench::new();
    bench.write("a.txt", "old");
    run(&Read::new(bench.ground.clone()), &EDIT[..1]).await;
    bench.write("a.txt", "old");
    assert!(!run(&Edit::new(bench.ground.clone()), &EDIT).await.is_error);
}

#[tokio::test]
async fn a_file_that_changes_at_the_last_moment_is_left_alone() {
    let mut bench = Bench::new();
    bench.write("a.txt", "old");
    with(&mut bench, |path| fs::write(path, "theirs").unwrap());
    run(&Read::new(bench.ground.clone()), &EDIT[..1]).await;
    refused(&run(&Edit::new(bench.ground.clone()), &EDIT).await, "changed meanwhile");
    assert_eq!(bench.bytes("a.txt"), b"theirs");
    assert_eq!(fs::read_dir(bench.work()).unwrap().count(), 1, "something was left beside it");
}

#[tokio::test]
async fn a_file_that_appears_at_the_last_moment_is_left_alone() {
    let mut bench = Bench::new();
    with(&mut bench, |path| fs::write(path, "theirs").unwrap());
    let args = [("file_path", Text("a.txt")), ("content", Text("ours"))];
    refused(&run(&Write::new(bench.ground.clone()), &args).await, "changed meanwhile");
    assert_eq!(bench.bytes("a.txt"), b"theirs");
}

#[tokio::test]
async fn a_file_that_becomes_a_link_is_no_way_out() {
    let mut bench = Bench::new();
    let outside = bench.temp.write("outside.txt", "old");
    bench.write("a.txt", "old");
    let target = outside.clone();
    with(&mut bench, move |path| {
        fs::remove_file(path).unwrap();
        symlink(&target, path).unwrap();
    });
    run(&Read::new(bench.ground.clone()), &EDIT[..1]).await;
    assert!(run(&Edit::new(bench.ground.clone()), &EDIT).await.is_error);
    assert_eq!(fs::read(&outside).unwrap(), b"old", "the edit escaped through a link");
}

#[tokio::test]
async fn a_folder_that_becomes_a_link_is_no_way_out() {
    let mut bench = Bench::new();
    let outside = bench.temp.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::create_dir(bench.work().join("sub")).unwrap();
    let target = outside.clone();
    with(&mut bench, move |path| {
        let folder: PathBuf = path.parent().unwrap().to_path_buf();
        fs::remove_dir(&folder).unwrap();
        symlink(&target, &folder).unwrap();
    });
    let args = [("file_path", Text("sub/a.txt")), ("content", Text("ours"))];
    assert!(run(&Write::new(bench.ground.clone()), &args).await.is_error);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "the file escaped through a link");
}

#[tokio::test]
async fn a_path_that_leads_elsewhere_than_agreed_is_not_written() {
    let bench = Bench::new();
    let outside = bench.temp.write("outside.txt", "old");
    let agreed = bench.work().join("a.txt");
    symlink(&outside, &agreed).unwrap();
    let args = [("file_path", Text("a.txt")), ("content", Text("ours"))];
    refused(
        &run_agreed(&Write::new(bench.ground.clone()), &args, Some(&agreed)).await,
        "does not lead any more",
    );
    assert_eq!(fs::read(&outside).unwrap(), b"old");
}
