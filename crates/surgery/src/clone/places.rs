//! Paths of the copies of a session's files.

use std::path::{Path, PathBuf};

use annals_store::layout::{AgentLocation, FileRole};
use annals_store::{AgentEntry, ConfigDir};

use super::ClonePlan;
use super::rewrite::LineRewriter;
use crate::session::Session;
use crate::session_files::SessionFile;

/// The path of the copy of a sub-agent's file.
pub(super) fn of_agent(session: &Session, entry: &AgentEntry, clone_plan: &ClonePlan) -> PathBuf {
    beside_or_under(session, &entry.path, &entry.place, clone_plan)
}

/// The path of the copy of a side file; `None` if a clone does not need it.
pub(super) fn of_session_file(
    session: &Session,
    session_file: &SessionFile,
    clone_plan: &ClonePlan,
) -> Option<PathBuf> {
    let new = clone_plan.names.session();
    if let FileRole::SubAgentMeta { place, .. } = &session_file.role {
        return Some(beside_or_under(session, &session_file.path, place, clone_plan));
    }
    if let Ok(inside) = session_file.path.strip_prefix(session.folder()) {
        return Some(clone_plan.path.with_extension("").join(renamed(inside, session_file, clone_plan)));
    }
    let (config, _) = clone_plan.home.as_ref()?;
    let name = session_file.path.file_name()?;
    match &session_file.role {
        FileRole::Todos { session: old, agent } => {
            let agent = match agent.as_str() == old.as_str() {
                true => new.as_str().into(),
                false => clone_plan.names.agent(agent.as_str()).unwrap_or(agent.as_str()).into(),
            };
            Some(config.todo(new, &agent))
        }
        FileRole::FileHistory { .. } => Some(config.file_history_of(new).join(name)),
        FileRole::ImageCache { name, .. } => Some(config.image_cache(new).join(name)),
        FileRole::SessionEnv { .. } => Some(config.session_env(new).join(name)),
        _ => path_in_tasks(session, &session_file.path, config)
            .map(|inside| config.tasks().join(new.as_str()).join(inside)),
    }
}

/// Whether a side file refers to the session; outputs and file copies do not, and are copied unchanged.
pub(super) fn is_about_session(session_file: &SessionFile) -> bool {
    let is_json = session_file.path.extension().is_some_and(|end| end == "json" || end == "jsonl");
    let is_kept = matches!(
        session_file.role,
        FileRole::ToolResult { .. } | FileRole::FileHistory { .. } | FileRole::ImageCache { .. }
    );
    is_json && !is_kept
}

/// The new path of a sub-agent's file, or of one that belongs to it.
fn beside_or_under(session: &Session, path: &Path, place: &AgentLocation, clone_plan: &ClonePlan) -> PathBuf {
    let name = rename(path.file_name().unwrap_or_default().to_string_lossy().as_ref(), clone_plan);
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Ok(inside) = folder.strip_prefix(session.folder()) {
        return clone_plan.path.with_extension("").join(inside).join(name);
    }
    match place {
        AgentLocation::Beside if Some(folder) == session.path.parent() => {
            clone_plan.path.with_file_name(name)
        }
        AgentLocation::Beside => folder.join(name),
        AgentLocation::Under { session: old, .. } => {
            let parts = folder.iter().map(|part| match part == old.as_str() {
                true => clone_plan.names.session().as_str().as_ref(),
                false => part,
            });
            parts.collect::<PathBuf>().join(name)
        }
    }
}

/// The new path of a file in the session's folder; only names with ids change.
fn renamed(inside: &Path, session_file: &SessionFile, clone_plan: &ClonePlan) -> PathBuf {
    match session_file.role {
        FileRole::ToolResult { .. } => inside.to_path_buf(),
        _ => inside.iter().map(|part| rename(&part.to_string_lossy(), clone_plan)).collect(),
    }
}

fn rename(name: &str, clone_plan: &ClonePlan) -> String {
    let agent = name.strip_prefix("agent-").and_then(|rest| {
        let stem = rest.strip_suffix(".meta.json").or_else(|| rest.strip_suffix(".jsonl"))?;
        Some(format!("agent-{}{}", clone_plan.names.agent(stem)?, &rest[stem.len()..]))
    });
    let mentions = || LineRewriter::of(&clone_plan.names).mentions(name.as_bytes());
    agent.unwrap_or_else(|| String::from_utf8_lossy(&mentions()).into_owned())
}

fn path_in_tasks<'p>(session: &Session, path: &'p Path, config: &ConfigDir) -> Option<&'p Path> {
    let (old, _) = session.home.as_ref().map_or((config, ()), |(config, _)| (config, ()));
    path.strip_prefix(old.tasks().join(session.key.as_str())).ok()
}
