//! The lines that a client reads from a file, and how they hang from each other.
//!
//! Owns what a client sees before it chooses anything: which records count, which of several with one id, whose parent
//! is whose. It does not choose a leaf and does not judge content.

use std::collections::HashMap;

use super::compaction;
use super::rules::{ProgressRule, Rules, SharedLineRule};
use crate::id::RecordId;
use crate::objects::Standing;
use crate::record::RecordKind;
use crate::transcript::{Node, NodeIndex, Parent, Transcript};

/// What a line hangs from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// Nothing: a chain starts here.
    Start,
    /// Another line.
    To(NodeIndex),
    /// A line that is not there.
    Missing,
}

/// How a record of the file stands with the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standpoint {
    /// A line of the conversation.
    Known,
    /// A type that is no message: side records, progress.
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
pub(super) struct Lines<'t, 'a> {
    /// The file.
    pub(super) transcript: &'t Transcript<'a>,
    /// Its lines, in the order of the file.
    pub(super) known: Vec<NodeIndex>,
    /// The line that a compaction's kept messages were put behind, and the last of them.
    pub(super) put_back: Option<(NodeIndex, NodeIndex)>,
    standpoints: Vec<Standpoint>,
    links: Vec<Link>,
    by_id: HashMap<RecordId<'a>, NodeIndex>,
}

impl<'t, 'a> Lines<'t, 'a> {
    /// Reads the lines of a file.
    pub(super) fn read(transcript: &'t Transcript<'a>, rules: &Rules) -> Self {
        let count = transcript.nodes().len();
        let mut lines = Self {
            transcript,
            known: Vec::new(),
            put_back: None,
            standpoints: vec![Standpoint::NotALine; count],
            links: vec![Link::Start; count],
            by_id: HashMap::with_capacity(count),
        };
        let mut passed_through = Vec::new();
        let mut nameless = None;
        let start = compaction::start_of_reading(transcript, rules);
        for (index, node) in transcript.nodes().iter().enumerate() {
            let is_link = node.kind == RecordKind::Progress && rules.progress == ProgressRule::PassedThrough;
            if !is_message_kind(node.kind) && !is_link {
                continue;
            }
            if index < start {
                lines.standpoints[index] = Standpoint::Dropped;
                continue;
            }
            if !is_readable(transcript, rules, index) {
                lines.standpoints[index] = Standpoint::Unread;
                continue;
            }
            if is_link {
                if let Some(uuid) = node.uuid {
                    passed_through.push(index);
                    lines.by_id.entry(uuid).or_insert(index);
                }
                continue;
            }
            // Lines without an id count too, but they all share the lack of one.
            let earlier = match node.uuid {
                Some(uuid) => lines.by_id.insert(uuid, index),
                None => nameless.replace(index),
            };
            if let Some(earlier) = earlier
                && lines.standpoints[earlier] == Standpoint::Known
            {
                lines.standpoints[earlier] = Standpoint::Replaced;
            }
            lines.standpoints[index] = Standpoint::Known;
        }
        lines.known = (0..count).filter(|&index| lines.is_known(index)).collect();
        lines.link_all(&passed_through);
        lines
    }

    fn link_all(&mut self, passed_through: &[NodeIndex]) {
        for &index in self.known.iter().chain(passed_through) {
            self.links[index] = match self.transcript.nodes()[index].parent {
                Parent::Absent | Parent::Null => Link::Start,
                Parent::Of(id) if id.text().is_empty() => Link::Start,
                Parent::Of(id) => self.by_id.get(&id).map_or(Link::Missing, |&parent| Link::To(parent)),
            };
        }
        self.shorten(passed_through);
        for at in 0..self.known.len() {
            let index = self.known[at];
            if let Link::To(parent) = self.links[index]
                && !self.is_known(parent)
            {
                self.links[index] = self.links[parent];
            }
        }
    }

    /// Makes every progress line point at what lies behind all progress lines: each is passed once, whatever the shape.
    fn shorten(&mut self, passed_through: &[NodeIndex]) {
        let mut settled = vec![false; self.links.len()];
        let mut path = Vec::new();
        for &start in passed_through {
            let mut at = start;
            let end = loop {
                if settled[at] {
                    break self.links[at];
                }
                // A cycle of progress lines leads nowhere: settling before following makes it end at itself.
                settled[at] = true;
                path.push(at);
                match self.links[at] {
                    Link::To(next) if !self.is_known(next) => at = next,
                    end => break end,
                }
            };
            let end = match end {
                Link::To(target) if !self.is_known(target) => Link::Missing,
                end => end,
            };
            for index in path.drain(..) {
                self.links[index] = end;
            }
        }
    }

    /// The record.
    pub(super) fn node(&self, index: NodeIndex) -> &'t Node<'a> {
        &self.transcript.nodes()[index]
    }

    /// Whether the client still has the line.
    pub(super) fn is_known(&self, index: NodeIndex) -> bool {
        self.standpoints[index] == Standpoint::Known
    }

    /// How a record stands with the client.
    pub(super) fn standpoint(&self, index: NodeIndex) -> Standpoint {
        self.standpoints[index]
    }

    /// What a line hangs from.
    pub(super) fn link(&self, index: NodeIndex) -> Link {
        self.links[index]
    }

    /// Hangs a line from another.
    pub(super) fn relink(&mut self, index: NodeIndex, link: Link) {
        self.links[index] = link;
    }

    /// The line with an id.
    pub(super) fn find(&self, id: RecordId<'a>) -> Option<NodeIndex> {
        self.by_id.get(&id).copied().filter(|&index| self.is_known(index))
    }

    /// Forgets every line for which `dropped` says so; what hung from them hangs from `link`.
    pub(super) fn drop_lines(&mut self, dropped: impl Fn(NodeIndex) -> bool, link: Link) {
        for at in 0..self.known.len() {
            if dropped(self.known[at]) {
                self.standpoints[self.known[at]] = Standpoint::Dropped;
            }
        }
        let standpoints = &self.standpoints;
        self.known.retain(|&index| standpoints[index] == Standpoint::Known);
        for &index in &self.known {
            if let Link::To(parent) = self.links[index]
                && self.standpoints[parent] != Standpoint::Known
            {
                self.links[index] = link;
            }
        }
    }

    /// Whether a line is a message: of a user or of a model.
    pub(super) fn is_message(&self, index: NodeIndex) -> bool {
        matches!(self.node(index).kind, RecordKind::User | RecordKind::Assistant)
    }

    /// What hangs from each line.
    pub(super) fn children(&self) -> Children {
        Children::of(self)
    }
}

fn is_readable(transcript: &Transcript<'_>, rules: &Rules, index: NodeIndex) -> bool {
    let nodes = transcript.nodes();
    match nodes[index].standing {
        Standing::Alone => true,
        Standing::Spliced => false,
        Standing::Shared => {
            let is_first = index.checked_sub(1).is_none_or(|before| nodes[before].line != nodes[index].line);
            is_first && rules.shared_line == SharedLineRule::FirstObject
        }
    }
}

fn is_message_kind(kind: RecordKind) -> bool {
    use RecordKind::{Assistant, Attachment, System, User};
    matches!(kind, User | Assistant | System | Attachment)
}

/// What hangs from each line, in the order of the file, in two flat lists.
#[derive(Debug)]
pub(super) struct Children {
    starts: Vec<usize>,
    list: Vec<NodeIndex>,
}

impl Children {
    fn of(lines: &Lines<'_, '_>) -> Self {
        let mut starts = vec![0; lines.links.len() + 1];
        let parents = || {
            lines.known.iter().filter_map(|&child| match lines.links[child] {
                Link::To(parent) => Some((parent, child)),
                _ => None,
            })
        };
        for (parent, _) in parents() {
            starts[parent + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut list = vec![0; starts.last().copied().unwrap_or(0)];
        let mut next = starts.clone();
        for (parent, child) in parents() {
            list[next[parent]] = child;
            next[parent] += 1;
        }
        Self { starts, list }
    }

    /// What hangs from a line.
    pub(super) fn of_line(&self, index: NodeIndex) -> &[NodeIndex] {
        &self.list[self.starts[index]..self.starts[index + 1]]
    }
}
