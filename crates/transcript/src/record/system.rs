//! Events of the client, by `subtype`.

use crate::content::Content;
use crate::id::{RecordId, RequestId, ToolUseId};
use crate::view::views;
use annals_json::{Fields, Items, Text, Value};

use crate::record::words::word_kinds;

word_kinds! {
    /// The subtype of a system record.
    SystemKind, without:
        /// No subtype, as in 1.0.x: a notice.
        Plain = "(none)";
    /// The conversation was compacted: history starts here.
    CompactBoundary = "compact_boundary";
    /// Old tool results were cleared from the context.
    MicrocompactBoundary = "microcompact_boundary";
    /// How long a turn took.
    TurnDuration = "turn_duration";
    /// A slash command that the client answered itself; sent as user text.
    LocalCommand = "local_command";
    /// What the hooks at the end of a turn did.
    StopHookSummary = "stop_hook_summary";
    /// A request failed and is retried.
    ApiError = "api_error";
    /// What happened while the person was away.
    AwaySummary = "away_summary";
    /// The status of a remote bridge.
    BridgeStatus = "bridge_status";
    /// A model refused and another continued.
    ModelRefusalFallback = "model_refusal_fallback";
    /// A notice.
    Informational = "informational";
}

views! {
    /// An event of the client.
    System {
        /// Its kind, as written.
        subtype: Text<'a> = "subtype";
        /// What it says.
        content: Text<'a> = "content";
        /// `info`, `warning`, `error`, `suggestion`.
        level: Text<'a> = "level";
        /// Whether it is not for the model.
        is_meta: bool = "isMeta";
        /// The tool call that it belongs to.
        tool_use: ToolUseId<'a> = "toolUseID";
        /// The line before it across a compaction.
        logical_parent: RecordId<'a> = "logicalParentUuid";
        /// `compact_boundary`: what was compacted.
        compact_metadata: CompactMetadata<'a> = "compactMetadata";
        /// `microcompact_boundary`: what was cleared.
        microcompact_metadata: Fields<'a> = "microcompactMetadata";
        /// `turn_duration`: milliseconds.
        duration_ms: u64 = "durationMs";
        /// `turn_duration`: messages so far.
        message_count: u64 = "messageCount";
        /// `stop_hook_summary`: how many hooks ran.
        hook_count: u64 = "hookCount";
        /// `stop_hook_summary`: which.
        hook_infos: Items<'a> = "hookInfos";
        /// `stop_hook_summary`: their errors.
        hook_errors: Items<'a> = "hookErrors";
        /// `stop_hook_summary`: which of the hooks failed, by their places.
        failed_hook_error_indexes: Items<'a> = "failedHookErrorIndexes";
        /// `stop_hook_summary`: what they add to the context.
        hook_additional_context: Items<'a> = "hookAdditionalContext";
        /// `stop_hook_summary`: whether a hook stopped the client.
        prevented_continuation: bool = "preventedContinuation";
        /// `stop_hook_summary`: why.
        stop_reason: Text<'a> = "stopReason";
        /// `stop_hook_summary`: whether there is output to show.
        has_output: bool = "hasOutput";
        /// `api_error`: the error.
        error: Value<'a> = "error";
        /// `api_error`: what caused it.
        cause: Value<'a> = "cause";
        /// `api_error`: when it is tried again.
        retry_in_ms: f64 = "retryInMs";
        /// `api_error`: the attempt.
        retry_attempt: u64 = "retryAttempt";
        /// `api_error`: how many attempts there are.
        max_retries: u64 = "maxRetries";
        /// `api_error`: where it came from.
        source: Text<'a> = "source";
        /// `bridge_status`: the address.
        url: Text<'a> = "url";
        /// `bridge_status`: a hint to upgrade.
        upgrade_nudge: Text<'a> = "upgradeNudge";
        /// `model_refusal_fallback`: to or from the fallback.
        direction: Text<'a> = "direction";
        /// `model_refusal_fallback`: what set it off.
        trigger: Text<'a> = "trigger";
        /// `model_refusal_fallback`: the model that refused.
        original_model: Text<'a> = "originalModel";
        /// `model_refusal_fallback`: the model that went on.
        fallback_model: Text<'a> = "fallbackModel";
        /// `model_refusal_fallback`: the request.
        request: RequestId<'a> = "requestId";
        /// `model_refusal_fallback`: why.
        api_refusal_category: Text<'a> = "apiRefusalCategory";
        /// `model_refusal_fallback`: why, in words.
        api_refusal_explanation: Text<'a> = "apiRefusalExplanation";
        /// `model_refusal_fallback`: the prompt that was refused.
        refused_user_message: RecordId<'a> = "refusedUserMessageUuid";
    }

    /// What a compaction did.
    CompactMetadata {
        /// `auto` or `manual`.
        trigger: Text<'a> = "trigger";
        /// Tokens before.
        pre_tokens: u64 = "preTokens";
        /// Tokens after.
        post_tokens: u64 = "postTokens";
        /// How long it took.
        duration_ms: u64 = "durationMs";
        /// Tokens dropped by all compactions so far.
        cumulative_dropped_tokens: u64 = "cumulativeDroppedTokens";
        /// The messages that were kept, as a stretch of the old chain.
        preserved_segment: PreservedSegment<'a> = "preservedSegment";
        /// The messages that were kept, as a list.
        preserved_messages: PreservedMessages<'a> = "preservedMessages";
        /// Tools that were loaded before.
        pre_compact_discovered_tools: Items<'a> = "preCompactDiscoveredTools";
    }

    /// A part of the old chain that is preserved after a compaction.
    PreservedSegment {
        /// Its first line.
        head: RecordId<'a> = "headUuid";
        /// The record that it follows.
        anchor: RecordId<'a> = "anchorUuid";
        /// Its last line.
        tail: RecordId<'a> = "tailUuid";
    }

    /// The same by list.
    PreservedMessages {
        /// The record that they follow.
        anchor: RecordId<'a> = "anchorUuid";
        /// The messages that are sent.
        uuids: Items<'a> = "uuids";
        /// All lines that were kept.
        all_uuids: Items<'a> = "allUuids";
    }
}

impl System<'_> {
    /// Its kind.
    pub fn system_kind(&self) -> SystemKind {
        SystemKind::of(self.subtype())
    }

    /// What it says: its `content`, or that of the `message` that some programs write instead.
    pub fn text(&self) -> Option<String> {
        if let Some(content) = self.content() {
            return Some(content.to_string());
        }
        let said = self.fields().object("message")?.get("content")?;
        Some(Content::new(said).plain_text())
    }
}
