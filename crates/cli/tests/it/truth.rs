//! From bytes to totals, against a store with known totals: the demo store reports what it wrote.

use annals_demo::Plan;
use annals_json::Value;
use annals_testkit::home::Home;

use crate::annals_exits;

fn count(value: Value<'_>, path: &[&str]) -> u64 {
    let found = path.iter().try_fold(value, |value, key| value.get(key));
    found.and_then(Value::count).unwrap_or_else(|| panic!("no {path:?} in {value:?}"))
}

#[test]
fn tokens_and_responses_are_counted_once_over_the_store() {
    for plan in [Plan::default(), Plan { seed: 9, sessions: Some(40), ..Plan::default() }] {
        let home = Home::new();
        let truth = home.fill(&plan).truth;
        let out = annals_exits(&home, &["--json"], 0).out;
        let total = Value::parse(out.as_bytes()).unwrap().get("total").unwrap();
        assert_eq!(count(total, &["responses"]), truth.responses);
        let seen = ["input", "output", "cacheRead", "cacheWrite5m", "cacheWrite1h"]
            .map(|class| count(total, &["tokens", class]));
        let tokens = truth.tokens;
        assert_eq!(
            seen,
            [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write_5m, tokens.cache_write_1h]
        );
    }
}

#[test]
fn the_sessions_of_a_store_add_up_to_its_total() {
    let home = Home::new();
    let tally = home.fill(&Plan::default());
    let listed = annals_exits(&home, &["ls", "--all", "--json"], 0).out;
    let sessions: Vec<_> =
        Value::parse(listed.as_bytes()).unwrap().get("sessions").unwrap().items().collect();
    assert_eq!(sessions.len() as u64, tally.sessions);
    let turns: u64 = sessions.iter().map(|session| count(*session, &["turns"])).sum();
    assert_eq!(turns, tally.truth.prompts + tally.copied.prompts);
    let calls: u64 = sessions
        .iter()
        .map(|session| {
            let file = session.get("file").and_then(Value::text).unwrap().to_string();
            let out = home.run(env!("CARGO_BIN_EXE_annals"), ["show", &file, "--as", "tools", "--json"]).out;
            Value::parse(out.as_bytes()).map_or(0, |value| value.get("tools").unwrap().items().count() as u64)
        })
        .sum();
    // Sub-agents in files of their own make calls too, and are not among the sessions.
    assert!(calls > 0 && calls <= tally.truth.tool_calls + tally.copied.tool_calls, "{calls}");
}
