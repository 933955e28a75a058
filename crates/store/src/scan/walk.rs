//! Listing folders. Special files are left alone, a link is followed only to a file of the same kind in the same store, and
//! depth is bounded, so that a walk ends.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::mem::discriminant;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use annals_json::Fields;
use annals_transcript::problem::ProblemKind;

use super::discovery::{AgentEntry, SideFile};
use super::unlisted;
use crate::key::SessionKey;
use crate::layout::{AgentLocation, ConfigDir, FileRole};
use crate::problem::FileProblem;
use crate::read::{LINK, stream_records};

/// Deeper folders are left alone: a link may lead back up.
pub(super) const MAX_DEPTH: usize = 8;

/// How many lines of a sub-agent are read in search of its session.
const MAX_LINES: usize = 64;

/// Where roles come from: a config dir, or a folder that is taken for a project's.
#[derive(Clone, Copy, Debug)]
pub(super) enum RoleRules<'c> {
    Config(&'c ConfigDir),
    Project(&'c Path),
}

impl RoleRules<'_> {
    pub(super) fn of(&self, path: &Path) -> FileRole {
        match self {
            Self::Config(config) => config.role(path),
            Self::Project(folder) => match path.strip_prefix(folder) {
                Ok(inside) => {
                    let slug = folder.file_name().unwrap_or_else(|| "-".as_ref());
                    FileRole::of_relative(&Path::new("projects").join(slug).join(inside))
                }
                Err(_) => FileRole::Unknown,
            },
        }
    }

    pub(super) fn root(&self) -> &Path {
        match self {
            Self::Config(config) => config.path(),
            Self::Project(folder) => folder,
        }
    }
}

/// The files directly in a folder.
pub(super) fn files_in(
    roles: &RoleRules<'_>,
    folder: &Path,
    problems: &mut Vec<FileProblem>,
) -> Vec<SideFile> {
    let all = entries(roles, folder, problems).into_iter().filter(|entry| entry.metadata.is_file());
    all.map(|entry| side_file(roles.of(&entry.path), entry.path, &entry.metadata)).collect()
}

struct FolderEntry {
    path: PathBuf,
    /// For a link, of its target.
    metadata: Metadata,
}

/// The entries of a folder by name, without the links that are not followed; a folder that is not there has none.
fn entries(roles: &RoleRules<'_>, folder: &Path, problems: &mut Vec<FileProblem>) -> Vec<FolderEntry> {
    let list = match fs::read_dir(folder) {
        Ok(list) => list,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            problems.push(unlisted(folder, error));
            return Vec::new();
        }
    };
    let mut found = Vec::new();
    for entry in list {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                problems.push(unlisted(folder, error));
                continue;
            }
        };
        let path = entry.path();
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        // Relative to the open folder: only links need the full path.
        let metadata = if is_link { fs::metadata(&path) } else { entry.metadata() };
        match metadata {
            Ok(metadata) if is_link => match link_target(roles, &path) {
                LinkTarget::SameKind => found.push(FolderEntry { path, metadata }),
                LinkTarget::Visited => {}
                LinkTarget::Elsewhere => problems.push(not_followed(&path)),
            },
            Ok(metadata) => found.push(FolderEntry { path, metadata }),
            Err(error) => problems.push(unlisted(&path, error)),
        }
    }
    // They differ in the name alone, so bytes will do.
    found.sort_by(|left, right| left.path.as_os_str().cmp(right.path.as_os_str()));
    found
}

pub(super) fn folders(roles: &RoleRules<'_>, folder: &Path, problems: &mut Vec<FileProblem>) -> Vec<PathBuf> {
    let all = entries(roles, folder, problems).into_iter();
    all.filter(|entry| entry.metadata.is_dir()).map(|entry| entry.path).collect()
}

/// Every file under a folder, and every empty folder that has a role.
pub(super) fn files(roles: &RoleRules<'_>, folder: &Path, problems: &mut Vec<FileProblem>) -> Vec<SideFile> {
    let mut found = Vec::new();
    descend(roles, folder, 0, &mut found, problems);
    found
}

fn descend(
    roles: &RoleRules<'_>,
    folder: &Path,
    depth: usize,
    found: &mut Vec<SideFile>,
    problems: &mut Vec<FileProblem>,
) {
    for FolderEntry { path, metadata } in entries(roles, folder, problems) {
        let role = roles.of(&path);
        if metadata.is_file() {
            found.push(side_file(role, path, &metadata));
        } else if metadata.is_dir() && depth < MAX_DEPTH {
            let before = found.len();
            descend(roles, &path, depth + 1, found, problems);
            if found.len() == before && role != FileRole::Unknown {
                found.push(side_file(role, path, &metadata));
            }
        }
    }
}

/// Where a link of a store leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// To a file of the same kind in the same store, or from one project to another: it is followed.
    SameKind,
    /// To a folder that the walk visits anyway: following it would find sessions twice, or never end.
    Visited,
    /// To anything else. A store may come from somebody else, and must not choose files of its reader.
    Elsewhere,
}

/// Returns where a link leads. Only a store's own path and its `projects` may be links to anywhere: they are its owner's.
pub(super) fn link_target(roles: &RoleRules<'_>, link: &Path) -> LinkTarget {
    let Ok(target) = fs::canonicalize(link) else { return LinkTarget::Elsewhere };
    let real = |path: &Path| fs::canonicalize(path).ok();
    let projects = roles.root().join("projects");
    // The folders of the store, as they are named and as they are; `projects` may be on another disk.
    let places = [(projects.clone(), real(&projects)), (roles.root().to_path_buf(), real(roles.root()))];
    let named =
        places.iter().find_map(|(named, real)| Some(named.join(target.strip_prefix(real.as_ref()?).ok()?)));
    let Some(named) = named else { return LinkTarget::Elsewhere };
    if target.is_dir() {
        let are_projects =
            [link, named.as_path()].iter().all(|path| path.parent() == Some(projects.as_path()));
        return if are_projects { LinkTarget::SameKind } else { LinkTarget::Visited };
    }
    let (of_link, of_target) = (roles.of(link), roles.of(&named));
    let is_same = of_link != FileRole::Unknown && discriminant(&of_link) == discriminant(&of_target);
    if is_same { LinkTarget::SameKind } else { LinkTarget::Elsewhere }
}

/// Whether a link of a store is followed.
pub(crate) fn is_link_followed(config: &ConfigDir, link: &Path) -> bool {
    link == config.projects() || link_target(&RoleRules::Config(config), link) == LinkTarget::SameKind
}

/// The problem of a link that is not followed.
pub(super) fn not_followed(link: &Path) -> FileProblem {
    FileProblem::whole(link, ProblemKind::UnreadableSideFile, LINK)
}

/// The files of the config dir itself, known or not; unknown folders are not ours to list.
pub(super) fn top_files(config: &ConfigDir, problems: &mut Vec<FileProblem>) -> Vec<SideFile> {
    let mut found = Vec::new();
    // A person may link settings and instructions to files elsewhere; these are not read from here.
    let mut in_root = Vec::new();
    let listed = entries(&RoleRules::Config(config), config.path(), &mut in_root);
    let is_read = |path: &Path| matches!(config.role(path), FileRole::History | FileRole::StatsCache);
    in_root.retain(|problem| !problem.path.is_symlink() || is_read(&problem.path));
    problems.extend(in_root);
    for FolderEntry { path, metadata } in listed {
        let role = config.role(&path);
        if metadata.is_file() || role == FileRole::Lock {
            found.push(side_file(role, path, &metadata));
        }
    }
    found
}

pub(super) fn side_file(role: FileRole, path: PathBuf, metadata: &Metadata) -> SideFile {
    let bytes = if metadata.is_file() { metadata.len() } else { 0 };
    SideFile { role, path, bytes, modified: modified_millis(metadata) }
}

/// When a file was last written, in milliseconds since 1970.
pub(crate) fn modified_millis(metadata: &Metadata) -> Option<i64> {
    let time = metadata.modified().ok()?;
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).ok(),
        Err(before) => i64::try_from(before.duration().as_millis()).ok().map(|millis| -millis),
    }
}

/// The sub-agents among the files, each with its meta file and its session.
pub(super) fn agents(files: &[SideFile], problems: &mut Vec<FileProblem>) -> Vec<AgentEntry> {
    let is_meta = |file: &&SideFile| matches!(file.role, FileRole::SubAgentMeta { .. });
    let metas: HashMap<PathBuf, &PathBuf> = files
        .iter()
        .filter(is_meta)
        .map(|file| (without_ending(&file.path, ".meta.json"), &file.path))
        .collect();
    let mut found = Vec::new();
    for file in files {
        let FileRole::SubAgent { slug, place, agent } = &file.role else { continue };
        let session = match place {
            AgentLocation::Under { session, .. } => Some(session.clone()),
            AgentLocation::Beside => match session_named_in(&file.path) {
                Ok(session) => session,
                Err(error) => {
                    problems.push(error.problem());
                    None
                }
            },
        };
        found.push(AgentEntry {
            key: agent.clone(),
            slug: slug.clone(),
            place: place.clone(),
            session,
            path: file.path.clone(),
            meta: metas.get(&without_ending(&file.path, ".jsonl")).map(|path| (*path).clone()),
            bytes: file.bytes,
            modified: file.modified,
        });
    }
    found
}

fn without_ending(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(name.strip_suffix(ending).unwrap_or(&name))
}

/// The first session that the lines of a file name.
pub(crate) fn session_named_in(path: &Path) -> Result<Option<SessionKey>, crate::read::ReadError> {
    let found = stream_records(path, |line| {
        let fields = Fields::scan(line.body()).ok();
        let named = fields.and_then(|(fields, _)| Some(SessionKey::new(fields.text("sessionId")?.decode())));
        match named {
            Some(session) => ControlFlow::Break(Some(session)),
            None if line.number >= MAX_LINES => ControlFlow::Break(None),
            None => ControlFlow::Continue(()),
        }
    })?;
    Ok(found.flatten())
}
