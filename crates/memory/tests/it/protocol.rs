//! The messages of MCP.

use annals_memory::{PROTOCOL_VERSIONS, tool_names};
use annals_testkit::home::Home;

use crate::support::TestServer;

fn sent(server: &mut TestServer, message: &str) -> Vec<String> {
    let answers = server.server.take(message.as_bytes());
    answers.into_iter().map(|answer| String::from_utf8(answer).unwrap()).collect()
}

#[test]
fn a_client_is_answered_in_its_version_or_the_newest() {
    let mut server = TestServer::new(&Home::new(), None, None);
    for (asked, answered) in PROTOCOL_VERSIONS
        .iter()
        .map(|version| (*version, *version))
        .chain([("1999-01-01", PROTOCOL_VERSIONS[0])])
    {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":"a","method":"initialize","params":{{"protocolVersion":"{asked}","capabilities":{{}}}}}}"#
        );
        let answer = sent(&mut server, &message).remove(0);
        assert!(
            answer.starts_with(&format!(
                r#"{{"jsonrpc":"2.0","id":"a","result":{{"protocolVersion":"{answered}""#
            )),
            "{answer}"
        );
        assert!(
            answer.contains(r#""serverInfo":{"name":"annals","title":"annals","version":"1.2.3"}"#),
            "{answer}"
        );
    }
    // A client without roots is not asked for them.
    assert_eq!(sent(&mut server, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), [""; 0]);
}

#[test]
fn the_tools_are_listed_with_schemas_that_every_client_takes() {
    let mut server = TestServer::new(&Home::new(), None, None);
    let answer = sent(&mut server, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).remove(0);
    let answer = annals_json::Value::parse(answer.as_bytes()).unwrap();
    let tools: Vec<_> = answer.get("result").unwrap().get("tools").unwrap().items().collect();
    let names: Vec<String> =
        tools.iter().map(|tool| tool.get("name").unwrap().text().unwrap().to_string()).collect();
    assert_eq!(names, tool_names(&[]));
    for tool in &tools {
        let schema = tool.get("inputSchema").unwrap();
        assert!(schema.get("type").unwrap().text().unwrap().is("object"));
        let description = tool.get("description").unwrap().text().unwrap().to_string();
        assert!(description.len() < 1024 && description.ends_with('.'), "{description}");
        assert_eq!(tool.get("annotations").unwrap().get("readOnlyHint").unwrap().boolean(), Some(true));
    }
}

#[test]
fn the_folder_of_the_client_is_the_project() {
    let home = Home::new();
    let mut server = TestServer::new(&home, Some("/elsewhere"), None);
    sent(
        &mut server,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"roots":{}}}}"#,
    );
    let asked = sent(&mut server, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(asked, [r#"{"jsonrpc":"2.0","id":"annals-roots","method":"roots/list"}"#]);
    let roots = r#"{"jsonrpc":"2.0","id":"annals-roots","result":{"roots":[{"uri":"file:///work/a%20b"}]}}"#;
    assert_eq!(sent(&mut server, roots), [""; 0]);
    assert!(server.call("usage", "{}").contains("project /work/a b"));
}

#[test]
fn what_is_wrong_is_refused_and_the_server_goes_on() {
    let mut server = TestServer::new(&Home::new(), None, None);
    for (message, code) in [
        ("x", "-32700"),
        ("7", "-32700"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, "-32601"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, "-32601"),
        (r#"{"jsonrpc":"2.0","id":1}"#, "-32600"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, "-32602"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rename_session"}}"#, "-32602"),
    ] {
        assert!(sent(&mut server, message)[0].contains(code), "{message}");
    }
    for (tool, arguments) in [
        ("search_sessions", r#"{"query":"\"open"}"#),
        ("search_sessions", r#"{"query":"a","cursor":"x"}"#),
        ("read_session", "{}"),
        ("read_session", "[]"),
        ("topic", r#"{"topic":{"a":1}}"#),
    ] {
        assert!(server.answer(tool, arguments).1, "{tool} {arguments}");
    }
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#;
    assert_eq!(sent(&mut server, batch).len(), 2);
}
