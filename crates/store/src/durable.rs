//! Durability by kind of record: whether it must be on the disk before it is acknowledged.
//!
//! Unlisted kinds are synced, to be safe.

use annals_transcript::record::{ProgressKind, RecordKind};

/// How safe a record is when the append returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// On the disk: it survives a loss of power.
    Synced,
    /// With the system: it survives the process, and goes to the disk with the next one that is synced. For records that
    /// are repeated, or that only say how far something is.
    Written,
}

/// Returns the durability of a record, by its kind and, for progress, by the kind of progress.
pub fn durability(kind: RecordKind, progress: Option<ProgressKind>) -> Durability {
    use RecordKind as Kind;
    match kind {
        // The conversation itself.
        Kind::User | Kind::Assistant | Kind::System | Kind::Attachment => Durability::Synced,
        // What undo and accounts rest on.
        Kind::FileHistorySnapshot
        | Kind::FileHistoryDelta
        | Kind::QueueOperation
        | Kind::PrLink
        | Kind::ContentReplacement
        | Kind::ForkContextRef
        | Kind::Relocated => Durability::Synced,
        // What a person chose.
        Kind::Summary
        | Kind::CustomTitle
        | Kind::AiTitle
        | Kind::Tag
        | Kind::AgentName
        | Kind::AgentSetting
        | Kind::FrameLink
        | Kind::WorktreeState
        | Kind::BridgeSession => Durability::Synced,
        // State that the next turn writes again.
        Kind::LastPrompt
        | Kind::Mode
        | Kind::PermissionMode
        | Kind::CostState
        | Kind::ToolsUsed
        | Kind::AtisLatch => Durability::Written,
        // Copies of what other records say.
        Kind::ApiRequest => Durability::Written,
        Kind::Progress => of_progress(progress.unwrap_or(ProgressKind::Unknown)),
        // The content is unknown, so losing it might matter.
        Kind::Unknown | Kind::Untyped | _ => Durability::Synced,
    }
}

fn of_progress(kind: ProgressKind) -> Durability {
    match kind {
        // Short-lived, or copies of messages recorded elsewhere.
        ProgressKind::Hook
        | ProgressKind::Bash
        | ProgressKind::PowerShell
        | ProgressKind::Agent
        | ProgressKind::Mcp
        | ProgressKind::QueryUpdate
        | ProgressKind::SearchResultsReceived
        | ProgressKind::WaitingForTask
        | ProgressKind::Skill => Durability::Written,
        ProgressKind::Untyped | ProgressKind::Unknown | _ => Durability::Synced,
    }
}

/// The maximum size of a progress record in bytes; larger content belongs into a result.
pub const MAX_PROGRESS_BYTES: usize = 16 * 1024;

/// Titles and tags are written again when they are farther than this from the end, in bytes: clients that list sessions
/// read only the last 64 KiB.
pub const REPEAT_AFTER_BYTES: u64 = 32 * 1024;
