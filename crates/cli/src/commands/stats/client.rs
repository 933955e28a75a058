//! The totals of the client's own `stats-cache.json`: of the whole store, whatever is selected, and as old as the file.

use annals_json::ObjectWriter;
use annals_store::stats_cache::{StatsCache, read_stats_cache};

use crate::context::Context;
use crate::words;

/// The client's own statistics.
pub(super) struct ClientStats {
    /// The last day that they cover.
    until: Option<String>,
    sessions: u64,
    messages: u64,
    tool_calls: u64,
    /// Day, messages, sessions, tool calls.
    days: Vec<(String, [u64; 3])>,
    /// Sessions by the hour in which they began.
    hours: [u64; 24],
}

impl ClientStats {
    /// Reads them; `None` if the store has none that can be read.
    pub(super) fn read(context: &Context) -> Option<Self> {
        let file = read_stats_cache(context.store.config_dir()).ok()??;
        let cache = StatsCache::of_file(&file).ok()?;
        let count = |number: Option<u64>| number.unwrap_or(0);
        let days: Vec<_> = cache
            .days()
            .map(|day| {
                let counts = [day.message_count(), day.session_count(), day.tool_call_count()].map(count);
                (day.date().map(|date| date.to_string()).unwrap_or_default(), counts)
            })
            .collect();
        let mut hours = [0; 24];
        for field in cache.hour_counts().iter().flat_map(|fields| fields.iter()) {
            let hour = field.key.decode().parse().ok().and_then(|hour: usize| hours.get_mut(hour));
            if let (Some(hour), Some(number)) = (hour, field.value.number()) {
                *hour = number as u64;
            }
        }
        Some(Self {
            until: cache.last_computed_date().map(|date| date.to_string()),
            sessions: count(cache.total_sessions()),
            messages: count(cache.total_messages()),
            tool_calls: days.iter().map(|(_, counts)| counts[2]).sum(),
            days,
            hours,
        })
    }

    /// One line for people.
    pub(super) fn line(&self) -> String {
        let until = self.until.as_ref().map(|day| format!(" up to {day}")).unwrap_or_default();
        let most = self.hours.iter().enumerate().rev().max_by_key(|(_, count)| **count);
        let hour = most.filter(|(_, count)| **count > 0);
        let hour = hour.map(|(hour, _)| format!(", most sessions begin at {hour}")).unwrap_or_default();
        format!(
            "client     counted {}, {}, {} on {}{until}{hour}",
            words::plural(self.sessions, "session", "sessions"),
            words::plural(self.messages, "message", "messages"),
            words::plural(self.tool_calls, "tool call", "tool calls"),
            words::plural(self.days.len() as u64, "day", "days"),
        )
    }

    pub(super) fn write(&self, object: &mut ObjectWriter<'_>) {
        object.string_or_null("until", self.until.as_deref());
        object.number("totalSessions", self.sessions).number("totalMessages", self.messages);
        object.number("totalToolCalls", self.tool_calls);
        object.array("dailyActivity", |list| {
            for (day, [messages, sessions, tool_calls]) in &self.days {
                list.object(|object| {
                    object.string("day", day).number("messages", *messages).number("sessions", *sessions);
                    object.number("toolCalls", *tool_calls);
                });
            }
        });
        object.array("hourCounts", |list| {
            for count in &self.hours {
                list.item().extend_from_slice(count.to_string().as_bytes());
            }
        });
    }
}
