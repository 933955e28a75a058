//! Which tool call started which sub-agent.

use std::collections::{HashMap, HashSet};

use crate::content::Block;
use crate::record::{ProgressKind, Record, RecordKind};
use crate::tool_result::ToolUseResult;
use crate::transcript::Transcript;
use crate::turn::prompt_text;

/// A tool call that starts a sub-agent, with everything that can identify the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spawn {
    /// The id of the tool call.
    pub tool_use: String,
    /// The prompt for the agent.
    pub prompt: Option<String>,
    /// The agent id in the result.
    pub by_result: Option<String>,
    /// The agent ids in progress lines.
    pub by_progress: Vec<String>,
    /// The workflow run whose folder holds the agents.
    pub workflow_run: Option<String>,
}

/// What identifies a sub-agent's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentFacts {
    /// The agent's id, as in `agent-<id>.jsonl`.
    pub id: String,
    /// The call that its meta.json names.
    pub meta_tool_use: Option<String>,
    /// The prompt on its first line.
    pub prompt: Option<String>,
    /// The workflow run whose folder it is in.
    pub workflow_run: Option<String>,
    /// Whether it only warmed up the cache.
    pub is_warm_up: bool,
}

/// The evidence that links an agent to its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LinkEvidence {
    /// `toolUseResult.agentId`.
    Result,
    /// `toolUseId` of its meta.json.
    Meta,
    /// `agentId` of progress lines.
    Progress,
    /// The workflow's folder.
    Workflow,
    /// The same prompt.
    Prompt,
}

impl LinkEvidence {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Result => "toolUseResult",
            Self::Meta => "meta",
            Self::Progress => "progress",
            Self::Workflow => "workflow",
            Self::Prompt => "prompt",
        }
    }
}

/// The call that started an agent, or why none is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentLink {
    /// The call, as an index into the list of spawns.
    Linked {
        /// The index of the spawn.
        spawn: usize,
        /// The evidence.
        by: LinkEvidence,
    },
    /// No call is known.
    Unlinked(UnlinkedReason),
}

/// Why no call is linked to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnlinkedReason {
    /// It only warmed up the cache.
    WarmUp,
    /// The client started it to write a compaction's summary.
    Compaction,
    /// The client started it to suggest a prompt.
    PromptSuggestion,
    /// The user asked it beside the conversation.
    SideQuestion,
    /// The session never mentions it.
    NeverMentioned,
}

impl UnlinkedReason {
    /// The reason in a sentence.
    pub fn reason(self) -> &'static str {
        match self {
            Self::WarmUp => "only warmed up the cache",
            Self::Compaction => "started by the client to summarize for a compaction",
            Self::PromptSuggestion => "started by the client to suggest a prompt",
            Self::SideQuestion => "a side question",
            Self::NeverMentioned => "no tool call of the session refers to it",
        }
    }
}

/// Finds the tool calls of a file that start sub-agents: `Task`, `Agent`, and any other whose result or progress names an agent.
pub fn spawns(transcript: &Transcript<'_>) -> Vec<Spawn> {
    let mut spawns: Vec<Spawn> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut place = |spawns: &mut Vec<Spawn>, id: &str| {
        *places.entry(id.to_owned()).or_insert_with(|| {
            spawns.push(Spawn { tool_use: id.to_owned(), ..Spawn::default() });
            spawns.len() - 1
        })
    };
    for (index, node) in transcript.indexed_nodes() {
        if !matches!(node.kind, RecordKind::Assistant | RecordKind::User | RecordKind::Progress) {
            continue;
        }
        match transcript.record(index) {
            Record::Assistant(assistant) => {
                for block in assistant.content().blocks() {
                    if let Block::ToolUse(call) = block
                        && call.name().is_some_and(|name| name.is("Task") || name.is("Agent"))
                        && let Some(id) = call.id()
                    {
                        let at = place(&mut spawns, &id.decode());
                        spawns[at].prompt =
                            call.input().and_then(|input| input.text("prompt")).map(|p| p.to_string());
                    }
                }
            }
            Record::User(user) => {
                let Some(id) = user.tool_result().and_then(|result| result.tool_use()) else { continue };
                match user.tool_use_result() {
                    Some(ToolUseResult::Agent(result)) => {
                        let at = place(&mut spawns, &id.decode());
                        spawns[at].by_result = result.agent().map(|agent| agent.to_string());
                        let prompt = || result.prompt().map(|prompt| prompt.to_string());
                        spawns[at].prompt = spawns[at].prompt.take().or_else(prompt);
                    }
                    Some(ToolUseResult::Workflow(result)) => {
                        let at = place(&mut spawns, &id.decode());
                        spawns[at].workflow_run = result.run().map(|run| run.to_string());
                    }
                    _ => {}
                }
            }
            Record::Progress(progress) if progress.progress_kind() == ProgressKind::Agent => {
                let agent = progress.data().and_then(|data| data.agent()).map(|agent| agent.to_string());
                if let (Some(id), Some(agent)) = (progress.parent_tool_use(), agent) {
                    let at = place(&mut spawns, &id.decode());
                    if !spawns[at].by_progress.contains(&agent) {
                        spawns[at].by_progress.push(agent);
                    }
                }
            }
            _ => {}
        }
    }
    spawns
}

/// Returns the prompt on the first user line of an agent's file.
pub fn opening_prompt(transcript: &Transcript<'_>) -> Option<String> {
    transcript.indexed_nodes().find_map(|(index, _)| match transcript.record(index) {
        Record::User(user) => Some(prompt_text(&user)),
        _ => None,
    })
}

/// Links each agent to its call, by the strongest evidence first. An equal prompt is the weakest: it links to the first
/// such call that names no agent and is not linked to another.
pub fn link(spawns: &[Spawn], agents: &[AgentFacts]) -> Vec<AgentLink> {
    let find = |fits: &dyn Fn(&Spawn) -> bool| spawns.iter().position(fits);
    let sure = |agent: &AgentFacts| -> Option<(usize, LinkEvidence)> {
        let id = Some(agent.id.as_str());
        find(&|spawn| spawn.by_result.as_deref() == id)
            .map(|spawn| (spawn, LinkEvidence::Result))
            .or_else(|| {
                let meta = agent.meta_tool_use.as_deref()?;
                find(&|spawn| spawn.tool_use == meta).map(|spawn| (spawn, LinkEvidence::Meta))
            })
            .or_else(|| {
                let named = |spawn: &Spawn| spawn.by_progress.iter().any(|name| Some(name.as_str()) == id);
                find(&named).map(|spawn| (spawn, LinkEvidence::Progress))
            })
            .or_else(|| {
                let run = agent.workflow_run.as_deref()?;
                find(&|spawn| spawn.workflow_run.as_deref() == Some(run))
                    .map(|spawn| (spawn, LinkEvidence::Workflow))
            })
    };
    let links: Vec<_> = agents.iter().map(sure).collect();
    let mut taken: HashSet<usize> = links.iter().flatten().map(|&(spawn, _)| spawn).collect();
    let by_prompt = |agent: &AgentFacts, taken: &HashSet<usize>| {
        let prompt = agent.prompt.as_deref().map(str::trim).filter(|prompt| !prompt.is_empty())?;
        let asks = |(at, spawn): &(usize, &Spawn)| {
            !taken.contains(at)
                && spawn.by_result.is_none()
                && spawn.prompt.as_deref().map(str::trim) == Some(prompt)
        };
        spawns.iter().enumerate().find(asks).map(|(at, _)| at)
    };
    let finish = |(agent, link): (&AgentFacts, Option<(usize, LinkEvidence)>)| {
        if let Some((spawn, by)) = link {
            return AgentLink::Linked { spawn, by };
        }
        match by_prompt(agent, &taken) {
            Some(spawn) => {
                taken.insert(spawn);
                AgentLink::Linked { spawn, by: LinkEvidence::Prompt }
            }
            None => AgentLink::Unlinked(reason(agent)),
        }
    };
    agents.iter().zip(links).map(finish).collect()
}

fn reason(agent: &AgentFacts) -> UnlinkedReason {
    if agent.is_warm_up {
        UnlinkedReason::WarmUp
    } else if agent.id.starts_with("acompact-") {
        UnlinkedReason::Compaction
    } else if agent.id.starts_with("aprompt_suggestion-") {
        UnlinkedReason::PromptSuggestion
    } else if agent.id.starts_with("aside_question-") {
        UnlinkedReason::SideQuestion
    } else {
        UnlinkedReason::NeverMentioned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(id: &str, prompt: &str) -> AgentFacts {
        AgentFacts { id: id.to_owned(), prompt: Some(prompt.to_owned()), ..AgentFacts::default() }
    }

    #[test]
    fn the_surest_sign_wins_and_a_call_is_claimed_once_by_prompt() {
        let spawn = |tool_use: &str, prompt: &str, result: Option<&str>| Spawn {
            tool_use: tool_use.to_owned(),
            prompt: Some(prompt.to_owned()),
            by_result: result.map(str::to_owned),
            ..Spawn::default()
        };
        let spawns = [spawn("t1", "same", Some("a1")), spawn("t2", "same", None), spawn("t3", "other", None)];
        let mut by_meta = agent("a3", "same");
        by_meta.meta_tool_use = Some("t3".to_owned());
        let agents =
            [agent("a1", "same"), agent("a2", "same"), by_meta, agent("a4", "same"), agent("acompact-1", "")];
        let links = link(&spawns, &agents);
        let linked = |spawn, by| AgentLink::Linked { spawn, by };
        assert_eq!(
            links,
            [
                linked(0, LinkEvidence::Result),
                linked(1, LinkEvidence::Prompt),
                linked(2, LinkEvidence::Meta),
                AgentLink::Unlinked(UnlinkedReason::NeverMentioned),
                AgentLink::Unlinked(UnlinkedReason::Compaction),
            ]
        );
    }
}
