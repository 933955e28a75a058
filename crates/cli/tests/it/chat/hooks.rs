//! Hooks of settings files: what they are told of events, and what follows from their answers.

mod handlers;
mod owned;

use std::path::PathBuf;

use annals_json::Value;
use annals_testkit::home::CommandOutput;

use super::{ChatFixture, text};
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
