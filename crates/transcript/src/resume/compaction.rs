//! What a compaction leaves of the chain: where history starts, and the messages that it kept.
//!
//! Owns the boundary. A plain boundary only cuts the chain; one that kept messages also changes what hangs from what,
//! and makes the client forget the lines before it.

use super::client::Client;
use super::lines::{Lines, Link};
use super::rules::{LargeFileRule, PreservedRule, Rules};
use crate::id::RecordId;
use crate::record::{CompactMetadata, PreservedMessages, PreservedSegment, Record, SystemKind};
use crate::transcript::{NodeIndex, Transcript};

/// Beyond this size a file is large: newer clients skip what a compaction summed up.
pub const LARGE: usize = 5 * 1024 * 1024;

/// Whether the newest client begins to read a large file with this record, where no later one is like it: a compaction that kept
/// no messages.
pub fn starts_large_file(record: &Record<'_>) -> bool {
    match record {
        Record::System(system) if system.system_kind() == SystemKind::CompactBoundary => {
            Kept::of_record(record, Rules::of(Client::NEWEST)).is_none()
        }
        _ => false,
    }
}

/// The first record of which a client takes notice: of a large file it skips what a compaction summed up.
pub(super) fn start_of_reading(transcript: &Transcript<'_>, rules: &Rules) -> NodeIndex {
    if transcript.bytes().len() <= LARGE || rules.large_file == LargeFileRule::Whole {
        return 0;
    }
    let is_plain = |&index: &NodeIndex| {
        transcript.nodes()[index].system == Some(SystemKind::CompactBoundary)
            && Kept::of(transcript, rules, index).is_none()
    };
    (0..transcript.nodes().len()).rev().find(is_plain).unwrap_or(0)
}

/// Puts the messages that the last compaction kept behind its summary.
pub(super) fn put_back_preserved(lines: &mut Lines<'_, '_>, rules: &Rules) {
    if rules.preserved == PreservedRule::Ignored {
        return;
    }
    let mut last = None;
    let mut last_keeping = None;
    for &index in &lines.known {
        if lines.node(index).system == Some(SystemKind::CompactBoundary) {
            last = Some(index);
            if let Some(kept) = Kept::of(lines.transcript, rules, index) {
                last_keeping = Some((index, kept));
            }
        }
    }
    let (Some(boundary), Some((keeping, kept))) = (last, last_keeping) else { return };
    if boundary != keeping {
        // A later compaction kept nothing, not even what an earlier one had kept.
        return lines.drop_lines(|index| index < boundary, Link::Missing);
    }
    let Some((anchor, segment)) = kept.segment(lines) else { return };
    splice(lines, rules, boundary, anchor, &segment);
}

fn splice(
    lines: &mut Lines<'_, '_>,
    rules: &Rules,
    boundary: NodeIndex,
    anchor: Link,
    segment: &[NodeIndex],
) {
    let (Some(&head), Some(&tail)) = (segment.first(), segment.last()) else { return };
    let mut is_kept = vec![false; lines.transcript.nodes().len()];
    for &index in segment {
        is_kept[index] = true;
    }
    if let Link::To(anchor) = anchor {
        lines.put_back = Some((anchor, tail));
        for at in 0..lines.known.len() {
            let index = lines.known[at];
            if lines.link(index) == Link::To(anchor) && !is_kept[index] {
                lines.relink(index, Link::To(tail));
            }
        }
    }
    for pair in segment.windows(2) {
        lines.relink(pair[1], Link::To(pair[0]));
    }
    lines.relink(head, anchor);
    let orphans = match rules.preserved {
        PreservedRule::MessagesElseSegment => Link::To(tail),
        PreservedRule::Segment | PreservedRule::Ignored => Link::Missing,
    };
    lines.drop_lines(|index| index < boundary && !is_kept[index], orphans);
}

/// What a boundary says that it kept.
enum Kept<'a> {
    Messages(PreservedMessages<'a>),
    Segment(PreservedSegment<'a>),
}

impl<'a> Kept<'a> {
    fn of(transcript: &Transcript<'a>, rules: &Rules, boundary: NodeIndex) -> Option<Self> {
        Self::of_record(&transcript.record(boundary), rules)
    }

    fn of_record(boundary: &Record<'a>, rules: &Rules) -> Option<Self> {
        let Record::System(system) = boundary else { return None };
        let metadata: CompactMetadata<'a> = system.compact_metadata()?;
        let messages = match rules.preserved {
            PreservedRule::MessagesElseSegment => metadata.preserved_messages().map(Self::Messages),
            PreservedRule::Segment | PreservedRule::Ignored => None,
        };
        messages.or_else(|| metadata.preserved_segment().map(Self::Segment))
    }

    /// The kept lines in order and what they hang from; nothing where the file does not have them all.
    fn segment(&self, lines: &Lines<'_, 'a>) -> Option<(Link, Vec<NodeIndex>)> {
        let link = |anchor: Option<RecordId<'a>>| {
            anchor.and_then(|id| lines.find(id)).map_or(Link::Missing, Link::To)
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
                        Link::To(parent) if segment.len() <= lines.known.len() => at = parent,
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

/// Where history starts on the chain: the place of the last boundary.
pub(super) fn start_of_history(lines: &Lines<'_, '_>, chain: &[NodeIndex]) -> usize {
    let is_boundary = |&index: &NodeIndex| lines.node(index).system == Some(SystemKind::CompactBoundary);
    chain.iter().rposition(is_boundary).unwrap_or(0)
}
