//! How handlers are reached: commands, addresses, models; where they come from, and how they end.

use std::io::{Read, Write};
use std::net::TcpListener;

use super::super::{ChatFixture, KEY, started};
use super::{HookFixture, command};

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
fn a_command_in_the_background_is_not_waited_for_and_its_answer_comes_later() {
    for handler in [
        r#"{"type":"command","async":true,"command":"sleep 0.2; echo '{\"hookSpecificOutput\":{\"additionalContext\":\"LATE\"}}'"}"#,
        r#"{"type":"command","command":"echo '{\"async\":true}'; sleep 0.2; echo '{\"hookSpecificOutput\":{\"additionalContext\":\"LATE\"}}'"}"#,
    ] {
        let fixture = HookFixture::new(&[("SessionStart", handler)]);
        let script = r#"{"a":[[{"type":"tool_use","name":"Bash","input":{"command":"sleep 2"}}],[{"type":"text","text":"Slept."}]]}"#;
        let api = started(script, "/w");
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
