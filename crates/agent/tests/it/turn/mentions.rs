//! Files and folders that a prompt mentions: attached as the original attaches them, as far as rules allow it.

use std::sync::Arc;

use annals_agent::mcp::{McpFuture, McpLimits, McpProcesses, McpServer, McpServers, McpTransport};
use annals_agent::protocol::Event;
use annals_policy::rules::{Rule, RuleList, SettingsSource};

use super::custom::kinds;
use super::{Stage, say};

const DONE: &str = r#"[{"type":"text","text":"fine"}]"#;

#[tokio::test]
async fn files_and_folders_are_attached_behind_the_prompt() {
    let stage = Stage::scripts(&format!(r#"{{"a":[{DONE}],"b":[{DONE}]}}"#));
    let work = stage.home.work_dir();
    std::fs::create_dir_all(work.join("dir/sub")).unwrap();
    std::fs::write(work.join("dir/a.rs"), "fn a() {}\n").unwrap();
    std::fs::write(work.join("note.txt"), "first\nsecond\nthird\n").unwrap();
    let mut agent = stage.new_agent();
    let told = say(&mut agent, "see @note.txt, @dir and @missing.txt or me@note.txt @@a@@").await;
    assert!(told.is_done() && told.notices().is_empty(), "{:?}", told.events);
    assert!(
        !told.events.iter().any(|event| matches!(event, Event::ToolStarted { .. })),
        "nobody called a tool"
    );
    let lines = stage.lines();
    assert_eq!(kinds(&lines)[1..4], ["user", "attachment file", "attachment directory"]);
    let attached = told.events.iter().filter_map(|event| match event {
        Event::Attached(attachment) => Some(String::from_utf8_lossy(attachment).into_owned()),
        _ => None,
    });
    let attached: Vec<String> = attached.collect();
    assert_eq!(attached.len(), 2, "as they are in the file: {attached:?}");
    for (line, attachment) in lines[2..4].iter().zip(&attached) {
        assert!(line.contains(&format!(r#""attachment":{attachment}"#)), "{attachment}: {line}");
    }
    let path = work.join("note.txt").display().to_string();
    assert!(
        lines[2].contains(&format!(
            r#""attachment":{{"type":"file","filename":"{path}","content":{{"type":"text""#
        ))
    );
    assert!(lines[2].contains(r#""displayPath":"note.txt""#), "{}", lines[2]);
    let path = work.join("dir").display().to_string();
    let folder =
        format!(r#"{{"type":"directory","path":"{path}","content":"a.rs\nsub","displayPath":"dir"}}"#);
    assert!(lines[3].contains(&folder), "{}", lines[3]);
    let sent = stage.sent();
    assert!(sent[0].iter().any(|message| message.contains("second")), "{:?}", sent[0]);
    drop(agent);
    let mut agent = stage.resumed();
    assert!(say(&mut agent, "lines @note.txt#L2-2 @@b@@").await.is_done());
    let last = stage.lines().into_iter().rfind(|line| line.contains(r#""type":"file""#)).unwrap();
    assert!(last.contains("second") && !last.contains("third"), "{last}");
    drop(agent);
    stage.holds();
    stage.only_grew();
}

#[tokio::test]
async fn what_rules_do_not_allow_stays_text_and_is_told() {
    let mut stage = Stage::new(DONE);
    stage.rules.extend([Rule::new("Read(secret.txt)", RuleList::Deny, SettingsSource::User)]);
    std::fs::write(stage.home.work_dir().join("secret.txt"), "hidden words\n").unwrap();
    std::fs::write(stage.home.path().join("outside.txt"), "outer words\n").unwrap();
    let outside = stage.home.path().join("outside.txt").display().to_string();
    let mut agent = stage.new_agent();
    let told = say(&mut agent, &format!("see @secret.txt and @{outside} @@a@@")).await;
    assert!(told.is_done());
    let why = "reading it needs permission";
    assert_eq!(
        told.notices(),
        [format!("not attached: secret.txt: {why}"), format!("not attached: {outside}: {why}")]
    );
    drop(agent);
    let file = stage.lines().join("\n");
    assert!(!file.contains("hidden words") && !file.contains("outer words"));
    stage.holds();
}

/// A server with one resource.
struct Library;

impl McpTransport for Library {
    fn send<'m>(&'m self, message: Vec<u8>) -> McpFuture<'m> {
        let message = String::from_utf8(message).unwrap();
        let id = message
            .split(r#""id":"#)
            .nth(1)
            .and_then(|rest| rest.split(',').next())
            .unwrap_or("0")
            .to_owned();
        let result = match message.split(r#""method":""#).nth(1).and_then(|rest| rest.split('"').next()) {
            Some("initialize") => {
                r#"{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},"serverInfo":{"name":"l","version":"1"}}"#
            }
            Some("tools/list") => r#"{"tools":[]}"#,
            Some("resources/list") => {
                r#"{"resources":[{"uri":"mem://a","name":"alpha","description":"the first"}]}"#
            }
            Some("resources/read") => r#"{"contents":[{"uri":"mem://a","text":"ALPHA WORDS"}]}"#,
            _ => "{}",
        };
        Box::pin(
            async move { Ok(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes()) },
        )
    }
}

#[tokio::test]
async fn resources_of_servers_are_attached_where_somebody_types() {
    for is_headless in [false, true] {
        let stage = Stage::new(DONE);
        let server = McpServer::of_program("lib", Arc::new(Library), McpLimits::default());
        let servers = McpServers::new(vec![server], McpProcesses::default());
        servers.named("lib").unwrap().connect().await;
        let mut agent = stage.new_agent();
        (agent.mcp, agent.is_headless) = (servers, is_headless);
        let told = say(&mut agent, "see @lib:mem://a and @other:mem://a @@a@@").await;
        assert!(told.is_done() && told.notices().is_empty(), "{:?}", told.events);
        let attached = r#""attachment":{"type":"mcp_resource","server":"lib","uri":"mem://a","name":"alpha","description":"the first","content":{"contents":[{"uri":"mem://a","text":"ALPHA WORDS"}]}}"#;
        let lines = stage.lines();
        assert_eq!(lines.iter().any(|line| line.contains(attached)), !is_headless, "{lines:?}");
        let is_sent = stage.sent()[0].iter().any(|message| message.contains("ALPHA WORDS"));
        assert_eq!(is_sent, !is_headless);
    }
}
