//! Cached summaries are used while their files are unchanged, and the cache is rebuilt when it cannot be read.

use std::fs;
use std::path::{Path, PathBuf};

use annals_index::cursor::FileStamp;
use annals_index::{FileSummary, Index, SUMMARY_FORMAT, SummaryCache, SummaryKind};
use annals_store::digest::short;
use annals_store::lock::FileLock;
use annals_store::usage::{UsageFile, read_activity, read_trail};
use annals_store::{ConfigDir, DataDir, Store};
use annals_testkit::home::Home;
use annals_transcript::pack::packed;

/// When summaries are stored, in milliseconds since 1970.
const NOW: i64 = 1_000_000;

const LOOK: FileStamp = FileStamp { identity: -7, bytes: 1 << 40, modified: (NOW - 3000) * 1_000_000 };

struct Bench {
    _home: Home,
    config: ConfigDir,
    data: DataDir,
}

impl Bench {
    fn new() -> Self {
        let home = Home::new();
        let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
        Self { _home: home, config, data }
    }

    fn briefs(&self, kind: SummaryKind) -> SummaryCache {
        SummaryCache::of(&self.config, &self.data, kind)
    }

    fn keep(&self, made: &[(&str, FileStamp, &[u8])], there: &[&str]) {
        let made: Vec<_> = made
            .iter()
            .map(|(file, stamp, content)| FileSummary {
                file: file.into(),
                stamp: *stamp,
                content: content.to_vec(),
            })
            .collect();
        let there: Vec<PathBuf> = there.iter().map(PathBuf::from).collect();
        self.briefs(SummaryKind::Activity).keep(&made, &there, &self.data, NOW).unwrap();
    }

    fn get(&self, file: &str, stamp: &FileStamp) -> Option<Vec<u8>> {
        self.briefs(SummaryKind::Activity).get(Path::new(file), stamp).map(<[u8]>::to_vec)
    }

    fn path(&self) -> PathBuf {
        Index::path_of(&self.config, &self.data).with_extension("briefs")
    }
}

#[test]
fn a_brief_is_that_of_the_file_as_it_was() {
    let bench = Bench::new();
    assert_eq!(bench.get("a", &LOOK), None);
    bench.keep(&[], &[]);
    assert!(!bench.path().exists(), "nothing to keep makes no file");
    bench.keep(&[("a", LOOK, b"one"), ("b", LOOK, b"two")], &["a", "b"]);
    assert_eq!(bench.get("a", &LOOK).unwrap(), b"one");
    for other in [
        FileStamp { bytes: LOOK.bytes + 1, ..LOOK },
        FileStamp { identity: 7, ..LOOK },
        FileStamp { modified: LOOK.modified + 1, ..LOOK },
    ] {
        assert_eq!(bench.get("a", &other), None, "{other:?}");
    }
    assert_eq!(bench.briefs(SummaryKind::Tools).get(Path::new("a"), &LOOK), None, "that is of another kind");
    // A new one replaces it, and those of deleted files are removed.
    let later = FileStamp { bytes: 5, ..LOOK };
    bench.keep(&[("a", later, b"three")], &["a"]);
    assert_eq!((bench.get("a", &LOOK), bench.get("a", &later)), (None, Some(b"three".to_vec())));
    assert_eq!(bench.get("b", &LOOK), None);
}

#[test]
fn a_file_that_was_just_written_is_read_again() {
    let bench = Bench::new();
    let fresh = FileStamp { modified: (NOW - 1500) * 1_000_000, ..LOOK };
    let ahead = FileStamp { modified: (NOW + 9000) * 1_000_000, ..LOOK };
    bench.keep(&[("a", fresh, b"one"), ("b", ahead, b"two"), ("c", LOOK, b"three")], &["a", "b", "c"]);
    let kept =
        [("a", fresh), ("b", ahead), ("c", LOOK)].map(|(file, stamp)| bench.get(file, &stamp).is_some());
    assert_eq!(kept, [false, false, true]);
}

#[test]
fn what_cannot_be_read_is_made_anew() {
    let bench = Bench::new();
    let damages: [&dyn Fn(&Path); 4] = [
        &|path| fs::write(path, "this is no database, whatever its name says").unwrap(),
        &|path| fs::remove_file(path).unwrap(),
        &|path| {
            let database = rusqlite::Connection::open(path).unwrap();
            database.execute_batch("PRAGMA user_version = 999").unwrap();
        },
        // The first page is intact, the others are not.
        &|path| {
            let mut bytes = fs::read(path).unwrap();
            bytes[8192..].fill(0xa5);
            fs::write(path, bytes).unwrap();
        },
    ];
    for (at, damage) in damages.iter().enumerate() {
        bench.keep(&[("a", LOOK, b"one")], &["a"]);
        assert!(bench.get("a", &LOOK).is_some(), "{at}");
        damage(&bench.path());
        assert_eq!(bench.get("a", &LOOK), None, "{at}");
        bench.keep(&[("a", LOOK, b"two")], &["a"]);
        assert_eq!(bench.get("a", &LOOK).unwrap(), b"two", "{at}");
    }
    Index::remove(&bench.config, &bench.data).unwrap();
    assert!(!bench.path().exists(), "it goes with the index");
}

#[test]
fn while_another_writes_nothing_is_kept() {
    let bench = Bench::new();
    bench.keep(&[("a", LOOK, b"one")], &["a"]);
    let lock = FileLock::try_take(&bench.data, &bench.path()).unwrap().unwrap();
    bench.keep(&[("b", LOOK, b"two")], &["a", "b"]);
    drop(lock);
    assert_eq!((bench.get("a", &LOOK).is_some(), bench.get("b", &LOOK)), (true, None));
}

/// Summaries of an earlier build are used by this one: they must say the same of the same files.
#[test]
fn what_is_made_of_files_is_of_this_form() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(6), ..annals_demo::Plan::default() });
    let files = UsageFile::all(&Store::open(home.config_dir()).discover());
    let mut all = Vec::new();
    for file in &files {
        all.extend(packed(&read_activity(file).unwrap()));
        all.extend(packed(&read_trail(&file.entry).unwrap()));
    }
    let made = (SUMMARY_FORMAT, files.len(), all.len(), short(&all));
    assert_eq!(
        made,
        (2, 54, 139_362, "3bdf28b96cdecde2".to_owned()),
        "unless the made-up store is another: raise BRIEF_FORM"
    );
}
