//! Rows of the same lines stay the same, or have another version.

use annals_collect::{Batch, Item, ItemForm};
use annals_store::digest::sha256;
use annals_team::query::ForgottenSubjects;
use annals_team::rows::BatchRows;
use annals_team::schema::{DERIVED_TABLES, FORM};
use annals_testkit::builder::Session;
use annals_transcript::price::Prices;

const ID: &str = "33333333-cccc-4ccc-8ccc-000000000003";

/// Rows of a session with everything that rows are made of; costs are left out, since prices have a version of their own.
fn digest() -> String {
    let lines = [
        Session::new().prompt("Where is the lamp?").reply("In the hall.").into_bytes(),
        format!(
            "{{\"type\":\"assistant\",\"uuid\":\"33333333-0000-4000-8000-000000000001\",\"sessionId\":\"{ID}\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"requestId\":\"r\",\"message\":{{\"id\":\"m\",\"role\":\"assistant\",\"model\":\"claude-opus-4-7\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"Read\",\"input\":{{\"file_path\":\"/w/a.rs\"}}}}],\"usage\":{{\"input_tokens\":1,\"output_tokens\":2}}}}}}\n{{\"type\":\"user\",\"uuid\":\"33333333-0000-4000-8000-000000000002\",\"sessionId\":\"{ID}\",\"timestamp\":\"2026-01-01T00:00:01.000Z\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"is_error\":true,\"content\":\"no such file\"}}]}}}}\n{{\"type\":\"summary\",\"summary\":\"A lamp\",\"leafUuid\":\"33333333-0000-4000-8000-000000000002\"}}\n{{\"type\":\"custom-title\",\"customTitle\":\"The lamp\",\"sessionId\":\"{ID}\"}}\n{{\"type\":\"ai-title\",\"aiTitle\":\"A lamp in the hall\",\"sessionId\":\"{ID}\"}}\n{{\"type\":\"tag\",\"tag\":\"light\",\"sessionId\":\"{ID}\"}}\n{{\"type\":\"last-prompt\",\"lastPrompt\":\"Thanks\",\"sessionId\":\"{ID}\"}}\n"
        )
        .into_bytes(),
    ]
    .concat();
    let item = |file: String, form, number: usize, text: &str| Item {
        file,
        generation: 1_767_225_600_000,
        offset: number as u64 * 10_000,
        length: text.len() as u64 + 1,
        number: number as u64 + 1,
        form,
        of: None,
        to: None,
        modified: Some(1_767_225_600_000),
        text: Some(text.to_owned()),
    };
    let lines = String::from_utf8(lines).unwrap();
    let mut items: Vec<Item> = lines
        .lines()
        .enumerate()
        .map(|(at, line)| item(format!("projects/-w/{ID}.jsonl"), ItemForm::Line, at, line))
        .collect();
    let title = r#"{"customTitle":"Beside"}"#;
    items.push(item(format!("projects/-w/{ID}/custom-title.json"), ItemForm::File, 0, title));
    let todo = r#"[{"content":"Dust the lamp","status":"pending"}]"#;
    items.push(item(format!("todos/{ID}-agent-{ID}.json"), ItemForm::File, 0, todo));
    let asked = r#"{"display":"Where?","timestamp":1767225600000,"project":"/w"}"#;
    items.push(item("history.jsonl".to_owned(), ItemForm::Line, 0, asked));
    let batch = Batch { machine: "m".into(), store: "s".into(), sequence: 1, rules: String::new(), items };
    let rows = BatchRows::of(&batch, "", &Prices::embedded(), &ForgottenSubjects::default());
    let mut all = String::new();
    for (table, body, _) in
        rows.tables().filter(|(table, ..)| DERIVED_TABLES.contains(table) && *table != "responses")
    {
        all.push_str(table);
        all.push_str(&String::from_utf8_lossy(body));
    }
    assert!(
        all.contains("Dust")
            && all.contains("Where?")
            && all.contains("Beside")
            && all.contains("lamp")
            && all.contains("toolu_1"),
        "{all}"
    );
    sha256(all.as_bytes())
}

#[test]
fn other_rows_of_the_same_lines_have_another_version() {
    let known = (4, "6b8cffb11207dd28a905939b6f1318e8a95f581ae0efa241ed2392bcfd45f081");
    assert_eq!(
        (FORM, digest().as_str()),
        known,
        "this release makes other rows: raise schema::FORM and note what is different there, so that `team check` asks for a rebuild"
    );
}
