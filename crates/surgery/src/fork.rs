//! Branches a new session off any point of another, with the same or with new ids.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use annals_json::Value;
use annals_store::changes::Change;
use annals_store::layout::{AgentLocation, FileRole};
use annals_store::session::{ForkError, forked_lines, path_to};
use annals_store::source::new_uuid;
use annals_store::{ConfigDir, SessionKey, Slug, Source};
use annals_transcript::agents::{AgentFacts, AgentLink, link, opening_prompt, spawns};
use annals_transcript::graph::Graph;
use annals_transcript::record::RecordKind;
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::turns;

use crate::clone::{ClonePlan, ClonePlanError, CloneTarget, ForkOrigin, IdMap};
use crate::plan::Plan;
use crate::relink::references;
use crate::session::{AgentFile, Session};
use crate::session_files::SessionFile;

/// Where to branch off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForkPoint {
    /// The end of the conversation, as the newest client sees it.
    End,
    /// After a record, which may be before a compaction or on a side branch.
    Record(String),
    /// After a turn, counted from 1 as `show --as turns` lists them.
    Turn(usize),
}

/// Which ids the records of a fork have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkIds {
    /// The same, as the client's `/branch` does; side files are not copied.
    Kept,
    /// New ones; side files are copied.
    New,
}

/// A planned fork.
#[derive(Clone, Debug)]
pub struct ForkPlan {
    /// The changes to make.
    pub plan: Plan,
    /// The new session's id.
    pub session: SessionKey,
    /// The new session's file.
    pub path: PathBuf,
    /// How many records it starts with.
    pub records: usize,
    /// The store and project that it goes to; `None` outside a store.
    pub home: Option<(ConfigDir, Slug)>,
    /// The new ids, if any.
    pub names: Option<IdMap>,
}

/// Why a session cannot be forked.
#[derive(Debug, thiserror::Error)]
pub enum ForkPlanError {
    /// There is no such turn.
    #[error("{}: no turn {turn}; the session has {turns}", path.display())]
    NoSuchTurn {
        /// The session's file.
        path: PathBuf,
        /// The requested turn.
        turn: usize,
        /// How many turns there are.
        turns: usize,
    },
    /// There is no such record, or no conversation.
    #[error(transparent)]
    Fork(#[from] ForkError),
    /// The records could not get new ids.
    #[error(transparent)]
    Clone(#[from] ClonePlanError),
}

pub fn plan(
    session: &Session,
    session_files: &[SessionFile],
    at: &ForkPoint,
    ids: ForkIds,
    source: &dyn Source,
) -> Result<ForkPlan, ForkPlanError> {
    let transcript = session.transcript();
    let uuid = match at {
        ForkPoint::End => None,
        ForkPoint::Record(uuid) => Some(uuid.clone()),
        ForkPoint::Turn(turn) => Some(end_of_turn(&transcript, *turn, session)?),
    };
    let nodes = path_to(&transcript, uuid.as_deref(), &session.path)?;
    match ids {
        ForkIds::Kept => with_kept_ids(session, &transcript, &nodes, source),
        ForkIds::New => with_new_ids(session, session_files, &transcript, &nodes, source),
    }
}

/// The last record of a turn on the branch of its prompt.
fn end_of_turn(transcript: &Transcript<'_>, turn: usize, session: &Session) -> Result<String, ForkPlanError> {
    let turns = turns(transcript);
    let missing = || ForkPlanError::NoSuchTurn { path: session.path.clone(), turn, turns: turns.len() };
    let wanted = turn.checked_sub(1).and_then(|at| turns.get(at)).ok_or_else(missing)?;
    let graph = Graph::new(transcript);
    let mut inside: HashSet<NodeIndex> = HashSet::from([wanted.prompt]);
    let mut end = wanted.prompt;
    for node in wanted.nodes().skip(1) {
        let record = transcript.node(node);
        if record.is_sidechain || graph.parent(node).is_none_or(|parent| !inside.contains(&parent)) {
            continue;
        }
        inside.insert(node);
        // Nothing can continue from a progress record.
        if record.is_chain() && record.kind != RecordKind::Progress && record.uuid.is_some() {
            end = node;
        }
    }
    transcript.node(end).uuid.map(|uuid| uuid.to_string()).ok_or_else(missing)
}

fn with_kept_ids(
    session: &Session,
    transcript: &Transcript<'_>,
    nodes: &BTreeSet<NodeIndex>,
    source: &dyn Source,
) -> Result<ForkPlan, ForkPlanError> {
    let new = SessionKey::new(new_uuid(source));
    let bytes = forked_lines(transcript, nodes, &session.path, new.as_str())?;
    let path = session.path.with_file_name(format!("{new}.jsonl"));
    let mut plan = Plan::new(format!("fork {} as {new}", session.key), &session.root());
    plan.changes.push(Change::Create { path: path.clone(), bytes: bytes.into(), mode: None });
    let (records, home) = (nodes.len(), session.home.clone());
    Ok(ForkPlan { plan, session: new, path, records, home, names: None })
}

fn with_new_ids(
    session: &Session,
    session_files: &[SessionFile],
    transcript: &Transcript<'_>,
    nodes: &BTreeSet<NodeIndex>,
    source: &dyn Source,
) -> Result<ForkPlan, ForkPlanError> {
    let kept: HashSet<String> =
        nodes.iter().filter_map(|&node| transcript.node(node).uuid).map(|id| id.to_string()).collect();
    let mut lines = Vec::new();
    for node in transcript.indices() {
        if nodes.contains(&node) || is_snapshot_of(transcript, node, &kept) {
            lines.extend_from_slice(transcript.fields(node).raw());
            lines.push(b'\n');
        }
    }
    let mut clone_plan = ClonePlan::begin(session, session_files, &CloneTarget::SameProject, source, "fork")?;
    clone_plan.add_lines(session, &lines, ForkOrigin::Write)?;
    let agents = agents_of(session, session_files, &lines);
    for agent in &agents {
        clone_plan.add_agent(session, agent)?;
    }
    for session_file in session_files.iter().filter(|session_file| belongs(session_file, &lines, &agents)) {
        clone_plan.add_session_file(session, session_file);
    }
    let ClonePlan { plan, names, path, records, home, .. } = clone_plan;
    Ok(ForkPlan { plan, session: names.session().clone(), path, records, home, names: Some(names) })
}

/// Whether a record is a file snapshot of a copied record, which a rewind in the fork needs.
fn is_snapshot_of(transcript: &Transcript<'_>, node: NodeIndex, kept: &HashSet<String>) -> bool {
    let kind = transcript.node(node).kind;
    if !matches!(kind, RecordKind::FileHistorySnapshot | RecordKind::FileHistoryDelta) {
        return false;
    }
    let Ok(value) = Value::parse(transcript.fields(node).raw()) else { return false };
    let named = references(value);
    !named.is_empty() && named.iter().all(|reference| kept.contains(&reference.uuid))
}

/// The sub-agents that these lines started, directly or through other sub-agents.
fn agents_of<'s>(session: &'s Session, session_files: &[SessionFile], lines: &[u8]) -> Vec<&'s AgentFile> {
    let of_lines = |bytes: &[u8]| spawns(&Transcript::parse(bytes));
    let mut calls: Vec<_> = of_lines(&session.bytes).into_iter().map(|spawn| (None, spawn)).collect();
    for (at, agent) in session.agents.iter().enumerate() {
        calls.extend(of_lines(&agent.bytes).into_iter().map(|spawn| (Some(at), spawn)));
    }
    let facts: Vec<_> = session.agents.iter().map(|agent| facts_of(agent, session_files)).collect();
    let just_spawns: Vec<_> = calls.iter().map(|(_, spawn)| spawn.clone()).collect();
    let links = link(&just_spawns, &facts);
    let made: HashSet<String> = of_lines(lines).into_iter().map(|spawn| spawn.tool_use).collect();
    let mut kept: HashSet<usize> = HashSet::new();
    loop {
        let before = kept.len();
        for (agent, link) in links.iter().enumerate() {
            let AgentLink::Linked { spawn, .. } = link else { continue };
            let is_ours = match &calls[*spawn] {
                (None, spawn) => made.contains(&spawn.tool_use),
                (Some(caller), _) => kept.contains(caller),
            };
            if is_ours {
                kept.insert(agent);
            }
        }
        if kept.len() == before {
            break;
        }
    }
    session.agents.iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, agent)| agent).collect()
}

fn facts_of(agent: &AgentFile, session_files: &[SessionFile]) -> AgentFacts {
    let meta =
        session_files.iter().find(|session_file| Some(&session_file.path) == agent.entry.meta.as_ref());
    let tool_use = meta.and_then(|meta| {
        let value = Value::parse(&meta.bytes).ok()?;
        Some(value.get("toolUseId")?.text()?.to_string())
    });
    let workflow_run = match &agent.entry.place {
        AgentLocation::Under { nested, .. } => nested.strip_prefix("workflows/").map(str::to_owned),
        AgentLocation::Beside => None,
    };
    AgentFacts {
        id: agent.entry.key.to_string(),
        meta_tool_use: tool_use,
        prompt: opening_prompt(&Transcript::parse(&agent.bytes)),
        workflow_run,
        is_warm_up: false,
    }
}

/// Whether a side file is copied: outputs and file copies that a line names, and files of copied sub-agents.
fn belongs(session_file: &SessionFile, lines: &[u8], agents: &[&AgentFile]) -> bool {
    match &session_file.role {
        FileRole::SubAgentMeta { .. } => {
            agents.iter().any(|agent| agent.entry.meta.as_ref() == Some(&session_file.path))
        }
        FileRole::ToolResult { name, .. } => {
            is_named(lines, name) || agents.iter().any(|agent| is_named(&agent.bytes, name))
        }
        FileRole::FileHistory { hash, version, .. } => is_named(lines, &format!("{hash}@v{version}")),
        _ => false,
    }
}

fn is_named(bytes: &[u8], name: &str) -> bool {
    !name.is_empty() && bytes.windows(name.len()).any(|window| window == name.as_bytes())
}
