//! Client 2.0.76: the newest record is the leaf, history is the plain chain, and only calls are repaired.

use super::rules::*;

pub(super) static RULES: ClientRules = ClientRules {
    reading: ReadingRule::Lines,
    large_file: LargeFileRule::Whole,
    leaf: LeafRule::NewestTimestamp,
    trail: TrailRule::Kept,
    missing_parent: MissingParentRule::HistoryStarts,
    progress: ProgressRule::Unknown,
    preserved: PreservedRule::Ignored,
    parallel: ParallelRule::OnlyChain,
    pairing: PairingRule::CallsOnly,
    open_call: OpenCallRule::Dropped,
    join: JoinRule::OverResults,
    order: BlockOrderRule::AsWritten,
    seam: SeamRule::Plain,
    empty: EmptyRule::Replies,
    content: ContentRule::Strict,
    notification: NotificationRule::Prompt,
    local_command: LocalCommandRule::NotSent,
    orphan_at_start: OrphanRule::Dropped,
    fallback: FallbackRule::Sent,
    queued_images: QueuedImageRule::NotSent,
    surrogates: SurrogateRule::Kept,
    end: EndRule::AfterLastLine,
    renamed_tools: &[],
    attachments: &["todo", "todo_reminder"],
};
