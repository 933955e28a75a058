//! Stores that are not as one would expect: files, index and engine say the same of them.

use annals_collect::Sink;
use annals_team::query::{Scope, TeamUsage, agents_without_file, session_facts, usage, usage_of_sessions};
use annals_testkit::engine::TestEngine;
use annals_testkit::home::Home;
use annals_transcript::usage::UsageItem;

use crate::support::{demo, sent_of, sink, usage_of_engine, usage_of_files, usage_of_index, with_tables};

const OWNER: &str = "0d0d0d0d-0000-4000-8000-000000000001";

fn session(number: u64) -> String {
    format!("0d0d0d0d-0000-4000-8000-{number:012}")
}

fn prompt(session: &str, cwd: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"u-{session}","sessionId":"{session}","cwd":"{cwd}","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":"go"}}}}"#
    ) + "\n"
}

fn reply(session: &str, cwd: &str, id: &str) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"a-{id}","sessionId":"{session}","cwd":"{cwd}","requestId":"r-{id}","timestamp":"2026-01-01T00:00:01.000Z","message":{{"id":"m-{id}","role":"assistant","model":"claude-opus-4-1","content":[{{"type":"text","text":"done"}}],"usage":{{"input_tokens":7,"output_tokens":3}}}}}}"#
    ) + "\n"
}

/// The number of a session, its project, the folders of its first lines, how many blank lines follow, the folder of the last, and
/// the folder that the project is said to have.
type OddProject = (u64, &'static str, &'static [&'static str], usize, &'static str, Option<&'static str>);

const FOLDERS: [OddProject; 5] = [
    // None is the project's: the first, not the most common.
    (1, "-work-app", &["/other/x", "/other/y", "/other/y"], 0, "/other/z", Some("/other/x")),
    // The project's own folder, which is neither the first nor the most common.
    (2, "-work-lib", &["/work/lib/sub", "/work/lib/sub"], 0, "/work/lib", Some("/work/lib")),
    // Named on line 64, and on line 65.
    (3, "-work-far", &["/else"], 62, "/work/far", Some("/work/far")),
    (4, "-work-late", &["/else"], 63, "/work/late", Some("/else")),
    // None at all.
    (5, "-work-bare", &[], 0, "", None),
];

fn odd_store() -> Home {
    let home = Home::new();
    for (number, slug, folders, blank, last, _) in FOLDERS {
        let id = session(number);
        let mut text: String = folders.iter().map(|folder| prompt(&id, folder)).collect();
        text.push_str(&"\n".repeat(blank));
        text.push_str(&reply(&id, last, &number.to_string()));
        home.write(format!("projects/{slug}/{id}.jsonl"), text);
    }
    // A sub-agent beside the sessions of another project.
    home.write("projects/-work-lib/agent-a1.jsonl", reply(OWNER, "/work/lib", "agent"));
    home
}

#[test]
fn projects_are_those_of_the_files_whatever_folders_their_sessions_name() {
    let home = odd_store();
    let (by_files, by_index) = (usage_of_files(&home), usage_of_index(&home));
    for (number, slug, .., expected) in FOLDERS {
        let start = format!("{} {slug} {expected:?} ", session(number));
        assert!(by_files.iter().any(|line| line.starts_with(&start)), "{start}: {by_files:#?}");
    }
    let owned = format!("{OWNER} -work-app Some(\"/other/x\") Agent(\"a1\")");
    assert!(by_files.iter().any(|line| line.starts_with(&owned)), "{by_files:#?}");
    assert_eq!(by_index, by_files);
    let Some(engine) =
        TestEngine::start("projects_are_those_of_the_files_whatever_folders_their_sessions_name")
    else {
        return;
    };
    let opened = with_tables(&engine, "projects");
    let mut to = sink(&engine, "projects");
    sent_of(&home).iter().for_each(|batch| to.deliver(batch).unwrap());
    assert_eq!(usage_of_engine(&opened), by_files);
}

#[test]
fn sub_agents_that_only_results_name_are_known_to_be_missing() {
    let Some(engine) = TestEngine::start("sub_agents_that_only_results_name_are_known_to_be_missing") else {
        return;
    };
    let result = |agent: &str| {
        format!(
            r#"{{"type":"user","uuid":"r-{agent}","sessionId":"{OWNER}","cwd":"/w","timestamp":"2026-01-01T00:00:02.000Z","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t-{agent}","content":"done"}}]}},"toolUseResult":{{"status":"completed","agentId":"{agent}","usage":{{"input_tokens":9,"output_tokens":2}}}}}}"#
        ) + "\n"
    };
    let home = Home::new();
    home.write(
        format!("projects/-w/{OWNER}.jsonl"),
        [prompt(OWNER, "/w"), result("gone"), result("there")].concat(),
    );
    home.write(format!("projects/-w/{OWNER}/subagents/agent-there.jsonl"), reply(OWNER, "/w", "b"));
    let opened = with_tables(&engine, "missing");
    let mut to = sink(&engine, "missing");
    sent_of(&home).iter().for_each(|batch| to.deliver(batch).unwrap());
    let (files, agents) = agents_without_file(&opened, &Scope::default()).unwrap();
    assert_eq!(agents.into_iter().collect::<Vec<_>>(), ["gone"]);
    assert_eq!(files.iter().map(|file| file.session.as_str()).collect::<Vec<_>>(), [OWNER]);
}

#[test]
fn a_session_is_called_by_its_first_copy_and_by_a_command_if_there_is_no_prompt() {
    let Some(engine) =
        TestEngine::start("a_session_is_called_by_its_first_copy_and_by_a_command_if_there_is_no_prompt")
    else {
        return;
    };
    let command = prompt(OWNER, "/w").replace("\"go\"", "\"<command-name>/init</command-name>\"");
    let other = format!(r#"{{"type":"custom-title","customTitle":"Another","sessionId":"{OWNER}"}}"#) + "\n";
    let home = Home::new();
    home.write(format!("projects/-a/{OWNER}.jsonl"), &command);
    // A copy in another project, which somebody has renamed.
    home.write(format!("projects/-b/{OWNER}.jsonl"), [command.as_str(), &other].concat());
    home.write(format!("projects/-b/{OWNER}/custom-title.json"), r#"{"customTitle":"Third"}"#);
    let opened = with_tables(&engine, "named");
    let mut to = sink(&engine, "named");
    sent_of(&home).iter().for_each(|batch| to.deliver(batch).unwrap());
    let facts = session_facts(&opened, &Scope::default()).unwrap();
    assert_eq!(facts[OWNER].title(), Some("/init"));
}

#[test]
fn summaries_name_sessions_by_lines_at_their_ends_as_lists_do() {
    let Some(engine) = TestEngine::start("summaries_name_sessions_by_lines_at_their_ends_as_lists_do") else {
        return;
    };
    let (home, sessions) = (Home::new(), [session(20), session(21), session(23)]);
    let far = prompt("far", "/w").replace("\"go\"", &format!("\"{}\"", "x ".repeat(500))).repeat(100);
    let [long, short, bare] = &sessions;
    let between =
        [&prompt(long, "/w"), &far, &reply(long, "/w", "middle"), &far].map(String::as_str).concat();
    home.write(format!("projects/-w/{long}.jsonl"), between);
    home.write(
        format!("projects/-w/{short}.jsonl"),
        [prompt(short, "/w"), reply(short, "/w", "end")].concat(),
    );
    // The last record has no text.
    let empty = format!(
        r#"{{"type":"assistant","uuid":"a-bare","sessionId":"{bare}","timestamp":"2026-01-01T00:00:02.000Z","message":{{"role":"assistant","content":[]}}}}"#
    );
    home.write(format!("projects/-w/{bare}.jsonl"), prompt(bare, "/w") + &empty + "\n");
    let title =
        |leaf: &str| format!(r#"{{"type":"summary","summary":"The {leaf}","leafUuid":"a-{leaf}"}}"#) + "\n";
    home.write(
        format!("projects/-w/{}.jsonl", session(22)),
        title("middle") + &title("end") + &title("bare"),
    );
    let opened = with_tables(&engine, "summaries");
    let mut to = sink(&engine, "summaries");
    sent_of(&home).iter().for_each(|batch| to.deliver(batch).unwrap());
    let facts = session_facts(&opened, &Scope::default()).unwrap();
    let store = annals_store::Store::open(home.config_dir());
    let (listed, _) = store.summaries(&store.discover());
    for (session, expected) in sessions.iter().zip(["go", "The end", "The bare"]) {
        assert_eq!(facts[session].title(), Some(expected));
        let listed = listed.iter().find(|summary| summary.session.as_str() == session).unwrap();
        assert_eq!(listed.display_title(), Some(expected));
    }
}

#[test]
fn the_usage_of_some_sessions_is_their_share_of_all() {
    let Some(engine) = TestEngine::start("the_usage_of_some_sessions_is_their_share_of_all") else { return };
    let (_home, sent) = demo();
    let opened = with_tables(&engine, "some");
    let mut to = sink(&engine, "some");
    sent.iter().for_each(|batch| to.deliver(batch).unwrap());
    let of_all = usage(&opened, &Scope::default()).unwrap();
    let row = |used: &TeamUsage, item: &UsageItem| {
        format!(
            "{} {:?} {:?} {:?} {:?}",
            used.sources[item.file.get()].session,
            item.thread,
            item.quarter,
            item.tokens,
            item.cost
        )
    };
    let mut rows: Vec<String> = of_all.items.iter().map(|item| row(&of_all, item)).collect();
    rows.sort();
    let mut sessions: Vec<String> = of_all.sources.iter().map(|source| source.session.to_string()).collect();
    sessions.sort();
    sessions.dedup();
    assert!(sessions.len() > 4, "{sessions:?}");
    let mut shares = Vec::new();
    for some in sessions.chunks(2) {
        let used = usage_of_sessions(&opened, some).unwrap();
        assert!(used.sources.iter().all(|source| some.contains(&source.session.to_string())), "{some:?}");
        shares.extend(used.items.iter().map(|item| row(&used, item)));
    }
    shares.sort();
    assert_eq!(shares, rows);
    assert_eq!(usage_of_sessions(&opened, &[]).unwrap().items, []);
}
