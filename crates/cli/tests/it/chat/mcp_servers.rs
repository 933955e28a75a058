//! MCP servers of a conversation: where they are configured, whether they start, what the model gets of them.

use std::path::Path;

use annals_json::Value;
use annals_testkit::mcp::McpScript;
use annals_testkit::oauth::OAuthServer;

use super::ChatFixture;
use crate::annals_exits;

const STREAM: [&str; 2] = ["--output-format", "stream-json"];
const CALL: &str = r#"{"c":[[{"type":"tool_use","name":"mcp__srv__echo","input":{"a":1}}],[{"type":"text","text":"done"}]],
    "d":[[{"type":"text","text":"hello"}]],"e":[[{"type":"text","text":"again"}]]}"#;

/// A server in a folder of its own.
fn script(fixture: &ChatFixture, name: &str, cases: &str) -> McpScript {
    McpScript::with(&fixture.home.path().join(name), cases)
}

fn config(servers: &[(&str, &McpScript)]) -> String {
    let entry = |(name, script): &(&str, &McpScript)| format!(r#""{name}":{}"#, script.definition());
    format!(r#"{{"mcpServers":{{{}}}}}"#, servers.iter().map(entry).collect::<Vec<_>>().join(","))
}

fn tools(request: &str) -> Vec<String> {
    let request = Value::parse(request.as_bytes()).unwrap();
    let name = |tool: Value<'_>| tool.get("name").unwrap().text().unwrap().to_string();
    request.get("tools").unwrap().items().map(name).collect()
}

fn user_state(fixture: &ChatFixture, json: &str) {
    std::fs::write(fixture.home.path().join(".claude.json"), json).unwrap();
}

#[test]
fn a_tool_of_a_server_is_offered_called_and_recorded() {
    let fixture = ChatFixture::new(CALL);
    let server = script(
        &fixture,
        "srv",
        r#"*'"method":"tools/call"'*) env > "$log.env"; answer '{"content":[{"type":"text","text":"echoed"}],"_meta":{"x":1}}' ;;"#,
    );
    let config = config(&[("srv", &server)]);
    let mut command = fixture.command(&["--allowedTools", "mcp__srv__e*", "--mcp-config", &config]);
    command.args(STREAM).arg("--").arg("@@c@@").env("OPENAI_API_KEY", "sk-other").env("LEVEL", "2");
    let answer = fixture.finishes(command, 0);
    let lines: Vec<&str> = answer.out.lines().collect();
    assert!(
        lines[0].contains(r#""mcp_servers":[{"name":"srv","status":"connected","source":"dynamic"}]"#),
        "{}",
        lines[0]
    );
    assert!(lines[0].contains("mcp__srv__echo"), "{}", lines[0]);
    let told = lines.iter().find(|line| line.contains("tool_use_result")).unwrap();
    assert!(
        told.contains(r#""tool_use_result":{"content":[{"type":"text","text":"echoed"}],"_meta":{"x":1}}"#),
        "{told}"
    );
    assert_eq!(tools(&fixture.last()).last().map(String::as_str), Some("mcp__srv__echo"));
    let session = std::fs::read_to_string(&fixture.sessions()[0]).unwrap();
    assert!(session.contains(r#""toolUseResult":[{"type":"text","text":"echoed"}]"#), "{session}");
    assert!(session.contains(r#""mcpMeta":{"_meta":{"x":1}}"#), "{session}");
    let environment = std::fs::read_to_string(fixture.home.path().join("srv/log.env")).unwrap();
    assert!(environment.contains("LEVEL=2") && environment.contains("CLAUDE_PROJECT_DIR="), "{environment}");
    let name = fixture.sessions()[0].file_stem().unwrap().to_string_lossy().into_owned();
    assert!(environment.contains(&format!("CLAUDE_CODE_SESSION_ID={name}")), "{environment}");
    assert!(!environment.contains("sk-"), "{environment}");
    assert!(fixture.api.requests().iter().all(|request| request.violations.is_empty()));
}

#[test]
fn without_a_rule_nobody_can_be_asked() {
    let fixture = ChatFixture::new(CALL);
    let server = script(&fixture, "srv", "");
    fixture.exits(&["--mcp-config", &config(&[("srv", &server)]), "--", "@@c@@"], 0);
    assert!(!server.log().contains("tools/call"), "{}", server.log());
    // A tool that a rule denies is not even offered.
    fixture.exits(
        &["--disallowedTools", "mcp__srv", "--mcp-config", &config(&[("srv", &server)]), "--", "@@d@@"],
        0,
    );
    assert!(!fixture.last().contains("mcp__srv__echo"));
}

#[test]
fn a_tool_can_want_a_person_whatever_the_rules_say() {
    let fixture = ChatFixture::new(CALL);
    let list = r#"*'"method":"tools/list"'*) answer '{"tools":[{"name":"echo","inputSchema":{"type":"object"},"_meta":{"anthropic/requiresUserInteraction":true}}]}' ;;"#;
    let server = script(&fixture, "srv", list);
    let config = config(&[("srv", &server)]);
    fixture.exits(&["--allowedTools", "mcp__srv", "--mcp-config", &config, "--", "@@c@@"], 0);
    assert!(!server.log().contains("tools/call"), "{}", server.log());
}

#[test]
fn of_two_servers_with_one_name_the_nearer_is_used() {
    let fixture = ChatFixture::new(CALL);
    let scopes = ["user", "project", "local", "given"];
    let made: Vec<McpScript> = scopes.iter().map(|scope| script(&fixture, scope, "")).collect();
    let work = fixture.home.work_dir();
    let local = format!(r#"{{"{}":{{"mcpServers":{{"srv":{}}}}}}}"#, work.display(), made[2].definition());
    user_state(
        &fixture,
        &format!(r#"{{"mcpServers":{{"srv":{}}},"projects":{local}}}"#, made[0].definition()),
    );
    std::fs::write(work.join(".mcp.json"), config(&[("srv", &made[1])])).unwrap();
    fixture.exits(&["--trust", "--", "@@d@@"], 0);
    annals_exits(&fixture.home, &["mcp", "approve", "srv", "--yes"], 0);
    let started = |at: usize| made[at].log().matches(r#""method":"initialize""#).count();
    assert_eq!([0, 1, 2, 3].map(started), [0, 0, 1, 0], "local");
    fixture.exits(&["--mcp-config", &config(&[("srv", &made[3])]), "--", "@@d@@"], 0);
    assert_eq!([0, 1, 2, 3].map(started), [0, 0, 1, 1], "given");
    user_state(&fixture, &format!(r#"{{"mcpServers":{{"srv":{}}}}}"#, made[0].definition()));
    fixture.exits(&["@@d@@"], 0);
    assert_eq!([0, 1, 2, 3].map(started), [0, 1, 1, 1], "project");
    fixture.exits(&["--setting-sources", "user", "--", "@@d@@"], 0);
    assert_eq!([0, 1, 2, 3].map(started), [1, 1, 1, 1], "user");
    fixture.exits(&["--strict-mcp-config", "--", "@@d@@"], 0);
    assert_eq!([0, 1, 2, 3].map(started), [1, 1, 1, 1], "none");
}

#[test]
fn a_server_of_a_project_needs_trust_and_approval_of_its_definition() {
    let fixture = ChatFixture::new(CALL);
    let (server, other) = (script(&fixture, "srv", ""), script(&fixture, "other", ""));
    let path = fixture.home.work_dir().join(".mcp.json");
    std::fs::write(&path, config(&[("srv", &server)])).unwrap();
    let said = fixture.exits(&["@@d@@"], 0).error;
    assert!(said.contains("are not started: the folder is not trusted"), "{said}");
    let said = fixture.exits(&["--trust", "--", "@@d@@"], 0).error;
    assert!(
        said.contains("srv of .mcp.json is not started") && said.contains("annals mcp approve srv"),
        "{said}"
    );
    assert_eq!((server.log(), said.lines().count()), (String::new(), 1));
    annals_exits(&fixture.home, &["mcp", "approve", "srv"], 2);
    annals_exits(&fixture.home, &["mcp", "approve", "srv", "--yes"], 0);
    assert_eq!(fixture.exits(&["@@d@@"], 0).error, "");
    assert!(fixture.last().contains("mcp__srv__echo"));
    // Another command is another server.
    std::fs::write(&path, config(&[("srv", &other)])).unwrap();
    assert!(fixture.exits(&["@@d@@"], 0).error.contains("it is new or has changed"));
    assert_eq!(other.log(), "");
    annals_exits(&fixture.home, &["mcp", "approve", "srv", "--refuse", "--yes"], 0);
    assert!(fixture.exits(&["@@d@@"], 0).error.contains("you have refused it"));
    // What the original's settings switch off stays off.
    annals_exits(&fixture.home, &["mcp", "approve", "srv", "--yes"], 0);
    fixture.home.write("settings.json", r#"{"disabledMcpjsonServers":["srv"]}"#);
    assert!(fixture.exits(&["@@d@@"], 0).error.contains("disabledMcpjsonServers names it"));
    assert_eq!(other.log(), "");
}

#[test]
fn what_cannot_start_is_said_and_the_rest_works() {
    let fixture = ChatFixture::new(CALL);
    let server = script(&fixture, "srv", "");
    let config = format!(
        r#"{{"mcpServers":{{"srv":{},"web":{{"url":"http://127.0.0.1:1/mcp"}},"workspace":{{"command":"x"}},"gone":{{"command":"/no/such"}},
            "calc":{{"type":"sdk","name":"calc"}}}}}}"#,
        server.definition()
    );
    let answer = fixture.exits(&[&STREAM[..], &["--mcp-config", &config, "--", "@@d@@"]].concat(), 0);
    let init = answer.out.lines().next().unwrap();
    assert!(init.contains(r#"{"name":"gone","status":"failed","source":"dynamic"}"#), "{init}");
    assert!(init.contains(r#""mcp_server_errors":[{"name":"web","type":"url_missing_type""#), "{init}");
    assert!(init.contains(r#"{"name":"workspace","type":"reserved_name""#), "{init}");
    for words in [
        "web is not started",
        "workspace is not started",
        "calc is not started",
        "gone: the server cannot be reached",
    ] {
        assert!(answer.error.contains(words), "{words}: {}", answer.error);
    }
    assert_eq!(answer.error.lines().count(), 4, "{}", answer.error);
    assert!(fixture.last().contains("mcp__srv__echo"));
}

#[test]
fn variables_are_filled_in_and_a_project_gets_no_secrets() {
    let fixture = ChatFixture::new(CALL);
    let server =
        script(&fixture, "srv", r#"*'"method":"tools/list"'*) env > "$log.env"; answer '{"tools":[]}' ;;"#);
    let (program, args) = server.command();
    let json = format!(
        r#"{{"mcpServers":{{"srv":{{"command":"${{SHELL_PROGRAM}}","args":["{}"],"env":{{"A":"<${{OPENAI_API_KEY}}>","B":"<${{UNSET:-dflt}}>","C":"<${{ANTHROPIC_API_KEY}}>"}}}}}}}}"#,
        args[0]
    );
    let environment = || std::fs::read_to_string(fixture.home.path().join("srv/log.env")).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = fixture.command(arguments);
        command.env("OPENAI_API_KEY", "sk-other").env("SHELL_PROGRAM", &program);
        fixture.finishes(command, 0)
    };
    run(&["--mcp-config", &json, "--", "@@d@@"]);
    assert!(
        environment().contains("A=<sk-other>") && environment().contains("B=<dflt>"),
        "{}",
        environment()
    );
    assert!(environment().contains("C=<${ANTHROPIC_API_KEY}>"), "{}", environment());
    std::fs::write(fixture.home.work_dir().join(".mcp.json"), &json).unwrap();
    run(&["--trust", "--strict-mcp-config", "--", "@@d@@"]);
    annals_exits(&fixture.home, &["mcp", "approve", "srv", "--yes"], 0);
    run(&["@@d@@"]);
    assert!(environment().contains("A=<${OPENAI_API_KEY}>"), "{}", environment());
}

#[test]
fn instructions_are_told_once() {
    let fixture = ChatFixture::new(CALL);
    let hello = r#"*'"method":"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{},"instructions":"Ask for numbers."}' ;;"#;
    let server = script(&fixture, "srv", hello);
    let config = config(&[("srv", &server)]);
    let id = "3f2a9c1e-0000-4000-8000-000000000001";
    fixture.exits(&["--session-id", id, "--mcp-config", &config, "--", "@@d@@"], 0);
    let delta = r###""attachment":{"type":"mcp_instructions_delta","addedNames":["srv"],"addedBlocks":["## srv\nAsk for numbers."],"removedNames":[]}"###;
    let session = || std::fs::read_to_string(&fixture.sessions()[0]).unwrap();
    assert!(session().contains(delta), "{}", session());
    assert!(fixture.last().contains("Ask for numbers."), "{}", fixture.last());
    fixture.exits(&["--resume", id, "--mcp-config", &config, "--", "@@e@@"], 0);
    assert_eq!(session().matches("mcp_instructions_delta").count(), 1);
    fixture.exits(&["--resume", id, "--", "@@e@@"], 0);
    assert_eq!(session().matches("mcp_instructions_delta").count(), 1, "without servers nothing is said");
    annals_exits(&fixture.home, &["check", id], 0);
}

#[test]
fn a_prompt_of_a_server_is_a_command() {
    let fixture = ChatFixture::new(CALL);
    let cases = r#"*'"method":"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}}}' ;;
      *'"method":"prompts/list"'*) answer '{"prompts":[{"name":"greet","arguments":[{"name":"who"}]},{"name":"fail"}]}' ;;
      *'"name":"greet"'*) answer '{"messages":[{"role":"user","content":{"type":"text","text":"Greet @@d@@"}},{"role":"assistant","content":{"type":"text","text":"Gladly"}}]}' ;;
      *'"name":"fail"'*) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":1,\"message\":\"no such mood\"}}" ;;"#;
    let server = script(&fixture, "srv", cases);
    let config = config(&[("srv", &server)]);
    let answer = fixture
        .exits(&[&STREAM[..], &["--mcp-config", &config, "--", "/mcp__srv__greet Ada Lovelace"]].concat(), 0);
    assert!(answer.out.lines().next().unwrap().contains(r#""mcp__srv__greet""#), "{}", answer.out);
    assert!(server.log().contains(r#""arguments":{"who":"Ada"}"#), "{}", server.log());
    let session = std::fs::read_to_string(&fixture.sessions()[0]).unwrap();
    assert!(
        session.contains(
            r"<command-name>/mcp__srv__greet</command-name>\n<command-args>Ada Lovelace</command-args>"
        ),
        "{session}"
    );
    assert!(
        session.contains(r#"[{"type":"text","text":"Greet @@d@@"},{"type":"text","text":"Gladly"}]"#),
        "{session}"
    );
    assert!(session.contains("command_permissions"));
    let requests = fixture.api.requests().len();
    let failed = fixture.exits(&["--mcp-config", &config, "--", "/mcp__srv__fail"], 1);
    assert!(failed.error.contains("no such mood"), "{}", failed.error);
    assert_eq!(fixture.api.requests().len(), requests, "no model is asked");
}

#[test]
fn a_result_that_is_too_large_is_saved_beside_the_session() {
    let fixture = ChatFixture::new(CALL);
    let large = r#"*'"method":"tools/call"'*) answer "{\"content\":[{\"type\":\"text\",\"text\":\"$(head -c 5000 /dev/zero | tr '\0' y)\"}]}" ;;"#;
    let server = script(&fixture, "srv", large);
    let config = config(&[("srv", &server)]);
    let mut command =
        fixture.command(&["--allowedTools", "mcp__srv", "--mcp-config", &config, "--", "@@c@@"]);
    command.env("MAX_MCP_OUTPUT_TOKENS", "1000");
    fixture.finishes(command, 0);
    let sent = fixture.last();
    assert!(sent.contains("The result has 5000 characters") && !sent.contains("yyyyyyyy"), "{sent}");
    let session = fixture.sessions().into_iter().find(|path| path.is_file()).unwrap();
    let saved = std::fs::read_dir(session.with_extension("").join("tool-results")).unwrap();
    let saved: Vec<_> = saved.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(saved.len(), 1);
    assert_eq!(std::fs::read_to_string(&saved[0]).unwrap(), "y".repeat(5000));
    assert!(sent.contains(saved[0].file_name().unwrap().to_str().unwrap()), "{sent}");
}

#[test]
fn no_server_outlives_the_conversation() {
    let fixture = ChatFixture::new(CALL);
    let stays =
        r#"*'"method":"tools/list"'*) trap '' TERM; answer '{"tools":[]}'; while :; do sleep 1; done ;;"#;
    let server = script(&fixture, "srv", stays);
    fixture.exits(&["--mcp-config", &config(&[("srv", &server)]), "--", "@@d@@"], 0);
    let (_, args) = server.command();
    assert!(!is_running(Path::new(&args[0])));
}

fn is_running(script: &Path) -> bool {
    let found = std::process::Command::new("pgrep").args(["-f", &script.display().to_string()]).output();
    !found.unwrap().stdout.is_empty()
}

#[test]
fn a_tool_can_decide_about_calls() {
    let fixture = ChatFixture::in_folder(
        r#"{"touch":[[{"type":"tool_use","name":"Bash","input":{"command":"curl {{CWD}}/made || touch {{CWD}}/made"}}],[{"type":"text","text":"Fine."}]]}"#,
    );
    let made = fixture.home.work_dir().join("made");
    let touch = format!("touch {}", made.display());
    let allow = format!(r#"{{\"behavior\":\"allow\",\"updatedInput\":{{\"command\":\"{touch}\"}}}}"#);
    for (name, answer, is_run) in [
        ("deny", r#"{\"behavior\":\"deny\",\"message\":\"NOT-NOW\"}"#.to_owned(), false),
        ("unclear", "perhaps".to_owned(), false),
        ("allow", allow, true),
    ] {
        let cases = format!(
            r#"*'"method":"tools/call"'*) answer '{{"content":[{{"type":"text","text":"{answer}"}}]}}' ;;"#
        );
        let server = script(&fixture, name, &cases);
        let config = config(&[("srv", &server)]);
        let arguments = [
            "--permission-prompt-tool",
            "mcp__srv__echo",
            "--sandbox",
            "off",
            "--mcp-config",
            &config,
            "--",
            "@@touch@@",
        ];
        fixture.exits(&arguments, 0);
        assert_eq!(made.exists(), is_run, "{name}: {}", fixture.last());
        assert!(server.log().contains(r#""tool_name":"Bash","input":{"command":"curl "#), "{}", server.log());
        assert_eq!(fixture.last().contains("NOT-NOW"), name == "deny");
    }
    let gone = fixture
        .exits(&["--permission-prompt-tool", "mcp__srv__gone", "--sandbox", "off", "--", "@@touch@@"], 0);
    assert_eq!(gone.code, Some(0));
    assert!(fixture.last().contains("there is no such tool"), "{}", fixture.last());
    let other = fixture.exits(&["--permission-prompt-tool", "stdio", "--", "@@touch@@"], 0);
    assert!(other.error.contains("--permission-prompt-tool stdio has no effect"), "{}", other.error);
}

#[test]
fn a_server_that_wants_a_sign_in_says_how() {
    let fixture = ChatFixture::new(CALL);
    let web = OAuthServer::start(None);
    user_state(
        &fixture,
        &format!(r#"{{"mcpServers":{{"web":{{"type":"http","url":"{}"}}}}}}"#, web.mcp_url()),
    );
    let mut arguments = STREAM.to_vec();
    arguments.extend(["--", "@@d@@"]);
    let said = fixture.exits(&arguments, 0);
    assert!(
        said.error.contains("MCP server web: the server requires a sign-in (401): run annals mcp login web"),
        "{}",
        said.error
    );
    assert!(
        said.out.contains(r#""mcp_servers":[{"name":"web","status":"needs-auth","source":"user"}]"#),
        "{}",
        said.out
    );
}

#[test]
fn lists_of_settings_say_which_servers_start() {
    let fixture = ChatFixture::new(CALL);
    let (good, bad) = (script(&fixture, "good", ""), script(&fixture, "bad", ""));
    let settings = r#"{"allowedMcpServers":[{"serverName":"good"},{"serverName":"bad"}],"deniedMcpServers":[{"serverName":"bad"}]}"#;
    std::fs::write(fixture.home.config_dir().join("settings.json"), settings).unwrap();
    let config = config(&[("good", &good), ("bad", &bad), ("other", &bad)]);
    let said = fixture.exits(&["--mcp-config", &config, "--", "@@d@@"], 0).error;
    assert!(said.contains("bad is not started: deniedMcpServers names it"), "{said}");
    assert!(said.contains("other is not started: allowedMcpServers does not name it"), "{said}");
    assert!(good.log().contains("initialize") && bad.log().is_empty());
    // A project cannot add to what is allowed.
    let project = fixture.home.work_dir().join(".claude");
    std::fs::create_dir_all(&project).unwrap();
    let more = r#"{"allowedMcpServers":[{"serverName":"other"}]}"#;
    std::fs::write(project.join("settings.json"), more).unwrap();
    let said = fixture.exits(&["--trust", "--mcp-config", &config, "--", "@@e@@"], 0).error;
    assert!(
        said.contains("`allowedMcpServers` is ignored") && said.contains("other is not started"),
        "{said}"
    );
}
