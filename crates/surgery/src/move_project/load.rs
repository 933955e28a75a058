//! What a move is about, read: the entries of the store's folders that follow, and the files whose lines name the old place.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use annals_store::layout::FileRole;
use annals_store::read::{ReadError, read_file};
use annals_store::{ConfigDir, Discovery, SessionKey, Slug};

use super::evidence::{Route, Verdict};

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A session.
    Session,
    /// A sub-agent.
    SubAgent,
    /// One object, or lines of them, that is about a session.
    Json,
}

/// A file that speaks of the project, read.
#[derive(Clone, Debug)]
pub struct ProjectFile {
    /// The file.
    pub path: PathBuf,
    /// All of it.
    pub bytes: Vec<u8>,
    /// How it is read.
    pub form: Form,
}

/// A file or folder right inside a project's folder that follows.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The project's folder.
    pub(super) folder: Slug,
    /// Where it goes; the same folder where it is there already.
    pub(super) to: Slug,
    /// Its name.
    pub(super) name: String,
    /// Whether all of its folder goes with it.
    pub(super) rest: Rest,
    /// The index, where it is that.
    pub(super) index: Option<ProjectFile>,
}

/// What becomes of the rest of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// All of it goes to the same place.
    Goes,
    /// Some of it stays, or goes elsewhere.
    Stays,
}

/// The projects of a folder and of those below it.
#[derive(Clone, Debug)]
pub struct Projects {
    pub(super) config: ConfigDir,
    pub(super) route: Route,
    pub(super) entries: Vec<Entry>,
    pub(super) files: Vec<ProjectFile>,
    pub(super) history: Option<(PathBuf, Vec<u8>)>,
}

impl Projects {
    /// Reads what a move would be about.
    pub fn load(discovery: &Discovery, route: Route) -> Result<Self, ReadError> {
        let config = discovery.config_dir.clone();
        let mut projects = Self { config, route, entries: Vec::new(), files: Vec::new(), history: None };
        // The deepest first: what is below is out of the way when its place is needed.
        for project in discovery.projects.iter().rev() {
            if projects.route.may_hold(&project.slug) {
                let found = Folder::read(discovery, &project.slug, &project.path, &projects.route)?;
                found.judge(&mut projects);
            }
        }
        projects.add_agents_elsewhere(discovery)?;
        let history = projects.config.history();
        if history.is_file() && !projects.entries.is_empty() {
            let bytes = read_file(&history)?;
            projects.history = Some((history, bytes));
        }
        Ok(projects)
    }

    /// The sessions that follow.
    pub fn sessions(&self) -> Vec<SessionKey> {
        let sessions = self.files.iter().filter(|file| file.form == Form::Session);
        let key =
            |file: &ProjectFile| SessionKey::new(file.path.file_stem().unwrap_or_default().to_string_lossy());
        sessions.map(key).collect()
    }

    /// Sub-agents of the sessions whose files are in other projects: their lines follow, their files stay.
    fn add_agents_elsewhere(&mut self, discovery: &Discovery) -> Result<(), ReadError> {
        let known: BTreeSet<PathBuf> = self.files.iter().map(|file| file.path.clone()).collect();
        for session in self.sessions() {
            for agent in discovery.agents_of(&session).filter(|agent| !known.contains(&agent.path)) {
                let bytes = read_file(&agent.path)?;
                self.files.push(ProjectFile { path: agent.path.clone(), bytes, form: Form::SubAgent });
            }
        }
        Ok(())
    }
}

/// A folder of the store, read: each entry with its files and what they say.
struct Folder<'d> {
    slug: &'d Slug,
    entries: Vec<(String, Verdict, Vec<ProjectFile>)>,
}

impl<'d> Folder<'d> {
    fn read(discovery: &Discovery, slug: &'d Slug, path: &Path, route: &Route) -> Result<Self, ReadError> {
        let mut names: Vec<String> = fs::read_dir(path)
            .map_err(|error| ReadError::new(path, error))?
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        let mut entries: Vec<(String, Verdict, Vec<ProjectFile>)> = Vec::new();
        for name in names {
            let files = files_of(discovery, &path.join(&name))?;
            let of_files = files.iter().filter(|file| file.form != Form::Json);
            let said = of_files.map(|file| route.verdict(slug, &file.bytes));
            let verdict = said.into_iter().find(|verdict| *verdict != Verdict::Unknown);
            entries.push((name, verdict.unwrap_or(Verdict::Unknown), files));
        }
        // A session's folder, and what is known of a sub-agent, go with its lines.
        let of_lines: Vec<_> =
            entries.iter().map(|(name, verdict, _)| (name.clone(), verdict.clone())).collect();
        for (name, verdict, _) in &mut entries {
            let owner = format!("{}.jsonl", name.strip_suffix(".meta.json").unwrap_or(name));
            if let Some((_, of_owner)) = of_lines.iter().find(|(other, _)| *other == owner) {
                *verdict = of_owner.clone();
            }
        }
        Ok(Self { slug, entries })
    }

    /// Sorts out what follows.
    fn judge(self, projects: &mut Projects) {
        let goals: BTreeSet<&Slug> = self
            .entries
            .iter()
            .filter_map(|(_, verdict, _)| match verdict {
                Verdict::Goes(to) => Some(to),
                _ => None,
            })
            .collect();
        let by_default = match goals.iter().next() {
            _ if projects.route.is_old(self.slug) => Some(projects.route.to()),
            Some(&only) if goals.len() == 1 => Some(only.clone()),
            _ => None,
        };
        let is_shared = self.entries.iter().any(|(_, verdict, _)| *verdict == Verdict::Elsewhere);
        let is_one = goals.len() < 2 && goals.first().is_none_or(|goal| Some(*goal) == by_default.as_ref());
        let rest = if is_shared || !is_one { Rest::Stays } else { Rest::Goes };
        for (name, verdict, files) in self.entries {
            let of_nobody = files.iter().all(|file| file.form == Form::Json) && verdict == Verdict::Unknown;
            let to = match verdict {
                Verdict::Goes(to) => to,
                Verdict::Elsewhere => continue,
                // Memory, the index and whatever else there is belong to all that share the folder.
                Verdict::Unknown if of_nobody && rest == Rest::Stays => continue,
                Verdict::Unknown => match &by_default {
                    Some(to) => to.clone(),
                    None => continue,
                },
            };
            let (index, files): (Vec<_>, Vec<_>) =
                files.into_iter().partition(|file| file.path.ends_with("sessions-index.json"));
            projects.files.extend(files);
            let index = index.into_iter().next();
            projects.entries.push(Entry { folder: self.slug.clone(), to, name, rest, index });
        }
    }
}

/// The files at or below a path that speak of the project.
fn files_of(discovery: &Discovery, path: &Path) -> Result<Vec<ProjectFile>, ReadError> {
    let sessions = discovery.sessions.iter().map(|session| (&session.path, Form::Session));
    let agents = discovery.agents.iter().map(|agent| (&agent.path, Form::SubAgent));
    let side = discovery.side_files.iter().filter(|file| {
        matches!(
            file.role,
            FileRole::SubAgentMeta { .. }
                | FileRole::WorkflowJournal { .. }
                | FileRole::Workflow { .. }
                | FileRole::SessionsIndex { .. }
        )
    });
    let side = side.map(|file| (&file.path, Form::Json));
    let mut found = Vec::new();
    for (file, form) in sessions.chain(agents).chain(side).filter(|(file, _)| file.starts_with(path)) {
        found.push(ProjectFile { path: file.clone(), bytes: read_file(file)?, form });
    }
    Ok(found)
}
