//! What is known of sub-agents whose files are gone.

use annals_json::Value;

use super::{FIRST, home, json, number};
use crate::annals_exits;

#[test]
fn what_is_known_of_deleted_sub_agents_is_stated_beside_the_sums() {
    let home = home();
    let uncounted = |arguments: &[&str]| {
        let out = json(&home, arguments);
        let value = Value::parse(out.as_bytes()).unwrap();
        let (total, uncounted) = (value.get("total").unwrap(), value.get("uncounted").unwrap());
        [number(total, "responses"), number(uncounted, "responses"), number(uncounted, "costUsd")]
    };
    let note = "not counted: 1 response of sub-agents whose files are gone, at least $0.0051 (10k tokens)";
    let forms: [&[&str]; 3] = [&["usage", "--no-index"], &["usage"], &[]];
    for form in forms {
        assert_eq!(uncounted(form), [5.0, 0.0, 0.0], "{form:?}");
        assert!(!annals_exits(&home, form, 0).out.contains("not counted"), "{form:?}");
    }
    std::fs::remove_file(
        home.config_dir().join(format!("projects/-home-ada-shop/{FIRST}/subagents/agent-x1.jsonl")),
    )
    .unwrap();
    // The index counted it while it was there.
    assert_eq!(uncounted(&["usage"]), [5.0, 0.0, 0.0]);
    std::fs::remove_dir_all(home.data_dir()).unwrap();
    for form in forms {
        assert_eq!(uncounted(form), [4.0, 1.0, 0.0051], "{form:?}");
        let shown = annals_exits(&home, form, 0).out;
        assert!(shown.contains(note), "{form:?}: {shown}");
    }
    for form in [&["usage", "--since", "2026-01-05"][..], &["usage", "--model", "sonnet", "--no-index"]] {
        assert_eq!(uncounted(form)[1], 0.0, "{form:?}");
    }
}

#[test]
fn what_a_result_tells_of_a_sub_agent_without_a_file_is_stated_beside_the_sums() {
    let home = home();
    let call = r#"{"type":"assistant","uuid":"c9","parentUuid":"u1","timestamp":"2026-01-03T11:00:00.000Z","sessionId":"s","message":{"id":"m9","role":"assistant","model":"claude-opus-4-5","content":[{"type":"tool_use","id":"t9","name":"Agent","input":{"prompt":"look"}}],"usage":{"output_tokens":1}}}"#;
    let result = r#"{"type":"user","uuid":"r9","parentUuid":"c9","timestamp":"2026-01-03T11:01:00.000Z","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t9","content":"found"}]},"toolUseResult":{"status":"completed","prompt":"look","agentId":"gone9","resolvedModel":"claude-opus-4-5","content":[{"type":"text","text":"found"}],"totalDurationMs":9,"totalTokens":1000100,"totalToolUseCount":1,"usage":{"input_tokens":1000000,"output_tokens":100}}}"#;
    let path = home.config_dir().join(format!("projects/-home-ada-shop/{FIRST}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}{call}\n{result}\n")).unwrap();
    let note = "not counted: 1 response of sub-agents whose files are gone, at least $5.00 (1.0M tokens)";
    let forms: [&[&str]; 3] = [&["usage", "--no-index"], &["usage"], &[]];
    for form in forms {
        let shown = annals_exits(&home, form, 0).out;
        assert!(shown.contains(note), "{form:?}: {shown}");
        let out = json(&home, form);
        let value = Value::parse(out.as_bytes()).unwrap();
        assert_eq!(number(value.get("uncounted").unwrap(), "responses"), 1.0, "{form:?}");
    }
}
