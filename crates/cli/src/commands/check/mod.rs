//! `annals check`: whether sessions resume, what each client would keep and lose, and problems by line and byte.

mod report;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use annals_store::read::read_file;
use annals_store::{FileBytes, parallel};
use annals_surgery::check::{CheckTarget, SessionCheck};
use annals_transcript::problem::{ProblemKind, Severity};
use annals_transcript::resume::Client;

use crate::args::CheckArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::words;

pub(crate) use report::write_file_problems;

/// The result for one file.
struct FileCheck {
    path: PathBuf,
    /// How a command names it.
    session: String,
    check: SessionCheck,
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
    let found = checked.iter().any(|file| !file.check.is_fine())
        || loose.iter().any(|problem| serious(problem.problem.kind));
    Ok(if found { Outcome::ProblemsFound } else { Outcome::Done })
}

fn check(target: &ResolvedSession, bytes: &FileBytes) -> FileCheck {
    let checked = CheckTarget {
        path: &target.path,
        bytes,
        session: (!target.is_agent_file()).then(|| target.key.as_str()),
        agents: &target.agent_entries(),
    };
    FileCheck {
        path: target.display_path(&target.path),
        session: target.argument(),
        check: SessionCheck::of(&checked, Client::ALL),
    }
}
