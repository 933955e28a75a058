//! Options of strip: what to remove, and from which turns.

use std::collections::BTreeSet;

use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::turns;

use super::StripError;

/// What to remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StripOptions {
    /// Tool calls and their results.
    pub tools: Option<ToolSelection>,
    /// Other parts.
    pub parts: BTreeSet<StripPart>,
    /// Remove the text of results larger than this.
    pub large_results: Option<usize>,
    /// Which turns to remove it from.
    pub range: TurnRange,
}

/// Which tool calls to remove, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSelection {
    pub names: ToolNames,
    /// Whether to remove calls, or only their results.
    pub calls: CallMode,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolNames {
    All,
    /// Tools with these names.
    Named(BTreeSet<String>),
}

impl ToolNames {
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.contains(name),
        }
    }
}

/// What to do with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallMode {
    /// Remove them with their results.
    Removed,
    /// Keep them, and replace their results by a placeholder.
    Kept,
}

/// A part of a session that can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StripPart {
    /// Thinking blocks.
    Thinking,
    /// Images, each replaced by a placeholder.
    Images,
    /// Progress records.
    Progress,
    /// Attachments of the client.
    Attachments,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TurnRange {
    #[default]
    Any,
    /// All turns except the last ones.
    OlderThanTurns(usize),
    /// The first turns, in percent, rounded down.
    OldestPercent(u8),
}

impl TurnRange {
    /// The first record after the range; records before the first prompt belong to the first turn.
    pub(super) fn end(self, transcript: &Transcript<'_>) -> NodeIndex {
        let all = transcript.end();
        let turns = turns(transcript);
        let old = match self {
            Self::Any => return all,
            Self::OlderThanTurns(kept) => turns.len().saturating_sub(kept),
            Self::OldestPercent(percent) => turns.len() * usize::from(percent) / 100,
        };
        match old {
            0 => NodeIndex::FIRST,
            old => turns.get(old).map_or(all, |turn| turn.prompt),
        }
    }

    /// The range in words.
    pub(super) fn text(self) -> String {
        match self {
            Self::Any => "the session".to_owned(),
            Self::OlderThanTurns(1) => "turns before the last one".to_owned(),
            Self::OlderThanTurns(kept) => format!("turns older than the last {kept}"),
            Self::OldestPercent(percent) => format!("the oldest {percent} percent of the turns"),
        }
    }
}

impl StripOptions {
    pub(super) fn check(&self) -> Result<(), StripError> {
        match self.range {
            TurnRange::OldestPercent(percent) if percent > 100 => return Err(StripError::Percent(percent)),
            _ => {}
        }
        let asks = self.tools.is_some() || !self.parts.is_empty() || self.large_results.is_some();
        if asks { Ok(()) } else { Err(StripError::NothingAsked) }
    }
}
