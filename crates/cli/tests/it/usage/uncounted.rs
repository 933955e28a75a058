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
