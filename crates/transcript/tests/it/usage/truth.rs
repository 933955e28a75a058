//! Every correction of the account, each in a small session calculated by hand: exact to the token and the femtodollar.
//! Prices per token of `claude-opus-4-5`: input 5e-6, output 25e-6, cache read 0.5e-6, cache write 6.25e-6 for five minutes
//! and 10e-6 for an hour.

use annals_transcript::price::{Prices, Usd};
use annals_transcript::usage::{
    FileIndex, Thread, Tokens, UsageLedger, UsageRow, UsageSource, group_items, items,
};

use super::read;

const OPUS: &str = "claude-opus-4-5";

/// An assistant line: message, request (none where empty), model, usage, whatever else.
fn reply(message: &str, request: &str, model: &str, usage: &str, extra: &str) -> String {
    let request = if request.is_empty() { String::new() } else { format!(r#""requestId":"{request}","#) };
    format!(
        r#"{{"type":"assistant","uuid":"{message}-{usage_length}",{request}"timestamp":"2026-01-01T10:00:00.000Z"{extra},"message":{{"id":"{message}","model":"{model}","content":[],"usage":{{{usage}}}}}}}"#,
        usage_length = usage.len(),
    ) + "\n"
}

/// The account of files, the first of which is a session's and those named otherwise sub-agents'.
fn account(files: &[(Thread, String)]) -> UsageRow {
    let mut ledger = UsageLedger::new();
    let mut sources = Vec::new();
    for (index, (thread, text)) in (0..).zip(files) {
        ledger.add_file(FileIndex::new(index), read(text.as_bytes()));
        let thread = thread.clone();
        sources.push(UsageSource { session: "s".into(), slug: "-p".into(), project: None, thread });
    }
    let items = items(&ledger, &sources, &Prices::embedded());
    group_items(&items, |_| Some("all".to_owned())).total
}

#[track_caller]
fn check(files: &[(Thread, String)], responses: u64, tokens: Tokens, dollars: f64) -> UsageRow {
    let row = account(files);
    assert_eq!((row.responses, row.tokens), (responses, tokens));
    assert_eq!(row.cost, Usd::from_dollars(dollars), "{:.15}", row.cost);
    row
}

fn main(text: String) -> [(Thread, String); 1] {
    [(Thread::Main, text)]
}

#[test]
fn a_response_split_over_lines() {
    // Three lines of one response, whose output grows 1, 9, 40; the last counts, once:
    // 100 x 5e-6 + 40 x 25e-6 + 2,000 x 0.5e-6 = 0.0005 + 0.001 + 0.001 = 0.0025
    let line = |output: u64| {
        let usage = format!(r#""input_tokens":100,"output_tokens":{output},"cache_read_input_tokens":2000"#);
        reply("m1", "r1", OPUS, &usage, "")
    };
    let tokens = Tokens { input: 100, output: 40, cache_read: 2000, ..Tokens::default() };
    check(&main(line(1) + &line(9) + &line(40)), 1, tokens, 0.0025);
}

#[test]
fn interleaved_responses() {
    // a, b, a, b: two responses of 10 and 20 output: 30 x 25e-6 = 0.00075
    let line =
        |message: &str, output: u64| reply(message, "r", OPUS, &format!(r#""output_tokens":{output}"#), "");
    let user = "{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"x\"}}\n";
    let text = [line("a", 4), line("b", 20), user.to_owned(), line("a", 10), line("b", 20)].concat();
    check(&main(text), 2, Tokens { output: 30, ..Tokens::default() }, 0.000_75);
}

#[test]
fn a_fork() {
    // The fork repeats 10 and adds 7: (10 + 7) x 25e-6 = 0.000425. Files alone would give 27.
    let first = reply("a", "r", OPUS, r#""output_tokens":10"#, "");
    let copy = reply(
        "a",
        "r",
        OPUS,
        r#""output_tokens":10"#,
        r#","forkedFrom":{"sessionId":"s","messageUuid":"a"}"#,
    );
    let new = reply("b", "q", OPUS, r#""output_tokens":7"#, "");
    let files = [(Thread::Main, first), (Thread::Main, copy + &new)];
    check(&files, 2, Tokens { output: 17, ..Tokens::default() }, 0.000_425);
}

#[test]
fn sub_agents_inline_and_in_files_of_their_own() {
    // 10 of the conversation, 5 inline, 3 of a named agent: 18 x 25e-6 = 0.00045; progress that repeats the 3 is nothing.
    let own = reply("a", "r1", OPUS, r#""output_tokens":10"#, "");
    let inline = reply("b", "r2", OPUS, r#""output_tokens":5"#, r#","isSidechain":true"#);
    let agent = reply("c", "r3", OPUS, r#""output_tokens":3"#, r#","isSidechain":true,"agentId":"x1""#);
    let repeated = format!(
        "{{\"type\":\"progress\",\"uuid\":\"p\",\"data\":{{\"type\":\"agent_progress\",\"agentId\":\"x1\",\"message\":{}}}}}\n",
        agent.trim()
    );
    let files = [(Thread::Main, own + &inline + &repeated), (Thread::Agent("x1".into()), agent)];
    check(&files, 3, Tokens { output: 18, ..Tokens::default() }, 0.000_45);
}

#[test]
fn agent_progress_alone_is_not_counted() {
    let inside = reply("a", "r", OPUS, r#""output_tokens":99"#, r#","isSidechain":true"#);
    let line = format!(
        "{{\"type\":\"progress\",\"uuid\":\"p\",\"data\":{{\"type\":\"agent_progress\",\"message\":{}}}}}\n",
        inside.trim()
    );
    check(&main(line), 0, Tokens::default(), 0.0);
}

#[test]
fn a_missing_request_id() {
    // Two lines share a message id and have no request id: one response of 8. The same id with a request id is another
    // of 2: (8 + 2) x 25e-6 = 0.00025
    let bare = |output: u64| reply("a", "", OPUS, &format!(r#""output_tokens":{output}"#), "");
    let named = reply("a", "r", OPUS, r#""output_tokens":2"#, "");
    check(&main(bare(3) + &bare(8) + &named), 2, Tokens { output: 10, ..Tokens::default() }, 0.000_25);
}

#[test]
fn writes_for_an_hour() {
    // 1,000 for five minutes and 3,000 for an hour: 1,000 x 6.25e-6 + 3,000 x 10e-6 = 0.00625 + 0.03 = 0.03625
    let split = r#""cache_creation_input_tokens":4000,"cache_creation":{"ephemeral_5m_input_tokens":1000,"ephemeral_1h_input_tokens":3000}"#;
    let tokens = Tokens { cache_write_5m: 1000, cache_write_1h: 3000, ..Tokens::default() };
    let row = check(&main(reply("a", "r", OPUS, split, "")), 1, tokens, 0.036_25);
    // Without a cache 4,000 x 5e-6 = 0.02: the cache has cost 0.01625 so far.
    assert_eq!(row.without_cache, Usd::from_dollars(0.02));
    assert_eq!(row.without_cache.minus(row.cost), -0.016_25);
    // Without the split all are of five minutes: 4,000 x 6.25e-6 = 0.025
    let whole = reply("a", "r", OPUS, r#""cache_creation_input_tokens":4000"#, "");
    check(&main(whole), 1, Tokens { cache_write_5m: 4000, ..Tokens::default() }, 0.025);
}

#[test]
fn a_long_context() {
    // Sonnet 4 over 200,000 of input: every class at the long price. 50,001 x 6e-6 + 150,000 x 0.6e-6 + 10 x 22.5e-6
    // = 0.300006 + 0.09 + 0.000225 = 0.390231. One token less is at the usual one:
    // 50,000 x 3e-6 + 150,000 x 0.3e-6 + 10 x 15e-6 = 0.15 + 0.045 + 0.00015 = 0.19515
    let line = |input: u64| {
        let usage = format!(r#""input_tokens":{input},"output_tokens":10,"cache_read_input_tokens":150000"#);
        reply("a", "r", "claude-sonnet-4-20250514", &usage, "")
    };
    let tokens = |input: u64| Tokens { input, output: 10, cache_read: 150_000, ..Tokens::default() };
    check(&main(line(50_001)), 1, tokens(50_001), 0.390_231);
    let row = check(&main(line(50_000)), 1, tokens(50_000), 0.195_15);
    // Without a cache: 200,000 x 3e-6 + 0.00015 = 0.60015, still the usual price.
    assert_eq!(row.without_cache, Usd::from_dollars(0.600_15));
}

#[test]
fn web_searches() {
    // 3 searches at a cent, a fetch for nothing, 10 output: 0.03 + 0.00025 = 0.03025
    let usage = r#""output_tokens":10,"server_tool_use":{"web_search_requests":3,"web_fetch_requests":1}"#;
    let tokens = Tokens { output: 10, web_searches: 3, web_fetches: 1, ..Tokens::default() };
    check(&main(reply("a", "r", OPUS, usage, "")), 1, tokens, 0.030_25);
}

#[test]
fn what_the_client_wrote_itself() {
    let synthetic = reply("a", "r", "<synthetic>", r#""output_tokens":50"#, "");
    let error = reply("b", "r", OPUS, r#""output_tokens":50"#, r#","isApiErrorMessage":true"#);
    check(&main(synthetic + &error), 0, Tokens::default(), 0.0);
}

#[test]
fn a_batch_and_an_advisor() {
    // A batch: 1,000 x 2.5e-6 + 100 x 12.5e-6 = 0.0025 + 0.00125 = 0.00375
    let batch = r#""input_tokens":1000,"output_tokens":100,"service_tier":"batch""#;
    let tokens = Tokens { input: 1000, output: 100, ..Tokens::default() };
    check(&main(reply("a", "r", OPUS, batch, "")), 1, tokens, 0.003_75);
    // Sonnet 5 asks Opus 4.8 for advice: 10 x 10e-6 of its own, and 900 x 5e-6 + 70 x 25e-6 beside it:
    // 0.0001 + 0.0045 + 0.00175 = 0.00635, in one response.
    let advised = r#""output_tokens":10,"iterations":[{"type":"message","output_tokens":10},{"type":"advisor_message","model":"claude-opus-4-8","input_tokens":900,"output_tokens":70}]"#;
    let tokens = Tokens { input: 900, output: 80, ..Tokens::default() };
    check(&main(reply("a", "r", "claude-sonnet-5", advised, "")), 1, tokens, 0.006_35);
}
