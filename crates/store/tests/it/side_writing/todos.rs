//! Todo lists: the client's format, unknown fields kept, invalid items and names rejected.

use std::fs;

use annals_store::todos::{ItemError, TodoItem, TodoStatus, list_bytes, todo_lists, write};
use annals_store::{AgentKey, SessionKey, Store, plans, session_env};

use super::{WRONG_NAMES, empty, expect_mode, names};

#[test]
fn a_list_is_written_as_the_client_writes_it() {
    let (_temp, config) = empty();
    let mut first = TodoItem::new("one \"1\"", TodoStatus::InProgress);
    first.active_form = Some("doing one".to_owned());
    let items = [first, TodoItem::new("two", TodoStatus::Pending)];
    let (session, agent) = (SessionKey::from("s1"), AgentKey::from("a1"));
    let written = write(&config, &session, &agent, &items).unwrap();
    let expected = concat!(
        "[\n  {\n    \"content\": \"one \\\"1\\\"\",\n    \"status\": \"in_progress\",\n    \"activeForm\": \"doing one\"\n  },\n",
        "  {\n    \"content\": \"two\",\n    \"status\": \"pending\"\n  }\n]",
    );
    assert_eq!(fs::read_to_string(&written.path).unwrap(), expected);
    assert_eq!(written.path, config.path().join("todos/s1-agent-a1.json"));
    assert_eq!((written.bytes_before, written.bytes_after), (0, expected.len() as u64));
    expect_mode(&written.path, 0o600);
    expect_mode(&config.todos(), 0o700);
    let again = write(&config, &session, &agent, &[]).unwrap();
    assert_eq!((again.bytes_before, again.bytes_after), (expected.len() as u64, 2));
    assert_eq!(names(&config.todos()), ["s1-agent-a1.json"]);
}

#[test]
fn what_an_item_has_no_name_for_is_kept_byte_for_byte() {
    let json = br#" [ {"x":[1.0,  {"deep":"\ud800"}],"status":"pending","content":"caf\u00e9","\u0079":1e3,"activeForm":null}, "text" ] "#;
    let mut items = TodoItem::list(json).unwrap();
    let unchanged = String::from_utf8(list_bytes(&items)).unwrap();
    let field = |line: &str| unchanged.lines().any(|seen| seen.trim().trim_end_matches(',') == line);
    for line in [
        r#""x": [1.0,  {"deep":"\ud800"}]"#,
        r#""content": "caf\u00e9""#,
        r#""\u0079": 1e3"#,
        r#""activeForm": null"#,
        r#""content": "text""#,
    ] {
        assert!(field(line), "{line} is not in\n{unchanged}");
    }
    items[0].status = TodoStatus::Completed;
    items[0].priority = Some("high".to_owned());
    let changed = unchanged.replacen("\"status\": \"pending\"", "\"status\": \"completed\"", 1).replacen(
        "\"activeForm\": null\n",
        "\"activeForm\": null,\n    \"priority\": \"high\"\n",
        1,
    );
    assert_eq!(String::from_utf8(list_bytes(&items)).unwrap(), changed);
}

#[test]
fn a_list_that_is_there_can_be_taken_further() {
    let (_temp, config) = empty();
    let old = r#"[{"content":"a","status":"pending","priority":"low","id":"7","mine":{"k":[ ]}}]"#;
    fs::create_dir(config.todos()).unwrap();
    fs::write(config.path().join("todos/s-agent-s.json"), old).unwrap();
    let (lists, _) = todo_lists(&Store::open(config.path()).discover());
    let mut items: Vec<TodoItem> = lists[0].items().0.iter().map(TodoItem::from).collect();
    items[0].status = TodoStatus::Completed;
    items[0].id = None;
    let written = write(&config, &lists[0].session, &lists[0].agent, &items).unwrap();
    let expected = "[\n  {\n    \"content\": \"a\",\n    \"status\": \"completed\",\n    \"priority\": \"low\",\n    \"mine\": {\"k\":[ ]}\n  }\n]";
    assert_eq!(fs::read_to_string(&written.path).unwrap(), expected);
}

#[test]
fn a_wrong_item_is_named_with_its_field() {
    let said = |json: &str| TodoItem::list(json.as_bytes()).unwrap_err().to_string();
    assert_eq!(said("[1"), "byte 2: not JSON");
    assert_eq!(said("{}"), "not a list of items");
    assert_eq!(said(r#"["a",7]"#), "item 2: neither a string nor an object");
    assert_eq!(said(r#"["a"," "]"#), "item 2: `content` is empty");
    assert_eq!(said(r#"[{"status":"pending"}]"#), "item 1: `content` is missing");
    assert_eq!(said(r#"[{"content":"a"}]"#), "item 1: `status` is missing");
    assert_eq!(said(r#"[{"content":"a","status":"pending","id":7}]"#), "item 1: `id` is not a string");
    let unknown = r#"["a",{"content":"a","status":"done"}]"#;
    assert_eq!(said(unknown), "item 2: `status` is \"done\", but must be pending, in_progress or completed");
    assert!(matches!(TodoItem::list(b"\"a\""), Err(ItemError::NotAList)));
}

#[test]
fn wrong_names_are_refused_and_nothing_is_written() {
    let (_temp, config) = empty();
    for name in WRONG_NAMES {
        assert!(write(&config, &name.into(), &"a".into(), &[]).is_err(), "{name}");
        assert!(write(&config, &"s".into(), &name.into(), &[]).is_err(), "{name}");
        assert!(plans::write(&config, name, "x").is_err(), "{name}");
        assert!(session_env::make(&config, &name.into()).is_err(), "{name}");
    }
    assert_eq!(names(config.path()), Vec::<String>::new());
}

#[test]
fn an_interrupted_replacement_leaves_the_old_list_and_the_next_one_goes_through() {
    let (_temp, config) = empty();
    let (session, agent) = (SessionKey::from("s"), AgentKey::from("s"));
    let path = write(&config, &session, &agent, &[TodoItem::new("old", TodoStatus::Pending)]).unwrap().path;
    let before = fs::read(&path).unwrap();
    // What a crash leaves behind: half of the new bytes, beside the old file. This process's own, and another's.
    for process in [std::process::id(), 1] {
        let beside = path.with_file_name(format!(".s-agent-s.json.{process}.annals-new"));
        fs::write(beside, "[\n  {\n    \"cont").unwrap();
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    let (lists, problems) = todo_lists(&Store::open(config.path()).discover());
    assert_eq!((lists.len(), problems.len()), (1, 0));
    write(&config, &session, &agent, &[]).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"[]");
    assert_eq!(names(&config.todos()), [".s-agent-s.json.1.annals-new", "s-agent-s.json"]);
}

#[cfg(unix)]
#[test]
fn a_disk_that_refuses_leaves_the_old_list() {
    let (_temp, config) = empty();
    let (session, agent) = (SessionKey::from("s"), AgentKey::from("s"));
    // A folder stands where the file should be: the rename fails, for root too.
    let path = config.todo(&session, &agent);
    fs::create_dir_all(path.join("inside")).unwrap();
    assert!(write(&config, &session, &agent, &[]).is_err());
    assert_eq!(names(&config.todos()), ["s-agent-s.json", "s-agent-s.json/inside"]);
}

#[test]
fn plans_and_environments_get_their_place_and_rights() {
    let (_temp, config) = empty();
    let plan = plans::write(&config, "calm-sea", "# Plan\n").unwrap();
    assert_eq!(plan.path, config.path().join("plans/calm-sea.md"));
    assert_eq!(fs::read(&plan.path).unwrap(), b"# Plan\n");
    assert_eq!(plans::write(&config, "calm-sea", "").unwrap().bytes_before, 7);
    assert_eq!(fs::read(&plan.path).unwrap(), b"");
    expect_mode(&plan.path, 0o600);
    expect_mode(&config.plans(), 0o700);
    let folder = session_env::make(&config, &"s1".into()).unwrap();
    assert_eq!(folder, config.path().join("session-env/s1"));
    expect_mode(&folder, 0o700);
    assert_eq!(session_env::make(&config, &"s1".into()).unwrap(), folder);
    assert_eq!(names(&folder), Vec::<String>::new());
}
