//! What is durable, decided in one place: for each kind of record whether it is on the disk before it is acknowledged.
//!
//! A kind that is not listed here is synced, which is the safe side.

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

/// The durability of a record, by its kind and, for progress, what it tells of.
pub fn durability(kind: RecordKind, progress: Option<ProgressKind>) -> Durability {
    use RecordKind as Kind;
    match kind {
        // What was said, done and paid: the conversation itself.
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
        // We do not know what is lost with it.
        Kind::Unknown | Kind::Untyped | _ => Durability::Synced,
    }
}

fn of_progress(kind: ProgressKind) -> Durability {
    match kind {
        // News of a moment, and copies of messages that stand elsewhere.
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

/// A progress record says how far something is; what is larger than this belongs into a result, in bytes.
pub const MAX_PROGRESS_BYTES: usize = 16 * 1024;

/// Titles and tags are written again when they stand farther than this from the end, in bytes: listers look at the last
/// 64 KiB only.
pub const REPEAT_AFTER_BYTES: u64 = 32 * 1024;
