//! `headersHelper`: what a command prints becomes headers, for each connection; what fails is said.

use annals_agent::mcp::{McpLimits, McpStatus, RemoteServer, ServerKind};
use annals_testkit::temp::TempDir;

use super::http::{HttpServer, usual};
use super::servers;

fn kind(url: &str, helper: &str) -> ServerKind {
    let headers = vec![("X-Team".to_owned(), "old".into()), ("X-Other".to_owned(), "kept".into())];
    ServerKind::Http(RemoteServer {
        url: url.to_owned(),
        headers,
        headers_helper: Some(helper.to_owned()),
        ..RemoteServer::default()
    })
}

#[tokio::test]
async fn a_command_prints_headers_for_each_connection() {
    let (temp, web) = (TempDir::new("mcp"), HttpServer::start(usual));
    let helper = r#"n=$(cat count 2>/dev/null || echo 0); echo $((n+1)) > count
        printf '{"x-team":"%s-%s-%s","Authorization":"Bearer t"}' "$CLAUDE_CODE_MCP_SERVER_NAME" "$CLAUDE_CODE_MCP_SERVER_URL" "$n""#;
    let (_keep, server) = servers(kind(&web.url, helper), McpLimits::default(), temp.path().into());
    server.connect().await;
    assert_eq!(server.state().status, McpStatus::Connected, "{:?}", server.state());
    server.connect().await;
    let hellos: Vec<String> = web
        .seen()
        .into_iter()
        .filter(|request| request.body.contains("\"initialize\""))
        .map(|request| request.headers)
        .collect();
    for (number, headers) in hellos.iter().enumerate() {
        assert!(headers.contains(&format!("x-team: srv-{}-{number}", web.url)), "{headers}");
        assert!(
            headers.contains("x-other: kept") && headers.contains("authorization: bearer t"),
            "{headers}"
        );
        assert!(!headers.contains("old"), "{headers}");
    }
    assert_eq!(hellos.len(), 2);
}

#[tokio::test]
async fn a_command_that_fails_is_named_and_nothing_is_sent() {
    let (temp, web) = (TempDir::new("mcp"), HttpServer::start(usual));
    for (helper, words) in [
        ("echo '{\"a\":\"sk-secret\"}'; exit 3", "headersHelper failed: exit 3"),
        ("echo sk-secret", "headersHelper did not print a JSON object of strings"),
    ] {
        let (_keep, server) = servers(kind(&web.url, helper), McpLimits::default(), temp.path().into());
        server.connect().await;
        let McpStatus::Failed(why) = server.state().status else { panic!("{helper}") };
        assert!(why.contains(words) && !why.contains("sk-secret"), "{why}");
    }
    assert!(web.seen().is_empty());
}
