//! `annals check`: whether sessions resume, what each client would keep and lose, and problems by line and byte.

mod report;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use annals_store::read::read_file;
use annals_store::{FileBytes, parallel};
use annals_surgery::repair::{RepairKind, can_repair};
use annals_transcript::agents::{AgentLink, UnlinkedReason};
use annals_transcript::graph::Graph;
use annals_transcript::inspect::inspect;
use annals_transcript::loss::{losses, losses_by_damage};
use annals_transcript::problem::{Problem, ProblemKind, Severity, Span};
use annals_transcript::resume::{Client, resume};

use crate::args::CheckArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::{ResolvedSession, SessionWithAgents};
use crate::words;

pub(crate) use report::write_file_problems;

/// The result for one file.
struct FileCheck {
    path: PathBuf,
    /// How a command names it.
    session: String,
    clients: Vec<ClientVerdict>,
    problems: Vec<Problem>,
    /// Whether `annals repair` would change it.
    is_repairable: bool,
}

/// What one client release would do with the file.
struct ClientVerdict {
    client: Client,
    refused: Option<String>,
    messages: usize,
    lost: usize,
    /// How many of the lost ones only damage explains.
    damaged: usize,
}

pub(crate) fn run(args: &CheckArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if args.sessions.is_empty() && !args.all {
        return Err(Fault::usage("which session?").hint("name one, or check them all: annals check --all"));
    }
    let mut targets: Vec<ResolvedSession> = Vec::new();
    for session in &args.sessions {
        let target = ResolvedSession::find_or_unpack(context, session)?;
        target.check_readable()?;
        targets.push(target);
    }
    let mut loose = Vec::new();
    if args.all {
        for discovery in context.each_store(|context| Arc::new(context.store.discover())) {
            let sessions = discovery.sessions.iter().filter(|session| session.bytes > 0);
            targets.extend(sessions.map(|session| ResolvedSession::of_entry(session, &discovery)));
            loose.extend(discovery.problems.iter().cloned());
            loose.extend(annals_store::orphans(&discovery));
        }
    }
    let progress = Mutex::new(context.progress("checking", Some(targets.len() as u64)));
    let read = parallel::map(&targets, |target| {
        if let Ok(mut progress) = progress.lock() {
            progress.advance(1, |count| words::plural(count, "file", "files"));
        }
        read_file(&target.path).map(|bytes| check(target, &bytes.into()))
    });
    drop(progress);
    let mut checked = Vec::new();
    for outcome in read {
        match outcome {
            Ok(file) => checked.push(file),
            // With --all, unreadable files do not end the run: they are listed.
            Err(error) if args.all => loose.push(error.session_problem()),
            Err(error) => return Err(error.into()),
        }
    }
    if context.json {
        report::write_json(&checked, &loose, args.all, context)?;
    } else {
        report::draw(&checked, &loose, args, context)?;
    }
    let serious = |kind: ProblemKind| kind.severity() >= Severity::Warning;
    let found = checked
        .iter()
        .any(|file| file.problems.iter().any(|problem| serious(problem.kind)) || !file.is_whole())
        || loose.iter().any(|problem| serious(problem.problem.kind));
    Ok(if found { Outcome::ProblemsFound } else { Outcome::Done })
}

impl FileCheck {
    /// Whether the newest known client resumes it.
    fn resumes(&self) -> bool {
        self.clients.last().is_none_or(|verdict| verdict.refused.is_none())
    }

    /// Whether the newest known client resumes it without losing a message.
    fn is_whole(&self) -> bool {
        self.clients.last().is_none_or(|verdict| verdict.refused.is_none() && verdict.damaged == 0)
    }

    /// Whether it has damage that a repair is for.
    fn has_damage(&self) -> bool {
        let has_repair = |problem: &Problem| {
            problem.kind.severity() >= Severity::Warning && RepairKind::for_problem(problem.kind).is_some()
        };
        !self.is_whole() || self.problems.iter().any(has_repair)
    }
}

fn check(target: &ResolvedSession, bytes: &FileBytes) -> FileCheck {
    let (files, unreadable) = target.read_agents();
    let family = SessionWithAgents::new(bytes, &files);
    let transcript = &family.main;
    let graph = Graph::new(transcript);
    let session = (!target.is_agent_file()).then(|| target.key.as_str());
    let verdict = |&client: &Client| {
        let resumed = resume(transcript, client);
        let lost = losses(transcript, &graph, &resumed).len();
        let damaged = losses_by_damage(transcript, &graph, &resumed).len();
        let (refused, messages) = match resumed.outcome {
            Ok(messages) => (None, messages.len()),
            Err(refusal) => (Some(refusal.to_string()), 0),
        };
        ClientVerdict { client, refused, messages, lost, damaged }
    };
    let mut problems = inspect(transcript, &graph, session);
    if session.is_some() {
        problems.extend(annals_store::overflow::missing(transcript, &target.path.with_extension("")));
    }
    problems.extend(unlinked(&family));
    problems.extend(unreadable.iter().map(|error| {
        Problem::new(ProblemKind::UnreadableFile, 0, Span { offset: 0, length: 0 })
            .with_detail(error.to_string())
    }));
    let mut file = FileCheck {
        path: target.display_path(&target.path),
        session: target.argument(),
        // Files of sub-agents are not resumed by themselves.
        clients: session.map(|_| Client::ALL.iter().map(verdict).collect()).unwrap_or_default(),
        problems,
        is_repairable: false,
    };
    // Only the repair itself knows what it leaves alone.
    file.is_repairable = file.has_damage() && can_repair(bytes);
    file
}

/// Reports sub-agents that no call started, except those that are never called.
fn unlinked<'f>(family: &'f SessionWithAgents<'_>) -> impl Iterator<Item = Problem> + 'f {
    family.agents.iter().filter_map(|(file, _, link)| match link {
        AgentLink::Unlinked(why @ UnlinkedReason::NeverMentioned) => {
            let nowhere = Span { offset: 0, length: 0 };
            let detail = format!("{}: {}", file.entry.key, why.reason());
            Some(Problem::new(ProblemKind::UnlinkedAgent, 0, nowhere).with_detail(detail))
        }
        _ => None,
    })
}
