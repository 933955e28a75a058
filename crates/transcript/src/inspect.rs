//! All problems of one session file in one list.

use std::collections::HashMap;

use crate::content::Block;
use crate::graph::{Graph, interleaved_prompts};
use crate::id::SessionId;
use crate::pairing::ToolPairs;
use crate::problem::{Problem, ProblemKind};
use crate::record::{RecordKind, SystemKind};
use crate::response::{Response, responses};
use crate::transcript::{Node, Transcript};

/// Returns the problems of a file, in order. `stem` is the file name without extension, for a session file.
pub fn inspect<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>, stem: Option<&str>) -> Vec<Problem> {
    let mut problems = transcript.problems().to_vec();
    problems.extend(graph.problems(transcript));
    problems.extend(ToolPairs::new(transcript).problems(transcript));
    problems.extend(transcript.nodes().iter().filter_map(incomplete));
    problems.extend(boundaries_without_summary(transcript, graph));
    problems.extend(thinking_only(transcript));
    problems.extend(stem.and_then(|stem| wrong_file_name(transcript, stem)));
    problems.extend(mixed_sessions(transcript, stem));
    problems.extend(interleaved(transcript, graph));
    problems.sort_by_key(|problem| (problem.line, problem.span, problem.kind));
    problems
}

/// Fields that clients need and this record lacks.
fn incomplete(node: &Node<'_>) -> Option<Problem> {
    if !node.kind.is_chain() {
        return None;
    }
    let needs_message = matches!(node.kind, RecordKind::User | RecordKind::Assistant);
    let missing: Vec<_> = [
        ("uuid", node.uuid.is_none()),
        ("timestamp", node.timestamp.is_none()),
        ("message", needs_message && !node.has_message),
    ]
    .into_iter()
    .filter_map(|(name, is_missing)| is_missing.then_some(name))
    .collect();
    (!missing.is_empty()).then(|| node.problem(ProblemKind::IncompleteRecord).with_detail(missing.join(", ")))
}

fn boundaries_without_summary<'t>(
    transcript: &'t Transcript<'_>,
    graph: &'t Graph<'_>,
) -> impl Iterator<Item = Problem> + 't {
    let boundaries = transcript.indexed_nodes();
    let boundaries = boundaries.filter(|(_, node)| node.system == Some(SystemKind::CompactBoundary));
    boundaries.filter_map(|(index, node)| {
        let has_summary = graph.children(index).any(|child| transcript.nodes()[child].is_compact_summary);
        (!has_summary).then(|| node.problem(ProblemKind::BoundaryWithoutSummary))
    })
}

fn thinking_only(transcript: &Transcript<'_>) -> Vec<Problem> {
    let is_thought = |block: &Block<'_>| matches!(block, Block::Thinking(_) | Block::RedactedThinking(_));
    let only = |response: &Response<'_>| {
        let mut blocks = response.blocks(transcript).map(|(_, block)| block).peekable();
        blocks.peek().is_some() && blocks.all(|block| is_thought(&block))
    };
    let first = |response: &Response<'_>| {
        response.nodes.first().map(|&node| transcript.nodes()[node].problem(ProblemKind::ThinkingOnly))
    };
    responses(transcript).iter().filter(|response| only(response)).filter_map(first).collect()
}

/// The records name sessions, but none that the file is named after.
fn wrong_file_name(transcript: &Transcript<'_>, stem: &str) -> Option<Problem> {
    let mut named = named_sessions(transcript);
    if named.any(|(_, session)| session.is(stem)) {
        return None;
    }
    let (node, session) = named_sessions(transcript).next()?;
    Some(node.problem(ProblemKind::WrongFileName).with_detail(format!("the lines name {session}")))
}

/// The records name several sessions, as if two files were mixed.
fn mixed_sessions(transcript: &Transcript<'_>, stem: Option<&str>) -> Option<Problem> {
    let mut counts: HashMap<SessionId<'_>, usize> = HashMap::new();
    named_sessions(transcript).for_each(|(_, session)| *counts.entry(session).or_default() += 1);
    if counts.len() < 2 {
        return None;
    }
    let own = counts.keys().copied().find(|session| stem.is_some_and(|stem| session.is(stem)));
    let own = own.or_else(|| named_sessions(transcript).next().map(|(_, session)| session))?;
    let (node, other) = named_sessions(transcript).find(|(_, session)| *session != own)?;
    let detail = format!("{} lines name {own}, {} name {other}", counts[&own], counts[&other]);
    Some(node.problem(ProblemKind::MixedSessions).with_detail(detail))
}

/// Two conversations were written at the same time.
fn interleaved(transcript: &Transcript<'_>, graph: &Graph<'_>) -> Option<Problem> {
    let [first, second] = interleaved_prompts(transcript, graph)?.map(|index| transcript.node(index));
    let detail =
        format!("the prompts of lines {} and {} continue different branches", first.line, second.line);
    Some(first.problem(ProblemKind::InterleavedConversations).with_detail(detail))
}

/// The chain records that name a session.
fn named_sessions<'t, 'a>(
    transcript: &'t Transcript<'a>,
) -> impl Iterator<Item = (&'t Node<'a>, SessionId<'a>)> {
    let chain = transcript.nodes().iter().filter(|node| node.is_chain());
    chain.filter_map(|node| Some((node, node.session?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, stem: &str, expected: &[(usize, ProblemKind)]) {
        let transcript = Transcript::parse(file.as_bytes());
        let problems = inspect(&transcript, &Graph::new(&transcript), Some(stem));
        assert_eq!(problems.iter().map(|problem| (problem.line, problem.kind)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn lists_problems_of_every_layer_by_line() {
        let file = [
            r#"{"type":"user","uuid":"a","parentUuid":"gone","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"content":"x"}}"#,
            "",
            r#"{"type":"assistant","uuid":"b","parentUuid":"a","timestamp":"2026-01-01T00:00:01Z","message":{"id":"m","content":[{"type":"thinking","thinking":"hm"}]}}"#,
            r#"{"type":"system","subtype":"compact_boundary","uuid":"c","parentUuid":null}"#,
            "",
        ]
        .join("\n");
        use ProblemKind::{
            Blank, BoundaryWithoutSummary, DanglingParent, IncompleteRecord, ThinkingOnly, WrongFileName,
        };
        let common = [
            (1, DanglingParent),
            (2, Blank),
            (3, ThinkingOnly),
            (4, IncompleteRecord),
            (4, BoundaryWithoutSummary),
        ];
        check(&file, "s", &common);
        let renamed: Vec<_> =
            common[..1].iter().copied().chain([(1, WrongFileName)]).chain(common[1..].to_vec()).collect();
        check(&file, "other", &renamed);
    }
}
