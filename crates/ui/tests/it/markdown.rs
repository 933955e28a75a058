//! Pages in Markdown.

use annals_transcript::transcript::Transcript;
use annals_ui::{AgentThread, Conversation, Options, markdown};

use crate::session::Session;
use crate::snapshot::check;

#[test]
fn a_conversation_as_markdown() {
    let edit = r#"{"filePath":"/w/a.rs","oldString":"one","newString":"two","structuredPatch":[{"oldStart":9,"oldLines":1,"newStart":9,"newLines":1,"lines":["-one","+two"]}]}"#;
    let long: String = (1..=30).map(|number| format!("line {number}\\n")).collect();
    let session = Session::new()
        .prompt("Fix <b>this</b>:\n\n```\n</details>\n```")
        .block(r#"{"type":"thinking","thinking":"Hm."}"#)
        .say("I will.\n\n```rust\nleft open")
        .call("t1", "Bash", r#"{"command":"ls `x`","description":"List"}"#)
        .result("t1", "ok", r#"{"stdout":"a\n```\nb","stderr":""}"#)
        .call("t2", "Edit", r#"{"file_path":"/w/a.rs","old_string":"one","new_string":"two"}"#)
        .result("t2", "ok", edit)
        .call("t3", "Bash", r#"{"command":"seq 30"}"#)
        .result("t3", "ok", &format!(r#"{{"stdout":"{long}","stderr":""}}"#))
        .call("t4", "Task", r#"{"description":"Look","subagent_type":"Explore","prompt":"find it"}"#)
        .result("t4", "found", r#"{"status":"completed","agentId":"a1","content":[{"type":"text","text":"Here."}]}"#)
        .raw(r#"{"type":"from-the-future","x":1}"#)
        .say("Done.")
        .after("u13")
        .prompt("again");
    let agent = Session::agent().prompt("find it").say("Here.");
    let (main, one) = (session.bytes(), agent.bytes());
    let (main, one) = (Transcript::parse(&main), Transcript::parse(&one));
    let agents =
        [AgentThread { id: "a1".to_owned(), tool_use: Some("t4".to_owned()), label: Some("Explore".to_owned()), transcript: &one }];
    let mut page = String::new();
    markdown::write(&Conversation::build(&main, &agents, Options::default()), &mut page);
    check(&page, r#"@11"#);
}
