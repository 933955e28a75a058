//! Sessions of several stores: the picker offers them all, and one of another store is resumed there, with all that it writes.

use std::path::{Path, PathBuf};

use annals_store::project_slug;
use annals_testkit::builder::Session;

use super::{ChatFixture, MODEL};

const APPLES: &str = "aaaa0000-1111-4222-8333-444444444444";
const BEETS: &str = "bbbb0000-1111-4222-8333-444444444444";
const SCRIPT: &str = r#"{
    "hello":[[{"type":"text","text":"Hello again."}]],
    "todo":[[{"type":"tool_use","name":"TodoWrite","input":{"todos":[
                {"content":"Dig the beets","status":"in_progress","activeForm":"Digging"}]}}],
            [{"type":"text","text":"Noted."}]],
    "new":[[{"type":"text","text":"A fresh start."}]]}"#;

/// Two stores with a session of the same folder each.
fn two_stores(fixture: &ChatFixture) -> (PathBuf, PathBuf) {
    let work = fixture.home.work_dir().canonicalize().unwrap().display().to_string();
    let (first, second) = (fixture.home.config_dir(), fixture.home.path().join("second"));
    for (store, id, plant) in [(&first, APPLES, "apples"), (&second, BEETS, "beets")] {
        let session = Session::new().id(id).folder(&work).prompt(&format!("Water the {plant}")).reply("Wet.");
        let file = store.join(format!("projects/{}/{id}.jsonl", project_slug(&work)));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, session.into_bytes()).unwrap();
    }
    (first, second)
}

/// The session files of a store, and whether it has todos of a session.
fn sessions(store: &Path) -> Vec<String> {
    let projects = std::fs::read_dir(store.join("projects")).unwrap();
    let files = projects.flatten().flat_map(|project| std::fs::read_dir(project.path()).unwrap());
    let mut names: Vec<_> =
        files.flatten().map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(".jsonl"));
    names.sort();
    names
}

#[test]
fn a_session_of_another_store_is_resumed_there() {
    let fixture = ChatFixture::new(SCRIPT);
    let (first, second) = two_stores(&fixture);
    let stores = ["--config-dir", first.to_str().unwrap(), "--config-dir", second.to_str().unwrap()];
    let program = [
        &[env!("CARGO_BIN_EXE_annals")],
        &stores[..],
        &["chat", "--plain", "--model", MODEL, "--resume", APPLES],
    ]
    .concat();
    let make = |setsid: &str| fixture.command(setsid);
    let mut terminal = annals_testkit::terminal::Terminal::run(make, &program, (100, 40));
    terminal.sees(&format!("session {APPLES} · resumed"));
    terminal.press("/resume\r");
    terminal.sees("Water the apples");
    terminal.sees("Water the beets");
    terminal.sees("resume which session?");
    let text = terminal.text();
    let line = text.lines().find(|line| line.contains("Water the beets")).unwrap().trim_start();
    assert!(line.contains("second"), "the other store is named: {line}");
    let number = line.split_whitespace().next().unwrap().to_owned();
    terminal.press(&format!("{number}\r"));
    terminal.sees(&format!("session {BEETS} · resumed"));
    terminal.press("@@todo@@\r");
    terminal.sees("Noted.");
    terminal.ends_with(">");
    // A new session is one of the store that is in use by now.
    terminal.press("/clear\r");
    terminal.sees("· new · /help");
    terminal.press("@@new@@\r");
    terminal.sees("A fresh start.");
    terminal.ends_with(">");
    // Back by its name, and nothing was lost.
    terminal.press(&format!("/resume {APPLES}\r"));
    terminal.sees_times(&format!("session {APPLES} · resumed"), 2);
    terminal.press("@@hello@@\r");
    terminal.sees("Hello again.");
    terminal.ends_with(">");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    assert_eq!(sessions(&first), [format!("{APPLES}.jsonl")], "{:?}", sessions(&second));
    assert_eq!(sessions(&second).len(), 2);
    let read = |store: &Path, id: &str| {
        let name = format!("{id}.jsonl");
        let projects = std::fs::read_dir(store.join("projects")).unwrap().flatten();
        let file = projects.map(|project| project.path().join(&name)).find(|path| path.exists()).unwrap();
        std::fs::read_to_string(file).unwrap()
    };
    assert!(read(&first, APPLES).contains("Hello again.") && !read(&first, APPLES).contains("Noted."));
    assert!(read(&second, BEETS).contains("Noted."));
    let todos = |store: &Path| std::fs::read_dir(store.join("todos")).into_iter().flatten().count();
    assert_eq!((todos(&first), todos(&second)), (0, 1), "what belongs to a session is in its store");
}

#[test]
fn a_session_that_is_not_resumed_leaves_the_store_in_use() {
    let fixture = ChatFixture::new(SCRIPT);
    let (first, second) = two_stores(&fixture);
    let stores = ["--config-dir", first.to_str().unwrap(), "--config-dir", second.to_str().unwrap()];
    let program = [
        &[env!("CARGO_BIN_EXE_annals")],
        &stores[..],
        &["chat", "--plain", "--model", MODEL, "--resume", APPLES],
    ]
    .concat();
    let make = |setsid: &str| fixture.command(setsid);
    let mut terminal = annals_testkit::terminal::Terminal::run(make, &program, (100, 40));
    terminal.sees(&format!("session {APPLES} · resumed"));
    terminal.press("/resume nothing like it\r");
    terminal.sees("no session");
    terminal.press("/resume\r");
    terminal.sees("resume which session?");
    terminal.press("\r");
    terminal.press("@@todo@@\r");
    terminal.sees("Noted.");
    terminal.ends_with(">");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    assert!(first.join("todos").exists() && !second.join("todos").exists());
}
