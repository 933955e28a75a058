//! Writes our statistics to a file, never over the client's.

use std::fs;
use std::path::{Path, PathBuf};

use annals_json::ObjectWriter;
use annals_transcript::time::format_millis;

use super::Statistics;
use crate::files::{WriteError, replace_file};
use crate::layout::ConfigDir;
use crate::lexical::resolve;

/// The form of the client's file that ours has.
const VERSION: u32 = 3;

/// Why statistics were not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StatsError {
    /// The path is in the store.
    #[error("{}: is in the client's store; write statistics elsewhere", path.display())]
    InStore {
        /// Where the statistics were to be written.
        path: PathBuf,
    },
    /// They could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Writes our statistics to a path outside the store, atomically.
pub fn write(config: &ConfigDir, path: &Path, statistics: &Statistics) -> Result<(), StatsError> {
    if lies_in(path, config.path()) {
        return Err(StatsError::InStore { path: path.to_path_buf() });
    }
    Ok(replace_file(path, &statistics.bytes())?)
}

/// Whether a path is in a folder: links are resolved for the existing part, the rest is compared by name.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let resolved = |path: &Path| match path.as_os_str().is_empty() {
        true => fs::canonicalize("."),
        false => fs::canonicalize(path),
    };
    let real = |path: &Path| {
        let there = path.ancestors().find_map(|above| Some((above, resolved(above).ok()?)));
        there.map(|(above, real)| resolve(&real, path.strip_prefix(above).unwrap_or(path)))
    };
    match (real(path), real(folder)) {
        (Some(path), Some(folder)) => path.starts_with(folder),
        // Nothing can be resolved, so assume the worst.
        _ => true,
    }
}

impl Statistics {
    /// The statistics in the form of the client's file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.number("version", VERSION).string("lastComputedDate", &self.computed);
        object.array("dailyActivity", |list| {
            for (date, day) in &self.days {
                list.object(|object| {
                    object.string("date", date).number("messageCount", day.messages);
                    object.number("sessionCount", day.sessions).number("toolCallCount", day.tool_calls);
                });
            }
        });
        object.array("dailyModelTokens", |list| {
            for (date, models) in &self.day_tokens {
                list.object(|object| {
                    object.string("date", date).object("tokensByModel", |object| {
                        for (model, tokens) in models {
                            object.number(model, *tokens);
                        }
                    });
                });
            }
        });
        object.object("modelUsage", |models| self.write_models(models));
        object.number("totalSessions", self.sessions).number("totalMessages", self.messages);
        match &self.longest {
            Some(longest) => object.object("longestSession", |object| {
                object.string("sessionId", longest.session.as_str()).number("duration", longest.duration);
                object.number("messageCount", longest.messages);
                object.string("timestamp", &format_millis(longest.began));
            }),
            None => object.raw("longestSession", b"null"),
        };
        object.string_or_null("firstSessionDate", self.first.map(format_millis).as_deref());
        object.object("hourCounts", |hours| {
            for (hour, sessions) in &self.hours {
                hours.number(&hour.to_string(), *sessions);
            }
        });
        object.end();
        out
    }

    fn write_models(&self, models: &mut ObjectWriter<'_>) {
        for row in &self.models {
            models.object(&row.key, |object| {
                object.number("inputTokens", row.tokens.input).number("outputTokens", row.tokens.output);
                object.number("cacheReadInputTokens", row.tokens.cache_read);
                object.number("cacheCreationInputTokens", row.tokens.cache_write());
                object.number("webSearchRequests", row.tokens.web_searches);
                object.float("costUSD", row.cost.dollars());
                // The files do not contain these two; the client writes 0 if unknown.
                object.number("contextWindow", 0_u8).number("maxOutputTokens", 0_u8);
            });
        }
    }
}
