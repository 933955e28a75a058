//! `stats-cache.json`: the client's own statistics, shown in addition to ours. Versions 1 to 5 share their keys; additional
//! keys of a version are in the fields.

mod compute;
mod differences;
mod write;

use annals_json::{Fields, Items, Text};
use annals_transcript::time::Timestamp;

use crate::json_file::JsonFile;
use crate::layout::ConfigDir;
use crate::problem::FileProblem;
use crate::read::ReadError;
use annals_transcript::view::views;

pub use compute::{DayStats, SessionDuration, Statistics, recompute};
pub use differences::{StatsDifference, differences};
pub use write::{StatsError, write};

views! {
    /// The statistics.
    StatsCache {
        /// The form's version; 3 and 5 were seen.
        version: u64 = "version";
        /// The last day that is counted in, as `2026-01-31`.
        last_computed_date: Text<'a> = "lastComputedDate";
        /// See [`DailyActivity`].
        daily_activity: Items<'a> = "dailyActivity";
        /// See [`DailyModelTokens`].
        daily_model_tokens: Items<'a> = "dailyModelTokens";
        /// The form's version of that list alone.
        daily_model_tokens_version: u64 = "dailyModelTokensVersion";
        /// By model: see [`ModelUsage`].
        model_usage: Fields<'a> = "modelUsage";
        /// Sessions in all.
        total_sessions: u64 = "totalSessions";
        /// Messages in all.
        total_messages: u64 = "totalMessages";
        longest_session: LongestSession<'a> = "longestSession";
        /// When the first session began.
        first_session_date: Timestamp<'a> = "firstSessionDate";
        /// Sessions by the hour in which they began, `0` to `23`.
        hour_counts: Fields<'a> = "hourCounts";
        /// Gone since version 5.
        total_speculation_time_saved_ms: u64 = "totalSpeculationTimeSavedMs";
        /// How many tries things took.
        shot_distribution: Fields<'a> = "shotDistribution";
    }

    /// The activity of a day.
    DailyActivity {
        /// The day.
        date: Text<'a> = "date";
        /// Messages.
        message_count: u64 = "messageCount";
        /// Sessions.
        session_count: u64 = "sessionCount";
        /// Tool calls.
        tool_call_count: u64 = "toolCallCount";
    }

    /// The tokens of a day.
    DailyModelTokens {
        /// The day.
        date: Text<'a> = "date";
        tokens_by_model: Fields<'a> = "tokensByModel";
    }

    /// The tokens of a model.
    ModelUsage {
        /// Fresh input.
        input: u64 = "inputTokens";
        output: u64 = "outputTokens";
        /// Input read from the cache.
        cache_read: u64 = "cacheReadInputTokens";
        /// Input written to the cache.
        cache_creation: u64 = "cacheCreationInputTokens";
        web_searches: u64 = "webSearchRequests";
        /// Dollars.
        cost_usd: f64 = "costUSD";
        /// The size of the context.
        context_window: u64 = "contextWindow";
        /// The longest output.
        max_output: u64 = "maxOutputTokens";
    }

    /// The session that took the most time between its first and its last line.
    LongestSession {
        session: annals_transcript::id::SessionId<'a> = "sessionId";
        /// Milliseconds.
        duration: u64 = "duration";
        /// Messages.
        message_count: u64 = "messageCount";
        /// When it began.
        timestamp: Timestamp<'a> = "timestamp";
    }
}

/// Reads the file; `None` where the store has none.
pub fn read_stats_cache(config: &ConfigDir) -> Result<Option<JsonFile>, ReadError> {
    config.json_if_there(&config.stats_cache())
}

impl<'a> StatsCache<'a> {
    /// The statistics of a file, or the problem with it.
    pub fn of_file(file: &'a JsonFile) -> Result<Self, FileProblem> {
        file.object().map(Self::new)
    }

    /// The tokens of each model.
    pub fn models(&self) -> Vec<(Text<'a>, ModelUsage<'a>)> {
        let of_field =
            |field: annals_json::Field<'a>| Some((field.key, ModelUsage::new(field.value.fields()?)));
        self.model_usage().iter().flat_map(|fields| fields.iter()).filter_map(of_field).collect()
    }

    /// The activity, day by day.
    pub fn days(&self) -> impl Iterator<Item = DailyActivity<'a>> + use<'a> {
        self.daily_activity().into_iter().flatten().filter_map(|item| item.fields()).map(DailyActivity::new)
    }
}
