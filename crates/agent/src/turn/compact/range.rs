//! Summaries of one side of a prompt: of what came since, or of what came before. The other side stays as it is: the boundary
//! names its lines, as the original does.

use annals_json::{ObjectWriter, object};
use annals_store::source::new_uuid;
use annals_transcript::draft::{CompactionTrigger, Draft, PromptContent};

use super::{ASK, CompactionError};
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::conversation::{RewindError, SplitLines};
use crate::protocol::{SummaryDirection, SummaryRange};
use crate::turn::agent::Agent;

/// Characters of a prompt that tell the model where to begin.
const MAX_QUOTED: usize = 100;

const SINCE: &str = "What follows sums up the later part of this conversation, which is left out.";
const UNTIL: &str = "This conversation continues an earlier part, which is left out and was summarized.";

/// What is compacted, and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompactionRequest<'a> {
    pub(crate) trigger: CompactionTrigger,
    /// What matters to the person.
    pub(crate) focus: Option<&'a str>,
    /// One side of a prompt; `None` for everything.
    pub(crate) range: Option<&'a SummaryRange>,
}

impl<'a> CompactionRequest<'a> {
    pub(crate) fn auto() -> Self {
        Self { trigger: CompactionTrigger::Auto, focus: None, range: None }
    }

    pub(crate) fn manual(focus: Option<&'a str>) -> Self {
        Self { trigger: CompactionTrigger::Manual, focus, range: None }
    }

    pub(crate) fn of_range(range: &'a SummaryRange) -> Self {
        Self { trigger: CompactionTrigger::Manual, focus: None, range: Some(range) }
    }
}

/// Returns what the model is asked for.
pub(super) fn question(direction: SummaryDirection, split: &SplitLines) -> String {
    match direction {
        SummaryDirection::UpTo => ASK.to_owned(),
        SummaryDirection::From => {
            let quoted: String = split.text.chars().take(MAX_QUOTED).collect();
            format!(
                "{ASK}\n\nSummarize only the part from this prompt on; what came before it stays in the \
                 conversation as it is. The prompt begins: {quoted}"
            )
        }
    }
}

impl From<RewindError> for CompactionError {
    fn from(error: RewindError) -> Self {
        match error {
            RewindError::Session(error) => Self::Session(error),
            unknown => Self::Failed(unknown.to_string()),
        }
    }
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Writes a boundary that keeps one side of a prompt, and the summary of the other. The next line follows the summary; if
    /// they cannot be written, the conversation is as it was.
    pub(super) fn append_range_summary(
        &mut self,
        range: &SummaryRange,
        split: &SplitLines,
        summary: &str,
        tokens_before: u64,
    ) -> Result<(), CompactionError> {
        let before = self.conversation.tip();
        let written = self.append_rewound(range, split, summary, tokens_before);
        written.inspect_err(|_| self.conversation.go_back_to(before))
    }

    /// Writes the boundary behind the line before the prompt, and the summary.
    fn append_rewound(
        &mut self,
        range: &SummaryRange,
        split: &SplitLines,
        summary: &str,
        tokens_before: u64,
    ) -> Result<(), CompactionError> {
        let source = self.conversation.store().source;
        let (boundary, line) = (new_uuid(source), new_uuid(source));
        let (kept, summarized, anchor, opening) = match range.direction {
            SummaryDirection::From => (&split.before, split.after.len(), &boundary, SINCE),
            SummaryDirection::UpTo => (&split.after, split.before.len(), &line, UNTIL),
        };
        self.conversation.rewind_to(&range.prompt)?;
        let draft = Draft::compact_boundary(CompactionTrigger::Manual, tokens_before, |metadata| {
            metadata.number("messagesSummarized", summarized as u64);
            write_kept(metadata, kept, anchor);
        });
        self.conversation.append(draft.with_uuid(&boundary))?;
        let text = format!("{opening}\n\n{summary}");
        let metadata = object(|metadata| {
            metadata
                .number("messagesSummarized", summarized as u64)
                .string("direction", range.direction.name());
        });
        let draft = Draft::prompt(PromptContent::Text(&text));
        let draft = draft.field("isCompactSummary", b"true").field("summarizeMetadata", &metadata);
        self.conversation.append(draft.with_uuid(&line))?;
        Ok(())
    }
}

fn write_kept(metadata: &mut ObjectWriter<'_>, kept: &[String], anchor: &str) {
    let (Some(head), Some(tail)) = (kept.first(), kept.last()) else { return };
    metadata.object("preservedSegment", |segment| {
        segment.string("headUuid", head).string("anchorUuid", anchor).string("tailUuid", tail);
    });
    metadata.object("preservedMessages", |messages| {
        messages.string("anchorUuid", anchor);
        for key in ["uuids", "allUuids"] {
            messages.array(key, |list| {
                for uuid in kept {
                    list.string(uuid);
                }
            });
        }
    });
}
