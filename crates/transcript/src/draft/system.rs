//! Drafts of system records: events of the client in the chain.

use super::Draft;
use crate::record::{RecordKind, SystemKind};
use annals_json::{ArrayWriter, ObjectWriter};

/// What triggered a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactionTrigger {
    /// The context was full.
    Auto,
    /// The user.
    Manual,
}

impl CompactionTrigger {
    /// Returns the name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Manual => "manual",
        }
    }
}

/// The retry of a failed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The delay in milliseconds.
    pub in_ms: u64,
    /// The number of the attempt.
    pub attempt: u64,
    /// The maximum number of attempts.
    pub most: u64,
}

/// What the hooks at the end of a turn did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StopHookSummaryDraft<'s> {
    /// The hooks: the command of each, and its milliseconds unless it kept the turn from ending.
    pub hooks: Vec<(&'s str, Option<u64>)>,
    /// Why the turn should not end.
    pub errors: Vec<&'s str>,
    /// What they add to the context.
    pub contexts: Vec<&'s str>,
    /// Why the turn must end.
    pub stop: Option<&'s str>,
    /// Whether they printed something.
    pub has_output: bool,
    /// The id of this end.
    pub id: &'s str,
}

fn system(kind: SystemKind) -> Draft {
    Draft::made(RecordKind::System).string("subtype", kind.name())
}

impl Draft {
    /// Drafts the duration of a turn, and the number of messages of the conversation.
    pub fn turn_duration(millis: u64, messages: Option<u64>) -> Self {
        let draft = system(SystemKind::TurnDuration).number("durationMs", millis);
        let draft = match messages {
            Some(count) => draft.number("messageCount", count),
            None => draft,
        };
        draft.boolean("isMeta", false)
    }

    /// Drafts the boundary at which a compacted conversation begins; the summary follows it. It starts a new chain and names the
    /// last record of the old one. `more` adds metadata: preserved messages, tokens after.
    pub fn compact_boundary(
        trigger: CompactionTrigger,
        tokens_before: u64,
        more: impl FnOnce(&mut ObjectWriter<'_>),
    ) -> Self {
        system(SystemKind::CompactBoundary)
            .string("content", "Conversation compacted")
            .boolean("isMeta", false)
            .string("level", "info")
            .object("compactMetadata", |metadata| {
                metadata.string("trigger", trigger.name()).number("preTokens", tokens_before);
                more(metadata);
            })
    }

    /// Drafts a command that the client ran itself, or its output. The model sees it as user text.
    pub fn local_command(content: &str) -> Self {
        system(SystemKind::LocalCommand)
            .string("content", content)
            .string("level", "info")
            .boolean("isMeta", false)
    }

    /// Drafts a failed request; `error` is JSON from the API.
    pub fn api_error(error: &[u8], retry: Retry) -> Self {
        system(SystemKind::ApiError)
            .string("level", "error")
            .field("error", error)
            .number("retryInMs", retry.in_ms)
            .number("retryAttempt", retry.attempt)
            .number("maxRetries", retry.most)
    }

    /// Drafts what the hooks at the end of a turn did.
    pub fn stop_hook_summary(summary: &StopHookSummaryDraft<'_>) -> Self {
        let list = |fill: &dyn Fn(&mut ArrayWriter<'_>)| {
            let mut json = Vec::new();
            let mut list = ArrayWriter::begin(&mut json);
            fill(&mut list);
            list.end();
            json
        };
        let texts = |texts: &[&str]| {
            list(&|list| {
                for text in texts {
                    list.string(text);
                }
            })
        };
        let hooks = list(&|list| {
            for (command, millis) in &summary.hooks {
                list.object(|hook| {
                    hook.string("command", command);
                    if let Some(millis) = millis {
                        hook.number("durationMs", *millis);
                    }
                });
            }
        });
        system(SystemKind::StopHookSummary)
            .number("hookCount", summary.hooks.len() as u64)
            .field("hookInfos", &hooks)
            .field("hookErrors", &texts(&summary.errors))
            .field("hookAdditionalContext", &texts(&summary.contexts))
            .boolean("preventedContinuation", summary.stop.is_some())
            .string("stopReason", summary.stop.unwrap_or_default())
            .boolean("hasOutput", summary.has_output)
            .string("level", "suggestion")
            .string("toolUseID", summary.id)
    }

    /// Drafts a notice for the user that the model does not see.
    pub fn informational(content: &str) -> Self {
        system(SystemKind::Informational)
            .string("content", content)
            .boolean("isMeta", false)
            .string("level", "info")
    }
}
