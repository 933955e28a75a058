//! `stats-cache.json`, the client's own statistics: some days old, as always.

use std::collections::BTreeMap;

use crate::bundle::IndexEntry;
use crate::clock::{Timestamp, at};
use crate::json;

/// Computed on the last day of October; later activity is missing.
pub(super) fn cache(entries: &[IndexEntry]) -> Vec<u8> {
    let mut days: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut hours: BTreeMap<i64, u64> = BTreeMap::new();
    let known: Vec<&IndexEntry> =
        entries.iter().filter(|entry| entry.created < at(2026, 10, 31, 0, 0)).collect();
    for entry in &known {
        let day = days.entry(Timestamp::of(entry.created).date().to_owned()).or_default();
        day.0 += entry.messages;
        day.1 += 1;
        *hours.entry(entry.created.rem_euclid(86_400_000) / 3_600_000).or_default() += 1;
    }
    json::object(|o| {
        o.raw("version", b"3").string("lastComputedDate", "2026-10-31").array("dailyActivity", |list| {
            for (date, (messages, sessions)) in &days {
                list.object(|day| {
                    day.string("date", date)
                        .number("messageCount", *messages)
                        .number("sessionCount", *sessions);
                    day.number("toolCallCount", messages / 3);
                });
            }
        });
        o.raw("dailyModelTokens", b"[]").object("modelUsage", |models| {
            models.object("claude-opus-4-7", |m| {
                m.raw("inputTokens", b"41200")
                    .raw("outputTokens", b"388120")
                    .raw("cacheReadInputTokens", b"9100400");
                m.raw("cacheCreationInputTokens", b"1204000").raw("webSearchRequests", b"2");
                m.raw("costUSD", b"0").raw("contextWindow", b"0");
            });
        });
        o.number("totalSessions", known.len() as u64);
        o.number("totalMessages", known.iter().map(|entry| entry.messages).sum::<u64>());
        if let Some(longest) = known.iter().max_by_key(|entry| entry.modified - entry.created) {
            o.object("longestSession", |l| {
                l.string("sessionId", longest.session.as_str());
                l.number("duration", longest.modified - longest.created);
                l.number("messageCount", longest.messages);
                l.string("timestamp", Timestamp::of(longest.created).as_str());
            });
        }
        o.string("firstSessionDate", "2026-01-05T09:12:00.000Z").object("hourCounts", |h| {
            for (hour, count) in &hours {
                h.number(&hour.to_string(), *count);
            }
        });
    })
}
