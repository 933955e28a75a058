//! Sub-agents of a session: their files, their meta files, and the facts that link them to tool calls.

use std::ops::ControlFlow;

use annals_json::{Fields, Text};
use annals_transcript::agents::{AgentFacts, AgentLink, Spawn, link, spawns};
use annals_transcript::id::{AgentId, ToolUseId};
use annals_transcript::record::{RecordKind, User};
use annals_transcript::record_lines::record_lines;
use annals_transcript::transcript::Transcript;
use annals_transcript::turn::prompt_text;

use crate::json_file::JsonFile;
use crate::layout::AgentLocation;
use crate::parallel;
use crate::problem::FileProblem;
use crate::read::{read_file, stream_records};
use crate::scan::AgentEntry;
use crate::summary::{Summary, WARM_UP};
use annals_transcript::view::views;

views! {
    /// `agent-<id>.meta.json`.
    AgentMeta {
        /// The kind of agent.
        agent_type: Text<'a> = "agentType";
        /// What it is for, in a few words.
        description: Text<'a> = "description";
        /// The call that started it.
        tool_use: ToolUseId<'a> = "toolUseId";
        /// How deep agents are nested.
        spawn_depth: u64 = "spawnDepth";
        /// The agent that started it.
        parent_agent: AgentId<'a> = "parentAgentId";
        /// The git worktree that it works in.
        worktree_path: Text<'a> = "worktreePath";
        /// The git branch of it.
        worktree_branch: Text<'a> = "worktreeBranch";
        model: Text<'a> = "model";
        /// Its name in a team.
        name: Text<'a> = "name";
        task_kind: Text<'a> = "taskKind";
        /// The team.
        team_name: Text<'a> = "teamName";
        /// Its colour on the screen.
        color: Text<'a> = "color";
        /// Whether it must plan first.
        plan_mode_required: bool = "planModeRequired";
        permission_mode: Text<'a> = "permissionMode";
    }
}

/// The facts about a sub-agent that linking needs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentDetails {
    /// What linking needs.
    pub facts: AgentFacts,
    /// Its meta file, if there is one.
    pub meta: Option<JsonFile>,
}

impl AgentDetails {
    /// The content of the meta file, or the problem with it.
    pub fn meta(&self) -> Option<Result<AgentMeta<'_>, FileProblem>> {
        self.meta.as_ref().map(|file| file.object().map(AgentMeta::new))
    }

    /// What it is for, else its kind, as its meta file says.
    pub fn label(&self) -> Option<String> {
        let meta = self.meta()?.ok()?;
        meta.description().or(meta.agent_type()).map(|text| text.to_string())
    }
}

/// The calls of a session that start sub-agents: those of its own file, and those of sub-agents.
#[derive(Clone, Debug, Default)]
pub struct AgentCalls {
    calls: Vec<Spawn>,
    /// For each call, the sub-agent that made it, by its place among those of the session.
    callers: Vec<Option<usize>>,
}

impl AgentCalls {
    /// Adds the calls of a file: of the session's own, or of a sub-agent's.
    pub fn add(&mut self, caller: Option<usize>, transcript: &Transcript<'_>) {
        self.calls.extend(spawns(transcript));
        self.callers.resize(self.calls.len(), caller);
    }

    /// Links each sub-agent to the call that started it.
    pub fn link(&self, agents: &[AgentDetails]) -> Vec<AgentLink> {
        let facts: Vec<_> = agents.iter().map(|agent| agent.facts.clone()).collect();
        link(&self.calls, &facts)
    }

    /// Returns the call that a link names, and the sub-agent that made it.
    pub fn call(&self, link: &AgentLink) -> Option<(Option<usize>, &Spawn)> {
        match link {
            AgentLink::Linked { spawn, .. } => Some((self.callers[*spawn], &self.calls[*spawn])),
            AgentLink::Unlinked(_) => None,
        }
    }
}

/// Reads what linking needs of each sub-agent, in their order and in parallel; what cannot be read is a problem.
pub fn details(agents: &[&AgentEntry]) -> (Vec<AgentDetails>, Vec<FileProblem>) {
    let read = parallel::map(agents, |agent| {
        let mut problems = Vec::new();
        (details_of(agent, &mut problems), problems)
    });
    let (details, problems): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    (details, problems.into_iter().flatten().collect())
}

fn details_of(agent: &AgentEntry, problems: &mut Vec<FileProblem>) -> AgentDetails {
    let meta = agent.meta.as_ref().and_then(|path| {
        let file = JsonFile::read(path).map_err(|error| problems.push(error.problem())).ok()?;
        problems.extend(file.object().err());
        Some(file)
    });
    let tool_use = |file: &JsonFile| AgentMeta::new(file.object().ok()?).tool_use().map(|id| id.to_string());
    let workflow_run = match &agent.place {
        AgentLocation::Under { nested, .. } => nested.strip_prefix("workflows/").map(str::to_owned),
        AgentLocation::Beside => None,
    };
    let facts = AgentFacts {
        id: agent.key.to_string(),
        meta_tool_use: meta.as_ref().and_then(tool_use),
        prompt: first_prompt(agent, problems),
        workflow_run,
        is_warm_up: is_warm_up(agent),
    };
    AgentDetails { facts, meta }
}

/// Returns the first user line of the file, in full.
fn first_prompt(agent: &AgentEntry, problems: &mut Vec<FileProblem>) -> Option<String> {
    let read = stream_records(&agent.path, |line| {
        let Ok((fields, _)) = Fields::scan(line.body()) else { return ControlFlow::Continue(()) };
        match RecordKind::of(fields.text("type")) {
            RecordKind::User => ControlFlow::Break(Some(prompt_text(&User::new(fields)))),
            // An agent that answers before the first prompt was not started by one.
            RecordKind::Assistant => ControlFlow::Break(None),
            _ => ControlFlow::Continue(()),
        }
    });
    let found = read.map_err(|error| problems.push(error.problem())).ok()?;
    found.flatten().filter(|text| !text.is_empty())
}

/// Larger files did more than warm up.
const MAX_BYTES: u64 = 128 * 1024;

/// Whether a sub-agent's file only warmed up the cache: its only prompt is `Warmup`, or it has only the answer to that. An
/// unreadable file is not a warm-up.
pub fn is_warm_up(agent: &AgentEntry) -> bool {
    if agent.bytes == 0 || agent.bytes > MAX_BYTES {
        return false;
    }
    Summary::read(&agent.as_session()).is_ok_and(|summary| summary.is_warm_up)
}

/// Larger files have more than one short line.
const MAX_STUB_BYTES: u64 = 16 * 1024;

/// Whether a sub-agent's file is one line that asks for a warm-up, and nothing has followed it. An unreadable file is none.
pub fn is_warm_up_stub(agent: &AgentEntry) -> bool {
    if agent.bytes == 0 || agent.bytes > MAX_STUB_BYTES {
        return false;
    }
    let Ok(bytes) = read_file(&agent.path) else { return false };
    let mut lines = record_lines(&bytes).filter(|line| !line.body().trim_ascii().is_empty());
    let (Some(first), None) = (lines.next(), lines.next()) else { return false };
    let Ok((fields, _)) = Fields::scan(first.body()) else { return false };
    RecordKind::of(fields.text("type")) == RecordKind::User
        && User::new(fields).content().first_text().is_some_and(|text| text.is(WARM_UP))
}
