//! Changes that clients make to texts: line breaks at seams, the names of tools.

use annals_json::Value;
use annals_transcript::graph::Graph;
use annals_transcript::loss::losses;
use annals_transcript::resume::{Client, OmissionReason, resume};
use annals_transcript::transcript::Transcript;

/// The texts and the names of tools that a client sends, as JSON strings.
fn words(lines: &[String], client: Client) -> Vec<String> {
    let bytes = lines.join("\n").into_bytes();
    let transcript = Transcript::parse(&bytes);
    let resumed = resume(&transcript, client);
    let mut found = Vec::new();
    for block in resumed.messages().iter().flat_map(|message| &message.blocks) {
        let mut json = Vec::new();
        block.write_json(&mut json);
        let value = Value::parse(&json).unwrap();
        let word = value.get("text").or_else(|| value.get("name"));
        found.extend(word.map(|word| String::from_utf8(word.raw().to_vec()).unwrap()));
    }
    found
}

fn line(kind: &str, uuid: &str, parent: &str, content: &str) -> String {
    // `a` is the first second.
    let second = uuid.as_bytes()[0] - b'a';
    format!(
        r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"timestamp":"2026-01-01T00:00:0{second}.000Z","isSidechain":false,"message":{{"role":"{kind}","id":"m-{uuid}","content":{content}}}}}"#
    )
}

#[test]
fn a_text_that_a_text_follows_ends_its_line_in_newer_clients() {
    let image = r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}"#;
    let lines = [
        line("user", "a", "null", r#""aa\n""#),
        line("user", "b", "\"a\"", r#"[{"type":"text","text":"bb"},{"type":"text","text":"cc"}]"#),
        line("user", "c", "\"b\"", r#""dd""#),
        line("user", "d", "\"c\"", &format!(r#"[{image},{{"type":"text","text":"ee"}}]"#)),
        line("assistant", "e", "\"d\"", r#"[{"type":"text","text":"ok"}]"#),
    ];
    let plain = ["\"aa\\n\"", "\"bb\"", "\"cc\"", "\"dd\"", "\"ee\"", "\"ok\""];
    assert_eq!(words(&lines, Client::V2_0_76), plain);
    let broken = ["\"aa\\n\\n\"", "\"bb\"", "\"cc\\n\"", "\"dd\"", "\"ee\"", "\"ok\""];
    assert_eq!(words(&lines, Client::V2_1_112), broken);
    assert_eq!(words(&lines, Client::V2_1_325), broken);
}

#[test]
fn tools_that_have_a_new_name_are_sent_with_it() {
    let call =
        |id: &str, name: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{{}}}}"#);
    let calls = [call("1", "Task"), call("2", "KillShell"), call("3", "AgentOutputTool"), call("4", "Bash")]
        .join(",");
    let result = |id: &str| format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"r"}}"#);
    let results = ["1", "2", "3", "4"].map(result).join(",");
    let lines = [
        line("user", "a", "null", r#""go""#),
        line("assistant", "b", "\"a\"", &format!("[{calls}]")),
        line("user", "c", "\"b\"", &format!("[{results}]")),
        line("assistant", "d", "\"c\"", r#"[{"type":"text","text":"ok"}]"#),
    ];
    let check = |client, names: [&str; 4]| {
        assert_eq!(words(&lines, client)[1..5], names.map(|name| format!("{name:?}")))
    };
    check(Client::V2_0_76, ["Task", "KillShell", "AgentOutputTool", "Bash"]);
    check(Client::V2_1_112, ["Agent", "TaskStop", "TaskOutput", "Bash"]);
    check(Client::V2_1_325, ["Agent", "KillShell", "AgentOutputTool", "Bash"]);
}

#[test]
fn what_a_compaction_summarised_is_not_lost() {
    let system = |uuid: &str, more: &str| {
        format!(
            r#"{{"type":"system","subtype":"compact_boundary","uuid":"{uuid}","parentUuid":null,"timestamp":"2026-01-01T00:00:07.000Z","isSidechain":false,{more}}}"#
        )
    };
    let calls = r#"[{"type":"tool_use","id":"1","name":"A","input":{}},{"type":"tool_use","id":"2","name":"B","input":{}}]"#;
    let result = |id: &str| format!(r#"[{{"type":"tool_result","tool_use_id":"{id}","content":"r"}}]"#);
    let lines = [
        line("user", "a", "null", r#""old""#),
        line("assistant", "b", "\"a\"", calls),
        line("user", "c", "\"b\"", &result("1")),
        // A result that hangs beside the chain, and a prompt that the person took back.
        line("user", "d", "\"b\"", &result("2")),
        line("user", "e", "\"a\"", r#""withdrawn""#),
        line("assistant", "f", "\"d\"", r#"[{"type":"text","text":"old reply"}]"#),
        system("h", r#""logicalParentUuid":"f","compactMetadata":{"trigger":"auto","preTokens":9}"#),
        line("user", "i", "\"h\"", r#""in short""#)
            .replace("\"isSidechain\"", "\"isCompactSummary\":true,\"isSidechain\""),
    ];
    let bytes = lines.join("\n").into_bytes();
    let transcript = Transcript::parse(&bytes);
    let graph = Graph::new(&transcript);
    for &client in Client::ALL {
        let resumed = resume(&transcript, client);
        assert!(
            resumed
                .left_out
                .iter()
                .all(|left| left.node.get() > 5 || left.reason == OmissionReason::BeforeCompaction),
            "{client}: {:?}",
            resumed.left_out
        );
        assert!(losses(&transcript, &graph, &resumed).is_empty(), "{client}");
    }
}
