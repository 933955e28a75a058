//! What clients change about the words themselves: line breaks at seams, the names of tools.

use annals_transcript::json::Value;
use annals_transcript::resume::{Client, resume};
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
