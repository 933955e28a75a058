//! Where the copies of a session's files go.

use std::path::{Path, PathBuf};

use annals_store::layout::{FileRole, Place};
use annals_store::{AgentEntry, ConfigDir};

use super::Cloned;
use super::rewrite::Rewriting;
use crate::belongings::Belonging;
use crate::session::Session;

/// The file of a sub-agent's copy.
pub(super) fn of_agent(session: &Session, entry: &AgentEntry, cloned: &Cloned) -> PathBuf {
    beside_or_under(session, &entry.path, &entry.place, cloned)
}

/// The place of a side file's copy; none for what a clone has no use for.
pub(super) fn of_belonging(session: &Session, belonging: &Belonging, cloned: &Cloned) -> Option<PathBuf> {
    let new = cloned.names.session();
    if let FileRole::SubAgentMeta { place, .. } = &belonging.role {
        return Some(beside_or_under(session, &belonging.path, place, cloned));
    }
    if let Ok(inside) = belonging.path.strip_prefix(session.folder()) {
        return Some(cloned.path.with_extension("").join(renamed(inside, belonging, cloned)));
    }
    let (config, _) = cloned.home.as_ref()?;
    let name = belonging.path.file_name()?;
    match &belonging.role {
        FileRole::Todos { session: old, agent } => {
            let agent = match agent.as_str() == old.as_str() {
                true => new.as_str().into(),
                false => cloned.names.agent(agent.as_str()).unwrap_or(agent.as_str()).into(),
            };
            Some(config.todo(new, &agent))
        }
        FileRole::FileHistory { .. } => Some(config.file_history_of(new).join(name)),
        FileRole::ImageCache { name, .. } => Some(config.image_cache(new).join(name)),
        FileRole::SessionEnv { .. } => Some(config.session_env(new).join(name)),
        _ => in_tasks(session, &belonging.path, config)
            .map(|inside| config.tasks().join(new.as_str()).join(inside)),
    }
}

/// Whether a side file's text is about the session; others are outputs and copies of files, which are kept as they are.
pub(super) fn speaks_of_the_session(belonging: &Belonging) -> bool {
    let is_json = belonging.path.extension().is_some_and(|end| end == "json" || end == "jsonl");
    let is_kept = matches!(
        belonging.role,
        FileRole::ToolResult { .. } | FileRole::FileHistory { .. } | FileRole::ImageCache { .. }
    );
    is_json && !is_kept
}

/// A sub-agent's file, or one that belongs to it, with the sub-agent's new name.
fn beside_or_under(session: &Session, path: &Path, place: &Place, cloned: &Cloned) -> PathBuf {
    let name = rename(path.file_name().unwrap_or_default().to_string_lossy().as_ref(), cloned);
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Ok(inside) = folder.strip_prefix(session.folder()) {
        return cloned.path.with_extension("").join(inside).join(name);
    }
    match place {
        Place::Beside if Some(folder) == session.path.parent() => cloned.path.with_file_name(name),
        Place::Beside => folder.join(name),
        Place::Under { session: old, .. } => {
            let parts = folder.iter().map(|part| match part == old.as_str() {
                true => cloned.names.session().as_str().as_ref(),
                false => part,
            });
            parts.collect::<PathBuf>().join(name)
        }
    }
}

/// The path of a file inside the session's folder; only names that are about the session change.
fn renamed(inside: &Path, belonging: &Belonging, cloned: &Cloned) -> PathBuf {
    match belonging.role {
        FileRole::ToolResult { .. } => inside.to_path_buf(),
        _ => inside.iter().map(|part| rename(&part.to_string_lossy(), cloned)).collect(),
    }
}

fn rename(name: &str, cloned: &Cloned) -> String {
    let agent = name.strip_prefix("agent-").and_then(|rest| {
        let stem = rest.strip_suffix(".meta.json").or_else(|| rest.strip_suffix(".jsonl"))?;
        Some(format!("agent-{}{}", cloned.names.agent(stem)?, &rest[stem.len()..]))
    });
    let mentions = || Rewriting::of(&cloned.names).mentions(name.as_bytes());
    agent.unwrap_or_else(|| String::from_utf8_lossy(&mentions()).into_owned())
}

fn in_tasks<'p>(session: &Session, path: &'p Path, config: &ConfigDir) -> Option<&'p Path> {
    let (old, _) = session.home.as_ref().map_or((config, ()), |(config, _)| (config, ()));
    path.strip_prefix(old.tasks().join(session.key.as_str())).ok()
}
