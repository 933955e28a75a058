//! Classifies a path by its names, without reading the content.

use std::path::{Component, Path};

use crate::key::{AgentKey, SessionKey, Slug};

/// The location of a sub-agent's file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AgentLocation {
    /// In the project's folder, next to the sessions; only its lines name its session.
    Beside,
    /// Under `<session>/subagents/`.
    Under {
        /// The session that owns the folder.
        session: SessionKey,
        /// The folders between `subagents` and the file, joined by `/`; empty in most data.
        nested: String,
    },
}

/// What a file of a store is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FileRole {
    /// The transcript of a session: `projects/<slug>/<session>.jsonl`.
    Session {
        /// The project.
        slug: Slug,
        /// Folders between the project and the file, joined by `/`; empty where the client puts them.
        folder: String,
        /// The session's id, from the file name.
        session: SessionKey,
    },
    /// A sub-agent's lines.
    SubAgent {
        /// The project.
        slug: Slug,
        /// Where in there.
        place: AgentLocation,
        /// The sub-agent.
        agent: AgentKey,
    },
    /// Metadata of a sub-agent.
    SubAgentMeta {
        /// The project.
        slug: Slug,
        /// Where in there.
        place: AgentLocation,
        /// The sub-agent.
        agent: AgentKey,
    },
    /// Output that was too large for its line.
    ToolResult {
        /// The project.
        slug: Slug,
        /// The session whose tool wrote it.
        session: SessionKey,
        /// The file's name.
        name: String,
    },
    /// The journal of a workflow's agents.
    WorkflowJournal {
        /// The project.
        slug: Slug,
        /// The session that runs the workflow.
        session: SessionKey,
        /// The folders under `subagents`, joined by `/`.
        nested: String,
    },
    /// Another file of a session's workflows: a run's state or its script.
    Workflow {
        /// The project.
        slug: Slug,
        /// The session that runs the workflow.
        session: SessionKey,
        /// The path under `workflows`, joined by `/`.
        name: String,
    },
    /// A title stored next to the session.
    CustomTitleFile {
        /// The project.
        slug: Slug,
        /// The session that has the title.
        session: SessionKey,
    },
    /// The index of a project's sessions.
    SessionsIndex {
        /// The project.
        slug: Slug,
    },
    /// Memory of a project.
    Memory {
        /// The project.
        slug: Slug,
        /// The path under `memory`, joined by `/`.
        name: String,
    },
    /// A todo list.
    Todos {
        /// The session that keeps the list.
        session: SessionKey,
        /// The agent; the main one has the session's name.
        agent: AgentKey,
    },
    /// A task, the successor of todos.
    Task {
        /// The session, or the name of a team's list.
        session: SessionKey,
        /// The task's number.
        id: String,
    },
    /// A copy of a file before an edit.
    FileHistory {
        /// The session that edited the file.
        session: SessionKey,
        /// The first 16 hex digits of the sha256 of the file's path.
        hash: String,
        /// Which copy.
        version: u32,
    },
    /// Every prompt.
    History,
    /// A long paste.
    PasteCache {
        /// The first 16 hex digits of the sha256 of the text.
        hash: String,
    },
    /// A client that runs, or ended badly.
    RunningClient {
        /// Its process.
        pid: u32,
    },
    /// What was planned in plan mode: `plans/<name>.md`.
    Plan {
        /// The file name without `.md`.
        name: String,
    },
    /// The client's own statistics.
    StatsCache,
    /// Settings of the client.
    Settings,
    /// A session's environment: a folder, usually empty.
    SessionEnv {
        /// Its folder has this name.
        session: SessionKey,
    },
    /// An image that was pasted.
    ImageCache {
        /// The session that it was pasted in.
        session: SessionKey,
        /// The file's name.
        name: String,
    },
    /// A lock: a file or a folder.
    Lock,
    /// Something that annals has no name for.
    Unknown,
}

impl FileRole {
    /// What a path relative to the config dir is.
    pub fn of_relative(relative: &Path) -> Self {
        let mut parts = Vec::new();
        for component in relative.components() {
            match component {
                Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
                Component::CurDir => {}
                _ => return Self::Unknown,
            }
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        of_parts(&parts).unwrap_or(Self::Unknown)
    }

    /// The project of the file.
    pub fn slug(&self) -> Option<&Slug> {
        match self {
            Self::Session { slug, .. }
            | Self::SubAgent { slug, .. }
            | Self::SubAgentMeta { slug, .. }
            | Self::ToolResult { slug, .. }
            | Self::WorkflowJournal { slug, .. }
            | Self::Workflow { slug, .. }
            | Self::CustomTitleFile { slug, .. }
            | Self::SessionsIndex { slug }
            | Self::Memory { slug, .. } => Some(slug),
            _ => None,
        }
    }

    /// The session that the path names, for side files; `None` for a sub-agent next to its session.
    pub fn session(&self) -> Option<&SessionKey> {
        match self {
            Self::Session { session, .. }
            | Self::SubAgent { place: AgentLocation::Under { session, .. }, .. }
            | Self::SubAgentMeta { place: AgentLocation::Under { session, .. }, .. }
            | Self::ToolResult { session, .. }
            | Self::WorkflowJournal { session, .. }
            | Self::Workflow { session, .. }
            | Self::CustomTitleFile { session, .. }
            | Self::Todos { session, .. }
            | Self::Task { session, .. }
            | Self::FileHistory { session, .. }
            | Self::SessionEnv { session }
            | Self::ImageCache { session, .. } => Some(session),
            _ => None,
        }
    }
}

fn of_parts(parts: &[&str]) -> Option<FileRole> {
    if let Some(last) = parts.last()
        && (last.ends_with(".lock"))
    {
        return Some(FileRole::Lock);
    }
    Some(match parts {
        ["history.jsonl"] => FileRole::History,
        ["stats-cache.json"] => FileRole::StatsCache,
        ["settings.json" | "settings.local.json"] => FileRole::Settings,
        ["projects", slug, inside @ ..] => return in_project(Slug::from(*slug), inside),
        ["todos", name] => {
            let (session, agent) = name.strip_suffix(".json")?.split_once("-agent-")?;
            FileRole::Todos { session: session.into(), agent: agent.into() }
        }
        ["tasks", session, name] => {
            FileRole::Task { session: (*session).into(), id: name.strip_suffix(".json")?.to_owned() }
        }
        ["file-history", session, name] => {
            let (hash, version) = name.rsplit_once("@v")?;
            FileRole::FileHistory {
                session: (*session).into(),
                hash: hash.to_owned(),
                version: version.parse().ok()?,
            }
        }
        ["paste-cache", name] => FileRole::PasteCache { hash: name.strip_suffix(".txt")?.to_owned() },
        ["sessions", name] => FileRole::RunningClient { pid: name.strip_suffix(".json")?.parse().ok()? },
        ["plans", name] => FileRole::Plan { name: name.strip_suffix(".md")?.to_owned() },
        ["session-env", session, ..] => FileRole::SessionEnv { session: (*session).into() },
        ["image-cache", session, name @ ..] => {
            FileRole::ImageCache { session: (*session).into(), name: name.join("/") }
        }
        _ => return None,
    })
}

/// A path below `projects/<slug>`.
fn in_project(slug: Slug, inside: &[&str]) -> Option<FileRole> {
    let (name, folders) = inside.split_last()?;
    if let Some(at) = folders.iter().position(|folder| *folder == "subagents")
        && at > 0
    {
        let (session, nested) = (SessionKey::from(folders[at - 1]), folders[at + 1..].join("/"));
        if *name == "journal.jsonl" {
            return Some(FileRole::WorkflowJournal { slug, session, nested });
        }
        return of_agent(slug, AgentLocation::Under { session, nested }, name);
    }
    match folders {
        [.., session, "tool-results"] => {
            return Some(FileRole::ToolResult { slug, session: (*session).into(), name: (*name).to_owned() });
        }
        [session, "workflows", rest @ ..] => {
            let name = rest.iter().chain([name]).copied().collect::<Vec<_>>().join("/");
            return Some(FileRole::Workflow { slug, session: (*session).into(), name });
        }
        ["memory", rest @ ..] => {
            let name = rest.iter().chain([name]).copied().collect::<Vec<_>>().join("/");
            return Some(FileRole::Memory { slug, name });
        }
        [.., session] if *name == "custom-title.json" => {
            return Some(FileRole::CustomTitleFile { slug, session: (*session).into() });
        }
        [] if *name == "sessions-index.json" => return Some(FileRole::SessionsIndex { slug }),
        _ => {}
    }
    if let Some(role) = of_agent(slug.clone(), AgentLocation::Beside, name) {
        return Some(role);
    }
    let session = name.strip_suffix(".jsonl").filter(|stem| !stem.is_empty())?.into();
    Some(FileRole::Session { slug, folder: folders.join("/"), session })
}

fn of_agent(slug: Slug, place: AgentLocation, name: &str) -> Option<FileRole> {
    let rest = name.strip_prefix("agent-")?;
    if let Some(agent) = rest.strip_suffix(".meta.json") {
        return Some(FileRole::SubAgentMeta { slug, place, agent: agent.into() });
    }
    let agent = rest.strip_suffix(".jsonl")?.into();
    Some(FileRole::SubAgent { slug, place, agent })
}

#[cfg(test)]
mod tests;
