//! Paths that are not UTF-8 are noted in full.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use annals_store::changes::{Change, apply};
use annals_store::journal::Journal;
use annals_store::{ConfigDir, DataDir};
use annals_testkit::source::CountingSource;
use annals_testkit::temp::TempDir;
use annals_testkit::tree::exact_tree;

#[test]
fn a_store_and_files_with_odd_names_come_back() {
    let temp = TempDir::new("names");
    // Two names that read the same when their bytes are replaced by a mark.
    for folder in [&b"c\xffnf"[..], b"c\xfenf"] {
        let store = temp.path().join(OsStr::from_bytes(folder));
        let data = DataDir::new(temp.path().join(OsStr::from_bytes(b"d\xffta")));
        let project = store.join("projects/-p");
        if fs::create_dir_all(&project).is_err() {
            annals_testkit::skipped("a_store_and_files_with_odd_names_come_back", "names must be UTF-8 here");
            return;
        }
        let odd = [&b"agent-\xff\xfe.jsonl"[..], b"agent-\xff\xfd.jsonl", b"s.jsonl"];
        let paths = odd.map(|name| project.join(OsStr::from_bytes(name)));
        paths.iter().enumerate().for_each(|(at, path)| fs::write(path, format!("{at}\n")).unwrap());
        let before = exact_tree(&store);
        let mut go = |_| std::ops::ControlFlow::Continue(());
        let changes = [
            Change::Discard { path: paths[0].clone() },
            Change::Rewrite { path: paths[1].clone(), bytes: b"x\n".to_vec().into() },
            Change::Move { from: paths[2].clone(), to: project.join(OsStr::from_bytes(b"m\xff")) },
            Change::Create {
                path: project.join(OsStr::from_bytes(b"n\xff")),
                bytes: b"y\n".to_vec().into(),
                mode: None,
            },
        ];
        let source = CountingSource::default();
        let entry = apply(&changes, "x", &store, &data, &source, &mut go).unwrap();
        assert_ne!(exact_tree(&store), before);
        let journal = Journal::new(&data);
        let read = journal.entries().remove(0);
        assert_eq!(read, entry);
        assert!(read.is_of(&ConfigDir::new(&store)));
        journal.undo(read).unwrap();
        assert_eq!(exact_tree(&store), before);
        fs::remove_dir_all(data.path()).unwrap();
    }
}
