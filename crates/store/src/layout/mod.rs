//! Where everything in a config dir is, old and new. Only names: nothing here touches the disk.

mod open;
mod role;

use std::path::{Path, PathBuf};

pub use role::{AgentLocation, FileRole};

use crate::key::{AgentKey, SessionKey, Slug};

/// The folder that holds a store: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConfigDir(PathBuf);

impl ConfigDir {
    /// Takes the folder's path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the config dir that contains a path, by the nearest `projects` folder above it.
    pub fn containing(path: &Path) -> Option<Self> {
        let projects = path
            .ancestors()
            .skip(1)
            .find(|folder| folder.file_name().is_some_and(|name| name == "projects"))?;
        projects.parent().map(Self::new)
    }

    /// What a path inside the config dir is; `Unknown` outside.
    pub fn role(&self, path: &Path) -> FileRole {
        match path.strip_prefix(&self.0) {
            Ok(relative) => FileRole::of_relative(relative),
            Err(_) => FileRole::Unknown,
        }
    }

    /// `projects`: one folder a project.
    pub fn projects(&self) -> PathBuf {
        self.0.join("projects")
    }

    /// `projects/<slug>`
    pub fn project(&self, slug: &Slug) -> PathBuf {
        self.projects().join(slug.as_str())
    }

    /// `projects/<slug>/<session>.jsonl`
    pub fn session(&self, slug: &Slug, session: &SessionKey) -> PathBuf {
        self.project(slug).join(format!("{session}.jsonl"))
    }

    /// `projects/<slug>/<session>`: what belongs to a session besides its file.
    pub fn session_folder(&self, slug: &Slug, session: &SessionKey) -> PathBuf {
        self.project(slug).join(session.as_str())
    }

    /// `projects/<slug>/<session>/subagents`: 2.1.3x and later.
    pub fn subagents(&self, slug: &Slug, session: &SessionKey) -> PathBuf {
        self.session_folder(slug, session).join("subagents")
    }

    /// `projects/<slug>/<session>/tool-results`
    pub fn tool_results(&self, slug: &Slug, session: &SessionKey) -> PathBuf {
        self.session_folder(slug, session).join("tool-results")
    }

    /// `projects/<slug>/<session>/custom-title.json`
    pub fn custom_title(&self, slug: &Slug, session: &SessionKey) -> PathBuf {
        self.session_folder(slug, session).join("custom-title.json")
    }

    /// `projects/<slug>/sessions-index.json`
    pub fn sessions_index(&self, slug: &Slug) -> PathBuf {
        self.project(slug).join("sessions-index.json")
    }

    /// `projects/<slug>/memory/MEMORY.md`
    pub fn memory(&self, slug: &Slug) -> PathBuf {
        self.project(slug).join("memory").join("MEMORY.md")
    }

    /// `todos`: up to 2.1.5x.
    pub fn todos(&self) -> PathBuf {
        self.0.join("todos")
    }

    /// `todos/<session>-agent-<agent>.json`; the main agent has the session's name.
    pub fn todo(&self, session: &SessionKey, agent: &AgentKey) -> PathBuf {
        self.todos().join(format!("{session}-agent-{agent}.json"))
    }

    /// `tasks`: 2.1.5x and later.
    pub fn tasks(&self) -> PathBuf {
        self.0.join("tasks")
    }

    /// `tasks/<session>/<id>.json`
    pub fn task(&self, session: &SessionKey, id: &str) -> PathBuf {
        self.tasks().join(session.as_str()).join(format!("{id}.json"))
    }

    /// `file-history`
    pub fn file_history(&self) -> PathBuf {
        self.0.join("file-history")
    }

    /// `file-history/<session>`
    pub fn file_history_of(&self, session: &SessionKey) -> PathBuf {
        self.file_history().join(session.as_str())
    }

    /// `history.jsonl`: every prompt.
    pub fn history(&self) -> PathBuf {
        self.0.join("history.jsonl")
    }

    /// `history.jsonl.lock`: a folder, made and removed as a lock.
    pub fn history_lock(&self) -> PathBuf {
        self.0.join("history.jsonl.lock")
    }

    /// `paste-cache`
    pub fn paste_cache(&self) -> PathBuf {
        self.0.join("paste-cache")
    }

    /// `paste-cache/<hash>.txt`
    pub fn paste(&self, hash: &str) -> PathBuf {
        self.paste_cache().join(format!("{hash}.txt"))
    }

    /// `sessions`: running clients.
    pub fn running(&self) -> PathBuf {
        self.0.join("sessions")
    }

    /// `plans`
    pub fn plans(&self) -> PathBuf {
        self.0.join("plans")
    }

    /// `plans/<name>.md`; the `slug` field of a session's lines names it.
    pub fn plan(&self, name: &str) -> PathBuf {
        self.plans().join(format!("{name}.md"))
    }

    /// `stats-cache.json`
    pub fn stats_cache(&self) -> PathBuf {
        self.0.join("stats-cache.json")
    }

    /// `settings.json`
    pub fn settings(&self) -> PathBuf {
        self.0.join("settings.json")
    }

    /// `session-env/<session>`
    pub fn session_env(&self, session: &SessionKey) -> PathBuf {
        self.0.join("session-env").join(session.as_str())
    }

    /// `image-cache/<session>`
    pub fn image_cache(&self, session: &SessionKey) -> PathBuf {
        self.0.join("image-cache").join(session.as_str())
    }
}
