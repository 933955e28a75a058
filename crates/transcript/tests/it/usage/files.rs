//! One file: which lines count, and which line of a response.

use annals_transcript::usage::{ServiceTier, SideCallKind, Speed};

use super::{file, line, outputs, read, sum};

#[test]
fn the_lines_of_a_response_count_once() {
    let responses = read(file(&[line("a", 7), line("a", 7), line("a", 7), line("b", 5)]).as_bytes());
    assert_eq!(outputs(&responses), [7, 5]);
    assert_eq!((responses[0].position, responses[1].position), (0, 3));
    let tokens = sum(&responses);
    assert_eq!((tokens.input, tokens.output, tokens.cache_read), (6, 12, 200));
}

#[test]
fn interleaved_responses_are_kept_apart() {
    let user = "{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"x\"}}\n";
    let (a, b) = (file(&[line("a", 1)]), file(&[line("b", 2)]));
    let responses = read([a.as_str(), &b, user, &a, user, &b].concat().as_bytes());
    assert_eq!(outputs(&responses), [1, 2]);
    assert_eq!(responses[1].position, 1);
}

#[test]
fn growing_output_counts_as_it_ended() {
    assert_eq!(outputs(&read(file(&[line("a", 1), line("a", 9), line("a", 240)]).as_bytes())), [240]);
    // Five responses of real data are not monotone: the largest counts, not the last.
    assert_eq!(outputs(&read(file(&[line("a", 1), line("a", 240), line("a", 9)]).as_bytes())), [240]);
}

#[test]
fn of_equal_lines_the_last_counts_and_the_first_says_when() {
    let early = line("a", 7).usage(r#""input_tokens":0"#).at("2026-01-01T23:59:59.000Z");
    let late =
        line("a", 7).usage(r#""input_tokens":31,"service_tier":"batch""#).at("2026-01-02T00:00:01.000Z");
    let responses = read(file(&[early, late]).as_bytes());
    assert_eq!(responses[0].reading.tokens.input, 31);
    assert_eq!(responses[0].reading.tier, ServiceTier::Batch);
    assert_eq!(responses[0].millis, annals_transcript::time::parse_millis("2026-01-01T23:59:59.000Z"));
}

#[test]
fn ids_may_be_missing() {
    let bare = |uuid: &str, id: &str, output: u64| {
        format!(
            "{{\"type\":\"assistant\"{uuid},\"message\":{{{id}\"model\":\"x\",\"usage\":{{\"output_tokens\":{output}}}}}}}\n"
        )
    };
    // Without a request id the message id is enough; without a message id the line's uuid; without both the line.
    let one = bare(r#","uuid":"1""#, r#""id":"m","#, 1) + &bare(r#","uuid":"2""#, r#""id":"m","#, 2);
    let two = bare(r#","uuid":"1""#, "", 4) + &bare(r#","uuid":"2""#, "", 8);
    let three = bare("", "", 16) + &bare("", "", 32) + &bare("", "", 32);
    assert_eq!(outputs(&read((one + &two + &three).as_bytes())), [2, 4, 8, 16, 32]);
}

#[test]
fn what_the_client_says_itself_costs_nothing() {
    let lines = [
        line("a", 5).model("<synthetic>"),
        line("b", 6).with(r#""isApiErrorMessage":true"#),
        line("c", 7).with(r#""isApiErrorMessage":false"#),
    ];
    assert_eq!(outputs(&read(file(&lines).as_bytes())), [7]);
    let without = r#"{"type":"assistant","uuid":"x","message":{"id":"d","model":"m","usage":null}}"#;
    let user = r#"{"type":"user","uuid":"y","message":{"id":"d","usage":{"output_tokens":9}}}"#;
    assert!(read(format!("{without}\n{user}\n{{\"type\":\"assistant\"}}\n").as_bytes()).is_empty());
}

#[test]
fn progress_that_repeats_a_sub_agents_message_does_not_count() {
    let inside = line("a", 5).json();
    let progress = format!(
        r#"{{"type":"progress","uuid":"p","data":{{"type":"agent_progress","message":{inside},"agentId":"x"}}}}"#
    );
    assert!(read(progress.as_bytes()).is_empty());
}

#[test]
fn sub_agents_count_and_say_who_they_are() {
    let lines = [line("a", 5), line("b", 6).with(r#""isSidechain":true,"agentId":"a1b2""#)];
    let responses = read(file(&lines).as_bytes());
    assert!(!responses[0].is_sidechain && responses[0].agent.is_none());
    assert!(responses[1].is_sidechain);
    assert_eq!(responses[1].agent.as_deref(), Some("a1b2"));
}

#[test]
fn tier_and_speed_are_read() {
    let read_one = |usage: &str| read(file(&[line("a", 1).usage(usage)]).as_bytes())[0].reading.clone();
    assert_eq!(read_one(r#""service_tier":"standard","speed":"fast""#).speed, Speed::Fast);
    assert_eq!(read_one(r#""service_tier":null,"speed":null"#).tier, ServiceTier::Standard);
    assert_eq!(read_one(r#""service_tier":"priority""#).tier, ServiceTier::Priority);
    assert_eq!(read_one(r#""service_tier":"flex","speed":"warp""#).tier, ServiceTier::Other);
}

#[test]
fn calls_that_the_totals_leave_out_are_counted_beside_them() {
    // One call: the entry is the total again. An attempt that was refused: the total is that of the model that served.
    let once = r#""iterations":[{"type":"message","output_tokens":5}]"#;
    let refused = r#""iterations":[{"type":"message","model":"x","output_tokens":2},{"type":"fallback_message","model":"y","output_tokens":5}]"#;
    let unknown = r#""iterations":[{"type":"from_the_future","output_tokens":2},7]"#;
    for iterations in [once, refused, unknown, r#""iterations":[]"#, r#""iterations":null"#] {
        let responses = read(file(&[line("a", 5).usage(iterations)]).as_bytes());
        assert_eq!(sum(&responses).output, 5, "{iterations}");
    }
    let advised = r#""iterations":[{"type":"message","output_tokens":2},
        {"type":"advisor_message","model":"claude-opus-4-8","input_tokens":900,"output_tokens":70},
        {"type":"message","output_tokens":3},{"type":"compaction","input_tokens":1000}]"#
        .replace('\n', "");
    let responses = read(file(&[line("a", 5).usage(&advised)]).as_bytes());
    assert_eq!((responses[0].reading.tokens.output, responses[0].tokens().output), (5, 75));
    let models: Vec<_> = responses[0]
        .charges()
        .map(|charge| (charge.side_call, charge.model.map(|name| name.to_string()), charge.tokens.total()))
        .collect();
    let own = Some("claude-opus-4-5-20251101".to_owned());
    assert_eq!(
        models,
        [
            (None, own.clone(), 5),
            (Some(SideCallKind::Advisor), Some("claude-opus-4-8".to_owned()), 970),
            (Some(SideCallKind::Compaction), own, 1000),
        ]
    );
}
