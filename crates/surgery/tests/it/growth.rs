//! Checking and repairing takes time in proportion to the file, whatever its shape: shown by counted steps, not by seconds.

use std::fmt::Write;
use std::path::Path;

use annals_store::SessionKey;
use annals_surgery::Session;
use annals_surgery::repair::{RepairOptions, repair};
use annals_transcript::graph::Graph;
use annals_transcript::inspect::inspect;
use annals_transcript::loss::losses;
use annals_transcript::resume::{Client, branch, resume};
use annals_transcript::time::format_millis;
use annals_transcript::transcript::Transcript;
use annals_transcript::work::steps;

/// The sizes, each four times the one before.
const SIZES: [usize; 3] = [150, 600, 2_400];

/// How much more work a file of four times the size may take; sorting takes a little more than four times.
const MAX_GROWTH: f64 = 5.5;

fn check_work(bytes: &[u8]) -> u64 {
    let before = steps();
    let transcript = Transcript::parse(bytes);
    let graph = Graph::new(&transcript);
    inspect(&transcript, &graph, Some("s"));
    for &client in Client::ALL {
        let resumed = resume(&transcript, client);
        losses(&transcript, &graph, &resumed);
        branch(&transcript, &graph, client);
    }
    steps() - before
}

fn repair_work(bytes: &[u8]) -> u64 {
    let session = Session {
        path: Path::new("somewhere").join("s.jsonl"),
        key: SessionKey::new("s"),
        bytes: bytes.into(),
        agents: Vec::new(),
        home: None,
    };
    let before = steps();
    // A refusal is an answer as well.
    let _ = repair(&session, &RepairOptions::default());
    steps() - before
}

fn check(name: &str, file: impl Fn(usize) -> String) {
    for (what, work) in [("check", check_work as fn(&[u8]) -> u64), ("repair", repair_work)] {
        let work = SIZES.map(|size| work(file(size).as_bytes()));
        for pair in work.windows(2) {
            let growth = pair[1] as f64 / pair[0].max(1) as f64;
            assert!(growth < MAX_GROWTH, "{what} of {name}: {work:?} steps for {SIZES:?} records");
        }
    }
}

/// A record: even ones are prompts, odd ones replies.
fn record(number: usize, parent: Option<usize>, second: usize) -> String {
    let content = match number % 2 {
        0 => format!("\"prompt {number}\""),
        _ => format!(r#"[{{"type":"text","text":"reply {number}"}}]"#),
    };
    line(number, ["user", "assistant"][number % 2], parent, second, &content)
}

fn line(number: usize, kind: &str, parent: Option<usize>, second: usize, content: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"u{parent}\""));
    let time = format_millis(1_793_491_200_000 + second as i64 * 1000);
    format!(
        r#"{{"parentUuid":{parent},"sessionId":"s","type":"{kind}","message":{{"id":"m{number}","role":"{kind}","content":{content}}},"uuid":"u{number}","timestamp":"{time}"}}"#
    ) + "\n"
}

fn records(count: usize, parent: impl Fn(usize) -> Option<usize>) -> String {
    (0..count).map(|number| record(number, parent(number), number)).collect()
}

fn reversed(text: &str) -> String {
    text.lines().rev().fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "{line}");
        out
    })
}

#[test]
fn every_shape_of_conversation_takes_work_in_proportion() {
    let above = |number: usize| number.checked_sub(1);
    check("a chain", |count| records(count, above));
    check("a chain backwards", |count| reversed(&records(count, above)));
    check("a star", |count| records(count, |number| (number > 0).then_some(0)));
    check("a tree", |count| records(count, |number| (number > 0).then(|| (number - 1) / 2)));
    check("a comb", |count| records(count, |number| number.checked_sub(if number % 2 == 0 { 2 } else { 1 })));
    check("a cycle", |count| records(count, |number| Some(number.checked_sub(1).unwrap_or(count - 1))));
    check("many cycles", |count| records(count, |number| Some(number ^ 1)));
    check("no parents", |count| records(count, |_| None));
    check("missing parents", |count| records(count, |number| Some(number + 1_000_000)));
    check("every third parent is missing", |count| {
        records(count, |number| if number % 3 == 0 { Some(number + 1_000_000) } else { above(number) })
    });
}

#[test]
fn every_damage_takes_work_in_proportion() {
    let above = |number: usize| number.checked_sub(1);
    check("one uuid", |count| (0..count).map(|number| record(2, above(number), number)).collect());
    check("open calls", |count| {
        let call =
            |number: usize| format!(r#"[{{"type":"tool_use","id":"t{number}","name":"Bash","input":{{}}}}]"#);
        (0..count).map(|number| line(number, "assistant", above(number), number, &call(number))).collect()
    });
    check("results without a call", |count| {
        let result =
            |number: usize| format!(r#"[{{"type":"tool_result","tool_use_id":"t{number}","content":"x"}}]"#);
        (0..count).map(|number| line(number, "user", above(number), number, &result(number))).collect()
    });
    check("results on branches of their own", |count| {
        let call =
            |number: usize| format!(r#"[{{"type":"tool_use","id":"t{number}","name":"Bash","input":{{}}}}]"#);
        let result =
            |number: usize| format!(r#"[{{"type":"tool_result","tool_use_id":"t{number}","content":"x"}}]"#);
        let pair = |at: usize| {
            let (parent, number) = (at.checked_sub(2), at + 1);
            line(at, "assistant", parent, at, &call(at))
                + &line(number, "user", Some(at), number, &result(at))
        };
        (0..count / 2).map(|half| pair(half * 2)).collect()
    });
    check("boundaries without a summary", |count| {
        let boundary = |number: usize| {
            format!(
                "{{\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":\"b{number}\",\"parentUuid\":null,\
                 \"logicalParentUuid\":\"u{number}\",\"sessionId\":\"s\",\"timestamp\":\"{}\"}}\n",
                format_millis(1_793_491_200_000 + number as i64 * 1000)
            )
        };
        (0..count).map(|number| record(number, above(number), number) + &boundary(number)).collect()
    });
    check("thinking alone", |count| {
        let thought = r#"[{"type":"thinking","thinking":"x","signature":"y"}]"#;
        (0..count).map(|number| line(number, "assistant", above(number), number, thought)).collect()
    });
}

#[test]
fn lines_of_every_kind_take_work_in_proportion() {
    let above = |number: usize| number.checked_sub(1);
    check("records over several lines", |count| records(count, above).replace(",\"", ",\n\""));
    check("lists that never end", |count| "[\n".repeat(count) + &records(2, above));
    check("objects that never end", |count| "{\"a\":\n".repeat(count) + "!\n" + &records(2, above));
    check("records that break off", |count| records(count, above).replace("\"timestamp\"", "\n"));
    check("records on one line", |count| records(count, above).replace('\n', "") + "\n");
    check("a list of records", |count| {
        format!("[\n{}\n]", records(count, above).trim_end().replace('\n', ",\n"))
    });
}
