//! `annals new` and `annals append`: one answer per line; errors are reported; other writers lead to exit code 4.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use annals_json::Value;
use annals_testkit::home::{CommandOutput, Home};
use annals_transcript::transcript::Transcript;

use crate::schemas::keep_schema;
use crate::{annals, annals_exits};

/// Runs `annals` with something on standard input.
pub(crate) fn annals_reads(home: &Home, arguments: &[&str], input: &str) -> CommandOutput {
    let mut child = start(home, arguments);
    // One that refuses the session ends without a look at what it is fed.
    let fed = child.stdin.take().unwrap().write_all(input.as_bytes());
    assert!(fed.is_ok() || fed.is_err_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe));
    CommandOutput::from(child.wait_with_output().unwrap())
}

pub(crate) fn start(home: &Home, arguments: &[&str]) -> Child {
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// A new session: its id and its file.
pub(crate) fn new_session(home: &Home) -> (String, PathBuf) {
    let id = annals_exits(home, &["new"], 0).out.trim().to_owned();
    let found = walk(&home.config_dir().join("projects"))
        .into_iter()
        .find(|path| path.ends_with(format!("{id}.jsonl")));
    (id, found.unwrap())
}

fn walk(folder: &std::path::Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// A text field of an answer.
pub(crate) fn field(line: &str, key: &str) -> Option<String> {
    Value::parse(line.as_bytes()).unwrap().get(key)?.text().map(|text| text.to_string())
}

/// A process that appends, asked a line at a time.
pub(crate) struct Appender {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Appender {
    pub(crate) fn new(home: &Home, session: &str) -> Self {
        Self::with(home, &["append", session])
    }

    /// One that appends to a sub-agent.
    pub(crate) fn of_agent(home: &Home, session: &str, agent: &str) -> Self {
        Self::with(home, &["append", session, "--agent", agent])
    }

    fn with(home: &Home, arguments: &[&str]) -> Self {
        let mut child = start(home, arguments);
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    pub(crate) fn ask(&mut self, line: &str) -> String {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        answer
    }

    pub(crate) fn prompt(&mut self, text: &str) -> String {
        self.ask(&format!(r#"{{"role":"user","content":"{text}"}}"#))
    }

    pub(crate) fn end(mut self) -> CommandOutput {
        drop(self.input.take());
        CommandOutput::from(self.child.wait_with_output().unwrap())
    }
}

#[test]
fn messages_and_records_are_answered_with_their_place() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let input = r#"{"role":"user","content":"hello"}

{"role":"assistant","model":"claude","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
{"type":"custom-title","customTitle":"Greetings","sessionId":"x"}
{"type":"from-the-future","n":1}
"#;
    let answer = annals_reads(&home, &["append", &id], input);
    assert_eq!((answer.code, answer.error.as_str()), (Some(0), ""));
    let lines: Vec<_> = answer.out.lines().collect();
    assert_eq!(lines.len(), 5);
    let uuid = |at: usize| field(lines[at], "uuid");
    let parent = |at: usize| field(lines[at], "parentUuid");
    assert_eq!((parent(0), parent(1), parent(2)), (None, uuid(0), uuid(1)));
    assert!(uuid(2).is_some() && uuid(3).is_none() && uuid(4).is_none());
    let bytes = fs::read(&path).unwrap();
    let transcript = Transcript::parse(&bytes);
    assert_eq!(
        (transcript.nodes().len(), transcript.problems().len()),
        (6, 1),
        "the unknown record is kept, and said"
    );
    assert!(annals_exits(&home, &["ls"], 0).out.contains("Greetings"));
    let resumed = annals_exits(&home, &["show", &id, "--as", "api", "--json"], 0).out;
    assert!(["hello", "hi", "\"ok\""].iter().all(|text| resumed.contains(text)), "{resumed}");
}

#[test]
fn a_bad_line_is_answered_and_the_rest_goes_on() {
    let home = Home::new();
    let (id, _) = new_session(&home);
    let input = "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"king\",\"content\":\"b\"}\nnot json\n{\"role\":\"user\",\"content\":\"c\"}\n";
    let answer = annals_reads(&home, &["append", &id], input);
    assert_eq!(answer.code, Some(2));
    let lines: Vec<_> = answer.out.lines().collect();
    assert_eq!(
        lines[1],
        r#"{"error":"role: must be \"user\", \"assistant\" or \"system\", not \"king\"","line":2}"#
    );
    assert_eq!(lines[2], r#"{"error":"byte 1: not JSON","line":3}"#);
    assert_eq!(field(lines[3], "parentUuid"), field(lines[0], "uuid"));
    assert_eq!(answer.error, "annals: standard input, line 3: byte 1: not JSON\n");
}

#[test]
fn a_message_that_is_not_utf8_is_refused() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let mut child = start(&home, &["append", &id]);
    let line = b"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"\xff\"}]}\n";
    child.stdin.take().unwrap().write_all(line).unwrap();
    let answer = CommandOutput::from(child.wait_with_output().unwrap());
    assert_eq!(
        (answer.code, answer.out.as_str()),
        (Some(2), "{\"error\":\"byte 49: not UTF-8\",\"line\":1}\n")
    );
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[test]
fn a_second_writer_gets_exit_four_and_an_offer() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let mut first = Appender::new(&home, &id);
    let said = field(&first.prompt("first"), "uuid").unwrap();
    let before = fs::read(&path).unwrap();
    let answer = annals_reads(&home, &["append", &id], "{\"role\":\"user\",\"content\":\"second\"}\n");
    assert_eq!((answer.code, answer.out.as_str()), (Some(4), ""));
    assert!(answer.error.contains("another annals is writing"), "{}", answer.error);
    assert!(answer.error.contains(&format!("annals append --fork {id}")), "{}", answer.error);
    assert_eq!(fs::read(&path).unwrap(), before);

    let answer =
        annals_reads(&home, &["append", &id, "--fork"], "{\"role\":\"user\",\"content\":\"second\"}\n");
    assert_eq!(answer.code, Some(0), "{}", answer.error);
    assert_eq!(field(&answer.out, "parentUuid"), Some(said));
    let fork = field(&answer.out, "session").unwrap();
    let resumed = annals_exits(&home, &["show", &fork, "--as", "api", "--json"], 0).out;
    assert!(resumed.contains("first") && resumed.contains("second"), "{resumed}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(first.end().code, Some(0));
    let waited =
        annals_reads(&home, &["append", &id, "--wait", "5"], "{\"role\":\"user\",\"content\":\"third\"}\n");
    assert_eq!(waited.code, Some(0), "{}", waited.error);
}

#[test]
fn a_title_is_appended_while_a_client_has_the_session_open_and_that_is_said() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let quiet = annals_exits(&home, &["rename", &id, "Named", "--yes"], 0);
    assert!(!quiet.error.contains("running client"), "{}", quiet.error);
    let pid = std::process::id();
    home.write(format!("sessions/{pid}.json"), format!(r#"{{"pid":{pid},"sessionId":"{id}"}}"#));
    for arguments in [["rename", id.as_str(), "Again", "--yes"], ["tag", id.as_str(), "release", "--yes"]] {
        let said = annals_exits(&home, &arguments, 0);
        assert_eq!(said.error.matches("a running client").count(), 1, "{}", said.error);
    }
    assert!(fs::read_to_string(&path).unwrap().contains("Again"));
}

#[test]
fn changes_are_answered_previewed_and_taken_back() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    annals_reads(&home, &["append", &id], "{\"role\":\"user\",\"content\":\"a prompt\"}\n");
    let before = fs::read(&path).unwrap();
    let preview = annals_exits(&home, &["rename", &id, "Named", "--dry-run"], 0);
    assert_eq!(preview.out, format!("would rename {id} to \"Named\"\n"));
    assert_eq!(fs::read(&path).unwrap(), before);

    let answer = annals_exits(&home, &["rename", &id, "Named", "--json", "--yes"], 0).out;
    let undo = field(&answer, "undo").unwrap();
    assert_eq!(field(&answer, "session").as_ref(), Some(&id));
    annals_exits(&home, &["tag", &id, "release", "--yes"], 0);
    assert!(annals_exits(&home, &["ls", "--tag", "release"], 0).out.contains("Named"));
    // The rename cannot go before the tag that came after it.
    let refused = annals_exits(&home, &["undo", &undo, "--yes"], 4);
    assert!(refused.error.contains("changed since"), "{}", refused.error);
    annals_exits(&home, &["undo", "--yes"], 0);
    annals_exits(&home, &["undo", &undo, "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(annals_exits(&home, &["undo", "--list"], 0).out.contains("undone"));

    annals_exits(&home, &["reset-project", "--yes"], 0);
    assert!(!path.exists());
    assert_eq!(annals(&home, &["ls"]).code, Some(1));
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), before);
    annals_exits(&home, &["reset-project", "/nowhere"], 1);
}

#[test]
fn a_new_session_is_what_was_asked_for() {
    let home = Home::new();
    let id = "11111111-2222-4333-8444-555555555555";
    let arguments =
        ["new", "--session-id", id, "--title", "T", "--tag", "g", "--cwd", "/some/where", "--json"];
    let answer = annals_exits(&home, &arguments, 0).out;
    let file = field(&answer, "file").unwrap();
    assert!(file.ends_with(&format!("projects/-some-where/{id}.jsonl")), "{file}");
    annals_exits(&home, &arguments, 4);
    annals_exits(&home, &["new", "--session-id", "../x"], 2);
    annals_reads(&home, &["append", id], "{\"role\":\"user\",\"content\":\"x\"}\n");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"cwd\":\"/some/where\"") && text.contains("\"gitBranch\":\"HEAD\""), "{text}");
}

#[test]
fn a_sub_agent_is_written_to_its_own_file() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let call = r#"{"role":"assistant","model":"c","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"dig"}}]}"#;
    annals_reads(&home, &["append", &id], &format!("{{\"role\":\"user\",\"content\":\"go\"}}\n{call}\n"));
    let arguments = ["append", &id, "--agent", "a123", "--agent-type", "explorer", "--tool-use", "t1"];
    let answer = annals_reads(&home, &arguments, "{\"role\":\"user\",\"content\":\"dig\"}\n");
    assert_eq!(answer.code, Some(0), "{}", answer.error);
    assert!(path.with_extension("").join("subagents/agent-a123.jsonl").is_file());
    let agents = annals_exits(&home, &["show", &id, "--as", "agents", "--json"], 0).out;
    assert!(agents.contains("\"toolUseId\":\"t1\""), "{agents}");
    assert_eq!(annals_reads(&home, &["append", &id, "--agent", "../x"], "").code, Some(2));
}

#[test]
fn answers_keep_their_schemas() {
    let home = Home::new();
    let id = "11111111-2222-4333-8444-555555555555";
    let run = |schema: &str, arguments: &[&str], input: &str| {
        let answer = annals_reads(&home, arguments, input);
        let lines: Vec<_> = answer.out.lines().map(str::as_bytes).collect();
        assert!(!lines.is_empty(), "{arguments:?}: {}", answer.error);
        keep_schema(schema, &lines, &arguments.join(" "));
    };
    run("change", &["new", "--session-id", id, "--json"], "");
    let input = "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"b\"},{\"type\":\"text\",\"text\":\"c\"}]}\nno\n{\"type\":\"tag\",\"tag\":\"t\"}\n";
    run("append", &["append", id], input);
    run("append", &["append", id, "--fork"], input);
    run("change", &["rename", id, "T", "--json", "--yes"], "");
    run("change", &["tag", id, "g", "--json", "--dry-run"], "");
    run("change", &["todos", "set", id, "--json"], "[\"x\"]");
    run("undo", &["undo", "--json", "--yes"], "");
    run("change", &["reset-project", "--json", "--yes"], "");
    run("undo", &["undo", "--list", "--json"], "");
}

#[test]
fn a_rehearsal_answers_and_writes_nothing() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let input = "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"content\":\"b\"}\n{\"role\":\"king\"}\n";
    let answer = annals_reads(&home, &["append", &id, "--dry-run", "--history"], input);
    let lines: Vec<_> = answer.out.lines().collect();
    assert_eq!((answer.code, lines.len()), (Some(2), 3));
    assert_eq!(field(lines[1], "parentUuid"), field(lines[0], "uuid"));
    assert_eq!(fs::read(&path).unwrap(), b"");
    assert!(!home.config_dir().join("history.jsonl").exists());
    assert!(!annals_exits(&home, &["undo", "--list"], 0).out.contains("append"));
}

#[test]
fn a_todo_list_comes_back() {
    let home = Home::new();
    let (id, _) = new_session(&home);
    annals_reads(&home, &["todos", "set", &id], "[\"one\"]");
    let file = home.config_dir().join(format!("todos/{id}-agent-{id}.json"));
    let first = fs::read(&file).unwrap();
    annals_reads(&home, &["todos", "set", &id, "--dry-run"], "[\"two\"]");
    assert_eq!(fs::read(&file).unwrap(), first);
    annals_reads(&home, &["todos", "set", &id], "[\"two\"]");
    assert_ne!(fs::read(&file).unwrap(), first);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(fs::read(&file).unwrap(), first);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert!(!file.exists());
}

#[test]
fn prompts_are_noted_in_the_history_where_that_is_asked_for() {
    let home = Home::new();
    let (id, _) = new_session(&home);
    let input =
        "{\"role\":\"user\",\"content\":\"remember me\"}\n{\"role\":\"assistant\",\"content\":\"yes\"}\n";
    assert_eq!(annals_reads(&home, &["append", &id, "--history"], input).code, Some(0));
    let history = annals_exits(&home, &["history"], 0).out;
    assert!(history.contains("remember me") && !history.contains("yes"), "{history}");
}
