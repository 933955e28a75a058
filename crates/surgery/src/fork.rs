//! A second session that goes on from a point of the first: one path of it, under its ids or under new ones.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use annals_json::Value;
use annals_store::changes::Change;
use annals_store::layout::{FileRole, Place};
use annals_store::session::{ForkError, forked_lines, path_to};
use annals_store::source::new_uuid;
use annals_store::{ConfigDir, SessionKey, Slug, Source};
use annals_transcript::agents::{AgentFacts, AgentLink, link, opening_prompt, spawns};
use annals_transcript::graph::Graph;
use annals_transcript::record::RecordKind;
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::turns;

use crate::belongings::Belonging;
use crate::clone::{ClonePlanError, Cloned, Into, Lineage, Names};
use crate::plan::Plan;
use crate::relink::references;
use crate::session::{Agent, Session};

/// Where a fork goes on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// The end of the conversation, as the newest client sees it.
    End,
    /// A record, also one before a compaction or on a side branch.
    Record(String),
    /// The end of a turn, counted from 1 as `show --as turns` lists them.
    Turn(usize),
}

/// The ids of a fork's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// The lines keep theirs, as the client's `/branch` has it: lines alone, which go on sharing all else.
    Kept,
    /// The lines get new ones, and what belongs to them is copied.
    New,
}

/// A fork that is planned.
#[derive(Clone, Debug)]
pub struct Forking {
    /// What is to be done.
    pub plan: Plan,
    /// The new session.
    pub session: SessionKey,
    /// Its file.
    pub path: PathBuf,
    /// How many records it begins with.
    pub records: usize,
    /// The store and the project that it goes to; none outside a store.
    pub home: Option<(ConfigDir, Slug)>,
    /// The new ids, where there are any.
    pub names: Option<Names>,
}

/// Why a session cannot be forked so.
#[derive(Debug, thiserror::Error)]
pub enum ForkPlanError {
    /// There is no such turn.
    #[error("{}: it has no turn {turn}: there are {turns}", path.display())]
    NoSuchTurn {
        /// The session's file.
        path: PathBuf,
        /// The turn that was asked for.
        turn: usize,
        /// How many there are.
        turns: usize,
    },
    /// There is no such record, or no conversation.
    #[error(transparent)]
    Fork(#[from] ForkError),
    /// The lines cannot get new ids.
    #[error(transparent)]
    Clone(#[from] ClonePlanError),
}

/// Plans a fork.
pub fn plan(
    session: &Session,
    belongings: &[Belonging],
    at: &At,
    ids: Ids,
    source: &dyn Source,
) -> Result<Forking, ForkPlanError> {
    let transcript = session.transcript();
    let uuid = match at {
        At::End => None,
        At::Record(uuid) => Some(uuid.clone()),
        At::Turn(turn) => Some(end_of_turn(&transcript, *turn, session)?),
    };
    let nodes = path_to(&transcript, uuid.as_deref(), &session.path)?;
    match ids {
        Ids::Kept => with_kept_ids(session, &transcript, &nodes, source),
        Ids::New => with_new_ids(session, belongings, &transcript, &nodes, source),
    }
}

/// The last record of a turn: of all that follows the prompt, not of what stands beside it on other branches.
fn end_of_turn(transcript: &Transcript<'_>, turn: usize, session: &Session) -> Result<String, ForkPlanError> {
    let turns = turns(transcript);
    let missing = || ForkPlanError::NoSuchTurn { path: session.path.clone(), turn, turns: turns.len() };
    let wanted = turn.checked_sub(1).and_then(|at| turns.get(at)).ok_or_else(missing)?;
    let graph = Graph::new(transcript);
    let mut inside: HashSet<NodeIndex> = HashSet::from([wanted.prompt]);
    let mut end = wanted.prompt;
    for node in wanted.prompt + 1..wanted.end {
        let record = &transcript.nodes()[node];
        if record.is_sidechain || graph.parent(node).is_none_or(|parent| !inside.contains(&parent)) {
            continue;
        }
        inside.insert(node);
        // A progress line is nothing to go on from.
        if record.is_chain() && record.kind != RecordKind::Progress && record.uuid.is_some() {
            end = node;
        }
    }
    transcript.nodes()[end].uuid.map(|uuid| uuid.to_string()).ok_or_else(missing)
}

fn with_kept_ids(
    session: &Session,
    transcript: &Transcript<'_>,
    nodes: &BTreeSet<NodeIndex>,
    source: &dyn Source,
) -> Result<Forking, ForkPlanError> {
    let new = SessionKey::new(new_uuid(source));
    let bytes = forked_lines(transcript, nodes, &session.path, new.as_str())?;
    let path = session.path.with_file_name(format!("{new}.jsonl"));
    let mut plan = Plan::new(format!("fork {} as {new}", session.key), &session.root());
    plan.changes.push(Change::Create { path: path.clone(), bytes });
    let (records, home) = (nodes.len(), session.home.clone());
    Ok(Forking { plan, session: new, path, records, home, names: None })
}

fn with_new_ids(
    session: &Session,
    belongings: &[Belonging],
    transcript: &Transcript<'_>,
    nodes: &BTreeSet<NodeIndex>,
    source: &dyn Source,
) -> Result<Forking, ForkPlanError> {
    let kept: HashSet<String> =
        nodes.iter().filter_map(|&node| transcript.nodes()[node].uuid).map(|id| id.to_string()).collect();
    let mut lines = Vec::new();
    for node in 0..transcript.nodes().len() {
        if nodes.contains(&node) || is_snapshot_of(transcript, node, &kept) {
            lines.extend_from_slice(transcript.fields(node).raw());
            lines.push(b'\n');
        }
    }
    let mut cloned = Cloned::begin(session, belongings, &Into::SameProject, source, "fork")?;
    cloned.add_lines(session, &lines, Lineage::Told)?;
    let agents = agents_of(session, belongings, &lines);
    for agent in &agents {
        cloned.add_agent(session, agent)?;
    }
    for belonging in belongings.iter().filter(|belonging| belongs(belonging, &lines, &agents)) {
        cloned.add_belonging(session, belonging);
    }
    let Cloned { plan, names, path, records, home, .. } = cloned;
    Ok(Forking { plan, session: names.session().clone(), path, records, home, names: Some(names) })
}

/// Whether a record tells which files there were at a record that stays: a rewind in the fork needs it.
fn is_snapshot_of(transcript: &Transcript<'_>, node: NodeIndex, kept: &HashSet<String>) -> bool {
    let kind = transcript.nodes()[node].kind;
    if !matches!(kind, RecordKind::FileHistorySnapshot | RecordKind::FileHistoryDelta) {
        return false;
    }
    let Ok(value) = Value::parse(transcript.fields(node).raw()) else { return false };
    let named = references(value);
    !named.is_empty() && named.iter().all(|reference| kept.contains(&reference.uuid))
}

/// The sub-agents that the lines started, and those that these started.
fn agents_of<'s>(session: &'s Session, belongings: &[Belonging], lines: &[u8]) -> Vec<&'s Agent> {
    let of_lines = |bytes: &[u8]| spawns(&Transcript::parse(bytes));
    let mut calls: Vec<_> = of_lines(&session.bytes).into_iter().map(|spawn| (None, spawn)).collect();
    for (at, agent) in session.agents.iter().enumerate() {
        calls.extend(of_lines(&agent.bytes).into_iter().map(|spawn| (Some(at), spawn)));
    }
    let facts: Vec<_> = session.agents.iter().map(|agent| facts_of(agent, belongings)).collect();
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

fn facts_of(agent: &Agent, belongings: &[Belonging]) -> AgentFacts {
    let meta = belongings.iter().find(|belonging| Some(&belonging.path) == agent.entry.meta.as_ref());
    let tool_use = meta.and_then(|meta| {
        let value = Value::parse(&meta.bytes).ok()?;
        Some(value.get("toolUseId")?.text()?.to_string())
    });
    let workflow_run = match &agent.entry.place {
        Place::Under { nested, .. } => nested.strip_prefix("workflows/").map(str::to_owned),
        Place::Beside => None,
    };
    AgentFacts {
        id: agent.entry.key.to_string(),
        meta_tool_use: tool_use,
        prompt: opening_prompt(&Transcript::parse(&agent.bytes)),
        workflow_run,
        is_warm_up: false,
    }
}

/// Whether a side file goes with the lines: outputs and copies that a line names, and what belongs to a sub-agent that does.
fn belongs(belonging: &Belonging, lines: &[u8], agents: &[&Agent]) -> bool {
    match &belonging.role {
        FileRole::SubAgentMeta { .. } => {
            agents.iter().any(|agent| agent.entry.meta.as_ref() == Some(&belonging.path))
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
