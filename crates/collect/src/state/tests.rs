//! States are read as they were saved, also those of earlier releases, and a store keeps its id where it goes.

use super::*;
use annals_testkit::temp::TempDir;

const HERE: &str = "/here";

fn load(path: &Path, root: &str) -> SinkState {
    let mut state = SinkState::load(path).unwrap();
    state.choose_store(Path::new(root), |_| None);
    state
}

fn entry(generation: i64) -> FileEntry {
    let stamp = FileStamp { identity: -5, bytes: 9, modified: i64::MAX };
    let taken = Cursor { offset: 9, lines: 2, prefix: i64::MIN, ..Cursor::start(stamp) };
    FileEntry { generation, taken, open: Some(OpenLine::Torn), gone: Some(-1) }
}

#[test]
fn what_is_saved_is_read_and_what_is_not_ours_is_refused() {
    let folder = TempDir::new("state");
    let path = folder.path().join("collect/sink.json");
    let mut state = load(&path, HERE);
    let generation = state.new_generation(100);
    assert_eq!((generation, state.new_generation(100)), (100, 101));
    state.files_mut().insert("projects/-a \"b\"/s.jsonl".to_owned(), entry(generation));
    state.has_acknowledged = true;
    state.save().unwrap();
    assert_eq!(load(&path, HERE), state);
    let elsewhere = load(&path, "/elsewhere");
    assert_eq!((elsewhere.files().len(), elsewhere.generation), (0, 101));
    elsewhere.save().unwrap();
    assert_eq!(load(&path, HERE), state);

    for version in [1, 5] {
        folder.write("collect/sink.json", format!("{{\"version\":{version}}}"));
        let error = SinkState::load(&path).unwrap_err();
        assert!(matches!(error, CollectError::UnknownVersion { version: said, .. } if said == version));
    }
    for damage in [
        "",
        "{",
        "{\"version\":4,\"sequence\":0,\"generation\":0,\"stores\":{\"a\":{\"b\":{}}}}",
        "{\"version\":3,\"sequence\":0,\"generation\":0,\"stores\":{\"a\":{\"b\":{}}}}",
        "{\"version\":2,\"sequence\":0,\"generation\":0,\"files\":{\"a\":{}}}",
    ] {
        folder.write("collect/sink.json", damage);
        assert!(matches!(SinkState::load(&path), Err(CollectError::Damaged { .. })), "{damage}");
    }
}

#[test]
fn a_store_that_was_moved_keeps_its_id_and_another_one_at_its_old_path_gets_its_own() {
    let folder = TempDir::new("state");
    let path = folder.path().join("sink.json");
    let mut state = load(&path, HERE);
    state.files_mut().insert("a".to_owned(), entry(1));
    state.save().unwrap();
    let id = state.store().to_owned();
    let stamp = FileStamp { identity: 1, bytes: 2, modified: 3 };
    let mut moved = SinkState::load(&path).unwrap();
    moved.choose_store(Path::new("/there"), |_| Some(vec![("a".to_owned(), stamp)]));
    assert_eq!((moved.store(), moved.files()["a"].taken.stamp), (id.as_str(), stamp));
    moved.save().unwrap();
    assert_eq!(load(&path, "/there").store(), id);
    let mut other = load(&path, HERE);
    assert!(other.store() != id && other.files().is_empty());
    other.files_mut().insert("b".to_owned(), entry(2));
    other.save().unwrap();
    assert_eq!(load(&path, HERE).store(), other.store());
    assert_eq!(load(&path, "/there").store(), id);
}

const CURSOR: &str =
    "{\"offset\":1,\"lines\":1,\"identity\":7,\"bytes\":1,\"modified\":1,\"prefix\":1,\"tail\":1}";

#[test]
fn a_state_of_one_store_is_claimed_by_the_store_that_has_its_files() {
    let folder = TempDir::new("state");
    let entry = format!("{{\"generation\":5,\"taken\":{CURSOR}}}");
    let files = format!("{{\"a\":{entry},\"b\":{entry}}}");
    let text = format!("{{\"version\":2,\"sequence\":3,\"generation\":5,\"files\":{files}}}");
    let path = folder.write("collect/sink.json", text);
    let other = load(&path, "/other");
    assert_eq!((other.sequence, other.files().len()), (3, 0));
    other.save().unwrap();
    let mut here = SinkState::load(&path).unwrap();
    let has_b = |store: &StoreState| (store.files["b"].taken.stamp.identity == 7).then(Vec::new);
    here.choose_store(Path::new(HERE), has_b);
    assert_eq!((here.sequence, here.files().len()), (3, 2));
    assert_ne!(here.store(), UNKNOWN_STORE);
    here.save().unwrap();
    assert_eq!(load(&path, HERE), here);
    assert_eq!(load(&path, "/other").files().len(), 0);
}

#[test]
fn the_stores_of_an_earlier_state_keep_their_ids_and_deletions_are_still_to_be_sent() {
    let folder = TempDir::new("state");
    let id = short(HERE.as_bytes());
    let entry = format!("{{\"generation\":5,\"taken\":{CURSOR},\"gone\":77}}");
    let stores = format!("{{\"{id}\":{{\"a\":{entry}}}}}");
    let text = format!("{{\"version\":3,\"sequence\":3,\"generation\":5,\"stores\":{stores}}}");
    let path = folder.write("collect/sink.json", text);
    let here = load(&path, HERE);
    assert_eq!((here.store(), here.files()["a"].gone), (id.as_str(), None));
    assert!(!here.has_acknowledged);
}
