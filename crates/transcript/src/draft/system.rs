//! System lines: events of the client that stand in the chain.

use super::Draft;
use crate::record::{RecordKind, SystemKind};
use annals_json::ObjectWriter;

/// Who asked for a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactionTrigger {
    /// The context was full.
    Auto,
    /// The person.
    Manual,
}

/// A request that failed and will be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// When, in milliseconds.
    pub in_ms: u64,
    /// Which try this will be.
    pub attempt: u64,
    /// How many there are at most.
    pub most: u64,
}

fn system(kind: SystemKind) -> Draft {
    Draft::made(RecordKind::System).string("subtype", kind.name())
}

impl Draft {
    /// How long a turn took, and how many messages the conversation has.
    pub fn turn_duration(millis: u64, messages: Option<u64>) -> Self {
        let draft = system(SystemKind::TurnDuration).number("durationMs", millis);
        let draft = match messages {
            Some(count) => draft.number("messageCount", count),
            None => draft,
        };
        draft.boolean("isMeta", false)
    }

    /// The line at which a compacted conversation begins; the summary follows it. It starts a new chain and names the last
    /// line of the old one. `more` adds to its metadata: what was kept, the tokens after.
    pub fn compact_boundary(
        trigger: CompactionTrigger,
        tokens_before: u64,
        more: impl FnOnce(&mut ObjectWriter<'_>),
    ) -> Self {
        let trigger = match trigger {
            CompactionTrigger::Auto => "auto",
            CompactionTrigger::Manual => "manual",
        };
        system(SystemKind::CompactBoundary)
            .string("content", "Conversation compacted")
            .boolean("isMeta", false)
            .string("level", "info")
            .object("compactMetadata", |metadata| {
                metadata.string("trigger", trigger).number("preTokens", tokens_before);
                more(metadata);
            })
    }

    /// A command that the client carried out itself, or its output. The model sees it as text of the person.
    pub fn local_command(content: &str) -> Self {
        system(SystemKind::LocalCommand)
            .string("content", content)
            .string("level", "info")
            .boolean("isMeta", false)
    }

    /// A request that failed: `error` is JSON, as the API told it.
    pub fn api_error(error: &[u8], retry: Retry) -> Self {
        system(SystemKind::ApiError)
            .string("level", "error")
            .field("error", error)
            .number("retryInMs", retry.in_ms)
            .number("retryAttempt", retry.attempt)
            .number("maxRetries", retry.most)
    }

    /// Something worth knowing that the model does not see.
    pub fn informational(content: &str) -> Self {
        system(SystemKind::Informational)
            .string("content", content)
            .boolean("isMeta", false)
            .string("level", "info")
    }
}
