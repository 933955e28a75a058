//! Client 2.1.325: obeys `last-prompt`, keeps calls that are open at the end, forgives damaged lines and odd content.

use super::rules::*;

pub(super) static RULES: Rules = Rules {
    shared_line: SharedLineRule::FirstObject,
    large_file: LargeFileRule::FromLastPlainBoundary,
    leaf: LeafRule::LastLineThenLastPrompt,
    trail: TrailRule::Kept,
    missing_parent: MissingParentRule::NearestInTime,
    progress: ProgressRule::PassedThrough,
    preserved: PreservedRule::MessagesElseSegment,
    parallel: ParallelRule::Descendants,
    pairing: PairingRule::MovedAndRepaired,
    open_call: OpenCallRule::AnsweredWithError,
    join: JoinRule::OverResultsAndResponses,
    order: BlockOrderRule::CallsLast,
    empty: EmptyRule::LinesThinkingAndBlocks,
    content: ContentRule::Lenient,
    notification: NotificationRule::Reminder,
    local_command: LocalCommandRule::UserText,
    orphan_at_start: OrphanRule::Named,
    fallback: FallbackRule::Dropped,
    queued_images: QueuedImageRule::Sent,
    surrogates: SurrogateRule::Replaced,
    end: EndRule::AfterLastMessage,
    attachments: &[
        "agent_listing_delta",
        "auto_mode",
        "date_change",
        "deferred_tools_delta",
        "mcp_instructions_delta",
        "pdf_reference",
        "relevant_memories",
        "skill_listing",
        "task_reminder",
        "ultrathink_effort",
    ],
};
