//! The records that a client reads from a file, and their parents.
//!
//! Decides which records count, which of several with one id, and what their parents are. It does not choose a leaf and does
//! not look at content.

use std::collections::HashMap;

use super::compaction;
use super::rules::{ClientRules, ProgressRule, ReadingRule};
use crate::id::RecordId;
use crate::objects::LineSharing;
use crate::problem::ProblemKind;
use crate::record::RecordKind;
use crate::transcript::{Node, NodeIndex, NodeMap, Parent, Transcript};

/// The parent of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParentLink {
    /// None: a chain starts here.
    Start,
    /// Another record.
    To(NodeIndex),
    /// A record that is not in the file.
    Missing,
}

/// How a client treats a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineStatus {
    /// Part of the conversation.
    Known,
    /// Not a message: side records, progress.
    NotALine,
    /// On a line that the client cannot read.
    Unread,
    /// A later line has the same id.
    Replaced,
    /// A compaction dropped it.
    Dropped,
}

/// The lines of one file, as one client reads them.
#[derive(Debug)]
pub(super) struct ClientLines<'t, 'a> {
    /// The file.
    pub(super) transcript: &'t Transcript<'a>,
    /// Its lines, in the order of the file.
    pub(super) known: Vec<NodeIndex>,
    /// The record after which preserved messages were moved, and the last of them.
    pub(super) restored: Option<(NodeIndex, NodeIndex)>,
    statuses: NodeMap<LineStatus>,
    links: NodeMap<ParentLink>,
    by_id: HashMap<RecordId<'a>, NodeIndex>,
}

impl<'t, 'a> ClientLines<'t, 'a> {
    /// Reads the lines of a file.
    pub(super) fn read(transcript: &'t Transcript<'a>, rules: &ClientRules) -> Self {
        let mut lines = Self {
            transcript,
            known: Vec::new(),
            restored: None,
            statuses: NodeMap::new(transcript, LineStatus::NotALine),
            links: NodeMap::new(transcript, ParentLink::Start),
            by_id: HashMap::with_capacity(transcript.nodes().len()),
        };
        // The parents of progress records, by their ids: the client passes through those that it has read.
        let mut passed_through: HashMap<RecordId<'a>, Parent<'a>> = HashMap::new();
        let mut parents = NodeMap::new(transcript, Parent::Absent);
        let mut nameless = None;
        let start = compaction::start_of_reading(transcript, rules);
        let end = end_of_reading(transcript, rules);
        for (index, node) in transcript.indexed_nodes() {
            let is_link = node.kind == RecordKind::Progress && rules.progress == ProgressRule::PassedThrough;
            if !is_message_kind(node.kind) && !is_link {
                continue;
            }
            if index < start {
                lines.statuses[index] = LineStatus::Dropped;
                continue;
            }
            if node.line >= end || !is_readable(node, rules) {
                lines.statuses[index] = LineStatus::Unread;
                continue;
            }
            let parent = match node.parent {
                Parent::Of(id) => passed_through.get(&id).copied().unwrap_or(node.parent),
                parent => parent,
            };
            if is_link {
                passed_through.extend(node.uuid.map(|uuid| (uuid, parent)));
                continue;
            }
            parents[index] = parent;
            // Records without an id count as records with one common id.
            let earlier = match node.uuid {
                Some(uuid) => lines.by_id.insert(uuid, index),
                None => nameless.replace(index),
            };
            if let Some(earlier) = earlier
                && lines.statuses[earlier] == LineStatus::Known
            {
                lines.statuses[earlier] = LineStatus::Replaced;
            }
            lines.statuses[index] = LineStatus::Known;
        }
        lines.known = transcript.indices().filter(|&index| lines.is_known(index)).collect();
        for &index in &lines.known {
            lines.links[index] = match parents[index] {
                Parent::Absent | Parent::Null => ParentLink::Start,
                Parent::Of(id) if id.text().is_empty() => ParentLink::Start,
                Parent::Of(id) => {
                    lines.by_id.get(&id).map_or(ParentLink::Missing, |&parent| ParentLink::To(parent))
                }
            };
        }
        lines
    }

    pub(super) fn node(&self, index: NodeIndex) -> &'t Node<'a> {
        &self.transcript.nodes()[index]
    }

    /// Whether the record is part of the conversation.
    pub(super) fn is_known(&self, index: NodeIndex) -> bool {
        self.statuses[index] == LineStatus::Known
    }

    pub(super) fn status(&self, index: NodeIndex) -> LineStatus {
        self.statuses[index]
    }

    pub(super) fn link(&self, index: NodeIndex) -> ParentLink {
        self.links[index]
    }

    pub(super) fn relink(&mut self, index: NodeIndex, link: ParentLink) {
        self.links[index] = link;
    }

    pub(super) fn find(&self, id: RecordId<'a>) -> Option<NodeIndex> {
        self.by_id.get(&id).copied().filter(|&index| self.is_known(index))
    }

    /// Drops all records that pass `dropped`; their children get `link` as parent.
    pub(super) fn drop_lines(&mut self, dropped: impl Fn(NodeIndex) -> bool, link: ParentLink) {
        for at in 0..self.known.len() {
            if dropped(self.known[at]) {
                self.statuses[self.known[at]] = LineStatus::Dropped;
            }
        }
        let statuses = &self.statuses;
        self.known.retain(|&index| statuses[index] == LineStatus::Known);
        for &index in &self.known {
            if let ParentLink::To(parent) = self.links[index]
                && self.statuses[parent] != LineStatus::Known
            {
                self.links[index] = link;
            }
        }
    }

    /// Whether a line is a message: of a user or of a model.
    pub(super) fn is_message(&self, index: NodeIndex) -> bool {
        matches!(self.node(index).kind, RecordKind::User | RecordKind::Assistant)
    }

    pub(super) fn children(&self) -> Children {
        Children::of(self)
    }
}

fn is_readable(node: &Node<'_>, rules: &ClientRules) -> bool {
    match rules.reading {
        ReadingRule::Lines => node.sharing == LineSharing::Alone,
        ReadingRule::TrimmedLines => matches!(node.sharing, LineSharing::Alone | LineSharing::Padded),
        ReadingRule::Stream => node.is_streamed,
    }
}

/// Returns the line at which the client stops reading.
fn end_of_reading(transcript: &Transcript<'_>, rules: &ClientRules) -> u32 {
    if rules.reading != ReadingRule::TrimmedLines {
        return u32::MAX;
    }
    let is_null = |span: crate::problem::Span| {
        let line = &transcript.bytes()[span.offset..span.offset + span.length];
        line.trim_ascii() == b"null"
    };
    let mut others = transcript.problems().iter().filter(|problem| problem.kind == ProblemKind::NotAnObject);
    let null = others.find(|problem| is_null(problem.span));
    null.map_or(u32::MAX, |problem| u32::try_from(problem.line).unwrap_or(u32::MAX))
}

fn is_message_kind(kind: RecordKind) -> bool {
    use RecordKind::{Assistant, Attachment, System, User};
    matches!(kind, User | Assistant | System | Attachment)
}

/// The children of each record, in the order of the file, in two flat lists.
#[derive(Debug)]
pub(super) struct Children {
    starts: Vec<usize>,
    list: Vec<NodeIndex>,
}

impl Children {
    fn of(lines: &ClientLines<'_, '_>) -> Self {
        let mut starts = vec![0; lines.transcript.nodes().len() + 1];
        let parents = || {
            lines.known.iter().filter_map(|&child| match lines.links[child] {
                ParentLink::To(parent) => Some((parent, child)),
                _ => None,
            })
        };
        for (parent, _) in parents() {
            starts[parent.get() + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut list = vec![NodeIndex::FIRST; starts.last().copied().unwrap_or(0)];
        let mut next = starts.clone();
        for (parent, child) in parents() {
            let place = &mut next[parent.get()];
            list[*place] = child;
            *place += 1;
        }
        Self { starts, list }
    }

    pub(super) fn of_line(&self, index: NodeIndex) -> &[NodeIndex] {
        &self.list[self.starts[index.get()]..self.starts[index.get() + 1]]
    }
}
