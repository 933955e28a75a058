//! Moved projects: everything of them is updated, nothing else is, the same to every client, reverted completely.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use annals_store::journal::{Journal, Stage};
use annals_store::{DataDir, Slug, Store};
use annals_surgery::apply::apply;
use annals_surgery::move_project::{CwdMode, MovePlan, MovePlanError, Projects, Route, plan};
use annals_surgery::verify::verify;
use annals_testkit::builder::Session;
use annals_testkit::corpus;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::steps::come_back_from_every_step;
use crate::tree;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const BELOW: &str = "3f2b0000-1111-4222-8333-444444444444";
const OTHER: &str = "3f2c0000-1111-4222-8333-444444444444";
const AGENT: &str = "a0123456789abcdef";

fn session(id: &str, folder: &str) -> Session {
    Session::new().id(id).folder(folder).prompt("look at /a/old/x").reply("seen")
}

/// A project at `/a/old` with one of everything, one below it, and a neighbour whose store folder could be that of a folder
/// below.
fn filled() -> Home {
    let home = Home::new();
    let output = home.config_dir().join(format!("projects/-a-old/{ID}/tool-results/b1.txt"));
    let output = output.to_string_lossy().into_owned();
    let main = session(ID, "/a/old")
        .tool_use("Bash", r#"{"command":"cat /a/old/x"}"#)
        .tool_result(&format!("saved to {output}"))
        .side("worktree-state", |object| {
            object.string("sessionId", ID);
            object.raw("worktreeSession", br#"{"originalCwd":"/a/old","worktreePath":"/a/old/w"}"#);
        })
        .folder("/a/old/deep")
        .prompt("two")
        .folder("/a/older")
        .reply("done")
        .raw(b"{\"cwd\":\"/a/old\",\"torn");
    home.write(format!("projects/-a-old/{ID}.jsonl"), main.into_bytes());
    home.write(format!("projects/-a-old/{ID}/tool-results/b1.txt"), "in /a/old");
    let agent = session(ID, "/a/old/w").sub_agent(AGENT);
    home.write(format!("projects/-a-old/{ID}/subagents/agent-{AGENT}.jsonl"), agent.into_bytes());
    home.write(
        format!("projects/-a-old/{ID}/subagents/agent-{AGENT}.meta.json"),
        r#"{"worktreePath":"/a/old/w"}"#,
    );
    home.write("projects/-a-old/memory/MEMORY.md", "remember /a/old");
    let index = format!(
        "{{\n  \"version\": 1,\n  \"entries\": [\n    {{\"sessionId\":\"{ID}\",\"fullPath\":\"/c/projects/-a-old/{ID}.jsonl\",\"projectPath\":\"/a/old\"}}\n  ],\n  \"originalPath\": \"/a/old\"\n}}"
    );
    home.write("projects/-a-old/sessions-index.json", index);
    home.write(format!("projects/-a-old-sub/{BELOW}.jsonl"), session(BELOW, "/a/old/sub").into_bytes());
    home.write(format!("projects/-a-old-sub/{OTHER}.jsonl"), session(OTHER, "/a/old-sub").into_bytes());
    // A sub-agent whose file is in another project.
    let away = session(ID, "/a/old").sub_agent("a9999999999999999");
    home.write("projects/-z/agent-a9999999999999999.jsonl", away.into_bytes());
    home.write(
        "history.jsonl",
        "{\"display\":\"x\",\"project\":\"/a/old\"}\nnothing\n{\"display\":\"/a/old\",\"project\":\"/a/older\"}\n{\"project\":\"/a/old/sub\"}\n",
    );
    home.write(format!("todos/{ID}-agent-{ID}.json"), "[]");
    home
}

fn planned(home: &Home, old: &str, new: &str, cwd: CwdMode) -> Result<MovePlan, MovePlanError> {
    let discovery = Store::open(home.config_dir()).discover();
    plan(&Projects::load(&discovery, Route::of_folders(old, new)?)?, cwd)
}

fn carry_out(home: &Home, moving: &MovePlan) {
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    apply(&moving.plan, &data, &source, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
}

fn text(home: &Home, relative: &str) -> String {
    let path = home.config_dir().join(relative);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn all_of_a_project_follows() {
    let home = filled();
    let old = text(&home, &format!("projects/-a-old/{ID}.jsonl"));
    let moving = planned(&home, "/a/old", "/b/new", CwdMode::Follows).unwrap();
    let mut sessions: Vec<_> = moving.sessions.iter().map(ToString::to_string).collect();
    sessions.sort();
    assert_eq!(sessions, [ID, BELOW]);
    let folders = [("-a-old", "-b-new"), ("-a-old-sub", "-b-new-sub")];
    assert_eq!(moving.folders, folders.map(|(old, new)| (Slug::from(old), Slug::from(new))));
    carry_out(&home, &moving);
    let new = text(&home, &format!("projects/-b-new/{ID}.jsonl"));
    let expected = old
        .replace(r#""cwd":"/a/old""#, r#""cwd":"/b/new""#)
        .replace(r#""cwd":"/a/old/deep""#, r#""cwd":"/b/new/deep""#)
        .replace(
            r#""originalCwd":"/a/old","worktreePath":"/a/old/w""#,
            r#""originalCwd":"/b/new","worktreePath":"/b/new/w""#,
        )
        .replace("projects/-a-old/", "projects/-b-new/")
        // A torn line stays as it is.
        .replace(r#"{"cwd":"/b/new","torn"#, r#"{"cwd":"/a/old","torn"#);
    assert_eq!(new, expected);
    assert!(
        new.contains("look at /a/old/x")
            && new.contains("cat /a/old/x")
            && new.contains(r#""cwd":"/a/older""#)
    );
    assert_eq!(text(&home, &format!("projects/-b-new/{ID}/tool-results/b1.txt")), "in /a/old");
    let agent = text(&home, &format!("projects/-b-new/{ID}/subagents/agent-{AGENT}.jsonl"));
    assert!(agent.contains(r#""cwd":"/b/new/w""#) && !agent.contains(r#""cwd":"/a/old"#));
    let meta = text(&home, &format!("projects/-b-new/{ID}/subagents/agent-{AGENT}.meta.json"));
    assert_eq!(meta, r#"{"worktreePath":"/b/new/w"}"#);
    assert_eq!(text(&home, "projects/-b-new/memory/MEMORY.md"), "remember /a/old");
    let index = text(&home, "projects/-b-new/sessions-index.json");
    assert!(
        !index.contains("-a-old")
            && !index.contains("/a/old")
            && index.contains(r#""originalPath": "/b/new""#)
    );
    assert!(text(&home, &format!("projects/-b-new-sub/{BELOW}.jsonl")).contains(r#""cwd":"/b/new/sub""#));
    assert!(text(&home, &format!("projects/-a-old-sub/{OTHER}.jsonl")).contains(r#""cwd":"/a/old-sub""#));
    assert!(text(&home, "projects/-z/agent-a9999999999999999.jsonl").contains(r#""cwd":"/b/new""#));
    let history = "{\"display\":\"x\",\"project\":\"/b/new\"}\nnothing\n{\"display\":\"/a/old\",\"project\":\"/a/older\"}\n{\"project\":\"/b/new/sub\"}\n";
    assert_eq!(text(&home, "history.jsonl"), history);
    assert!(!home.config_dir().join("projects/-a-old").exists());
}

#[test]
fn records_over_several_lines_that_are_left_are_told() {
    let home = Home::new();
    let lines = String::from_utf8(session(ID, "/a/old").into_bytes()).unwrap();
    let (first, rest) = lines.split_once('\n').unwrap();
    let spread = first.replacen(',', ",\n  ", 2);
    home.write(format!("projects/-a-old/{ID}.jsonl"), format!("{spread}\n{rest}"));
    let notes = planned(&home, "/a/old", "/b/new", CwdMode::Follows).unwrap().plan.notes;
    let told = notes.iter().filter(|note| note.starts_with("1 record over several lines still name")).count();
    assert_eq!(told, 1, "{notes:?}");
    let notes = planned(&filled(), "/a/old", "/b/new", CwdMode::Follows).unwrap().plan.notes;
    assert!(!notes.iter().any(|note| note.contains("several lines")), "{notes:?}");
}

#[test]
fn working_directories_stay_where_that_is_wanted() {
    let home = filled();
    let old = text(&home, &format!("projects/-a-old/{ID}.jsonl"));
    let moving = planned(&home, "/a/old", "/b/new", CwdMode::Kept).unwrap();
    carry_out(&home, &moving);
    let new = text(&home, &format!("projects/-b-new/{ID}.jsonl"));
    assert_eq!(new, old.replace("projects/-a-old/", "projects/-b-new/"));
    assert!(text(&home, "history.jsonl").starts_with("{\"display\":\"x\",\"project\":\"/b/new\"}"));
}

#[test]
fn sessions_are_as_old_as_before() {
    let home = filled();
    let path = home.config_dir().join(format!("projects/-a-old/{ID}.jsonl"));
    let time = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    let modified = |path: PathBuf| fs::metadata(path).unwrap().modified().unwrap();
    carry_out(&home, &planned(&home, "/a/old", "/b/new", CwdMode::Follows).unwrap());
    assert_eq!(modified(home.config_dir().join(format!("projects/-b-new/{ID}.jsonl"))), time);
    let data = DataDir::new(home.data_dir());
    let journal = Journal::new(&data);
    journal.undo(journal.entries().remove(0)).unwrap();
    assert_eq!(modified(path), time);
}

#[test]
fn a_folder_that_has_sessions_of_its_own_gets_more() {
    let home = filled();
    let own = session(OTHER, "/b/new").into_bytes();
    home.write(format!("projects/-b-new/{OTHER}.jsonl"), &own);
    home.write("projects/-b-new/memory/MEMORY.md", "mine");
    home.write("projects/-b-new/sessions-index.json", r#"{"version":1,"entries":[{"sessionId":"q"}]}"#);
    // What a worktree left there of the same session.
    home.write(format!("projects/-b-new/{ID}/tool-results/b2.txt"), "more");
    let moving = planned(&home, "/a/old", "/b/new", CwdMode::Follows).unwrap();
    carry_out(&home, &moving);
    assert_eq!(text(&home, &format!("projects/-b-new/{OTHER}.jsonl")).into_bytes(), own);
    for file in
        [format!("{ID}.jsonl"), format!("{ID}/tool-results/b1.txt"), format!("{ID}/tool-results/b2.txt")]
    {
        text(&home, &format!("projects/-b-new/{file}"));
    }
    assert_eq!(text(&home, "projects/-b-new/memory/MEMORY.md"), "mine");
    assert_eq!(text(&home, "projects/-b-new/memory/MEMORY-from-a-old.md"), "remember /a/old");
    let index = text(&home, "projects/-b-new/sessions-index.json");
    assert!(index.starts_with(r#"{"version":1,"entries":[{"sessionId":"q"},{"sessionId":"3f2a"#), "{index}");
    assert!(tree(&home.config_dir().join("projects/-a-old")).is_empty());
}

#[test]
fn a_rename_that_the_store_cannot_tell_changes_lines_alone() {
    let home = Home::new();
    home.write(format!("projects/-a-my-app/{ID}.jsonl"), session(ID, "/a/my_app").into_bytes());
    home.write(format!("projects/-a-my-app/{OTHER}.jsonl"), session(OTHER, "/a/my.app").into_bytes());
    let moving = planned(&home, "/a/my_app", "/a/my-app", CwdMode::Follows).unwrap();
    assert!(moving.plan.changes.is_empty());
    carry_out(&home, &moving);
    assert!(text(&home, &format!("projects/-a-my-app/{ID}.jsonl")).contains(r#""cwd":"/a/my-app""#));
    assert!(text(&home, &format!("projects/-a-my-app/{OTHER}.jsonl")).contains(r#""cwd":"/a/my.app""#));
    // From such a folder only its own files move.
    let moving = planned(&home, "/a/my.app", "/b", CwdMode::Follows).unwrap();
    carry_out(&home, &moving);
    text(&home, &format!("projects/-b/{OTHER}.jsonl"));
    text(&home, &format!("projects/-a-my-app/{ID}.jsonl"));
}

#[test]
fn a_folder_of_the_store_goes_by_its_name() {
    let home = Home::new();
    home.write("projects/-odd/empty.jsonl", "");
    home.write(format!("projects/-odd/{ID}.jsonl"), session(ID, "/a/old").into_bytes());
    let discovery = Store::open(home.config_dir()).discover();
    let route = Route::of_slug("-odd".into(), Some("/a/old"), "/b/new").unwrap();
    let moving = plan(&Projects::load(&discovery, route).unwrap(), CwdMode::Follows).unwrap();
    carry_out(&home, &moving);
    assert_eq!(text(&home, "projects/-b-new/empty.jsonl"), "");
    assert!(text(&home, &format!("projects/-b-new/{ID}.jsonl")).contains(r#""cwd":"/b/new""#));
    // Renamed by hand before: the lines change in place.
    home.write(format!("projects/-c-there/{OTHER}.jsonl"), session(OTHER, "/c/here").into_bytes());
    let moving = planned(&home, "/c/here", "/c/there", CwdMode::Follows).unwrap();
    carry_out(&home, &moving);
    assert!(text(&home, &format!("projects/-c-there/{OTHER}.jsonl")).contains(r#""cwd":"/c/there""#));
}

#[test]
fn what_meets_something_else_is_refused() {
    let home = filled();
    let there = home.write(format!("projects/-b-new/{ID}.jsonl"), session(ID, "/b/new").into_bytes());
    let before = tree(&home.config_dir());
    let refused = planned(&home, "/a/old", "/b/new", CwdMode::Follows).unwrap_err();
    assert!(matches!(refused, MovePlanError::Session { .. }), "{refused}");
    fs::remove_file(there).unwrap();
    home.write(format!("projects/-b-new/{ID}/tool-results/b1.txt"), "another");
    let refused = planned(&home, "/a/old", "/b/new", CwdMode::Follows).unwrap_err();
    assert!(matches!(refused, MovePlanError::Clash { .. }), "{refused}");
    let refused = planned(&home, "/a/nowhere", "/b/new", CwdMode::Follows).unwrap_err();
    assert!(matches!(refused, MovePlanError::Nothing { .. }), "{refused}");
    assert_eq!(tree(&home.config_dir()).len(), before.len());
}

#[test]
fn a_move_stopped_at_any_step_comes_back_whole() {
    let whole = || {
        let home = filled();
        let moving = planned(&home, "/a/old", "/b/new", CwdMode::Follows).unwrap();
        (home, moving.plan)
    };
    come_back_from_every_step(15, whole, |_, before, after| assert_eq!(before.len(), after.len()));
    let joined = || {
        let home = filled();
        home.write(format!("projects/-b-new/{OTHER}.jsonl"), session(OTHER, "/b/new").into_bytes());
        home.write("projects/-b-new/memory/MEMORY.md", "remember /a/old");
        home.write("projects/-b-new/sessions-index.json", r#"{"version":1,"entries":[]}"#);
        let moving = planned(&home, "/a/old", "/b/new", CwdMode::Follows).unwrap();
        (home, moving.plan)
    };
    // One memory and one index less.
    come_back_from_every_step(20, joined, |_, before, after| assert_eq!(before.len(), after.len() + 2));
}

fn sent(bytes: &[u8], client: Client) -> Option<usize> {
    resume(&Transcript::parse(bytes), client).outcome.as_ref().ok().map(Vec::len)
}

/// Plans the move of every project of a store and verifies each edit. Returns how many sessions there were.
fn every_project(store: &Store, go: &mut dyn FnMut(&MovePlan, &str)) -> usize {
    let discovery = store.discover();
    let mut count = 0;
    for project in &discovery.projects {
        let (path, _) = annals_store::project_path::of_project(&discovery, project);
        let path = path.map(|path| path.path);
        let Ok(route) = Route::of_slug(project.slug.clone(), path.as_deref(), "/moved/here") else {
            continue;
        };
        let moving = match plan(&Projects::load(&discovery, route).unwrap(), CwdMode::Follows) {
            Ok(moving) => moving,
            Err(MovePlanError::Nothing { .. }) => continue,
            Err(error) => panic!("{}: {error}", project.slug),
        };
        count += moving.sessions.len();
        for edit in &moving.plan.edits {
            let after = edit.result();
            assert_eq!(verify(edit, &after), [], "{}", edit.path().display());
            for &client in Client::ALL {
                assert_eq!(sent(&after, client), sent(edit.before(), client), "{}", edit.path().display());
            }
        }
        go(&moving, path.as_deref().unwrap_or_default());
    }
    count
}

#[test]
fn projects_of_the_demo_store_move_and_come_back() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let before = tree(&home.config_dir());
    let data = DataDir::new(home.data_dir());
    let journal = Journal::new(&data);
    let sessions = every_project(&Store::open(home.config_dir()), &mut |moving, old| {
        carry_out(&home, moving);
        let after = tree(&home.config_dir());
        assert_eq!(after.len(), before.len());
        let cwd = format!("\"cwd\":\"{old}\"");
        let lines = after.iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "jsonl"));
        let still = lines.filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(&cwd));
        assert_eq!(still.map(|(path, _)| path).collect::<Vec<_>>(), [""; 0]);
        let done = journal.entries().into_iter().find(|entry| entry.stage == Stage::Done).unwrap();
        journal.undo(done).unwrap();
        assert_eq!(tree(&home.config_dir()), before);
    });
    assert!(sessions > 10, "{sessions}");
}

#[test]
fn projects_of_the_corpus_could_move() {
    let Some(corpus) = corpus::or_skip("projects_of_the_corpus_could_move") else { return };
    let (mut sessions, mut lines) = (0, 0);
    for folder in corpus.config_dirs() {
        sessions += every_project(&Store::open(&folder), &mut |moving, _| lines += moving.lines);
    }
    eprintln!("{sessions} sessions, {lines} lines");
    assert!(sessions > 100 && lines > 10_000, "{sessions} {lines}");
}
