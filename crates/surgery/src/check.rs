//! Whether a session resumes: what each client would keep and lose, what is wrong with its files, and whether a repair helps.

use std::path::Path;

use annals_store::agents::{AgentCalls, details};
use annals_store::read::read_file;
use annals_store::{AgentEntry, FileBytes, overflow};
use annals_transcript::agents::{AgentLink, UnlinkedReason};
use annals_transcript::graph::Graph;
use annals_transcript::inspect::inspect;
use annals_transcript::loss::{losses, losses_by_damage};
use annals_transcript::problem::{Problem, ProblemKind, Severity, Span};
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::repair::{RepairKind, can_repair};

/// Problems of a file as a whole have no place in it.
const NOWHERE: Span = Span { offset: 0, length: 0 };

/// What one client release would do with a session.
#[derive(Clone, Debug)]
pub struct ClientVerdict {
    /// The release.
    pub client: Client,
    /// Why it would not resume it.
    pub refused: Option<String>,
    /// How many messages it would send.
    pub messages: usize,
    /// How many messages it would leave out.
    pub lost: usize,
    /// How many of these only damage explains.
    pub damaged: usize,
}

/// What is to be checked.
#[derive(Clone, Copy, Debug)]
pub struct CheckTarget<'c> {
    pub path: &'c Path,
    /// Its content.
    pub bytes: &'c FileBytes,
    /// The id of the session; `None` for the file of a sub-agent, which no client resumes.
    pub session: Option<&'c str>,
    /// The sub-agents of the session.
    pub agents: &'c [AgentEntry],
}

/// The result for one file.
#[derive(Clone, Debug)]
pub struct SessionCheck {
    /// What clients would do, the newest last.
    pub clients: Vec<ClientVerdict>,
    /// What is wrong with the file and with those of sub-agents.
    pub problems: Vec<Problem>,
    /// Whether a repair would change it.
    pub is_repairable: bool,
}

impl SessionCheck {
    /// Checks a file as these clients read it.
    pub fn of(target: &CheckTarget<'_>, clients: &[Client]) -> Self {
        let transcript = Transcript::parse(target.bytes);
        let graph = Graph::new(&transcript);
        let mut problems = inspect(&transcript, &graph, target.session);
        if target.session.is_some() {
            problems.extend(overflow::missing(&transcript, &target.path.with_extension("")));
        }
        problems.extend(problems_of_agents(&transcript, target.agents));
        // Files of sub-agents are not resumed by themselves.
        let clients = if target.session.is_some() { clients } else { &[] };
        let mut clients: Vec<_> =
            clients.iter().map(|&client| verdict(&transcript, &graph, client)).collect();
        // Nobody left the branch of another client.
        if problems.iter().any(|problem| problem.kind == ProblemKind::InterleavedConversations) {
            clients.iter_mut().for_each(|verdict| verdict.damaged = verdict.lost);
        }
        let mut check = Self { clients, problems, is_repairable: false };
        // Only the repair itself knows what it leaves alone.
        check.is_repairable = check.has_damage() && can_repair(target.bytes);
        check
    }

    /// Whether the newest client resumes it.
    pub fn resumes(&self) -> bool {
        self.clients.last().is_none_or(|verdict| verdict.refused.is_none())
    }

    /// Whether the newest client resumes it without losing a message.
    pub fn is_whole(&self) -> bool {
        self.clients.last().is_none_or(|verdict| verdict.refused.is_none() && verdict.damaged == 0)
    }

    /// Whether it has damage that a repair is for.
    pub fn has_damage(&self) -> bool {
        !self.is_whole() || self.serious().any(|problem| RepairKind::for_problem(problem.kind).is_some())
    }

    /// Whether nothing is wrong with it.
    pub fn is_fine(&self) -> bool {
        self.is_whole() && self.serious().next().is_none()
    }

    /// The problems that matter.
    pub fn serious(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.kind.severity() >= Severity::Warning)
    }
}

fn verdict(transcript: &Transcript<'_>, graph: &Graph<'_>, client: Client) -> ClientVerdict {
    let resumed = resume(transcript, client);
    let lost = losses(transcript, graph, &resumed).len();
    let damaged = losses_by_damage(transcript, graph, &resumed).len();
    let (refused, messages) = match resumed.outcome {
        Ok(messages) => (None, messages.len()),
        Err(refusal) => (Some(refusal.to_string()), 0),
    };
    ClientVerdict { client, refused, messages, lost, damaged }
}

/// Sub-agents that no call started, except those that are never called, and files that cannot be read.
fn problems_of_agents(main: &Transcript<'_>, entries: &[AgentEntry]) -> Vec<Problem> {
    if entries.is_empty() {
        return Vec::new();
    }
    let (details, _) = details(&entries.iter().collect::<Vec<_>>());
    let mut calls = AgentCalls::default();
    calls.add(None, main);
    let (mut read, mut unreadable) = (Vec::new(), Vec::new());
    for (at, (entry, details)) in entries.iter().zip(details).enumerate() {
        match read_file(&entry.path) {
            Ok(bytes) => {
                calls.add(Some(at), &Transcript::parse(&bytes));
                read.push(details);
            }
            Err(error) => unreadable
                .push(Problem::new(ProblemKind::UnreadableFile, 0, NOWHERE).with_detail(error.to_string())),
        }
    }
    let unlinked = calls.link(&read).into_iter().zip(&read).filter_map(|(link, agent)| match link {
        AgentLink::Unlinked(why @ UnlinkedReason::NeverMentioned) => {
            let detail = format!("{}: {}", agent.facts.id, why.reason());
            Some(Problem::new(ProblemKind::UnlinkedAgent, 0, NOWHERE).with_detail(detail))
        }
        _ => None,
    });
    unlinked.chain(unreadable).collect()
}
