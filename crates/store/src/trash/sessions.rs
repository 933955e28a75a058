//! The sessions in the trash, each with all its files there, moved by any change.

use std::path::{Path, PathBuf};

use super::size_of;
use crate::data_dir::DataDir;
use crate::journal::{Effect, Journal, JournalEntry};
use crate::key::{SessionKey, Slug};
use crate::layout::{AgentLocation, ConfigDir, FileRole};
use crate::scan::session_named_in;

/// A file or folder in the trash.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrashedFile {
    /// The old path.
    pub from: PathBuf,
    /// The path in the trash.
    pub kept: PathBuf,
}

/// A session in the trash.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrashedSession {
    /// The session.
    pub key: SessionKey,
    /// The project that it was in.
    pub slug: Slug,
    /// The store that it was in.
    pub config: ConfigDir,
    /// The transcript in the trash.
    pub file: TrashedFile,
    /// The file and all that went with it, in the order in which it went.
    pub parts: Vec<TrashedFile>,
    /// How many bytes all of it has.
    pub bytes: u64,
    /// The change that took it away.
    pub entry: JournalEntry,
}

/// Every session in the trash, the one that went last first. One that went twice is there twice.
pub fn sessions(data: &DataDir) -> Vec<TrashedSession> {
    Journal::new(data).entries().iter().flat_map(|entry| of_entry(entry, data)).collect()
}

fn of_entry(entry: &JournalEntry, data: &DataDir) -> Vec<TrashedSession> {
    let trash = data.trash(&entry.id);
    let is_there = |path: &Path| path.starts_with(&trash) && path.symlink_metadata().is_ok();
    let moved = entry.effects.iter().filter_map(|effect| match effect {
        Effect::Moved { from, to } if is_there(to) => {
            Some(TrashedFile { from: from.clone(), kept: to.clone() })
        }
        _ => None,
    });
    let moved: Vec<TrashedFile> = moved.collect();
    let mut found = Vec::new();
    for file in &moved {
        let Some(config) = ConfigDir::containing(&file.from) else { continue };
        let FileRole::Session { slug, session, .. } = config.role(&file.from) else { continue };
        if file.kept.is_dir() {
            continue;
        }
        let parts = parts_of(&session, file, &config, &moved);
        let bytes = parts.iter().map(|part| size_of(&part.kept).1).sum();
        let (file, entry) = (file.clone(), entry.clone());
        found.push(TrashedSession { key: session, slug, config, file, parts, bytes, entry });
    }
    found
}

fn parts_of(
    key: &SessionKey,
    file: &TrashedFile,
    config: &ConfigDir,
    moved: &[TrashedFile],
) -> Vec<TrashedFile> {
    let own = [
        config.tasks().join(key.as_str()),
        config.file_history_of(key),
        config.session_env(key),
        config.image_cache(key),
    ];
    let is_own_agent = |part: &TrashedFile| match config.role(&part.from) {
        FileRole::SubAgent { place: AgentLocation::Beside, .. } => {
            session_named_in(&part.kept).ok().flatten().as_ref() == Some(key)
        }
        _ => false,
    };
    let agents: Vec<PathBuf> =
        moved.iter().filter(|part| is_own_agent(part)).map(|part| part.from.with_extension("")).collect();
    let is_own = |part: &&TrashedFile| {
        let inside = part.from.strip_prefix(config.projects()).ok();
        // `<project>/<session>` and below, in any project.
        let folder = inside.and_then(|inside| inside.components().nth(1));
        part.from == file.from
            || part.from.starts_with(file.from.with_extension(""))
            || folder.is_some_and(|folder| folder.as_os_str() == key.as_str())
            || own.iter().any(|folder| part.from.starts_with(folder))
            || matches!(config.role(&part.from), FileRole::Todos { session, .. } if session == *key)
            || agents.iter().any(|stem| {
                [".jsonl", ".meta.json"].iter().any(|ending| part.from == with_ending(stem, ending))
            })
    };
    moved.iter().filter(is_own).cloned().collect()
}

fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    stem.with_file_name(name)
}
