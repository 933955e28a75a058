//! Activity, counted by hand.

use annals_transcript::activity::{Activity, ActivityWindow, FileActivity, context_growth};
use annals_transcript::time::parse_millis;
use annals_transcript::transcript::Transcript;
use annals_transcript::usage::{FileIndex, Thread, UsageLedger, UsageSource, responses_usage};

/// A clock that is ahead of UTC by some hours and looks at everything from some instant on.
struct Ahead {
    hours: i64,
    since: Option<i64>,
}

const UTC: Ahead = Ahead { hours: 0, since: None };

impl ActivityWindow for Ahead {
    fn keeps(&self, millis: Option<i64>) -> bool {
        self.since.is_none_or(|since| millis.is_some_and(|at| at >= since))
    }

    fn local(&self, millis: i64) -> i64 {
        millis + self.hours * 3_600_000
    }
}

fn prompt(id: &str, time: &str) -> String {
    format!(r#"{{"type":"user","uuid":"{id}","timestamp":"{time}","message":{{"content":"do it"}}}}"#) + "\n"
}

fn call(id: &str, time: &str, name: &str, input: &str) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"c{id}","timestamp":"{time}","message":{{"id":"m{id}","model":"x","content":[{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}],"usage":{{"input_tokens":{id}00}}}}}}"#
    ) + "\n"
}

fn result(id: &str, time: &str, more: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"r{id}","timestamp":"{time}","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x"{more}}}]}}}}"#
    ) + "\n"
}

/// Two turns: two reads of one file and a change that fails, then a sub-agent that is never answered and a compaction.
fn session() -> String {
    [
        prompt("p1", "2026-01-03T22:59:00Z"),
        call("1", "2026-01-03T22:59:10Z", "Read", r#"{"file_path":"/a.rs"}"#),
        result("1", "2026-01-03T22:59:12Z", ""),
        call("2", "2026-01-03T22:59:20Z", "Read", r#"{"file_path":"/a.rs"}"#),
        result("2", "2026-01-03T22:59:24Z", ""),
        call("3", "2026-01-03T22:59:30Z", "Edit", r#"{"file_path":"/a.rs","old_string":"x"}"#),
        result("3", "2026-01-03T22:59:30Z", r#","is_error":true"#),
        prompt("p2", "2026-01-04T08:00:00Z"),
        call("4", "2026-01-04T08:00:30Z", "Task", r#"{"subagent_type":"explorer","prompt":"look"}"#),
        "{\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":\"k\",\"timestamp\":\"2026-01-04T08:01:00Z\"}\n"
            .to_owned(),
    ]
    .concat()
}

fn of(text: &str) -> FileActivity {
    FileActivity::of(&Transcript::parse(text.as_bytes()))
}

#[test]
fn turns_tools_files_and_hours() {
    let mut done = Activity::default();
    done.add(&of(&session()), &UTC);
    assert_eq!((done.turns, done.interrupted, done.compactions), (2, 0, 1));
    // From the prompt to the last line of the turn.
    assert_eq!(done.durations, [30_000, 60_000]);
    let tools: Vec<_> = done
        .tools
        .iter()
        .map(|(name, tool)| (&**name, tool.calls, tool.errors, tool.unanswered, tool.durations.as_slice()))
        .collect();
    assert_eq!(
        tools,
        [("Edit", 1, 1, 0, &[0][..]), ("Read", 2, 0, 0, &[2000, 4000][..]), ("Task", 1, 0, 1, &[][..])]
    );
    let files = done.most_touched();
    assert_eq!((&**files[0].0, files[0].1.reads, files[0].1.changes), ("/a.rs", 2, 1));
    assert_eq!(
        done.agent_kinds.iter().map(|(kind, count)| (&**kind, *count)).collect::<Vec<_>>(),
        [("explorer", 1)]
    );
    assert_eq!((done.hours[22], done.hours[8], done.days.len()), (1, 1, 2));
}

#[test]
fn copies_count_once_and_days_are_the_readers() {
    let mut done = Activity::default();
    let fork = session() + &prompt("p3", "2026-01-04T09:00:00Z");
    let clock = Ahead { hours: 2, since: None };
    done.add(&of(&session()), &clock);
    done.add(&of(&fork), &clock);
    assert_eq!((done.turns, done.compactions, done.tools["Read"].calls), (3, 1, 2));
    // 22:59 is the next day two hours further east.
    assert_eq!((done.hours[0], done.hours[10], done.hours[11], done.days.len()), (1, 1, 1, 1));
    done.add(&of(&prompt("p4", "2026-01-05T00:00:00Z")).without_turns(), &clock);
    assert_eq!(done.turns, 3);
}

#[test]
fn what_is_not_looked_at_is_not_counted() {
    let mut done = Activity::default();
    done.add(&of(&session()), &Ahead { hours: 0, since: parse_millis("2026-01-04T00:00:00Z") });
    assert_eq!((done.turns, done.tools.len(), done.files.len(), done.compactions), (1, 1, 0, 1));
}

#[test]
fn contexts_grow() {
    let mut ledger = UsageLedger::new();
    ledger.add_file(FileIndex::new(0), responses_usage(&Transcript::parse(session().as_bytes())));
    let source = |thread| UsageSource { session: "s".into(), slug: "-p".into(), project: None, thread };
    // The requests had 100, 200, 300 and 400 tokens.
    let growth = context_growth(&ledger, &[source(Thread::Main)], |_, _| true);
    let medians =
        [growth.first, growth.peak, growth.per_response].map(|found| found.map(|found| found.median));
    assert_eq!(medians, [Some(100), Some(400), Some(100)]);
    let growth = context_growth(&ledger, &[source(Thread::Agent("x".into()))], |_, _| true);
    assert_eq!(growth.first, None);
}
