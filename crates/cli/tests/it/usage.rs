//! `annals usage` and `annals stats`: totals, tables, filters, the status line.

mod tables;
mod uncounted;

use std::io::Write;
use std::process::Stdio;

use annals_demo::Plan;
use annals_json::Value;
use annals_testkit::home::Home;

use crate::schemas::keep_schema;
use crate::{annals, annals_exits, expect};

const FIRST: &str = "aaaaaaaa-1111-4222-8333-444444444444";
const FORK: &str = "bbbbbbbb-1111-4222-8333-444444444444";

/// A reply with whatever usage and further fields.
fn reply(id: &str, time: &str, model: &str, usage: &str, extra: &str) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"{id}","requestId":"r-{id}","timestamp":"{time}","cwd":"/home/ada/shop"{extra},"message":{{"id":"{id}","model":"{model}","content":[],"usage":{{{usage}}}}}}}"#
    ) + "\n"
}

fn prompt(id: &str, time: &str, text: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"{id}","timestamp":"{time}","cwd":"/home/ada/shop","message":{{"role":"user","content":"{text}"}}}}"#
    ) + "\n"
}

/// One store with every correction. Its truth, with Opus 4.5 at 5, 25, 0.5, 6.25 and 10 dollars a million:
///
/// | response | | cost |
/// |---|---|--:|
/// | m1, two lines, and copied into the fork | 1,000 x 5e-6 + 100 x 25e-6 | 0.0075 |
/// | m2, an hour's writes, interleaved with m3 | 2,000 x 10e-6 + 40 x 25e-6 | 0.021 |
/// | m3, no request id, two searches | 10 x 25e-6 + 0.02 | 0.02025 |
/// | m4, a sub-agent's, also in progress lines | 10,000 x 0.5e-6 + 4 x 25e-6 | 0.0051 |
/// | m5 of the fork, Sonnet 4 over 200,000 | 200,001 x 6e-6 + 10 x 22.5e-6 | 1.200231 |
/// | synthetic, API error | | 0 |
///
/// Together 1.254081.
fn home() -> Home {
    let home = Home::new();
    let opus = "claude-opus-4-5";
    let m1 = |output: u64, extra: &str| {
        let usage = format!(r#""input_tokens":1000,"output_tokens":{output}"#);
        reply("m1", "2026-01-03T10:00:00.000Z", opus, &usage, extra)
    };
    let hour = r#""output_tokens":40,"cache_creation_input_tokens":2000,"cache_creation":{"ephemeral_1h_input_tokens":2000}"#;
    let m2 = reply("m2", "2026-01-03T10:05:00.000Z", opus, hour, "");
    let searches = r#""output_tokens":10,"server_tool_use":{"web_search_requests":2}"#;
    let m3 =
        reply("m3", "2026-01-03T23:30:00.000Z", opus, searches, "").replace(r#""requestId":"r-m3","#, "");
    let side = r#","isSidechain":true,"agentId":"x1""#;
    let m4 = reply(
        "m4",
        "2026-01-04T09:00:00.000Z",
        opus,
        r#""output_tokens":4,"cache_read_input_tokens":10000"#,
        side,
    );
    let progress = format!(
        "{{\"type\":\"progress\",\"uuid\":\"p\",\"parentToolUseID\":\"t1\",\"data\":{{\"type\":\"agent_progress\",\"agentId\":\"x1\",\"message\":{}}}}}\n",
        m4.trim()
    );
    let synthetic = reply("m6", "2026-01-04T09:00:00.000Z", "<synthetic>", r#""output_tokens":500"#, "");
    let error = reply(
        "m7",
        "2026-01-04T09:00:00.000Z",
        opus,
        r#""output_tokens":500"#,
        r#","isApiErrorMessage":true"#,
    );
    let asked = prompt("u1", "2026-01-03T09:59:58.000Z", "What is in this folder?");
    let first =
        [asked.clone(), m1(1, ""), m1(100, ""), m2.clone(), m3.clone(), m2, m3, progress, synthetic, error]
            .concat();
    home.write(format!("projects/-home-ada-shop/{FIRST}.jsonl"), first);
    home.write(format!("projects/-home-ada-shop/{FIRST}/subagents/agent-x1.jsonl"), m4);
    let copied = format!(r#","forkedFrom":{{"sessionId":"{FIRST}","messageUuid":"m1"}}"#);
    let long = r#""input_tokens":200001,"output_tokens":10"#;
    let m5 = reply("m5", "2026-01-10T12:00:00.000Z", "claude-sonnet-4-20250514", long, "");
    let again = prompt("u2", "2026-01-10T11:59:00.000Z", "Go on elsewhere");
    home.write(
        format!("projects/-home-ada-shop/{FORK}.jsonl"),
        [asked, m1(100, &copied), again, m5].concat(),
    );
    home
}

fn number(value: Value<'_>, key: &str) -> f64 {
    value.get(key).and_then(Value::number).unwrap_or_else(|| panic!("no {key} in {value:?}"))
}

fn json(home: &Home, arguments: &[&str]) -> String {
    annals_exits(home, &[arguments, &["--json"]].concat(), 0).out
}

#[test]
fn every_correction_together_is_right_to_the_token_and_the_cent() {
    let home = home();
    let out = json(&home, &["usage", "--no-index"]);
    let total = Value::parse(out.as_bytes()).unwrap().get("total").unwrap();
    let seen = ["responses", "input", "output", "cacheRead", "cacheWrite5m", "cacheWrite1h", "webSearches"]
        .map(|key| number(total, key));
    assert_eq!(seen, [5.0, 201_001.0, 164.0, 10_000.0, 0.0, 2000.0, 2.0]);
    assert_eq!(number(total, "costUsd"), 1.254_081);
}

#[test]
fn tables_for_people() {
    let home = home();
    expect(
        &annals_exits(&home, &["usage"], 0).out,
        "\
day         model     responses    input  output    read  written 5m  written 1h  cached     cost
2026-01-03  opus-4-5          3    1,000     150       0           0       2,000      0%    $0.05  #
2026-01-04  opus-4-5          1        0       4  10,000           0           0    100%  $0.0051  #
2026-01-10  sonnet-4          1  200,001      10       0           0           0      0%    $1.20  ############
total                         5  201,001     164  10,000           0       2,000      5%    $1.25

cache    5% of the input was read from the cache, which saved $0.04
prices as of 2026-11; times in UTC
[EOF]",
    );
}

#[test]
fn rows_add_up_to_the_total_whatever_they_are_summed_by() {
    let home = Home::new();
    let truth = home.fill(&Plan::default()).truth;
    let overview = json(&home, &[]);
    let overview = Value::parse(overview.as_bytes()).unwrap().get("total").unwrap();
    for by in ["hour", "day", "week", "month", "session", "project", "model", "agent", "block"] {
        let out = json(&home, &["usage", "--by", by]);
        let value = Value::parse(out.as_bytes()).unwrap();
        keep_schema("usage", &[out.trim().as_bytes()], by);
        let total = value.get("total").unwrap();
        assert_eq!(number(total, "responses"), truth.responses as f64, "{by}");
        assert_eq!(number(total, "costUsd"), number(overview, "costUsd"), "{by}");
        // What names no time belongs to no block.
        let dated =
            |key: &str| -> f64 { value.get("rows").unwrap().items().map(|row| number(row, key)).sum() };
        for key in ["responses", "input", "output", "cacheRead", "cacheWrite5m", "cacheWrite1h"] {
            assert_eq!(dated(key), number(total, key), "{by} {key}");
        }
    }
    let out = json(&home, &["usage", "--by", "tool"]);
    keep_schema("usage", &[out.trim().as_bytes()], "tool");
    let value = Value::parse(out.as_bytes()).unwrap();
    let calls: f64 = value.get("rows").unwrap().items().map(|row| number(row, "calls")).sum();
    assert_eq!(calls, truth.tool_calls as f64);
    // A part of the input, and never more than it.
    assert!(number(value.get("total").unwrap(), "costUsd") < number(overview, "costUsd"));
}

#[test]
fn days_are_the_readers() {
    let home = home();
    let days = |zone: &str| -> Vec<String> {
        let out = json(&home, &["usage", "--tz", zone]);
        let rows = Value::parse(out.as_bytes()).unwrap().get("rows").unwrap().items().collect::<Vec<_>>();
        rows.iter()
            .map(|row| format!("{} {}", row.get("key").unwrap().text().unwrap(), number(*row, "responses")))
            .collect()
    };
    assert_eq!(days("UTC"), ["2026-01-03 3", "2026-01-04 1", "2026-01-10 1"]);
    // 23:30 is the next morning in Kathmandu, five hours and three quarters ahead.
    assert_eq!(days("Asia/Kathmandu"), ["2026-01-03 2", "2026-01-04 2", "2026-01-10 1"]);
    assert_eq!(annals(&home, &["usage", "--tz", "Mars/Olympus"]).code, Some(2));
}

#[test]
fn filters_select() {
    let home = home();
    let cost = |arguments: &[&str]| {
        let out = json(&home, &[&["usage"], arguments].concat());
        number(Value::parse(out.as_bytes()).unwrap().get("total").unwrap(), "costUsd")
    };
    assert_eq!(cost(&["--since", "2026-01-10"]), 1.200_231);
    assert_eq!(cost(&["--until", "2026-01-03"]), 0.048_75);
    assert_eq!(cost(&["--model", "SONNET"]), 1.200_231);
    assert_eq!(cost(&["--project", "ada/shop"]), 1.254_081);
    annals_exits(&home, &["usage", "--project", "elsewhere"], 1);
    annals_exits(&home, &["usage", "--since", "2026-02-01"], 1);
    annals_exits(&home, &["usage", "--by", "moon"], 2);
}

#[test]
fn sessions_and_sub_agents_have_their_own() {
    let home = home();
    let rows = |by: &str| -> Vec<(String, f64)> {
        let out = json(&home, &["usage", "--by", by]);
        let value = Value::parse(out.as_bytes()).unwrap();
        let row =
            |row: Value<'_>| (row.get("key").unwrap().text().unwrap().to_string(), number(row, "costUsd"));
        value.get("rows").unwrap().items().map(row).collect()
    };
    // The fork pays for what it added, and the session for its sub-agent.
    assert_eq!(rows("session"), [(FORK.to_owned(), 1.200_231), (FIRST.to_owned(), 0.053_85)]);
    assert_eq!(rows("agent"), [("main".to_owned(), 1.248_981), ("agent-x1".to_owned(), 0.0051)]);
    assert_eq!(rows("project"), [("/home/ada/shop".to_owned(), 1.254_081)]);
}

#[test]
fn the_line_for_prompts_tells_of_the_session_it_is_given() {
    let home = home();
    let path = home.config_dir().join(format!("projects/-home-ada-shop/{FIRST}.jsonl"));
    let told = format!(
        r#"{{"session_id":"{FIRST}","transcript_path":"{}","model":{{"display_name":"Opus"}},"context_window":{{"context_window_size":200000}}}}"#,
        path.display().to_string().replace('\\', "\\\\")
    );
    let say = |arguments: &[&str], told: &str| {
        let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(told.as_bytes()).unwrap();
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    // m1, m2, m3 and the sub-agent's m4; the newest request of the conversation had no input at all.
    expect(
        &say(&["usage", "--statusline"], &told),
        "Opus | $0.05 session | $0.00 today | 0 context (0%)\n[EOF]",
    );
    let out = say(&["usage", "--statusline", "--json"], &told);
    keep_schema("usage-statusline", &[out.trim().as_bytes()], "usage --statusline");
    let session = Value::parse(out.as_bytes()).unwrap().get("session").unwrap();
    assert_eq!(number(session, "costUsd"), 0.053_85);
    // The id alone will do, also if the session is not of these days.
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
    for path in [format!("{FIRST}.jsonl"), format!("{FIRST}/subagents/agent-x1.jsonl")] {
        let path = home.config_dir().join("projects/-home-ada-shop").join(path);
        std::fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
    }
    let out = say(&["usage", "--statusline", "--json"], &format!(r#"{{"session_id":"{FIRST}"}}"#));
    let session = Value::parse(out.as_bytes()).unwrap().get("session").unwrap();
    assert_eq!(number(session, "costUsd"), 0.053_85);
    // Whatever stands on standard input, there is a line.
    for told in ["", "not json", "[]", r#"{"transcript_path":"/nowhere/x.jsonl","session_id":7}"#] {
        let out = say(&["usage", "--statusline"], told);
        assert!(out.contains("$0.00 today"), "{out}");
    }
}

#[test]
fn a_response_of_now_is_of_today_and_of_the_running_block() {
    // Midnight may pass between the response and a report; then both are made again.
    let (report, line) = loop {
        let started = now();
        let (report, line) = reports_of_a_response_at(started);
        if started / DAY_MILLIS == now() / DAY_MILLIS {
            break (report, line);
        }
    };
    let value = Value::parse(report.as_bytes()).unwrap();
    let block = value.get("rows").unwrap().items().last().unwrap();
    assert!(block.get("active").unwrap().boolean().unwrap());
    let burn = block.get("burn").unwrap();
    assert!(number(burn, "leftMs") <= 5.0 * 3_600_000.0 && number(burn, "projectedUsd") >= 5.0);
    assert_eq!(number(value.get("month").unwrap(), "costUsd"), 5.0);
    assert!(line.starts_with("$5.00 today | $5.00 block, ") && line.ends_with(" left\n"), "{line}");
}

const DAY_MILLIS: i64 = 86_400_000;

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// `usage --by block --json` and the status line of a store with one response, at this instant.
fn reports_of_a_response_at(millis: i64) -> (String, String) {
    let home = Home::new();
    let time = annals_transcript::time::format_millis(millis);
    let line = reply("m", &time, "claude-opus-4-5", r#""input_tokens":1000000"#, "");
    home.write(format!("projects/-p/{FIRST}.jsonl"), line);
    let report = json(&home, &["usage", "--by", "block"]);
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.args(["usage", "--statusline"]).stdin(Stdio::null());
    (report, home.finish(&mut command).out)
}

#[test]
fn what_the_client_noted_stands_beside() {
    let home = home();
    home.write("stats-cache.json", r#"{"version":3,"lastComputedDate":"2026-01-04","modelUsage":{"claude-opus-4-5":{"inputTokens":1000,"outputTokens":150,"cacheReadInputTokens":0,"cacheCreationInputTokens":2000,"costUSD":0}}}"#);
    let out = json(&home, &["usage", "--compare"]);
    keep_schema("usage-compare", &[out.trim().as_bytes()], "usage --compare");
    let stats = Value::parse(out.as_bytes()).unwrap().get("statsCache").unwrap();
    let opus = stats.get("models").unwrap().items().next().unwrap();
    assert!(opus.get("why").unwrap().text().unwrap().is("sub-agents"));
    assert_eq!(number(stats.get("after").unwrap(), "costUsd"), 1.200_231);
    let shown = annals_exits(&home, &["usage", "--compare"], 0).out;
    assert!(shown.contains("the client leaves out sub-agents"), "{shown}");
    annals_exits(&Home::new(), &["usage", "--compare"], 1);
}

#[test]
fn stats_count_what_was_done_once() {
    let home = Home::new();
    let truth = home.fill(&Plan::default()).truth;
    let out = json(&home, &["stats"]);
    keep_schema("stats", &[out.trim().as_bytes()], "stats");
    let value = Value::parse(out.as_bytes()).unwrap();
    assert_eq!(number(value, "turns"), truth.prompts as f64);
    let tools: f64 = value.get("tools").unwrap().items().map(|tool| number(tool, "calls")).sum();
    assert_eq!(tools, truth.tool_calls as f64);
    let hours: f64 = value.get("hours").unwrap().items().filter_map(Value::number).sum();
    let days: f64 = value.get("days").unwrap().items().map(|day| number(day, "turns")).sum();
    assert!(hours <= truth.prompts as f64 && hours == days && hours > 0.0);
    let shown = annals_exits(&home, &["stats", "--limit", "2"], 0).out;
    assert!(shown.contains("more: --limit N"), "{shown}");
    annals_exits(&home, &["stats", "--since", "2099-01-01"], 1);
    annals_exits(&Home::new(), &["stats"], 1);
}

#[test]
fn stats_of_a_fixture() {
    let home = home();
    expect(
        &annals_exits(&home, &["stats"], 0).out,
        "\
turns      2 in 2 sessions of 1 project; 0 interrupted
took       median 1m 00s, p90 23h 00m, longest 23h 00m
days       2 active days; longest streak 1, current 0
hours      0          # #             23
context    starts at 1.0k (p90 200k), grows to 2.0k (p90 200k), by 500 per response; 0 compactions
sub-agents 1, 1 response, $0.0051

model                     responses  output   cost
claude-opus-4-5                   4     154  $0.05
claude-sonnet-4-20250514          1      10  $1.20

times in UTC
[EOF]",
    );
}

/// What the month will cost is reckoned from the instant on, which is another one in every call.
fn without_projection(json: &str) -> String {
    let key = "\"projectedUsd\":";
    let (before, rest) = json.split_once(key).unwrap();
    format!("{before}{}", &rest[rest.find([',', '}']).unwrap()..])
}

#[test]
fn without_a_place_for_the_index_the_files_answer() {
    let home = Home::new();
    home.fill(&Plan { sessions: Some(4), ..Plan::default() });
    let usual = annals(&home, &["usage", "--json"]);
    let blocked =
        home.write("blocked", "a file, where a folder should be").join("data").display().to_string();
    let answer = annals(&home, &["usage", "--json", "--data-dir", &blocked]);
    assert_eq!(answer.code, Some(0), "{}", answer.error);
    assert_eq!(without_projection(&answer.out), without_projection(&usual.out));
    assert!(answer.error.contains("reading the files instead"), "{}", answer.error);
}

#[test]
fn an_index_that_has_other_prices_answers_with_the_ones_that_are_asked_for() {
    let home = home();
    let prices = home.write(
        "dear.json",
        r#"{"models":{"claude-opus-4-5":{"input":1000,"output":1000,"cache_read":1000,"cache_write_5m":1000,"cache_write_1h":1000}}}"#,
    );
    let dear = ["--prices", prices.to_str().unwrap()];
    let cost = |arguments: &[&str]| {
        let out = json(&home, &[&["usage"], arguments].concat());
        number(Value::parse(out.as_bytes()).unwrap().get("total").unwrap(), "costUsd")
    };
    let (usual, expected) = (cost(&["--no-index"]), cost(&[&dear[..], &["--no-index"]].concat()));
    assert!(expected > usual * 2.0, "{expected} and {usual}");
    // The index is there and nothing of the store has changed: its answer is there at once, and does not count.
    for _ in 0..2 {
        assert_eq!(cost(&[]), usual);
        assert_eq!(cost(&dear), expected);
        assert_eq!(cost(&dear), expected);
    }
}
