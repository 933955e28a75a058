//! Verifies the bytes of a result, independently of how they were made.

use std::collections::{HashMap, HashSet};

use annals_json::{Value, compact};
use annals_transcript::content::Block;
use annals_transcript::graph::Graph;
use annals_transcript::line::lines;
use annals_transcript::pairing::ToolPairs;
use annals_transcript::problem::{Problem, ProblemKind};
use annals_transcript::record::Record;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::edit::{FileEdit, LineEdit};

/// What is wrong with a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A line cannot be read, and could before.
    #[error("line {line}: {what}")]
    Unreadable {
        /// The line number.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A uuid occurs twice.
    #[error("two records have the uuid {uuid}")]
    Duplicate { uuid: String },
    /// A parent is missing or comes after its child, and was not before.
    #[error("the parent of {uuid} is missing or comes after it")]
    Parent {
        /// The uuid of the child.
        uuid: String,
    },
    /// A tool call or result lost its counterpart.
    #[error("the tool call {id} lost its call or its result")]
    Pair {
        /// The id of the call.
        id: String,
    },
    /// A thinking block differs from the signed one.
    #[error("line {line}: a thinking block was changed")]
    Thinking {
        /// The line number.
        line: usize,
    },
    /// A line changed that was to stay.
    #[error("line {line} changed, but should have stayed as it is")]
    Touched {
        /// The line number before the edits.
        line: usize,
    },
    /// A client sends less of the file than before.
    #[error("{client} would send less of it")]
    Less {
        /// The client release.
        client: Client,
    },
    /// A client resumed the file before and does not now.
    #[error("{client} no longer resumes it")]
    Refused {
        /// The client release.
        client: Client,
    },
}

/// Compares a file before and after an edit. Old problems may remain, but an edit must not add any.
pub fn verify(edit: &FileEdit, after: &[u8]) -> Vec<Violation> {
    let sources: Vec<_> = edit.sources().map(Transcript::parse).collect();
    let (old, new) = (sources.as_slice(), Transcript::parse(after));
    let mut found = Vec::new();
    readable(old, &new, &mut found);
    unique_with_parents(old, &new, &mut found);
    paired(old, &new, &mut found);
    thoughts_unchanged(old, &new, &mut found);
    untouched(edit, after, &mut found);
    for &client in Client::ALL {
        if resume(&old[0], client).outcome.is_ok() && resume(&new, client).outcome.is_err() {
            found.push(Violation::Refused { client });
        }
    }
    found
}

fn readable(old: &[Transcript<'_>], new: &Transcript<'_>, found: &mut Vec<Violation>) {
    // A torn last line becomes a torn line in the middle once something follows.
    let kind = |problem: &Problem| match problem.kind {
        ProblemKind::TornTail => ProblemKind::TornLine,
        kind => kind,
    };
    let mut allowed: HashMap<_, usize> = HashMap::new();
    for problem in old.iter().flat_map(Transcript::problems) {
        *allowed.entry(kind(problem)).or_default() += 1;
    }
    for problem in new.problems() {
        match allowed.get_mut(&kind(problem)).filter(|left| **left > 0) {
            Some(left) => *left -= 1,
            None => found.push(Violation::Unreadable { line: problem.line, what: problem.message() }),
        }
    }
}

fn unique_with_parents(old: &[Transcript<'_>], new: &Transcript<'_>, found: &mut Vec<Violation>) {
    let ids = |transcript: &Transcript<'_>, nodes: Vec<NodeIndex>| -> HashSet<String> {
        nodes.into_iter().filter_map(|node| transcript.node(node).uuid).map(|id| id.to_string()).collect()
    };
    let new_graph = Graph::new(new);
    let old_graphs: Vec<_> = old.iter().map(|old| (old, Graph::new(old))).collect();
    let old_twice: HashSet<_> =
        old_graphs.iter().flat_map(|(old, graph)| ids(old, graph.duplicates().to_vec())).collect();
    let mut twice: Vec<_> = ids(new, new_graph.duplicates().to_vec()).into_iter().collect();
    twice.retain(|uuid| !old_twice.contains(uuid));
    found.extend(twice.into_iter().map(|uuid| Violation::Duplicate { uuid }));
    let odd = |transcript: &Transcript<'_>, graph: &Graph<'_>| {
        ids(transcript, graph.dangling().iter().copied().chain(graph.forward_references()).collect())
    };
    let old_odd: HashSet<_> = old_graphs.iter().flat_map(|(old, graph)| odd(old, graph)).collect();
    let mut now: Vec<_> = odd(new, &new_graph).into_iter().filter(|uuid| !old_odd.contains(uuid)).collect();
    now.sort();
    found.extend(now.into_iter().map(|uuid| Violation::Parent { uuid }));
}

fn paired(old: &[Transcript<'_>], new: &Transcript<'_>, found: &mut Vec<Violation>) {
    let unpaired = |transcript: &Transcript<'_>| -> HashSet<String> {
        let pairs = ToolPairs::new(transcript);
        let open = pairs.unanswered().map(|pair| pair.id.to_string());
        open.chain(pairs.orphans.iter().map(|(id, _)| id.to_string())).collect()
    };
    let before: HashSet<_> = old.iter().flat_map(unpaired).collect();
    let mut now: Vec<_> = unpaired(new).into_iter().filter(|id| !before.contains(id)).collect();
    now.sort();
    found.extend(now.into_iter().map(|id| Violation::Pair { id }));
}

fn thoughts_unchanged(old: &[Transcript<'_>], new: &Transcript<'_>, found: &mut Vec<Violation>) {
    let known: HashSet<Vec<u8>> = old.iter().flat_map(thoughts).map(|(_, raw)| raw).collect();
    for (line, raw) in thoughts(new) {
        if !known.contains(&raw) {
            found.push(Violation::Thinking { line });
        }
    }
}

fn thoughts(transcript: &Transcript<'_>) -> Vec<(usize, Vec<u8>)> {
    let mut found = Vec::new();
    for (index, record) in transcript.records() {
        let Record::Assistant(assistant) = record else { continue };
        for block in assistant.content().blocks() {
            if matches!(block, Block::Thinking(_) | Block::RedactedThinking(_)) {
                // A record over several lines may be written on one: white space is no part of a thought.
                let mut raw = Vec::new();
                compact(Value::from_checked(block.raw()), &mut raw);
                found.push((transcript.node(index).line as usize, raw));
            }
        }
    }
    found
}

fn untouched(edit: &FileEdit, after: &[u8], found: &mut Vec<Violation>) {
    let mut there: HashMap<&[u8], usize> = HashMap::new();
    for line in lines(after) {
        *there.entry(line.body()).or_default() += 1;
    }
    for line in lines(edit.before()) {
        if *edit.line_edit(line.number) == LineEdit::Kept {
            match there.get_mut(line.body()).filter(|left| **left > 0) {
                Some(left) => *left -= 1,
                None => found.push(Violation::Touched { line: line.number }),
            }
        }
    }
}
