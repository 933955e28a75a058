//! `--as tree`: the conversation as a tree: segments, branches with their causes, leaves.

use std::collections::{HashMap, HashSet};

use annals_json::{ArrayWriter, ObjectWriter};
use annals_transcript::graph::{BranchCause, BranchPoint, Graph, Segment, branch_points, history, segments};
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::{Speaker, prompt_opening};
use annals_ui::text;

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::{Output, Paint};
use crate::session::ResolvedSession;
use crate::table::{cut, one_line};
use crate::{json, words};

/// The graph with everything that is printed.
struct ConversationTree<'a> {
    transcript: Transcript<'a>,
    graph: Graph<'a>,
    segments: Vec<Segment>,
    branches: Vec<BranchPoint>,
    leaf: Option<NodeIndex>,
}

pub(crate) fn run(target: &ResolvedSession, context: &mut Context) -> Result<Outcome, Fault> {
    let bytes = target.read()?;
    let transcript = Transcript::parse(&bytes);
    let graph = Graph::new(&transcript);
    let tree = ConversationTree {
        segments: segments(&transcript, &graph),
        branches: branch_points(&transcript, &graph),
        leaf: last_leaf(&transcript),
        transcript,
        graph,
    };
    if context.json {
        let mut out = Vec::new();
        tree.write_json(&mut out);
        context.out.json_text(&out)?;
    } else {
        tree.draw(&mut context.out)?;
    }
    Ok(if tree.leaf.is_some() { Outcome::Done } else { Outcome::NothingFound })
}

/// The last record of the main chain; in a sub-agent's file, the last of all.
fn last_leaf(transcript: &Transcript<'_>) -> Option<NodeIndex> {
    let last = |is_main: bool| {
        transcript.rposition(|node| {
            node.is_chain() && node.kind != RecordKind::Progress && !(is_main && node.is_sidechain)
        })
    };
    last(true).or_else(|| last(false))
}

impl ConversationTree<'_> {
    fn uuid(&self, node: NodeIndex) -> Option<String> {
        self.transcript.node(node).uuid.map(|uuid| uuid.to_string())
    }

    fn write_uuids(&self, list: &mut ArrayWriter<'_>, nodes: impl IntoIterator<Item = NodeIndex>) {
        for uuid in nodes.into_iter().filter_map(|node| self.uuid(node)) {
            list.string(&uuid);
        }
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        let leaf = self.leaf.and_then(|leaf| self.uuid(leaf));
        object.string_or_null("leaf", leaf.as_deref());
        let chain = self.leaf.map(|leaf| self.graph.path_to(leaf)).unwrap_or_default();
        let whole = self.leaf.map(|leaf| history(&self.transcript, &self.graph, leaf)).unwrap_or_default();
        object.array("chain", |list| self.write_uuids(list, chain));
        object.array("history", |list| self.write_uuids(list, whole));
        object.array("roots", |list| self.write_uuids(list, self.graph.roots(&self.transcript)));
        object.array("leaves", |list| self.write_uuids(list, self.graph.leaves(&self.transcript)));
        object
            .array("branches", |list| self.branches.iter().for_each(|point| self.write_branch(list, point)));
        object.array("segments", |list| {
            self.segments.iter().for_each(|segment| self.write_segment(list, segment))
        });
        object.array("dangling", |list| self.write_uuids(list, self.graph.dangling().iter().copied()));
        object.array("duplicates", |list| self.write_uuids(list, self.graph.duplicates().iter().copied()));
        object.array("forward", |list| self.write_uuids(list, self.graph.forward_references()));
        object.array("cycles", |list| self.write_uuids(list, self.graph.cycles()));
        object.end();
        out.push(b'\n');
    }

    fn write_branch(&self, list: &mut ArrayWriter<'_>, point: &BranchPoint) {
        list.object(|object| {
            let at = point.at.and_then(|at| self.uuid(at));
            object.string_or_null("at", at.as_deref()).string("cause", point.cause.name());
            object.array("ways", |list| self.write_uuids(list, point.ways.iter().copied()));
        });
    }

    fn write_segment(&self, list: &mut ArrayWriter<'_>, segment: &Segment) {
        list.object(|object| {
            for (key, node) in
                [("boundary", segment.boundary), ("summary", segment.summary), ("before", segment.before)]
            {
                let uuid = node.and_then(|node| self.uuid(node));
                object.string_or_null(key, uuid.as_deref());
            }
            object.string_or_null("trigger", segment.trigger.as_deref());
            json::number_or_null(object, "tokensBefore", segment.tokens_before);
            json::number_or_null(object, "tokensAfter", segment.tokens_after);
        });
    }

    /// Prints the prompts of the history, with compactions and the branches not taken.
    fn draw(&self, out: &mut Output) -> std::io::Result<()> {
        let Some(leaf) = self.leaf else {
            return out.line("no conversation: no record is part of a chain");
        };
        let mut branches: HashMap<Option<NodeIndex>, Vec<&BranchPoint>> = HashMap::new();
        for point in self.branches.iter().filter(|point| point.cause == BranchCause::Person) {
            branches.entry(point.at).or_default().push(point);
        }
        let bounded = self.segments.iter().filter_map(|segment| Some((segment.boundary?, segment)));
        let segments: HashMap<NodeIndex, &Segment> = bounded.collect();
        self.draw_branches(branches.get(&None), out)?;
        for node in self.nodes_to_draw(leaf) {
            let line = out.paint(Paint::Dim, format!("{:>6}", self.transcript.node(node).line));
            if let Some(prompt) = self.prompt(node) {
                let text = cut(&one_line(&prompt), out.width.saturating_sub(10), out.unicode);
                out.line(text![line.clone(), "  ", text])?;
            }
            if let Some(segment) = segments.get(&node) {
                let tokens =
                    segment.tokens_before.map(|n| format!(", {} tokens before", words::short_count(n)));
                let how = segment.trigger.as_deref().unwrap_or("compaction");
                let text =
                    out.paint(Paint::Yellow, format!("compacted ({how}{})", tokens.unwrap_or_default()));
                out.line(text![line, "  ", text])?;
            }
            self.draw_branches(branches.get(&Some(node)), out)?;
        }
        let count = |cause: BranchCause| self.branches.iter().filter(|point| point.cause == cause).count();
        let artefacts = self.branches.len() - count(BranchCause::Person);
        out.line("")?;
        out.line(format!(
            "{}, {}, {artefacts} technical",
            words::plural(self.segments.len() as u64 - 1, "compaction", "compactions"),
            words::plural(count(BranchCause::Person) as u64, "user branch", "user branches"),
        ))
    }

    /// Prints the branches not taken after a record; those without one begin the conversation again.
    fn draw_branches(&self, points: Option<&Vec<&BranchPoint>>, out: &mut Output) -> std::io::Result<()> {
        let (fork, turn) = if out.unicode { ("├╴", "│ ") } else { ("|-", "| ") };
        for &way in points.into_iter().flatten().flat_map(|point| &point.ways) {
            let prompt = cut(&one_line(&self.prompt(way).unwrap_or_default()), 60, out.unicode);
            let line = self.transcript.node(way).line;
            let text = out.paint(Paint::Cyan, format!("branch at line {line}: {prompt}"));
            out.line(text![format!("{:>6}  {turn}{fork}", ""), text])?;
        }
        Ok(())
    }

    /// The history of the leaf, with compactions at their place in the file: a chain may continue from lines before a boundary
    /// that was written since.
    fn nodes_to_draw(&self, leaf: NodeIndex) -> Vec<NodeIndex> {
        let nodes = history(&self.transcript, &self.graph, leaf);
        let drawn: HashSet<NodeIndex> = nodes.iter().copied().collect();
        let boundaries = self.segments.iter().filter_map(|segment| segment.boundary);
        let mut boundaries: Vec<NodeIndex> =
            boundaries.filter(|boundary| !drawn.contains(boundary)).collect();
        boundaries.sort_unstable();
        let mut boundaries = boundaries.into_iter().peekable();
        let mut all = Vec::with_capacity(nodes.len());
        for node in nodes {
            all.extend(std::iter::from_fn(|| boundaries.next_if(|&boundary| boundary < node)));
            all.push(node);
        }
        all.extend(boundaries);
        all
    }

    fn prompt(&self, node: NodeIndex) -> Option<String> {
        match self.transcript.record(node) {
            Record::User(user) if Speaker::of(&user).opens_turn() => Some(prompt_opening(&user)),
            _ => None,
        }
    }
}
