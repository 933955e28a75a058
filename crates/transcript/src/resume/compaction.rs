//! Compactions: where history starts, and the preserved messages.
//!
//! A plain boundary only cuts the chain. One that preserved messages also changes parents, and the client drops the records
//! before it.

use super::client::Client;
use super::lines::{ClientLines, ParentLink};
use super::rules::{ClientRules, LargeFileRule, PreservedRule};
use crate::id::RecordId;
use crate::record::{CompactMetadata, PreservedMessages, PreservedSegment, Record, SystemKind};
use crate::transcript::{NodeIndex, NodeMap, Transcript};

/// In larger files, newer clients skip what a compaction summarised.
pub const LARGE_FILE_BYTES: usize = 5 * 1024 * 1024;

/// Whether the newest client can start reading a large file at this record: a compaction without preserved messages. It
/// starts at the last one.
pub fn starts_large_file(record: &Record<'_>) -> bool {
    match record {
        Record::System(system) if system.system_kind() == SystemKind::CompactBoundary => {
            PreservedLines::of_record(record, ClientRules::of(Client::NEWEST)).is_none()
        }
        _ => false,
    }
}

/// Returns the first record that a client reads: in a large file it skips what a compaction summarised.
pub(super) fn start_of_reading(transcript: &Transcript<'_>, rules: &ClientRules) -> NodeIndex {
    if transcript.bytes().len() <= LARGE_FILE_BYTES || rules.large_file == LargeFileRule::Whole {
        return NodeIndex::FIRST;
    }
    let is_plain = |&index: &NodeIndex| {
        transcript.nodes()[index].system == Some(SystemKind::CompactBoundary)
            && PreservedLines::of(transcript, rules, index).is_none()
    };
    transcript.indices().rev().find(is_plain).unwrap_or(NodeIndex::FIRST)
}

/// Moves the messages that the last compaction preserved after its summary.
pub(super) fn restore_preserved(lines: &mut ClientLines<'_, '_>, rules: &ClientRules) {
    if rules.preserved == PreservedRule::Ignored {
        return;
    }
    let mut last = None;
    let mut last_keeping = None;
    for &index in &lines.known {
        if lines.node(index).system == Some(SystemKind::CompactBoundary) {
            last = Some(index);
            if let Some(kept) = PreservedLines::of(lines.transcript, rules, index) {
                last_keeping = Some((index, kept));
            }
        }
    }
    let (Some(boundary), Some((keeping, kept))) = (last, last_keeping) else { return };
    if boundary != keeping {
        // A later compaction kept nothing, not even what an earlier one had kept.
        return lines.drop_lines(|index| index < boundary, ParentLink::Missing);
    }
    let Some((anchor, segment)) = kept.segment(lines) else { return };
    splice(lines, rules, boundary, anchor, &segment);
}

fn splice(
    lines: &mut ClientLines<'_, '_>,
    rules: &ClientRules,
    boundary: NodeIndex,
    anchor: ParentLink,
    segment: &[NodeIndex],
) {
    let (Some(&head), Some(&tail)) = (segment.first(), segment.last()) else { return };
    let mut is_kept = NodeMap::new(lines.transcript, false);
    for &index in segment {
        is_kept[index] = true;
    }
    if let ParentLink::To(anchor) = anchor {
        lines.restored = Some((anchor, tail));
        for at in 0..lines.known.len() {
            let index = lines.known[at];
            if lines.link(index) == ParentLink::To(anchor) && !is_kept[index] {
                lines.relink(index, ParentLink::To(tail));
            }
        }
    }
    for pair in segment.windows(2) {
        lines.relink(pair[1], ParentLink::To(pair[0]));
    }
    lines.relink(head, anchor);
    let orphans = match rules.preserved {
        PreservedRule::MessagesElseSegment => ParentLink::To(tail),
        PreservedRule::Segment | PreservedRule::Ignored => ParentLink::Missing,
    };
    lines.drop_lines(|index| index < boundary && !is_kept[index], orphans);
}

/// The preserved messages of a boundary.
enum PreservedLines<'a> {
    Messages(PreservedMessages<'a>),
    Segment(PreservedSegment<'a>),
}

impl<'a> PreservedLines<'a> {
    fn of(transcript: &Transcript<'a>, rules: &ClientRules, boundary: NodeIndex) -> Option<Self> {
        Self::of_record(&transcript.record(boundary), rules)
    }

    fn of_record(boundary: &Record<'a>, rules: &ClientRules) -> Option<Self> {
        let Record::System(system) = boundary else { return None };
        let metadata: CompactMetadata<'a> = system.compact_metadata()?;
        let messages = match rules.preserved {
            PreservedRule::MessagesElseSegment => metadata.preserved_messages().map(Self::Messages),
            PreservedRule::Segment | PreservedRule::Ignored => None,
        };
        messages.or_else(|| metadata.preserved_segment().map(Self::Segment))
    }

    /// Returns the preserved records in order and their parent; `None` if some are missing in the file.
    fn segment(&self, lines: &ClientLines<'_, 'a>) -> Option<(ParentLink, Vec<NodeIndex>)> {
        let link = |anchor: Option<RecordId<'a>>| {
            anchor.and_then(|id| lines.find(id)).map_or(ParentLink::Missing, ParentLink::To)
        };
        match self {
            Self::Messages(kept) => {
                let ids = kept.uuids()?.map(|id| lines.find(RecordId::new(id.text()?)));
                let segment: Vec<_> = ids.collect::<Option<_>>()?;
                (!segment.is_empty()).then_some((link(kept.anchor()), segment))
            }
            Self::Segment(kept) => {
                let (head, tail) = (lines.find(kept.head()?)?, lines.find(kept.tail()?)?);
                let mut segment = vec![tail];
                let mut at = tail;
                while at != head {
                    match lines.link(at) {
                        ParentLink::To(parent) if segment.len() <= lines.known.len() => at = parent,
                        _ => return None,
                    }
                    segment.push(at);
                }
                segment.reverse();
                Some((link(kept.anchor()), segment))
            }
        }
    }
}

/// Returns where history starts on the chain: the index of the last boundary.
pub(super) fn start_of_history(lines: &ClientLines<'_, '_>, chain: &[NodeIndex]) -> usize {
    let is_boundary = |&index: &NodeIndex| lines.node(index).system == Some(SystemKind::CompactBoundary);
    chain.iter().rposition(is_boundary).unwrap_or(0)
}
