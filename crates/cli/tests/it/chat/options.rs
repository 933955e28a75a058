//! Options for programs: budget, schema, tools, settings, sub-agents, where a session is resumed.

use super::{ChatFixture, HELLO, text};

const TWICE: &str = r#"{"w":[[{"type":"tool_use","name":"Glob","input":{"pattern":"x"}}],
    [{"type":"tool_use","name":"Glob","input":{"pattern":"y"}}],[{"type":"text","text":"both"}]]}"#;

#[test]
fn a_turn_ends_when_its_budget_or_its_responses_are_spent() {
    let fixture = ChatFixture::new(TWICE);
    let answer = fixture.exits(&["--max-budget-usd", "0.000001", "--output-format", "json", "@@w@@"], 1);
    assert_eq!(text(&answer.out, &["subtype"]), "error_max_budget_usd");
    assert_eq!(fixture.api.requests().len(), 1);
    let answer = fixture.exits(&["--max-turns", "1", "--output-format", "json", "@@w@@"], 1);
    assert!(answer.out.contains(r#""subtype":"error_max_turns""#) && answer.out.contains(r#""num_turns":2"#));
    assert!(answer.out.contains(r#""terminal_reason":"max_turns""#), "{}", answer.out);
}

#[test]
fn output_in_the_form_of_a_schema_is_asked_for_until_it_fits() {
    let script = r#"{"s":[[{"type":"text","text":"here you are"}],
        [{"type":"tool_use","name":"StructuredOutput","input":{"age":"old"}}],
        [{"type":"tool_use","name":"StructuredOutput","input":{"age":36}}],[{"type":"text","text":"done"}]]}"#;
    let fixture = ChatFixture::new(script);
    let schema = r#"{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}"#;
    let answer = fixture.exits(&["--json-schema", schema, "--output-format", "json", "@@s@@"], 0);
    assert!(answer.out.contains(r#""structured_output":{"age":36}"#), "{}", answer.out);
    let bodies: Vec<String> = fixture
        .api
        .requests()
        .iter()
        .map(|request| String::from_utf8_lossy(&request.body).into_owned())
        .collect();
    assert!(bodies[1].contains("give it by calling StructuredOutput"), "{}", bodies[1]);
    assert!(bodies[2].contains("does not match required schema"), "{}", bodies[2]);
    fixture.exits(&["--json-schema", "[]", "@@s@@"], 2);
}

#[test]
fn output_that_is_not_given_or_never_fits_ends_the_turn() {
    let bad = r#"[{"type":"tool_use","name":"StructuredOutput","input":{"age":"old"}}]"#;
    let script = format!(
        r#"{{"plain":[[{{"type":"text","text":"one"}}],[{{"type":"text","text":"two"}}],[{{"type":"text","text":"three"}}]],
            "bad":[{},[{{"type":"text","text":"never"}}]]}}"#,
        [bad; 7].join(",")
    );
    let fixture = ChatFixture::new(&script);
    let schema = r#"{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}"#;
    let asked = |settings: &str, prompt: &str, code: i32| {
        let before = fixture.api.requests().len();
        let options = ["--json-schema", schema, "--output-format", "json", "--settings", settings];
        let answer = fixture.exits(&[&options[..], &[prompt]].concat(), code);
        (answer, fixture.api.requests().len() - before)
    };
    // It is asked for once more; then the text is the answer.
    let (answer, requests) = asked("{}", "@@plain@@", 0);
    assert_eq!((text(&answer.out, &["result"]).as_str(), requests), ("two", 2));
    assert!(!answer.out.contains("structured_output"), "{}", answer.out);
    assert!(answer.error.contains("no structured output"), "{}", answer.error);
    let (answer, requests) = asked("{}", "@@bad@@", 1);
    assert_eq!(text(&answer.out, &["subtype"]), "error_max_structured_output_retries");
    assert_eq!(text(&answer.out, &["terminal_reason"]), "structured_output_retry_exhausted");
    assert!(answer.out.contains(r#""num_turns":6"#) && requests == 5, "{}", answer.out);
    assert!(
        answer.out.contains("after 5 attempts") && !answer.out.contains(r#""result":"#),
        "{}",
        answer.out
    );
    let fewer = r#"{"env":{"MAX_STRUCTURED_OUTPUT_RETRIES":"2"}}"#;
    assert_eq!(asked(fewer, "@@bad@@", 1).1, 2);
    assert!(fixture.api.requests().iter().all(|request| request.violations.is_empty()));
}

#[test]
fn a_bare_conversation_has_settings_and_nothing_else_of_files() {
    let bash = r#"[{"type":"tool_use","name":"Bash","input":{"command":"echo simple=$CLAUDE_CODE_SIMPLE"}}]"#;
    let fixture = ChatFixture::new(&format!(r#"{{"a":[{bash},[{{"type":"text","text":"done"}}]]}}"#));
    let (home, work) = (&fixture.home, fixture.home.work_dir());
    home.write(
        "settings.json",
        r#"{"permissions":{"allow":["Bash"]},"outputStyle":"Loud","hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"echo HOOK-RAN"}]}]}}"#,
    );
    home.write("CLAUDE.md", "OWN-NOTE");
    home.write("skills/own/SKILL.md", "---\ndescription: OWN-SKILL\n---\nx");
    home.write("commands/own-command.md", "---\ndescription: OWN-COMMAND\n---\nx");
    home.write("agents/own.md", "---\nname: own\ndescription: OWN-AGENT\n---\nx");
    home.write("output-styles/loud.md", "---\nname: Loud\n---\nLOUD-STYLE");
    home.write(".claude.json", r#"{"mcpServers":{"own":{"command":"/no/such/server"}}}"#);
    std::fs::write(work.join("CLAUDE.md"), "PROJECT-NOTE").unwrap();
    let marks =
        ["OWN-NOTE", "PROJECT-NOTE", "OWN-SKILL", "OWN-COMMAND", "OWN-AGENT", "LOUD-STYLE", "HOOK-RAN"];
    let sent = |options: &[&str]| {
        let before = fixture.api.requests().len();
        let answer =
            fixture.exits(&[options, &["--trust", "--output-format", "stream-json", "@@a@@"]].concat(), 0);
        let body = String::from_utf8_lossy(&fixture.api.requests()[before].body).into_owned();
        let found: Vec<&str> = marks.into_iter().filter(|mark| body.contains(mark)).collect();
        (answer, body, found)
    };
    let (answer, body, found) = sent(&["--bare"]);
    assert_eq!(found, Vec::<&str>::new(), "{body}");
    assert!(answer.error.contains("because of --bare"), "{}", answer.error);
    let init = answer.out.lines().next().unwrap();
    assert!(
        init.contains(r#""tools":["Bash","Edit","Read"]"#)
            || init.contains(r#""tools":["Read","Edit","Bash"]"#),
        "{init}"
    );
    assert!(init.contains(r#""mcp_servers":[]"#), "{init}");
    assert!(fixture.last().contains("simple=1"), "the settings allow it: {}", fixture.last());
    let (_, _, found) = sent(&["--bare", "--tools", "default", "--plugin-dir", "plug"]);
    assert_eq!(found, Vec::<&str>::new());
    assert_eq!(sent(&[]).2, marks, "without it they are all there");
    assert!(fixture.last().contains("simple=\""), "{}", fixture.last());
}

#[test]
fn the_end_of_plan_mode_is_recorded_once() {
    let fixture = ChatFixture::new(HELLO);
    let id = "3f2a9c1e-0000-4000-8000-0000000000bc";
    let records = || {
        let session = std::fs::read_to_string(&fixture.sessions()[0]).unwrap();
        let count = |kind: &str| session.matches(&format!(r#""attachment":{{"type":"{kind}","#)).count();
        [count("plan_mode"), count("plan_mode_exit")]
    };
    fixture.exits(&["--session-id", id, "--permission-mode", "plan", "@@a@@"], 0);
    assert_eq!(records(), [1, 0]);
    fixture.exits(&["--resume", id, "@@b@@"], 0);
    fixture.exits(&["--resume", id, "@@b@@"], 0);
    assert_eq!(records(), [1, 1]);
    fixture.exits(&["--resume", id, "--permission-mode", "plan", "@@b@@"], 0);
    assert_eq!(records(), [2, 1]);
}

#[test]
fn tools_settings_and_prompts_are_those_that_are_named() {
    let fixture = ChatFixture::new(HELLO);
    fixture.home.write("settings.json", r#"{"model":"claude-opus-4-7"}"#);
    let file = fixture.home.path().join("prompt.txt");
    std::fs::write(&file, "FROM-A-FILE").unwrap();
    let file = file.display().to_string();
    let sent = |arguments: &[&str]| {
        let mut command = fixture.home.command(env!("CARGO_BIN_EXE_annals"));
        command.args(["chat", "-p"]).args(arguments).arg("--").arg("@@a@@");
        command.env("ANTHROPIC_API_KEY", super::KEY).env("ANTHROPIC_BASE_URL", fixture.api.url());
        command.stdin(std::process::Stdio::null());
        let done = fixture.home.finish(&mut command);
        assert_eq!(done.code, Some(0), "{arguments:?}: {}", done.error);
        fixture.last()
    };
    let body = sent(&["--tools", "Read,Bash", "--setting-sources", "user", "--system-prompt-file", &file]);
    assert!(body.contains("claude-opus-4-7") && body.contains("FROM-A-FILE"), "{body}");
    assert!(body.contains(r#""name":"Read""#) && body.contains(r#""name":"Bash""#));
    assert!(!body.contains(r#""name":"Write""#) && !body.contains(r#""name":"Agent""#), "{body}");
    let body = sent(&["--tools", "", "--setting-sources=", "--system-prompt", "", "--effort", "high"]);
    assert!(!body.contains("claude-opus-4-7") && !body.contains(r#""input_schema""#), "{body}");
    assert!(body.contains(r#""effort":"high""#) && !body.contains(r#""text":"""#), "{body}");
    let agents = r#"{"reviewer":{"description":"LOOKS-AT-IT","prompt":"p"}}"#;
    assert!(sent(&["--agents", agents, "--betas", "one-beta"]).contains("LOOKS-AT-IT"));
    assert!(fixture.api.requests().last().unwrap().header("anthropic-beta").unwrap().contains("one-beta"));
    fixture.exits(&["--agents", "[]", "hello"], 2);
    fixture.exits(&["--setting-sources", "everywhere", "hello"], 2);
    fixture.exits(&["--output-format", "json", "--effort", "enormous", "hello"], 2);
}

#[test]
fn a_session_can_be_resumed_as_it_was_at_a_message() {
    let fixture = ChatFixture::new(HELLO);
    let id = "3f2a9c1e-0000-4000-8000-0000000000bb";
    fixture.exits(&["--session-id", id, "FIRST-PROMPT @@a@@"], 0);
    let session = std::fs::read_to_string(&fixture.sessions()[0]).unwrap();
    let last = session.lines().rfind(|line| line.contains(r#""type":"assistant""#)).unwrap().to_owned();
    let message = text(&last, &["uuid"]);
    fixture.exits(&["--resume", id, "OTHER-PROMPT @@b@@"], 0);
    fixture.exits(&["--resume", id, "--resume-session-at", &message, "THIRD-PROMPT @@b@@"], 0);
    assert!(fixture.last().contains("FIRST-PROMPT") && fixture.last().contains("THIRD-PROMPT"));
    assert!(!fixture.last().contains("OTHER-PROMPT"), "{}", fixture.last());
    fixture.exits(&["--resume", id, "--resume-session-at", id, "fourth"], 2);
}
