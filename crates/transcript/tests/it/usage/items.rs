//! Usage items and their summaries: totals that keep every token, blocks of five hours, a projected month.

use annals_transcript::price::{Prices, Usd};
use annals_transcript::time::parse_millis;
use annals_transcript::usage::{
    Certainty, FileIndex, Thread, UsageItem, UsageLedger, UsageSource, blocks, group, group_items, items,
    project_month,
};

use super::{file, line, read};

fn millis(text: &str) -> i64 {
    parse_millis(text).unwrap()
}

fn source(thread: Thread) -> UsageSource {
    UsageSource { session: "s".into(), slug: "-p".into(), project: Some("/p".into()), thread }
}

fn of(lines: &[super::Line]) -> Vec<UsageItem> {
    let mut ledger = UsageLedger::new();
    ledger.add_file(FileIndex::new(0), read(file(lines).as_bytes()));
    items(&ledger, &[source(Thread::Main)], &Prices::embedded())
}

/// A million output tokens of Opus 4.5: 25 dollars.
fn dear(message: &'static str, time: &str) -> super::Line {
    line(message, 1_000_000).usage(r#""input_tokens":0"#).at(time)
}

#[test]
fn items_are_quarters_of_an_hour_and_lose_nothing() {
    let lines = [
        line("a", 1).at("2026-01-01T10:00:00.000Z"),
        line("b", 2).at("2026-01-01T10:14:59.999Z"),
        line("c", 4).at("2026-01-01T10:15:00.000Z"),
        line("d", 8).at("2026-01-01T10:15:00.000Z").model("nobody-knows-it"),
        line("e", 16).at("2026-01-01T10:15:00.000Z").with(r#""isSidechain":true"#),
        line("f", 32).at("soon"),
    ];
    let found: Vec<_> = of(&lines)
        .iter()
        .map(|item| {
            let span = item.last.zip(item.first).map(|(last, first)| last - first);
            (item.tokens.output, item.responses, item.thread.clone(), item.certainty, span)
        })
        .collect();
    assert_eq!(
        found,
        [
            (32, 1, Thread::Main, Certainty::Priced, None),
            (3, 2, Thread::Main, Certainty::Priced, Some(899_999)),
            (4, 1, Thread::Main, Certainty::Priced, Some(0)),
            (8, 1, Thread::Main, Certainty::Unpriced, Some(0)),
            (16, 1, Thread::Inline, Certainty::Priced, Some(0)),
        ]
    );
    // The sums of items are those of the responses themselves.
    let mut ledger = UsageLedger::new();
    ledger.add_file(FileIndex::new(0), read(file(&lines).as_bytes()));
    let prices = Prices::embedded();
    let one = group(ledger.charges(), &prices, |_, charge| charge.model.map(|model| model.to_string()));
    let other = group_items(&of(&lines), |item| item.model.as_ref().map(|model| model.to_string()));
    assert_eq!(one, other);
    assert_eq!(one.total.unpriced.iter().map(|name| &**name).collect::<Vec<_>>(), ["nobody-knows-it"]);
}

#[test]
fn a_file_of_a_sub_agent_is_the_sub_agents() {
    let mut ledger = UsageLedger::new();
    ledger.add_file(FileIndex::new(0), read(file(&[line("a", 1)]).as_bytes()));
    let thread = Thread::Agent("x".into());
    let items = items(&ledger, &[source(thread.clone())], &Prices::embedded());
    assert_eq!(items[0].thread, thread);
}

#[test]
fn blocks_start_at_the_full_hour_and_last_five() {
    let items = of(&[
        dear("a", "2026-01-01T10:59:00.000Z"),
        dear("b", "2026-01-01T14:59:59.000Z"),
        dear("c", "2026-01-01T15:00:00.000Z"),
        dear("d", "2026-01-02T09:30:00.000Z"),
    ]);
    let found = blocks(&items);
    let spans: Vec<_> = found.iter().map(|block| (block.row.key.as_str(), block.row.responses)).collect();
    assert_eq!(
        spans,
        [("2026-01-01T10:00:00.000Z", 2), ("2026-01-01T15:00:00.000Z", 1), ("2026-01-02T09:00:00.000Z", 1)]
    );
    assert!(found.iter().all(|block| block.end - block.start == 5 * 3_600_000));
    // The last one an hour after its first response: 25 dollars an hour, and 3.5 hours are left.
    let now = millis("2026-01-02T10:30:00.000Z");
    let burn = found[2].burn(now).unwrap();
    assert_eq!(burn.left, 3 * 3_600_000 + 1_800_000);
    assert_eq!(burn.usd_per_hour, 25.0);
    assert_eq!(burn.tokens_per_minute, 1_000_000.0 / 60.0);
    assert_eq!(burn.projected, Usd::from_dollars(25.0 + 3.5 * 25.0));
    assert_eq!(found[2].burn(found[2].end), None);
    assert!(found[0].burn(now).is_none() && !found[0].is_active(now));
}

#[test]
fn a_month_goes_on_as_the_last_seven_days() {
    // Four of 25 dollars: one of the month before within the last seven days, one older, two of this month.
    let items = of(&[
        dear("a", "2026-01-20T12:00:00.000Z"),
        dear("b", "2026-01-31T12:00:00.000Z"),
        dear("c", "2026-02-01T12:00:00.000Z"),
        dear("d", "2026-02-04T00:00:00.000Z"),
    ]);
    let (start, end) = (millis("2026-02-01T00:00:00Z"), millis("2026-03-01T00:00:00Z"));
    let month = project_month(&items, start, end, millis("2026-02-05T00:00:00Z"));
    // 50 so far; 75 in seven days; 24 days left: 50 + 24 x 75 / 7 = 307.14
    assert_eq!(month.so_far, Usd::from_dollars(50.0));
    assert!((month.per_day.dollars() - 75.0 / 7.0).abs() < 1e-4);
    assert!((month.projected.dollars() - 307.142_857).abs() < 1e-3, "{:?}", month.projected);
}
