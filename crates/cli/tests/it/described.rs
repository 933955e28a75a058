//! What the first descriptions of the format ask for, on sessions written as they say.

use std::fs;

use annals_json::Value;
use annals_testkit::home::Home;

use crate::appending::{annals_reads, field};
use crate::schemas::keep_schema;
use crate::{annals, annals_exits};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const CALL: &str = "7fd31ab8-0000-4000-8000-000000000002";
const RESULT: &str = "7fd31ab8-0000-4000-8000-000000000003";
const NAMED: &str = "agent-a753668";

fn line(kind: &str, number: u32, parent: Option<u32>, more: &str) -> String {
    let id = |number: u32| format!("\"7fd31ab8-0000-4000-8000-00000000{number:04x}\"");
    let parent = parent.map_or("null".to_owned(), id);
    format!(
        r#"{{"type":"{kind}","uuid":{},"parentUuid":{parent},"sessionId":"{ID}","timestamp":"2026-01-01T00:00:{number:02}.000Z","cwd":"/w","version":"2.0.{number}",{more}}}"#,
        id(number)
    ) + "\n"
}

fn prompt(number: u32, parent: Option<u32>, text: &str) -> String {
    line("user", number, parent, &format!(r#""message":{{"role":"user","content":"{text}"}}"#))
}

/// A session with a call whose output is in a file of its own, in the forms of the descriptions.
fn home() -> Home {
    let home = Home::new();
    let preview = "<persisted-output>\\nOutput too large (40KB). Full output saved to: /gone/tool-results/b12.txt\\n\\nPreview";
    let lines = [
        prompt(1, None, "look at it"),
        line(
            "assistant",
            2,
            Some(1),
            r#""model":"claude-x","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"I look"},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use","usage":{"input_tokens":7,"output_tokens":5}}"#,
        ),
        line(
            "user",
            3,
            Some(2),
            &format!(
                r#""toolUseResult":{{"stdout":"short","persistedOutputPath":"/gone/tool-results/b12.txt"}},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_1","content":"{preview}"}}]}}"#
            ),
        ),
        line("system", 4, Some(3), r#""message":{"role":"system","content":"a notice about aardvarks"}"#),
        line(
            "assistant",
            5,
            Some(4),
            r#""message":{"id":"m2","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}"#,
        ),
        r#"{"type":"file-history-snapshot","messageId":"x","snapshot":{"messageId":"x","trackedFileBackups":{"src/a.rs":"fn main() {}","b.rs":{"backupFileName":"00ff@v2","version":2,"backupTime":"2026-01-01T00:00:00Z"}}}}"#.to_owned() + "\n",
    ];
    home.write(format!("projects/-w/{ID}.jsonl"), lines.concat());
    home.write(format!("projects/-w/{ID}/tool-results/b12.txt"), "first\nthe whole of (path=2610) is here\n");
    home
}

fn json(home: &Home, arguments: &[&str]) -> String {
    annals_exits(home, &[arguments, &["--json"]].concat(), 0).out
}

/// The rows of a query, each as a JSON list of its columns.
fn rows(home: &Home, query: &str) -> String {
    let answer = json(home, &["sql", query]);
    let value = Value::parse(answer.as_bytes()).unwrap();
    let row = |row: Value<'_>| {
        let fields = row.fields().unwrap();
        let columns = fields.iter().map(|field| String::from_utf8(field.value.raw().to_vec()).unwrap());
        format!("[{}]", columns.collect::<Vec<_>>().join(","))
    };
    let rows: Vec<_> = value.get("rows").unwrap().items().map(row).collect();
    format!("[{}]", rows.join(","))
}

#[test]
fn the_text_of_a_system_message_is_read() {
    let home = home();
    assert!(annals_exits(&home, &["show", ID], 0).out.contains("a notice about aardvarks"));
    let messages = annals_exits(&home, &["show", ID, "--as", "messages"], 0).out;
    let system: Vec<_> = messages.lines().filter(|line| line.contains(r#""role":"system""#)).collect();
    assert_eq!(system.len(), 1, "{messages}");
    assert_eq!(field(system[0], "content").as_deref(), Some("a notice about aardvarks"));
    assert!(annals_exits(&home, &["search", "aardvarks"], 0).out.contains("aardvarks"));
    assert!(rows(&home, "select kind from said where role = 'system'").contains("context"));
    // Appended again, the record is as it was.
    let id = annals_exits(&home, &["new"], 0).out;
    assert_eq!(annals_reads(&home, &["append", id.trim()], &messages).code, Some(0));
    let again = annals_exits(&home, &["show", id.trim(), "--as", "raw"], 0).out;
    assert!(again.contains(r#""message":{"role":"system","content":"a notice about aardvarks"}"#), "{again}");
}

#[test]
fn messages_calls_threads_and_sessions_have_their_ids() {
    let home = home();
    home.write(
        format!("projects/-w/{ID}/subagents/{NAMED}.jsonl"),
        prompt(1, None, "go").replace(r#""cwd""#, r#""isSidechain":true,"agentId":"a753668","cwd""#),
    );
    home.write(format!("projects/-w/{ID}/subagents/{NAMED}.meta.json"), r#"{"toolUseId":"toolu_1"}"#);
    let said = rows(
        &home,
        "select uuid, parent_uuid, tokens_in, tokens_out from said where agent is null order by line, block",
    );
    assert!(said.contains(&format!(r#"["{RESULT}","{CALL}",null,null]"#)), "{said}");
    assert!(said.contains(r#",7,5]"#) && said.matches(",7,5]").count() == 1, "{said}");
    let calls = rows(&home, "select tool, uuid, result_uuid from calls");
    assert!(calls.contains(&format!(r#"["Bash","{CALL}","{RESULT}"]"#)), "{calls}");
    let threads =
        rows(&home, "select agent, spawned_by, spawned_by_uuid from threads where agent is not null");
    assert!(threads.contains(&format!(r#"["a753668","toolu_1","{CALL}"]"#)), "{threads}");
    let sessions = rows(&home, "select versions, backing_model_id from sessions");
    assert!(sessions.contains(r#"["2.0.1 2.0.2 2.0.3 2.0.4 2.0.5","anthropic:claude-x"]"#), "{sessions}");
    let files = rows(&home, "select path, version, kept from file_versions order by path");
    assert!(files.contains(r#"[["b.rs",2,"copy"],["src/a.rs",null,"content"]]"#), "{files}");
}

#[test]
fn an_output_in_a_file_of_its_own_belongs_to_its_call() {
    let home = home();
    for query in [
        &["search", "2610"][..],
        &["search", "--exact", "(path=2610)"],
        &["search", "2610", "--tool", "bash"],
    ] {
        let found = json(&home, query);
        keep_schema("search", &[found.trim_end().as_bytes()], "search --json");
        for wanted in [r#""tool":"Bash""#, r#""toolUseId":"toolu_1""#, &format!(r#""uuid":"{RESULT}""#)] {
            assert!(found.contains(wanted), "{query:?} {wanted}\n{found}");
        }
    }
    assert_eq!(annals(&home, &["search", "2610", "--tool", "Read"]).code, Some(1));
    let outputs = rows(&home, "select tool, tool_use, result_uuid from outputs");
    assert!(outputs.contains(&format!(r#"["Bash","toolu_1","{RESULT}"]"#)), "{outputs}");
    for form in ["transcript", "markdown", "messages"] {
        let short = annals_exits(&home, &["show", ID, "--as", form], 0).out;
        let full = annals_exits(&home, &["show", ID, "--as", form, "--full"], 0).out;
        assert!(!short.contains("path=2610") && full.contains("path=2610"), "{form}\n{full}");
    }
}

#[test]
fn turns_count_from_one_and_name_their_responses_and_calls() {
    let home = home();
    let turns = json(&home, &["show", ID, "--as", "turns"]);
    keep_schema("show-turns", &[turns.trim_end().as_bytes()], "show --as turns --json");
    assert!(turns.contains(r#""index":1,"#) && !turns.contains(r#""index":0"#), "{turns}");
    assert!(turns.contains(&format!(r#""responseUuids":["{CALL}"]"#)), "{turns}");
    let call = format!(r#"{{"id":"toolu_1","name":"Bash","toolUseUuid":"{CALL}","resultUuid":"{RESULT}"}}"#);
    assert!(turns.contains(&call), "{turns}");
    let tools = json(&home, &["show", ID, "--as", "tools"]);
    keep_schema("show-tools", &[tools.trim_end().as_bytes()], "show --as tools --json");
    assert!(
        tools.contains(r#""result":"<persisted-output>"#)
            && tools.contains(r#""toolUseResult":{"stdout":"short""#)
    );
    let counts = json(&home, &["show", ID, "--as", "counts"]);
    keep_schema("show-counts", &[counts.trim_end().as_bytes()], "show --as counts --json");
    assert!(counts.contains(r#""stopReasons":{"tool_use":1}"#), "{counts}");
    assert!(counts.contains(r#""contentBlocks":{"text":3,"tool_result":1,"tool_use":1}"#), "{counts}");
    let shown = annals_exits(&home, &["show", ID, "--as", "counts"], 0).out;
    assert!(shown.contains("content blocks") && shown.contains("1 tool_use"), "{shown}");
}

#[test]
fn synthetic_replies_can_be_left_out() {
    let home = home();
    let with = annals_exits(&home, &["show", ID, "--as", "messages"], 0).out;
    let without = annals_exits(&home, &["show", ID, "--as", "messages", "--no-synthetic"], 0).out;
    assert!(with.contains("No response requested.") && !without.contains("No response requested."));
    assert_eq!(with.lines().count(), without.lines().count() + 1);
}

#[test]
fn a_branch_at_the_root_is_drawn() {
    let home = home();
    let edited = prompt(9, None, "look at that instead") + &prompt(10, Some(9), "and on");
    let path = home.config_dir().join(format!("projects/-w/{ID}.jsonl"));
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(edited.bytes());
    fs::write(&path, bytes).unwrap();
    let tree = annals_exits(&home, &["show", ID, "--as", "tree"], 0).out;
    assert!(tree.contains("1 user branch") && tree.contains("branch at line 1: look at it"), "{tree}");
}

#[test]
fn sub_agents_and_records_are_found_by_the_beginning_of_their_ids() {
    let home = home();
    home.write(
        format!("projects/-w/{ID}/subagents/{NAMED}.jsonl"),
        prompt(1, None, "only the agent says so"),
    );
    for name in ["a753668", "agent-a753668", "a7536"] {
        assert!(annals_exits(&home, &["show", name], 0).out.contains("only the agent says so"), "{name}");
    }
    assert_eq!(annals(&home, &["show", "b753"]).code, Some(1));
    let up_to = |id: &str| annals(&home, &["show", ID, "--as", "messages", "--up-to", id]);
    assert_eq!(up_to("7fd31ab8-0000-4000-8000-000000000002").out.lines().count(), 2);
    assert_eq!(up_to("7fd31ab8").code, Some(2), "{}", up_to("7fd31ab8").error);
    assert!(up_to("7fd31ab8").error.contains("5 records"), "{}", up_to("7fd31ab8").error);
    let path = home.config_dir().join(format!("projects/-w/{ID}.jsonl"));
    let text = fs::read_to_string(&path).unwrap().replace(CALL, "9abcdef0-0000-4000-8000-000000000002");
    fs::write(&path, text).unwrap();
    assert_eq!(up_to("9abcdef0").out.lines().count(), 2);
    annals_exits(&home, &["fork", ID, "--at", "9abcdef0", "--yes"], 0);
    let appended =
        annals_reads(&home, &["append", ID, "--fork", "--at", "9abc"], r#"{"role":"user","content":"x"}"#);
    assert_eq!(appended.code, Some(0), "{}", appended.error);
}

#[test]
fn todos_come_back_as_they_were_set() {
    let home = home();
    let items = r#"[{"content":"a","status":"pending","activeForm":"doing a","priority":"high","id":"7","mine":[1]}]"#;
    assert_eq!(annals_reads(&home, &["todos", "set", ID, "--yes"], items).code, Some(0));
    let file = home.config_dir().join(format!("todos/{ID}-agent-{ID}.json"));
    let before = fs::read(&file).unwrap();
    let shown = json(&home, &["todos", ID]);
    keep_schema("todos", &[shown.trim_end().as_bytes()], "todos --json");
    let value = Value::parse(shown.as_bytes()).unwrap();
    let list = value.get("lists").unwrap().items().next().unwrap().get("items").unwrap();
    let list = String::from_utf8(list.raw().to_vec()).unwrap();
    assert_eq!(annals_reads(&home, &["todos", "set", ID, "--yes"], &list).code, Some(0));
    assert_eq!(String::from_utf8(fs::read(&file).unwrap()), String::from_utf8(before));
    let row = rows(&home, "select number, content, active_form, priority from todos");
    assert!(row.contains(r#"["7","a","doing a","high"]"#), "{row}");
}

#[test]
fn a_plan_belongs_to_the_session_whose_sub_agents_name_it() {
    let home = home();
    home.write("plans/warm-finding-russell.md", "the plan");
    home.write("plans/nobody.md", "x");
    let said = prompt(1, None, "go").replace(r#""cwd""#, r#""slug":"warm-finding-russell","cwd""#);
    for agent in ["agent-a1.jsonl", "agent-a2.jsonl"] {
        home.write(format!("projects/-w/{ID}/subagents/{agent}"), &said);
    }
    let plans = json(&home, &["plans"]);
    assert!(plans.contains(&format!(r#""sessions":["{ID}"]"#)), "{plans}");
    let table = rows(&home, "select name, session, project from plans order by name");
    assert!(
        table.contains(&format!(r#"[["nobody",null,null],["warm-finding-russell","{ID}","-w"]]"#)),
        "{table}"
    );
}

#[test]
fn memory_pastes_and_the_statistics_of_the_client_are_shown_and_found() {
    let home = home();
    home.write("projects/-w/memory/MEMORY.md", "remember the axolotl");
    home.write("paste-cache/00ff00ff00ff00ff.txt", "a long paste about wombats");
    let pastes = r#"{"1":{"id":1,"type":"text","content":"a short paste of quokkas"},"2":{"id":2,"type":"text","contentHash":"00ff00ff00ff00ff"}}"#;
    home.write(
        "history.jsonl",
        format!(r#"{{"display":"see [Pasted text #1]","pastedContents":{pastes},"timestamp":1767225600000,"project":"/w","sessionId":"{ID}"}}"#) + "\n",
    );
    home.write(
        "stats-cache.json",
        r#"{"version":3,"lastComputedDate":"2026-01-02","dailyActivity":[{"date":"2026-01-01","messageCount":9,"sessionCount":2,"toolCallCount":4}],"totalSessions":2,"totalMessages":9,"hourCounts":{"7":2}}"#,
    );
    assert!(annals_exits(&home, &["plans", "--memory"], 0).out.contains("-w/MEMORY.md"));
    assert_eq!(annals_exits(&home, &["plans", "--memory", "MEMORY.md"], 0).out, "remember the axolotl");
    let memory = json(&home, &["plans", "--memory"]);
    keep_schema("plans", &[memory.trim_end().as_bytes()], "plans --memory --json");
    for word in ["axolotl", "wombats", "quokkas"] {
        assert!(annals_exits(&home, &["search", word], 0).out.contains(word), "{word}");
        assert!(annals_exits(&home, &["search", "--exact", word], 0).out.contains(word), "{word}");
    }
    home.write("projects/-w/memory/MEMORY.md", "remember the capybara");
    assert!(
        annals_exits(&home, &["search", "capybara"], 0).out.contains("capybara"),
        "it is rewritten in place"
    );
    let history = json(&home, &["history"]);
    keep_schema("history", &[history.trim_end().as_bytes()], "history --json");
    assert!(history.contains("a short paste of quokkas") && history.contains("a long paste about wombats"));
    let stats = json(&home, &["stats"]);
    keep_schema("stats", &[stats.trim_end().as_bytes()], "stats --json");
    assert!(stats.contains(r#""totalSessions":2,"totalMessages":9,"totalToolCalls":4"#), "{stats}");
    assert!(stats.contains(r#"{"day":"2026-01-01","messages":9,"sessions":2,"toolCalls":4}"#), "{stats}");
    assert!(
        annals_exits(&home, &["stats"], 0)
            .out
            .contains("counted 2 sessions, 9 messages, 4 tool calls on 1 day")
    );
    let sent =
        annals_exits(&home, &["collect", "--to", "-", "--include", "memory", "--include", "pastes"], 0).out;
    assert!(sent.contains("capybara") && sent.contains("wombats"), "{sent}");
}

#[test]
fn a_file_that_was_cut_and_lines_that_are_not_whole_are_said() {
    let home = home();
    let path = home.config_dir().join(format!("projects/-w/{ID}.jsonl"));
    assert!(json(&home, &["index"]).contains(r#""restarted":0"#));
    let text = fs::read_to_string(&path).unwrap();
    let two: String = text.split_inclusive('\n').take(2).collect();
    fs::write(&path, two).unwrap();
    let answer = json(&home, &["index"]);
    keep_schema("index", &[answer.trim_end().as_bytes()], "index --json");
    assert!(answer.contains(r#""restarted":1"#), "{answer}");
    fs::write(&path, text.replacen(CALL, "", 1) + r#"{"type":"user","uu"#).unwrap();
    let without_uuid = text.replacen(&format!(r#""uuid":"{CALL}","#), "", 1);
    fs::write(&path, without_uuid + r#"{"type":"user","uu"#).unwrap();
    assert!(annals_exits(&home, &["index"], 0).out.contains("shortened or rewritten"));
    let found = rows(&home, "select kind, line from irregular order by line");
    assert!(found.contains(r#"[["incomplete-record",2],["torn-tail",7]]"#), "{found}");
}

#[test]
fn a_stub_of_a_warm_up_is_collected_only_when_it_grows() {
    let home = home();
    let path = format!("projects/-w/{ID}/subagents/agent-abcdef0.jsonl");
    let stub =
        prompt(1, None, "Warmup").replace(r#""cwd""#, r#""isSidechain":true,"agentId":"abcdef0","cwd""#);
    home.write(&path, &stub);
    let collect = || annals_exits(&home, &["collect", "--to", "-"], 0).out;
    assert!(!collect().contains("agent-abcdef0"));
    let reply = line(
        "assistant",
        2,
        Some(1),
        r#""isSidechain":true,"message":{"id":"m","role":"assistant","content":"ready"}"#,
    );
    home.write(&path, stub + &reply);
    let sent = collect();
    assert!(sent.matches("agent-abcdef0").count() >= 2, "{sent}");
    assert!(sent.contains("Warmup") && sent.contains("ready"), "{sent}");
}
