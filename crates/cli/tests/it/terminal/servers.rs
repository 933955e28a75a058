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
