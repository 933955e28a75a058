//! Whether two sessions are halves of one conversation: by shared records, else by time.

use std::collections::{BTreeSet, HashMap, HashSet};

use annals_json::{Fields, MAX_WALK_DEPTH, Nesting, Value, ValueKind, compact};
use annals_transcript::graph::{Graph, Link};
use annals_transcript::record::{RecordKind, SystemKind};
use annals_transcript::resume::{Client, leaf};
use annals_transcript::transcript::{Node, NodeIndex, Transcript};

use super::{MergeMode, MergePlanError, SessionPair};
use crate::relink::bridge;

/// Two sessions and what they have in common.
pub(super) struct Comparison<'a> {
    pair: &'a SessionPair,
    pub(super) one: &'a Transcript<'a>,
    pub(super) two: &'a Transcript<'a>,
    one_graph: Graph<'a>,
    two_graph: Graph<'a>,
    /// The uuids of the first.
    in_first: HashMap<String, NodeIndex>,
    /// The records that only the second has.
    pub(super) own: BTreeSet<NodeIndex>,
    /// How many records both have.
    pub(super) shared: usize,
    /// The last record of the first for the newest client.
    end: Option<NodeIndex>,
}

/// Where the second session is attached to the first.
pub(super) struct AttachPoint {
    /// The record of the first that becomes the parent.
    pub(super) uuid: Option<String>,
    /// The records of the second that become its children.
    pub(super) roots: HashSet<NodeIndex>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(
        pair: &'a SessionPair,
        one: &'a Transcript<'a>,
        two: &'a Transcript<'a>,
    ) -> Result<Self, MergePlanError> {
        let in_first: HashMap<String, NodeIndex> = uuids(one).collect();
        let (mut own, mut shared, mut is_copy) = (BTreeSet::new(), 0, true);
        let without_session: HashSet<Vec<u8>> = one
            .indices()
            .filter(|&node| one.node(node).uuid.is_none())
            .map(|node| without_session(one, node))
            .collect();
        for (index, node) in two.indexed_nodes() {
            match node.uuid.map(|uuid| uuid.to_string()) {
                Some(uuid) => match in_first.get(&uuid) {
                    Some(&existing) if is_same_record(&one.fields(existing), &two.fields(index)) => {
                        shared += 1
                    }
                    Some(_) => return Err(MergePlanError::Differs { uuid }),
                    None => {
                        is_copy = false;
                        own.insert(index);
                    }
                },
                // Titles and similar records before its first own record were copied with the rest.
                None if is_copy && without_session.contains(&self::without_session(two, index)) => {}
                None => drop(own.insert(index)),
            }
        }
        let has_words = |node: &Node<'_>| matches!(node.kind, RecordKind::User | RecordKind::Assistant);
        if !two.nodes().iter().any(has_words) {
            return Err(MergePlanError::Empty { path: pair.second.path.clone() });
        }
        let end = leaf(one, Client::NEWEST);
        let (one_graph, two_graph) = (Graph::new(one), Graph::new(two));
        Ok(Self { pair, one, two, one_graph, two_graph, in_first, own, shared, end })
    }

    /// Where to attach the second session; an error if they are not halves.
    pub(super) fn attach_point_for(&self, mode: MergeMode) -> Result<AttachPoint, MergePlanError> {
        let end = self.end.and_then(|end| self.one.node(end).uuid).map(|uuid| uuid.to_string());
        let mut roots: HashSet<NodeIndex> = HashSet::new();
        for &node in self.own.iter().filter(|&&node| self.is_beginning(node)) {
            roots.insert(node);
        }
        // A record whose parent is in the first continues from there.
        let from_first: Vec<(NodeIndex, NodeIndex)> = self
            .own
            .iter()
            .filter(|&&node| !self.two.node(node).is_sidechain)
            .filter_map(|&node| Some((node, self.parent_in_first(node)?)))
            .collect();
        if mode == MergeMode::Anyway {
            roots.extend(from_first.iter().filter(|(_, at)| Some(*at) != self.end).map(|(node, _)| *node));
            return Ok(AttachPoint { uuid: end, roots });
        }
        // If the second ends with shared records, it adds nothing to the conversation.
        if let Some(live) = self.own_root() {
            match from_first.iter().find(|(node, _)| *node == live) {
                Some(&(_, at)) => self.check_not_diverged(at)?,
                None => self.check_order()?,
            }
        }
        Ok(AttachPoint { uuid: end, roots })
    }

    /// The first own record of the second's conversation, for the newest client.
    pub(super) fn own_root(&self) -> Option<NodeIndex> {
        let mut at = leaf(self.two, Client::NEWEST).filter(|leaf| self.own.contains(leaf))?;
        // No chain is longer than the file.
        for _ in 0..self.two.nodes().len() {
            let above = self.two_graph.parent(at).or_else(|| bridge(self.two, &self.two_graph, at));
            match above {
                Some(above) if self.own.contains(&above) => at = above,
                _ => break,
            }
        }
        Some(at)
    }

    /// Whether a record has no parent in either session, so that it follows the end of the first. A compaction starts a new
    /// history.
    fn is_beginning(&self, node: NodeIndex) -> bool {
        let record = self.two.node(node);
        let is_boundary = record.system == Some(SystemKind::CompactBoundary);
        if !record.is_chain() || record.is_sidechain || is_boundary || self.end.is_none() {
            return false;
        }
        match self.two_graph.link_of(self.two, node) {
            Link::Root => true,
            Link::To(_) => false,
            Link::Dangling => {
                self.parent_in_first(node).is_none() && bridge(self.two, &self.two_graph, node).is_none()
            }
        }
    }

    /// The parent of a record, if it is in the first session.
    fn parent_in_first(&self, node: NodeIndex) -> Option<NodeIndex> {
        let parent = self.two.node(node).parent.id()?.to_string();
        self.in_first.get(&parent).copied()
    }

    /// Fails if the first has messages after the record from which the second continues.
    fn check_not_diverged(&self, at: NodeIndex) -> Result<(), MergePlanError> {
        let up = |from: Option<NodeIndex>| {
            std::iter::successors(from, |&node| self.one_graph.parent(node)).take(self.one.nodes().len())
        };
        let above: HashSet<NodeIndex> = up(Some(at)).collect();
        let is_said = |kind: RecordKind| matches!(kind, RecordKind::User | RecordKind::Assistant);
        let after = up(self.end)
            .take_while(|node| !above.contains(node))
            .filter(|&node| is_said(self.one.node(node).kind))
            .count();
        if after == 0 {
            return Ok(());
        }
        let second = self.own.iter().filter(|&&node| is_said(self.two.node(node).kind)).count();
        let uuid = self.one.node(at).uuid.map(|uuid| uuid.to_string()).unwrap_or_default();
        Err(MergePlanError::Apart { uuid, first: after, second })
    }

    /// Fails if the second started before the first ended.
    fn check_order(&self) -> Result<(), MergePlanError> {
        let times = |nodes: &mut dyn Iterator<Item = &Node<'_>>| {
            let chain = nodes.filter(|node| node.is_chain() && !node.is_sidechain);
            let mut times: Vec<i64> = chain.filter_map(|node| node.millis).collect();
            times.sort_unstable();
            Some((*times.first()?, *times.last()?))
        };
        let of_first = times(&mut self.one.nodes().iter());
        let of_second = times(&mut self.own.iter().map(|&node| self.two.node(node)));
        let (first, second) = (self.pair.first.key.clone(), self.pair.second.key.clone());
        match (of_first, of_second) {
            (Some((began, _)), Some((_, ended))) if ended < began => {
                Err(MergePlanError::Order { first, second })
            }
            (Some((_, ended)), Some((began, _))) if began < ended => {
                Err(MergePlanError::AtOnce { first, second })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn has_first(&self, uuid: &str) -> bool {
        self.in_first.contains_key(uuid)
    }
}

fn uuids<'a>(transcript: &'a Transcript<'_>) -> impl Iterator<Item = (String, NodeIndex)> + 'a {
    let nodes = transcript.indexed_nodes();
    nodes.filter_map(|(index, node)| Some((node.uuid?.to_string(), index)))
}

/// Whether two records with one id are the same: equal type and content. Other fields belong to their session.
fn is_same_record(one: &Fields<'_>, two: &Fields<'_>) -> bool {
    let kind = |fields: &Fields<'_>| fields.text("type").map(|kind| kind.to_string());
    let is_same = match (content(one), content(two)) {
        (Some(one), Some(two)) => is_equal(one, two) || is_wrapped(one, two) || is_wrapped(two, one),
        (one, two) => one.is_none() && two.is_none(),
    };
    kind(one) == kind(two) && is_same
}

fn content<'a>(fields: &Fields<'a>) -> Option<Value<'a>> {
    fields.get("message")?.get("content")
}

/// Whether one content is a text and the other a single block with this text: 2.0.76 copies prompts like that.
fn is_wrapped(text: Value<'_>, list: Value<'_>) -> bool {
    let mut blocks = list.items();
    let (only, rest) = (blocks.next(), blocks.next());
    let block = only.filter(|_| rest.is_none()).and_then(|only| only.get("text"));
    text.text().is_some() && block.is_some_and(|block| is_equal(text, block))
}

/// Whether two values are equal apart from spaces, escapes and the order of keys; very deep down, apart from spaces alone.
fn is_equal(one: Value<'_>, two: Value<'_>) -> bool {
    is_nested_equal((one, &Nesting::of(one)), (two, &Nesting::of(two)), 0)
}

fn is_nested_equal<'a, 'b>(
    (one, in_one): (Value<'a>, &Nesting<'a>),
    (two, in_two): (Value<'b>, &Nesting<'b>),
    depth: usize,
) -> bool {
    if depth >= MAX_WALK_DEPTH {
        let compacted = |value| {
            let mut out = Vec::new();
            compact(value, &mut out);
            out
        };
        return compacted(one) == compacted(two);
    }
    let is_same = |one, two| is_nested_equal((one, in_one), (two, in_two), depth + 1);
    match (in_one.fields(one), in_two.fields(two), one.text(), two.text()) {
        (Some(one), Some(two), ..) => {
            let keys = |fields: &Fields<'_>| fields.iter().count();
            let has = |key: &str, value| two.get(key).is_some_and(|other| is_same(value, other));
            keys(&one) == keys(&two) && one.iter().all(|field| has(&field.key.decode(), field.value))
        }
        (_, _, Some(one), Some(two)) => one.decode() == two.decode(),
        _ if one.kind() == ValueKind::Array && two.kind() == ValueKind::Array => {
            in_one.items(one).count() == in_two.items(two).count()
                && in_one.items(one).zip(in_two.items(two)).all(|(one, two)| is_same(one, two))
        }
        _ => one.raw() == two.raw(),
    }
}

/// The fields of a record without its session id, normalized.
fn without_session(transcript: &Transcript<'_>, node: NodeIndex) -> Vec<u8> {
    let mut out = Vec::new();
    for field in transcript.fields(node).iter().filter(|field| !field.key.is("sessionId")) {
        out.extend_from_slice(field.key.raw());
        out.push(b':');
        compact(field.value, &mut out);
        out.push(b',');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_may_be_written_in_another_way() {
        let same = |one: &str, two: &str| {
            is_equal(Value::parse(one.as_bytes()).unwrap(), Value::parse(two.as_bytes()).unwrap())
        };
        assert!(same(r#"[{"type":"text","text":"é\n"}]"#, r#"[ {"text": "\u00e9\u000a", "type": "text"} ]"#));
        let wrapped = |one: &str, two: &str| {
            is_wrapped(Value::parse(one.as_bytes()).unwrap(), Value::parse(two.as_bytes()).unwrap())
        };
        assert!(
            wrapped("\"a\"", r#"[{"type":"text","text":"a"}]"#) && !wrapped("\"a\"", r#"[{"text":"a"},1]"#)
        );
        assert!(!wrapped("\"a\"", "[]") && !wrapped("[]", "[]"));
        assert!(same("\"a\"", "\"a\"") && same("null", "null") && same("[]", "[ ]"));
        for (one, two) in
            [("\"a\"", "\"b\""), ("[1]", "[1,2]"), ("{}", "[]"), (r#"{"a":1}"#, r#"{"b":1}"#), ("null", "{}")]
        {
            assert!(!same(one, two), "{one} {two}");
        }
    }
}
