//! Frames at 80×24 and 40×12, compared with files in `frames/`. With `ANNALS_BLESS` set, the files are written instead.

use annals_tui::{Answer, App, AppOptions, Change, SearchHit};

use crate::fixture::{
    answer, app, app_with, conversation, conversation_with, frame, garden, open, press, report, type_text,
};

const WIDE: (u16, u16) = (80, 24);
const NARROW: (u16, u16) = (40, 12);

#[track_caller]
fn check(name: &str, app: &App, size: (u16, u16)) {
    let path = format!("{}/tests/it/frames/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let seen = frame(app, size);
    if std::env::var_os("ANNALS_BLESS").is_some() {
        return std::fs::write(path, seen).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(seen == expected, "{name}: the frame is\n{seen}--- the file has\n{expected}---");
}

/// Both sizes, with the ends of the names of their frames.
const SIZES: [((u16, u16), &str); 2] = [(WIDE, "80x24"), (NARROW, "40x12")];

#[test]
fn the_list() {
    for (size, end) in SIZES {
        let mut app = app(size);
        check(&format!("list-{end}"), &app, size);
        press(&mut app, "j p");
        check(&format!("list-without-preview-{end}"), &app, size);
        press(&mut app, "p o");
        check(&format!("list-sorted-{end}"), &app, size);
    }
    // Wide enough for a preview beside the list, and high enough for one below.
    for (name, size) in [("list-120x30", (120, 30)), ("list-40x20", (40, 20))] {
        check(name, &app(size), size);
    }
}

#[test]
fn the_list_filtered_and_searched() {
    for (size, end) in SIZES {
        let mut app = app(size);
        press(&mut app, "/");
        type_text(&mut app, "sync");
        check(&format!("filter-{end}"), &app, size);
        press(&mut app, "enter");
        check(&format!("filter-set-{end}"), &app, size);
        press(&mut app, "esc s");
        type_text(&mut app, "tomatoes");
        check(&format!("search-typed-{end}"), &app, size);
        press(&mut app, "enter");
        let hit = |line, snippet: &str| SearchHit {
            session: "22220000-0000-4000-8000-000000000000".to_owned(),
            line,
            snippet: snippet.to_owned(),
            count: 2,
        };
        let hits = vec![hit(Some(12), "thirty beds of tomatoes"), hit(None, "tomatoes of a sub-agent")];
        answer(&mut app, Answer::Hits("tomatoes".to_owned(), Ok(hits)));
        check(&format!("search-{end}"), &app, size);
    }
}

#[test]
fn a_session_closed_and_open() {
    for (size, end) in SIZES {
        let mut reading = app(size);
        press(&mut reading, "enter");
        check(&format!("session-reading-{end}"), &reading, size);
        let mut app = app(size);
        open(&mut app, conversation(&garden()));
        check(&format!("session-{end}"), &app, size);
        press(&mut app, "j j j enter");
        check(&format!("session-fold-{end}"), &app, size);
        press(&mut app, "g T o");
        check(&format!("session-one-line-{end}"), &app, size);
        press(&mut app, "o / esc");
        check(&format!("session-full-{end}"), &app, size);
        press(&mut app, "G");
        check(&format!("session-end-{end}"), &app, size);
    }
}

#[test]
fn text_is_looked_for_in_a_session() {
    for (size, end) in SIZES {
        let mut app = app(size);
        open(&mut app, conversation(&garden()));
        press(&mut app, "/");
        type_text(&mut app, "bed 17");
        check(&format!("find-typed-{end}"), &app, size);
        press(&mut app, "enter");
        check(&format!("find-{end}"), &app, size);
        press(&mut app, "/");
        type_text(&mut app, "cucumbers");
        press(&mut app, "enter");
        check(&format!("find-nothing-{end}"), &app, size);
    }
}

#[test]
fn branches_in_the_session_and_in_the_tree() {
    let first = annals_testkit::builder::Session::new().prompt("Plant beans.").reply("Where?");
    let fork = first.last_uuid().unwrap().to_owned();
    let left = first.prompt("In the north.").reply("Done in the north.");
    let bytes = left.parent(Some(&fork)).prompt("In the south.").reply("Done in the south.").into_bytes();
    for (size, end) in SIZES {
        let mut app = app(size);
        open(&mut app, conversation(&bytes));
        check(&format!("branch-closed-{end}"), &app, size);
        press(&mut app, "v");
        check(&format!("tree-branch-{end}"), &app, size);
        press(&mut app, "j enter");
        check(&format!("branch-open-{end}"), &app, size);
    }
}

#[test]
fn a_session_without_unicode() {
    let mut app = app_with(AppOptions::new(false, |_| 60), WIDE);
    check("list-ascii-80x24", &app, WIDE);
    open(&mut app, conversation(&garden()));
    check("session-ascii-80x24", &app, WIDE);
    assert!(frame(&app, WIDE).is_ascii());
}

#[test]
fn a_sub_agent_in_its_place() {
    let main = annals_testkit::builder::Session::new()
        .prompt("Look around.")
        .tool_use("Task", r#"{"description":"Look","subagent_type":"Explore","prompt":"Find beds"}"#)
        .tool_result("30 beds")
        .reply("There are 30.")
        .into_bytes();
    let agent = annals_testkit::builder::Session::new()
        .sub_agent("a1")
        .prompt("Find beds")
        .tool_use("Grep", r#"{"pattern":"bed"}"#)
        .tool_result("beds.txt")
        .reply("30 beds")
        .into_bytes();
    let call = call_id(&main);
    for (size, end) in SIZES {
        let mut app = app(size);
        open(&mut app, conversation_with(&main, &[(&call, &agent)]));
        check(&format!("agent-closed-{end}"), &app, size);
        press(&mut app, "v");
        check(&format!("tree-{end}"), &app, size);
        press(&mut app, "j enter");
        check(&format!("agent-open-{end}"), &app, size);
    }
}

/// The id of the first tool call.
fn call_id(session: &[u8]) -> String {
    let text = String::from_utf8_lossy(session);
    let (_, after) = text.split_once(r#""type":"tool_use","id":""#).unwrap();
    after.split('"').next().unwrap().to_owned()
}

#[test]
fn usage_as_tables_and_as_a_calendar() {
    for (size, end) in SIZES {
        let mut app = app(size);
        press(&mut app, "U");
        answer(&mut app, Answer::Usage(Ok(report())));
        check(&format!("usage-days-{end}"), &app, size);
        press(&mut app, "tab");
        check(&format!("usage-models-{end}"), &app, size);
        press(&mut app, "tab tab");
        check(&format!("usage-calendar-{end}"), &app, size);
    }
}

#[test]
fn help_questions_and_messages() {
    for (size, end) in SIZES {
        let mut app = app(size);
        press(&mut app, "?");
        check(&format!("help-{end}"), &app, size);
        press(&mut app, "esc r");
        check(&format!("resume-{end}"), &app, size);
        press(&mut app, "esc");
        let change = Change::Trash { session: "/store/1111.jsonl".into() };
        let plan = (1..=30).map(|line| format!("trash file number {line} of a long list")).collect();
        answer(&mut app, Answer::Plan(change.clone(), Ok(plan)));
        check(&format!("confirm-{end}"), &app, size);
        press(&mut app, "y");
        answer(&mut app, Answer::Applied(change, Err("locked by another program".to_owned())));
        check(&format!("error-{end}"), &app, size);
    }
}

#[test]
fn what_is_typed_for_an_action() {
    for (size, end) in SIZES {
        let mut app = app(size);
        for (key, name) in [("t", "rename"), ("#", "tag"), ("x", "export")] {
            press(&mut app, key);
            check(&format!("{name}-{end}"), &app, size);
            press(&mut app, "esc");
        }
    }
}

#[test]
fn every_size_draws_without_a_panic() {
    for columns in [0, 1, 5, 19, 20, 21, 40, 41, 79, 110, 111, 300] {
        for rows in [0, 1, 3, 4, 5, 13, 14, 18, 100] {
            let size = (columns, rows);
            let mut app = app(size);
            frame(&app, size);
            for keys in ["?", "esc /", "esc r", "esc U", "tab", "tab tab", "esc"] {
                press(&mut app, keys);
                answer(&mut app, Answer::Usage(Ok(report())));
                frame(&app, size);
            }
            open(&mut app, conversation(&garden()));
            for keys in ["G", "o", "v", "j", "enter", "/", "esc", "ctrl-d", "ctrl-u", "g"] {
                press(&mut app, keys);
                frame(&app, size);
            }
        }
    }
}
