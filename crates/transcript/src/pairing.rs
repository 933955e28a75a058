//! Pairs tool calls with their results.

use std::collections::HashMap;

use crate::content::Block;
use crate::id::{AgentId, ToolUseId};
use crate::problem::{Problem, ProblemKind};
use crate::record::{Record, RecordKind, User};
use crate::tool_result::ToolUseResult;
use crate::transcript::{NodeIndex, Transcript};
use annals_json::{Fields, Text};

/// A tool call with its result, if there is one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolPair<'a> {
    /// The call's id.
    pub id: ToolUseId<'a>,
    /// The tool.
    pub name: Option<Text<'a>>,
    /// The arguments.
    pub input: Option<Fields<'a>>,
    /// The record of the call.
    pub call: NodeIndex,
    /// The record of the result; `None` if the call was never answered.
    pub result: Option<NodeIndex>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// The sub-agent that the result names.
    pub agent: Option<AgentId<'a>>,
}

impl ToolPair<'_> {
    /// The time from the call to the result, in milliseconds.
    pub fn duration_ms(&self, transcript: &Transcript<'_>) -> Option<u64> {
        let nodes = transcript.nodes();
        let span = nodes[self.result?].millis?.checked_sub(nodes[self.call].millis?)?;
        u64::try_from(span).ok()
    }
}

/// All tool calls of a file, and the results without a call.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolPairs<'a> {
    /// The calls, in the order of the file.
    pub pairs: Vec<ToolPair<'a>>,
    /// Results whose call is not in the file.
    pub orphans: Vec<(ToolUseId<'a>, NodeIndex)>,
    /// Second and later results of one call.
    pub repeated: Vec<(ToolUseId<'a>, NodeIndex)>,
}

impl<'a> ToolPairs<'a> {
    /// Pairs the calls and results of a file in any order: a result may come before its call.
    pub fn new(transcript: &Transcript<'a>) -> Self {
        let mut pairs: Vec<ToolPair<'a>> = Vec::new();
        let mut places: HashMap<ToolUseId<'a>, usize> = HashMap::new();
        let mut results: Vec<ResultLine<'a>> = Vec::new();
        for (index, node) in transcript.indexed_nodes() {
            match node.kind {
                RecordKind::Assistant => {
                    for (id, name, input) in calls(&transcript.record(index)) {
                        // A copied record repeats its calls: the later one counts.
                        let new = pairs.len();
                        let place = *places.entry(id).or_insert(new);
                        if place == new {
                            pairs.push(ToolPair {
                                id,
                                name,
                                input,
                                call: index,
                                result: None,
                                is_error: false,
                                agent: None,
                            });
                        } else {
                            pairs[place].call = index;
                        }
                    }
                }
                RecordKind::User => results.extend(answers(&transcript.record(index), index)),
                _ => {}
            }
        }
        let mut sorted = Self { pairs, ..Self::default() };
        for answer in results {
            match places.get(&answer.id) {
                None => sorted.orphans.push((answer.id, answer.node)),
                Some(&place) if sorted.pairs[place].result.is_some() => {
                    let same_line = |a: NodeIndex, b: NodeIndex| {
                        transcript.nodes()[a].uuid.is_some()
                            && transcript.nodes()[a].uuid == transcript.nodes()[b].uuid
                    };
                    if !sorted.pairs[place].result.is_some_and(|before| same_line(before, answer.node)) {
                        sorted.repeated.push((answer.id, answer.node));
                    }
                }
                Some(&place) => {
                    let pair = &mut sorted.pairs[place];
                    pair.result = Some(answer.node);
                    pair.is_error = answer.is_error;
                    pair.agent = answer.agent;
                }
            }
        }
        sorted
    }

    /// Calls that were never answered.
    pub fn unanswered(&self) -> impl Iterator<Item = &ToolPair<'a>> {
        self.pairs.iter().filter(|pair| pair.result.is_none())
    }

    /// Returns calls and results that do not match as problems.
    pub fn problems(&self, transcript: &Transcript<'a>) -> Vec<Problem> {
        let of = |kind: ProblemKind, id: ToolUseId<'_>, node: NodeIndex| {
            transcript.nodes()[node].problem(kind).with_detail(id.to_string())
        };
        let unanswered = self.unanswered().map(|pair| of(ProblemKind::UnansweredToolUse, pair.id, pair.call));
        let orphans = self.orphans.iter().map(|&(id, node)| of(ProblemKind::OrphanToolResult, id, node));
        let repeated = self.repeated.iter().map(|&(id, node)| of(ProblemKind::DuplicateToolResult, id, node));
        unanswered.chain(orphans).chain(repeated).collect()
    }
}

struct ResultLine<'a> {
    id: ToolUseId<'a>,
    node: NodeIndex,
    is_error: bool,
    agent: Option<AgentId<'a>>,
}

type CallParts<'a> = (ToolUseId<'a>, Option<Text<'a>>, Option<Fields<'a>>);

fn calls<'a>(record: &Record<'a>) -> Vec<CallParts<'a>> {
    let Record::Assistant(assistant) = record else { return Vec::new() };
    let call = |block: Block<'a>| match block {
        Block::ToolUse(call) => Some((call.id()?, call.name(), call.input())),
        _ => None,
    };
    assistant.content().blocks().filter_map(call).collect()
}

fn answers<'a>(record: &Record<'a>, node: NodeIndex) -> Vec<ResultLine<'a>> {
    let Record::User(user) = record else { return Vec::new() };
    let mut agent = None;
    let mut answers = Vec::new();
    for block in user.content().blocks() {
        if let Block::ToolResult(result) = block
            && let Some(id) = result.tool_use()
        {
            if answers.is_empty() {
                agent = agent_of(user);
            }
            answers.push(ResultLine { id, node, is_error: result.is_error() == Some(true), agent });
        }
    }
    answers
}

/// The sub-agent that the result of a record names. Most results name none, which is seen faster than their fields are read.
fn agent_of<'a>(user: &User<'a>) -> Option<AgentId<'a>> {
    let raw = user.tool_use_result_value()?.raw();
    let has = |text: &[u8]| memchr::memmem::find(raw, text).is_some();
    if !has(b"agentId") && !has(b"\\u") {
        return None;
    }
    match user.tool_use_result()? {
        ToolUseResult::Agent(result) => result.agent(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_of_a_result_is_found_however_its_key_is_spelled() {
        let agent = |result: &str| {
            let line = format!(
                r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t"}}]}},"toolUseResult":{result}}}"#
            );
            let transcript = Transcript::parse(line.as_bytes());
            let answers = answers(&transcript.record(NodeIndex::FIRST), NodeIndex::FIRST);
            answers[0].agent.map(|agent| agent.to_string())
        };
        assert_eq!(agent(r#"{"status":"completed","agentId":"a1"}"#).as_deref(), Some("a1"));
        assert_eq!(
            agent(r#"{"status":"completed","agentId":"a0","\u0061gentId":"a1"}"#).as_deref(),
            Some("a1")
        );
        assert_eq!(
            agent(r#"{"status":"completed","\u0061gentId":"a1","content":[]}"#).as_deref(),
            Some("a1")
        );
        assert_eq!(agent(r#"{"stdout":"agentId","stderr":""}"#), None);
        assert_eq!(agent(r#""text""#), None);
    }

    #[test]
    fn pairs_in_any_order_and_lists_what_is_left() {
        let call = |uuid: &str, id: &str| {
            format!(
                r#"{{"type":"assistant","uuid":"{uuid}","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}]}}}}"#
            )
        };
        let result = |uuid: &str, id: &str| {
            format!(
                r#"{{"type":"user","uuid":"{uuid}","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","is_error":true}}]}}}}"#
            )
        };
        let file =
            [result("r1", "t1"), call("c1", "t1"), call("c2", "t2"), result("r3", "t3"), result("r4", "t1")]
                .join("\n");
        let transcript = Transcript::parse(file.as_bytes());
        let pairs = ToolPairs::new(&transcript);
        assert_eq!(pairs.pairs.len(), 2);
        assert_eq!((pairs.pairs[0].result, pairs.pairs[0].is_error), (Some(NodeIndex::FIRST), true));
        assert_eq!(pairs.unanswered().map(|pair| pair.id.to_string()).collect::<Vec<_>>(), ["t2"]);
        let kinds: Vec<_> =
            pairs.problems(&transcript).iter().map(|problem| (problem.kind, problem.line)).collect();
        use ProblemKind::{DuplicateToolResult, OrphanToolResult, UnansweredToolUse};
        assert_eq!(kinds, [(UnansweredToolUse, 3), (OrphanToolResult, 4), (DuplicateToolResult, 5)]);
    }
}
