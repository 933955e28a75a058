//! Client 2.1.112: the last line of the file wins, missing parents are bridged, parallel calls are gathered.

use super::rules::*;

pub(super) static RULES: Rules = Rules {
    shared_line: SharedLineRule::Unread,
    large_file: LargeFileRule::FromLastPlainBoundary,
    leaf: LeafRule::LoneTipElseLastLine,
    trail: TrailRule::CutToMessage,
    missing_parent: MissingParentRule::NearestInTime,
    progress: ProgressRule::PassedThrough,
    preserved: PreservedRule::Segment,
    parallel: ParallelRule::Children,
    pairing: PairingRule::Repaired,
    open_call: OpenCallRule::Dropped,
    join: JoinRule::OverResultsAndResponses,
    order: BlockOrderRule::AsWritten,
    empty: EmptyRule::LinesAndThinking,
    content: ContentRule::Strict,
    notification: NotificationRule::Prompt,
    local_command: LocalCommandRule::UserText,
    orphan_at_start: OrphanRule::Dropped,
    fallback: FallbackRule::Sent,
    queued_images: QueuedImageRule::Sent,
    surrogates: SurrogateRule::Kept,
    end: EndRule::GoOnAndReply,
    attachments: &[
        "agent_listing_delta",
        "auto_mode",
        "date_change",
        "deferred_tools_delta",
        "mcp_instructions_delta",
        "pdf_reference",
        "relevant_memories",
        "skill_listing",
        "todo_reminder",
        "ultrathink_effort",
    ],
};
