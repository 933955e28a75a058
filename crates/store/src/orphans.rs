//! Finds leftovers of a store: side files of deleted sessions, stale index entries, empty files.
//!
//! Nothing is removed: each finding is a problem with its path, for the user to decide.

use std::collections::HashSet;

use annals_transcript::problem::ProblemKind;

use crate::agents::is_warm_up;
use crate::json_file::JsonFile;
use crate::key::SessionKey;
use crate::layout::FileRole;
use crate::parallel;
use crate::problem::FileProblem;
use crate::scan::{AgentEntry, Discovery, SideFile};
use crate::sessions_index::stale_entries;
use crate::summary::Summary;

/// Returns all leftovers as problems, by path.
pub fn orphans(discovery: &Discovery) -> Vec<FileProblem> {
    let sessions: HashSet<&SessionKey> = discovery.sessions.iter().map(|session| &session.key).collect();
    let mut found: Vec<FileProblem> =
        discovery.side_files.iter().filter_map(|file| side_file_without(&sessions, file)).collect();
    found.extend(discovery.agents.iter().filter_map(|agent| agent_without(&sessions, agent)));
    found.extend(without_content(discovery));
    found.extend(stale(discovery));
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}

fn side_file_without(sessions: &HashSet<&SessionKey>, file: &SideFile) -> Option<FileProblem> {
    let what = match &file.role {
        FileRole::Todos { .. } => "todos",
        // A team's list has the team's name, and no session.
        FileRole::Task { session, .. } if looks_like_uuid(session.as_str()) => "a task",
        FileRole::ToolResult { .. } => "a tool's output",
        FileRole::FileHistory { .. } => "a copy of an edited file",
        FileRole::ImageCache { .. } => "a pasted image",
        FileRole::CustomTitleFile { .. } => "a title",
        _ => return None,
    };
    let session = file.role.session().filter(|session| !sessions.contains(session))?;
    let detail = format!("{what} of session {session}, which no longer exists");
    Some(FileProblem::whole(&file.path, ProblemKind::OrphanFile, detail))
}

fn agent_without(sessions: &HashSet<&SessionKey>, agent: &AgentEntry) -> Option<FileProblem> {
    let detail = match &agent.session {
        Some(session) if sessions.contains(session) => return None,
        Some(session) => format!("a sub-agent of session {session}, which no longer exists"),
        None => "a sub-agent that names no session".to_owned(),
    };
    Some(FileProblem::whole(&agent.path, ProblemKind::OrphanFile, detail))
}

/// Empty files and warm-ups, sessions and sub-agents alike.
fn without_content(discovery: &Discovery) -> Vec<FileProblem> {
    let of_sessions = parallel::map(&discovery.sessions, |session| {
        let is_small = session.bytes > 0 && session.bytes < 128 * 1024;
        let warm_up = is_small && Summary::read(session).is_ok_and(|summary| summary.is_warm_up);
        finding(&session.path, session.bytes, warm_up)
    });
    let of_agents =
        parallel::map(&discovery.agents, |agent| finding(&agent.path, agent.bytes, is_warm_up(agent)));
    of_sessions.into_iter().chain(of_agents).flatten().collect()
}

fn finding(path: &std::path::Path, bytes: u64, warm_up: bool) -> Option<FileProblem> {
    match (bytes, warm_up) {
        (0, _) => Some(FileProblem::of_kind(path, ProblemKind::EmptyFile)),
        (_, true) => Some(FileProblem::of_kind(path, ProblemKind::WarmUp)),
        _ => None,
    }
}

fn stale(discovery: &Discovery) -> Vec<FileProblem> {
    let mut found = Vec::new();
    for index in discovery.sessions_indexes() {
        match JsonFile::read(&index.path) {
            Ok(file) => found.extend(stale_entries(&file)),
            Err(error) => found.push(error.problem()),
        }
    }
    found
}

fn looks_like_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths = [8, 4, 4, 4, 12];
    parts.len() == lengths.len()
        && parts
            .iter()
            .zip(lengths)
            .all(|(part, length)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
