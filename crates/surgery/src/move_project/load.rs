//! Reads everything that a move affects: entries of project folders, and files whose records name the old path.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use annals_store::layout::FileRole;
use annals_store::read::{ReadError, read_file};
use annals_store::{ConfigDir, Discovery, FileBytes, SessionKey, Slug};

use super::evidence::{Destination, Route};

/// How a file is rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectFileKind {
    /// A session's transcript.
    Session,
    /// A sub-agent's transcript.
    SubAgent,
    /// One JSON object, or lines of them, about a session.
    Json,
}

/// A file that refers to the project.
#[derive(Clone, Debug)]
pub struct ProjectFile {
    pub path: PathBuf,
    /// Its content.
    pub bytes: FileBytes,
    /// How it is rewritten.
    pub kind: ProjectFileKind,
}

/// A file or folder in a project folder that is moved.
#[derive(Clone, Debug)]
pub(super) struct ProjectEntry {
    pub(super) folder: Slug,
    /// The folder that it moves to, possibly the same.
    pub(super) to: Slug,
    pub(super) name: String,
    /// Whether the whole folder moves with it.
    pub(super) scope: FolderScope,
    /// Its content, if it is the sessions index.
    pub(super) index: Option<ProjectFile>,
}

/// How much of a folder moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FolderScope {
    /// All of it, to the same folder.
    Whole,
    /// A part; the rest stays or moves elsewhere.
    Part,
}

/// The projects of a folder and of those below it.
#[derive(Clone, Debug)]
pub struct Projects {
    pub(super) config: ConfigDir,
    pub(super) route: Route,
    pub(super) entries: Vec<ProjectEntry>,
    pub(super) files: Vec<ProjectFile>,
    pub(super) history: Option<(PathBuf, Vec<u8>)>,
}

impl Projects {
    /// Reads what a move affects.
    pub fn load(discovery: &Discovery, route: Route) -> Result<Self, ReadError> {
        let config = discovery.config_dir.clone();
        let mut projects = Self { config, route, entries: Vec::new(), files: Vec::new(), history: None };
        // The deepest first, so that they are out of the way when their path is needed.
        for project in discovery.projects.iter().rev() {
            if projects.route.may_hold(&project.slug) {
                let found = ProjectFolder::read(discovery, &project.slug, &project.path, &projects.route)?;
                found.sort_entries(&mut projects);
            }
        }
        projects.add_agents_elsewhere(discovery)?;
        let history = projects.config.history();
        if !projects.entries.is_empty() {
            projects.history = projects.config.read_if_there(&history)?.map(|bytes| (history, bytes));
        }
        Ok(projects)
    }

    /// The sessions that are moved.
    pub fn sessions(&self) -> Vec<SessionKey> {
        let sessions = self.files.iter().filter(|file| file.kind == ProjectFileKind::Session);
        let key =
            |file: &ProjectFile| SessionKey::new(file.path.file_stem().unwrap_or_default().to_string_lossy());
        sessions.map(key).collect()
    }

    /// Adds sub-agents whose files are in other projects: their records are changed, their files stay.
    fn add_agents_elsewhere(&mut self, discovery: &Discovery) -> Result<(), ReadError> {
        let known: BTreeSet<PathBuf> = self.files.iter().map(|file| file.path.clone()).collect();
        for session in self.sessions() {
            for agent in discovery.agents_of(&session).filter(|agent| !known.contains(&agent.path)) {
                let bytes = read_file(&agent.path)?.into();
                self.files.push(ProjectFile {
                    path: agent.path.clone(),
                    bytes,
                    kind: ProjectFileKind::SubAgent,
                });
            }
        }
        Ok(())
    }
}

/// A project folder: its entries with their files and destinations.
struct ProjectFolder<'d> {
    slug: &'d Slug,
    entries: Vec<(String, Destination, Vec<ProjectFile>)>,
}

impl<'d> ProjectFolder<'d> {
    fn read(discovery: &Discovery, slug: &'d Slug, path: &Path, route: &Route) -> Result<Self, ReadError> {
        let mut names: Vec<String> = fs::read_dir(path)
            .map_err(|error| ReadError::new(path, error))?
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        let mut entries: Vec<(String, Destination, Vec<ProjectFile>)> = Vec::new();
        for name in names {
            let files = files_of(discovery, &path.join(&name))?;
            let of_files = files.iter().filter(|file| file.kind != ProjectFileKind::Json);
            let said = of_files.map(|file| route.destination(slug, &file.bytes));
            let destination = said.into_iter().find(|destination| *destination != Destination::Unknown);
            entries.push((name, destination.unwrap_or(Destination::Unknown), files));
        }
        // A session's folder and a sub-agent's meta file follow the transcript.
        let of_lines: Vec<_> =
            entries.iter().map(|(name, destination, _)| (name.clone(), destination.clone())).collect();
        for (name, destination, _) in &mut entries {
            let owner = format!("{}.jsonl", name.strip_suffix(".meta.json").unwrap_or(name));
            if let Some((_, of_owner)) = of_lines.iter().find(|(other, _)| *other == owner) {
                *destination = of_owner.clone();
            }
        }
        Ok(Self { slug, entries })
    }

    /// Adds the entries that are moved.
    fn sort_entries(self, projects: &mut Projects) {
        let goals: BTreeSet<&Slug> = self
            .entries
            .iter()
            .filter_map(|(_, destination, _)| match destination {
                Destination::Goes(to) => Some(to),
                _ => None,
            })
            .collect();
        let by_default = match goals.iter().next() {
            _ if projects.route.is_old(self.slug) => Some(projects.route.to()),
            Some(&only) if goals.len() == 1 => Some(only.clone()),
            _ => None,
        };
        let is_shared = self.entries.iter().any(|(_, destination, _)| *destination == Destination::Elsewhere);
        let is_one = goals.len() < 2 && goals.first().is_none_or(|goal| Some(*goal) == by_default.as_ref());
        let scope = if is_shared || !is_one { FolderScope::Part } else { FolderScope::Whole };
        for (name, destination, files) in self.entries {
            let of_nobody = files.iter().all(|file| file.kind == ProjectFileKind::Json)
                && destination == Destination::Unknown;
            let to = match destination {
                Destination::Goes(to) => to,
                Destination::Elsewhere => continue,
                // Memory, index and other files belong to all projects that share the folder.
                Destination::Unknown if of_nobody && scope == FolderScope::Part => continue,
                Destination::Unknown => match &by_default {
                    Some(to) => to.clone(),
                    None => continue,
                },
            };
            let (index, files): (Vec<_>, Vec<_>) =
                files.into_iter().partition(|file| file.path.ends_with("sessions-index.json"));
            projects.files.extend(files);
            let index = index.into_iter().next();
            projects.entries.push(ProjectEntry { folder: self.slug.clone(), to, name, scope, index });
        }
    }
}

/// The files at or below a path that refer to the project.
fn files_of(discovery: &Discovery, path: &Path) -> Result<Vec<ProjectFile>, ReadError> {
    let sessions = discovery.sessions.iter().map(|session| (&session.path, ProjectFileKind::Session));
    let agents = discovery.agents.iter().map(|agent| (&agent.path, ProjectFileKind::SubAgent));
    let side = discovery.side_files.iter().filter(|file| {
        matches!(
            file.role,
            FileRole::SubAgentMeta { .. }
                | FileRole::WorkflowJournal { .. }
                | FileRole::Workflow { .. }
                | FileRole::SessionsIndex { .. }
        )
    });
    let side = side.map(|file| (&file.path, ProjectFileKind::Json));
    let mut found = Vec::new();
    for (file, kind) in sessions.chain(agents).chain(side).filter(|(file, _)| file.starts_with(path)) {
        found.push(ProjectFile { path: file.clone(), bytes: read_file(file)?.into(), kind });
    }
    Ok(found)
}
