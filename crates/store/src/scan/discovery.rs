//! The result of discovery, and queries on it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::key::{AgentKey, SessionKey, Slug};
use crate::layout::{AgentLocation, ConfigDir, FileRole};
use crate::problem::FileProblem;
use crate::read::ReadError;

/// A project's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Project {
    /// Its name.
    pub slug: Slug,
    /// The folder `projects/<slug>`.
    pub path: PathBuf,
}

/// A session's file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionEntry {
    /// The session: the stem of the file's name, regardless of its lines.
    pub key: SessionKey,
    /// The project.
    pub slug: Slug,
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub modified: Option<i64>,
}

impl SessionEntry {
    /// A file that need not be in a store: its stem is the session, its folder's name the project.
    pub fn of_path(path: &Path) -> Result<Self, ReadError> {
        let metadata = std::fs::metadata(path).map_err(|error| ReadError::new(path, error))?;
        if metadata.is_dir() {
            return Err(ReadError::IsDirectory { path: path.to_path_buf() });
        }
        let name = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self {
            key: name(path.file_stem()).into(),
            slug: name(path.parent().and_then(Path::file_name)).into(),
            path: path.to_path_buf(),
            bytes: metadata.len(),
            modified: super::modified_millis(&metadata),
        })
    }

    /// The session's folder with sub-agents and tool results; it may not exist.
    pub fn folder(&self) -> PathBuf {
        self.path.with_extension("")
    }
}

/// A sub-agent's file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentEntry {
    /// The sub-agent.
    pub key: AgentKey,
    /// The project of its folder; not always that of its session.
    pub slug: Slug,
    /// Its location.
    pub place: AgentLocation,
    /// The session it belongs to: the folder it is under, else the first one that its lines name.
    pub session: Option<SessionKey>,
    /// The file.
    pub path: PathBuf,
    /// Its `meta.json`, if it exists.
    pub meta: Option<PathBuf>,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub modified: Option<i64>,
}

impl AgentEntry {
    /// Makes an entry of a file that need not exist; the caller fills in the fields that it knows.
    pub fn new(key: AgentKey, slug: Slug, place: AgentLocation, path: PathBuf) -> Self {
        Self { key, slug, place, session: None, path, meta: None, bytes: 0, modified: None }
    }

    /// Treats the file as a session named `agent-<id>`, with lines, a summary and usage.
    pub fn as_session(&self) -> SessionEntry {
        SessionEntry {
            key: format!("agent-{}", self.key).into(),
            slug: self.slug.clone(),
            path: self.path.clone(),
            bytes: self.bytes,
            modified: self.modified,
        }
    }
}

/// Any other file, or an empty folder that means something.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SideFile {
    /// What it is.
    pub role: FileRole,
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub modified: Option<i64>,
}

/// Everything that a store holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Discovery {
    /// The store's paths.
    pub config_dir: ConfigDir,
    /// Projects, by slug.
    pub projects: Vec<Project>,
    /// Sessions, by slug and path.
    pub sessions: Vec<SessionEntry>,
    /// Sub-agents, by path.
    pub agents: Vec<AgentEntry>,
    /// Everything else, by path: todos, tasks, copies, plans, indexes, and what has no name.
    pub side_files: Vec<SideFile>,
    /// Folders and files that could not be read.
    pub problems: Vec<FileProblem>,
}

impl Discovery {
    pub(super) fn new(config_dir: ConfigDir) -> Self {
        Self {
            config_dir,
            projects: Vec::new(),
            sessions: Vec::new(),
            agents: Vec::new(),
            side_files: Vec::new(),
            problems: Vec::new(),
        }
    }

    pub(super) fn add_project(&mut self, folder: &Path) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        self.projects.push(Project { slug: Slug::new(name), path: folder.to_path_buf() });
    }

    pub(super) fn add_files(&mut self, files: Vec<SideFile>, agents: Vec<AgentEntry>) {
        self.agents.extend(agents);
        for file in files {
            match file.role {
                FileRole::Session { slug, session, .. } => self.sessions.push(SessionEntry {
                    key: session,
                    slug,
                    path: file.path,
                    bytes: file.bytes,
                    modified: file.modified,
                }),
                FileRole::SubAgent { .. } => {}
                _ => self.side_files.push(file),
            }
        }
    }

    pub(super) fn finish(&mut self, mut problems: Vec<FileProblem>) {
        self.projects.sort_by(|left, right| left.slug.cmp(&right.slug));
        self.sessions.sort_by(|left, right| (&left.slug, &left.path).cmp(&(&right.slug, &right.path)));
        self.agents.sort_by(|left, right| left.path.cmp(&right.path));
        self.side_files.sort_by(|left, right| left.path.cmp(&right.path));
        problems.sort_by(|left, right| left.path.cmp(&right.path));
        self.problems = problems;
    }

    /// Adds what another store holds, for reports over several; paths tell which is of which.
    pub fn extend(&mut self, other: Self) {
        self.projects.extend(other.projects);
        self.sessions.extend(other.sessions);
        self.agents.extend(other.agents);
        self.side_files.extend(other.side_files);
        self.problems.extend(other.problems);
    }

    /// The sessions of a project.
    pub fn sessions_of<'d>(&'d self, slug: &Slug) -> impl Iterator<Item = &'d SessionEntry> {
        self.sessions.iter().filter(move |session| session.slug == *slug)
    }

    /// The files of a session: more than one if a project was copied.
    pub fn sessions_named<'d>(&'d self, key: &SessionKey) -> impl Iterator<Item = &'d SessionEntry> {
        self.sessions.iter().filter(move |session| session.key == *key)
    }

    /// The sub-agents of a session, in any folder.
    pub fn agents_of<'d>(&'d self, session: &SessionKey) -> impl Iterator<Item = &'d AgentEntry> {
        self.agents.iter().filter(move |agent| agent.session.as_ref() == Some(session))
    }

    /// The side files that belong to a session by their path.
    pub fn side_files_of<'d>(&'d self, session: &SessionKey) -> impl Iterator<Item = &'d SideFile> {
        self.side_files.iter().filter(move |file| file.role.session() == Some(session))
    }

    /// The todo lists.
    pub fn todos(&self) -> impl Iterator<Item = &SideFile> {
        self.side_files.iter().filter(|file| matches!(file.role, FileRole::Todos { .. }))
    }

    /// Files of tasks, the successor of todo lists.
    pub fn tasks(&self) -> impl Iterator<Item = &SideFile> {
        self.side_files.iter().filter(|file| matches!(file.role, FileRole::Task { .. }))
    }

    /// Files of `plans/`.
    pub fn plans(&self) -> impl Iterator<Item = &SideFile> {
        self.side_files.iter().filter(|file| matches!(file.role, FileRole::Plan { .. }))
    }

    /// The `sessions-index.json` of projects that have one.
    pub fn sessions_indexes(&self) -> impl Iterator<Item = &SideFile> {
        self.side_files.iter().filter(|file| matches!(file.role, FileRole::SessionsIndex { .. }))
    }

    /// The copies of edited files.
    pub fn file_history(&self) -> impl Iterator<Item = &SideFile> {
        self.side_files.iter().filter(|file| matches!(file.role, FileRole::FileHistory { .. }))
    }

    /// The outputs that were too large for their lines.
    pub fn tool_results(&self) -> impl Iterator<Item = &SideFile> {
        self.side_files.iter().filter(|file| matches!(file.role, FileRole::ToolResult { .. }))
    }

    /// The clients that run, or ended badly.
    pub fn running(&self) -> impl Iterator<Item = &SideFile> {
        self.side_files.iter().filter(|file| matches!(file.role, FileRole::RunningClient { .. }))
    }
}
