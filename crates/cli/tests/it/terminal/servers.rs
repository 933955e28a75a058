//! MCP servers in the terminal: a project's are asked about, and `/mcp` shows them all.

use annals_testkit::mcp::McpScript;

use super::ChatFixture;

const SCRIPT: &str = r#"{"next":[[{"type":"text","text":"next it is"}]]}"#;

#[test]
fn a_projects_server_is_asked_about_once() {
    let fixture = ChatFixture::new(SCRIPT);
    let server = McpScript::new(&fixture.home.path().join("srv"));
    let config = format!(r#"{{"mcpServers":{{"pj":{}}}}}"#, server.definition());
    std::fs::write(fixture.home.work_dir().join(".mcp.json"), config).unwrap();
    let mut terminal = fixture.chat(&["@@next@@"]);
    terminal.sees("trust this folder?");
    terminal.press("y\r");
    terminal.sees("this folder configures an MCP server: pj");
    terminal.sees("start this server here?");
    terminal.press("\r");
    terminal.sees("next it is");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    assert_eq!(server.log(), "", "without an answer it is not started");
    let mut terminal = fixture.chat(&["@@next@@"]);
    terminal.sees("start this server here?");
    terminal.press("y\r");
    terminal.sees("next it is");
    terminal.press("/mcp\r");
    terminal.sees("connected, 1 tools (stdio, project)");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    let mut terminal = fixture.chat(&["@@next@@"]);
    terminal.sees("next it is");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    assert!(!terminal.text().contains("start this server"), "it is asked once");
    fixture.holds();
}

#[test]
fn resources_are_offered_where_a_prompt_mentions_something() {
    let fixture = ChatFixture::new(SCRIPT);
    let cases = r#"*'"method":"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"resources":{}}}' ;;
      *'"method":"resources/list"'*) answer '{"resources":[{"uri":"mem://beds","name":"b","description":"all the beds"}]}' ;;
      *'"method":"resources/read"'*) answer '{"contents":[{"uri":"mem://beds","text":"thirty beds"}]}' ;;"#;
    let server = McpScript::with(&fixture.home.path().join("srv"), cases);
    let config = fixture.home.path().join("servers.json");
    std::fs::write(&config, format!(r#"{{"mcpServers":{{"garden":{}}}}}"#, server.definition())).unwrap();
    let config = config.display().to_string();
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline", "--mcp-config", &config], |_| {});
    terminal.sees("? keys");
    // The server connects meanwhile; each `@` asks again.
    let began = std::time::Instant::now();
    while !terminal.text().contains("garden:mem://beds  all the beds") {
        assert!(began.elapsed() < super::HANGS, "{}\n{}", terminal.text(), server.log());
        terminal.press("\x15see @");
        std::thread::sleep(std::time::Duration::from_millis(300));
        terminal.press("gard");
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    terminal.press("\t");
    terminal.sees("❯ see @garden:mem://beds");
    terminal.press("@@next@@\r");
    terminal.sees("next it is");
    assert!(fixture.last().contains("thirty beds"), "{}", fixture.last());
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}
