//! Passages, calls about files and projects, as agents ask for them.

use annals_index::MessageKind;
use annals_index::recall::{FileCallKind, PassageStart, ProjectSlugs};
use annals_testkit::builder::Session;
use annals_testkit::temp::TempDir;

use crate::refreshed;

const SESSION: &str = "aaaaaaaa-0000-4000-8000-000000000001";

fn store() -> (TempDir, annals_index::Index) {
    let folder = TempDir::new("recall");
    let edit = r#"{"file_path":"/w/zoo/src/lock.rs","old_string":"a","new_string":"b"}"#;
    let bytes = Session::new()
        .id(SESSION)
        .folder("/w/zoo")
        .prompt("one")
        .reply("two")
        .tool_use("Edit", edit)
        .tool_result("done")
        .tool_use("Read", r#"{"file_path":"/w/zoo/src/lock.rs"}"#)
        .tool_result("text")
        .prompt("three")
        .into_bytes();
    folder.write(format!("config/projects/-w-zoo/{SESSION}.jsonl"), &bytes);
    // A fork has the same calls again.
    folder.write("config/projects/-w-zoo/bbbbbbbb-0000-4000-8000-000000000002.jsonl", &bytes);
    let (index, _) = refreshed(&folder.path().join("config"), &folder.path().join("data"));
    (folder, index)
}

fn nowhere(_: &str, _: &str) -> Option<std::path::PathBuf> {
    None
}

#[test]
fn passages_are_read_forwards_and_backwards_in_their_order() {
    let (_folder, index) = store();
    let file = index.conversation(SESSION, None).unwrap().unwrap();
    let texts = |start, limit| -> Vec<String> {
        let passages = index.passages(&file, start, limit).unwrap();
        passages.iter().map(|passage| passage.text(&file, &mut nowhere).unwrap()).collect()
    };
    assert_eq!(texts(PassageStart::At { line: 1, block: 0 }, 2), ["one", "two"]);
    let all = texts(PassageStart::At { line: 1, block: 0 }, 100);
    assert_eq!((all.len(), all[6].as_str()), (7, "three"));
    assert_eq!(texts(PassageStart::Before { line: 7 }, 2), all[4..6]);
    assert_eq!(texts(PassageStart::At { line: 1, block: 1 }, 1), ["two"]);
    let third = index.passages(&file, PassageStart::At { line: 3, block: 0 }, 1).unwrap().remove(0);
    assert_eq!(index.line_of_record(&file, &third.uuid.unwrap()).unwrap(), Some(3));
    assert_eq!(index.line_of_record(&file, "").unwrap(), None);
    assert_eq!(index.line_of_record(&file, "ffffffff").unwrap(), None);
    assert_eq!(index.sessions_with_prefix("aaaaaaaa").unwrap(), [SESSION]);
    assert!(index.conversation(SESSION, Some("none")).unwrap().is_none());
}

#[test]
fn calls_about_a_file_are_found_by_the_end_of_its_path_and_count_once() {
    let (_folder, index) = store();
    let calls = |path: &str, kind| index.file_calls(path, kind, &ProjectSlugs::All).unwrap();
    for path in ["/w/zoo/src/lock.rs", "src/lock.rs", "lock.rs"] {
        assert_eq!(calls(path, FileCallKind::Changes).len(), 1, "{path}");
        assert_eq!(calls(path, FileCallKind::All).len(), 2, "{path}");
    }
    assert!(calls("ock.rs", FileCallKind::All).is_empty());
    let call = calls("lock.rs", FileCallKind::Changes).remove(0);
    assert_eq!((call.tool.as_str(), call.line, call.is_error), ("Edit", 3, false));
    let file = index.conversation(SESSION, None).unwrap().unwrap();
    let (prompt, reply) = index.reason_before(&file, call.line).unwrap();
    let (prompt, reply) = (prompt.unwrap(), reply.unwrap());
    assert_eq!((prompt.line, prompt.kind), (1, MessageKind::Prompt));
    assert_eq!((reply.line, reply.kind), (2, MessageKind::Response));
    let nothing = index.projects_named("farm").unwrap();
    assert!(
        nothing.is_empty() && index.file_calls("lock.rs", FileCallKind::All, &nothing).unwrap().is_empty()
    );
    let zoo = index.projects_named("/w/zoo").unwrap();
    assert!(zoo.has("-w-zoo") && index.recent_sessions(&zoo).unwrap().len() == 2);
}
