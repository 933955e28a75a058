//! A server over standard input and output.

use std::path::Path;
use std::time::Duration;

use annals_agent::mcp::{McpLimits, McpServers, McpStatus, ResourceEntry, ServerKind};
use annals_agent::tools::CallContext;
use annals_testkit::mcp::McpScript;
use annals_testkit::temp::TempDir;

use super::{call, servers, text, tool, until};

fn kind(script: &McpScript) -> ServerKind {
    let (command, args) = script.command();
    ServerKind::Stdio { command, args, env: Vec::new() }
}

async fn connected(script: &McpScript, folder: &Path, limits: McpLimits) -> McpServers {
    let (servers, server) = servers(kind(script), limits, folder.to_path_buf());
    server.connect().await;
    assert_eq!(server.state().status, McpStatus::Connected, "{:?}", server.state());
    servers
}

#[tokio::test]
async fn one_bad_tool_costs_that_tool() {
    let temp = TempDir::new("mcp");
    let list = r#"*'"method":"tools/list"'*) case "$line" in
        *cursor*) answer '{"tools":[{"name":"a b","inputSchema":{"type":"object"}}]}' ;;
        *) answer '{"tools":[{"name":"z","inputSchema":{"type":"object"}},{"name":"bad"},{"inputSchema":{}}],"nextCursor":"2"}' ;;
    esac ;;"#;
    let script = McpScript::with(temp.path(), list);
    let servers = connected(&script, temp.path(), McpLimits::default()).await;
    let names: Vec<String> = servers.tools().iter().map(|tool| tool.spec().name).collect();
    assert_eq!(names, ["mcp__srv__a_b", "mcp__srv__z"], "all pages, sorted");
    let problems = servers.named("srv").unwrap().state().problems;
    assert_eq!(problems.len(), 2, "{problems:?}");
    let log = script.log();
    let first = log.lines().next().unwrap();
    assert!(
        first.contains(r#""protocolVersion":"2025-11-25""#)
            && first.contains(r#""roots":{"listChanged":true}"#)
    );
    assert!(log.lines().nth(1).unwrap().contains("notifications/initialized"), "{log}");
}

#[tokio::test]
async fn a_call_has_its_own_spelling_of_the_name_and_the_id_of_the_call() {
    let temp = TempDir::new("mcp");
    let list = r#"*'"method":"tools/list"'*) answer '{"tools":[{"name":"a.b/c","inputSchema":{"type":"object"}}]}' ;;"#;
    let script = McpScript::with(temp.path(), list);
    let servers = connected(&script, temp.path(), McpLimits::default()).await;
    let outcome = call(&servers, "mcp__srv__a_b_c", "{\"x\":\n 1.0}").await;
    assert!(!outcome.is_error && text(&outcome).contains("echoed"), "{outcome:?}");
    let log = script.log();
    let sent = log.lines().last().unwrap();
    assert!(sent.contains(r#""name":"a.b/c","arguments":{"x":  1.0}"#), "{sent}");
    assert!(sent.contains(r#""claudecode/toolUseId":"toolu_1","progressToken":"#), "{sent}");
}

#[tokio::test]
async fn a_server_that_died_is_started_again_by_the_next_call() {
    let temp = TempDir::new("mcp");
    let dies = r#"*'"name":"echo"'*) if [ ! -e "$log.died" ]; then : > "$log.died"; echo 'out of memory' >&2; exit 3; fi
        answer '{"content":[{"type":"text","text":"alive"}]}' ;;"#;
    let script = McpScript::with(temp.path(), dies);
    let servers = connected(&script, temp.path(), McpLimits::default()).await;
    let died = call(&servers, "mcp__srv__echo", "{}").await;
    assert!(died.is_error && text(&died).starts_with("Connection closed"), "{died:?}");
    assert!(text(&died).contains("out of memory"), "{died:?}");
    assert!(matches!(servers.named("srv").unwrap().state().status, McpStatus::Failed(_)));
    assert!(text(&call(&servers, "mcp__srv__echo", "{}").await).contains("alive"));
    assert_eq!(script.log().matches(r#""method":"initialize""#).count(), 2);
    assert_eq!(servers.named("srv").unwrap().state().status, McpStatus::Connected);
}

#[tokio::test]
async fn a_slow_call_is_cut_and_the_server_is_told() {
    let temp = TempDir::new("mcp");
    let script = McpScript::with(temp.path(), r#"*'"name":"echo"'*) ;;"#);
    let limits = McpLimits { call: Duration::from_secs(1), ..McpLimits::default() };
    let servers = connected(&script, temp.path(), limits).await;
    let late = call(&servers, "mcp__srv__echo", "{}").await;
    assert!(late.is_error, "{late:?}");
    let words = text(&late);
    assert!(
        words.contains("\"srv\"") && words.contains("\"echo\"") && words.contains("within 1 s"),
        "{words}"
    );
    until(|| script.log().contains("notifications/cancelled")).await;
    assert!(script.log().contains(r#""reason":"the call took too long""#));
}

#[tokio::test]
async fn progress_keeps_a_call_alive() {
    let temp = TempDir::new("mcp");
    let slow = r#"*'"name":"echo"'*) for step in 1 2 3 4 5 6; do
        say "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":$id,\"progress\":$step}}"
        sleep 0.3; done
        answer '{"content":[{"type":"text","text":"at last"}]}' ;;"#;
    let script = McpScript::with(temp.path(), slow);
    let limits = McpLimits { idle: Duration::from_millis(1200), ..McpLimits::default() };
    let servers = connected(&script, temp.path(), limits).await;
    assert!(text(&call(&servers, "mcp__srv__echo", "{}").await).contains("at last"));
}

#[tokio::test]
async fn an_interrupted_call_is_cancelled() {
    let temp = TempDir::new("mcp");
    let script = McpScript::with(temp.path(), r#"*'"name":"echo"'*) ;;"#);
    let servers = connected(&script, temp.path(), McpLimits::default()).await;
    let tool = tool(&servers, "mcp__srv__echo");
    let context = CallContext { tool_use: "t", tell: &|_| {}, agreed: None, parent: None };
    let running = tool.run(b"{}", &context);
    assert!(tokio::time::timeout(Duration::from_millis(50), running).await.is_err());
    until(|| script.log().contains("notifications/cancelled")).await;
    assert!(script.log().contains("the user interrupted the call"));
}

#[tokio::test]
async fn a_changed_list_is_read_at_once() {
    let temp = TempDir::new("mcp");
    let cases = r#"*'"name":"echo"'*) : > "$log.more"; say '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
        answer '{"content":[]}' ;;
      *'"method":"tools/list"'*) if [ -e "$log.more" ]; then
        answer '{"tools":[{"name":"new","inputSchema":{"type":"object"}}]}'; else
        answer '{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}'; fi ;;"#;
    let script = McpScript::with(temp.path(), cases);
    let servers = connected(&script, temp.path(), McpLimits::default()).await;
    let outcome = call(&servers, "mcp__srv__echo", "{}").await;
    assert_eq!(text(&outcome), "(mcp__srv__echo completed with no output)");
    servers.wait_for_lists().await;
    let names: Vec<String> = servers.tools().iter().map(|tool| tool.spec().name).collect();
    assert_eq!(names, ["mcp__srv__new"], "the next request has the new list");
}

#[tokio::test]
async fn what_a_server_asks_is_answered() {
    let temp = TempDir::new("mcp");
    let asks = r#"*'"name":"echo"'*)
        say '{"jsonrpc":"2.0","id":"a","method":"roots/list"}'
        say '{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"your password?"}}'
        say '{"jsonrpc":"2.0","id":"b","method":"sampling/createMessage"}'
        say '{"jsonrpc":"2.0","id":"c","method":"ping"}'
        answer '{"content":[]}' ;;
      *'"method":"tools/list"'*) answer '{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}' ;;
      *'"result":'*|*'"error":'*) ;;"#;
    let script = McpScript::with(temp.path(), asks);
    let folder = temp.path().join("a b");
    std::fs::create_dir(&folder).unwrap();
    let servers = connected(&script, &folder, McpLimits::default()).await;
    call(&servers, "mcp__srv__echo", "{}").await;
    until(|| script.log().contains(r#""id":"c","result":{}"#)).await;
    let log = script.log();
    assert!(
        log.contains(r#""id":"a","result":{"roots":[{"uri":"file:///"#) && log.contains("a%20b"),
        "{log}"
    );
    assert!(log.contains(r#""id":7,"result":{"action":"decline"}"#), "{log}");
    assert!(log.contains(r#""id":"b","error":{"code":-32601"#), "{log}");
}

#[tokio::test]
async fn why_a_server_cannot_start_is_its_state() {
    let temp = TempDir::new("mcp");
    let (_keep, server) = servers(
        ServerKind::Stdio { command: "/no/such/program".into(), args: vec![], env: vec![] },
        McpLimits::default(),
        temp.path().to_path_buf(),
    );
    server.connect().await;
    let McpStatus::Failed(why) = server.state().status else { panic!("{:?}", server.state()) };
    assert!(why.contains("cannot start /no/such/program"), "{why}");
    let args = vec!["-c".to_owned(), "echo 'no module named x' >&2; exit 1".to_owned()];
    let (_keep, server) = servers(
        ServerKind::Stdio { command: "/bin/sh".into(), args, env: vec![] },
        McpLimits::default(),
        temp.path().to_path_buf(),
    );
    server.connect().await;
    let McpStatus::Failed(why) = server.state().status else { panic!("{:?}", server.state()) };
    assert!(why.contains("no module named x"), "{why}");
}

#[tokio::test]
async fn a_server_that_says_nothing_fails_after_its_time() {
    let temp = TempDir::new("mcp");
    let kind = ServerKind::Stdio {
        command: "/bin/cat".into(),
        args: vec!["/dev/null".into(), "-".into()],
        env: vec![],
    };
    // It sends every message back, which is never an answer.
    let limits = McpLimits { connect: Duration::from_millis(300), ..McpLimits::default() };
    let (servers, server) = servers(kind, limits, temp.path().to_path_buf());
    server.connect().await;
    assert!(matches!(server.state().status, McpStatus::Failed(_)), "{:?}", server.state());
    assert!(servers.tools().is_empty());
}

#[tokio::test]
async fn a_server_can_be_switched_off_and_on() {
    let temp = TempDir::new("mcp");
    let script = McpScript::new(temp.path());
    let servers = connected(&script, temp.path(), McpLimits::default()).await;
    let server = servers.named("srv").unwrap();
    let echo = tool(&servers, "mcp__srv__echo");
    server.set_enabled(false);
    assert!(servers.tools().is_empty());
    let context = CallContext { tool_use: "t", tell: &|_| {}, agreed: None, parent: None };
    let refused = echo.run(b"{}", &context).await;
    assert!(refused.is_error && text(&refused).contains("disabled"), "{refused:?}");
    server.set_enabled(true);
    server.connect().await;
    assert_eq!(servers.tools().len(), 1);
}

#[tokio::test]
async fn instructions_are_cut_and_clean() {
    let temp = TempDir::new("mcp");
    let long = "x".repeat(5000);
    let hello = format!(
        r#"*'"method":"initialize"'*) answer '{{"protocolVersion":"2025-06-18","capabilities":{{"prompts":{{}}}},"instructions":"use\u202e it {long}"}}' ;;
          *'"method":"prompts/list"'*) answer '{{"prompts":[{{"name":"greet","description":"Greets","arguments":[{{"name":"who"}}]}}]}}' ;;
          *'"method":"prompts/get"'*) answer '{{"messages":[{{"role":"user","content":{{"type":"text","text":"hello"}}}}]}}' ;;"#
    );
    let script = McpScript::with(temp.path(), &hello);
    let servers = connected(&script, temp.path(), McpLimits::default()).await;
    let (name, words) = servers.instructions().pop().unwrap();
    assert_eq!(name, "srv");
    assert!(words.starts_with("use it xxx") && words.ends_with("[truncated]") && words.len() < 4200);
    assert!(servers.tools().is_empty(), "it has declared none");
    let commands = servers.commands();
    assert_eq!((commands[0].name.as_str(), commands[0].hint.as_deref()), ("mcp__srv__greet", Some("[who]")));
    let filled = servers.prompt("mcp__srv__greet", "\"very nice\" day").await.unwrap().unwrap();
    assert_eq!(filled, ["hello"]);
    assert!(script.log().contains(r#""arguments":{"who":"\"very"}"#), "{}", script.log());
    assert!(servers.prompt("mcp__srv__other", "").await.is_none());
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let temp = TempDir::new("mcp");
    let cases = r#"*'"method":"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"resources":{}}}' ;;
      *'"method":"resources/list"'*) answer '{"resources":[{"uri":"mem://a","name":"a"}]}' ;;
      *'"uri":"mem://a"'*) answer '{"contents":[{"uri":"mem://a","text":"alpha"}]}' ;;
      *'"method":"resources/read"'*) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32002,\"message\":\"not found\"}}" ;;"#;
    let script = McpScript::with(temp.path(), cases);
    let servers = connected(&script, temp.path(), McpLimits::default()).await;
    let offered = servers.resource_entries(10).await;
    let expected = ResourceEntry { mention: "srv:mem://a".to_owned(), about: "a".to_owned() };
    assert_eq!((offered, servers.resource_entries(0).await), (vec![expected], Vec::new()));
    let listed = call(&servers, "ListMcpResourcesTool", "{}").await;
    assert_eq!(text(&listed), r#"[{"uri":"mem://a","name":"a","server":"srv"}]"#);
    let read = call(&servers, "ReadMcpResourceTool", r#"{"server":"srv","uri":"mem://a"}"#).await;
    assert_eq!(text(&read), r#"{"contents":[{"uri":"mem://a","text":"alpha"}]}"#);
    assert_eq!(read.kept, text(&read).as_bytes());
    let missing = call(&servers, "ReadMcpResourceTool", r#"{"server":"srv","uri":"mem://b"}"#).await;
    assert!(missing.is_error && text(&missing) == "not found");
    let unknown = call(&servers, "ReadMcpResourceTool", r#"{"server":"x","uri":"mem://b"}"#).await;
    assert!(unknown.is_error && text(&unknown).contains("Available servers: srv"));
}

#[test]
fn processes_end_with_their_servers() {
    let temp = TempDir::new("mcp");
    // It ignores its end of input and the polite signal, and so does its child.
    let stubborn = r#"*'"method":"tools/list"'*) trap '' TERM; (trap '' TERM; echo $$ > "$log.pid"; exec sleep 1000) & sleep 0.2; answer '{"tools":[]}'; sleep 1000 ;;"#;
    let script = McpScript::with(temp.path(), stubborn);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let servers = runtime.block_on(connected(&script, temp.path(), McpLimits::default()));
    let pids = || {
        let found =
            std::process::Command::new("pgrep").args(["-f", &temp.path().display().to_string()]).output();
        String::from_utf8(found.unwrap().stdout).unwrap()
    };
    assert!(!pids().is_empty());
    servers.end_all();
    assert_eq!(pids(), "", "nothing is left");
}
