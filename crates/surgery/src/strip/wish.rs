//! What should go, as types.

use std::collections::BTreeSet;

use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::turns;

use super::StripError;

/// What should go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Calls of tools, and their results.
    pub tools: Option<Tools>,
    /// Other parts.
    pub parts: BTreeSet<Part>,
    /// The text of results of more than so many bytes.
    pub large_results: Option<usize>,
    /// Where all that should go.
    pub age: Age,
}

/// Which calls of tools should go, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// Of which tools.
    pub names: ToolNames,
    /// Whether the calls go, or only what they brought.
    pub calls: Calls,
}

/// Which tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolNames {
    /// All of them.
    All,
    /// Those of these names.
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

/// What becomes of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// They go, and their results with them.
    Removed,
    /// They stay, and a few words stand for what they brought.
    Kept,
}

/// A part of a session that can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What the model thought.
    Thinking,
    /// Images, wherever they are: a few words stand for each.
    Images,
    /// Progress of tools.
    Progress,
    /// What the client showed the model beside prompts.
    Attachments,
}

/// Of which turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Age {
    /// Of all.
    #[default]
    Any,
    /// Of all but the last so many.
    OlderThanTurns(usize),
    /// Of the first so many percent, rounded down.
    OldestPercent(u8),
}

impl Age {
    /// The first node that is too young; a line before the first prompt belongs to the first turn.
    pub(super) fn end(self, transcript: &Transcript<'_>) -> NodeIndex {
        let all = transcript.nodes().len();
        let turns = turns(transcript);
        let old = match self {
            Self::Any => return all,
            Self::OlderThanTurns(kept) => turns.len().saturating_sub(kept),
            Self::OldestPercent(percent) => turns.len() * usize::from(percent) / 100,
        };
        match old {
            0 => 0,
            old => turns.get(old).map_or(all, |turn| turn.prompt),
        }
    }

    /// The place in words.
    pub(super) fn place(self) -> String {
        match self {
            Self::Any => "the session".to_owned(),
            Self::OlderThanTurns(kept) => format!("turns older than the last {kept}"),
            Self::OldestPercent(percent) => format!("the oldest {percent} percent of the turns"),
        }
    }
}

impl Wish {
    pub(super) fn check(&self) -> Result<(), StripError> {
        match self.age {
            Age::OldestPercent(percent) if percent > 100 => return Err(StripError::Percent(percent)),
            _ => {}
        }
        let asks = self.tools.is_some() || !self.parts.is_empty() || self.large_results.is_some();
        if asks { Ok(()) } else { Err(StripError::NothingAsked) }
    }
}
