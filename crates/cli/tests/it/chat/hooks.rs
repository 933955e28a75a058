//! Hooks of settings files: commands and addresses that are told of events, and what follows from their answers.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;

use annals_json::Value;
use annals_testkit::home::CommandOutput;

use super::{ChatFixture, KEY, text};
use crate::annals_exits;

const SCRIPT: &str = r#"{
    "touch":[[{"type":"tool_use","name":"Bash","input":{"command":"touch {{CWD}}/made"}}],[{"type":"text","text":"Fine."}]],
    "say":[[{"type":"tool_use","name":"Bash","input":{"command":"echo \"V=$FROM_HOOK\""}}],[{"type":"text","text":"Said."}]],
    "move":[[{"type":"tool_use","name":"Bash","input":{"command":"mkdir -p below && cd below"}}],
        [{"type":"tool_use","name":"Bash","input":{"command":"echo \"V=$FROM_HOOK\""}}],[{"type":"text","text":"Moved."}]],
    "fail":[[{"type":"tool_use","name":"Bash","input":{"command":"exit 3"}}],[{"type":"text","text":"Failed."}]],
    "broken":[{"status":400,"error":"invalid_request_error","message":"that is wrong","content":[]}],
    "hello":[[{"type":"text","text":"Hello."}],[{"type":"text","text":"Hello again."}]]}"#;

/// A home whose hooks note what they are told.
struct HookFixture {
    chat: ChatFixture,
}

impl HookFixture {
    /// One with these hooks: `EVENT: JSON of a handler`, one a line. `LOG` is the file that notes what hooks are told.
    fn new(hooks: &[(&str, &str)]) -> Self {
        let fixture = Self { chat: ChatFixture::in_folder(SCRIPT) };
        fixture.set(hooks, "");
        fixture
    }

    fn set(&self, hooks: &[(&str, &str)], more: &str) {
        let mut events: Vec<&str> = hooks.iter().map(|(event, _)| *event).collect();
        events.dedup();
        let log = self.log().display().to_string();
        let group = |event: &&str| {
            let handlers: Vec<&str> =
                hooks.iter().filter(|(other, _)| other == event).map(|(_, handler)| *handler).collect();
            format!(r#""{event}":[{{"hooks":[{}]}}]"#, handlers.join(",").replace("LOG", &log))
        };
        let groups: Vec<String> = events.iter().map(group).collect();
        let settings =
            format!(r#"{{"permissions":{{"allow":["Bash"]}},"hooks":{{{}}}{more}}}"#, groups.join(","));
        assert!(Value::parse(settings.as_bytes()).is_ok(), "{settings}");
        self.chat.home.write("settings.json", settings);
    }

    fn log(&self) -> PathBuf {
        self.chat.home.path().join("told")
    }

    /// What hooks were told, one JSON object each.
    fn told(&self) -> Vec<String> {
        let told = std::fs::read_to_string(self.log()).unwrap_or_default();
        told.lines().map(str::to_owned).collect()
    }

    #[track_caller]
    fn run(&self, prompt: &str, code: i32) -> CommandOutput {
        let answer = self.chat.exits(&["--output-format", "json", prompt], code);
        let broken: Vec<_> =
            self.chat.api.requests().into_iter().flat_map(|request| request.violations).collect();
        assert!(broken.is_empty(), "{broken:?}");
        answer
    }

    fn made(&self) -> bool {
        self.chat.home.work_dir().join("made").exists()
    }

    fn session(&self) -> String {
        std::fs::read_to_string(self.chat.sessions().into_iter().find(|path| path.is_file()).unwrap())
            .unwrap()
    }

    /// The attachments of hooks in the session, by their kind.
    fn kinds(&self) -> Vec<String> {
        let session = self.session();
        let kind = |line: &str| {
            let value = Value::parse(line.as_bytes()).ok()?;
            Some(value.get("attachment")?.get("type")?.text()?.to_string())
        };
        session.lines().filter_map(kind).filter(|kind| kind.contains("hook")).collect()
    }

    /// The texts of the last request, as one.
    fn sent(&self) -> String {
        self.chat.last()
    }
}

fn command(script: &str) -> String {
    let mut json = Vec::new();
    annals_json::write_string(&mut json, script);
    format!(r#"{{"type":"command","command":{}}}"#, String::from_utf8(json).unwrap())
}

#[test]
fn a_command_that_exits_with_2_denies_and_its_errors_are_the_reason() {
    let fixture = HookFixture::new(&[("PreToolUse", &command("cat >> LOG; echo NO-WAY >&2; exit 2"))]);
    let answer = fixture.run("@@touch@@", 0);
    assert!(!fixture.made() && answer.out.contains(r#""permission_denials":[{"tool_name":"Bash""#));
    assert!(fixture.sent().contains("PreToolUse:Bash hook error: [cat >> "), "{}", fixture.sent());
    assert!(fixture.sent().contains("]: NO-WAY"));
    assert_eq!(fixture.kinds(), [""; 0]);
    let told = fixture.told();
    for (key, value) in
        [("hook_event_name", "PreToolUse"), ("tool_name", "Bash"), ("permission_mode", "default")]
    {
        assert_eq!(text(&told[0], &[key]), value);
    }
    let keys: Vec<String> = Value::parse(told[0].as_bytes())
        .unwrap()
        .fields()
        .unwrap()
        .iter()
        .map(|field| field.key.to_string())
        .collect();
    assert_eq!(
        keys,
        [
            "session_id",
            "transcript_path",
            "cwd",
            "prompt_id",
            "permission_mode",
            "hook_event_name",
            "tool_name",
            "tool_input",
            "tool_use_id"
        ]
    );
    assert_eq!(text(&told[0], &["transcript_path"]), fixture.chat.sessions()[0].display().to_string());
}

#[test]
fn a_command_that_fails_stops_nothing_and_one_that_does_not_start_stops_the_call() {
    for (script, runs) in [
        ("exit 1", true),
        ("echo text", true),
        ("echo '{broken'; exit 3", true),
        (r#"echo '{"decision":"maybe"}'"#, true),
        ("/no/such/program", false),
        ("exit 126", false),
        (
            r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}'; exit 1"#,
            false,
        ),
    ] {
        let fixture = HookFixture::new(&[("PreToolUse", &command(script))]);
        let answer = fixture.run("@@touch@@", 0);
        assert_eq!(fixture.made(), runs, "{script}: {}", answer.error);
        let is_said = answer.error.contains("the PreToolUse:Bash hook");
        assert_eq!(is_said, !script.contains("deny") && script != "echo text", "{script}: {}", answer.error);
        let kinds = fixture.kinds();
        let expected = match script {
            "echo text" => vec!["hook_success"],
            script if script.contains("deny") => vec![],
            _ => vec!["hook_non_blocking_error"],
        };
        assert_eq!(kinds, expected, "{script}");
    }
}

#[test]
fn a_handler_that_is_not_supported_is_said_and_does_not_let_calls_pass() {
    let agent = r#"{"type":"agent","prompt":"is it fine?"}"#;
    let fixture = HookFixture::new(&[("PreToolUse", agent), ("Stop", agent)]);
    let answer = fixture.run("@@touch@@", 0);
    assert!(!fixture.made());
    assert!(
        answer
            .error
            .contains(r#"a PreToolUse hook cannot be run: handlers of type "agent" are not supported"#)
    );
    let fixture = HookFixture::new(&[("PreToolUse", agent)]);
    fixture.chat.exits(&["--ignore-hooks", "@@touch@@"], 0);
    assert!(fixture.made());
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_all_that_it_started() {
    let slow = r#"{"type":"command","command":"sleep 300 & sleep 300","timeout":0.3}"#;
    let fixture = HookFixture::new(&[("PreToolUse", slow)]);
    let answer = fixture.run("@@touch@@", 0);
    assert!(fixture.made(), "as in the original, the call goes on");
    assert!(answer.error.contains("it did not answer within 0.3 s"), "{}", answer.error);
    assert_eq!(fixture.kinds(), ["hook_cancelled"]);
    assert!(fixture.session().contains(r#""timedOut":true,"timeoutMs":300"#));
}

#[test]
fn commands_get_no_keys_and_know_the_project() {
    let fixture = HookFixture::new(&[("SessionStart", &command("env > LOG"))]);
    fixture.run("@@hello@@", 0);
    let environment = fixture.told().join("\n");
    assert!(!environment.contains(KEY) && !environment.contains("ANTHROPIC_API_KEY"), "{environment}");
    let project = format!("CLAUDE_PROJECT_DIR={}", fixture.chat.home.work_dir().display());
    for line in
        [&project[..], "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ATTENDED=0", "CLAUDE_CODE_ENTRYPOINT=sdk-cli"]
    {
        assert!(environment.lines().any(|known| known == line), "{line}: {environment}");
    }
    assert!(environment.contains("CLAUDE_ENV_FILE=") && environment.contains("CLAUDE_CODE_SESSION_ID="));
}

#[test]
fn the_same_command_runs_once_and_all_matching_ones_run() {
    let (one, two) = (command("cat >> LOG"), command("cat >> LOG; true"));
    let fixture = HookFixture::new(&[("PreToolUse", &one), ("PreToolUse", &two), ("PreToolUse", &one)]);
    fixture.run("@@touch@@", 0);
    assert_eq!(fixture.told().len(), 2);
}

#[test]
fn a_condition_chooses_calls() {
    for (rule, count) in [("Bash(touch *)", 1), ("Bash(git *)", 0), ("Read", 0), ("Bash", 1)] {
        let handler = format!(r#"{{"type":"command","command":"cat >> LOG","if":"{rule}"}}"#);
        let fixture = HookFixture::new(&[("PreToolUse", &handler)]);
        fixture.run("@@touch@@", 0);
        assert_eq!(fixture.told().len(), count, "{rule}");
    }
    let handler = r#"{"type":"command","command":"cat >> LOG","if":"Bash"}"#;
    let fixture = HookFixture::new(&[("Stop", handler)]);
    let answer = fixture.run("@@hello@@", 0);
    assert!(
        fixture.told().is_empty() && answer.error.contains("a Stop hook with a condition is never called")
    );
}

#[test]
fn every_event_is_told_in_its_order() {
    let events = [
        "SessionStart",
        "UserPromptSubmit",
        "MessageDisplay",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "CwdChanged",
        "Stop",
        "StopFailure",
        "SessionEnd",
        "PermissionRequest",
    ];
    let note = command("cat >> LOG");
    let hooks: Vec<(&str, &str)> = events.iter().map(|event| (*event, note.as_str())).collect();
    let fixture = HookFixture::new(&hooks);
    let told = |fixture: &HookFixture| -> Vec<String> {
        let told = fixture.told().iter().map(|line| text(line, &["hook_event_name"])).collect();
        std::fs::remove_file(fixture.log()).unwrap();
        told
    };
    fixture.run("@@move@@", 0);
    assert_eq!(
        told(&fixture),
        [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "CwdChanged",
            "PostToolBatch",
            "PreToolUse",
            "PostToolUse",
            "PostToolBatch",
            "MessageDisplay",
            "Stop",
            "SessionEnd"
        ]
    );
    fixture.run("@@fail@@", 0);
    assert_eq!(
        told(&fixture)[2..],
        ["PreToolUse", "PostToolUseFailure", "PostToolBatch", "MessageDisplay", "Stop", "SessionEnd"]
    );
    fixture.run("@@broken@@", 1);
    assert_eq!(told(&fixture), ["SessionStart", "UserPromptSubmit", "StopFailure", "SessionEnd"]);
    fixture.chat.home.write(
        "settings.json",
        std::fs::read_to_string(fixture.chat.home.config_dir().join("settings.json"))
            .unwrap()
            .replace(r#""allow":["Bash"]"#, r#""allow":[]"#),
    );
    fixture.run("@@touch@@", 0);
    assert_eq!(told(&fixture)[2..4], ["PreToolUse", "PermissionRequest"]);
}

#[test]
fn what_hooks_say_reaches_the_model_and_the_session() {
    let context = |event: &str, words: &str| {
        command(&format!(
            r#"echo '{{"systemMessage":"SYS","hookSpecificOutput":{{"hookEventName":"{event}","additionalContext":"{words}"}}}}'"#
        ))
    };
    let (pre, post, submit) = (
        context("PreToolUse", "IN-PRE"),
        context("PostToolUse", "IN-POST"),
        context("UserPromptSubmit", "IN-SUBMIT"),
    );
    let fixture = HookFixture::new(&[
        ("SessionStart", &command("echo AT-START")),
        ("UserPromptSubmit", &submit),
        ("PreToolUse", &pre),
        ("PostToolUse", &post),
    ]);
    let answer = fixture.run("@@touch@@", 0);
    assert!(answer.error.contains("PreToolUse:Bash says: SYS"), "{}", answer.error);
    let sent = fixture.sent();
    for words in [
        "SessionStart:startup hook success: AT-START",
        "UserPromptSubmit hook additional context: IN-SUBMIT",
        "PreToolUse:Bash hook additional context: IN-PRE",
        "PostToolUse:Bash hook additional context: IN-POST",
    ] {
        assert_eq!(sent.matches(words).count(), 1, "{words}: {sent}");
    }
    assert!(!sent.contains("SYS"), "a message for the person");
    assert_eq!(
        fixture.kinds(),
        [
            "hook_success",
            "hook_system_message",
            "hook_additional_context",
            "hook_success",
            "hook_system_message",
            "hook_additional_context",
            "hook_success",
            "hook_system_message",
            "hook_additional_context"
        ]
    );
    let session = fixture.session();
    assert!(
        session.lines().next().unwrap().contains("AT-START"),
        "the start comes before the prompt: {session}"
    );
    let id = fixture.chat.sessions()[0].file_stem().unwrap().to_string_lossy().into_owned();
    annals_exits(&fixture.chat.home, &["check", &id], 0);
}

#[test]
fn a_long_text_is_saved_beside_the_session() {
    let fixture = HookFixture::new(&[("SessionStart", &command("head -c 20000 /dev/zero | tr '\\0' x"))]);
    fixture.run("@@hello@@", 0);
    assert!(
        fixture.sent().contains("tool-results/hook-") && fixture.sent().len() < 20_000,
        "{}",
        fixture.sent()
    );
    assert!(fixture.session().contains(&"x".repeat(20_000)), "the record has the whole output");
}

#[test]
fn variables_of_a_hook_are_in_force_for_later_commands() {
    let set = |value: &str| command(&format!("echo 'export FROM_HOOK={value}' >> \"$CLAUDE_ENV_FILE\""));
    let fixture = HookFixture::new(&[("SessionStart", &set("one")), ("CwdChanged", &set("two"))]);
    fixture.run("@@say@@", 0);
    assert!(fixture.sent().contains("V=one"), "{}", fixture.sent());
    let fixture = HookFixture::new(&[("CwdChanged", &set("two"))]);
    fixture.run("@@move@@", 0);
    assert!(fixture.sent().contains("V=two"), "{}", fixture.sent());
}

#[test]
fn a_turn_that_should_not_end_continues_and_is_summed_up() {
    let once =
        r#"if grep -q '"stop_hook_active":false'; then echo '{"decision":"block","reason":"NOT-YET"}'; fi"#;
    let fixture = HookFixture::new(&[("Stop", &command(once))]);
    let answer = fixture.run("@@hello@@", 0);
    assert_eq!(text(&answer.out, &["result"]), "Hello again.");
    assert!(fixture.sent().contains("Stop hook feedback:\\nNOT-YET"));
    let session = fixture.session();
    assert_eq!(session.matches(r#""subtype":"stop_hook_summary","hookCount":1"#).count(), 2, "{session}");
    let fixture = HookFixture::new(&[("Stop", &command("exit 0"))]);
    fixture.run("@@hello@@", 0);
    assert!(fixture.session().contains(r#""hasOutput":false"#));
}

#[test]
fn a_prompt_can_be_refused_or_kept_without_an_answer() {
    let fixture = HookFixture::new(&[("UserPromptSubmit", &command("echo NOT-THIS >&2; exit 2"))]);
    fixture.chat.exits(&["@@hello@@"], 0);
    assert!(fixture.chat.api.requests().is_empty() && fixture.chat.sessions().is_empty());
    let fixture = HookFixture::new(&[(
        "UserPromptSubmit",
        &command(r#"echo '{"continue":false,"stopReason":"LATER"}'"#),
    )]);
    fixture.chat.exits(&["@@hello@@"], 0);
    assert!(fixture.chat.api.requests().is_empty());
    assert!(fixture.session().contains("@@hello@@") && fixture.session().contains("LATER"));
}

#[test]
fn a_command_in_the_background_is_not_waited_for_and_its_answer_comes_later() {
    for handler in [
        r#"{"type":"command","async":true,"command":"sleep 0.2; echo '{\"hookSpecificOutput\":{\"additionalContext\":\"LATE\"}}'"}"#,
        r#"{"type":"command","command":"echo '{\"async\":true}'; sleep 0.2; echo '{\"hookSpecificOutput\":{\"additionalContext\":\"LATE\"}}'"}"#,
    ] {
        let fixture = HookFixture::new(&[("SessionStart", handler)]);
        let script = r#"{"a":[[{"type":"tool_use","name":"Bash","input":{"command":"sleep 2"}}],[{"type":"text","text":"Slept."}]]}"#;
        let api = super::started(script, "/w");
        let mut command = fixture.chat.command(&["sleep @@a@@"]);
        command.env("ANTHROPIC_BASE_URL", api.url());
        fixture.chat.finishes(command, 0);
        let last = String::from_utf8(api.requests().last().unwrap().body.clone()).unwrap();
        assert!(last.contains("LATE"), "{last}");
        assert_eq!(fixture.kinds(), ["async_hook_response"]);
    }
}

#[test]
fn hooks_of_a_project_run_once_it_is_trusted() {
    let fixture = HookFixture::new(&[]);
    let project = fixture.chat.home.work_dir().join(".claude");
    std::fs::create_dir_all(&project).unwrap();
    let settings = format!(
        r#"{{"hooks":{{"SessionStart":[{{"hooks":[{{"type":"command","command":"cat >> {}"}}]}}]}}}}"#,
        fixture.log().display()
    );
    std::fs::write(project.join("settings.json"), settings).unwrap();
    let answer = fixture.run("@@hello@@", 0);
    assert!(
        fixture.told().is_empty() && answer.error.contains("`hooks` is ignored until"),
        "{}",
        answer.error
    );
    fixture.chat.exits(&["--trust", "@@hello@@"], 0);
    assert_eq!(fixture.told().len(), 1);
    fixture.set(&[], r#","disableAllHooks":true"#);
    fixture.run("@@hello@@", 0);
    assert_eq!(fixture.told().len(), 1);
}

/// Answers one request with a status line and a body; returns the request.
fn answered(listener: TcpListener, answer: &'static str) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut piece = [0; 4096];
        while !String::from_utf8_lossy(&request).contains("tool_use_id") {
            let count = stream.read(&mut piece).unwrap();
            request.extend_from_slice(&piece[..count]);
        }
        let (status, body) = answer.split_once('\n').unwrap();
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        String::from_utf8(request).unwrap()
    })
}

#[test]
fn an_address_is_a_handler_too() {
    for (answer, runs) in [
        (
            "200 OK\n{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"BY-HTTP\"}}",
            false,
        ),
        ("200 OK\n", true),
        ("500 Broken\nx", true),
        ("200 OK\nnot json", true),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let handler = format!(
            r#"{{"type":"http","url":"{url}","headers":{{"X-Mine":"a $MINE b $ANTHROPIC_API_KEY c"}},"allowedEnvVars":["MINE"]}}"#
        );
        let fixture = HookFixture::new(&[("PreToolUse", &handler)]);
        let server = answered(listener, answer);
        let mut command = fixture.chat.command(&["@@touch@@"]);
        command.env("MINE", "mine");
        fixture.chat.finishes(command, 0);
        let request = server.join().unwrap().to_ascii_lowercase();
        assert!(
            request.contains("x-mine: a mine b  c") && request.contains("content-type: application/json"),
            "{request}"
        );
        assert_eq!(fixture.made(), runs, "{answer}");
        assert_eq!(fixture.sent().contains("BY-HTTP"), !runs);
    }
    // Nobody listens: it failed to start.
    let fixture = HookFixture::new(&[("PreToolUse", r#"{"type":"http","url":"http://127.0.0.1:9/"}"#)]);
    let answer = fixture.run("@@touch@@", 0);
    assert!(!fixture.made() && answer.error.contains("http://127.0.0.1:9/"), "{}", answer.error);
}

#[test]
fn a_model_can_be_asked() {
    let script = r#"{"touch":[[{"type":"tool_use","name":"Bash","input":{"command":"touch {{CWD}}/made"}}],[{"type":"text","text":"Fine."}]],
        "judge":[[{"type":"text","text":"{\"ok\":false,\"reason\":\"NOT-HERE\"}"}]]}"#;
    let fixture = HookFixture { chat: ChatFixture::in_folder(script) };
    fixture.set(&[("PreToolUse", r#"{"type":"prompt","prompt":"Is it fine? @@judge@@ $ARGUMENTS"}"#)], "");
    let answer = fixture.run("@@touch@@", 0);
    assert!(!fixture.made(), "{}", answer.out);
    assert_eq!(fixture.chat.api.requests().len(), 2, "the turn ends");
    assert!(fixture.session().contains("NOT-HERE"));
}
