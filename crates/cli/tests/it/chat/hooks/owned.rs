//! Hooks in the front matter of sub-agents, commands and skills; tools of servers as handlers; calls that are left for later.

use annals_testkit::mcp::McpScript;

use super::super::{ChatFixture, text};
use super::{HookFixture, command};

const DENY: &str =
    r#"{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"NOT-HERE\"}}"#;
const DEFER: &str = r#"{"type":"command","command":"[ -e again ] || echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"defer\"}}'"}"#;
const AGENT: &str = r#"{"a":[[{"type":"tool_use","name":"Agent","input":{"subagent_type":"guarded","description":"d","prompt":"do @@inner@@"}}],
        [{"type":"tool_use","name":"Bash","input":{"command":"echo outer"}}],[{"type":"text","text":"Fine."}]],
    "inner":[[{"type":"tool_use","name":"Bash","input":{"command":"touch {{CWD}}/made"}}],[{"type":"text","text":"Inner."}]]}"#;

/// The front matter of a file whose hooks note what they are told.
fn matter(fixture: &ChatFixture, keys: &str, events: &[&str]) -> String {
    let log = fixture.home.path().join("told");
    let group = |event: &&str| {
        format!(
            "  {event}:\n    - hooks:\n        - type: command\n          command: cat >> {}\n",
            log.display()
        )
    };
    format!("---\n{keys}\nhooks:\n{}---\nDo it. $ARGUMENTS\n", events.iter().map(group).collect::<String>())
}

#[test]
fn hooks_of_a_sub_agent_are_told_of_what_happens_in_it() {
    let fixture = HookFixture { chat: ChatFixture::in_folder(AGENT) };
    fixture.set(&[], "");
    let run = || fixture.chat.exits(&["--allowedTools", "Agent", "--", "@@a@@"], 0);
    let file =
        matter(&fixture.chat, "name: guarded\ndescription: x", &["PreToolUse", "Stop", "SubagentStart"]);
    fixture.chat.home.write("agents/guarded.md", file);
    let answer = run();
    let told = fixture.told();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("touch") && told[0].contains(r#""agent_type":"guarded""#), "{told:?}");
    assert!(told[1].contains(r#""hook_event_name":"SubagentStop""#), "what ends is the sub-agent: {told:?}");
    assert!(answer.error.contains("its own hooks for SubagentStart are never called"), "{}", answer.error);
    fixture.set(&[], r#","disableAllHooks":true"#);
    run();
    assert_eq!(fixture.told().len(), 2, "switched off");
}

#[test]
fn hooks_of_a_skill_begin_when_it_is_used() {
    let fixture = HookFixture::new(&[]);
    let skill = matter(&fixture.chat, "description: x", &["PreToolUse"]);
    let once = skill.replace("told\n", "told\n          once: true\n");
    for (name, text, calls) in [("careful", skill, 2), ("once", once, 1)] {
        let folder = fixture.chat.home.config_dir().join("skills").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
        fixture.run("@@touch@@", 0);
        assert!(fixture.told().is_empty(), "it is not used");
        fixture.run(&format!("/{name} @@move@@"), 0);
        assert_eq!(fixture.told().len(), calls, "{name}: {:?}", fixture.told());
        std::fs::remove_file(fixture.log()).unwrap();
    }
}

#[test]
fn a_tool_of_a_server_is_a_handler() {
    let handler =
        r#"{"type":"mcp_tool","server":"srv","tool":"echo","input":{"words":"${tool_input.command}"}}"#;
    let fixture = HookFixture::new(&[("PreToolUse", handler)]);
    let answers = format!(
        r#"*'"method":"tools/call"'*) answer '{{"content":[{{"type":"text","text":"{DENY}"}}]}}' ;;"#
    );
    let server = McpScript::with(&fixture.chat.home.path().join("srv"), &answers);
    let config = format!(r#"{{"mcpServers":{{"srv":{}}}}}"#, server.definition());
    fixture.chat.exits(&["--mcp-config", &config, "--", "@@touch@@"], 0);
    assert!(!fixture.made() && fixture.sent().contains("hook error: NOT-HERE"), "{}", fixture.sent());
    assert!(server.log().contains(r#""words":"touch "#), "{}", server.log());
    // A server or a tool that is not there is no yes.
    let answer = fixture.run("@@touch@@", 0);
    assert!(
        !fixture.made() && answer.error.contains(r#"MCP server "srv" is not connected"#),
        "{}",
        answer.error
    );
    fixture.set(&[("PreToolUse", &handler.replace("echo", "gone"))], "");
    let answer = fixture.chat.exits(&["--mcp-config", &config, "--", "@@touch@@"], 0);
    assert!(!fixture.made() && answer.error.contains(r#"has no tool "gone""#), "{}", answer.error);
}

#[test]
fn a_call_that_is_left_for_later_runs_when_the_session_is_resumed() {
    let fixture = HookFixture::new(&[("PreToolUse", DEFER), ("PreToolUse", &command("cat >> LOG"))]);
    let answer = fixture.run("@@touch@@", 0);
    assert!(!fixture.made() && answer.out.contains(r#""terminal_reason":"tool_deferred""#), "{}", answer.out);
    assert!(answer.out.contains(r#""deferred_tool_use":{"id":"toolu_"#), "{}", answer.out);
    assert_eq!(fixture.kinds().last().map(String::as_str), Some("hook_deferred_tool"));
    let session = text(&answer.out, &["session_id"]);
    let resume = |code| fixture.chat.exits(&["--resume", &session, "--output-format", "json"], code);
    let again = resume(0);
    assert!(!fixture.made() && again.out.contains("deferred_tool_use"), "still not: {}", again.out);
    std::fs::write(fixture.chat.home.work_dir().join("again"), "").unwrap();
    let ran = resume(0);
    assert!(fixture.made() && ran.out.contains(r#""result":"Fine.""#), "{}", ran.out);
    assert_eq!(fixture.told().len(), 3, "hooks are asked each time");
    let nothing = resume(1);
    assert!(nothing.out.contains("this session has no deferred call"), "{}", nothing.out);
    assert!(fixture.chat.api.requests().iter().all(|request| request.violations.is_empty()));
}

#[test]
fn a_call_that_was_left_for_later_runs_before_the_prompt_of_a_resumed_session() {
    let fixture = HookFixture::new(&[("PreToolUse", DEFER)]);
    let session = text(&fixture.run("@@touch@@", 0).out, &["session_id"]);
    let resume =
        |form: &str| fixture.chat.exits(&["--resume", &session, "--output-format", form, "@@hello@@"], 0);
    // It is left again: the prompt is answered, and the call is not run.
    let again = resume("stream-json");
    let results = |out: &str| out.lines().filter(|line| line.contains(r#""type":"result""#)).count();
    assert!(!fixture.made() && results(&again.out) == 2, "{}", again.out);
    assert!(again.out.contains("deferred_tool_use") && again.out.contains("Hello."), "{}", again.out);
    let fixture = HookFixture::new(&[("PreToolUse", DEFER)]);
    let session = text(&fixture.run("@@touch@@", 0).out, &["session_id"]);
    std::fs::write(fixture.chat.home.work_dir().join("again"), "").unwrap();
    let answer = fixture.chat.exits(&["--resume", &session, "@@hello@@"], 0);
    assert_eq!(answer.out, "Hello.\n", "the answer to the prompt alone");
    assert!(fixture.made());
    let records = fixture.session();
    let at = |words: &str| records.find(words).unwrap_or_else(|| panic!("{words}: {records}"));
    assert!(at("Fine.") < at("@@hello@@") && at("@@hello@@") < at("Hello."), "{records}");
    assert!(fixture.chat.api.requests().iter().all(|request| request.violations.is_empty()));
}
