//! The kinds of repair: names, order, and the problems that each fixes.

use std::fmt;
use std::str::FromStr;

use annals_transcript::problem::ProblemKind;

use super::fix::{RepairFindings, RepairView};
use super::{
    boundaries, cycles, dangling, duplicates, lines, lost_branches, null_parents, open_calls, order,
    orphan_results, oversize, thinking,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RepairKind {
    /// Torn, spliced and glued lines, NUL runs, and lines without a record.
    Lines,
    /// Lines that are too large to resume.
    Oversize,
    /// One uuid on several lines.
    DuplicateUuid,
    /// Parents that form a cycle.
    Cycle,
    /// Parents that are not in the file.
    DanglingParent,
    /// A record without a parent in the middle of a conversation.
    NullParent,
    /// Records before their parents.
    ForwardReference,
    /// A compact boundary without its summary.
    BoundaryWithoutSummary,
    /// Branches of parallel calls that were left out of the conversation.
    LostBranch,
    /// Results without a call.
    OrphanToolResult,
    /// Calls without a result.
    UnansweredToolUse,
    /// Replies that consist of thinking only.
    ThinkingOnly,
}

impl RepairKind {
    /// All kinds in the order in which they run: lines before records, the chain before what depends on it.
    pub const ALL: &[Self] = &[
        Self::Lines,
        Self::Oversize,
        Self::DuplicateUuid,
        Self::Cycle,
        Self::DanglingParent,
        Self::NullParent,
        Self::ForwardReference,
        Self::BoundaryWithoutSummary,
        Self::LostBranch,
        Self::OrphanToolResult,
        Self::UnansweredToolUse,
        Self::ThinkingOnly,
    ];

    /// Its stable name: that of the problem, if there is one.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Oversize => ProblemKind::Oversize.name(),
            Self::DuplicateUuid => ProblemKind::DuplicateUuid.name(),
            Self::Cycle => ProblemKind::Cycle.name(),
            Self::DanglingParent => ProblemKind::DanglingParent.name(),
            Self::NullParent => "null-parent",
            Self::ForwardReference => ProblemKind::ForwardReference.name(),
            Self::BoundaryWithoutSummary => ProblemKind::BoundaryWithoutSummary.name(),
            Self::LostBranch => "lost-branch",
            Self::OrphanToolResult => ProblemKind::OrphanToolResult.name(),
            Self::UnansweredToolUse => ProblemKind::UnansweredToolUse.name(),
            Self::ThinkingOnly => ProblemKind::ThinkingOnly.name(),
        }
    }

    pub fn for_problem(problem: ProblemKind) -> Option<Self> {
        match problem {
            kind if lines::KINDS.contains(&kind) => Some(Self::Lines),
            ProblemKind::Oversize => Some(Self::Oversize),
            ProblemKind::DuplicateUuid => Some(Self::DuplicateUuid),
            ProblemKind::Cycle => Some(Self::Cycle),
            ProblemKind::DanglingParent => Some(Self::DanglingParent),
            ProblemKind::ForwardReference => Some(Self::ForwardReference),
            ProblemKind::BoundaryWithoutSummary => Some(Self::BoundaryWithoutSummary),
            ProblemKind::OrphanToolResult => Some(Self::OrphanToolResult),
            ProblemKind::UnansweredToolUse => Some(Self::UnansweredToolUse),
            ProblemKind::ThinkingOnly => Some(Self::ThinkingOnly),
            _ => None,
        }
    }

    /// Finds fixes.
    pub(super) fn find(self, view: &RepairView<'_, '_>) -> RepairFindings {
        match self {
            Self::Lines => lines::find(view),
            Self::Oversize => oversize::find(view),
            Self::DuplicateUuid => duplicates::find(view),
            Self::Cycle => cycles::find(view),
            Self::DanglingParent => dangling::find(view),
            Self::NullParent => null_parents::find(view),
            Self::ForwardReference => order::find(view),
            Self::BoundaryWithoutSummary => boundaries::find(view),
            Self::LostBranch => lost_branches::find(view),
            Self::OrphanToolResult => orphan_results::find(view),
            Self::UnansweredToolUse => open_calls::find(view),
            Self::ThinkingOnly => thinking::find(view),
        }
    }
}

impl fmt::Display for RepairKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// An unknown name of a repair.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown repair {word:?}; known are {}", names())]
pub struct UnknownRepair {
    /// The name as given.
    pub word: String,
}

fn names() -> String {
    let names: Vec<_> = RepairKind::ALL.iter().map(|kind| kind.name()).collect();
    names.join(", ")
}

impl FromStr for RepairKind {
    type Err = UnknownRepair;

    /// By its own name, or by that of a problem that it fixes.
    fn from_str(word: &str) -> Result<Self, UnknownRepair> {
        let own = Self::ALL.iter().copied().find(|kind| kind.name() == word);
        let of_problem = || {
            let problem = ProblemKind::ALL.iter().copied().find(|problem| problem.name() == word)?;
            Self::for_problem(problem)
        };
        own.or_else(of_problem).ok_or_else(|| UnknownRepair { word: word.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repair_is_named_by_itself_or_by_its_problem() {
        for &kind in RepairKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert_eq!("torn-line".parse(), Ok(RepairKind::Lines));
        assert!("wrong-file-name".parse::<RepairKind>().is_err());
        assert!(RepairKind::for_problem(ProblemKind::LoneSurrogate).is_none());
    }
}
