//! Which records are collected, and what happens when files change.

use std::fs;

use annals_collect::{Collector, Extra, Limits, Priority, Selection};
use annals_store::{DataDir, Store};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::redact::SecretRules;

use crate::support::{Memory, pass};

const SESSION: &str = "projects/-work/11111111-1111-4111-8111-111111111111.jsonl";
const AGENT: &str = "projects/-work/11111111-1111-4111-8111-111111111111/subagents/agent-a1.jsonl";
const META: &str = "projects/-work/11111111-1111-4111-8111-111111111111/subagents/agent-a1.meta.json";
const JOURNAL: &str =
    "projects/-work/11111111-1111-4111-8111-111111111111/subagents/workflows/wf_1/journal.jsonl";
const WORKFLOW: &str = "projects/-work/11111111-1111-4111-8111-111111111111/workflows/wf_1.json";
const SCRIPT: &str = "projects/-work/11111111-1111-4111-8111-111111111111/workflows/scripts/a.js";
const TITLE: &str = "projects/-work/11111111-1111-4111-8111-111111111111/custom-title.json";
const PASTE: &str = "paste-cache/0123456789abcdef.txt";
const SNAPSHOT: &str = "shell-snapshots/snapshot-bash-1.sh";
const OUTPUT: &str = "projects/-work/11111111-1111-4111-8111-111111111111/tool-results/b1.txt";
/// Made of two halves, so that no scanner takes this file for a leak.
const SECRET: &str = concat!("ghp_", "a8Kq2LmN4pRs6TuV8wXy1ZbC3dEf5GhJ7kQ9");

#[test]
fn priorities_and_extras_choose() {
    let home = Home::new();
    for file in [SESSION, AGENT, "history.jsonl"] {
        home.write(file, "{\"type\":\"user\"}\n");
    }
    home.write("stats-cache.json", "{}");
    home.write("projects/-work/sessions-index.json", "{\"entries\":[]}");
    home.write(OUTPUT, "out");
    for file in [META, WORKFLOW, SCRIPT, JOURNAL, TITLE, PASTE, SNAPSHOT] {
        home.write(file, "{}\n");
    }
    let store = Store::open(home.config_dir());
    let names = |up_to, extras: &[Extra]| -> Vec<String> {
        let selection = Selection { up_to, extras: extras.to_vec() };
        selection.targets(&store, &store.discover()).into_iter().map(|target| target.name).collect()
    };
    let index = "projects/-work/sessions-index.json";
    assert_eq!(names(Priority::P0, &[]), [SESSION, TITLE, index]);
    let (p1, rest) = ([AGENT, META, JOURNAL, SCRIPT, WORKFLOW], ["history.jsonl", PASTE, "stats-cache.json"]);
    let with = |first: &[&'static str]| [first, &p1].concat();
    assert_eq!(names(Priority::P1, &[Extra::ToolResults]), with(&[SESSION, TITLE, OUTPUT, index]));
    assert_eq!(names(Priority::P3, &[]), [&with(&[SESSION, TITLE, index])[..], &rest].concat());
    let named = names(Priority::P0, &[Extra::Pastes, Extra::ShellSnapshots]);
    assert_eq!(named, [PASTE, SESSION, TITLE, index, SNAPSHOT]);
}

#[test]
fn only_whole_new_lines_are_sent_and_changed_files_start_anew() {
    let (home, source, mut sink) = (Home::new(), CountingSource::default(), Memory::default());
    let path = home.write(SESSION, "one\ntwo\nthr");
    home.write("stats-cache.json", "{\"a\":1}");
    assert_eq!(pass(&home, &source, &mut sink, |_| ()).unwrap().items, 3);
    assert_eq!(sink.arrived.latest(SESSION), ["one", "two"]);
    assert_eq!(pass(&home, &source, &mut sink, |_| ()).unwrap().items, 0, "nothing is new");

    fs::write(&path, "one\ntwo\nthree\n").unwrap();
    let passed = pass(&home, &source, &mut sink, |_| ()).unwrap();
    assert_eq!((passed.items, passed.restarted), (1, 0));
    assert_eq!(sink.arrived.latest(SESSION), ["one", "two", "three"]);

    for (new, lines) in [("one\n", vec!["one"]), ("uno\ndos\n", vec!["uno", "dos"])] {
        fs::write(&path, new).unwrap();
        assert_eq!(pass(&home, &source, &mut sink, |_| ()).unwrap().restarted, 1);
        assert_eq!(sink.arrived.latest(SESSION), lines);
    }
    home.write("stats-cache.json", "{\"a\":2}");
    assert_eq!(pass(&home, &source, &mut sink, |_| ()).unwrap().items, 1);
    assert_eq!(sink.arrived.latest("stats-cache.json"), ["{\"a\":2}"]);
    assert_eq!(sink.arrived.repeated, 0);
    let numbers: Vec<u64> = (1..=sink.batches.len() as u64).collect();
    assert_eq!(sink.batches, numbers);
}

#[test]
fn what_may_have_arrived_keeps_its_name_and_its_text_whatever_stands_there_now() {
    for (new, restarted) in [("one\ntwo\nthree\n", 0), ("uno\ntwo\nthree\n", 1), ("", 1)] {
        let (home, source) = (Home::new(), CountingSource::default());
        let path = home.write(SESSION, "one\ntwo\n");
        let mut sink = Memory { left: Some(0), ..Memory::default() };
        let one = |collector: &mut Collector<'_>| {
            collector.limits = Limits { items: 1, ..Limits::default() };
        };
        assert!(pass(&home, &source, &mut sink, one).is_err());
        fs::write(&path, new).unwrap();
        sink.left = None;
        let passed = pass(&home, &source, &mut sink, one).unwrap();
        // `Memory` panics where one name comes with two texts.
        assert_eq!((sink.arrived.repeated, passed.spooled, passed.restarted), (1, 2, restarted), "{new}");
        let all: Vec<&str> = sink.arrived.texts.values().map(String::as_str).collect();
        let expected = if restarted == 0 { new.to_owned() } else { format!("one\ntwo\n{new}") };
        assert_eq!(all, expected.lines().collect::<Vec<_>>());
    }
}

#[test]
fn stores_that_share_a_sink_do_not_take_each_others_files_for_their_own() {
    let (home, other) = (Home::new(), Home::new());
    let (source, mut sink) = (CountingSource::default(), Memory::default());
    for (store, said) in [(&home, "here"), (&other, "there")] {
        store.write("history.jsonl", format!("{{\"display\":\"{said}\"}}\n"));
        store.write(SESSION, "{\"type\":\"user\"}\n");
    }
    let data = DataDir::new(home.data_dir());
    let mut run = |of: &Home| {
        let store = Store::open(of.config_dir());
        let rules = SecretRules::new(&[], &[]).unwrap();
        let mut collector = Collector::open(&store, &data, "shared", rules, &source).unwrap();
        let passed = collector.pass(&mut sink).unwrap();
        (passed.items, passed.restarted)
    };
    assert_eq!([run(&home), run(&other)], [(2, 0); 2]);
    for _ in 0..2 {
        assert_eq!([run(&home), run(&other)], [(0, 0); 2]);
    }
    // The sink's batches are numbered for all of them, and no name is given twice.
    assert_eq!((sink.batches, sink.arrived.texts.len(), sink.arrived.repeated), (vec![1, 2], 4, 0));
}

#[test]
fn secrets_do_not_leave_in_any_form() {
    let (home, source, mut sink) = (Home::new(), CountingSource::default(), Memory::default());
    let escaped = SECRET.replace('_', "\\u005f");
    let said = |text: &str| {
        format!("{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n")
    };
    let bare = "Tr0ub4dor-and-3-horses";
    let lines = [
        said(&format!("the word is {bare} here")),
        said(&format!("token {SECRET}.")),
        said(&escaped),
        format!("torn {{ {SECRET}\n"),
        said(&format!("export DATABASE_PASSWORD={bare}")),
    ];
    home.write(SESSION, lines.concat());
    home.write(
        "projects/-work/sessions-index.json",
        format!("{{\"entries\":[{{\"firstPrompt\":\"{SECRET}\"}}]}}"),
    );
    home.write(OUTPUT, format!("stdout {SECRET}\n"));
    let extras = |collector: &mut Collector<'_>| collector.selection.extras = vec![Extra::ToolResults];
    let passed = pass(&home, &source, &mut sink, extras).unwrap();
    assert_eq!((passed.items, passed.withheld), (7, 0));
    let all: String = sink.arrived.texts.values().map(String::as_str).collect();
    assert!(!all.contains(&SECRET[4..]) && !all.contains(bare), "{all}");
    assert_eq!(all.matches("[REDACTED:").count(), 7, "{all}");
}

#[test]
fn a_result_is_judged_by_its_call_also_if_that_was_sent_before() {
    let (home, source, mut sink) = (Home::new(), CountingSource::default(), Memory::default());
    let call = |id: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"pass show x"}}}}]}}}}"#
        ) + "\n"
    };
    let result = |id: &str, text: &str| {
        format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{text}"}}]}},"toolUseResult":{{"stdout":"{text}"}}}}"#
        ) + "\n"
    };
    let said = |text: &str| format!(r#"{{"type":"user","message":{{"content":"{text}"}}}}"#) + "\n";
    let parts = [
        call("toolu_1") + &result("toolu_1", "falcon2931") + &call("toolu_2"),
        result("toolu_2", "garlic7712") + &said("here is the password:"),
        said("hammer5560") + &said("hammer5560"),
    ];
    for end in 1..=parts.len() {
        home.write(SESSION, parts[..end].concat());
        pass(&home, &source, &mut sink, |_| ()).unwrap();
    }
    let all: String = sink.arrived.texts.values().map(String::as_str).collect();
    assert!(!all.contains("falcon2931") && !all.contains("garlic7712"), "{all}");
    // Only the first answers.
    assert_eq!(all.matches("hammer5560").count(), 1, "{all}");
}

#[test]
fn secrets_do_not_leave_in_the_files_around_a_session() {
    let (home, source, mut sink) = (Home::new(), CountingSource::default(), Memory::default());
    home.write(AGENT, "{\"type\":\"user\"}\n{\"type\":\"user\"}\n");
    home.write(META, format!("{{\"agentType\":\"x\",\"description\":\"use {SECRET}\"}}"));
    home.write(WORKFLOW, format!("{{\"state\":{{\"result\":\"got {SECRET}\"}}}}"));
    home.write(SCRIPT, format!("const token = '{SECRET}';\n"));
    home.write(JOURNAL, format!("{{\"event\":\"{SECRET}\"}}\n"));
    home.write(TITLE, format!("{{\"customTitle\":\"rotate {SECRET}\"}}"));
    home.write(PASTE, format!("pasted {SECRET}\n"));
    home.write(SNAPSHOT, format!("export GITHUB_TOKEN={SECRET}\n"));
    let extras = |collector: &mut Collector<'_>| collector.selection.extras = vec![Extra::ShellSnapshots];
    let passed = pass(&home, &source, &mut sink, extras).unwrap();
    assert_eq!((passed.items, passed.files), (9, 8));
    let all: String = sink.arrived.texts.values().map(String::as_str).collect();
    assert!(!all.contains(&SECRET[4..]), "{all}");
    assert_eq!(all.matches("[REDACTED:").count() as u64 + passed.withheld, 7, "{all}");
}

#[test]
fn secrets_do_not_leave_split_or_wrapped() {
    let (home, source, mut sink) = (Home::new(), CountingSource::default(), Memory::default());
    let (head, tail) = SECRET.split_at(20);
    let said = |text: &str| {
        format!("{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n")
    };
    // The same token in base64, as a document and in the midst of a text.
    let data = concat!("a2V5OiBnaHBfYThLcTJMbU40cFJzNlR1Vjh3WHkxWmJDM2RF", "ZjVHaEo3a1E5Cg==");
    let document = format!(
        "{{\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"document\",\"source\":{{\"type\":\"base64\",\"media_type\":\"text/plain\",\"data\":\"{data}\"}}}}]}}}}\n"
    );
    let lines = [
        said(&format!("over two lines: {head}\\n{tail} done")),
        said(&format!("{head}\\u001b[31m{tail}\\u001b[0m")),
        said(&format!("{head}\u{200b}{tail}")),
        said(&SECRET.replace('_', "%5F")),
        said(&SECRET.replace('_', "\\\\u005f")),
        said(&format!("run it: {data}")),
        document,
    ];
    home.write(SESSION, lines.concat());
    let passed = pass(&home, &source, &mut sink, |_| ()).unwrap();
    assert_eq!((passed.items, passed.withheld), (7, 0));
    let all: String = sink.arrived.texts.values().map(String::as_str).collect();
    assert!(!all.contains(tail) && !all.contains(&data[20..40]), "{all}");
}

#[test]
fn secrets_do_not_leave_where_a_record_has_its_structure() {
    let (home, source, mut sink) = (Home::new(), CountingSource::default(), Memory::default());
    let redacted = [
        r#"{"type":"attachment","attachment":{"type":"hook","status":"failed with SECRET"}}"#,
        r#"{"type":"attachment","attachment":{"type":"hook","level":{"deep":"is SECRET"}}}"#,
        r#"{"type":"unknown","version":{"token":"SECRET"}}"#,
        r#"{"type":"unknown","model":["says","SECRET"]}"#,
        r#"{"type":"system","id":{"a":"SECRET"}}"#,
        r#"{"type":"user","message":{"content":[{"type":"thinking","thinking":"x","text":"SECRET"}]}}"#,
        r#"{"type":"user","message":{"content":[{"type":"redacted_thinking","data":"x","text":"SECRET"}]}}"#,
        r#"{"type":"x","blob":"SECRET"}"#,
        r#"{"type":"x","signature":"SECRET"}"#,
        r#"{"SECRET":"key"}"#,
    ];
    let withheld = [
        r#"{"type":"assistant","requestId":"SECRET"}"#,
        r#"{"type":"SECRET"}"#,
        r#"{"type":"user","message":{"role":"SECRET","content":"hi"}}"#,
        r#"{"type":"user","cwd":"/w/SECRET"}"#,
    ];
    let sealed = r#"{"message":{"content":[{"type":"thinking","thinking":"x","signature":"SECRET"}]}}"#;
    let lines: Vec<_> = redacted.iter().chain(&withheld).chain([&sealed]).collect();
    let lines: String =
        lines.into_iter().map(|line| format!("{}\n", line.replace("SECRET", SECRET))).collect();
    home.write(SESSION, lines);
    let passed = pass(&home, &source, &mut sink, |_| ()).unwrap();
    assert_eq!((passed.items, passed.withheld), (15, 4));
    let all: String = sink.arrived.texts.values().map(String::as_str).collect();
    assert_eq!(all.matches("[REDACTED:github-token]").count(), 10, "{all}");
    assert_eq!(all.matches(SECRET).count(), 1, "{all}");
}

#[test]
fn a_look_writes_nothing_and_one_process_at_a_time_collects() {
    let (home, source) = (Home::new(), CountingSource::default());
    home.write(SESSION, "one\n");
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let rules = || SecretRules::new(&[], &[]).unwrap();
    let mut sink = Memory::default();
    let mut look = Collector::look(&store, &data, "test", rules(), &source).unwrap();
    assert_eq!(look.pass(&mut sink).unwrap().items, 1);
    assert_eq!(fs::read_dir(home.data_dir()).unwrap().count(), 0);
    let _held = Collector::open(&store, &data, "test", rules(), &source).unwrap();
    assert!(Collector::open(&store, &data, "test", rules(), &source).is_err());
    assert!(Collector::open(&store, &data, "other", rules(), &source).is_ok());
}
