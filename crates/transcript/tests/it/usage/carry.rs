//! The cost of carrying tool results, calculated by hand.

use annals_transcript::line::lines;
use annals_transcript::objects::find_objects;
use annals_transcript::price::{Prices, Usd};
use annals_transcript::record::Record;
use annals_transcript::usage::{FileIndex, KeepAll, ToolReport, ToolTimeline, UsageLedger, tool_report};

use super::read;

fn reply(id: &str, usage: &str, content: &str) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"{id}","requestId":"r-{id}","timestamp":"2026-01-01T10:00:00.000Z","message":{{"id":"{id}","model":"claude-opus-4-5","content":[{content}],"usage":{{{usage}}}}}}}"#
    ) + "\n"
}

fn call(id: &str, name: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{{}}}}"#)
}

fn result(id: &str, bytes: usize, is_error: &str) -> String {
    let text = "x".repeat(bytes);
    format!(
        r#"{{"type":"user","uuid":"u-{id}","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{text}"{is_error}}}]}}}}"#
    ) + "\n"
}

fn report(files: &[&str]) -> ToolReport {
    let mut ledger = UsageLedger::new();
    let mut trails = Vec::new();
    for (index, file) in files.iter().enumerate() {
        ledger.add_file(FileIndex::new(index), read(file.as_bytes()));
        let mut trail = ToolTimeline::default();
        for line in lines(file.as_bytes()) {
            find_objects(&line, |fields, _| trail.feed(&Record::new(fields)));
        }
        trails.push(trail);
    }
    tool_report(&trails, &ledger, &Prices::embedded(), &KeepAll)
}

#[test]
fn a_result_is_written_once_and_read_until_a_compaction() {
    let compaction = "{\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":\"c\"}\n";
    let file = [
        reply("a", r#""cache_creation_input_tokens":9000"#, &call("t1", "Read")),
        result("t1", 4000, ""),
        reply(
            "b",
            r#""cache_read_input_tokens":9000,"cache_creation_input_tokens":1100"#,
            &call("t2", "Bash"),
        ),
        result("t2", 401, r#","is_error":true"#),
        reply("c", r#""cache_read_input_tokens":10100,"cache_creation_input_tokens":200"#, ""),
        compaction.to_owned(),
        reply("d", r#""cache_creation_input_tokens":5000"#, ""),
    ]
    .concat();
    let report = report(&[&file]);
    let read = &report.tools["Read"];
    // 4,000 bytes are 1,000 tokens: written with b (1,000 x 6.25e-6), read with c (1,000 x 0.5e-6), gone with the compaction.
    assert_eq!((read.calls, read.errors, read.result_tokens, read.carried.responses), (1, 0, 1000, 2));
    assert_eq!((read.carried.tokens.cache_write_5m, read.carried.tokens.cache_read), (1000, 1000));
    assert_eq!(read.carried.cost, Usd::from_dollars(0.006_75));
    // 401 bytes are 101 tokens, written with c: 101 x 6.25e-6
    let bash = &report.tools["Bash"];
    assert_eq!((bash.calls, bash.errors, bash.result_tokens, bash.carried.responses), (1, 1, 101, 1));
    assert_eq!(bash.carried.cost, Usd::from_dollars(0.000_631_25));
    assert_eq!((report.total.calls, report.total.result_tokens), (2, 1101));
    assert_eq!(
        (report.total.carried.responses, report.total.carried.cost),
        (2, Usd::from_dollars(0.007_381_25))
    );
}

#[test]
fn no_more_is_counted_than_a_request_had() {
    // 40,000 bytes are taken for 10,000 tokens, but the request has sent 600 only. The next one finds its cache gone and
    // sends what it has, 700, for an hour.
    let split = r#""cache_creation_input_tokens":700,"cache_creation":{"ephemeral_1h_input_tokens":700}"#;
    let file = [
        reply("a", r#""input_tokens":10"#, &call("t1", "Read")),
        result("t1", 40_000, ""),
        reply("b", r#""input_tokens":600"#, ""),
        reply("c", split, ""),
    ]
    .concat();
    let carried = &report(&[&file]).tools["Read"].carried;
    assert_eq!(
        (carried.tokens.input, carried.tokens.cache_write_1h, carried.tokens.cache_read),
        (600, 700, 0)
    );
    // 600 x 5e-6 + 700 x 10e-6
    assert_eq!(carried.cost, Usd::from_dollars(0.01));
}

#[test]
fn a_fork_carries_what_it_copied_and_calls_it_once() {
    let first = [
        reply("a", r#""input_tokens":10"#, &call("t1", "Read")),
        result("t1", 400, ""),
        reply("b", r#""cache_creation_input_tokens":200"#, ""),
    ]
    .concat();
    let fork = first.clone() + &reply("c", r#""cache_read_input_tokens":200"#, "");
    let read = &report(&[&first, &fork]).tools["Read"];
    // One call of 100 tokens; written by b, which counts in the first file alone, and read by c.
    assert_eq!((read.calls, read.result_tokens, read.carried.responses), (1, 100, 2));
    assert_eq!((read.carried.tokens.cache_write_5m, read.carried.tokens.cache_read), (100, 100));
}

#[test]
fn sub_agents_have_contexts_of_their_own() {
    let side = |line: String| line.replacen('{', r#"{"isSidechain":true,"agentId":"x","#, 1);
    let file = [
        side(reply("a", r#""input_tokens":10"#, &call("t1", "Grep"))),
        side(result("t1", 400, "")),
        reply("b", r#""input_tokens":1000"#, ""),
        side(reply("c", r#""input_tokens":150"#, "")),
    ]
    .concat();
    let grep = &report(&[&file]).tools["Grep"];
    assert_eq!((grep.carried.responses, grep.carried.tokens.input), (1, 100));
}
